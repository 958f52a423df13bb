"""A bot's cell: the sandbox of one bot, from before its start to after its end. Each
difference between levels is a method here.

Each level is a class in a module of its own: strict, standard, basic, trusted.
docs/isolation.md says what each covers, and what none does. To add a level: a line in
``Level``, a module of that name with its class as ``KIND``, and the name in the
contract of this room in .importlinter. Code that plays bots calls methods of their
cells, and never looks at the level.
"""

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_SELF, getrusage, struct_rusage
from typing import ClassVar, Self

from khiva_arena.bots.sandbox import (
    bubblewrap,
    launch,
    needed,
    proc_usage,
    readable_paths,
    reap,
    scratch,
    system,
    warm,
)
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.bots.sandbox.prepared import prepare
from khiva_arena.bots.sandbox.reap import MARK, kill_group
from khiva_arena.bots.sandbox.reaper import REAPER

CORES = 1
"""Cores that a seat may use while it is asked (SPEC.md, section 6), and so the number
that runtimes are told.
"""
CORE_COUNTS = ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(slots=True, eq=False)
class Cell(ABC):
    """A sandbox of one bot. A ``pid`` is always that of the process that was started
    from ``argv``, which is not reaped yet.

    argv: words that start the bot in its cell
    folder: where they are started
    environment: of these words; nothing is added to it
    descriptors: handed to the new process, closed here once it runs
    scratch: folder of the host's disk for the bot's own files, None if they lie inside
    user: number of the user that the bot runs as, None for the user of the arbiter
    """

    argv: list[str]
    folder: str
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    scratch: str | None = None
    user: int | None = None

    # --- the level ---

    walled: ClassVar[bool] = True
    """False if a bot may read all that the arbiter may, so that nobody looks for the
    paths that it may read.
    """
    needs: ClassVar[Level | None] = None
    """The level that has to work first; None for no other."""
    debuggable: ClassVar[bool] = True
    """True if a debugger may attach to a bot from outside."""
    lets_go: ClassVar[bool] = False
    """True if processes of a bot may leave its group, so that they are found by their
    mark when the match is over.
    """
    wrapping: ClassVar[int] = 0
    """Number of processes below the one that was started, itself included, that are not
    the bot's.
    """
    scratch_every: ClassVar[int] = 10
    """Number of looks at a bot from one look at its scratch space to the next; it
    depends on how long that takes.
    """
    starters: ClassVar[tuple[str, ...]] = ("setpriv", "prlimit")
    """Programs that put a bot into its cell and then become the bot's."""
    complaints: ClassVar[tuple[str, ...]] = (launch.SAYS, "setpriv: ", "prlimit: ")
    """Beginnings of the lines on stderr in which these programs say that they
    failed.
    """

    @classmethod
    @abstractmethod
    def make(
        cls, command: Command, program: str, sandbox: Sandbox, mark: str, paths: tuple[str, ...]
    ) -> Self:
        """Make a cell. ``program``: absolute path; ``paths``: all paths that the bot
        may read. Raises OSError.
        """

    @classmethod
    def keeps_warm(cls) -> bool:
        """Tell whether bots start with all files that they may read in memory, and may
        read only files that their runtime needs.
        """
        return False

    @classmethod
    def out_of_reach(cls, path: str) -> str:
        """Return the folder on the way to a path that bots may not pass, "" if there is
        none.
        """
        return ""

    @classmethod
    def remedy(cls, why: str) -> str:
        """Return the exact command that gets the level, which is missing as ``why``
        says; "" if none is known.
        """
        return ""

    @classmethod  # noqa: B027 - most levels leave nothing of their own
    def sweep(cls) -> None:
        """End and remove leftovers of killed arbiters that exist at this level
        alone.
        """

    # --- the life of a cell ---

    def note_start(self, pid: int) -> None:
        """Finish the start once the bot runs."""
        self.let_go()

    def let_go(self) -> None:
        """Close the descriptors that only the new process needs."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()

    def starts(self, pid: int) -> bool:
        """Tell whether process ``pid``, whichever it is, is still one that puts the bot
        into its cell.
        """
        words = words_of(pid)
        if not words:
            return False
        is_launcher = (
            words[0] == launch.program() or os.path.dirname(words[0]) == launch.DESCRIPTORS
        )
        return is_launcher or os.path.basename(words[0]) in ("", *self.starters)

    def kill(self, pid: int) -> None:
        """Send SIGKILL to the bot and all of its processes."""
        kill_group(pid)

    def pause(self, pid: int, on: bool) -> None:
        """Stop all of the bot's processes, or let them continue."""
        REAPER.signal_group(pid, signal.SIGSTOP if on else signal.SIGCONT)

    def clean(self) -> None:
        """Free everything after the end of all processes."""
        self.let_go()
        if self.scratch is not None:
            scratch.remove(self.scratch)

    # --- views of the bot ---

    def program(self, pid: int) -> int | None:
        """Return the process that is or will be the bot's own program. None if there is
        none.
        """
        return pid

    def own_processes(self, pid: int, limit: int) -> list[int]:
        """Return the bot's own living processes; the search stops at ``limit``."""
        return proc_usage.tree(pid, limit)

    def exit_status(self, status: int) -> int:
        """Return the bot's exit status, given the status of the process that was
        started. Negative: by a signal.
        """
        return status

    def cpu_lost(self, pid: int) -> float:
        """Return, before a kill, the seconds of CPU so far if the system does not tell
        the bot's use after a kill, else 0.
        """
        return 0.0

    def peak(self, usages: Sequence[struct_rusage]) -> int:
        """Return the bytes of memory that the largest of the bot's processes had, 0 if
        that is not known.

        used: the use of the reaped processes, the process that was started first

        A process that the arbiter starts inherits the arbiter's own peak: a number that
        is not above it says nothing.
        """
        peak = max(usage.ru_maxrss for usage in usages)
        return peak * system.PEAK_UNIT if peak > getrusage(RUSAGE_SELF).ru_maxrss else 0

    def refusal(self) -> str:
        """Return the key of a limit at which the system says that it stopped the bot,
        "" if there is none.
        """
        return ""

    def scratch_exceeded(self, pids: list[int], resources: Resources) -> str:
        """Describe in words the excess in the bot's scratch space; "" if there is
        none. ``pids``: all processes in the cell.
        """
        return "" if self.scratch is None else scratch.exceeded_limit(self.scratch, pids, resources)


@cache
def kind(level: Level) -> type[Cell]:
    """Return the class of a level's cells."""
    cell_class: type[Cell] = import_module(f"khiva_arena.bots.sandbox.{level}").KIND
    return cell_class


def cell(command: Command, sandbox: Sandbox, mark: str, *, for_a_match: bool = False) -> Cell:
    """Make a bot's cell.

    mark: carried by its processes in their environment, so that strays can be found
    for_a_match: other bots may read the same files, so they are kept in memory if the
        level does that

    Raises FileNotFoundError if its program is not there, NotExecutable if it may not be
    run, else OSError for a refusal of the host.
    """
    program = readable_paths.program_path(command.argv[0], command.folder)
    if program is None:
        raise readable_paths.why_not_found(command.argv[0], command.folder)
    of_level = kind(sandbox.level)
    keeps_warm = for_a_match and of_level.keeps_warm()
    try:
        if not of_level.walled:
            return of_level.make(command, program, sandbox, mark, ())
        paths = (
            *(needed if keeps_warm else readable_paths).all_of(
                program, command.readable, *command.own
            ),
            *command.own,
        )
        if command.network:
            paths = (*paths, *readable_paths.of_the_network(paths))
        if keeps_warm:
            warm.keep(
                [*(path for path in paths if not bubblewrap.stays_a_link(path)), prepare().folder]
            )
        return of_level.make(command, program, sandbox, mark, paths)
    except FileNotFoundError as error:
        raise OSError(str(error)) from None  # the host lacks something, not the bot


def sweep(level: Level) -> None:
    """End and remove leftovers of killed arbiters before a run, whatever level they
    played at. Forget refusals of an earlier run.
    """
    warm.forget_refusal()
    reap.sweep()
    scratch.sweep()
    kind(level).sweep()


def java_options(memory: int) -> str:
    """Return the value of JAVA_TOOL_OPTIONS for a bot that may use ``memory`` bytes."""
    return f"-XX:MaxRAM={memory} -XX:ActiveProcessorCount={CORES}"


def environment(
    command: Command, program: str, home: str, mark: str, memory: int
) -> dict[str, str]:
    """Return a bare environment: so little that it is the same on two machines, and
    nothing from the arbiter's own.

    The variables that a bot is handed are not in it.
    """
    bare = {
        "PATH": readable_paths.search_path(program),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        MARK: mark,
    }
    # Runtimes size heaps and thread pools by the machine's memory and cores, of which a
    # bot has but a part.
    bare["JAVA_TOOL_OPTIONS"] = java_options(memory)
    return bare | {name: str(CORES) for name in CORE_COUNTS} | command.environment


def words_of(pid: int) -> list[str]:
    """Return a process's command line, [""] while it has none, [] once it has ended."""
    try:
        return [
            os.fsdecode(word) for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        ]
    except OSError:
        return []
