"""Files that a league has published before: its newest table, and its history, which a
kill may have left unfinished.
"""

import os
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.folder import PUBLIC, SUMS
from khiva_arena.extensions.league.public_state import HISTORY, TableThen, history_in
from khiva_arena.records.store.db import LinkRow

NEWEST = "newest.json"
"""The file in the folder of sums with the newest tables."""
HISTORY_PIECE = 1 << 16
"""The bytes of the history that are read at a time, from its end."""


class NewestTable(msgspec.Struct, frozen=True):
    """The table after a batch.

    run_digest: of the batch.
    then: the ratings of the bots that were active in it.
    season: the name of the season that the batch is in.
    table: of the season, as far as it has come on the terms of the batch, as
        ``standings --json`` prints it.
    """

    run_digest: str
    then: TableThen
    season: str
    table: dict[str, Any]


def read_newest(folder: Path) -> NewestTable | None:
    """Return the newest tables of the league in a folder, None if there are none that
    can be read.
    """
    try:
        with regular_files.open_file(folder / SUMS / NEWEST, root=folder) as file:
            return msgspec.json.decode(file.read(), type=NewestTable)
    except (OSError, msgspec.MsgspecError):
        return None


def line(link: LinkRow) -> bytes:
    return f"{link.text}\n".encode()


def mend_history(folder: Path) -> int:
    """Cut off a line that a kill cut short, and return the newest batch in the history,
    0 for none. Raises ConfigError.
    """
    path = folder / PUBLIC / HISTORY
    tail, tables = b"", list[TableThen]()
    try:
        with path.open("r+b") as file:
            at = file.seek(0, os.SEEK_END)
            while at and tail.count(b"\n") < 2:  # the last whole line, however many there are
                at = max(0, at - HISTORY_PIECE)
                file.seek(at)
                tail = file.read()
            tail = tail[: tail.rfind(b"\n") + 1]
            os.truncate(file.fileno(), at + len(tail))
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    history_in(tail, tables)
    return max((table.batch for table in tables), default=0)
