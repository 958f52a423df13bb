"""The first attempts of a hostile bot, tried for real from inside a level: a script,
which ``detect.py`` runs.

``argv[1]`` is JSON. It holds the arbiter's process number, and a file and a folder of
the arbiter that file modes alone would let anyone use. It also holds the system calls
that a bot is refused, with the error that each is to fail with. The script prints JSON:
by kind, the attempts that succeeded. An attempt that succeeds does no harm.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
from contextlib import suppress

NEW_USER = 0x10000000
OFD_LOCK = 37
SHARED_FILE = "/usr/bin/env"
MIB = 1 << 20
PLENTY = 32 * MIB
# Changes to a file of one's own user that need no opening, or only a descriptor that
# reads.
CHANGES = (
    (os.chmod, (0o666,)),
    (os.chown, (-1, -1)),
    (os.utime, ()),
    (os.truncate, (1,)),
    *([(os.setxattr, ("user.khiva-arena", b"was here"))] if hasattr(os, "setxattr") else []),
)
BY_DESCRIPTOR = ((os.fchmod, (0o644,)), (os.fchown, (-1, -1)))


def succeeds(attempt) -> bool:  # type: ignore[no-untyped-def]
    """Tell whether an attempt succeeds: it raises no OSError, and the system has the
    means for it.
    """
    try:
        attempt()
    except (OSError, AttributeError):
        return False
    return True


def write(folder: str, size: int = 1) -> None:
    """Make a file, and remove it again."""
    path = os.path.join(folder, f"khiva-arena-attempt-{os.getpid()}")
    try:
        with open(path, "wb") as file:
            file.writelines(b"x" * MIB for _ in range(0, size, MIB))
    finally:
        with suppress(OSError):
            os.unlink(path)


def read(path: str) -> None:
    """Read a file, a folder or the target of a link."""
    if os.path.islink(path):
        os.readlink(path)
    elif os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            if not file.read(1):
                raise OSError("nothing in it")


def changes_of(how, words) -> None:  # type: ignore[no-untyped-def]
    """Change a file that one may read, through the descriptor."""
    with open(__file__, "rb") as file:
        how(file.fileno(), *words)


def nodes() -> list[str]:
    """List the machine's devices, including those in a folder that cannot be listed."""
    names = {"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "pts/ptmx"}
    with suppress(OSError):
        names |= {name for name in os.listdir("/dev") if not os.path.isdir(f"/dev/{name}")}
    return [f"/dev/{name}" for name in sorted(names)]


def inherited() -> None:
    """Use a descriptor that nobody gave this process."""
    if not any(succeeds(lambda number=number: os.fstat(number)) for number in range(3, 256)):
        raise OSError("none")


def locked(lock) -> None:  # type: ignore[no-untyped-def]
    """Lock a file that every bot can see: two bots could communicate in this way."""
    with open(SHARED_FILE, "rb") as file:
        lock(file.fileno())


def in_child(attempt) -> None:  # type: ignore[no-untyped-def]
    """Make the attempt in a child, which ends with it."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if succeeds(attempt) else 1)
    if os.waitpid(pid, 0)[1]:
        raise PermissionError


def clone_into_namespace(number: int) -> None:
    """Start a child in a user namespace of its own, where it would be root. ``number``:
    of the call, 0 if it is not known.
    """
    if not number:
        raise OSError("no such call")
    pid = ctypes.CDLL(None, use_errno=True).syscall(
        number, NEW_USER | signal.SIGCHLD, None, None, None, None
    )
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(pid, 0)


def own_by(arbiter: int) -> None:
    """Have the system signal another process whenever something comes down a pipe of
    this one. 0 bytes come.
    """
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(reading, fcntl.F_SETOWN, arbiter)
    finally:
        os.close(reading)
        os.close(writing)


def set_limit_of(pid: int) -> None:
    """Set another process's limit to its present value."""
    resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))


def calls_let_through(calls: dict[str, list[int]]) -> list[str]:
    """Return the calls that are not refused, or with another error. All are to be
    refused, and get senseless arguments.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    through = []
    for name, (number, error) in calls.items():
        ctypes.set_errno(0)
        result = libc.syscall(number, 1, 0, 0, 0, 0, 0)
        if (result, ctypes.get_errno()) != (-1, error):
            through.append(
                f"{name} ({result}, {errno.errorcode.get(ctypes.get_errno(), 'no error')})"
            )
    return through


def attempts(said: dict) -> dict:  # type: ignore[type-arg]
    """Return the attempts by kind and name."""
    arbiter, folder = said["arbiter"], said["folder"]
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    families = ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK", "AF_PACKET")
    of_arbiter = ("cmdline", "environ", "cwd", "root", "exe", "fd", "maps", "mem", "task", "status")
    return {
        "network": {
            name: lambda name=name: socket.socket(getattr(socket, name), socket.SOCK_DGRAM).close()
            for name in families
        },
        "read": {
            path: lambda path=path: read(path) for path in (said["file"], folder, "/etc/passwd")
        }
        | {"a descriptor": inherited},
        "write": {
            path: lambda path=path: write(path)
            for path in (
                folder,
                "/",
                "/dev",
                "/tmp",
                "/usr",
                "/var/tmp",
                os.path.dirname(os.path.abspath(__file__)),
            )
        }
        | {"32 MiB to /dev/shm": lambda: write("/dev/shm", PLENTY)}
        | {
            f"{how.__name__} of its file": lambda how=how, words=words: how(said["file"], *words)
            for how, words in CHANGES
        }
        | {
            f"{how.__name__} of {path}": lambda how=how, path=path, words=words: how(path, *words)
            for path in nodes()
            for how, words in ((os.utime, ()), (os.chown, (-1, -1)))
        }
        | {
            f"{how.__name__} of the program": lambda how=how, words=words: changes_of(how, words)
            for how, words in BY_DESCRIPTOR
        },
        "spy": {name: lambda name=name: read(f"/proc/{arbiter}/{name}") for name in of_arbiter},
        "signal": {
            "kill": lambda: os.kill(arbiter, 0),
            "group": lambda: os.killpg(os.getpgid(arbiter) or arbiter, 0),
            "pidfd": lambda: signal.pidfd_send_signal(os.pidfd_open(arbiter), 0),
            "owner": lambda: own_by(arbiter),
        },
        "change": {
            "limit": lambda: set_limit_of(arbiter),
            "own cores": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
            "cores": lambda: os.sched_setaffinity(arbiter, os.sched_getaffinity(arbiter)),
            "priority": lambda: os.setpriority(
                os.PRIO_PROCESS, arbiter, os.getpriority(os.PRIO_PROCESS, arbiter)
            ),
        },
        "lock": {
            "flock": lambda: locked(lambda file: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
            "fcntl": lambda: locked(lambda file: fcntl.fcntl(file, fcntl.F_SETLK, lock)),
            "description": lambda: locked(lambda file: fcntl.fcntl(file, OFD_LOCK, lock)),
            "lease": lambda: locked(
                lambda file: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            ),
        },
        "leave": {
            "session": lambda: in_child(os.setsid),
            "group": lambda: in_child(os.setpgrp),
            "namespace": lambda: clone_into_namespace(said["clone"]),
        },
        "scratch": {"HOME": lambda: write(os.environ["HOME"])},
    }


def main() -> None:
    """Make all attempts and print the result."""
    request = json.loads(sys.argv[1])
    succeeded = {
        kind: [name for name, attempt in some.items() if succeeds(attempt)]
        for kind, some in attempts(request).items()
    }
    print(json.dumps(succeeded | {"kernel": calls_let_through(request["calls"])}))


if __name__ == "__main__":
    main()
