"""The desk of a round's tables: which workers have them, and which are played again and not by whom.

A match that the host has spoilt waits behind all others, as on one machine.
"""

import time
from collections import Counter, deque
from collections.abc import Iterator

import msgspec

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import Spoilt
from khiva_arena.cluster.tables import GivenTable
from khiva_arena.cluster.workers import ClusterWorker, Crew
from khiva_arena.playing.executor import TakeOutcome

LOSSES_MOST = 10
"""The number of losses after which a table counts as void: the table may be the reason why its workers end."""


class TableDesk:
    """The tables of a round.

    given: the tables that workers have, by the key of their task
    """

    def __init__(self, crew: Crew) -> None:
        self.given: dict[str, GivenTable] = {}
        self._crew = crew
        self._again: deque[tuple[Job, ...]] = deque()
        self._spoilt = Spoilt()
        self._shunned: dict[int, set[str]] = {}
        self._losses: Counter[int] = Counter()

    def clear(self) -> None:
        """Forget the tables that were to be played again: a new round begins."""
        self._again.clear()
        self._spoilt = Spoilt()

    def all_done(self, left: Iterator[tuple[Job, ...]]) -> bool:
        """Tell whether no table waits, is being played or is ``left``."""
        if not self._again and (table := next(left, None)) is not None:
            self._again.append(table)
        return not self._again and not self.given and self._spoilt.first is None

    def next(self, left: Iterator[tuple[Job, ...]]) -> tuple[tuple[Job, ...], ClusterWorker] | None:
        """Return a table and its worker, None if none is free; first a table to be played again, if another worker than before
        is."""
        for number, table in enumerate(self._again):
            if (worker := self._crew.best_for(self._shunned.get(table[0].ordinal, set()))) is not None:
                del self._again[number]
                return table, worker
        if (worker := self._crew.best_for(set())) is None:
            return None
        if table := next(left, ()):
            return table, worker
        return self._spoilt_before()

    def _spoilt_before(self) -> tuple[tuple[Job, ...], ClusterWorker] | None:
        if (first := self._spoilt.first) is None or first.at > time.monotonic():
            return None
        worker = self._crew.best_for(self._shunned.get(first.job.ordinal, set()))
        return None if worker is None else ((self._spoilt.take(),), worker)

    def give(self, key: str, given: GivenTable) -> None:
        """Note the worker that has a table."""
        self.given[key] = given
        self._crew.workers[given.worker].tasks.add(key)

    def take_back(self, key: str) -> GivenTable | None:
        """Note that a worker no longer has a table. Returns the table; None if no worker had it."""
        given = self.given.pop(key, None)
        if given is not None and given.worker in self._crew.workers:
            self._crew.workers[given.worker].tasks.discard(key)
        return given

    def of(self, worker: ClusterWorker) -> list[str]:
        """Return the keys of the tables that a worker has."""
        return [key for key, given in self.given.items() if given.worker == worker.address]

    def late(self, now: float) -> list[str]:
        """Return the keys of the tables that took longer than their limits allow."""
        return [key for key, given in self.given.items() if now > given.until]

    def all_again(self) -> None:
        """Queue all tables that workers have, to be played again by any worker."""
        for key in list(self.given):
            if (given := self.take_back(key)) is not None:
                self._again.append(given.table)

    def lose(self, key: str, why: str, take: TakeOutcome | None) -> None:
        """Queue a table that a worker did not play to its end: nothing of it was recorded, and no bot is to blame.

        After LOSSES_MOST losses its matches are void. Without ``take`` a table is queued however often it was lost.
        """
        given = self.take_back(key)
        if given is None:
            return
        table, first = given.table, given.table[0].ordinal
        self._shunned.setdefault(first, set()).add(given.worker)
        self._losses[first] += 1
        if self._losses[first] < LOSSES_MOST or take is None:
            self._again.appendleft(table)
            return
        del self._losses[first]
        for job in table:
            self.void(job, f"workers were lost while they played it, the last of {LOSSES_MOST} {why}", given.worker, take)

    def void(self, job: Job, why: str, worker: str, take: TakeOutcome) -> None:
        """Record a match as void."""
        self.once_more(job, worker, void(job, why, host=False), take)

    def once_more(self, job: Job, worker: str, outcome: Outcome, take: TakeOutcome) -> None:
        """Hand on a void match, which is played again unless it was its last attempt, on another worker if possible."""
        self._shunned.setdefault(job.ordinal, set()).add(worker)
        if outcome.host:
            again = self._spoilt.add(job, time.monotonic())
        elif again := not job.last:
            self._again.append((msgspec.structs.replace(job, attempt=job.attempt + 1),))
        take(msgspec.structs.replace(outcome, again=again))
