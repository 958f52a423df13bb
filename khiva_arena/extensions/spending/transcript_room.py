"""The room of transcripts: each bot that reports has an equal part of it, so that none
takes that of the others.
"""

from collections.abc import Collection, Sequence

from khiva_arena.arbiter.wire import Ending
from khiva_arena.common.result import Transcript
from khiva_arena.common.say import Say
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.queries import RoomTaken
from khiva_arena.records.store.rows import TranscriptRow
from khiva_arena.records.store.transcripts import PACKED_MOST

MEGABYTE = 1_000_000
LEAST = 2**14
"""Bytes of room without which no transcript begins: the notes of a match have as
many.
"""


class SharedRoom:
    """The room of an event that is played now, as a ``TranscriptRoom``."""

    def __init__(
        self, store: Store, event: EventRow, reporting: Collection[int], size: int
    ) -> None:
        self._size = size
        self._reporting = set() if event.definition.in_ticks else {*reporting}
        self._share = size // max(1, len(self._reporting))
        self._used = {taken.bot: taken.size for taken in store.room_of_transcripts(event.id)}

    @property
    def is_of_use(self) -> bool:
        """True if some bot of the event reports."""
        return bool(self._reporting)

    def of_seats(self, bots: Sequence[int]) -> tuple[int, ...]:
        left = [self._left(bot) if bot in self._reporting else 0 for bot in bots]
        return tuple(min(PACKED_MOST, room) if room >= LEAST else 0 for room in left)

    def taken(self, bots: Sequence[int], endings: Sequence[Ending]) -> list[TranscriptRow]:
        rows = []
        for seat, (bot, ending) in enumerate(zip(bots, endings, strict=True)):
            if bot not in self._reporting:
                continue
            has_begun = ending.status is not None  # or its notes are the arbiter's words
            kept = ending.transcript or Transcript(b"", ending.notes_total if has_begun else 0)
            # Matches that are played at a time may together want more than is left.
            packed = kept.packed if len(kept.packed) <= self._left(bot) else b""
            self._used[bot] = self._used.get(bot, 0) + len(packed)
            rows.append(TranscriptRow(seat, bot, packed, kept.total, self._size))
        return rows

    def _left(self, bot: int) -> int:
        return self._share - self._used.get(bot, 0)


class Transcripts:
    """The rule as ``KeepsTranscripts``."""

    def room(
        self, store: Store, event: EventRow, reporting: Collection[int], size: int, say: Say
    ) -> SharedRoom:
        room = SharedRoom(store, event, reporting, size)
        if not room.is_of_use:
            say(
                "--transcripts: no bot here that plays by the wall clock has `reports = "
                "true` in its bot.toml: nothing is kept"
            )
        return room

    def remarks(self, names: Sequence[str], taken: Sequence[RoomTaken]) -> list[str]:
        return [
            f"{names[one.bot]}: {one.without} of {one.matches} matches have no transcript: its "
            f"share of the {one.room // MEGABYTE} MB of --transcripts is used."
            for one in taken
            if one.without and 0 <= one.bot < len(names)
        ]
