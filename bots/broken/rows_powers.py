"""Rows of powers that a bot should not have, and of ways for two bots to talk behind the arbiter's back. As in rows_reach.py an
attack returns what it got, or raises OSError, and does no harm."""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import struct
import time

from system import SHARED_KEY, call, failed, got, in_child, read, told
from talk import row

# --- ways for two bots to talk ---


@row("probe")
def lock_system_file() -> str:
    """locks a file of the system, for another bot to see"""
    with open("/usr/bin/env", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return "a lock that others see"


@row("probe")
def lock_record() -> str:
    """locks a part of a file of the system"""
    with open("/usr/bin/env", "rb") as file:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return "a lock that others see"


@row("probe")
def lease() -> str:
    """takes a lease on a file of its own folder, which all its copies share"""
    with open(__file__, "rb") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        return "a lease"


@row("probe")
def shared_memory() -> str:
    """opens shared memory that another process made"""
    call("shmget", ctypes.c_int(int(told(SHARED_KEY))), ctypes.c_size_t(0), 0)
    return "shared memory"


@row("probe")
def shared_memory_file() -> str:
    """opens a file in /dev/shm that another process made"""
    return got(f"/dev/shm/khiva-zoo-{told(SHARED_KEY)}")


@row("probe")
def keyring() -> str:
    """looks at the keys of its user"""
    return f"key {call('keyctl', 0, ctypes.c_int(-4), 1)}"


# --- powers ---


@row("probe")
def clock() -> str:
    """sets the system's clock, to what it is"""
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return "the clock"


@row("probe")
def root() -> str:
    """becomes root"""
    os.setuid(0)
    return "root"


@row("probe")
def new_session() -> str:
    """leaves its process group"""
    in_child(os.setsid)
    return "a session of its own"


@row("probe")
def new_namespace() -> str:
    """makes itself a user namespace"""
    in_child(lambda: call("unshare", 0x10000000))
    return "a namespace"


@row("probe")
def mounts() -> str:
    """mounts a file system over its scratch folder"""
    home = os.environ["HOME"].encode()
    call("mount", b"none", home, b"tmpfs", ctypes.c_ulong(0), None)
    call("umount2", home, 0)
    return "a mount"


@row("probe")
def priority() -> str:
    """raises its own priority"""
    os.nice(-1)
    return "a better priority"


@row("probe")
def real_time() -> str:
    """asks to run before everybody else"""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return "real time"


@row("probe")
def disk_priority() -> str:
    """asks for the disk before everybody else"""
    call("ioprio_set", 1, 0, (1 << 13) | 4)
    return "the disk's real time"


@row("probe")
def locked_memory() -> str:
    """locks 16 MiB into memory"""
    memory = ctypes.create_string_buffer(1 << 24)
    if ctypes.CDLL(None, use_errno=True).mlock(memory, ctypes.c_size_t(len(memory))):
        failed(ctypes.get_errno())
    return "16 MiB"


@row("probe")
def io_uring() -> str:
    """asks the kernel for calls that no filter sees"""
    os.close(call("io_uring_setup", 1, ctypes.create_string_buffer(120)))
    return "a ring"


@row("probe")
def bpf() -> str:
    """loads a map into the kernel"""
    os.close(call("bpf", 0, struct.pack("=IIII", 2, 4, 4, 1), 16))
    return "a map"


@row("probe")
def counters() -> str:
    """counts what the whole processor does"""
    event = struct.pack("=IIQQQQQ", 1, 64, 0, 0, 0, 0, 0) + bytes(24)
    os.close(call("perf_event_open", event, ctypes.c_int(-1), 0, ctypes.c_int(-1), 0))
    return "a counter"


@row("probe")
def terminal() -> str:
    """opens the terminal that the arbiter was started from"""
    os.close(os.open("/dev/tty", os.O_RDWR))
    return "the terminal"


@row("probe")
def core_dump() -> str:
    """dumps a child's memory to disk"""
    pid = os.fork()
    if pid == 0:
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        os.chdir(os.environ["HOME"])
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        os.abort()
    if not os.WCOREDUMP(os.waitpid(pid, 0)[1]):
        failed(errno.EFBIG)
    return "a core dump"


@row("probe")
def load() -> str:
    """reads how busy the machine is: figures that never change tell nothing"""
    before = read("/proc/stat")
    time.sleep(0.05)
    if read("/proc/stat") == before:
        failed(errno.ENODATA)
    return "how busy the machine is"


@row("probe")
def kernel_log() -> str:
    """reads the kernel's log"""
    return got("/dev/kmsg")


@row("probe")
def devices() -> str:
    """opens the disk"""
    found = [f"/dev/{name}" for name in ("vda", "sda", "nvme0n1") if os.path.exists(f"/dev/{name}")]
    if not found:
        failed(errno.ENOENT)
    return got(found[0])
