"""A bot in a zip, a tar or a stream, as its author sends it: unpacked into a private
folder, with the bounds of a league's uploads.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.entrants.archive import (
    ENTRY,
    MANIFEST,
    SHOWN,
    StreamFile,
    check_files,
    check_texts,
)
from khiva_arena.entrants.archived import MOST_DATA, ArchiveEntry, exactly, plain_files
from khiva_arena.entrants.loading import Loading
from khiva_arena.entrants.private_bot import PrivateBot, new_parent
from khiva_arena.entrants.unpacking import unpack, write
from khiva_arena.errors import ConfigError

MOST_RATIO, FREE = 100, 1 << 20
"""How many times as large as the archive its files may be, and the bytes that any
archive may unpack to.
"""


def read(word: str, base: str, loading: Loading) -> PrivateBot:
    """Unpack the bot of an archive. Raises ConfigError if it breaks a bound or is
    damaged, and OSError if it cannot be opened.

    base: the folder to which paths are relative.
    loading: how the folder is loaded.
    """
    data = regular_files.read(os.path.join(base, word), MOST_DATA)
    folder = new_parent("archive") / "bot"
    private = PrivateBot(folder, word, loading, ((str(folder), word), (str(folder.parent), word)))
    with private.in_words():
        folder.parent.mkdir(parents=True, exist_ok=True)
        if word.lower().endswith(ENTRY):
            unpack(data, folder)
        else:
            _unpack_archive(data, folder, is_zip=word.lower().endswith(".zip"))
    return private


def _unpack_archive(data: bytes, folder: Path, *, is_zip: bool) -> None:
    files = _files_in(data, is_zip=is_zip)
    folder.mkdir()
    for packed, entry in files:
        write(folder, packed, exactly(entry))


def _files_in(data: bytes, *, is_zip: bool) -> list[tuple[StreamFile, ArchiveEntry]]:
    """Return the bot's files in an archive by their paths in the bot's folder. Raises
    ConfigError.
    """
    entries = plain_files(data, is_zip=is_zip)
    top = _top([parts for parts, _ in entries])
    files = [
        (StreamFile("/".join(parts[top:]), entry.size, entry.runs), entry)
        for parts, entry in entries
    ]
    check_texts([packed.name for packed, _ in files])
    check_files([packed for packed, _ in files])
    total = sum(packed.size for packed, _ in files)
    if total > max(FREE, MOST_RATIO * len(data)):
        raise ConfigError(
            f"its files are more than {MOST_RATIO} times as large as the archive; unpack "
            "it into a folder"
        )
    return files


def _top(paths: Sequence[Sequence[str]]) -> int:
    """Return how many parts of each path lead to the bot's folder: 1 if the archive has
    this folder and nothing beside it. Raises ConfigError if there is no bot.toml.
    """
    if any(list(parts) == [MANIFEST] for parts in paths):
        return 0
    if len({parts[0] for parts in paths}) == 1 and any(
        list(parts[1:]) == [MANIFEST] for parts in paths
    ):
        return 1
    below = min(("/".join(parts) for parts in paths if parts[-1] == MANIFEST), default="")
    found = f"; one is at {ascii(below)[:SHOWN]}" if below else ""
    raise ConfigError(
        f"it has no bot.toml at its top, or in its only folder{found}; pack one bot's folder"
    )
