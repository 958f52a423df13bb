"""The workers of a cluster as a run sees them: who has a free core, who was refused and why, who is late or silent. No I/O."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from khiva_arena.cluster import clocks
from khiva_arena.cluster.clocks import ClockReading
from khiva_arena.cluster.messages import RESOURCE, SeenWorker, TaskDone, WorkerOffer
from khiva_arena.cluster.offers import cores_of, slots
from khiva_arena.sandbox.command import Command

SILENT_SECONDS = 20.0
"""Workers say every second or so that they are there; a thousand of them do so every six."""
AGAIN_SECONDS, AGAIN_MOST = 3.0, 120.0
"""After how long a worker that was too slow or gave no answer is tried again: twice as long each time, up to this."""


class RecruitStage(Enum):
    """How far a worker has come."""

    NEW = auto()
    ASKED = auto()  # what it has
    OFFERED = auto()
    FITTING = auto()  # brings bots to where they can be started
    READY = auto()
    REFUSED = auto()


@dataclass
class ClusterWorker:
    """A worker.

    address, name, threads: as the scheduler sees it
    stage: how far it has come
    heard: when it last gave a sign of life, by our clock
    offer: what it has
    commands: how it starts the bots, by identity
    broken: why it cannot start others, by identity, if they may be left out
    game: the word that names there a game which does not come with the arena
    why: it is refused
    again_at: when one that is refused may be tried again; None: never
    slow: how often it was too slow, or gave no answer
    tasks: what it has of ours
    clock: its first answer since it was asked what it has
    slow_clocks: how often its clock ran slow
    """

    address: str
    name: str
    threads: int
    heard: float
    last: float
    stage: RecruitStage = RecruitStage.NEW
    offer: WorkerOffer | None = None
    commands: Mapping[str, Command] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    game: str = ""
    why: str = ""
    again_at: float | None = None
    slow: int = 0
    tasks: set[str] = field(default_factory=set)
    silent: bool = False
    clock: ClockReading | None = None
    slow_clocks: int = 0


class Crew:
    """All of them, by address."""

    def __init__(self) -> None:
        self.workers: dict[str, ClusterWorker] = {}
        self.offer_none: list[str] = []
        """The names of those that play nothing of ours: their resource of our name says so."""

    def update(self, seen: Mapping[str, SeenWorker], now: float) -> list[ClusterWorker]:
        """Take in what the scheduler sees. Returns those that have left, or have not been heard of for too long: what they have
        of ours is to be played elsewhere."""
        self.offer_none = [one.name for one in seen.values() if not one.threads]
        seen = {address: one for address, one in seen.items() if one.threads}
        lost = [worker for address, worker in self.workers.items() if address not in seen]
        for worker in lost:
            del self.workers[worker.address]
        for address, one in seen.items():
            worker = self.workers.setdefault(address, ClusterWorker(address, one.name, one.threads, now, one.last))
            if one.last != worker.last:
                worker.last, worker.heard, worker.silent = one.last, now, False
            elif now - worker.heard > SILENT_SECONDS and not worker.silent:
                worker.silent = True
                lost.append(worker)
        return lost

    def to_ask(self, now: float) -> Iterator[ClusterWorker]:
        """Those that are to be asked what they have."""
        for worker in self.workers.values():
            again = worker.stage is RecruitStage.REFUSED and worker.again_at is not None and now >= worker.again_at
            if (worker.stage is RecruitStage.NEW or again) and not worker.silent and not worker.tasks:
                yield worker

    def refuse(self, worker: ClusterWorker, why: str) -> bool:
        """For good. Returns whether that is news."""
        news = worker.why != why
        worker.stage, worker.why, worker.again_at = RecruitStage.REFUSED, why, None
        return news

    def refuse_for_now(self, worker: ClusterWorker, why: str, now: float) -> None:
        """Until it is tried again."""
        worker.stage, worker.why = RecruitStage.REFUSED, why
        worker.again_at = now + min(AGAIN_MOST, AGAIN_SECONDS * 2**worker.slow)
        worker.slow += 1

    def wrong_clock(self, worker: ClusterWorker, done: TaskDone, sent: float, now: float) -> str:
        """Refuse a worker whose clock does not run as ours does. Returns what is wrong with it, "" if nothing is. A machine may
        have stood still for a while, so one whose clock ran slow gets a second chance.

        sent: when its task was, by the clock of ``clocks.now``
        now: by time.monotonic
        """
        last = clocks.reading(done, sent)
        first = worker.clock = worker.clock or last
        if last.sent - first.heard > clocks.WINDOW_SECONDS:
            worker.clock = last
        if why := clocks.runs_fast(first, last):
            self.refuse(worker, why)
        elif why := clocks.runs_slow(first, last):
            if worker.stage is not RecruitStage.REFUSED:  # by another of its answers
                worker.slow_clocks += 1
            if worker.slow_clocks > 1:
                self.refuse(worker, why)
            elif worker.stage is not RecruitStage.REFUSED:
                self.refuse_for_now(worker, why, now)
        return why

    def ready(self) -> list[ClusterWorker]:
        """Those that play."""
        return [worker for worker in self.workers.values() if worker.stage is RecruitStage.READY]

    def undecided(self) -> bool:
        """Whether it is not known yet of somebody who is there whether they play."""
        known = (RecruitStage.READY, RecruitStage.REFUSED)
        return any(worker.stage not in known and not worker.silent for worker in self.workers.values())

    def at_a_time(self) -> int:
        """How many matches those that play can play at a time."""
        together: Counter[str] = Counter()
        for one in self.ready():
            assert one.offer
            together[one.offer.machine] += slots(one.offer, one.threads)
        cores = self._cores()
        return sum(min(wanted, cores[machine]) for machine, wanted in together.items())

    def has_room(self, worker: ClusterWorker) -> bool:
        """Whether a core is free for one more task."""
        return not worker.silent and self._rooms()[worker.address] > 0

    def best_for(self, shunned: set[str]) -> ClusterWorker | None:
        """Who has most room for a table, one of those that it was given to before only if there is nobody else at all."""
        ready = [worker for worker in self.ready() if not worker.silent]
        elsewhere = [worker for worker in ready if worker.address not in shunned]
        rooms = self._rooms()
        best = max(elsewhere or ready, key=lambda worker: rooms[worker.address], default=None)
        return best if best is not None and rooms[best.address] > 0 else None

    def _rooms(self) -> dict[str, int]:
        """By address, how many more tasks each may get: those of one machine share its cores. All in one pass, since there may
        be a thousand, and this is asked for each table."""
        left: Counter[str] = Counter(self._cores())
        for one in self.workers.values():
            if one.offer:
                left[one.offer.machine] -= len(one.tasks)
        return {
            address: min(slots(one.offer, one.threads) - len(one.tasks), left[one.offer.machine])
            if one.offer
            else one.threads - len(one.tasks)
            for address, one in self.workers.items()
        }

    def _cores(self) -> dict[str, int]:
        """How many cores each machine has for its workers."""
        offered: defaultdict[str, list[WorkerOffer]] = defaultdict(list)
        for one in self.workers.values():
            if one.offer:
                offered[one.offer.machine].append(one.offer)
        return {machine: cores_of(some) for machine, some in offered.items()}

    def refusals(self) -> list[str]:
        """A line for each that is refused; all of it was said when it was."""
        return [
            f"worker {worker.name}: {worker.why.splitlines()[0]}"
            for worker in self.workers.values()
            if worker.stage is RecruitStage.REFUSED
        ]

    def absences(self) -> list[str]:
        """A line for each that is there and does not play, though nobody refused it."""
        none = f"it offers 0 matches at a time (--resources {RESOURCE}=0)"
        waiting = [worker for worker in self.workers.values() if worker.stage not in (RecruitStage.READY, RecruitStage.REFUSED)]
        return [
            *(f"worker {name}: {none}" for name in self.offer_none),
            *(f"worker {one.name}: it {'is silent' if one.silent else 'has not answered yet'}" for one in waiting),
        ]

    def hopeless(self) -> bool:
        """Whether there are workers, and all of them are refused for good."""
        return bool(self.workers) and all(
            worker.stage is RecruitStage.REFUSED and worker.again_at is None for worker in self.workers.values()
        )
