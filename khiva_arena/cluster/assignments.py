"""The desk of a round's tables: which workers have them, and which are played again and not by whom.

A key names one attempt of one worker at a table. A table is taken back before it is given to another worker, and a result whose
key is not on the desk any more is dropped, so no match has two outcomes. A table that was lost goes before new ones, to a worker
that did not have it before, if there is one. A match that the host has spoilt waits behind all others, as on one machine.
"""

import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import Spoilt
from khiva_arena.cluster.tables import Assignment
from khiva_arena.cluster.workers import ClusterWorker, Crew
from khiva_arena.playing.executor import TakeOutcome

LOSSES_MOST = 10
"""The number of losses after which a table counts as void: the table may be the reason why its workers end."""


class NextTable(NamedTuple):
    """A table that is to be played.

    table: its matches.
    worker: the worker that gets it.
    """

    table: tuple[Job, ...]
    worker: ClusterWorker


class TableDesk:
    """The tables of a round.

    assignments: the tables that workers have, by the key of their task
    """

    def __init__(self, crew: Crew) -> None:
        self.assignments: dict[str, Assignment] = {}
        self._crew = crew
        self._again: deque[tuple[Job, ...]] = deque()
        self._spoilt = Spoilt()
        self._shunned: dict[int, set[str]] = {}
        self._losses: Counter[int] = Counter()

    def clear(self) -> None:
        """Forget the tables that were to be played again: a new round begins."""
        self._again.clear()
        self._spoilt = Spoilt()

    def all_done(self, new_tables: Iterator[tuple[Job, ...]]) -> bool:
        """Tell whether no table waits, is being played or is one of ``new_tables``."""
        if not self._again and (table := next(new_tables, None)) is not None:
            self._again.append(table)
        return not self._again and not self.assignments and self._spoilt.first is None

    def next(self, new_tables: Iterator[tuple[Job, ...]]) -> NextTable | None:
        """Return a table and its worker, None if none is free; first a table to be played again, if another worker than before
        is."""
        for number, table in enumerate(self._again):
            if (worker := self._crew.best_for(self._shunned.get(table[0].ordinal, set()))) is not None:
                del self._again[number]
                return NextTable(table, worker)
        if (worker := self._crew.best_for(set())) is None:
            return None
        if table := next(new_tables, ()):
            return NextTable(table, worker)
        return self._spoilt_before()

    def _spoilt_before(self) -> NextTable | None:
        if (first := self._spoilt.first) is None or first.at > time.monotonic():
            return None
        worker = self._crew.best_for(self._shunned.get(first.job.ordinal, set()))
        return None if worker is None else NextTable((self._spoilt.take(),), worker)

    def give(self, key: str, assignment: Assignment) -> None:
        """Note the worker that has a table."""
        self.assignments[key] = assignment
        self._crew.workers[assignment.worker].tasks.add(key)

    def take_back(self, key: str) -> Assignment | None:
        """Note that a worker no longer has a table. Returns the table; None if no worker had it."""
        assignment = self.assignments.pop(key, None)
        if assignment is not None and assignment.worker in self._crew.workers:
            self._crew.workers[assignment.worker].tasks.discard(key)
        return assignment

    def of(self, worker: ClusterWorker) -> list[str]:
        """Return the keys of the tables that a worker has."""
        return [key for key, assignment in self.assignments.items() if assignment.worker == worker.address]

    def late_tables(self, now: float) -> list[str]:
        """Return the keys of the tables that took longer than their limits allow."""
        return [key for key, assignment in self.assignments.items() if now > assignment.until]

    def all_again(self) -> None:
        """Queue all tables that workers have, to be played again by any worker."""
        for key in list(self.assignments):
            if (assignment := self.take_back(key)) is not None:
                self._again.append(assignment.table)

    def lose(self, key: str, reason: str, take: TakeOutcome | None) -> None:
        """Queue a table that a worker did not play to its end: nothing of it was recorded, and no bot is to blame.

        After LOSSES_MOST losses its matches are void. Without ``take`` a table is queued however often it was lost.
        """
        assignment = self.take_back(key)
        if assignment is None:
            return
        table, first = assignment.table, assignment.table[0].ordinal
        self._shunned.setdefault(first, set()).add(assignment.worker)
        self._losses[first] += 1
        # Without `take` nobody could record a void match.
        if self._losses[first] < LOSSES_MOST or take is None:
            self._again.appendleft(table)
            return
        del self._losses[first]
        for job in table:
            self.void(job, f"workers were lost while they played it, the last of {LOSSES_MOST} {reason}", assignment.worker, take)

    def void(self, job: Job, reason: str, worker: str, take: TakeOutcome) -> None:
        """Record a match as void."""
        self.once_more(job, worker, void(job, reason, host=False), take)

    def once_more(self, job: Job, worker: str, outcome: Outcome, take: TakeOutcome) -> None:
        """Hand on a void match, which is played again unless it was its last attempt, on another worker if possible."""
        self._shunned.setdefault(job.ordinal, set()).add(worker)
        if outcome.host:
            # The host is to blame: the match waits, since a host without a free process spoils hundreds a second.
            again = self._spoilt.add(job, time.monotonic())
        elif again := not job.last:
            self._again.append((msgspec.structs.replace(job, attempt=job.attempt + 1),))
        take(msgspec.structs.replace(outcome, again=again))
