"""How far a bot is kept from the rest of the machine: four honest levels, the best first.

strict: standard, in a control group of its own. standard: namespaces by bubblewrap, without root. basic: what the kernel lets a
process do to itself (see launcher.py). trusted: a process group and limits: only for bots you trust.

ISOLATION.md beside this file says what each level covers, and what none does.
"""

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from khiva_arena.arbiter import bubblewrap, cgroup, needed, proc, readable, reap, scratch, seccomp, stops, usage, users, warm
from khiva_arena.arbiter.cgroup import Group
from khiva_arena.arbiter.reap import MARK, kill_group
from khiva_arena.arbiter.resources import DEFAULT, Resources, system_limits
from khiva_arena.arbiter.wire import Command

LAUNCHER = str(Path(__file__).with_name("launcher.py"))
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
STARTERS = (b"", b"bwrap", b"setpriv", b"prlimit")
CORES = 2
CORE_COUNTS = ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SPARE_PROCESSES = 1024
"""Above what a user has already, where the system counts processes by user: the watch is what holds a bot to its limit."""


class Level(StrEnum):
    """In the order of what they keep out."""

    STRICT = "strict"
    STANDARD = "standard"
    BASIC = "basic"
    TRUSTED = "trusted"


WRAPPED = (Level.STRICT, Level.STANDARD)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How bots are kept. ``ponder``: whether they may run while it is not their turn. ``writable`` and ``may_leave_group``
    are for builds."""

    level: Level = Level.TRUSTED
    resources: Resources = DEFAULT
    ponder: bool = True
    writable: tuple[str, ...] = ()
    may_leave_group: bool = False


TRUSTING = Sandbox()


@dataclass(slots=True, eq=False)
class Cell:
    """One bot's confines, from before its start to after its end. ``scratch`` is a host folder, or None where it lies inside."""

    level: Level
    argv: list[str]
    folder: str
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    limits: dict[int, tuple[int, int]] | None = None
    scratch: str | None = None
    group: Group | None = None
    user: int | None = None

    def started(self, pid: int) -> None:
        """What is to be done once it runs."""
        self.let_go()
        for which, values in (self.limits or {}).items():
            with suppress(OSError, ValueError):  # it has ended already, or may have less than that anyway
                resource.prlimit(pid, which, values)

    def let_go(self) -> None:
        """Close what only the new process needs."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()

    def kill(self, pid: int) -> None:
        """SIGKILL to the bot and all of its processes. ``pid``: the process we started, not reaped yet."""
        if self.group is not None:
            self.group.kill()
        if self.level in WRAPPED and (inner := _namespace(pid)) is not None:
            # With it ends all of the namespace. bwrap itself is of the bot's group, and may have been stopped by the bot.
            with suppress(ProcessLookupError):
                os.kill(inner, signal.SIGKILL)
        kill_group(pid)

    def pause(self, pid: int, paused: bool) -> None:
        """Stop all of the bot's processes, or let them go on."""
        if self.group is not None:
            self.group.freeze(paused)
            return
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def inside(self, path: str, pid: int) -> str:
        """Where a path of the bot's own view can be seen from here."""
        inner = _namespace(pid) if self.level in WRAPPED else None
        return path if inner is None else f"/proc/{inner}/root{path}"

    def clean(self) -> None:
        """After the end of all processes."""
        self.let_go()
        if self.scratch is not None:
            scratch.remove(self.scratch)
        if self.group is not None:
            self.group.remove()


def keeps_warm(level: Level) -> bool:
    """Whether bots start with all that they may read in memory, and may read only what their runtime needs."""
    return level is Level.STRICT or (level is Level.STANDARD and os.environ.get(warm.ALSO_AT_STANDARD) == "1")


def cell(command: Command, sandbox: Sandbox, mark: str, *, for_a_match: bool = False) -> Cell:
    """Make a bot's confines. ``mark``: what its processes carry in their environment, so that strays can be found.
    ``for_a_match``: what it reads may be read again by another bot, and is kept warm where ``keeps_warm`` says so.

    Raises OSError: FileNotFoundError where its program is not there, NotExecutable where it may not be run, else what the host
    refuses.
    """
    program = readable.found(command.argv[0], command.folder)
    if program is None:
        raise readable.why_not_found(command.argv[0], command.folder)
    make = {Level.TRUSTED: _trusted, Level.BASIC: _basic, Level.STANDARD: _wrapped, Level.STRICT: _wrapped}[sandbox.level]
    warmed = for_a_match and keeps_warm(sandbox.level)
    try:
        shown = (*(needed if warmed else readable).all_of(program, command.readable, *_own(command)), *_own(command))
        if warmed:
            warm.keep([path for path in shown if not bubblewrap.stays_a_link(path)])
        return make(command, program, sandbox, mark, shown)
    except FileNotFoundError as error:
        raise OSError(str(error)) from None  # it is the host that lacks something, not the bot


def starts(pid: int) -> bool:
    """Whether a process is still one of those that put a bot into its confines and then become its program."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return os.path.basename(words[0]) in STARTERS or os.fsencode(LAUNCHER) in words[:4]


def java_options(memory: int) -> str:
    """What JAVA_TOOL_OPTIONS is set to, for a bot that may use so many bytes."""
    return f"-XX:MaxRAM={memory} -XX:ActiveProcessorCount={CORES}"


def _environment(command: Command, program: str, home: str, mark: str, memory: int) -> dict[str, str]:
    """Little enough that two machines agree, and nothing of the arbiter's own settings."""
    bare = {"PATH": readable.search_path(program), "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", MARK: mark}
    # Runtimes size heaps and thread pools by the machine's memory and cores, of which a bot has but a part.
    bare["JAVA_TOOL_OPTIONS"] = java_options(memory)
    return bare | {name: str(CORES) for name in CORE_COUNTS} | command.environment


# --- strict and standard ---


def _wrapped(command: Command, program: str, sandbox: Sandbox, mark: str, shown: tuple[str, ...]) -> Cell:
    group = Group(sandbox.resources) if sandbox.level is Level.STRICT else None
    descriptors: list[int] = []
    try:
        descriptors.append(_reopened(_filter(sandbox.may_leave_group)))
        pictures = {}
        for path, picture in _pictures().items():
            descriptors.append(_reopened(picture))
            pictures[path] = descriptors[-1]
        inside = bubblewrap.Inside(
            argv=(program, *command.argv[1:]),
            folder=command.folder,
            readable=shown,
            writable=sandbox.writable,
            resources=sandbox.resources,
            user=users.next_user(),
            counted=group is not None,
        )
        words = bubblewrap.command(inside, descriptors[0], pictures)
        environment = _environment(command, program, bubblewrap.SCRATCH, mark, sandbox.resources.memory)
        return Cell(
            sandbox.level,
            group.entering(words) if group else words,
            "/",
            environment,
            tuple(descriptors),
            group=group,
            user=inside.user,
        )
    except BaseException:
        for descriptor in descriptors:
            os.close(descriptor)
        if group is not None:
            group.remove()
        raise


def _own(command: Command) -> tuple[str, ...]:
    """The bot's own folder, where that is what it is; a bare command only has the files that its words name."""
    return (command.folder,) if command.staged else ()


@cache
def _filter(may_leave_group: bool) -> int:
    """A descriptor of a file in memory with the seccomp program, open as long as this process."""
    return _in_memory(seccomp.program(may_leave_group=may_leave_group))


@cache
def _pictures() -> dict[str, int]:
    """The same of what stands in the place of files of /proc, by path."""
    return {path: _in_memory(text) for path, text in proc.pictures().items()}


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("khiva-arena")
    os.write(descriptor, data)
    return descriptor


def _reopened(descriptor: int) -> int:
    """Another descriptor of the same file, at its beginning."""
    return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)


def _namespace(pid: int) -> int | None:
    """The first process inside, the child of bwrap. None before it is there and after it is gone."""
    inner = usage.children(pid)
    return inner[0] if inner else None


# --- basic ---


def _basic(command: Command, program: str, sandbox: Sandbox, mark: str, shown: tuple[str, ...]) -> Cell:
    user = users.next_user()
    for path in (program, *_own(command), tempfile.gettempdir()) if user is not None else ():
        if closed := readable.closed_to_others(path):
            raise PermissionError(
                f"root's bots run as users of their own there, who may not pass {closed} to get at {os.path.realpath(path)}; "
                "play as an ordinary user, or move what is needed to where everybody may read it"
            )
    home = scratch.make(user)
    builds = sandbox.may_leave_group
    said = {
        "argv": [program, *command.argv[1:]],
        "folder": command.folder,
        "environment": _environment(command, program, home, mark, sandbox.resources.memory),
        "readable": [*shown, *(f"{proc.PROC}/{name}" for name in proc.AT_BASIC)],
        "writable": [home, *DEVICES, *sandbox.writable],
        "limits": {**system_limits(sandbox.resources, program), "NPROC": _process_limit(sandbox.resources, user)},
        "user": user,
        "parent": os.getpid(),
        "of_itself": proc.OF_ITSELF,
        "own_pid": seccomp.OWN_PID,
        "program": seccomp.program(may_leave_group=builds, hold_files=True).hex(),
        "program_with_signals": seccomp.program(may_leave_group=builds, hold_files=True, hold_signals=True).hex(),
    }
    words = [sys.executable, "-I", "-S", LAUNCHER, json.dumps(said)]
    return Cell(sandbox.level, words, "/", {"PATH": readable.BARE_PATH, MARK: mark}, scratch=home, user=user)


def _process_limit(resources: Resources, user: int | None) -> tuple[int, int]:
    """The system counts by user: a user of the bot's own has none yet, ours has many."""
    most = resources.processes if user is not None else _tasks_of_this_user() + SPARE_PROCESSES
    return most, most


@cache
def _tasks_of_this_user() -> int:
    own = os.geteuid()
    found = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):  # it ended while we looked
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == own:
                found += len(os.listdir(f"/proc/{name}/task"))
    return found


# --- trusted ---


def _trusted(command: Command, program: str, sandbox: Sandbox, mark: str, _shown: tuple[str, ...]) -> Cell:
    home = scratch.make(None)
    setpriv = shutil.which("setpriv")
    # It ties the bot's life to the thread that spawns it. Where it is missing, a bot whose arbiter is killed ends by the end
    # of its input alone. A preexec_fn could do the same, but makes a spawn twenty times slower.
    words = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
    prlimit = shutil.which("prlimit")
    if prlimit:
        words += [prlimit, *bubblewrap.limit_words(sandbox.resources, program), "--"]
    # Else they are set a moment after the start, and miss what a bot starts at once.
    limits = (
        None
        if prlimit
        else {getattr(resource, f"RLIMIT_{name}"): value for name, value in system_limits(sandbox.resources, program).items()}
    )
    environment = _environment(command, program, home, mark, sandbox.resources.memory)
    return Cell(
        sandbox.level,
        [*words, *stops.open_to_signals(), program, *command.argv[1:]],
        command.folder,
        environment,
        limits=limits,
        scratch=home,
    )


def sweep(level: Level) -> None:
    """Before a run: end and remove what arbiters that were killed have left, whatever level they played at."""
    reap.sweep()
    scratch.sweep()
    if level is Level.STRICT:
        cgroup.sweep(cgroup.home())
