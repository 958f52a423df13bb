"""The build of a bot in its folder, in the sandbox of a match. Also the meaning of
``{...}`` words in commands.
"""

import errno
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from khiva_arena.bots.sandbox import cell as isolation
from khiva_arena.bots.sandbox import readable_paths, reap, stops
from khiva_arena.bots.sandbox.cell import Cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import FOR_A_BUILD, Resources
from khiva_arena.bots.sandbox.reaper import REAPER
from khiva_arena.common import shipped
from khiva_arena.common.text import file_name
from khiva_arena.entrants import runtimes, weight
from khiva_arena.entrants.bots import PYTHON, Bot
from khiva_arena.errors import BotError, InternalError, StagingError

if TYPE_CHECKING:
    from khiva_arena.entrants.build_output import BuildOutput  # most bots were built before

BUILD_SECONDS = 300
LEAST_FREE = 1 << 20
"""Bytes of free space below which a disk counts as full: a build that failed there may
be sound.
"""
REAP_SECONDS = 10.0


def as_run(words: Sequence[str], bot: Bot) -> list[str]:
    """Return the words of a bot.toml's command, each word in braces replaced by its
    program.
    """
    stand_for = {PYTHON: sys.executable} | {
        f"{{{runtime.name}}}": runtime.program for runtime in bot.runtimes
    }
    return [stand_for.get(word, word) for word in words]


def of_runtimes(bot: Bot) -> tuple[str, ...]:
    """Return the paths that a bot may read of the runtimes that it names."""
    return tuple(
        dict.fromkeys(path for runtime in bot.runtimes for path in runtimes.folders(runtime))
    )


def must_stay_in(bot: Bot, program: str, folder: str) -> None:
    """Raise BotError if a bot's own program leads out of its folder, by a link or by
    its first line.
    """
    if out := readable_paths.leads_out(program, folder, of_runtimes(bot)):
        name = os.path.relpath(program, folder)
        problem = (
            f"{name} leads out of its folder to {file_name(out)}, by a link or by its first line"
        )
        raise BotError(
            f"{bot.name}: {problem}; copy what it needs into the folder, or name a "
            f'runtime: run = "{{NAME}} ..."'
        )


def build(bot: Bot, folder: Path, level: Level) -> None:
    """Build a bot in its folder. Raises BotError with the first error and the end of
    what the build printed; StagingError if this machine may be to blame.
    """
    words = as_run(bot.build, bot)
    if "/" in words[0] and (folder / words[0]).is_file():
        must_stay_in(bot, str(folder / words[0]), str(folder))
    code, output = work(Errand(bot, "build", tuple(words), folder, of_runtimes(bot)), level)
    if code != 0:
        time.sleep(
            stops.SETTLES_SECONDS
        )  # if a stop ended it, that reaches this process in this time
        problem = f"{bot.name}: its build ({shlex.join(words)}) exited with code {code}:\n{output}"
        from khiva_arena.arbiter.memory_limits import why_unsure  # not above: most builds succeed

        full = full_disk(folder)
        if doubt := why_unsure(FOR_A_BUILD.memory) or (full and full.strerror):
            raise StagingError(f"{problem}\n  {doubt}") from full
        raise BotError(problem)


def full_disk(folder: Path) -> OSError | None:
    """Return the error of the disk of a folder if it is full, None if it has room. It
    is the cause of what failed there.
    """
    free = shutil.disk_usage(folder).free
    if free >= LEAST_FREE:
        return None
    return OSError(
        errno.ENOSPC, f"its disk has {free:,} bytes left: make room, or set KHIVA_ARENA_CACHE"
    )


class Errand(msgspec.Struct, frozen=True):
    """A program that works in a folder on what a bot brings.

    bot: it stands in messages
    name: what is done, for messages: "build"
    words: the program and its arguments
    folder: where it starts, and may write
    readable: paths that it may read besides its toolchain
    resources: its limits
    """

    bot: Bot
    name: str
    words: tuple[str, ...]
    folder: Path
    readable: tuple[str, ...]
    resources: Resources = FOR_A_BUILD


def work(job: Errand, level: Level) -> tuple[int, str]:
    """Do a job in a cell. Return its exit code, and its output as ``BuildOutput`` keeps
    it. Raises BotError if it takes too long, writes too much, or needs what is not
    there.
    """
    sandbox = Sandbox(level, job.resources, writable=(str(job.folder),), may_leave_group=True)
    mark = reap.new_mark()
    # not above: most bots were built before
    from khiva_arena.entrants.build_output import BuildOutput

    output = BuildOutput()
    with reap.Adoption(mark) as adoption:
        try:
            command = Command(job.words, str(job.folder), readable=job.readable, staged=True)
            cell = isolation.cell(command, sandbox, mark)
        except FileNotFoundError:
            package = shipped.package_of(job.words[0])
            advice = f"; on Debian and Ubuntu: apt install {package}" if package else ""
            raise BotError(
                f"{job.bot.name}: its {job.name} needs {job.words[0]!r}, which is not on "
                f"this machine{advice}"
            ) from None
        try:
            with _owned_by(cell.user, job.folder):
                code = _run_job(job, cell, adoption, output)
        except InternalError:
            raise BotError(
                f"{job.bot.name}: its {job.name} left processes that cannot be ended"
            ) from None
        finally:
            cell.clean()
    return code, output.text()


@contextmanager
def _owned_by(user: int | None, folder: Path) -> Iterator[None]:
    """Give the folder and all in it to another user, if one is given, until the context
    ends.
    """
    if user is None:
        yield
        return
    _chown(folder, user)
    try:
        yield
    finally:
        _chown(folder, os.geteuid())


def _chown(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)


def _run_job(job: Errand, cell: Cell, adoption: reap.Adoption, output: "BuildOutput") -> int:
    process: subprocess.Popen[bytes] | None = None
    try:
        with (
            _interrupts_later()
        ):  # or one might come when the process is there and not known here yet
            process = subprocess.Popen(
                cell.argv,
                cwd=cell.folder,
                env=cell.environment,
                pass_fds=cell.descriptors,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            adoption.note_start(process.pid)
            cell.note_start(process.pid)
        reader = threading.Thread(target=_keep, args=(process, output), daemon=True)
        reader.start()
        with weight.WeightWatch(job.folder, job.bot.largest) as watch:
            in_time = _exits(process.pid, BUILD_SECONDS, watch.is_over)
        if watch.is_over():
            raise BotError(f"{job.bot.name}: {watch.reason()}") from watch.error
        if not in_time:
            raise BotError(f"{job.bot.name}: its {job.name} took longer than {BUILD_SECONDS} s")
    finally:
        code = -1 if process is None else _end_job(process, cell, adoption)
    reader.join(timeout=1.0)
    return code


def _exits(pid: int, seconds: float, is_over: Callable[[], bool]) -> bool:
    """Wait for a child's end, without reaping it, until ``is_over`` is true or time is
    up. Return True if it ended.
    """
    until = time.monotonic() + seconds
    while not is_over() and (seconds_left := until - time.monotonic()) > 0:
        if REAPER.ends(pid, min(seconds_left, weight.LOOK_SECONDS)):
            return True
    return False


def _end_job(process: subprocess.Popen[bytes], cell: Cell, adoption: reap.Adoption) -> int:
    """Kill the rest of a job, and reap it. Return the exit code.

    Its first process is not reaped before, so that the group's number cannot have come
    to mean another group.
    """
    cell.kill(process.pid)
    process.returncode, _ = REAPER.reap(process.pid)
    adoption.note_reaping(process.pid)
    REAPER.reap_group(process.pid, REAP_SECONDS)
    adoption.end_strays()
    return process.returncode


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold back an interrupt that comes within the context, and raise it at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # none can come here
        return
    signals: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if signals:
        raise KeyboardInterrupt


def _keep(process: subprocess.Popen[bytes], output: "BuildOutput") -> None:
    assert process.stdout
    with process.stdout:
        while data := os.read(process.stdout.fileno(), 65_536):
            output.add(data)
