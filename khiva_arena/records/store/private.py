"""Files that nobody else may read: a store holds secrets that are not revealed yet.

A reader of them knows every hand. Files are made 0600 and a new folder 0700 under any
umask. An existing file or folder keeps its mode as long as it is only read.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files

FILE, FOLDER = 0o600, 0o700
_OTHERS = 0o077


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it with the modes of the umask; an existing one is
    left unchanged. Raises OSError.
    """
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(FOLDER)
    except FileExistsError:
        if folder.is_dir():  # another one was quicker
            return
        raise
    folder.chmod(FOLDER)


def open_file(path: Path, flags: int) -> int:
    """Return the descriptor of a file, made if need be. ``flags``: as for ``os.open``.
    A link is not followed, and nothing but a file is opened. Raises OSError.
    """
    flags |= os.O_CREAT | os.O_NOFOLLOW | regular_files.CAREFULLY
    try:
        descriptor = os.open(path, flags | os.O_EXCL, FILE)
    except FileExistsError:
        regular_files.refuse_other(path)
        descriptor = os.open(path, flags, FILE)
        regular_files.must_be_a_file(descriptor, path)
        return descriptor
    os.fchmod(descriptor, FILE)
    return descriptor


def narrow(paths: Iterable[Path]) -> None:
    """Take away all rights that others have to files of this user. Links, and files of
    another owner, are left unchanged. Raises OSError.
    """
    for path in paths:
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        if (
            stat.S_ISREG(status.st_mode)
            and status.st_uid == os.geteuid()
            and status.st_mode & _OTHERS
        ):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)


def open_and_close(path: Path) -> None:
    """Make a file that nobody else may read, unless it is there. Raises OSError for a
    link, or anything but a file.
    """
    os.close(open_file(path, os.O_RDWR))
