"""Rows of attacks on what is not the bot's own. Each function tries one and returns what it reached, or raises OSError.

An attack that succeeds does no harm: signals are signal 0, for which the system makes the same checks; limits, priorities and
the clock are set to what they are.
"""

import ctypes
import errno
import os
import resource
import socket
import struct
import sys
from contextlib import suppress

from system import ARBITER, OTHER_BOT, STORE, call, failed, got, in_child, read, siblings, told
from talk import row

PUBLIC = ("/tmp", "/var/tmp")


def arbiter() -> int:
    """The arbiter's process. Where a bot has a world of its own, the first numbers are its own."""
    pid = int(told(ARBITER))
    if pid <= 3:
        failed(errno.ESRCH)
    return pid


def sibling() -> int:
    """Another bot of this match; where none is seen, whoever has a number near ours, as another bot would."""
    found = siblings() or [pid for pid in range(max(4, os.getpid() - 40), os.getpid() + 40) if pid != os.getpid() and lives(pid)]
    if not found:
        failed(errno.ESRCH)
    return found[0]


def lives(pid: int) -> bool:
    """Whether there is such a process: asked with signal 0, which tells it even where it is refused."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# --- the network and its cousins ---


def opened(*words: int) -> str:
    """A socket is all that it takes."""
    with socket.socket(*words) as made:
        return f"a socket of family {made.family}"


@row("probe")
def net_tcp() -> str:
    """opens a TCP socket"""
    return opened(socket.AF_INET, socket.SOCK_STREAM)


@row("probe")
def net_udp() -> str:
    """opens a UDP socket"""
    return opened(socket.AF_INET6, socket.SOCK_DGRAM)


@row("probe")
def net_unix() -> str:
    """opens a Unix socket"""
    return opened(socket.AF_UNIX, socket.SOCK_STREAM)


@row("probe")
def net_abstract() -> str:
    """listens on an abstract Unix socket"""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("\0khiva-zoo")
        return "a name that others can connect to"


@row("probe")
def net_vsock() -> str:
    """opens a socket to the host of this virtual machine"""
    return opened(40, socket.SOCK_STREAM)


@row("probe")
def net_netlink() -> str:
    """opens a socket to the kernel"""
    return opened(socket.AF_NETLINK, socket.SOCK_RAW)


@row("probe")
def net_packet() -> str:
    """opens a socket that sees all packets"""
    return opened(socket.AF_PACKET, socket.SOCK_RAW)


# --- the arbiter ---


@row("probe")
def arbiter_command() -> str:
    """reads the arbiter's command line"""
    return got(f"/proc/{arbiter()}/cmdline")


@row("probe")
def arbiter_environment() -> str:
    """reads the arbiter's environment"""
    return got(f"/proc/{arbiter()}/environ")


@row("probe")
def arbiter_memory() -> str:
    """reads the arbiter's memory"""
    return peek(arbiter())


@row("probe")
def arbiter_descriptors() -> str:
    """looks at what the arbiter has open"""
    return f"{len(os.listdir(f'/proc/{arbiter()}/fd'))} descriptors"


@row("probe")
def arbiter_signal() -> str:
    """may send the arbiter a signal"""
    os.kill(arbiter(), 0)
    return "the arbiter"


@row("probe")
def parent_signal() -> str:
    """may send its parent a signal"""
    if os.getppid() <= 1:
        failed(errno.ESRCH)
    os.kill(os.getppid(), 0)
    return "the parent"


@row("probe")
def parents_environment() -> str:
    """reads in the environments of its parents, theirs and so on, what is not in its own"""
    ours = set(read("/proc/self/environ").split(b"\0"))
    pid, refused = os.getppid(), errno.ESRCH
    while pid > 0:
        try:
            more = set(read(f"/proc/{pid}/environ").split(b"\0")) - ours
            if more:
                return f"{len(more)} variables of process {pid}"
        except OSError as error:
            refused = error.errno or refused
        pid = parent_of(pid)
    failed(refused)
    return ""


def parent_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


# --- the other bots ---


def peek(pid: int) -> str:
    """Eight bytes of another process: where its program begins is seen in its maps."""
    with open(f"/proc/{pid}/maps") as file:
        address = int(file.read().partition("-")[0], 16)
    into = ctypes.create_string_buffer(8)
    ours = struct.pack("@PN", ctypes.addressof(into), 8)
    theirs = struct.pack("@PN", address, 8)
    call("process_vm_readv", pid, ours, ctypes.c_ulong(1), theirs, ctypes.c_ulong(1), ctypes.c_ulong(0))
    return f"{len(into.raw)} bytes of memory"


@row("probe")
def others_seen() -> str:
    """looks for other bots of its match"""
    if not (found := siblings()):
        failed(errno.ESRCH)
    return f"processes {found}"


@row("probe")
def others_environment() -> str:
    """reads another bot's environment"""
    return got(f"/proc/{sibling()}/environ")


@row("probe")
def others_memory() -> str:
    """reads another bot's memory"""
    return peek(sibling())


@row("probe")
def others_stdout() -> str:
    """opens another bot's stdout"""
    os.close(os.open(f"/proc/{sibling()}/fd/1", os.O_WRONLY | os.O_NONBLOCK))
    return "its stdout"


@row("probe")
def others_stdin() -> str:
    """opens another bot's stdin"""
    os.close(os.open(f"/proc/{sibling()}/fd/0", os.O_RDONLY | os.O_NONBLOCK))
    return "its stdin"


@row("probe")
def others_signal() -> str:
    """may send another bot a signal"""
    os.kill(sibling(), 0)
    return "another bot"


@row("probe")
def others_trace() -> str:
    """traces another bot"""
    pid = sibling()
    # PTRACE_SEIZE does not stop it, and the end of the tracer sets it free.
    in_child(lambda: call("ptrace", 0x4206, pid, ctypes.c_void_p(0), ctypes.c_void_p(0)))
    return "another bot"


@row("probe")
def others_priority() -> str:
    """sets another bot's priority"""
    pid = sibling()
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))
    return "its priority"


@row("probe")
def others_limits() -> str:
    """sets another bot's limits"""
    pid = sibling()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))
    return "its limits"


@row("probe")
def others_cores() -> str:
    """sets the cores that another bot may use"""
    pid = sibling()
    os.sched_setaffinity(pid, os.sched_getaffinity(pid))
    return "its cores"


@row("probe")
def others_files() -> str:
    """reads another bot's files"""
    return got(told(OTHER_BOT))


# --- the run ---


@row("probe")
def leaves_notes() -> str:
    """looks for notes of its last match, and leaves some for the next one wherever it can"""
    own = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(folder, f"khiva-zoo-note-{told(ARBITER)}") for folder in (os.environ["HOME"], own, "/dev/shm", *PUBLIC)]
    reached = [path for path in paths if os.path.exists(path)]
    for path in paths:
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    if not reached:
        failed(errno.ENOENT)
    return " ".join(reached)


@row("probe")
def store_read() -> str:
    """reads the store of the run"""
    return got(told(STORE))


@row("probe")
def store_write() -> str:
    """opens the store of the run for writing"""
    os.close(os.open(told(STORE), os.O_WRONLY))
    return told(STORE)


@row("probe")
def store_list() -> str:
    """lists the folder of the run"""
    return f"{len(os.listdir(os.path.dirname(told(STORE))))} files"


@row("probe")
def passwords() -> str:
    """reads the system's passwords"""
    return got("/etc/shadow")


@row("probe")
def inherited() -> str:
    """looks for descriptors that it was not meant to have"""
    found = []
    for number in range(3, 1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    if not found:
        failed(errno.EBADF)
    return f"descriptors {found}"


@row("probe")
def own_folder() -> str:
    """writes into the folder that it runs from"""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes")
    with open(path, "w"):
        os.unlink(path)
    return path


@row("probe")
def own_program() -> str:
    """opens its own program for writing"""
    os.close(os.open(__file__, os.O_WRONLY))
    return __file__


@row("probe")
def elsewhere() -> str:
    """writes into folders that everybody may write to"""
    reached = [folder for folder in (*PUBLIC, "/run", "/dev", "/") if writable(folder)]
    if not reached:
        failed(errno.EACCES)
    return " ".join(reached)


def writable(folder: str) -> bool:
    try:
        path = os.path.join(folder, f"khiva-zoo-{sys.argv[-1]}")
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(path)
    except OSError:
        return False
    return True
