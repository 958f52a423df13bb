"""The desk of a round's tables: which workers have them, and which are played again and
not by whom.

A key names one attempt of one worker at a table. A table is taken back before it is
given to another worker, and a result whose key is not on the desk any more is dropped,
so no match has two outcomes. A table that was lost goes before new ones, to a worker
that did not have it before, if there is one. A match that the host has spoilt waits
behind all others, and two tables on one deal that share a bot are kept apart in time,
as on one machine: see arbiter/match_queue.py. A worker plays a table's matches one
after another.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

import msgspec

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.match_queue import Jobs, MatchQueue
from khiva_arena.competition.playing.executor import TakeOutcome
from khiva_arena.extensions.cluster.worker_tables import Assignment
from khiva_arena.extensions.cluster.workers import ClusterWorker, Crew

LOSSES_MOST = 10
"""The number of losses after which a table counts as void: the table may be the reason
why its workers end.
"""


class NextTable(NamedTuple):
    """A table that is to be played.

    table: its matches.
    worker: the worker that gets it.
    """

    table: Jobs
    worker: ClusterWorker


class TableDesk:
    """The tables of a round.

    assignments: the tables that workers have, by the key of their task
    """

    def __init__(self, crew: Crew) -> None:
        self.assignments: dict[str, Assignment] = {}
        self._crew = crew
        self._queue = MatchQueue(iter(()))
        self._shunned: dict[int, set[str]] = {}
        self._losses: Counter[int] = Counter()

    def begin(self, new_tables: Iterator[Jobs]) -> None:
        """Take the tables of a round, and forget those of the round before that were to
        be played again.
        """
        self._queue = MatchQueue(new_tables)

    def all_done(self) -> bool:
        """Tell whether no table waits or is being played."""
        return not self.assignments and self._queue.is_empty

    def next(self) -> NextTable | None:
        """Return a table and its worker, which is to be noted by ``give``; None if no
        worker is free or no table may begin.

        A table to be played again goes to another worker than before if there is one.
        """
        free_worker = self._crew.best_for(set())
        if free_worker is None:
            return None

        def worker_for(table: Jobs) -> ClusterWorker | None:
            shunned = self._shunned.get(table[0].ordinal)
            return self._crew.best_for(shunned) if shunned else free_worker

        table = self._queue.take(time.monotonic(), lambda table: worker_for(table) is not None)
        worker = worker_for(table) if table else None
        return NextTable(table, worker) if table and worker else None

    def give(self, key: str, assignment: Assignment) -> None:
        """Note the worker that has a table."""
        self.assignments[key] = assignment
        self._crew.workers[assignment.worker].tasks.add(key)

    def hold(self, key: str, outcomes: Sequence[Outcome], drawn: Sequence[int]) -> None:
        """Keep a table that was handed in with its worker, never late, while the bots
        of its drawn matches are run again.
        """
        self.assignments[key] = self.assignments[key]._replace(
            until=inf, outcomes=tuple(outcomes), drawn=tuple(drawn)
        )

    def take_back(self, key: str) -> Assignment | None:
        """Note that a worker no longer has a table. Returns the table; None if no
        worker had it.
        """
        assignment = self.assignments.pop(key, None)
        if assignment is None:
            return None
        self._queue.end(assignment.table)
        if assignment.worker in self._crew.workers:
            self._crew.workers[assignment.worker].tasks.discard(key)
        return assignment

    def of(self, worker: ClusterWorker) -> list[str]:
        """Return the keys of the tables that a worker has."""
        return [
            key
            for key, assignment in self.assignments.items()
            if assignment.worker == worker.address
        ]

    def late_tables(self, now: float) -> list[str]:
        """Return the keys of the tables that took longer than their limits allow."""
        return [key for key, assignment in self.assignments.items() if now > assignment.until]

    def all_again(self) -> None:
        """Queue all tables that workers have, to be played again by any worker."""
        for key in list(self.assignments):
            if (assignment := self.take_back(key)) is not None:
                self._queue.put_back(assignment.table)

    def lose(self, key: str, reason: str, take: TakeOutcome | None) -> None:
        """Queue a table that a worker did not play to its end: nothing of it was
        recorded, and no bot is to blame.

        After LOSSES_MOST losses its matches are void. Without ``take`` a table is
        queued however often it was lost.
        """
        assignment = self.take_back(key)
        if assignment is None:
            return
        table, first = assignment.table, assignment.table[0].ordinal
        self._shunned.setdefault(first, set()).add(assignment.worker)
        self._losses[first] += 1
        # Without `take` nobody could record a void match.
        if self._losses[first] < LOSSES_MOST or take is None:
            self._queue.put_back(table, first=True)
            return
        del self._losses[first]
        for job in table:
            self.void(
                job,
                f"workers were lost while they played it, the last of {LOSSES_MOST} {reason}",
                assignment.worker,
                take,
            )

    def void(self, job: Job, reason: str, worker: str, take: TakeOutcome) -> None:
        """Record a match as void."""
        self.once_more(job, worker, void(job, reason, host=False), take)

    def once_more(self, job: Job, worker: str, outcome: Outcome, take: TakeOutcome) -> None:
        """Hand on a void match, which is played again unless it was its last attempt,
        on another worker if possible.
        """
        self._shunned.setdefault(job.ordinal, set()).add(worker)
        if outcome.host:
            # The host is to blame: the match waits, since a host without a free process
            # spoils hundreds a second.
            again = self._queue.spoil(job, time.monotonic())
        elif again := not job.last:
            warned = job.warned + outcome.causes
            self._queue.put_back(
                (msgspec.structs.replace(job, attempt=job.attempt + 1, warned=warned),)
            )
        take(msgspec.structs.replace(outcome, again=again))
