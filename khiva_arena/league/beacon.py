"""The lines of a public beacon, as a command prints them that the user gives: it gets the number of a round as its last word.

Only a text from outside that comes after a commitment keeps an organiser from choosing deals or knowing them beforehand. Where
the line comes from is the user's business: it may be fetched, or typed from a newspaper. A round has the same line for ever, so a
player that was killed asks for it again, and anybody who doubts a line asks for it elsewhere.
"""

import shlex
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from typing import NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.events.stored import public_problem
from khiva_arena.league.chain.links import Beacon
from khiva_arena.say import Say
from khiva_arena.text import LONGEST, harmless

SECONDS = 60.0
"""The most that the command may take."""
PAUSES = (1.0, 10.0, 60.0)
"""Seconds before the command is asked again, the last of them from then on."""
NAP_SECONDS = 1.0


class NoLine(ConfigError):
    """The command printed no line that can be mixed into deals."""


class BeaconLine(NamedTuple):
    """A line of a beacon that was mixed into deals.

    of: the batch or final, in words.
    round: the number of its round.
    line: the text.
    """

    of: str
    round: int
    line: str


def line_of(command: str, number: int) -> str:
    """Return the line that a command prints of a round. Raises NoLine if it fails, takes too long, or prints anything else."""
    asked = f"--beacon {command}: round {number}"
    try:
        done = subprocess.run(
            [*shlex.split(command), str(number)], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, ValueError) as error:
        raise NoLine(harmless(f"{asked}: it cannot be run: {error}", LONGEST)) from None
    except subprocess.TimeoutExpired:
        raise NoLine(f"{asked}: it printed no line within {SECONDS:.0f} s") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise NoLine(harmless(f"{asked}: it ended with exit code {done.returncode}{last and f': {last}'}", LONGEST))
    line = done.stdout.decode(errors="replace").removesuffix("\n").removesuffix("\r")
    if problem := public_problem(line):
        raise NoLine(f"{asked}: {problem}")
    return line


def wait_for_line(command: str, beacon: Beacon, number: int, say: Say, look: Callable[[], object]) -> str:
    """Return the line of a round once it has come: before its time the command is not asked, and then again and again.

    say: gets a line when the round is still to come, and whenever the command had none.
    look: is called about once a second meanwhile.
    """
    due = beacon.moment_of(number)
    if datetime.now(UTC) < due:
        say(f"round {number} of {harmless(beacon.name)} comes at {due.isoformat(timespec='seconds')}; deals follow from its line")
    _nap_until(due, look)
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        try:
            return line_of(command, number)
        except NoLine as error:
            say(f"{error}; asked again in {pause:.0f} s", warning=True)
            _nap_until(datetime.now(UTC) + timedelta(seconds=pause), look)
    raise AssertionError("the pauses end")


def _nap_until(due: datetime, look: Callable[[], object]) -> None:
    while (left := (due - datetime.now(UTC)).total_seconds()) > 0:
        look()
        time.sleep(min(NAP_SECONDS, left))


def compare(command: str, lines: list[BeaconLine]) -> list[str]:
    """Return what is wrong with lines by what a command prints of their rounds. Raises NoLine if it has none."""
    problems = []
    for of, number, line in lines:
        if (told := line_of(command, number)) != line:
            problems.append(
                harmless(f"{of}: round {number} of the beacon is {told!r}, and the league mixed {line!r} into its deals", LONGEST)
            )
    return problems
