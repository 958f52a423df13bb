"""Files that a stranger may have made: never opened unless they are files, never held whole unless they are short.

A FIFO would keep its reader waiting, a device may do anything when it is opened, and a sparse file of 20 GB takes one line to
make. All raise OSError whose ``strerror`` is a sentence for the user.
"""

import errno
import os
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from khiva_arena.sandbox.limits import size_in_words

PIECE = 1 << 20
CAREFULLY = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags to open a path that may be no file: nothing waits for the other end of a pipe, and no terminal becomes ours."""
_KINDS = (
    (stat.S_ISLNK, "a link, which is not followed here"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: str | Path, *, follow: bool = True) -> BinaryIO:
    """Open a file for reading. A path of anything else is refused at once.

    follow: a link to a file is accepted

    Raises ValueError for a NUL in the name.
    """
    _must_be_a_file(os.stat(path, follow_symlinks=follow), path)  # a device is not even opened
    descriptor = os.open(path, os.O_RDONLY | CAREFULLY | (0 if follow else os.O_NOFOLLOW))
    must_be_a_file(descriptor, path)  # it may have become another one since
    return os.fdopen(descriptor, "rb")


def read(path: str | Path, limit: int, *, follow: bool = True) -> bytes:
    """Read a file that has at most ``limit`` bytes. ``follow``: a link to a file is accepted."""
    with open_file(path, follow=follow) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is longer than {limit:,} bytes", str(path))
    return data


def digest(path: str | Path, limit: int) -> str:
    """Return SHA-256 in hex of a file that has at most ``limit`` bytes, read in pieces."""
    hasher, total = sha256(), 0
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise too_large(path, limit)
        while piece := file.read(PIECE):
            total += len(piece)
            if total > limit:  # it grows while it is read
                raise too_large(path, limit)
            hasher.update(piece)
    return hasher.hexdigest()


def too_large(path: str | Path, limit: int) -> OSError:
    """Return the error to raise for a file of more than ``limit`` bytes."""
    return OSError(errno.EFBIG, f"it is larger than {size_in_words(limit)}", str(path))


def refuse_other(path: str | Path) -> None:
    """Raise OSError if anything but a file is there, such as a link; nothing at all is no mistake."""
    with suppress(FileNotFoundError):
        _must_be_a_file(os.lstat(path), path)


def must_be_a_file(descriptor: int, path: str | Path) -> None:
    """Raise OSError, and close the descriptor, unless it is that of a file."""
    try:
        _must_be_a_file(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise


def _must_be_a_file(status: os.stat_result, path: str | Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_one, name in _KINDS if is_one(status.st_mode)), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
