"""The view that a bot has of /proc for the machine as a whole.

Files that never change are shown as they are. Files by which runtimes choose their size
are shown as a copy that never changes. The rest is hidden: one bot could change its
counters and another one read them. The names that are let through are listed, so that a
file that a newer kernel adds is hidden.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

PROC = "/proc"
EMPTY = "/empty"
"""The name of a folder that hides other folders, in that of ``prepared.Prepared``."""
NOTHING = "/dev/null"
"""The file that hides other files."""
# Shown as the kernel has them: the same from its start on, or a bot's own (links into
# its own folder, its own namespaces).
STILL = {
    *(
        "acpi",
        "bus",
        "config.gz",
        "consoles",
        "devices",
        "dma",
        "driver",
        "dynamic_debug",
        "execdomains",
        "fb",
        "filesystems",
    ),
    *(
        "iomem",
        "ioports",
        "kallsyms",
        "misc",
        "mounts",
        "mtrr",
        "net",
        "partitions",
        "scsi",
        "self",
        "sysvipc",
        "thread-self",
    ),
    *("tty", "version", "version_signature"),
}
# Settings that runtimes and libraries ask for; an administrator changes them, no bot
# does.
SETTINGS = (
    *("vm/overcommit_memory", "vm/overcommit_ratio", "vm/max_map_count", "vm/mmap_min_addr"),
    *(
        "kernel/osrelease",
        "kernel/ostype",
        "kernel/version",
        "kernel/pid_max",
        "kernel/threads-max",
        "kernel/cap_last_cap",
    ),
    *(
        "kernel/ngroups_max",
        "kernel/core_pattern",
        "kernel/randomize_va_space",
        "kernel/yama/ptrace_scope",
    ),
    *(
        "kernel/perf_event_paranoid",
        "kernel/unprivileged_bpf_disabled",
        "kernel/seccomp/actions_avail",
    ),
    *(
        "fs/file-max",
        "fs/nr_open",
        "fs/pipe-max-size",
        "fs/overflowuid",
        "fs/overflowgid",
        "crypto/fips_enabled",
    ),
)
# Lines of /proc/meminfo as on an idle machine; all other lines are 0.
TRUE = ("MemTotal", "SwapTotal", "Hugepagesize", "VmallocTotal")
AS_IF_IDLE = {"MemFree": "MemTotal", "MemAvailable": "MemTotal", "SwapFree": "SwapTotal"}
# Files that a process may read of itself if Landlock is all that there is: the folder
# as a whole would bring `net`, which is the machine's there, and `task`, which has it
# as well. No links (cwd, exe, root): Landlock would allow their targets.
OF_ITSELF = (
    *(
        "auxv",
        "cgroup",
        "clear_refs",
        "cmdline",
        "comm",
        "coredump_filter",
        "environ",
        "fd",
        "fdinfo",
        "gid_map",
    ),
    *(
        "io",
        "limits",
        "loginuid",
        "map_files",
        "maps",
        "mem",
        "mountinfo",
        "mounts",
        "mountstats",
        "ns",
        "numa_maps",
        "oom_adj",
    ),
    *(
        "oom_score",
        "oom_score_adj",
        "pagemap",
        "personality",
        "projid_map",
        "sched",
        "schedstat",
        "sessionid",
        "setgroups",
    ),
    *(
        "smaps",
        "smaps_rollup",
        "stack",
        "stat",
        "statm",
        "status",
        "syscall",
        "timers",
        "timerslack_ns",
        "uid_map",
        "wchan",
    ),
)
# At level basic: no counter of the machine's among them. Node and mono ask sysinfo(2)
# if they find no meminfo.
AT_BASIC = ("cpuinfo", "filesystems", "version", *(f"sys/{name}" for name in SETTINGS))


@cache
def pictures() -> Mapping[str, bytes]:
    """Return the contents that replace files that runtimes read, by path; made once for
    a process, so that all bots see the same.
    """
    texts = {f"{PROC}/sys/{name}": _text(f"sys/{name}") for name in SETTINGS}
    texts |= {f"{PROC}/stat": _stat(), f"{PROC}/meminfo": _meminfo(), f"{PROC}/cgroups": _cgroups()}
    texts[f"{PROC}/cpuinfo"] = _text(
        "cpuinfo"
    )  # it shows the speed of each core, which follows its load
    return {path: text for path, text in texts.items() if text}


@cache
def hidden() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders and the files of /proc that are to be covered. Files for root
    alone are none of them: no bot is root.
    """
    folders, files = [], []
    for name in sorted(os.listdir(PROC)):
        path = f"{PROC}/{name}"
        if name.isdigit() or name in STILL or path in pictures():
            continue
        with suppress(OSError):  # it is gone already
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode):
                folders.append(path)
            elif mode & stat.S_IROTH:
                files.append(path)
    return tuple(folders), tuple(files)


def covers(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the source and the path of each mount that hides or replaces a file or
    folder of /proc.

    folder: where the folder of ``prepared.Prepared`` is seen, in which most sources lie
    """
    folders, files = hidden()
    uncovered = set(pictures())
    for path in folders:
        inside = {picture for picture in uncovered if picture.startswith(f"{path}/")}
        uncovered -= inside
        source = path if inside else EMPTY
        yield f"{folder}{source}", path
    for path in sorted(uncovered):
        yield f"{folder}{path}", path
    for path in files:
        yield NOTHING, path


def _text(name: str) -> bytes:
    """Return a file of /proc as it is now, b"" if there is none or it may not be
    read.
    """
    try:
        return Path(PROC, name).read_bytes()
    except OSError:
        return b""


def _stat() -> bytes:
    """Return ``stat`` with the number of cores, but not how busy they are."""
    names = ["cpu ", *(f"cpu{number}" for number in range(os.cpu_count() or 1))]
    return "".join(f"{name} 0 0 0 0 0 0 0 0 0 0\n" for name in names).encode()


def _meminfo() -> bytes:
    """Return ``meminfo`` with the size of the memory, but not how much of it is in
    use.
    """
    rows = [
        line.split(":")
        for line in _text("meminfo").decode("ascii", "replace").splitlines()
        if ":" in line
    ]
    amounts = {name: rest.split() for name, rest in rows if rest.split()}
    out = []
    for name, words in amounts.items():
        number = (
            amounts[AS_IF_IDLE[name]][0]
            if AS_IF_IDLE.get(name) in amounts
            else words[0]
            if name in TRUE
            else "0"
        )
        out.append(f"{name + ':':<15} {number:>9}{' kB' if words[1:] else ''}\n")
    return "".join(out).encode()


def _cgroups() -> bytes:
    """Return ``cgroups`` with the names of the controllers, but not how many groups
    each has.
    """
    out = []
    for line in _text("cgroups").decode("ascii", "replace").splitlines():
        words = line.split("\t")
        out.append(
            "\t".join([*words[:2], "1", *words[3:]])
            if len(words) == 4 and not line.startswith("#")
            else line
        )
    return "".join(f"{line}\n" for line in out).encode()
