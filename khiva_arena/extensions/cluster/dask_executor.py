"""The executor of a Dask cluster: whole tables go out as tasks, outcomes come back, and
this process records them.

Dask carries tasks and says who is there. Which worker gets a table, and who plays it
again, is decided here: each task names its worker. The table of a worker that dies,
stands still, is too slow or answers nonsense is given to another one. A late answer to
a task that was given elsewhere is ignored, so each match has one outcome.
"""

import queue
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.playing.executor import TakeOutcome, TrialWords, TriedTimes
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.starts import Entrants, without_broken
from khiva_arena.competition.playing.trial_starts import first_header
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.competition.settings.table import DEFAULTS
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ClusterError
from khiva_arena.extensions.cluster import worker_tables
from khiva_arena.extensions.cluster.judged_answers import AnswerJudge
from khiva_arena.extensions.cluster.link import LinkLost
from khiva_arena.extensions.cluster.worker_messages import TABLE, WorkerTask, encode
from khiva_arena.extensions.cluster.worker_tables import Assignment
from khiva_arena.extensions.cluster.workers import RecruitStage
from khiva_arena.rating.schedule.formats import DrawnRound

LOOK_SECONDS = 1.0
LOOKS_EVERY_WORKERS = 100
"""The number of workers for which the scheduler is asked once a second; for twice as
many it is asked every two seconds.
"""
OTHERS_SECONDS, ALL_SECONDS = 3.0, 60.0
"""The wait of the first worker that can play for others that are there: before a run,
and before bots are left out or tried.
"""


class Cluster(AnswerJudge):
    """The executor of a cluster."""

    whole_tables = True
    trial_words = TrialWords(
        "some matches are tried on the workers that are there; they are not recorded",
        " on the cluster",
        "on its workers",
        "workers",
    )

    def __enter__(self) -> Self:
        if self._connection.link is None:  # else bots were tried on it before
            self._connection.open()
            if self._settings.jobs != DEFAULTS["jobs"]:
                self._tell(
                    f"--jobs {self._settings.jobs} has no effect with --dask: the workers "
                    "say how many matches run at a time"
                )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        if proof := self._checks.end():
            self._tell(proof)

    # --- before the first match ---

    def without_broken(self, stages: Sequence[Settings], entrants: Sequence[Bot]) -> Entrants:
        return without_broken(stages, entrants, self._sandbox, self.say, self.who_starts_nowhere)

    def who_starts_nowhere(self, entrants: Sequence[Bot]) -> dict[str, tuple[str, str]]:
        """Return the bots that no worker that is there now can build or start: by
        identity, a worker's name and why not.

        A worker that cannot start one of the other bots is refused when that bot is
        played.
        """
        self._recruiting.of(
            entrants, first_header(self._settings, entrants, self._sandbox), leave_out=True
        )
        self._gather(ALL_SECONDS)
        workers = self._crew.ready_workers()
        first, others = workers[0], workers[1:]
        return {
            bot: (first.name, error)
            for bot, error in first.broken.items()
            if all(bot in worker.broken for worker in others)
        }

    def prepare(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        """Wait for the first worker that can start all bots, and a little for the
        others.

        The commands that are returned are empty: each worker has its own way to start
        bots, and a job gets that of its worker.
        """
        self._recruiting.of(entrants, first_header(self._settings, entrants, self._sandbox))
        self._gather(OTHERS_SECONDS)
        if self._checks.share:
            self._checks.commands = {
                bot.identity: staging.stage(bot, self._sandbox.level) for bot in entrants
            }
        return {bot.identity: Command((), "") for bot in entrants}

    def _gather(self, seconds: float) -> None:
        """Wait for the first worker that can play, then at most ``seconds`` for others.
        Raises ClusterError if none can.
        """
        self._idle_since = time.monotonic()
        until = None
        while True:
            if self._crew.ready_workers():
                until = until or time.monotonic() + seconds
                if not self._crew.undecided() or time.monotonic() > until:
                    return
            self._pump()
            if self._crew.hopeless():
                raise ClusterError(
                    "no worker can play", *self._crew.refusals(), *self._crew.absences()
                )
            self._check_idle()

    @property
    def at_a_time(self) -> int:
        """The number of matches that the workers that are ready now play at a time."""
        return self._crew.at_a_time()

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: TakeOutcome, *, is_trial: bool = False
    ) -> TriedTimes:
        """Play tables of no event, and return the times of their matches, counted from
        when a worker was given the table.
        """
        self._gather(ALL_SECONDS)
        self._timed = []
        self._play_all(iter(tables), take, lambda: False)
        seconds, self._timed = self._timed, None
        return TriedTimes(seconds)

    # --- matches ---

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        """Play the tables that are left of a round."""
        # Once a test has decided, matches that are still played count for nothing.
        self._play_all((tuple(table) for table in play.tables(draw)), take, lambda: play.complete)

    def _play_all(
        self, new_tables: Iterator[tuple[Job, ...]], take: TakeOutcome, over: Callable[[], bool]
    ) -> None:
        self._desk.begin(new_tables)
        self._idle_since = time.monotonic()
        try:
            while not over() and not self._desk.all_done():
                self._give()
                self._pump(take)
                self._take_back_late(take)
                self._check_idle()
        finally:
            self._withdraw()

    def _give(self) -> None:
        """Give tables to workers with a free core."""
        while self._connection.link is not None and (choice := self._desk.next()) is not None:
            table, worker = choice
            key, now = f"khiva-table-{secrets.token_hex(8)}", time.monotonic()
            seconds = worker_tables.seconds_for(table)
            frames = [encode(self._recruiting.as_played_by(worker, job)) for job in table]
            self._desk.give(key, Assignment(table, worker.address, now, now + seconds + self._wait))
            self._submit(
                key, worker.address, encode(WorkerTask(TABLE, frames, seconds, worker.game))
            )

    def _submit(self, key: str, worker: str, payload: bytes) -> None:
        link = self._connection.link
        assert link is not None
        try:
            link.submit(key, worker, payload, lambda key, result: self._results.put((key, result)))
        except LinkLost as lost:
            self._lose_link(str(lost))

    def _withdraw(self) -> None:
        """Cancel all tasks that workers have of this run."""
        if self._connection.link is not None:
            self._connection.link.forget(*self._desk.assignments)
        for key in list(self._desk.assignments):
            self._desk.take_back(key)

    # --- answers and news of workers ---

    def _pump(self, take: TakeOutcome | None = None) -> None:
        """Take in one answer, look which workers are there, and ask new workers for
        their offer.
        """
        now = time.monotonic()
        if self._connection.link is None:
            if not self._connection.again():
                return
            self._look_at = now
        if now >= self._look_at:
            self._look(now, take)
        if self._connection.link is not None:
            for key, worker, payload in self._recruiting.tasks(now):
                self._submit(key, worker, payload)
        try:
            key, result = self._results.get(
                timeout=max(0.01, min(LOOK_SECONDS, self._look_at - time.monotonic()))
            )
        except queue.Empty:
            pass
        else:
            if key in self._desk.assignments:
                self._take_result(key, result, take)
            else:
                self._recruiting.take_answer(key, result)
        self._recruiting.say_refusals(playing=take is not None)

    def _look(self, now: float, take: TakeOutcome | None) -> None:
        assert self._connection.link is not None
        try:
            listing = self._connection.link.workers()
        except LinkLost as lost:
            self._lose_link(str(lost))
            return
        self._look_at = now + LOOK_SECONDS * max(1.0, len(listing) / LOOKS_EVERY_WORKERS)
        for worker in self._crew.update(listing, now):
            state = "is silent" if worker.silent else "is gone"
            keys = self._desk.of(worker)
            if worker.stage is RecruitStage.READY or keys:
                its = "its table is" if len(keys) == 1 else f"its {len(keys)} tables are"
                note = f"; {its} played elsewhere" if keys else ""
                self._tell(f"worker {worker.name} {state}{note}", warning=True)
            self._connection.link.forget(*worker.tasks)
            self._recruiting.drop_questions(worker)
            for key in keys:
                self._desk.lose(key, state, take)

    def _lose_link(self, reason: str) -> None:
        """Note that the scheduler is away: all tables that workers have are played
        again.
        """
        self._connection.lose(reason)
        self._desk.all_again()
        self._recruiting.forget_all()
        self._crew.workers.clear()
        self._idle_since = time.monotonic()

    def _check_idle(self) -> None:
        """Raise ClusterError if nobody has been able to play for too long."""
        now = time.monotonic()
        if self._crew.ready_workers() or self._recruiting.busy():
            self._idle_since = now
        elif now - self._idle_since > self._wait:
            raise ClusterError(
                *self._why_idle(
                    f"for {self._wait:.0f} s; the same command resumes, --dask-wait waits longer"
                )
            )

    def _why_idle(self, end: str) -> list[str]:
        """Return why nobody plays: a line, and a line for each worker that is there."""
        if self._connection.away:
            return [f"{self._connection.away} {end}"]
        lines, of, start = (
            [*self._crew.refusals(), *self._crew.absences()],
            self._access.name,
            self._access.worker_line,
        )
        head = f"no worker of {of} could play" if lines else f"{of} had no worker"
        return [
            f"{head} {end}",
            *lines,
            *([f"start a worker on a machine that can play: {start}"] if start else []),
        ]

    def _take_back_late(self, take: TakeOutcome) -> None:
        """Take back the tables that took longer than their limits allow."""
        for key in self._desk.late_tables(time.monotonic()):
            self._connection.forget(key)
            self._desk.lose(key, "took longer than the limits of a table allow", take)
