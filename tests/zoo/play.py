"""Play one match with bots of the zoo at an isolation level, and look at all that it
might have left behind.
"""

import ctypes
import os
import random
import re
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from arena import descendants
from jobs import SECRET, job

from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.seals import is_as_sealed, seal
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import levels
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import MIB, Resources
from khiva_arena.bots.sandbox.readable_paths import closed_to_others
from khiva_arena.entrants import bots, staging
from khiva_arena.records.replay.verify import verify

BROKEN = Path(__file__).parent.parent.parent / "bots" / "broken"
# Small, so that a row reaches them at once; the scratch folder's is the default.
RESOURCES = Resources(memory=384 * MIB, processes=32, file_size=8 * MIB, open_files=128)
TIME = {"startup_ms": 3_000, "turn_ms": 300, "bank_ms": 0}
AT = "2"
GONE_SECONDS = 1.0
HONEST = re.compile(r"ZOO honest waited (\d+) (\d+)")


@dataclass(frozen=True)
class Played:
    """A match, and what it did to the arbiter and its surroundings. ``waited``: of the
    honest bots, the longest from a start to the first request and from an answer to the
    next message, in ms. ``grown``: bytes of memory at the peak, beyond what there was
    before. The lists hold lines for people and are empty when all is well.
    """

    outcome: Outcome
    wall: float
    waited: tuple[int, int]
    grown: int
    survivors: list[str]
    leftovers: list[str]


def best_levels() -> list[Level]:
    """The isolation levels that this machine gives, the best first."""
    found = levels()
    return [level for level in Level if not found[level]]


@cache
def staged(level: Level) -> Command:
    """Return the program of the zoo, staged where bots get at it that play at a level.
    It is built at trusted: another user may not be able to run this Python.
    """
    command = staging.stage(bots.load(str(BROKEN)))
    folder = str(staging.staged(level) / Path(command.folder).name)
    if folder != command.folder and not is_as_sealed(
        Path(folder)
    ):  # other workers copy it, too, and start bots from it
        draft = Path(f"{folder}.{os.getpid()}")
        shutil.copytree(command.folder, draft)
        try:
            draft.rename(folder)
        except OSError:
            shutil.rmtree(draft)
        seal(Path(folder))
    return replace(
        command,
        folder=folder,
        argv=tuple(word.replace(command.folder, folder) for word in command.argv),
    )


def play(
    names: Sequence[str],
    level: Level,
    *,
    lenient: bool = False,
    time_: Mapping[str, int] | None = None,
    cpu: int = 60,
) -> Played:
    """A match of these rows, by seat."""
    mark = secrets.token_hex(8)
    with _bait(mark) as told, _own_temporary_folder() as folder:
        commands = [_bot(name, level, mark, told) for name in names]
        sandbox = Sandbox(level=level, resources=replace(RESOURCES, cpu=cpu))
        policy = "lenient" if lenient else "strict"
        task = job(commands, policy=policy, sandbox=sandbox, **TIME | dict(time_ or {}))
        children, descriptors, before = descendants(os.getpid()), _descriptors(), _memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
        began = time.monotonic()
        outcome = play_one(task)
        wall = time.monotonic() - began
        grown = _memory("VmHWM") - before
        survivors = _survivors(mark, children)
        leftovers = [f"{path} is left" for path in folder.iterdir()]
        leftovers += [
            f"descriptor {number} is left open" for number in _descriptors() - descriptors
        ]
        leftovers += _bitten(told)
    if outcome.record is not None:
        verify(outcome.record, SECRET)
    return Played(outcome, wall, _waited(outcome), grown, survivors, leftovers)


def _bot(name: str, level: Level, mark: str, told: dict[str, str]) -> Command:
    command = staged(level)
    words = (_python(level), *command.argv[1:-1], name, AT, mark)
    return replace(command, argv=words, environment=command.environment | told)


def _python(level: Level) -> str:
    """Root's bots at level basic run as users of their own, who may have to take
    another interpreter: any will do.
    """
    as_others = level is Level.BASIC and os.geteuid() == 0
    return "/usr/bin/python3" if as_others and closed_to_others(sys.executable) else sys.executable


def _waited(outcome: Outcome) -> tuple[int, int]:
    found = [HONEST.search(seat.ending.notes) for seat in outcome.seats]
    waits = [(int(match[1]), int(match[2])) for match in found if match]
    return max((start for start, _ in waits), default=0), max(
        (turn for _, turn in waits), default=0
    )


# --- what an attack may find ---


@contextmanager
def _bait(mark: str) -> Iterator[dict[str, str]]:
    """What bots must not get at, made as easy to get at as it can be: they are told
    where all of it is.
    """
    folder = Path(tempfile.mkdtemp(prefix="khiva-zoo-"))
    folder.chmod(0o755)
    key = random.SystemRandom().randrange(1 << 20, 1 << 30)
    libc = ctypes.CDLL(None)
    segment = libc.shmget(
        key, ctypes.c_size_t(4096), 0o1666
    )  # IPC_CREAT, and everybody may read and write
    shared = Path(f"/dev/shm/khiva-zoo-{key}")
    inherited = os.open("/dev/zero", os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        shared.write_text("shared")
        for name in ("arena.db", "other-bot.py"):
            (folder / name).write_text("secret")
            (folder / name).chmod(0o666)
        yield {
            "ZOO_MARK": mark,
            "ZOO_ARBITER": str(os.getpid()),
            "ZOO_STORE": str(folder / "arena.db"),
            "ZOO_OTHER_BOT": str(folder / "other-bot.py"),
            "ZOO_SHARED_KEY": str(key),
        }
    finally:
        os.close(inherited)
        shared.unlink(missing_ok=True)
        libc.shmctl(segment, 0, None)  # IPC_RMID
        shutil.rmtree(folder)


def remove_notes() -> None:
    """What the row leaves-notes has left where its bots are trusted."""
    for folder in ("/tmp", "/var/tmp", "/dev/shm", staged(Level.TRUSTED).folder):
        Path(folder, f"khiva-zoo-note-{os.getpid()}").unlink(missing_ok=True)


def _bitten(told: dict[str, str]) -> list[str]:
    files = [Path(told["ZOO_STORE"]), Path(told["ZOO_OTHER_BOT"])]
    return [
        f"{path} was harmed" for path in files if not path.is_file() or path.read_text() != "secret"
    ]


@contextmanager
def _own_temporary_folder() -> Iterator[Path]:
    """Nobody else makes anything there, so that what is left is ours."""
    folder = Path(tempfile.mkdtemp(prefix="khiva-zoo-tmp-"))
    folder.chmod(0o755)
    kept, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = kept
        shutil.rmtree(folder, ignore_errors=True)


# --- what is left ---


def _survivors(mark: str, before: set[int]) -> list[str]:
    """Processes that live on: new descendants of ours, zombies too, and whoever carries
    the mark. They are ended here.
    """
    until = time.monotonic() + GONE_SECONDS
    while (
        found := _marked(mark) | (descendants(os.getpid()) - before)
    ) and time.monotonic() < until:
        time.sleep(0.01)
    said = [f"process {pid}: {_command_line(pid)}" for pid in sorted(found)]
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    return said


def _marked(mark: str) -> set[int]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            said = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue  # it ended while we looked, or is another user's
        if mark.encode() in said:
            found.add(int(folder.name))
    return found


def _command_line(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")[:120]
            or "a zombie"
        )
    except OSError:
        return "gone meanwhile"


def _descriptors() -> set[int]:
    return {int(name) for name in os.listdir("/proc/self/fd")}


def _memory(key: str) -> int:
    return int(re.search(rf"{key}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]
