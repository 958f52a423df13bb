"""What a bot's processes use, read from /proc: a look costs some 20 microseconds a process, whatever the bot does."""

import os
from typing import NamedTuple

from khiva_arena.arbiter import reap

PAGE = os.sysconf("SC_PAGE_SIZE")
TASKS_SEEN = 128
TICK = 1 / os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """Of a whole tree: bytes of memory that are its own, threads of all processes, seconds of CPU (those of children that were
    waited for included)."""

    memory: int
    tasks: int
    cpu: float


def tree(pid: int, most: int) -> list[int]:
    """A process that we started and its living descendants, ``most`` at the most; those that left their parents behind, too."""
    found = [pid, *reap.orphans(pid)]
    for process in found:  # it grows while we go
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                found += [int(child) for child in _read(f"/proc/{process}/task/{task}/children").split()]
                if len(found) >= most:
                    return found[:most]
        except OSError:
            continue  # it ended while we looked
    return found


def children(pid: int) -> list[int]:
    """A single-threaded process's living children."""
    try:
        return [int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()]
    except OSError:
        return []


def usage(pids: list[int], memory_limit: int) -> Usage:
    """What these processes use. Memory is read precisely only where it may be near ``memory_limit``: pages that a process
    shares with files are first counted in, and stay so for a limit of 0."""
    memory = tasks = 0
    cpu = 0.0
    for pid in pids:
        try:
            fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        # Behind the name: state is field 3 of proc(5), so utime, stime, cutime, cstime (14-17), num_threads (20), rss (24).
        cpu += sum(map(int, fields[11:15])) * TICK
        tasks += int(fields[17])
        memory += int(fields[21]) * PAGE
    if memory > memory_limit > 0:
        memory = sum(own_memory(pid) for pid in pids)
    return Usage(memory, tasks, cpu)


def run_delay(pid: int) -> float:
    """Seconds for which a process tree was ready to run and waited for a core: the thread that waited longest. At most
    TASKS_SEEN threads are looked at. 0.0 where the kernel keeps no such figures."""
    longest = seen = 0
    for process in tree(pid, TASKS_SEEN):
        try:
            tasks = os.listdir(f"/proc/{process}/task")
        except OSError:
            continue  # it ended while we looked
        for task in tasks[: TASKS_SEEN - seen]:
            seen += 1
            try:
                longest = max(longest, int(_read(f"/proc/{process}/task/{task}/schedstat").split()[1]))
            except (OSError, IndexError, ValueError):
                continue  # the same, or the kernel keeps no such figures
    return longest / 1e9


def own_memory(pid: int) -> int:
    """Bytes in memory that no file backs. Pages that several processes share, as after a fork, are shared out among them, where
    the kernel says how many do; else each counts them."""
    for name, wanted in (("smaps_rollup", ("Pss_Anon:", "Pss_Shmem:")), ("status", ("RssAnon:", "RssShmem:"))):
        try:
            lines = _read(f"/proc/{pid}/{name}").splitlines()
        except OSError:
            continue  # an old kernel, or it ended while we looked
        found = [int(line.split()[1]) * 1024 for line in lines if line.startswith(wanted)]
        if found:
            return sum(found)
    return 0


def scratch_use(folder: str, most: int) -> tuple[int, int]:
    """Bytes on disk and entries in a folder and below it; stops looking at ``most`` entries. Links are not followed."""
    size = entries = 0
    todo = [folder]
    while todo and entries < most:
        try:
            with os.scandir(todo.pop()) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    if entries >= most:
                        break
        except OSError:
            continue  # it was removed while we looked, or its modes keep us out
    return size, entries


def open_files(pid: int) -> int:
    """How many descriptors a process has open; 0 where that cannot be seen."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 65_536).decode("ascii", "replace")
    finally:
        os.close(descriptor)
