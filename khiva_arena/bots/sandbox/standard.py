"""Level standard: namespaces of the bot's own by bubblewrap, without root, and a
seccomp filter.

Two processes wrap the bot's: bwrap outside, which the arbiter starts, and its child,
the first process inside, with which the namespace ends. So the process that the arbiter
starts is two levels above the bot's.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from resource import struct_rusage
from typing import ClassVar, Self

from khiva_arena.bots.sandbox import (
    bubblewrap,
    cell,
    launch,
    proc_usage,
    readable_paths,
    seccomp,
    uids,
    warm,
)
from khiva_arena.bots.sandbox.cell import Cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.limits import MOST_FILES, WORDS, Resources
from khiva_arena.bots.sandbox.prepared import prepare
from khiva_arena.bots.sandbox.reap import kill_group

TRUE = ("/bin/true",)
SECONDS = 20


@dataclass(slots=True, eq=False)
class Standard(Cell):
    """A cell of namespaces. The bot's files lie in memory inside, so ``scratch`` is
    None.
    """

    debuggable: ClassVar[bool] = False
    wrapping: ClassVar[int] = bubblewrap.WRAPPING
    scratch_every: ClassVar[int] = 1
    starters: ClassVar[tuple[str, ...]] = ("bwrap", "setpriv", "prlimit")
    complaints: ClassVar[tuple[str, ...]] = ("bwrap: ", launch.SAYS, "setpriv: ", "prlimit: ")

    @classmethod
    def make(
        cls, command: Command, program: str, sandbox: Sandbox, mark: str, paths: tuple[str, ...]
    ) -> Self:
        return cls.make_wrapped(command, program, sandbox, mark, paths, counted=False)

    @classmethod
    def make_wrapped(
        cls,
        command: Command,
        program: str,
        sandbox: Sandbox,
        mark: str,
        paths: tuple[str, ...],
        *,
        counted: bool,
    ) -> Self:
        """Make a cell. ``counted``: a control group counts its processes, so that this
        limit need not be exact.
        """
        inside = bubblewrap.Inside(
            argv=(program, *command.argv[1:]),
            folder=command.folder,
            readable=paths,
            writable=sandbox.writable,
            resources=sandbox.resources,
            user=uids.next_user(),
            counted=counted,
            network=command.network,
        )
        filter_ = _reopen(_filter(sandbox.may_leave_group, command.network))
        descriptors = [filter_]
        try:
            launcher = _opened_launcher()
            descriptors += [] if launcher is None else [launcher]
            if launcher is not None and _launcher_covers(launch.program(), inside.user is None):
                argv = bubblewrap.command_that_covers(inside, filter_, launcher, prepare())
            else:
                argv = bubblewrap.command(inside, filter_, launcher, prepare())
            return cls(
                argv=argv,
                folder="/",
                environment=cell.environment(
                    command, program, bubblewrap.SCRATCH, mark, sandbox.resources.memory
                )
                | command.handed,
                descriptors=tuple(descriptors),
                user=inside.user,
            )
        # Nobody else closes them: there is no cell yet.
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            raise

    @classmethod
    def keeps_warm(cls) -> bool:
        return os.environ.get(warm.ALSO_AT_STANDARD) == "1"

    @classmethod
    def remedy(cls, why: str) -> str:
        # not above: it is for machines that lack something
        from khiva_arena.bots.sandbox import remedies

        return remedies.of_bubblewrap(why)

    def kill(self, pid: int) -> None:
        if (inner := _first_inside(pid)) is not None:
            # The whole namespace ends with it. bwrap itself is of the bot's group, and
            # may have been stopped by the bot.
            with suppress(ProcessLookupError):
                os.kill(inner, signal.SIGKILL)
        kill_group(pid)

    def program(self, pid: int) -> int | None:
        inner = _first_inside(pid)
        return None if inner is None else _first_inside(inner)

    def own_processes(self, pid: int, limit: int) -> list[int]:
        wrapping = (pid, _first_inside(pid))
        return [process for process in proc_usage.tree(pid, limit) if process not in wrapping]

    def exit_status(self, status: int) -> int:
        """Return the bot's exit status: bwrap reports a signal as a shell does."""
        return 128 - status if 128 < status <= 128 + signal.SIGRTMAX else status

    def cpu_lost(self, pid: int) -> float:
        """Return the seconds of CPU so far: the system reports no usage of processes
        that die with their namespace.
        """
        return proc_usage.usage(proc_usage.tree(pid, proc_usage.PROCESSES_SEEN), 0).cpu

    def peak(self, usages: Sequence[struct_rusage]) -> int:
        """Return the peak of the processes inside; the process outside is not the
        bot's.

        The arbiter did not start the processes inside, so they do not inherit its peak.
        """
        return max([usage.ru_maxrss for usage in usages[1:]], default=0) * 1024

    def scratch_exceeded(self, pids: list[int], resources: Resources) -> str:
        """Check only the number of files: the system itself enforces the size. Return
        the excess in words, "" for none.
        """
        with suppress(OSError):  # it is starting or ending
            status = os.statvfs(f"/proc/{_first_inside(pids[0])}/root{bubblewrap.SCRATCH}")
            if status.f_files - status.f_ffree > MOST_FILES:
                return f"{WORDS['scratch']}: more than {MOST_FILES} files"
        return ""


@cache
def _launcher_covers(launcher: str, has_namespace: bool) -> bool:
    """Tell whether the launcher in C, whose path is ``launcher``, can cover files of
    /proc in a cell, by one try.

    A system may refuse capabilities to programs inside, as AppArmor can, or lack
    mount_setattr(2), as Linux 5.11 does.

    has_namespace: cells have user namespaces
    """
    user = None if has_namespace else uids.next_user()
    inside = bubblewrap.Inside(TRUE, "/", readable_paths.system(), (), Resources(), user)
    with (
        open(_reopen(_filter(may_leave_group=False, network=False)), "rb") as filter_,
        open(launcher, "rb") as program,
    ):
        both = (filter_.fileno(), program.fileno())
        words = bubblewrap.command_that_covers(inside, *both, prepare())
        try:
            done = subprocess.run(
                words,
                pass_fds=both,
                env={},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0


@cache
def _filter(may_leave_group: bool, network: bool) -> int:
    """Return a descriptor of a file in memory with the seccomp program, open as long as
    this process.
    """
    descriptor = os.memfd_create("khiva-arena")
    os.write(descriptor, seccomp.program(may_leave_group=may_leave_group, network=network))
    return descriptor


def _opened_launcher() -> int | None:
    """Return a descriptor of the launcher in C, None if it is not built."""
    return os.open(launch.program(), os.O_RDONLY | os.O_CLOEXEC) if launch.program() else None


def _reopen(descriptor: int) -> int:
    """Return another descriptor of the same file, at its beginning."""
    # A duplicate would share the place in the file, which bwrap reads to its end.
    return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)


def _first_inside(pid: int) -> int | None:
    """Return the first child of a process that wraps the bot. None before it is there
    and after it is gone.
    """
    return next(iter(proc_usage.children(pid)), None)


KIND = Standard
