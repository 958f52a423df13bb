"""Run a competition and stop it, again and again, at seeded instants, as service
managers, batch systems and terminals do.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from arena import ROOT, bots, living
from killing import SEATS, Competition, all_gone, below, read

HOWS = ("tree", "group", "arbiter")
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
APART_SECONDS = 0.004
AT_WORK_SECONDS = 0.6
EARLY_SECONDS = 1.2
END_SECONDS = 120.0
STOPPED = 130
MARK = "KHIVA_ARENA_MATCH="
BOT_TOML = """name = "{name}"
run = "./instant rotate {marker}"
"""


@dataclass(frozen=True, slots=True)
class Stop:
    """How a run was stopped, see ``Stopped.stop``, and how far it was. ``seconds``:
    from the first signal to its end.
    """

    how: str
    signal: str
    stage: str
    seconds: float


def instant(folder: Path) -> Path:
    """The bot in C that answers at once, built."""
    out = folder / "instant"
    subprocess.run(
        ["cc", "-O2", "-o", str(out), str(ROOT / "tests/benchmarks/instant.c")], check=True
    )
    return out


class Stopped(Competition):
    """A competition of bots that answer at once, whose choices depend on what they were
    asked alone. ``level``: of isolation.
    """

    __slots__ = ("level", "stopped")

    def __init__(
        self, folder: Path, marker: str, jobs: int, level: str, program: Path, seeds: int = 12
    ) -> None:
        super().__init__(folder, marker, jobs, seeds)
        self.level = level
        self.stopped: list[Stop] = []
        for name in ("ann", "bob", "cy"):
            (self.folder / name / "main.py").unlink()
            shutil.copy(program, self.folder / name)
            (self.folder / name / "bot.toml").write_text(
                BOT_TOML.format(name=name, marker=f"{self.marker}-{name}")
            )

    @property
    def words(self) -> list[str]:
        shape = [
            "--seats",
            str(SEATS),
            "--seeds",
            str(self.seeds),
            "--seed",
            "stop",
            "-j",
            str(self.jobs),
        ]
        return ["run", *bots("ann", "bob", "cy"), *shape, "--isolation", self.level, "--out", "out"]

    def start(self) -> "subprocess.Popen[str]":
        """In a process group of its own, as a shell starts it."""
        command = [sys.executable, "-m", "khiva_arena", *self.words]
        with (self.folder / "said").open("a") as said:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | self.environment,
                stdout=said,
                stderr=said,
                text=True,
                start_new_session=True,
            )

    def recorded(self) -> int:
        """How many matches the store holds by now."""
        try:
            return self._count("matches")
        except sqlite3.Error:
            return 0  # it is being made

    def to_the_end(self) -> None:
        """Run it, and let it end."""
        process = self.start()
        code = process.wait(timeout=END_SECONDS)
        assert code == 0, said(self)
        assert all_gone(self.processes)
        assert not self.blamed(), self.blamed()

    def blamed(self) -> list[tuple[object, ...]]:
        """Whom the store blames, and what it says the host spoilt: nothing, whenever
        the run was stopped.
        """
        if not (self.out / "arena.db").exists():
            return []
        connection = sqlite3.connect(f"file:{self.out / 'arena.db'}?mode=ro", uri=True)
        try:
            if not connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'seats'"
            ).fetchone()[0]:
                return []
            faults = connection.execute(
                "SELECT ordinal, seat, verdict, faults FROM seats WHERE faults != '[]'"
            ).fetchall()
            return faults + connection.execute("SELECT ordinal, attempt, why FROM voids").fetchall()
        finally:
            connection.close()


def of_arbiters(pids: set[int]) -> set[int]:
    """Living processes that any of these has started as bots, wherever they are by now;
    their marks tell.
    """
    found, numbers = set(), {str(pid) for pid in pids}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            _, there, rest = ("\0" + read(int(path.name), "environ")).partition("\0" + MARK)
            if there and rest.partition("-")[0] in numbers:
                found.add(int(path.name))
    return living(found)


def stop(run: Stopped, chance: random.Random, how: str, number: signal.Signals) -> Stop | None:
    """Start a run and stop it at some moment; None if it ended by itself before
    that. ``how``: "arbiter" alone; "group", its process group, as a terminal and
    ``timeout`` do; "tree", it and all below it, one by one in any order, some
    milliseconds apart, as those do that end all of a service or a job.

    Raises AssertionError where anything but an orderly end came of it.
    """
    process = run.start()
    _wait(run, process, chance)
    tree = [process.pid, *below(process.pid)]
    if process.poll() is not None:
        assert process.returncode == 0, said(run)
        return None
    began = time.monotonic()
    if how == "tree":
        chance.shuffle(tree)
        for pid in tree:
            _send(pid, number)
            time.sleep(chance.choice([0.0, chance.uniform(0, APART_SECONDS)]))
    elif how == "group":
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    try:
        code = process.wait(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{how} {number.name}: it did not end\n{said(run)}") from None
    seconds = time.monotonic() - began
    pids = set(tree)
    left = lambda: run.processes() | living(pids) | of_arbiters(pids)  # noqa: E731
    assert all_gone(left), (
        f"{how} {number.name}: outlived the stop: {[_told(pid) for pid in left()]}\n{said(run)}"
    )
    assert code in (0, STOPPED), f"{how} {number.name}: exit {code}\n{said(run)}"
    assert not run.blamed(), f"{how} {number.name}: {run.blamed()}"
    return Stop(how, number.name, run.stage(), seconds) if code else None


def said(run: Stopped) -> str:
    """What the run printed, all of its starts."""
    return (run.folder / "said").read_text()


def _told(pid: int) -> str:
    fields = read(pid, "stat").rpartition(")")[2].split()[:2]
    return (
        f"{pid} {fields} {read(pid, 'wchan')} {read(pid, 'cmdline')[:60]!r} "
        f"{read(pid, 'status')[-900:]}"
    )


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _wait(run: Stopped, process: "subprocess.Popen[str]", chance: random.Random) -> None:
    """Mostly until it is at work, and a while longer; else some time from when Python
    has begun to run the arena.
    """
    deadline = time.monotonic() + END_SECONDS
    while (
        not _catches(process.pid, signal.SIGHUP)
        and process.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.001)
    if chance.random() < 0.2:
        time.sleep(chance.uniform(0, EARLY_SECONDS))
        return
    before = run.recorded()
    while run.recorded() == before and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, AT_WORK_SECONDS))


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal."""
    caught = next(
        (line.split()[1] for line in read(pid, "status").splitlines() if line.startswith("SigCgt")),
        "0",
    )
    return bool(int(caught, 16) >> (number - 1) & 1)
