"""What a bot sees of its cell, as JSON: every file with its modes, the contents of
/proc, its rights, its limits and its mounts.

A script that is run inside. The number of the bot's own user is told as "own", since
each bot of root's arbiter has another.
"""

import json
import os
import stat
import sys

MOST = 1 << 16
MOVING = ("Vm", "Rss", "Huge", "SigQ", "voluntary", "nonvoluntary")
OWN = {os.getuid(): "own", os.getgid(): "own"}
OF_ITSELF = (
    "limits",
    "cgroup",
    "uid_map",
    "gid_map",
    "setgroups",
    "oom_score_adj",
    "personality",
    "timerslack_ns",
)


def content(path: str) -> str:
    """The beginning of a file, or why it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(MOST).decode("latin-1")
    except OSError as error:
        return str(error.strerror)


def link(path: str) -> str:
    """The target of a link, or why it is not told."""
    try:
        return os.readlink(path)
    except OSError as error:
        return str(error.strerror)


def entries(same_for_all: list[str]) -> dict[str, list[object]]:
    """Modes, owners and targets of all files but those of processes, and those below
    folders that are the same for all bots.
    """
    rows: dict[str, list[object]] = {}
    for folder, folders, files in os.walk("/"):
        paths = {name: os.path.join(folder, name) for name in (*folders, *files)}
        folders[:] = [
            name for name in folders if not name.isdigit() and paths[name] not in same_for_all
        ]
        for name, path in paths.items():
            if name.isdigit() or name in ("self", "thread-self"):
                continue
            of_file = os.lstat(path)
            size = of_file.st_size if stat.S_ISREG(of_file.st_mode) else 0
            owners = [OWN.get(number, number) for number in (of_file.st_uid, of_file.st_gid)]
            rows[path] = [
                oct(of_file.st_mode),
                *owners,
                size,
                link(path) if stat.S_ISLNK(of_file.st_mode) else "",
            ]
    return rows


def status() -> dict[str, str]:
    """Its numbers, rights and signals."""
    rows = dict(line.split(":\t") for line in content("/proc/self/status").splitlines())
    return {
        name: value.replace(str(os.getuid()), "own")
        for name, value in rows.items()
        if not name.startswith(MOVING)
    }


def mounts() -> list[str]:
    """Each mount without its number: what is mounted where, how, and of which kind."""
    lines = [line.split(" - ") for line in content("/proc/self/mountinfo").splitlines()]
    return sorted(
        " ".join([*left.split()[3:], right]).replace(str(os.getuid()), "own")
        for left, right in lines
    )


def main() -> None:
    """Print what is seen. The arguments are folders that are the same for all bots."""
    files = entries(sys.argv[1:])
    of_proc = [path for path in files if path.startswith("/proc/") and path != "/proc/mounts"]
    seen = {
        "files": files,
        "contents": {path: content(path) for path in of_proc},
        "contents for the first process": {
            path: content(f"/proc/1/root{path}") for path in of_proc
        },
        "first process": {
            name: [link(f"/proc/1/{name}"), bool(content(f"/proc/1/{name}"))]
            for name in os.listdir("/proc/1")
        },
        "status": status(),
        "of itself": {name: content(f"/proc/self/{name}") for name in OF_ITSELF},
        "descriptors": sorted(os.listdir("/proc/self/fd")),
        "environment": sorted(os.environ),
        "folder": os.getcwd(),
        "mounts": mounts(),
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
