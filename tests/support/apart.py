"""Matches in flight, as a test watches them: which began while a match was played that
shares a bot and a deal with it.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as some

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.worker import Worker
from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.records.replay.record import Header, RecordedSeat

MATCHES = some.lists(
    some.tuples(some.integers(0, 3), some.text("abcde", min_size=2, max_size=3)), max_size=30
)
"""Matches of any deals and bots, for ``match``."""


def match(ordinal: int, deal: int, bots: str, level: Level = Level.TRUSTED) -> Job:
    """A match of bots whose identities are letters; a letter that stands twice is two
    copies of a bot.
    """
    seats = tuple(RecordedSeat(f"seat {number}", bot, number) for number, bot in enumerate(bots))
    header = Header(f"m{ordinal}", "khiva", "1", {}, seats, "", {}, "lenient", str(level))
    return Job(ordinal, 1, header, deal.to_bytes(32), (), Sandbox(level))


def clash(one: Job, other: Job) -> bool:
    """Whether two matches are on one deal and share a bot."""
    bots = [{seat.bot for seat in job.header.seats} for job in (one, other)]
    return one.secret == other.secret and not bots[0].isdisjoint(bots[1])


class Start(NamedTuple):
    """A match that began. ``beside``: those in flight then."""

    job: Job
    beside: tuple[Job, ...]

    @property
    def clashes(self) -> bool:
        return any(clash(self.job, other) for other in self.beside)


class Watch:
    """All matches that began, in their order. A retry after a void counts, too."""

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self.in_flight: list[Job] = []

    async def around(self, job: Job, play: Callable[[], Awaitable[Outcome]]) -> Outcome:
        self.starts.append(Start(job, tuple(self.in_flight)))
        self.in_flight.append(job)
        try:
            return await play()
        finally:
            self.in_flight.remove(job)

    @property
    def overlapped(self) -> int:
        """How many began beside others."""
        return sum(bool(start.beside) for start in self.starts)

    def clashes(self) -> list[Start]:
        """The matches that began beside one that they clash with."""
        return [start for start in self.starts if start.clashes]

    def needless(self) -> list[Start]:
        """Those of them that began while another match, which began later, would have
        clashed with none.
        """
        return [
            start
            for number, start in enumerate(self.starts)
            if start.clashes
            and any(
                not any(clash(later.job, other) for other in start.beside)
                for later in self.starts[number + 1 :]
            )
        ]


@contextmanager
def watched(
    patch: pytest.MonkeyPatch, *, cores: int, change: Callable[[Job, Outcome], Outcome]
) -> Iterator[Watch]:
    """Watch the matches that the pool plays: in this process with one core, else in
    workers.

    change: gives the outcome that the pool gets, of a match and how it ended
    """
    watch = Watch()

    def around(
        play: Callable[..., Awaitable[Outcome]], first: int
    ) -> Callable[..., Awaitable[Outcome]]:
        async def watched_play(*words: Any, **how: Any) -> Outcome:
            return change(
                words[first], await watch.around(words[first], lambda: play(*words, **how))
            )

        return watched_play

    with patch.context() as patched:
        patched.setattr(system, "cores", lambda: cores)
        patched.setattr(pool, "play_live", around(pool.play_live, 0))
        patched.setattr(Worker, "play", around(Worker.play, 1))
        yield watch
