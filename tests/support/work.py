"""The work that tests start, by room: whole commands, and matches. Counted, since a count is the same on every machine.

``tests/work.toml`` bounds both for each room in each target; a run of the tests fails if a room starts more. A match counts each
time that the process of the tests begins it, unless a function of the tests stands in for the match: properties draw as many of
those as they like. What a command plays in a process of its own is not seen. A process counts as a command if ``khiva_arena`` is
a word of its command line.
"""

import inspect
import os
import subprocess
import tomllib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.arbiter import pool

TESTS = Path(__file__).parents[1]
BOUNDS = TESTS / "work.toml"
TARGETS = ("long", "language", "soak")
"""The marks that put a test into a target of its own, the first of them that it has; without one it is in ``make test``."""
SIZES = ("MATCHES", "FORGERIES", "TRIES")
"""Variables with which targets that are called by hand, as `make modules-soak`, make tests larger."""
ELSEWHERE = "test files beside the rooms"


class Work(NamedTuple):
    """A kind of work that tests start.

    target: the mark of the target, or "test".
    room: a folder of tests.
    kind: "commands" or "matches".
    """

    target: str
    room: str
    kind: str


COUNTS: Counter[Work] = Counter()
_place = ("test", ELSEWHERE)


def room_of(path: Path) -> str:
    """Return the folder of tests that a file is in."""
    parts = path.relative_to(TESTS).parts
    return parts[0] if len(parts) > 1 else ELSEWHERE


@contextmanager
def charged_to(path: Path, target: str = "") -> Iterator[None]:
    """Count what is started meanwhile for the room of a file. ``target``: "" for the target that is counted for already."""
    global _place
    before = _place
    _place = (target or before[0], room_of(path) if path.is_relative_to(TESTS) else before[1])
    try:
        yield
    finally:
        _place = before


@contextmanager
def counted_as(commands: int) -> Iterator[None]:
    """Count so many commands, however many are started meanwhile: how often one is killed in vain, or asks again, depends on the
    machine."""
    before = COUNTS[Work(*_place, "commands")]
    try:
        yield
    finally:
        COUNTS[Work(*_place, "commands")] = before + commands


def count(kind: str) -> None:
    """Count a command or a match for the test that runs now."""
    COUNTS[Work(*_place, kind)] += 1


def file_of(make: Callable[..., object]) -> Path:
    """Return the file in which a function is written."""
    return Path(inspect.getfile(inspect.unwrap(make)))


def watch() -> None:
    """Count each match that this process begins to play, and each process that it starts with the arena's command."""
    play, start = pool._play_until_taken, subprocess.Popen.__init__

    def playing(job: Any, queue: Any, play_one: Any, *words: Any) -> Awaitable[bool]:
        if play_one.__module__ == pool.__name__:
            count("matches")
        return play(job, queue, play_one, *words)

    def starting(process: subprocess.Popen[bytes], args: object, *words: Any, **named: Any) -> None:
        line = [args] if isinstance(args, str | bytes) else args
        if isinstance(line, list | tuple) and "khiva_arena" in line:
            count("commands")
        start(process, args, *words, **named)  # type: ignore[call-overload]

    pool._play_until_taken = playing  # type: ignore[assignment]
    subprocess.Popen.__init__ = starting  # type: ignore[method-assign, assignment]


def bounds() -> dict[Work, int]:
    """Return the most of each kind of work that a room may start in a target."""
    targets = tomllib.loads(BOUNDS.read_text())
    return {
        Work(target, room, kind): most
        for target, rooms in targets.items()
        for room, kinds in rooms.items()
        for kind, most in kinds.items()
    }


def above(counts: Mapping[Work, int], most: Mapping[Work, int]) -> list[str]:
    """Return a sentence for each kind of work of which a room starts more than its bound. Without a bound it may start none. What
    is long, or made larger, is by hand, and has no bounds."""
    if any(name in os.environ for name in SIZES):
        return []
    return [
        f"tests of {work.room} in target {work.target} start {number} {work.kind}, and may start {most.get(work, 0)}: "
        f"share a store (tests/support/stores.py), or raise the bound in tests/{BOUNDS.name} and say why"
        for work, number in sorted(counts.items())
        if number > most.get(work, 0) and work.target != "long"
    ]


def table(counts: Mapping[Work, int]) -> list[str]:
    """Return a line for each room of a target: its commands and its matches."""
    places = sorted({work[:2] for work in counts})
    return [
        f"{target:9} {room:28} {counts.get(Work(target, room, 'commands'), 0):6} commands "
        f"{counts.get(Work(target, room, 'matches'), 0):7} matches"
        for target, room in places
    ]
