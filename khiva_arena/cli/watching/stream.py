"""What a run says of itself while it goes on: one JSON object a line, typed and versioned. EVENTS.md beside this file is for
whoever reads such a stream; ``python -m khiva_arena.cli.watching.stream DIR`` writes its JSON Schema.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

VERSION = 1
LONGEST_LINE = 4 << 20
"""Bytes: a longer line is not read."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Score = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", gc=False):
    """``t``: seconds since the last ``begin`` of the stream. Bots are indices into its ``bots``; all counts are from 0."""

    v: Literal[1] = 1
    t: Seconds


class Begin(Line, frozen=True, kw_only=True, tag="begin"):
    """An event is played, or played on. ``number``: of the stage in its competition, from 1, 0 without stages; ``before``:
    matches fixed by earlier runs, which follow; ``anchor``: the bot at Elo 0; ``at``: when, in UTC."""

    event: str
    stage: str | None
    number: Whole
    format: str
    game: str
    bots: Annotated[list[str], msgspec.Meta(min_length=1, max_length=2_000)]
    anchor: Whole
    seats: Annotated[int, msgspec.Meta(ge=1, le=60)]
    rounds: Whole
    seeds: Whole
    matches: Whole
    before: Whole
    jobs: Whole
    commitment: str
    at: str


class Round(Line, frozen=True, kw_only=True, tag="round"):
    """A round was drawn: ``tables`` on each of its seeds, ``first_seed`` and on; ``byes``: who sits out."""

    number: Whole
    first_seed: Whole
    seeds: Whole
    tables: Whole
    byes: list[Whole]


class Match(Line, frozen=True, kw_only=True, tag="match"):
    """A match was fixed. Lists are by seat. ``before``: by an earlier run. ``seconds``: how long it took."""

    ordinal: Whole
    round: Whole
    seed: Whole
    lineup: Whole
    rotation: Whole
    bots: list[Whole]
    ranks: list[Whole]
    scores: list[Score]
    verdicts: list[str]
    seconds: Seconds
    before: bool


class Fault(Line, frozen=True, kw_only=True, tag="fault"):
    """A fault in a match that was fixed, strikes included. ``gather``: in which step, 0 is the start."""

    match: Whole
    bot: Whole
    seat: Whole
    verdict: str
    gather: Whole
    detail: str
    before: bool


class Paused(Line, frozen=True, kw_only=True, tag="paused"):
    """A bot was stopped until its turn, so many times in a match, since it kept a core from a seat that was asked."""

    match: Whole
    bot: Whole
    seat: Whole
    times: Whole
    before: bool


class Void(Line, frozen=True, kw_only=True, tag="void"):
    """An attempt at a match that the host spoilt; nobody is to blame."""

    match: Whole
    attempt: Whole
    bots: list[Whole]
    why: str
    before: bool


class SetAside(Line, frozen=True, kw_only=True, tag="set_aside"):
    """A table stayed void and is left out of this run."""

    seed: Whole
    lineup: Whole


class Llr(Line, frozen=True, kw_only=True, tag="llr"):
    """How a sequential test stands after ``seeds`` seeds: it stops outside of ``low`` and ``high``. ``decision``: "" so far."""

    llr: float
    low: float
    high: float
    seeds: Whole
    decision: str


class Note(Line, frozen=True, kw_only=True, tag="note"):
    """What else the arbiter said."""

    text: str
    warning: bool


class End(Line, frozen=True, kw_only=True, tag="end"):
    """The run is over; ``incomplete``: but for tables that were set aside. ``seconds``: that it took, all its events;
    ``digest``: of the last event, None where it is not complete."""

    how: Literal["complete", "incomplete", "interrupted", "failed"]
    fixed: Whole
    seconds: Seconds
    digest: str | None


Any_line = Begin | Round | Match | Fault | Paused | Void | SetAside | Llr | Note | End
KINDS = (Begin, Round, Match, Fault, Paused, Void, SetAside, Llr, Note, End)
_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], Any_line] = msgspec.json.Decoder(Any_line).decode


class _Head(msgspec.Struct):
    v: int
    type: str


_head = msgspec.json.Decoder(_Head).decode


class NoStream(ValueError):
    """It cannot be read as a stream. The text says why."""


def encoded(line: Line) -> bytes:
    """The line with its newline."""
    return bytes(_encode(line)) + b"\n"


def decoded(data: bytes) -> Any_line | None:
    """A line, given without its newline; None for one of a type that this version does not know. Raises NoStream."""
    try:
        return _decode(data)
    except (ValueError, RecursionError) as error:
        try:
            head = _head(data)
        except (ValueError, RecursionError):
            raise NoStream("it is not a line of a stream of events") from None
        if head.v != VERSION:
            raise NoStream(f"it is of version {head.v}, this khiva-arena reads version {VERSION}") from None
        if head.type in {kind.__struct_config__.tag for kind in KINDS}:
            raise NoStream(f"a line is malformed: {error}") from None
        return None


class Reader:
    """Lines out of bytes as they come. ``unread``: how many could not be read and were passed over: a full disk or a killed run
    may leave one that is cut."""

    def __init__(self) -> None:
        self.unread = 0
        self.began = False
        self._rest = bytearray()
        self._bots = self._seats = 0

    def feed(self, data: bytes) -> Iterator[Any_line]:
        """The lines that are whole now. Raises NoStream if the first one is no ``begin``, or of another version."""
        self._rest += data
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        if len(rest) > LONGEST_LINE:
            raise NoStream(f"a line is longer than {LONGEST_LINE:,} bytes")
        for text in filter(None, lines):
            try:
                line = decoded(bytes(text))
            except NoStream:
                if not self.began:
                    raise
                self.unread += 1
                continue
            if isinstance(line, Begin) and self._fits(line):
                self.began = True
                self._bots, self._seats = len(line.bots), line.seats
            if not self.began:
                raise NoStream("its first line is no begin")
            if line is None:
                continue
            if self._fits(line):
                yield line
            else:
                self.unread += 1

    def _fits(self, line: Any_line) -> bool:
        """Whether the bots that it names are there: a file may hold anything."""
        match line:
            case Begin():
                return line.anchor < len(line.bots)
            case Match():
                sizes = {len(line.bots), len(line.ranks), len(line.scores), len(line.verdicts)}
                return sizes == {self._seats} and all(bot < self._bots for bot in line.bots)
            case Void() | Round():
                return all(bot < self._bots for bot in (line.bots if isinstance(line, Void) else line.byes))
            case Fault() | Paused():
                return line.bot < self._bots
            case _:
                return True


def schema() -> str:
    """The JSON Schema of a line, as text."""
    from khiva_arena.report.schema import described  # all reports come with it, which no run needs

    found: dict[str, Any] = described(msgspec.json.schema(Any_line))
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **found}, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1], "events.json").write_text(schema())
