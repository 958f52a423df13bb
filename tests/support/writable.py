"""Try to change all that is at the paths of ``argv`` and below them: a probe for tests,
to be started inside of a level.

Prints JSON: how many files, folders, links and devices were tried, and by path what
succeeded. Times become the present.
"""

import json
import os
import stat
import sys
from contextlib import suppress

DEEPEST = 12


def attempts(path: str, mode: int):  # type: ignore[no-untyped-def]
    """By name, what to try with a path that is of this kind."""
    yield "times", lambda: os.utime(path, follow_symlinks=False)
    if stat.S_ISLNK(mode):
        return
    yield "mode", lambda: os.chmod(path, stat.S_IMODE(mode))
    yield "owner", lambda: os.chown(path, -1, -1)
    yield "attribute", lambda: os.setxattr(path, "user.khiva-arena", b"")
    if stat.S_ISDIR(mode):
        yield "make", lambda: made(os.path.join(path, f"khiva-arena-attempt-{os.getpid()}"))
    elif not stat.S_ISFIFO(mode):
        yield "open", lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))


def made(path: str) -> None:
    """Make a file, and remove it again."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    os.unlink(path)


def changed(path: str, mode: int) -> list[str]:
    """Return what succeeds with a path."""
    names = []
    for name, attempt in attempts(path, mode):
        with suppress(OSError):
            attempt()
            names.append(name)
    return names


def below(path: str, seen: set[tuple[int, int]], depth: int = 0):  # type: ignore[no-untyped-def]
    """Yield what is at a path and below it. Of a file system that is read-only as a
    whole only the top.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return
    if (status.st_dev, status.st_ino) in seen or depth > DEEPEST:
        return
    seen.add((status.st_dev, status.st_ino))
    yield path, status.st_mode
    with suppress(OSError):
        if stat.S_ISDIR(status.st_mode) and not (
            depth > 1 and os.statvfs(path).f_flag & os.ST_RDONLY and path[:5] != "/proc"
        ):
            for name in os.listdir(path):
                yield from below(os.path.join(path, name), seen, depth + 1)


def main() -> None:
    """Try all of it."""
    tried, found = 0, {}
    seen: set[tuple[int, int]] = set()
    for top in sys.argv[1:]:
        for path, mode in below(top, seen):
            tried += 1
            if names := changed(path, mode):
                found[path] = names
    print(json.dumps({"tried": tried, "changed": found}))


if __name__ == "__main__":
    main()
