"""Run a competition and kill it, again and again, at seeded instants; say what was left
behind each time.
"""

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from arena import ROOT, arena, bots, descendants, living

GONE_SECONDS = 20.0
END_SECONDS = 120.0
EARLY_SECONDS = 1.0
TRIES = 40
SEATS = 3
BOT_TOML = """name = "{name}"
run = "{{python}} main.py {marker}"
files = ["*.py"]
"""


@dataclass(frozen=True, slots=True)
class Kill:
    """Who was killed, "arbiter" or "worker", and how far the run was, see
    ``Competition.stage``.
    """

    who: str
    stage: str


@dataclass(slots=True)
class Competition:
    """A run of three bots whose choices depend on the deal alone. ``marker`` is in the
    command line of each of them, and the cache folder in the environment of each
    process of the arbiter's.
    """

    folder: Path
    marker: str
    jobs: int
    seeds: int = 6
    out: Path = field(init=False)
    cache: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.out, self.cache = self.folder / "out", self.folder / "cache"
        for name in ("ann", "bob", "cy"):
            bot = self.folder / name
            bot.mkdir()
            shutil.copy(ROOT / "bots/python/kit/khiva_kit.py", bot)
            (bot / "main.py").write_text((ROOT / "bots/python/random/main.py").read_text())
            toml = BOT_TOML.format(name=name, marker=f"{self.marker}-{name}")
            (bot / "bot.toml").write_text(toml)

    @property
    def planned(self) -> int:
        return self.seeds * SEATS

    @property
    def words(self) -> list[str]:
        shape = [
            "--seats",
            str(SEATS),
            "--seeds",
            str(self.seeds),
            "--seed",
            "crash",
            "-j",
            str(self.jobs),
        ]
        return ["run", *bots("ann", "bob", "cy"), *shape, "--out", "out"]

    @property
    def environment(self) -> dict[str, str]:
        return {"KHIVA_ARENA_CACHE": str(self.cache)}

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "khiva_arena", *self.words]
        with (self.folder / "said").open("a") as said:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | self.environment,
                stdout=said,
                stderr=said,
                text=True,
            )

    def digest(self) -> str:
        """The run digest, once every match was found to be there once and sound. Raises
        AssertionError.
        """
        said = arena("verify", "out", cwd=self.folder).stdout
        assert f"{self.planned} of {self.planned} matches are sound" in said
        connection = sqlite3.connect(self.out / "arena.db")
        ordinals = [
            row[0] for row in connection.execute("SELECT ordinal FROM matches ORDER BY ordinal")
        ]
        seated = connection.execute("SELECT count(*) FROM seats").fetchone()[0]
        timed = [row[0] for row in connection.execute("SELECT ordinal FROM times ORDER BY ordinal")]
        connection.close()
        assert ordinals == timed == list(range(self.planned))
        assert seated == self.planned * SEATS
        return re.search(r"run digest ([0-9a-f]{64})", said)[1]

    def results(self) -> list[tuple[object, ...]]:
        """Each seat of each match with what it came to, to tell where two runs
        differ.
        """
        connection = sqlite3.connect(self.out / "arena.db")
        columns = "ordinal, seat, bot, rank, score, verdict, faults, status, slowest, notes"
        found = connection.execute(f"SELECT {columns} FROM seats ORDER BY ordinal, seat").fetchall()
        connection.close()
        return found

    def voids(self) -> int:
        return self._count("voids")

    def stage(self) -> str:
        """How far a run has come, as what it left says."""
        if not (self.out / "arena.db").exists():
            drafts = [
                path
                for path in self.cache.glob("staged/*")
                if path.is_dir() and not path.with_suffix(".json").exists()
            ]
            made = list(self.out.glob("arena.db-new*"))
            return "making the store" if made else "staging" if drafts else "before the store"
        recorded = self._count("matches")
        if not recorded:
            return "before the first match"
        return "after the last match" if recorded == self.planned else "between matches"

    def _count(self, table: str) -> int:
        connection = sqlite3.connect(f"file:{self.out / 'arena.db'}?mode=ro", uri=True)
        try:
            return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        finally:
            connection.close()

    def processes(self) -> set[int]:
        """All living processes of this run: bots by their command line, others by their
        environment.
        """
        found = {
            pid
            for pid in _pids()
            if self.marker in read(pid, "cmdline") or str(self.cache) in read(pid, "environ")
        }
        return living(found)


def _pids() -> Iterator[int]:
    own = os.getpid()
    return (
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and int(path.name) != own
    )


def below(pid: int) -> set[int]:
    """All living descendants of a process, looked for again where one ended
    meanwhile.
    """
    while True:
        with suppress(FileNotFoundError):
            return descendants(pid)


def read(pid: int, what: str) -> str:
    """A file of a process under /proc, "" once it has ended."""
    try:
        return Path(f"/proc/{pid}/{what}").read_text(errors="replace")
    except OSError:
        return ""  # it has ended, or is another user's


def _parent(pid: int) -> int:
    fields = read(pid, "stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def all_gone(find: Callable[[], set[int]]) -> bool:
    """Whether what ``find`` finds is gone in time."""
    deadline = time.monotonic() + GONE_SECONDS
    while find():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def run_to_the_end(
    run: Competition, chance: random.Random, most: int, seconds: float
) -> list[Kill]:
    """Run it, killed up to ``most`` times, until it ends by itself. ``seconds``: what
    it takes when it is left alone.
    """
    kills: list[Kill] = []
    for _ in range(TRIES):
        process = run.start()
        _kill_at_times(run, process, chance, kills, most, seconds)
        code = process.wait(timeout=END_SECONDS)
        assert all_gone(run.processes), f"processes outlived a kill: {run.processes()}"
        if code == 0:
            return kills
        # 1: a match was void twice, as after two dead workers; the same command tries
        # its table again.
        assert code in (1, -signal.SIGKILL), f"exit {code}\n{(run.folder / 'said').read_text()}"
    raise AssertionError(f"not done after {TRIES} starts")


def _kill_at_times(
    run: Competition,
    process: subprocess.Popen[str],
    chance: random.Random,
    kills: list[Kill],
    most: int,
    seconds: float,
) -> None:
    """Kill the arbiter once, or workers of it before that, unless it ends first."""
    while len(kills) < most:
        early = chance.random() < 0.5
        delay = chance.uniform(0, EARLY_SECONDS if early else seconds / 2)
        awaited = chance.choice(
            ["cache/staged/draft-*", "out/arena.db-new", "out/arena.db", "out/arena.db-wal"]
        )
        _wait(
            run,
            process,
            delay,
            awaited if early and chance.random() < 0.5 else "",
            chance.uniform(0, 0.01),
        )
        if process.poll() is not None:
            return
        # Not a worker's child that is about to become a bot and still looks like it: a
        # dead bot is a crash, and rightly so.
        workers = [
            pid
            for pid in sorted(below(process.pid))
            if "arbiter.worker" in read(pid, "cmdline") and _parent(pid) == process.pid
        ]
        victim = chance.choice(workers) if workers and chance.random() < 0.4 else process.pid
        beneath = below(victim)
        os.kill(victim, signal.SIGKILL)
        if victim == process.pid:
            process.wait(timeout=END_SECONDS)
        kills.append(Kill("arbiter" if victim == process.pid else "worker", run.stage()))
        assert all_gone(lambda beneath=beneath: living(beneath)), (
            f"{living(beneath)} outlived the {kills[-1].who}"
        )
        if victim == process.pid:
            return


def _wait(
    run: Competition, process: subprocess.Popen[str], delay: float, awaited: str, more: float
) -> None:
    """Some time, or, to hit a short stage, until a file appears and a little longer."""
    deadline = time.monotonic() + delay
    while time.monotonic() < deadline and process.poll() is None:
        if awaited and list(run.folder.glob(awaited)):
            time.sleep(more)
            return
        time.sleep(0.001)
