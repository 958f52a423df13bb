"""Workers of a cluster that are made up."""

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import GIB
from khiva_arena.extensions.cluster.worker_messages import WorkerOffer
from khiva_arena.extensions.cluster.workers import ClusterWorker, Crew, RecruitStage

GOOD = WorkerOffer(
    "0.2.0",
    "abc",
    "3.11",
    "one",
    [0, 1],
    None,
    1000.0,
    dict.fromkeys(map(str, Level), ""),
    {},
    8 * GIB,
    [],
)


def worker(address: str, offer: WorkerOffer = GOOD, threads: int = 1) -> ClusterWorker:
    commands = {"x": Command(("x",), "/"), "y": Command(("y",), "/")}
    return ClusterWorker(address, address, threads, 0.0, 0.0, RecruitStage.READY, offer, commands)


def crew(*workers: ClusterWorker) -> Crew:
    made = Crew()
    made.workers = {one.address: one for one in workers}
    return made
