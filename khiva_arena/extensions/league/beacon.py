"""The lines of a public beacon, as a command prints them that the user gives: it gets
the number of a round as its last word.

Only a text from outside that comes after a commitment keeps an organiser from choosing
deals or knowing them beforehand. Where the line comes from is the user's business: it
may be fetched, or typed from a newspaper. A round has the same line for ever, so a
player that was killed asks for it again, and anybody who doubts a line asks for it
elsewhere.
"""

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from threading import Event
from typing import Literal, NamedTuple

from khiva_arena.bots.sandbox.reaper import REAPER
from khiva_arena.common.say import Say
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.events.stored import public_problem
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.chain.links import Beacon

SECONDS = 60.0
"""The most that the command may take."""
PAUSES = (1.0, 10.0, 60.0)
"""Seconds before the command is asked again, the last of them from then on."""
NAP_SECONDS = 1.0
POLL_SECONDS = 0.05
REAP_SECONDS = 5.0
MOST_PRINTED = 64 * 1024
"""The most bytes that the command may print, and the most of its messages."""
AT_A_TIME = 8
"""How many commands ask for lines at a time when many are compared."""
MOST_VAIN = 16
"""The most rounds that are asked for while the command has given no line at all: a
beacon that is away is not waited for hundreds of times.
"""


class NoLine(ConfigError):
    """The command printed no line that can be mixed into deals."""


class BeaconLine(NamedTuple):
    """A line of a beacon that was mixed into deals.

    kind, number: of the batch or final.
    beacon: of the terms on which it was drawn.
    round: the number of its round.
    line: the text.
    here: whether its event is here, so that the line is known to be mixed into its
        deals.
    """

    kind: Literal["batch", "final"]
    number: int
    beacon: Beacon
    round: int
    line: str
    here: bool = True

    @property
    def of(self) -> str:
        """The batch or final, in words."""
        return f"{self.kind} {self.number}"

    @property
    def due(self) -> datetime:
        """The moment of the round."""
        return self.beacon.moment_of(self.round)


class ComparedLines(NamedTuple):
    """Lines of a league, compared with those of the beacon.

    equal: how many are.
    problems: what is wrong with others.
    not_compared: each line that the beacon's command did not give, and why.
    """

    equal: int
    problems: list[str]
    not_compared: list[str]


def words_of(command: str) -> list[str]:
    """Return the words of a command. Raises ConfigError if it has none, or its program
    is not here.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        why = str(error)
    else:
        if words and shutil.which(words[0]):
            return words
        why = f"there is no program {words[0]!r}" if words else "it has no words"
    raise ConfigError(harmless(f"--beacon {command!r}: it cannot be run: {why}", LONGEST))


def line_of(command: str, number: int, look: Callable[[], object] = lambda: None) -> str:
    """Return the line that a command prints of a round. Nothing of the command is left
    then. ``look``: is called about once a second meanwhile. Raises NoLine if the
    command fails, takes too long, or prints anything else.
    """
    asked = f"--beacon {command}: round {number}"
    try:
        code, printed, messages = _run([*shlex.split(command), str(number)], look)
    except (OSError, ValueError) as error:
        raise NoLine(harmless(f"{asked}: it cannot be run: {error}", LONGEST)) from None
    except NoLine as error:
        raise NoLine(harmless(f"{asked}: {error}", LONGEST)) from None
    if code:
        last = messages.decode(errors="replace").strip().rpartition("\n")[2]
        raise NoLine(
            harmless(f"{asked}: it ended with exit code {code}{last and f': {last}'}", LONGEST)
        )
    line = printed.decode(errors="replace").removesuffix("\n").removesuffix("\r")
    if problem := public_problem(line):
        raise NoLine(harmless(f"{asked}: {problem}", LONGEST))
    return line


def lines_of(command: str, rounds: Iterable[int]) -> dict[int, str | NoLine]:
    """Return by round the line that a command prints of it, or why there is none. Each
    round is asked for once, several at a time. Nothing of the commands is left if this
    is interrupted.
    """
    is_over, vain, answered = Event(), list[int](), list[int]()

    def look() -> None:
        if is_over.is_set():
            raise NoLine("it was interrupted")

    def ask(number: int) -> str | NoLine:
        if len(vain) >= MOST_VAIN and not answered:
            return NoLine(
                f"round {number} was not asked for, since the command had no line of "
                f"{len(vain)} others"
            )
        try:
            line = line_of(command, number, look)
        except NoLine as error:
            vain.append(number)
            return error
        answered.append(number)
        return line

    numbers = [*dict.fromkeys(rounds)]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            return dict(zip(numbers, pool.map(ask, numbers), strict=True))
        finally:
            is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _run(words: list[str], look: Callable[[], object]) -> tuple[int, bytes, bytes]:
    """Run a command in a session of its own, and kill and reap all of its group in the
    end. Return its exit code, what it printed, and its messages. Raises NoLine if it
    takes too long or prints too much, OSError or ValueError if it does not start.
    """
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    assert process.stdout
    assert process.stderr
    with process.stdout, process.stderr:
        try:
            printed, messages = _read(
                process.pid, (process.stdout.fileno(), process.stderr.fileno()), look
            )
        finally:
            REAPER.signal_group(process.pid, signal.SIGKILL)
            process.returncode = REAPER.reap(process.pid).status
            REAPER.reap_group(process.pid, REAP_SECONDS)
    return process.returncode, printed, messages


def _read(pid: int, pipes: tuple[int, int], look: Callable[[], object]) -> list[bytes]:
    """Return what a command writes to pipes until it ends, though a child of it may
    keep them open. Raises NoLine.
    """
    texts = {pipe: bytearray() for pipe in pipes}
    until = time.monotonic() + SECONDS
    look_at = time.monotonic() + NAP_SECONDS
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            os.set_blocking(pipe, False)
            selector.register(pipe, selectors.EVENT_READ)
        while True:
            has_ended = (
                REAPER.status(pid) is not None
            )  # asked before the pipes are read, so that all it wrote is read
            ready = [key.fd for key, _ in selector.select(0 if has_ended else POLL_SECONDS)]
            for pipe in ready:
                if data := os.read(pipe, MOST_PRINTED):
                    texts[pipe] += data
                else:
                    selector.unregister(pipe)
                if len(texts[pipe]) > MOST_PRINTED:
                    raise NoLine(f"it printed more than {MOST_PRINTED:,} bytes")
            if has_ended and not ready:
                return [bytes(text) for text in texts.values()]
            if time.monotonic() >= until:
                raise NoLine(f"it printed no line within {SECONDS:.0f} s")
            if time.monotonic() >= look_at:
                look()
                look_at = time.monotonic() + NAP_SECONDS


def wait_for_line(
    command: str, beacon: Beacon, number: int, say: Say, look: Callable[[], object]
) -> str:
    """Return the line of a round once it has come: before its time the command is not
    asked, and then again and again.

    say: gets a line when the round is still to come, and whenever the command had none.
    look: is called about once a second meanwhile.
    """
    due = beacon.moment_of(number)
    if datetime.now(UTC) < due:
        say(
            f"round {number} of {harmless(beacon.name)} comes at "
            f"{due.isoformat(timespec='seconds')}; deals follow from its line"
        )
    _nap_until(due, look)
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        try:
            return line_of(command, number, look)
        except NoLine as error:
            say(f"{error}; asked again in {pause:.0f} s", warning=True)
            _nap_until(datetime.now(UTC) + timedelta(seconds=pause), look)
    raise AssertionError("the pauses end")


def _nap_until(due: datetime, look: Callable[[], object]) -> None:
    while (left := (due - datetime.now(UTC)).total_seconds()) > 0:
        look()
        time.sleep(min(NAP_SECONDS, left))


def compare(command: str, lines: list[BeaconLine]) -> ComparedLines:
    """Compare lines with those that a command prints of their rounds. No line can be
    had of a round that is still to come.
    """
    equal, problems, not_compared, now = 0, list[str](), list[str](), datetime.now(UTC)
    told_lines = lines_of(command, (mixed.round for mixed in lines if mixed.due <= now))
    for mixed in lines:
        told = told_lines.get(mixed.round)
        if mixed.due > now or told is None:
            due = mixed.due.isoformat(timespec="seconds")
            problems.append(
                f"{mixed.of}: round {mixed.round} of the beacon comes at {due}, and the "
                "league has its line already"
            )
        elif isinstance(told, NoLine):
            not_compared.append(f"not compared: {mixed.of}: {told}")
        elif told == mixed.line:
            equal += 1
        else:
            what = (
                f"round {mixed.round} of the beacon is {told!r}, and the league mixed "
                f"{mixed.line!r} into its deals"
            )
            problems.append(harmless(f"{mixed.of}: {what}", LONGEST))
    return ComparedLines(equal, problems, not_compared)
