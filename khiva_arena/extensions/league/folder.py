"""The folder of a league: which file is where."""

import os
import stat
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.records.replay.league_format import OLD
from khiva_arena.records.store.files import FILE, FINAL, LEAGUE
from khiva_arena.records.store.new_file import new_file

SETTINGS = LEAGUE
QUEUE = "queue.db"
QUEUE_VERSION = 2
"""The version of the queue's tables, its user_version. Code of 0.3.0 that no release
has wrote 1, for tables of two shapes.
"""
BOTS = "bots"
"""The folder with a copy of each bot, named by the beginning of its identity."""
PUBLIC = "public"
"""The folder of all that anybody may see, which the player writes."""
SUMS = "sums"
"""The folder with the data of each batch, from which tables are worked out. It is
derived: what is lost is made again.
"""
CHAIN = "chain.jsonl"
"""The file in ``PUBLIC`` with the links of the chain, a line each."""


_VERSION_AT = slice(60, 64)
"""Where a file of SQLite has its user_version."""


def check_league(folder: Path) -> None:
    """Raise ConfigError if there is no league in a folder."""
    if not (folder / SETTINGS).is_file():
        raise ConfigError(
            f"{folder}: no league here, since it has no {SETTINGS}; `khiva-arena league "
            "new` makes one"
        )


def refuse_old_queue(folder: Path) -> None:
    """Raise StoreError if the queue in a folder is older than this version reads.
    SQLite does not open it, since that would make other files beside it.
    """
    try:
        with regular_files.open_file(folder / QUEUE) as file:
            version = int.from_bytes(file.read(_VERSION_AT.stop)[_VERSION_AT])
    except OSError:
        return  # opening it says why it cannot be read
    if 0 < version < QUEUE_VERSION:
        raise StoreError(f"{folder / QUEUE}: {OLD}")


def final_folder(folder: Path, number: int) -> Path:
    """Return the store of a final of the league in a folder."""
    return folder / f"{FINAL}{number}"


def make_public(folder: Path) -> None:
    """Make a folder that others may read; those above it let others pass through.
    Raises ConfigError.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            folder.chmod(0o755)
            folder.parent.chmod(stat.S_IMODE(folder.parent.stat().st_mode) | 0o011)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror or error}") from None


def write_public(folder: Path, name: str, content: bytes) -> None:
    """Write a file of a league that others may read, JSON objects, in place of an older
    one. Raises ConfigError or Unwritten.
    """
    make_public(folder / PUBLIC)
    path = folder / PUBLIC / name
    with new_file(path, replaces=b"{") as file:
        os.fchmod(file.fileno(), 0o644)
        file.write(content)


def has_store(folder: Path) -> bool:
    """Return whether a folder holds a store."""
    return (folder / FILE).is_file()
