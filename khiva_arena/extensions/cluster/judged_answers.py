"""Answers of a cluster's workers, judged: taken, set aside, or asked for again."""

import logging
import queue
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from khiva_arena.arbiter.failure import MOST_TRACE
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.say import Say
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.playing.executor import TakeOutcome
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.errors import ClusterError, RecordError
from khiva_arena.extensions.cluster import worker_tables
from khiva_arena.extensions.cluster.access import Access
from khiva_arena.extensions.cluster.admission import Recruiting
from khiva_arena.extensions.cluster.assignments import TableDesk
from khiva_arena.extensions.cluster.connection import ClusterConnection
from khiva_arena.extensions.cluster.spot_checks import SpotChecks
from khiva_arena.extensions.cluster.worker_messages import decode_done
from khiva_arena.extensions.cluster.worker_tables import Assignment
from khiva_arena.extensions.cluster.workers import ClusterWorker, Crew, RecruitStage
from khiva_arena.words import count

_LOGGER = logging.getLogger(__name__)
_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


class AnswerJudge:
    """Judges the answers of workers."""

    def __init__(
        self,
        access: Access,
        settings: Settings,
        sandbox: Sandbox,
        share: float,
        plan: Path | None,
        say: Say,
    ) -> None:
        """Begin without a connection. ``share``: of the matches whose bots are run
        again here.
        """
        self.say = say
        self._access = access
        self._settings = settings
        self._sandbox = sandbox
        self._wait = settings.of_extensions["dask_wait"] / 1000
        self._connection = ClusterConnection(access, self._wait, self._tell)
        self._crew = Crew()
        self._results: queue.SimpleQueue[tuple[str, bytes | str]] = queue.SimpleQueue()
        self._recruiting = Recruiting(self._crew, sandbox, settings, plan, self._tell)
        self._desk = TableDesk(self._crew)
        self._checks = SpotChecks(share, lambda key, answer: self._results.put((key, answer)))
        self._timed: list[float] | None = None
        self._recorded: Counter[str] = Counter()
        self._look_at = 0.0
        self._idle_since = time.monotonic()

    def _tell(self, text: str, *, warning: bool = False) -> None:
        self.say(text, warning=warning)

    def _take_result(self, key: str, result: bytes | str, take: TakeOutcome | None) -> None:
        """Judge a worker's answer for a table, and take its outcomes if they are
        sound.
        """
        assignment = self._desk.assignments[key]
        worker = self._crew.workers.get(assignment.worker)
        if take is None or worker is None:
            self._desk.lose(key, "is gone", take)
            return
        if assignment.outcomes:
            self._take_checked(key, assignment, worker, result, take)
            return
        if isinstance(result, str):
            self._tell(f"worker {worker.name} did not play a table: {result}", warning=True)
            self._desk.lose(key, result, take)
            return
        try:
            answer = decode_done(result)
            outcomes = [
                _decode_outcome(frame) for frame in worker_tables.of_fit_size(answer.frames)
            ]
            worker_tables.check(assignment.table, outcomes)
        except (msgspec.DecodeError, ValueError):
            self._shun(worker, "it gave an answer unknown to khiva-arena", take)
            return
        except Exception as error:
            self._shun_unforeseen(worker, error, take)
            return
        if len(outcomes) < len(assignment.table):
            self._tell(
                f"worker {worker.name} did not play a table to its end: {answer.why}", warning=True
            )
            self._desk.lose(key, answer.why, take)
            return
        try:
            outcomes = [
                worker_tables.check_by_replay(job, outcome)
                for job, outcome in zip(assignment.table, outcomes, strict=True)
            ]
        except RecordError as error:
            self._shun(
                worker,
                f"it sent a match that breaks the rules: {harmless(str(error), LONGEST)}",
                take,
            )
            return
        except Exception as error:
            self._shun_unforeseen(worker, error, take)
            return
        if self._timed is None and (drawn := self._checks.draw(assignment.table, outcomes)):
            self._desk.hold(key, outcomes, [job.ordinal for job in drawn])
            self._checks.begin(key, drawn)
            return
        self._desk.take_back(key)
        self._take_all(assignment, outcomes, worker, take)

    def _take_checked(
        self,
        key: str,
        table: Assignment,
        worker: ClusterWorker,
        answer: bytes | str,
        take: TakeOutcome,
    ) -> None:
        """Take the outcomes of a table whose bots were run again, unless a match did
        not come out equal.
        """
        if isinstance(answer, str):  # of the task itself, which was answered before
            return
        try:
            judged = self._checks.judge(table.drawn, answer, table.outcomes)
        except Exception as error:
            self._shun_unforeseen(worker, error, take)
            return
        if judged.forged:
            before = self._recorded[worker.name]
            note = (
                f"; {count(before, 'match', 'matches')} of it came before: `khiva-arena verify "
                "--rerun-bots` checks all"
            )
            self._shun(
                worker, f"its bots did not play so: {judged.forged}{note if before else ''}", take
            )
            return
        for ordinal, (why, *_) in judged.unconfirmed.items():
            self._tell(
                f"match {ordinal} of worker {worker.name} is unconfirmed: {harmless(why, LONGEST)}",
                warning=True,
            )
        if (reason := self._checks.too_many) and not self._settings.of_extensions[
            "dask_take_unconfirmed"
        ]:
            raise ClusterError(
                f"{harmless(reason, LONGEST)}; what was recorded before stays, and the same "
                "command goes on: on a machine that can run them, or with --dask-take-unconfirmed"
            )
        self._desk.take_back(key)
        self._take_all(table, table.outcomes, worker, take)

    def _shun_unforeseen(self, worker: ClusterWorker, error: Exception, take: TakeOutcome) -> None:
        """Refuse a worker at whose answer the arena itself fails. Raises the error if
        it is the machine's, or meant.
        """
        if not is_unforeseen(error):
            raise error
        _LOGGER.error(
            "the answer of worker %s cannot be judged; please report it",
            harmless(worker.name),
            exc_info=error,
        )
        self._shun(worker, f"khiva-arena fails at its answer ({type(error).__name__})", take)

    def _shun(self, worker: ClusterWorker, reason: str, take: TakeOutcome) -> None:
        """Refuse for good a worker that sent a false answer: all its tables are played
        elsewhere.
        """
        self._crew.refuse(worker, reason)
        self._tell(
            f"worker {worker.name} is refused: {reason}; its tables are played elsewhere",
            warning=True,
        )
        for key in self._desk.of(worker):
            self._connection.forget(key)
            self._desk.lose(key, reason, take)

    def _take_all(
        self,
        assignment: Assignment,
        outcomes: Sequence[Outcome],
        worker: ClusterWorker,
        take: TakeOutcome,
    ) -> None:
        slowest = max(
            (outcome for outcome in outcomes if worker_tables.lagged(outcome)),
            key=lambda outcome: outcome.lag,
            default=None,
        )
        reason = ""
        if slowest is not None:
            reason = (
                f"its arbiter was late by {slowest.lag:.1f} s of a match of {slowest.seconds:.1f} s"
            )
            self._crew.refuse_for_now(worker, f"it is too slow: {reason}", time.monotonic())
            again = (
                "; its table is played elsewhere"
                if any(not job.last for job in assignment.table)
                else ""
            )
            self._tell(f"worker {worker.name} is too slow: {reason}{again}", warning=True)
        for job, outcome in zip(assignment.table, outcomes, strict=True):
            if outcome.record is not None and reason and not job.last:
                self._desk.void(job, f"worker {worker.name}: {reason}", worker.address, take)
                continue
            if outcome.record is None:
                self._desk.once_more(job, worker.address, outcome, take)
                self._rest(worker, outcome)
                continue
            take(outcome)
            if self._timed is None:
                self._recorded[worker.name] += 1
            else:
                self._timed.append((time.monotonic() - assignment.since) / len(outcomes))

    def _rest(self, worker: ClusterWorker, void: Outcome) -> None:
        """Give nothing to a worker for a while if its machine has spoilt a match."""
        if void.failure:
            trace = harmless(void.failure.trace[-MOST_TRACE:], keep="\n\t")
            _LOGGER.error(
                "the arena failed at a match of worker %s; please report it\n%s",
                harmless(worker.name),
                trace,
            )
        if void.host and worker.stage is RecruitStage.READY:
            self._crew.refuse_for_now(
                worker, f"its machine spoilt a match: {void.void}", time.monotonic()
            )
            self._tell(
                f"worker {worker.name}: {harmless(void.void, LONGEST)}; it is tried again later",
                warning=True,
            )
