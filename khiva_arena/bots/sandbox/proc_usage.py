"""The use that a bot's processes make of memory and processor, read from /proc.

A look costs some 20 microseconds a process, whatever the bot does.
"""

import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from khiva_arena.bots.sandbox import reap, system

OF_ITS_OWN = ("\nRssAnon:", "\nRssShmem:", "\nVmSwap:", "\nVmPTE:")
SHARED_OUT = ("\nPss_Anon:", "\nPss_Shmem:", "\nSwapPss:")
TABLES = ("\nVmPTE:",)
LONGEST_NUMBER = 40
PROCESSES_SEEN = TASKS_SEEN = 128
DESCRIPTORS_SEEN = 10_000
TICK = 1 / os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """The use of a whole tree of processes.

    memory: bytes that no file backs
    tasks: threads of all processes
    cpu: seconds, those of children that were waited for included
    """

    memory: int
    tasks: int
    cpu: float


class ThreadTime(NamedTuple):
    """The processor time of one thread so far.

    delay: seconds for which it was ready to run and waited for a core
    cpu: seconds for which it had one
    as_started: True if it gets a core as the arbiter would: it has made itself no nicer
        and keeps to no core
    """

    delay: float
    cpu: float
    as_started: bool = True


def tree(pid: int, limit: int) -> list[int]:
    """Return a process that the arbiter started and its living descendants, ``limit``
    at the most, including those without their parents.
    """
    return trees([pid], limit)[pid]


def trees(pids: Collection[int], limit: int) -> dict[int, list[int]]:
    """Return by process its living descendants and itself, with one look at orphans for
    all.
    """
    return {
        pid: _descendants([pid, *orphans], limit) for pid, orphans in reap.orphans(pids).items()
    }


def _descendants(pids: list[int], limit: int) -> list[int]:
    for process in pids:  # the list grows meanwhile
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                pids += [
                    int(child) for child in _read(f"/proc/{process}/task/{task}/children").split()
                ]
                if len(pids) >= limit:
                    return pids[:limit]
        except OSError:
            continue  # it ended meanwhile
    return pids


def children(pid: int) -> list[int]:
    """Return a single-threaded process's living children."""
    try:
        return [int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()]
    except OSError:
        return []


def usage(pids: Sequence[int], memory_limit: int) -> Usage:
    """Return the use of these processes. For a limit of 0 memory is not looked at.

    Pages that several processes share, as after a fork, are first counted for each of
    them. Their shares, which the system takes long to work out, are asked for only if
    that sum is above ``memory_limit``.
    """
    memory = tasks = 0
    cpu = 0.0
    for pid in pids:
        try:
            fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        # Behind the name: state is field 3 of proc(5), so utime, stime, cutime, cstime
        # (14-17), num_threads (20).
        cpu += sum(map(int, fields[11:15])) * TICK
        tasks += int(fields[17])
        memory += _sum_of_lines(pid, "status", OF_ITS_OWN) if memory_limit else 0
    if memory > memory_limit > 0:
        memory = sum(own_memory(pid) for pid in pids)
    return Usage(memory, tasks, cpu)


def thread_times(pids: Iterable[int]) -> dict[int, ThreadTime]:
    """Return the processor time of the threads of these processes, by thread:
    TASKS_SEEN at most, none if the kernel keeps no such figures.
    """
    times: dict[int, ThreadTime] = {}
    count = 0
    ours = system.scheduling(0)
    for process in pids:
        try:
            tasks = os.listdir(f"/proc/{process}/task")
            group = _is_as_nice_as_new(process)
        except OSError:
            continue  # it ended meanwhile
        for task in tasks[: TASKS_SEEN - count]:
            count += 1
            try:
                cpu, delay, _ = map(int, _read(f"/proc/{process}/task/{task}/schedstat").split())
                as_started = group and system.scheduling(int(task)) == ours
            except (OSError, ValueError):
                continue  # the same, or the kernel keeps no such figures
            times[int(task)] = ThreadTime(delay / 1e9, cpu / 1e9, as_started)
    return times


def own_delay() -> float:
    """Return the seconds for which the calling thread was ready to run and waited for a
    core; 0.0 if the kernel does not say.
    """
    try:
        return int(_read("/proc/thread-self/schedstat").split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _is_as_nice_as_new(process: int) -> bool:
    """Tell whether the session of a process has the niceness of a new one, as bots are
    started in. True where sessions have none.
    """
    try:
        return _read(f"/proc/{process}/autogroup").endswith(" nice 0\n")
    except FileNotFoundError:
        return True


def own_memory(pid: int) -> int:
    """Return the bytes in memory that no file backs, those written to swap and those of
    page tables included.

    Pages that several processes share are divided among them, if the kernel says how
    many do; else each counts them.
    """
    shared_out = _sum_of_lines(pid, "smaps_rollup", SHARED_OUT)
    return (
        shared_out + _sum_of_lines(pid, "status", TABLES)
        if shared_out
        else _sum_of_lines(pid, "status", OF_ITS_OWN)
    )


def _sum_of_lines(pid: int, name: str, prefixes: tuple[str, ...]) -> int:
    """Return the bytes that a file of a process's folder in /proc gives in all lines
    that begin with one of ``prefixes``.
    """
    try:
        text = _read(f"/proc/{pid}/{name}")
    except OSError:
        return 0  # an old kernel, or it ended meanwhile
    total = 0
    for prefix in prefixes:
        _, separator, rest = text.partition(prefix)
        total += int(rest[:LONGEST_NUMBER].split()[0]) if separator else 0
    return total * 1024


class ScratchUse(NamedTuple):
    """The use of a folder and all below it.

    size: bytes on disk
    entries: number of files, folders and links
    """

    size: int
    entries: int


def scratch_use(folder: str, limit: int) -> ScratchUse:
    """Return the use of a folder and all below it. Links are not followed.

    The look ends at ``limit`` entries. It also returns ``limit`` entries where modes or
    names too long keep it out: there may be any number.
    """
    size = entries = 0
    todo = [folder]
    while todo and entries < limit:
        try:
            with os.scandir(todo.pop()) as folder_entries:
                for entry in folder_entries:
                    entries += 1
                    size += _on_disk(entry)
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    if entries >= limit:
                        break
        except (FileNotFoundError, NotADirectoryError):
            continue  # it was removed meanwhile
        except OSError:
            return ScratchUse(size, limit)
    return ScratchUse(size, entries)


def _on_disk(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except FileNotFoundError:
        return 0  # it was removed meanwhile


def nameless_size(pids: list[int], folder: str) -> int:
    """Return the bytes on a folder's disk in nameless files, which are there as long as
    one of these processes has them open.

    At most DESCRIPTORS_SEEN descriptors are looked at.
    """
    sizes: dict[int, int] = {}
    count = 0
    with suppress(OSError):
        device = os.stat(folder).st_dev
        for pid in pids:
            for path in _descriptors(pid)[: DESCRIPTORS_SEEN - count]:
                count += 1
                with suppress(OSError):  # it was closed meanwhile
                    status = os.stat(path)
                    if status.st_nlink == 0 and status.st_dev == device:
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _descriptors(pid: int) -> list[str]:
    """Return the paths of all descriptors that a process has open; none if they cannot
    be seen.
    """
    try:
        return [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return []


def open_files(pid: int) -> int:
    """Return how many descriptors a process has open; 0 if that cannot be seen."""
    return len(_descriptors(pid))


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 65_536).decode("ascii", "replace")
    finally:
        os.close(descriptor)
