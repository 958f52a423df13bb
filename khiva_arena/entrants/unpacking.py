"""Files of strangers, written into new folders: those of a stream, whose form is in
archive.py, and those of zips and tars.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from khiva_arena.entrants.archive import StreamFile, head_of_bot
from khiva_arena.records.store.new_file import to_disk


def unpack(packed: bytes, folder: Path) -> None:
    """Unpack a stream into a new folder, through to the disk. Raises ConfigError,
    before a file is made, if it breaks a bound.
    """
    head, at = head_of_bot(packed)
    folder.mkdir(mode=0o700)
    for file in head:
        write(
            folder, file, [memoryview(packed)[at : at + file.size]], through=True
        )  # the queue forgets the stream afterwards
        at += file.size


def write(
    folder: Path, file: StreamFile, pieces: Iterable[bytes | memoryview], *, through: bool = False
) -> None:
    """Write a new file, and the folders to it, into a folder that only this user may
    change. Its name has been checked.

    pieces: its contents.
    through: also to the disk, so that a loss of power leaves it.
    """
    place = folder / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(
        place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755 if file.runs else 0o644
    )
    with os.fdopen(descriptor, "wb") as opened:
        for piece in pieces:
            opened.write(piece)
        if through:
            opened.flush()
            to_disk(opened.fileno())
