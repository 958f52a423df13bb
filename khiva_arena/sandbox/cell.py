"""A bot's cell: the sandbox of one bot, from before its start to after its end. Each difference between levels is a method here.

Each level is a class in a module of its own: strict, standard, basic, trusted. docs/isolation.md says what each covers, and
what none does. To add a level: a line in ``Level``, a module of that name with its class as ``KIND``, and the name in the
contract of this room in pyproject.toml. Code that plays bots calls methods of their cells, and never looks at the level.
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

from khiva_arena.sandbox import bubblewrap, needed, proc_usage, readable_paths, reap, scratch, system, warm
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Level, Sandbox
from khiva_arena.sandbox.limits import Resources
from khiva_arena.sandbox.prepared import prepared
from khiva_arena.sandbox.reap import MARK, kill_group
from khiva_arena.sandbox.reaper import REAPER

CORES = 1
"""The share of a seat that is asked (SPEC.md, section 6), and so what runtimes are told."""
CORE_COUNTS = ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(slots=True, eq=False)
class Cell(ABC):
    """One bot's cell. A ``pid`` is always that of the process that was started from ``argv``, which is not reaped yet.

    argv: words that start the bot in its cell
    folder: where they are started
    environment: theirs, nothing is added to it
    descriptors: what the new process is given, closed here once it runs
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

    needs: ClassVar[Level | None] = None
    """A level that has to work first."""
    debuggable: ClassVar[bool] = True
    """Whether a debugger may attach to a bot from outside."""
    lets_go: ClassVar[bool] = False
    """Whether processes of a bot may leave its group, so that they are found by their mark when the match is over."""
    wrapping: ClassVar[int] = 0
    """How many processes below the one that was started, itself included, are not the bot's."""
    scratch_every: ClassVar[int] = 10
    """Every how many looks at a bot its scratch space is looked at, too; this depends on how long that takes."""
    starters: ClassVar[tuple[str, ...]] = ("setpriv", "prlimit")
    """Programs that put a bot into its cell and then become the bot's."""
    complaints: ClassVar[tuple[str, ...]] = ("setpriv: ", "prlimit: ")
    """How lines on stderr begin in which these programs say that they failed."""

    @classmethod
    @abstractmethod
    def made(cls, command: Command, program: str, sandbox: Sandbox, mark: str, shown: tuple[str, ...]) -> Self:
        """Make a cell. ``program``: absolute path; ``shown``: all that the bot may read. Raises OSError."""

    @classmethod
    def keeps_warm(cls) -> bool:
        """Whether bots start with all that they may read in memory, and may read only what their runtime needs."""
        return False

    @classmethod
    def out_of_reach(cls, path: str) -> str:
        """The folder on the way to a path that bots may not pass, "" if there is none."""
        return ""

    @classmethod
    def remedy(cls, why: str) -> str:
        """The exact command that gets the level, which is missing as ``why`` says; "" if none is known."""
        return ""

    @classmethod  # noqa: B027 - most levels leave nothing of their own
    def sweep(cls) -> None:
        """End and remove what arbiters that were killed have left at this level alone."""

    # --- the life of a cell ---

    def started(self, pid: int) -> None:
        """Do what has to be done once the bot runs."""
        self.let_go()

    def let_go(self) -> None:
        """Close the descriptors that only the new process needs."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()

    def starts(self, pid: int) -> bool:
        """Whether a process, whichever it is, is still one that puts the bot into its cell."""
        words = words_of(pid)
        return bool(words) and os.path.basename(words[0]) in ("", *self.starters)

    def kill(self, pid: int) -> None:
        """SIGKILL to the bot and all of its processes."""
        kill_group(pid)

    def pause(self, pid: int, paused: bool) -> None:
        """Stop all of the bot's processes, or let them continue."""
        REAPER.signal_group(pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def clean(self) -> None:
        """After the end of all processes."""
        self.let_go()
        if self.scratch is not None:
            scratch.remove(self.scratch)

    # --- what can be seen of the bot ---

    def program(self, pid: int) -> int | None:
        """The process that is or will be the bot's own program. None if there is none."""
        return pid

    def own_processes(self, pid: int, most: int) -> list[int]:
        """The bot's own processes that live; ``most``: at how many to stop looking."""
        return proc_usage.tree(pid, most)

    def exit_status(self, status: int) -> int:
        """How the bot ended if the process that was started ended so. Negative: by a signal."""
        return status

    def cpu_lost(self, pid: int) -> float:
        """Before a kill: seconds of CPU so far if the system does not say after it how much the bot used, else 0."""
        return 0.0

    def peak(self, used: Sequence[struct_rusage]) -> int:
        """Bytes of memory that the largest of the bot's processes had, 0 if that is not known. ``used``: what was reaped, the
        process that was started first. A process that we start inherits our own peak: a number that is not above it says
        nothing."""
        peak = max(one.ru_maxrss for one in used)
        return peak * system.PEAK_UNIT if peak > getrusage(RUSAGE_SELF).ru_maxrss else 0

    def refused(self) -> str:
        """The key of a limit at which the system says that it stopped the bot, "" if there is none."""
        return ""

    def scratch_exceeded(self, pids: list[int], resources: Resources) -> str:
        """What is too much in its scratch space, in words; "" if nothing is. ``pids``: all that runs in the cell."""
        return "" if self.scratch is None else scratch.exceeded(self.scratch, pids, resources)


@cache
def kind(level: Level) -> type[Cell]:
    """The class of a level's cells."""
    cell_class: type[Cell] = import_module(f"khiva_arena.sandbox.{level}").KIND
    return cell_class


def cell(command: Command, sandbox: Sandbox, mark: str, *, for_a_match: bool = False) -> Cell:
    """Make a bot's cell. ``mark``: what its processes carry in their environment, so that strays can be found. ``for_a_match``:
    other bots may read the same files, so they are kept in memory if the level does that.

    Raises OSError: FileNotFoundError if its program is not there, NotExecutable if it may not be run, else what the host
    refuses.
    """
    program = readable_paths.program_path(command.argv[0], command.folder)
    if program is None:
        raise readable_paths.why_not_found(command.argv[0], command.folder)
    of_level = kind(sandbox.level)
    warmed = for_a_match and of_level.keeps_warm()
    try:
        shown = (*(needed if warmed else readable_paths).all_of(program, command.readable, *command.own), *command.own)
        if command.network:
            shown = (*shown, *readable_paths.of_the_network(shown))
        if warmed:
            warm.keep([*(path for path in shown if not bubblewrap.stays_a_link(path)), prepared().folder])
        return of_level.made(command, program, sandbox, mark, shown)
    except FileNotFoundError as error:
        raise OSError(str(error)) from None  # it is the host that lacks something, not the bot


def sweep(level: Level) -> None:
    """Before a run: end and remove what arbiters that were killed have left, whatever level they played at, and forget refusals
    of an earlier run of this process."""
    warm.forget_refusal()
    reap.sweep()
    scratch.sweep()
    kind(level).sweep()


def java_options(memory: int) -> str:
    """What JAVA_TOOL_OPTIONS is set to, for a bot that may use so many bytes."""
    return f"-XX:MaxRAM={memory} -XX:ActiveProcessorCount={CORES}"


def environment(command: Command, program: str, home: str, mark: str, memory: int) -> dict[str, str]:
    """A bare environment: so little that it is the same on two machines, and nothing from the arbiter's own. What a bot is handed
    is not in it."""
    bare = {"PATH": readable_paths.search_path(program), "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", MARK: mark}
    # Runtimes size heaps and thread pools by the machine's memory and cores, of which a bot has but a part.
    bare["JAVA_TOOL_OPTIONS"] = java_options(memory)
    return bare | {name: str(CORES) for name in CORE_COUNTS} | command.environment


def words_of(pid: int) -> list[str]:
    """A process's command line, [""] while it has none, [] once it has ended."""
    try:
        return [os.fsdecode(word) for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]
    except OSError:
        return []
