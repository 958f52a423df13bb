"""Play on the workers of a Dask cluster: whole tables go out as tasks, outcomes come back, and this process records them.

Dask carries tasks and says who is there. Which worker gets a table, and who plays it again, is decided here: each task names its
worker, and one whose worker dies, stands still, is too slow or answers nonsense is simply given to another. A late answer to a
task that was given elsewhere is not looked at, so each match has one outcome.
"""

import queue
import secrets
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.competition.executor import Say, TakeOutcome
from khiva_arena.competition.executors import tables
from khiva_arena.competition.executors.access import Access
from khiva_arena.competition.executors.connection import ClusterConnection
from khiva_arena.competition.executors.crew import ClusterWorker, Crew, RecruitStage
from khiva_arena.competition.executors.link import LinkLost
from khiva_arena.competition.executors.messages import TABLE, WorkerTask, decode_done, encode
from khiva_arena.competition.executors.recruiting import Recruiting
from khiva_arena.competition.executors.tables import GivenTable
from khiva_arena.competition.play import Play
from khiva_arena.competition.settings import Settings
from khiva_arena.competition.starts import first_header
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ClusterError
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.schedule.formats import DrawnRound

LOOK_SECONDS = 1.0
LOOKS_EVERY_WORKERS = 100
"""Of so many workers, the scheduler is asked once a second; of twice as many, every two seconds."""
LOSSES_MOST = 10
"""So often a table is given to another worker before it counts as void: it may be what ends them."""

_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


class Cluster:
    """The executor of a cluster."""

    def __init__(self, access: Access, settings: Settings, sandbox: Sandbox, plan: Path | None, say: Say) -> None:
        self.say = say
        self._settings = settings
        self._sandbox = sandbox
        self._wait = settings.dask_wait_ms / 1000
        self._connection = ClusterConnection(access, self._wait, self._tell)
        self._crew = Crew()
        self._heard: queue.SimpleQueue[tuple[str, bytes | str]] = queue.SimpleQueue()
        self._recruiting = Recruiting(self._crew, sandbox, settings, plan, self._tell)
        self._given: dict[str, GivenTable] = {}
        self._again: deque[tuple[Job, ...]] = deque()
        self._shunned: dict[int, set[str]] = {}
        self._losses: Counter[int] = Counter()
        self._look_at = 0.0
        self._idle_since = time.monotonic()

    def _tell(self, text: str, *, warning: bool = False) -> None:
        self.say(text, warning=warning)

    def __enter__(self) -> Self:
        self._connection.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._connection.close()

    # --- before the first match ---

    def ready(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        """Wait for the first worker that can start them all. Each worker has its own way to start them; a job gets that of its
        worker."""
        self._recruiting.of(entrants, first_header(self._settings, entrants, self._sandbox))
        self._idle_since = time.monotonic()
        while not self._ready():
            self._pump()
            if self._crew.hopeless():
                raise ClusterError("no worker can play", *self._crew.refusals())
            self._check_idle()
        return {bot.identity: Command((), "") for bot in entrants}

    def _ready(self) -> list[ClusterWorker]:
        return [worker for worker in self._crew.workers.values() if worker.stage is RecruitStage.READY]

    # --- matches ---

    def play(self, play: Play, drawn: DrawnRound, take: TakeOutcome) -> None:
        """Play what is left of a round."""
        left = (tuple(table) for table in play.tables(drawn))
        self._again.clear()
        self._idle_since = time.monotonic()
        try:
            while not play.complete:  # once a test has decided, what is still played counts for nothing
                if not self._again and (table := next(left, None)) is not None:
                    self._again.append(table)
                if not self._again and not self._given:
                    return
                self._give(left)
                self._pump(take)
                self._late(take)
                self._check_idle()
        finally:
            self._withdraw()

    def _give(self, left: Iterator[tuple[Job, ...]]) -> None:
        """Give tables to workers with a free core."""
        while self._connection.link is not None and self._crew.free() > 0 and (found := self._next(left)) is not None:
            table, worker = found
            key, now = f"khiva-table-{secrets.token_hex(8)}", time.monotonic()
            seconds = tables.seconds_for(table)
            frames = [encode(msgspec.structs.replace(job, commands=self._recruiting.commands(worker, job))) for job in table]
            self._given[key] = GivenTable(table, worker.address, now, now + seconds + self._wait)
            worker.tasks.add(key)
            self._submit(key, worker.address, encode(WorkerTask(TABLE, frames, seconds)))

    def _next(self, left: Iterator[tuple[Job, ...]]) -> tuple[tuple[Job, ...], ClusterWorker] | None:
        """A table and who gets it: one that is to be played again first, if somebody else than before is free."""
        for number, table in enumerate(self._again):
            if (worker := self._crew.best_for(self._shunned.get(table[0].ordinal, set()))) is not None:
                del self._again[number]
                return table, worker
        if (worker := self._crew.best_for(set())) is None or (table := next(left, ())) == ():
            return None
        return table, worker

    def _submit(self, key: str, worker: str, payload: bytes) -> None:
        link = self._connection.link
        assert link is not None
        try:
            link.submit(key, worker, payload, lambda key, result: self._heard.put((key, result)))
        except LinkLost as lost:
            self._lose_link(str(lost))

    def _withdraw(self) -> None:
        """Nobody waits for what workers have of ours any more."""
        if self._connection.link is not None:
            self._connection.link.forget(*self._given)
        for key in list(self._given):
            self._let_go(key)

    def _let_go(self, key: str) -> GivenTable | None:
        given = self._given.pop(key, None)
        if given is not None and given.worker in self._crew.workers:
            self._crew.workers[given.worker].tasks.discard(key)
        return given

    # --- what comes in ---

    def _pump(self, take: TakeOutcome | None = None) -> None:
        """Hear what there is, look who is there, and ask new ones what they have."""
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
            key, result = self._heard.get(timeout=max(0.01, min(LOOK_SECONDS, self._look_at - time.monotonic())))
        except queue.Empty:
            return
        if key in self._given:
            self._returned(key, result, take)
        else:
            self._recruiting.heard(key, result)

    def _look(self, now: float, take: TakeOutcome | None) -> None:
        assert self._connection.link is not None
        try:
            seen = self._connection.link.workers()
        except LinkLost as lost:
            self._lose_link(str(lost))
            return
        self._look_at = now + LOOK_SECONDS * max(1.0, len(seen) / LOOKS_EVERY_WORKERS)
        for worker in self._crew.update(seen, now):
            what = "is silent" if worker.silent else "is gone"
            held = [key for key, given in self._given.items() if given.worker == worker.address]
            if worker.stage is RecruitStage.READY or held:
                its = "its table is" if len(held) == 1 else f"its {len(held)} tables are"
                elsewhere = f"; {its} played elsewhere" if held else ""
                self._tell(f"worker {worker.name} {what}{elsewhere}", warning=True)
            self._connection.link.forget(*worker.tasks)
            self._recruiting.lost(worker)
            for key in held:
                self._lose(key, what, take)

    def _lose_link(self, why: str) -> None:
        """The scheduler is away: all that workers have of ours is played again."""
        self._connection.lose(why)
        for key in list(self._given):
            given = self._let_go(key)
            if given is not None:
                self._again.append(given.table)
        self._recruiting.forget_all()
        self._crew.workers.clear()
        self._idle_since = time.monotonic()

    def _check_idle(self) -> None:
        """Raise ClusterError if nobody has been able to play for too long."""
        now = time.monotonic()
        if self._ready() or self._recruiting.busy():
            self._idle_since = now
        elif now - self._idle_since > self._wait:
            refusals = self._crew.refusals()
            why = self._connection.away or ("no worker can play" if refusals else "there is no worker")
            raise ClusterError(f"{why}, for {self._wait:.0f} s; the same command resumes, --dask-wait waits longer", *refusals)

    def _late(self, take: TakeOutcome) -> None:
        """Tables that took longer than their limits allow."""
        now = time.monotonic()
        for key in [key for key, given in self._given.items() if now > given.until]:
            self._connection.forget(key)
            self._lose(key, "took longer than the limits of a table allow", take)

    def _lose(self, key: str, why: str, take: TakeOutcome | None) -> None:
        """A worker did not play a table to its end: nothing of it was recorded, and no bot is to blame."""
        given = self._let_go(key)
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
            self._void(job, f"workers were lost while they played it, the last of {LOSSES_MOST} {why}", given.worker, take)

    def _void(self, job: Job, why: str, worker: str, take: TakeOutcome) -> None:
        take(void(job, why))
        self._once_more(job, worker)

    def _once_more(self, job: Job, worker: str) -> None:
        """A void match is played again, elsewhere if that is possible."""
        if not job.last:
            self._shunned.setdefault(job.ordinal, set()).add(worker)
            self._again.append((msgspec.structs.replace(job, attempt=job.attempt + 1),))

    def _returned(self, key: str, result: bytes | str, take: TakeOutcome | None) -> None:
        """A worker is done with a table, or says why not."""
        given, now = self._given[key], time.monotonic()
        worker = self._crew.workers.get(given.worker)
        if take is None or worker is None:
            self._lose(key, "is gone", take)
            return
        if isinstance(result, str):
            self._tell(f"worker {worker.name} did not play a table: {result}", warning=True)
            self._lose(key, result, take)
            return
        try:
            done = decode_done(result)
            outcomes = [_decode_outcome(frame) for frame in done.frames]
            tables.check(given.table, outcomes)
        except (msgspec.DecodeError, ValueError):
            self._crew.refuse(worker, "it answered what no khiva-arena answers")
            self._tell(f"worker {worker.name} is refused: {worker.why}", warning=True)
            self._lose(key, worker.why, take)
            return
        if why := tables.wrong_clock(done, now - given.since):
            self._crew.refuse(worker, why)
            self._tell(f"worker {worker.name} is refused: {why}; its tables are played elsewhere", warning=True)
            self._lose(key, why, take)
            return
        if len(outcomes) < len(given.table):
            self._tell(f"worker {worker.name} did not play a table to its end: {done.why}", warning=True)
            self._lose(key, done.why, take)
            return
        self._let_go(key)
        self._take_all(given, outcomes, worker, take)

    def _take_all(self, given: GivenTable, outcomes: Sequence[Outcome], worker: ClusterWorker, take: TakeOutcome) -> None:
        slowest = max((outcome for outcome in outcomes if tables.lagged(outcome)), key=lambda outcome: outcome.lag, default=None)
        why = ""
        if slowest is not None:
            why = f"its arbiter was late by {slowest.lag:.1f} s of a match of {slowest.seconds:.1f} s"
            self._crew.refuse_for_now(worker, f"it is too slow: {why}", time.monotonic())
            again = "; its table is played elsewhere" if any(not job.last for job in given.table) else ""
            self._tell(f"worker {worker.name} is too slow: {why}{again}", warning=True)
        for job, outcome in zip(given.table, outcomes, strict=True):
            if outcome.record is not None and why and not job.last:
                self._void(job, f"worker {worker.name}: {why}", worker.address, take)
                continue
            take(outcome)
            if outcome.record is None:
                self._once_more(job, worker.address)
