"""A run on a cluster in which workers, scheduler and command are killed and stopped at
seeded instants, until it is over.
"""

import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count

from arena import arena, bots, living
from dask_cluster import DaskCluster, dask_cluster
from killing import END_SECONDS, TRIES, Competition, all_gone, below, read

WAIT = "180s"
NAMES = ("ann", "bob")
STOP_SECONDS = (0.5, 3.0)
WEIGHTS = {
    "kill worker": 5,
    "kill its process": 3,
    "stop worker": 2,
    "kill scheduler": 1,
    "kill command": 2,
}
IN_PLAY = 0.9
RUN_SECONDS = 1800.0


@dataclass(slots=True)
class ClusterCompetition(Competition):
    """A run of three bots; without a cluster it is played here."""

    game: str = "khiva"
    cluster: DaskCluster | None = None
    seats: int = 2

    @property
    def planned(self) -> int:
        return self.seeds * (
            6 if self.seats == 2 else 3
        )  # three line-ups in two rotations, or one in three

    @property
    def words(self) -> list[str]:
        where = ["-j", "2"] if self.cluster is None else [*self.cluster.flags, "--dask-wait", WAIT]
        shape = [
            "--game",
            self.game,
            "--seats",
            str(self.seats),
            "--seeds",
            str(self.seeds),
            "--seed",
            "crash",
        ]
        return ["run", *bots("ann", "bob", "cy"), *shape, *where, "--out", "out"]

    def blamed(self) -> int:
        """How many seats were found at fault: no bot of ours ever is."""
        connection = sqlite3.connect(self.out / "arena.db")
        found = connection.execute(
            "SELECT count(*) FROM seats WHERE verdict != 'ok' OR faults NOT IN ('[]', '')"
        ).fetchone()[0]
        connection.close()
        return int(found)

    def digest(self) -> str:
        """The run digest, once every match was found to be there once and sound, and no
        bot blamed. Raises AssertionError.
        """
        connection = sqlite3.connect(self.out / "arena.db")
        ordinals = [
            row[0] for row in connection.execute("SELECT ordinal FROM matches ORDER BY ordinal")
        ]
        connection.close()
        assert ordinals == list(range(self.planned))
        assert self.blamed() == 0
        said = arena("verify", "out", cwd=self.folder).stdout
        assert f"{self.planned} of {self.planned} matches are sound" in said
        found = re.search(r"run digest ([0-9a-f]{64})", said)
        assert found
        return found[1]


@dataclass
class Troubles:
    """What is done to a cluster and to the command, and how often each was. Workers
    that end are started again, under new names, as a service would.
    """

    cluster: DaskCluster
    chance: random.Random
    most: int
    done: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)
    stopped: dict[str, float] = field(default_factory=dict)

    def workers(self) -> list[str]:
        return [
            name
            for name in self.cluster.processes
            if name != "scheduler" and self.cluster.lives(name)
        ]

    def mend(self) -> None:
        """Start what has ended, and let what was stopped go on."""
        now = time.monotonic()
        for name in [name for name, until in self.stopped.items() if now > until]:
            del self.stopped[name]
            self.cluster.kill(name, signal.SIGCONT)
        if not self.cluster.lives("scheduler"):
            self.cluster.start_scheduler()
        for _ in range(len(NAMES) - len(self.workers())):
            self.cluster.start_worker(f"{self.chance.choice(NAMES)}{next(self.numbers)}")

    def cause(self, process: subprocess.Popen[str]) -> None:
        """One of them, at random. A worker is mostly hit while it plays: it takes
        longer to start than to play a table.
        """
        players = {name: self.players(name) for name in self.workers() if name not in self.stopped}
        playing = [name for name, pids in players.items() if pids]
        what = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if what == "kill command":
            process.kill()
            process.wait(END_SECONDS)
        elif what == "kill scheduler":
            self.cluster.kill("scheduler")
        else:
            among = (
                playing
                if what == "kill its process" or self.chance.random() < IN_PLAY
                else list(players)
            )
            if not among:
                return
            name = self.chance.choice(among)
            self._hit(what, name, players[name])
        self.done.append(f"{what}{' while one plays' if playing else ''}")

    def players(self, name: str) -> list[int]:
        """The arbiter's processes on a worker."""
        return [
            pid
            for pid in sorted(below(self.cluster.processes[name].pid))
            if "arbiter.worker" in read(pid, "cmdline")
        ]

    def _hit(self, what: str, name: str, players: list[int]) -> None:
        if what == "stop worker":
            self.cluster.kill(name, signal.SIGSTOP)
            self.stopped[name] = time.monotonic() + self.chance.uniform(*STOP_SECONDS)
        elif what == "kill its process":
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self.chance.choice(players), signal.SIGKILL)
        else:
            beneath = below(self.cluster.processes[name].pid)
            self.cluster.kill(name)
            assert all_gone(lambda: living(beneath)), f"{living(beneath)} outlived a worker"


def run_through(run: ClusterCompetition, troubles: Troubles, seconds: tuple[float, float]) -> None:
    """Run it until it ends by itself. ``seconds``: from one trouble to the next, at
    least and at most.
    """
    until = time.monotonic() + RUN_SECONDS
    for _ in range(TRIES):
        process = run.start()
        while process.poll() is None:
            next_at = time.monotonic() + troubles.chance.uniform(*seconds)
            while process.poll() is None and time.monotonic() < next_at:
                troubles.mend()
                time.sleep(0.05)
            if process.poll() is None and len(troubles.done) < troubles.most:
                troubles.cause(process)
            assert time.monotonic() < until, f"it does not end\n{(run.folder / 'said').read_text()}"
        code = process.wait(END_SECONDS)
        if code == 0:
            assert all_gone(run.processes), f"{run.processes()} were left"
            return
        # 1: a match was void twice; the same command tries its table again.
        assert code in (1, -signal.SIGKILL), f"exit {code}\n{(run.folder / 'said').read_text()}"
    raise AssertionError(f"not done after {TRIES} starts")


@contextmanager
def troubled(chance: random.Random, most: int) -> Iterator[Troubles]:
    """A cluster that is going to have troubles."""
    with dask_cluster() as cluster:
        yield Troubles(cluster, chance, most)
