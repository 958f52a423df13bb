"""An interrupt of a run is told once, whatever comes after it."""

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


@pytest.mark.parametrize("then", [once_more, again_in_a_handler, lambda: None], ids=["in cleanup", "in a handler", "once"])
def test_an_interrupt_is_told_once_although_a_second_one_comes(then: Callable[[], None]) -> None:
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(then, told)
    assert told == [sentence("competition", "interrupted-same-command-resumes", how_far=HOW_FAR)]
