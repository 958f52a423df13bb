"""An interrupt of a run is told once, whatever comes after it."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from wording import sentence

from khiva_arena.display.terminal.interrupts import if_interrupted

HOW_FAR = "3 of 15 matches"


def again_in_a_handler() -> None:
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise KeyboardInterrupt from None


def interrupted(then: Callable[[], None], told: list[str]) -> None:
    """Interrupt what stands in three blocks, twice."""
    with if_interrupted(lambda text, **_: told.append(text), lambda: "something else"):
        try:
            with if_interrupted(lambda text, **_: told.append(text), lambda: HOW_FAR):
                raise KeyboardInterrupt
        finally:
            then()


def once_more() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "then",
    [once_more, again_in_a_handler, lambda: None],
    ids=["in cleanup", "in a handler", "once"],
)
def test_an_interrupt_is_told_once_although_a_second_one_comes(then: Callable[[], None]) -> None:
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(then, told)
    assert told == [sentence("competition", "interrupted-same-command-resumes", how_far=HOW_FAR)]


SECOND_SIGNAL = """
import signal
from khiva_arena.display.terminal.interrupts import if_interrupted, listen

def say(text):
    signal.raise_signal(signal.SIGTERM)
    print(text)

listen()
try:
    with if_interrupted(say, lambda: "3 of 15 matches"):
        signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("and still listens", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def test_a_second_signal_does_not_hide_the_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SECOND_SIGNAL],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    line = sentence("competition", "interrupted-same-command-resumes", how_far=HOW_FAR)
    assert done.stdout.splitlines() == [line, "and still listens True"]
