"""A note beside a store with a shard, or several merged ones, that says how they were
asked for.

From it a merge tells the command for another shard. The truth is in the store. Without
the note a merge says which seeds are missing, in fewer words.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.say import Say
from khiva_arena.records.store import private

NOTE = "shard.json"
_LONGEST = 10_000


class ShardNote(msgspec.Struct, frozen=True):
    """The words that were typed for a shard.

    event: the id of the event.
    plan: the file of ``--from-plan``.
    shard, of: of ``--shard``; 0 for several that were merged.
    """

    event: str
    plan: str
    shard: int
    of: int

    @property
    def as_typed(self) -> str:
        """The shard as ``--shard`` takes it; ``shard`` must not be 0."""
        return f"{self.shard}/{self.of}"


def leave_note(folder: Path, note: ShardNote, say: Say) -> None:
    """Write the note beside a store; if that is impossible, a warning says so."""
    try:
        write_note(folder, note)
    except OSError as error:
        say(
            f"{folder}: no note of the shard can be left for `khiva-arena merge`: "
            f"{error.strerror or error}",
            warning=True,
        )


def write_note(folder: Path, note: ShardNote) -> None:
    """Write the note beside a store. Raises OSError."""
    draft = folder / f"{NOTE}-new"
    draft.unlink(missing_ok=True)  # what a kill has left
    with os.fdopen(private.open_file(draft, os.O_WRONLY), "w") as file:
        json.dump(msgspec.to_builtins(note), file)
    draft.replace(folder / NOTE)


def read_note(folder: Path, event: str) -> ShardNote | None:
    """Return the note beside a store that holds an event, None if there is none of
    use.
    """
    with suppress(OSError, ValueError, RecursionError):
        note = msgspec.json.decode(
            regular_files.read(folder / NOTE, _LONGEST, follow=False), type=ShardNote
        )
        if note.event == event and 0 <= note.shard <= note.of and note.of:
            return note
    return None
