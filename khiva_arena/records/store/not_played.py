"""The bots that an event was to have and that do not play in it, in a file beside the
store.

The definition of an event names the bots that play, and its id is made of that. So the
others are in no row of the store, and lie in a file that may be lost: no result depends
on it.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.records.store import private
from khiva_arena.records.store.files import NOT_PLAYED
from khiva_arena.records.store.rows import NotPlayed

_LONGEST = 16 * 2**20
_REPORT_MOST = 8_000
"""Characters of a report."""


_Kept = dict[str, list[NotPlayed]]


def read(folder: Path) -> _Kept:
    """Return the bots that do not play, by the id of their event; {} if there is no
    file of use.
    """
    with suppress(OSError, ValueError, RecursionError):
        return msgspec.json.decode(
            regular_files.read(folder / NOT_PLAYED, _LONGEST, follow=False), type=_Kept
        )
    return {}


def write(folder: Path, event: str, bots: Sequence[NotPlayed]) -> None:
    """Keep the bots that do not play in an event, instead of those that were kept for
    it before. Raises OSError.
    """
    before: Mapping[str, list[NotPlayed]] = read(folder)
    others = {key: kept for key, kept in before.items() if key != event}
    short = [msgspec.structs.replace(bot, report=bot.report[-_REPORT_MOST:]) for bot in bots]
    if not short and event not in before:
        return
    draft = folder / f"{NOT_PLAYED}-new"
    draft.unlink(missing_ok=True)  # what a kill has left
    with os.fdopen(private.open_file(draft, os.O_WRONLY), "wb") as file:
        file.write(msgspec.json.encode({**others, **({event: short} if short else {})}))
    draft.replace(folder / NOT_PLAYED)
