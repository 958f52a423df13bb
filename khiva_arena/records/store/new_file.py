"""The writing of a new file: completely or not at all, and never over another one.

An older file of the same kind may be replaced.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ArenaError, ConfigError

PART = ".part"


class Unwritten(ArenaError):
    """The disk is full."""

    exit_code = 1


@contextmanager
def new_file(path: Path, replaces: bytes = b"", mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a file to write into. It is at ``path`` once the block has ended without an
    error; after an error ``path`` is as it was.

    replaces: a file that begins with these bytes may be replaced.
    mode: who may read and write it, less the umask.

    Raises ConfigError if ``path`` exists or cannot be made, Unwritten if the disk is
    full.
    """
    _refuse_other(path, replaces)
    part = path.with_name(path.name + PART)
    try:
        if part.is_file() and not part.is_symlink():  # what a kill has left
            part.unlink()
        # O_EXCL and O_NOFOLLOW: another command may write the same file, and a link may
        # lead anywhere.
        file = os.fdopen(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb"
        )
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None
    try:
        with file:
            yield file
            file.flush()
            # Before the new name: else a power cut could leave the name with an empty
            # file.
            to_disk(file.fileno())
        part.rename(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise Unwritten(f"{path}: cannot be written: {error.strerror or error}") from None
        raise


def check_new_file(path: Path, replaces: bytes = b"") -> None:
    """Check that ``new_file`` can write there, before long work. Raises ConfigError."""
    _refuse_other(path, replaces)
    why = (
        "no such folder"
        if not path.parent.is_dir()
        else "permission denied"
        if not os.access(path.parent, os.W_OK)
        else ""
    )
    if why:
        raise ConfigError(f"{path}: cannot be written: {why}")


def _refuse_other(path: Path, replaces: bytes) -> None:
    if os.path.lexists(path) and not (replaces and begins(path, replaces)):
        raise ConfigError(
            f"{path}: exists already, and is not changed; give another name, or remove it first"
        )


def begins(path: Path, text: bytes) -> bool:
    """Tell whether a regular file begins with a text. A link never does: replacing it
    would remove the link and keep the file behind it.
    """
    try:
        with regular_files.open_file(path, follow=False) as file:
            return file.read(len(text)) == text
    except OSError:
        return False


def to_disk(descriptor: int) -> None:
    """Write a file through to the disk, as the store does. macOS has the disk empty its
    cache only if asked, which not every file system there can do.
    """
    empty_cache = getattr(fcntl, "F_FULLFSYNC", None)
    if empty_cache is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, empty_cache)
            return
    os.fsync(descriptor)
