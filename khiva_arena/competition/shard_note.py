"""A note beside a store that holds a shard: how it was asked for, so that a merge can say what to type for another one.

The truth is in the store. Without the note a merge says which seeds are missing, in fewer words.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from khiva_arena.competition.shard import PlannedShard, Shard
from khiva_arena.sandbox import regular_files
from khiva_arena.store import private

NOTE = "shard.json"
_LONGEST = 10_000


class ShardNote(msgspec.Struct, frozen=True):
    """What was typed.

    event: the id of the event.
    plan: the file of ``--from-plan``.
    shard, of: of ``--shard``.
    """

    event: str
    plan: str
    shard: int
    of: int

    @property
    def which(self) -> Shard:
        return Shard(self.shard, self.of)


def write_note(folder: Path, planned: PlannedShard) -> None:
    """Leave the note. Raises OSError."""
    note = ShardNote(planned.event.id, str(planned.file), planned.shard.number, planned.shard.of)
    draft = folder / f"{NOTE}-new"
    draft.unlink(missing_ok=True)  # what a kill has left
    with os.fdopen(private.open_file(draft, os.O_WRONLY | os.O_NOFOLLOW), "w") as file:
        json.dump(msgspec.to_builtins(note), file)
    draft.replace(folder / NOTE)


def read_note(folder: Path, event: str) -> ShardNote | None:
    """The note beside a store that holds an event, None if there is none of use."""
    with suppress(OSError, ValueError, RecursionError):
        note = msgspec.json.decode(regular_files.read(folder / NOTE, _LONGEST), type=ShardNote)
        if note.event == event and 1 <= note.shard <= note.of:
            return note
    return None
