"""The workers of a cluster as a run sees them: free cores, refusals and their reasons,
silence. No I/O.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.extensions.cluster.offers import cores_of, slots
from khiva_arena.extensions.cluster.worker_messages import RESOURCE, SeenWorker, WorkerOffer

SILENT_SECONDS = 20.0
"""The age of a sign of life that makes a worker silent. Workers give one about every
second; a thousand of them every six.
"""
AGAIN_SECONDS, AGAIN_MOST = 3.0, 120.0
"""The wait before a worker that was too slow or gave no answer is tried again: twice as
long each time, up to AGAIN_MOST.
"""


class RecruitStage(Enum):
    """The steps of a worker's admission."""

    NEW = auto()
    ASKED = auto()  # for its offer
    OFFERED = auto()
    FITTING = auto()  # stages the bots and starts each once
    READY = auto()
    REFUSED = auto()


@dataclass
class ClusterWorker:
    """A worker of the cluster.

    address, name, threads: as the scheduler sees it
    stage: its step of the admission
    heard: the time of its last sign of life, by this machine's clock
    offer: its offer
    commands: how it starts the bots, by identity
    broken: why it cannot start other bots, by identity, if they may be left out
    game: its word for a game which does not come with the arena
    level: the isolation of the bots there
    why: the reason of its refusal
    again_at: when a refused worker may be tried again; None: never
    slow: how often it was too slow, or gave no answer
    tasks: the keys of the tasks that it has of this run
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
    level: Level = Level.TRUSTED
    why: str = ""
    again_at: float | None = None
    slow: int = 0
    tasks: set[str] = field(default_factory=set)
    silent: bool = False


class Crew:
    """The workers of the cluster, by address."""

    def __init__(self) -> None:
        self.workers: dict[str, ClusterWorker] = {}
        self.offer_none: list[str] = []
        """The names of workers that play nothing of this arena: their resource of our
        name says 0.
        """

    def update(self, listing: Mapping[str, SeenWorker], now: float) -> list[ClusterWorker]:
        """Take in the workers that the scheduler sees.

        Returns the workers that have left, or have been silent for too long: their
        tables are to be played elsewhere.
        """
        self.offer_none = [row.name for row in listing.values() if not row.threads]
        listing = {address: row for address, row in listing.items() if row.threads}
        lost_workers = [
            worker for address, worker in self.workers.items() if address not in listing
        ]
        for worker in lost_workers:
            del self.workers[worker.address]
        for address, row in listing.items():
            worker = self.workers.setdefault(
                address, ClusterWorker(address, row.name, row.threads, now, row.last)
            )
            if row.last != worker.last:
                worker.last, worker.heard, worker.silent = row.last, now, False
            elif now - worker.heard > SILENT_SECONDS and not worker.silent:
                worker.silent = True
                lost_workers.append(worker)
        return lost_workers

    def to_ask(self, now: float) -> Iterator[ClusterWorker]:
        """Yield the workers that are to be asked for their offer."""
        for worker in self.workers.values():
            again = (
                worker.stage is RecruitStage.REFUSED
                and worker.again_at is not None
                and now >= worker.again_at
            )
            if (
                (worker.stage is RecruitStage.NEW or again)
                and not worker.silent
                and not worker.tasks
            ):
                yield worker

    def refuse(self, worker: ClusterWorker, reason: str) -> bool:
        """Refuse a worker for good. Returns whether the reason is new."""
        is_news = worker.why != reason
        worker.stage, worker.why, worker.again_at = RecruitStage.REFUSED, reason, None
        return is_news

    def refuse_for_now(self, worker: ClusterWorker, reason: str, now: float) -> None:
        """Refuse a worker until it is tried again, after a wait that doubles each
        time.
        """
        worker.stage, worker.why = RecruitStage.REFUSED, reason
        worker.again_at = now + min(AGAIN_MOST, AGAIN_SECONDS * 2**worker.slow)
        worker.slow += 1

    def ready_workers(self) -> list[ClusterWorker]:
        """Return the workers that play."""
        return [worker for worker in self.workers.values() if worker.stage is RecruitStage.READY]

    def undecided(self) -> bool:
        """Tell whether some worker that is not silent is neither ready nor refused
        yet.
        """
        decided = (RecruitStage.READY, RecruitStage.REFUSED)
        return any(
            worker.stage not in decided and not worker.silent for worker in self.workers.values()
        )

    def at_a_time(self) -> int:
        """Return how many matches the ready workers can play at a time."""
        slots_of: Counter[str] = Counter()
        for worker in self.ready_workers():
            assert worker.offer
            slots_of[worker.offer.machine] += slots(worker.offer, worker.threads)
        cores = self._cores()
        return sum(min(number, cores[machine]) for machine, number in slots_of.items())

    def has_room(self, worker: ClusterWorker) -> bool:
        """Tell whether a core is free for one more task of a worker."""
        return not worker.silent and self._rooms()[worker.address] > 0

    def best_for(self, shunned: set[str]) -> ClusterWorker | None:
        """Return the worker with most room for a table, None if no worker has room.

        One of the shunned, to which the table was given before, is chosen only if there
        is nobody else at all.
        """
        workers = [worker for worker in self.ready_workers() if not worker.silent]
        others = [worker for worker in workers if worker.address not in shunned]
        rooms = self._rooms()
        best = max(others or workers, key=lambda worker: rooms[worker.address], default=None)
        return best if best is not None and rooms[best.address] > 0 else None

    def _rooms(self) -> dict[str, int]:
        """Return how many more tasks each worker may get, by address: workers of one
        machine share its cores.

        All are counted in one pass, since there may be a thousand, and this is asked
        for each table.
        """
        free_cores: Counter[str] = Counter(self._cores())
        for worker in self.workers.values():
            if worker.offer:
                free_cores[worker.offer.machine] -= len(worker.tasks)
        return {
            address: min(
                slots(worker.offer, worker.threads) - len(worker.tasks),
                free_cores[worker.offer.machine],
            )
            if worker.offer
            else worker.threads - len(worker.tasks)
            for address, worker in self.workers.items()
        }

    def _cores(self) -> dict[str, int]:
        """Return how many cores each machine has for its workers."""
        offers_of: defaultdict[str, list[WorkerOffer]] = defaultdict(list)
        for worker in self.workers.values():
            if worker.offer:
                offers_of[worker.offer.machine].append(worker.offer)
        return {machine: cores_of(machine_offers) for machine, machine_offers in offers_of.items()}

    def refusals(self) -> list[str]:
        """Return a line for each refused worker; the whole reason was said at the
        refusal.
        """
        return [
            f"worker {worker.name}: {worker.why.splitlines()[0]}"
            for worker in self.workers.values()
            if worker.stage is RecruitStage.REFUSED
        ]

    def absences(self) -> list[str]:
        """Return a line for each worker that is there and does not play, though nobody
        refused it.
        """
        none = f"it offers 0 matches at a time (--resources {RESOURCE}=0)"
        waiting = [
            worker
            for worker in self.workers.values()
            if worker.stage not in (RecruitStage.READY, RecruitStage.REFUSED)
        ]
        return [
            *(f"worker {name}: {none}" for name in self.offer_none),
            *(
                f"worker {one.name}: it {'is silent' if one.silent else 'has not answered yet'}"
                for one in waiting
            ),
        ]

    def hopeless(self) -> bool:
        """Tell whether there are workers, and all of them are refused for good."""
        return bool(self.workers) and all(
            worker.stage is RecruitStage.REFUSED and worker.again_at is None
            for worker in self.workers.values()
        )
