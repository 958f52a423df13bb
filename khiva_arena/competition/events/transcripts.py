"""Transcripts of an event: the room that they have, and their text once the deal is
revealed. An extension fills the hook.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from khiva_arena.arbiter import stderr
from khiva_arena.arbiter.stderr import MARK, incomplete_size
from khiva_arena.arbiter.wire import Ending
from khiva_arena.common.hooks import Hook, row_of
from khiva_arena.common.say import Say
from khiva_arena.common.text import printable
from khiva_arena.competition.events.find import CHANGED, ended_by_cap
from khiva_arena.competition.events.stored import damaged
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import EventRow, MatchRow, Store
from khiva_arena.records.store.queries import RoomTaken
from khiva_arena.records.store.rows import TranscriptRow
from khiva_arena.records.store.transcripts import unpacked
from khiva_arena.words import count

_EXTENSION = "spending"
SHOW_PRINTS = "`khiva-arena show STORE MATCH --transcript` prints the rest"
BUNDLE_HAS = "the bundle has the rest, which no command prints"


class TranscriptRoom(Protocol):
    """The room that the bots of an event have for their transcripts while it is
    played.
    """

    def of_seats(self, bots: Sequence[int]) -> tuple[int, ...]:
        """Return the bytes that the transcript of each seat may have, 0 for
        none. ``bots``: positions by seat.
        """

    def taken(self, bots: Sequence[int], endings: Sequence[Ending]) -> list[TranscriptRow]:
        """Return the rows that are stored with a match, and note the room that they
        take. ``endings``: by seat, of its bot.
        """


class KeepsTranscripts(Protocol):
    """The rule that divides the room, and its words."""

    def room(
        self, store: Store, event: EventRow, reporting: Collection[int], size: int, say: Say
    ) -> TranscriptRoom:
        """Return the room of an event that is played now.

        reporting: the positions of its bots that report what they spend.
        size: bytes for all of them.
        """

    def remarks(self, names: Sequence[str], taken: Sequence[RoomTaken]) -> list[str]:
        """Return a line for each bot that has had no room in a match. ``names``: of the
        event's bots.
        """


KEEPS_TRANSCRIPTS: Hook[KeepsTranscripts] = Hook(_EXTENSION)


def remarks(events: Sequence[EventRow], taken: Sequence[Sequence[RoomTaken]]) -> list[str]:
    """Return a line for each bot of these events that has had no room for a
    transcript. ``taken``: by event.
    """
    lacks = any(one.without for of_event in taken for one in of_event)
    if not lacks or row_of(_EXTENSION) is None:
        return []
    keeps = KEEPS_TRANSCRIPTS.get("transcripts")
    lines = [
        keeps.remarks([bot.name for bot in event.bots], rows)
        for event, rows in zip(events, taken, strict=True)
    ]
    return [line for of_event in lines for line in of_event]


class SeatTranscript(NamedTuple):
    """The transcript of a seat.

    total: bytes that its bot wrote, without values of --env.
    steps: number of the step, 0 for the start, and the text that the bot wrote before
        it was asked again. The text is harmless.
    lacks: bytes that are not kept.
    rest: says where a text that is cut goes on.
    """

    total: int
    steps: list[tuple[int, str]]
    lacks: int
    rest: str = SHOW_PRINTS

    def heading(self, seat: int) -> str:
        """Return a line above the text."""
        return (
            f"--- transcript of seat {seat} ({count(self.total, 'byte')})\n"
            if self.total
            else f"--- transcript of seat {seat}: nothing"
        )

    def plain(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {"total": self.total, "steps": self.steps, "lacks": self.lacks}

    def for_people(self, most: int = 2**63) -> str:
        """Format the text for people, ``most`` characters of the bot's: marks of steps
        stand at the margin, the bot's text is indented, so it can write no mark.
        """
        parts: list[str] = []
        for step, text in self.steps:
            shown, most = text[:most], most - len(text)
            parts.append(
                (f"{MARK}[step {step}]\n" if step else "")
                + shown
                + "\n" * (not shown.endswith("\n"))
            )
            if most < 0:
                parts.append(f"{MARK}[... {self.rest} ...]\n")
                break
        if self.lacks and most >= 0:
            parts.append(f"{MARK}[... {count(self.lacks, 'byte')} not kept: no room ...]\n")
        return stderr.for_people("".join(parts)) if parts else ""


def check_revealed(store: Store, event: EventRow, match: MatchRow) -> None:
    """Raise ConfigError while other matches on a match's deal are to be played: bots
    write what they hold.
    """
    if match.seed not in store.reveals(event.id):
        higher = " and a higher --spend, since a cap ended it" if ended_by_cap(store, event) else ""
        raise ConfigError(
            f"match {event.number}/{match.ordinal}: other matches on its deal are still to "
            "be played, so no transcript is shown "
            f"yet; finish the event with the command that began it{higher}"
        )


def transcripts_of(store: Store, event: EventRow, ordinal: int) -> dict[int, SeatTranscript]:
    """Return the transcripts of a match by seat; {} if none were to be kept. Raises
    StoreError if one is damaged.
    """
    found = {}
    for row in store.transcripts(event.id, ordinal):
        what = f"the transcript of seat {row.seat} of match {event.number}/{ordinal}"
        if not row.intact:
            damaged(store, what, f"it {CHANGED}")
        try:
            found[row.seat] = transcript(row.packed, row.total)
        except ValueError as error:
            damaged(store, what, str(error))
    return found


def transcript(packed: bytes, total: int) -> SeatTranscript:
    """Return a transcript. Raises ValueError for bytes that no arbiter wrote."""
    by_step = unpacked(packed)
    kept = sum(len(data) for _, data in by_step)
    if kept > total:
        raise ValueError(f"a transcript of {total} bytes holds {kept}")
    steps, rest = [], b""
    for number, (step, data) in enumerate(by_step, 1):
        data = rest + data
        cut = len(data) - (
            incomplete_size(data) if number < len(by_step) else 0
        )  # a character that two steps share
        rest = data[cut:]
        steps.append((step, printable(data[:cut])))
    return SeatTranscript(total, steps, total - kept)
