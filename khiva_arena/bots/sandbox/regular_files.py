"""Files that a stranger may have made or named: opened here and nowhere else, if they
are files, and without following links.

A FIFO would keep its reader waiting, a device may do anything when it is opened, and a
sparse file of 20 GB takes one line to make. A link has this user read for a stranger
what the stranger may not read. All raise OSError whose ``strerror`` is a sentence for
the user.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from khiva_arena.bots.sandbox.limits import size_in_words

PIECE = 1 << 20
CAREFULLY = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags to open a path that may be no file: nothing waits for the other end of a pipe,
and no terminal becomes ours.
"""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = (
    (stat.S_ISLNK, "a link, which is not followed here"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: str | Path, *, follow: bool = True, root: str | Path | None = None) -> BinaryIO:
    """Open a file for reading. A path of anything else is refused at once.

    follow: a link to a file is accepted, as in a path that this user has typed
    root: a folder that is trusted; no part of the path below this folder may be a link

    Raises ValueError for a NUL in the name, and for a path that is not below ``root``.
    """
    if root is None:
        return _open(path, path, follow, None)
    *folders, name = Path(os.path.abspath(path)).relative_to(os.path.abspath(root)).parts
    at = os.open(root, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for number, part in enumerate(folders, 1):
            above, at = at, _open_folder(part, at, Path(root, *folders[:number]))
            os.close(above)
        return _open(name, path, False, at)
    except OSError as error:
        error.filename = str(path)  # the system was asked for one part of the path
        raise
    finally:
        os.close(at)


def read(
    path: str | Path, limit: int, *, follow: bool = True, root: str | Path | None = None
) -> bytes:
    """Read a file that has at most ``limit`` bytes. ``follow``, ``root``: as for
    ``open_file``.
    """
    with open_file(path, follow=follow, root=root) as file:
        data = file.read(
            min(limit, os.fstat(file.fileno()).st_size) + 1
        )  # memory for so much is taken at once
        while len(data) <= limit and (piece := file.read(PIECE)):  # it has grown
            data += piece
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is longer than {limit:,} bytes", str(path))
    return data


def pieces(file: BinaryIO, limit: int, path: str | Path) -> Iterator[bytes]:
    """Yield the bytes of an open file in pieces. Raises OSError, at once if it can, for
    more than ``limit`` bytes.
    """
    if os.fstat(file.fileno()).st_size > limit:
        raise too_large(path, limit)
    total = 0
    while piece := file.read(PIECE):
        total += len(piece)
        if total > limit:  # it grows while it is read
            raise too_large(path, limit)
        yield piece


def digest_of(file: BinaryIO, limit: int, path: str | Path) -> str:
    """Return SHA-256 in hex of an open file that has at most ``limit`` bytes, read in
    pieces.
    """
    hasher = sha256()
    for piece in pieces(file, limit, path):
        hasher.update(piece)
    return hasher.hexdigest()


def digest(path: str | Path, limit: int) -> str:
    """Return SHA-256 in hex of a file that has at most ``limit`` bytes. Links are
    followed.
    """
    with open_file(path) as file:
        return digest_of(file, limit, path)


def too_large(path: str | Path, limit: int) -> OSError:
    """Return the error to raise for a file of more than ``limit`` bytes."""
    return OSError(errno.EFBIG, f"it is larger than {size_in_words(limit)}", str(path))


def refuse_other(path: str | Path) -> None:
    """Raise OSError if anything but a file is there, such as a link; nothing at all is
    no mistake.
    """
    with suppress(FileNotFoundError):
        _must_be_a_file(os.lstat(path), path)


def must_be_a_file(descriptor: int, path: str | Path) -> None:
    """Raise OSError, and close the descriptor, unless it is that of a file."""
    try:
        _must_be_a_file(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise


def _open(name: str | Path, path: str | Path, follow: bool, folder: int | None) -> BinaryIO:
    """Open the file ``name`` in a folder that is open, or in the working
    folder. ``path``: for messages.
    """
    _must_be_a_file(
        os.stat(name, dir_fd=folder, follow_symlinks=follow), path
    )  # a device is not even opened
    descriptor = os.open(
        name, os.O_RDONLY | CAREFULLY | (0 if follow else os.O_NOFOLLOW), dir_fd=folder
    )
    must_be_a_file(descriptor, path)  # it may have become another one since
    return os.fdopen(descriptor, "rb")


def _open_folder(name: str, above: int, path: Path) -> int:
    """Return the descriptor of a folder in another one that is open; a link to a folder
    is refused.
    """
    if stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
        raise OSError(
            errno.ELOOP, "it is a link, which is not followed here, not a folder", str(path)
        )
    return os.open(name, _FOLDER, dir_fd=above)


def _must_be_a_file(status: os.stat_result, path: str | Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_one, name in _KINDS if is_one(status.st_mode)), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
