"""Level basic: restrict this process by the means that the kernel gives any user, then become the bot. Runs in a Python of its
own, see ``basic.START``.

Needs nothing but the standard library: limits, another user if root starts it, no new privileges, Landlock for files and,
if the kernel has them, network and signals, and a seccomp filter. Whatever fails here fails before the bot runs.

Each start of a bot waits for this, so it imports what loads little: json and signal would take as long as Python itself.
"""

import _signal as signal  # type: ignore[import-not-found]
import ctypes
import marshal
import os
import resource
import struct
import sys

FAILED = 126
SAYS = "khiva-arena launcher: "
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
SET_DEATH_SIGNAL, SET_NO_NEW_PRIVS, SET_SECCOMP = 1, 38, 22
# Landlock's rights: of a file, of a folder, and those that came later, by the version that brought them.
EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_AND_MAKE = sum(1 << bit for bit in (4, 5, 7, 8, 9, 10, 12))  # all but devices: folders, files, sockets, pipes, links
FILES = (1 << 13) - 1
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
CONNECT_AND_BIND = 3
SCOPES = 3  # abstract sockets and signals
SIGNALS_SINCE = 6


def landlock_version(libc) -> int:  # type: ignore[no-untyped-def]
    """What the kernel offers; 0 if it offers nothing."""
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def fail(what: str) -> "None":
    """Say why and end."""
    os.write(2, f"{SAYS}{what}\n".encode())
    os._exit(FAILED)


def checked(libc, what: str, *words) -> int:  # type: ignore[no-untyped-def]
    """A system call that must not fail."""
    result = int(libc.syscall(*words))
    if result < 0:
        fail(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def restrict_files(  # type: ignore[no-untyped-def]
    libc, version: int, readable: list[str], writable: list[str], network: bool
) -> int:
    """A ruleset that allows reading and running what is readable, everything in what is writable, and TCP with ``network``."""
    handled = FILES | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0) | (DEVICE_CONTROL if version >= 5 else 0)
    net = CONNECT_AND_BIND if version >= 4 and not network else 0
    scoped = SCOPES if version >= SIGNALS_SINCE else 0
    attributes = struct.pack("=QQQ", handled, net, scoped)[: 8 if version < 4 else 16 if version < SIGNALS_SINCE else 24]
    ruleset = checked(libc, "Landlock", CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    truncate = TRUNCATE if version >= 3 else 0
    for paths, for_folder, for_file in (
        (readable, EXECUTE | READ | LIST, EXECUTE | READ),
        (writable, READ | WRITE | LIST | EXECUTE | REMOVE_AND_MAKE | truncate | (REFER if version >= 2 else 0), READ | WRITE),
    ):
        for path in paths:
            try:
                at = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            allowed = for_folder if os.path.isdir(path) else for_file
            checked(libc, path, ADD_RULE, ruleset, 1, struct.pack("=Qi", allowed, at), 0)
            os.close(at)
    return ruleset


def set_limits(limits: dict[str, list[int]]) -> None:
    """RLIMIT_<name>: soft and hard; none is raised above what we have."""
    for name, (soft, hard) in limits.items():
        which = getattr(resource, f"RLIMIT_{name}")
        allowed = resource.getrlimit(which)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(which, (soft, hard))


def become(user: int) -> None:
    """Become another user, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def main() -> None:
    """``argv[1]``: the orders that ``basic`` gives, marshalled, in hex; who wrote them runs the same Python."""
    request = marshal.loads(bytes.fromhex(sys.argv[1]))
    libc = ctypes.CDLL(None, use_errno=True)
    version = landlock_version(libc)
    if not version:
        fail("this kernel has no Landlock")
    own = [f"/proc/{os.getpid()}/{name}" for name in request["of_itself"]]
    ruleset = restrict_files(libc, version, [*request["readable"], *own], request["writable"], request["network"])
    os.chdir(request["folder"])
    set_limits(request["limits"])
    if request["user"] is not None:
        become(request["user"])
    libc.prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != request["parent"]:
        os._exit(FAILED)  # the arbiter died before we asked to die with it
    if libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        fail("no_new_privs is refused")
    checked(libc, "Landlock", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    program = request["program_with_signals" if version < SIGNALS_SINCE else "program"]
    program = program.replace(struct.pack("=I", request["own_pid"]), struct.pack("=I", os.getpid()))
    buffer = ctypes.create_string_buffer(program)
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer)))
    if libc.prctl(SET_SECCOMP, 2, filter_, 0, 0) != 0:
        fail(f"seccomp: {os.strerror(ctypes.get_errno())}")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and a bot would inherit that
    # The arbiter holds them back until a bot is there, see stops.py.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        handed = {name: os.environ[name] for name in request["handed"]}
        os.execve(request["argv"][0], request["argv"], request["environment"] | handed)
    except OSError as error:
        fail(f"{request['argv'][0]}: {error.strerror}")
