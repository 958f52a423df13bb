"""The workers of a cluster as a run sees them: who has a free core, who was refused and why, who is late or silent. No I/O."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from khiva_arena.competition.executors.messages import SeenWorker, WorkerOffer
from khiva_arena.competition.executors.offers import cores_of, slots
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
    why: it is refused
    again_at: when one that is refused may be tried again; None: never
    slow: how often it was too slow, or gave no answer
    tasks: what it has of ours
    """

    address: str
    name: str
    threads: int
    heard: float
    last: float
    stage: RecruitStage = RecruitStage.NEW
    offer: WorkerOffer | None = None
    commands: Mapping[str, Command] = field(default_factory=dict)
    why: str = ""
    again_at: float | None = None
    slow: int = 0
    tasks: set[str] = field(default_factory=set)
    silent: bool = False


class Crew:
    """All of them, by address."""

    def __init__(self) -> None:
        self.workers: dict[str, ClusterWorker] = {}

    def update(self, seen: Mapping[str, SeenWorker], now: float) -> list[ClusterWorker]:
        """Take in what the scheduler sees. Returns those that have left, or have not been heard of for too long: what they have
        of ours is to be played elsewhere."""
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

    def free(self) -> int:
        """How many more tables could be played now."""
        return sum(self._room(worker) for worker in self.workers.values() if worker.stage is RecruitStage.READY)

    def has_room(self, worker: ClusterWorker) -> bool:
        """Whether a core is free for one more task."""
        return not worker.silent and self._room(worker) > 0

    def best_for(self, shunned: set[str]) -> ClusterWorker | None:
        """Who has most room for a table, one of those that it was given to before only if there is nobody else at all."""
        ready = [worker for worker in self.workers.values() if worker.stage is RecruitStage.READY and not worker.silent]
        elsewhere = [worker for worker in ready if worker.address not in shunned]
        free = [worker for worker in elsewhere or ready if self._room(worker) > 0]
        return max(free, key=self._room, default=None)

    def _room(self, worker: ClusterWorker) -> int:
        if worker.offer is None:
            return worker.threads - len(worker.tasks)
        beside = [one for one in self.workers.values() if one.offer and one.offer.machine == worker.offer.machine]
        of_machine = cores_of([one.offer for one in beside if one.offer]) - sum(len(one.tasks) for one in beside)
        return min(slots(worker.offer, worker.threads) - len(worker.tasks), of_machine)

    def refusals(self) -> list[str]:
        """A line for each that is refused; all of it was said when it was."""
        return [
            f"worker {worker.name}: {worker.why.splitlines()[0]}"
            for worker in self.workers.values()
            if worker.stage is RecruitStage.REFUSED
        ]

    def hopeless(self) -> bool:
        """Whether there are workers, and all of them are refused for good."""
        return bool(self.workers) and all(
            worker.stage is RecruitStage.REFUSED and worker.again_at is None for worker in self.workers.values()
        )
