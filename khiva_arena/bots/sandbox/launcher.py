"""Level basic: restrict this process by the means that the kernel gives any user, then
become the bot.

It runs in a Python of its own, see ``basic.START``, and needs nothing but the standard
library. Its means: limits, another user if root starts it, no new privileges, Landlock
for files and, if the kernel has them, network and signals, and a seccomp filter. A
failure here comes before the bot runs.

Each start of a bot waits for this, so it imports only modules that load little: the
modules in C that are below os, ctypes and signal. os, ctypes and signal themselves
would take half as long as Python.
"""

import _ctypes
import _signal as signal  # type: ignore[import-not-found]
import marshal
import posix
import resource
import sys
from _struct import pack

FAILED = 126
SAYS = "khiva-arena launcher: "
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
SET_DEATH_SIGNAL, SET_NO_NEW_PRIVS, SET_SECCOMP = 1, 38, 22
# Landlock's rights: of a file, of a folder, and those that came later, by the version
# that brought them.
EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_AND_MAKE = sum(
    1 << bit for bit in (4, 5, 7, 8, 9, 10, 12)
)  # all but devices: folders, files, sockets, pipes, links
FILES = (1 << 13) - 1
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
CONNECT_AND_BIND = 3
SCOPES = 3  # abstract sockets and signals
SIGNALS_SINCE = 6
FOLDER, KIND_OF_FILE = 0o040000, 0o170000


class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """A number as wide as a register: an int alone would be passed as 32 bits."""

    _type_ = "l"


class Byte(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """A byte of a buffer."""

    _type_ = "B"


class Function(_ctypes.CFuncPtr):
    """A function of the C library."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Long


def landlock_version(syscall) -> int:  # type: ignore[no-untyped-def]
    """Return the version of Landlock that the kernel offers; 0 if it offers none."""
    return max(0, int(syscall(CREATE_RULESET, None, Long(0), 1)))


def fail(action: str) -> "None":
    """Write the reason on stderr and end."""
    posix.write(
        2, f"{SAYS}{action}\n".encode(errors="backslashreplace")
    )  # a bot's first line may name any path
    posix._exit(FAILED)


def checked(syscall, action: str, *words) -> int:  # type: ignore[no-untyped-def]
    """Make a system call that must not fail, and return its result."""
    result = int(syscall(*words))
    if result < 0:
        fail(f"{action}: {posix.strerror(_ctypes.get_errno())}")
    return result


def restrict_files(  # type: ignore[no-untyped-def]
    syscall, version: int, readable: list[str], writable: list[str], network: bool
) -> int:
    """Make a ruleset that allows reading and running ``readable`` paths, everything in
    ``writable`` ones, and TCP with ``network``.
    """
    handled = (
        FILES
        | (REFER if version >= 2 else 0)
        | (TRUNCATE if version >= 3 else 0)
        | (DEVICE_CONTROL if version >= 5 else 0)
    )
    net = CONNECT_AND_BIND if version >= 4 and not network else 0
    scoped = SCOPES if version >= SIGNALS_SINCE else 0
    attributes = pack("=QQQ", handled, net, scoped)[
        : 8 if version < 4 else 16 if version < SIGNALS_SINCE else 24
    ]
    ruleset = checked(syscall, "Landlock", CREATE_RULESET, attributes, Long(len(attributes)), 0)
    # Landlock refuses a ruleset with rights that its version does not know.
    truncate = TRUNCATE if version >= 3 else 0
    for paths, for_folder, for_file in (
        (readable, EXECUTE | READ | LIST, EXECUTE | READ),
        (
            writable,
            READ
            | WRITE
            | LIST
            | EXECUTE
            | REMOVE_AND_MAKE
            | truncate
            | (REFER if version >= 2 else 0),
            READ | WRITE,
        ),
    ):
        for path in paths:
            try:
                at = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
            except FileNotFoundError:
                continue
            allowed = for_folder if posix.fstat(at).st_mode & KIND_OF_FILE == FOLDER else for_file
            checked(syscall, path, ADD_RULE, ruleset, 1, pack("=Qi", allowed, at), 0)
            posix.close(at)
    return ruleset


def filter_calls(prctl, program: bytes) -> None:  # type: ignore[no-untyped-def]
    """Have the kernel filter the calls of this process by a program, for good."""
    buffer = (Byte * len(program)).from_buffer_copy(program)
    filter_ = pack("@HP", len(program) // 8, _ctypes.addressof(buffer))
    if prctl(SET_SECCOMP, 2, filter_, 0, 0) != 0:
        fail(f"seccomp: {posix.strerror(_ctypes.get_errno())}")


def set_limits(limits: dict[str, list[int]]) -> None:
    """Set RLIMIT_<name> to soft and hard values; none is raised above the value that
    this process has.
    """
    for name, (soft, hard) in limits.items():
        limit = getattr(resource, f"RLIMIT_{name}")
        most = resource.getrlimit(limit)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(limit, (soft, hard))


def become(user: int) -> None:
    """Become another user, for good."""
    posix.setgroups([])
    posix.setresgid(user, user, user)
    posix.setresuid(user, user, user)


def main() -> None:
    """Restrict this process and become the bot. ``argv[1]``: the orders of ``basic``,
    marshalled by the same Python, in hex.
    """
    request = marshal.loads(bytes.fromhex(sys.argv[1]))
    libc = _ctypes.dlopen(None, posix.RTLD_NOW)  # type: ignore[arg-type]
    syscall, prctl = (Function(_ctypes.dlsym(libc, name)) for name in ("syscall", "prctl"))
    version = landlock_version(syscall)
    if not version:
        fail("this kernel has no Landlock")
    own = [f"/proc/{posix.getpid()}/{name}" for name in request["of_itself"]]
    ruleset = restrict_files(
        syscall, version, [*request["readable"], *own], request["writable"], request["network"]
    )
    posix.chdir(request["folder"])
    set_limits(request["limits"])
    if request["user"] is not None:
        become(request["user"])
    prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if posix.getppid() != request["parent"]:
        posix._exit(FAILED)  # the arbiter died before this process asked to die with it
    if prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        fail("no_new_privs is refused")
    checked(syscall, "Landlock", RESTRICT_SELF, ruleset, 0)
    posix.close(ruleset)
    program = request["program_with_signals" if version < SIGNALS_SINCE else "program"]
    # The filter lets a process signal itself alone, and its number is known only here.
    program = program.replace(pack("=I", request["own_pid"]), pack("=I", posix.getpid()))
    filter_calls(prctl, program)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and a bot would inherit that
    try:
        handed = {name: posix.environ[name.encode()] for name in request["handed"]}
        posix.execve(request["argv"][0], request["argv"], request["environment"] | handed)
    except OSError as error:
        fail(f"{request['argv'][0]}: {error.strerror}")
