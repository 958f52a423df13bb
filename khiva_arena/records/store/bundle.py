"""The format of a bundle: one file with all that a stranger needs to check an event.

docs/files.md describes its contents, docs/what-results-prove.md what they prove. A
bundle is gzip over lines of canonical JSON, so that every content has one text. A
header comes first; then the links of a league, if the events are its batches; then for
each event its reveals, its voids and every record; then the standings. The last line
has counts and a sum over all lines before it.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, BinaryIO, Literal

import msgspec

from khiva_arena.common.result import CURRENCY_MOST, Spent
from khiva_arena.errors import RecordError, StoreError
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.records.replay.conditions import FileKind
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.bundle_text import (
    GZIP,
    LONGEST_LINE,
    SHOWN,
    Readable,
    parse,
    refuse_other_formats,
    texts,
)
from khiva_arena.records.store.transcripts import PACKED_MOST

FORMAT, EXTENDED = 1, 2
"""The formats of a bundle. The second may hold matches with persons, what bots reported
and events that a cap ended, which readers of the first refuse.
"""
HEADER = "khiva-bundle"
COMPRESSION = 6
NUMBER_MOST = 2**53
Number = Annotated[int, msgspec.Meta(ge=0, le=NUMBER_MOST)]
Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class BotEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A bot of an event.

    name, version: for people.
    identity: the hash of its files and commands.
    complete: whether the hash covers all its files.
    """

    name: str
    identity: str
    version: str
    complete: bool


class LinkLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="link"):
    """A link of the chain of a league, see extensions/league/chain/links.py."""

    link: dict[str, Any]


class EventLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="event"):
    """An event that is over.

    id: 16 hex digits.
    definition: all that defines it.
    commitment: 64 hex digits.
    engines: the versions that played it.
    bots: in the order of the definition.
    public: the text that was mixed into schedule and deals, if there is one.
    """

    id: str
    definition: dict[str, Any]
    commitment: Hex
    engines: list[str]
    bots: list[BotEntry]
    public: str | msgspec.UnsetType = msgspec.UNSET


class FileLine(msgspec.Struct, forbid_unknown_fields=True):
    """A module or a payload of an event in ticks, or a part of one: a line has 16 MiB
    at the most.

    number: its place among the lines of its kind.
    identity: the SHA-256 of all parts together.
    rest: how many parts of this file follow.
    data: the bytes, in base 64.
    """

    number: Number
    identity: Hex
    rest: Number
    data: bytes


class ModuleLine(FileLine, tag_field="kind", tag="module"):
    """A module."""


class PayloadLine(FileLine, tag_field="kind", tag="payload"):
    """The payload of a module."""


FILE_LINES: dict[FileKind, type[ModuleLine | PayloadLine]] = {
    "module": ModuleLine,
    "payload": PayloadLine,
}


class RevealLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="reveal"):
    """A secret that is revealed.

    seed: number of the seed; -1: the secret of the run.
    secret: 64 hex digits.
    """

    seed: Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
    secret: Hex


class VoidLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="void"):
    """An attempt at a match that the host spoilt.

    ordinal: the match's place in the schedule.
    attempt: its number, from 1.
    """

    ordinal: Number
    attempt: Number


class TranscriptEntry(msgspec.Struct, forbid_unknown_fields=True):
    """The stderr of a bot in a match, see transcripts.py.

    packed: in base 64; empty if it was not kept.
    total: bytes in all.
    """

    packed: Annotated[bytes, msgspec.Meta(max_length=PACKED_MOST)]
    total: Number


class MatchLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="match"):
    """A recorded match.

    ordinal: its place in the schedule.
    record: see records/replay/record.py.
    spent: by seat, what its bot reported, null if it was not offered to; nobody can
        check more of it than its shape.
    transcripts: by seat, what its bot wrote on stderr, null if that was not to be kept;
        as for ``spent``.
    """

    ordinal: Number
    record: dict[str, Any]
    spent: tuple[Spent | None, ...] | msgspec.UnsetType = msgspec.UNSET
    transcripts: tuple[TranscriptEntry | None, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_extended(self) -> bool:
        """True if only format EXTENDED has it."""
        return self.spent is not msgspec.UNSET or self.transcripts is not msgspec.UNSET


class CapEntry(msgspec.Struct, forbid_unknown_fields=True):
    """The cap that ended an event, by the word of the bots and of its organiser.
    Amounts are in millionths of the currency.

    cap, spent: the cap, and what was spent.
    at_least: more may have been spent.
    currency: its name.
    """

    cap: Annotated[int, msgspec.Meta(ge=1, le=NUMBER_MOST)]
    spent: Number
    at_least: bool
    currency: Annotated[str, msgspec.Meta(max_length=CURRENCY_MOST)]


class OverLine(
    msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", tag="over"
):
    """The end of an event.

    digest: of the run.
    set_aside: the tables of a batch of a league that the host spoilt again and again,
        each its seed and its line-up.
    capped: the cap that ended it, for good, after whole tables from the first on.
    """

    digest: Hex
    set_aside: tuple[tuple[Number, Number], ...] = ()
    capped: CapEntry | None = None

    @property
    def is_extended(self) -> bool:
        """True if only format EXTENDED has it."""
        return self.capped is not None

    @property
    def ended_by_cap(self) -> EndedByCap | None:
        """The cap as tables have it."""
        cap = self.capped
        return None if cap is None else EndedByCap(cap.cap, cap.spent, cap.at_least, cap.currency)


class StandingsLine(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="standings"):
    """One table, in the form of ``standings --json``."""

    table: dict[str, Any]


class _End(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag="end"):
    """The last line.

    lines, events, matches: how many stand before it.
    sha256: over all lines before it, with their newlines.
    """

    lines: Number
    events: Number
    matches: Number
    sha256: Hex


BundleLine = (
    LinkLine
    | EventLine
    | ModuleLine
    | PayloadLine
    | RevealLine
    | VoidLine
    | MatchLine
    | OverLine
    | StandingsLine
)
_Any = BundleLine | _End


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    """The first line.

    kind: marks the file as a bundle.
    format: of the bundle, FORMAT or EXTENDED.
    engine: the version that wrote it.
    """

    kind: Literal["khiva-bundle"]
    format: int
    engine: str


@dataclass(slots=True)
class _Sums:
    """The counts and the sum for the last line, over the lines before it.

    lines, events, matches: how many so far.
    digest: SHA-256 over the lines so far.
    """

    lines: int = 0
    events: int = 0
    matches: int = 0
    digest: Any = field(default_factory=sha256)

    def add(self, line: bytes) -> None:
        self.digest.update(line)
        self.lines += 1

    def count(self, line: BundleLine) -> None:
        self.events += isinstance(line, EventLine)
        self.matches += isinstance(line, MatchLine)

    def end(self) -> _End:
        return _End(self.lines, self.events, self.matches, self.digest.hexdigest())


class NoBundle(StoreError):
    """A file is no bundle, or its beginning is damaged."""


class Writer:
    """A writer of a bundle into ``file``. Equal lines, added in equal order, give equal
    bytes.
    """

    def __init__(self, file: BinaryIO, engine: str, number: int = FORMAT) -> None:
        """Write the first line. ``number``: the format."""
        self._file = file
        self._deflate = zlib.compressobj(COMPRESSION, zlib.DEFLATED, GZIP)
        self._sums = _Sums()
        self._write(canonical({"kind": HEADER, "format": number, "engine": engine}) + b"\n")

    def add(self, line: BundleLine) -> None:
        """Add a line. Raises StoreError if it is longer than readers allow."""
        text = canonical(msgspec.to_builtins(line)) + b"\n"
        if len(text) > LONGEST_LINE:
            raise StoreError(
                f"a line of {len(text):,} bytes is more than a bundle can hold; bundle "
                "fewer events at a time"
            )
        self._sums.count(line)
        self._write(text)

    def end(self) -> str:
        """Add the last line. Returns the sum over all lines before it, 64 hex
        digits.
        """
        end = self._sums.end()
        self._file.write(
            self._deflate.compress(canonical(msgspec.to_builtins(end)) + b"\n")
            + self._deflate.flush()
        )
        return end.sha256

    def _write(self, text: bytes) -> None:
        self._sums.add(text)
        self._file.write(self._deflate.compress(text))


class Reader:
    """A reader of a bundle from ``file``, a line at a time.

    engine: the version that wrote the bundle.
    digest: the sum over its lines, once all were read.
    """

    def __init__(self, file: Readable) -> None:
        """Read the header. Raises NoBundle if ``file`` is not a bundle, StoreError if
        it is one of another format.
        """
        self.digest = ""
        self._sums = _Sums()
        self._texts = texts(file)
        try:
            first = next(self._texts)
            header = msgspec.convert(parse(first), _Header)
        except (RecordError, StopIteration, ValueError):
            raise NoBundle("not a bundle of khiva-arena") from None
        if header.format not in (FORMAT, EXTENDED):
            raise StoreError(
                f"a bundle of format {header.format}; this engine reads formats {FORMAT} "
                f"and {EXTENDED}"
            )
        self._is_extended = header.format == EXTENDED
        self._sums.add(first)
        self.engine = header.engine

    def lines(self) -> Iterator[BundleLine]:
        """Yield each line between the header and the end.

        Raises RecordError if the file is damaged, cut short or too large, OtherFormat
        if a line of it is of another format.
        """
        for text in self._texts:
            place = f"line {self._sums.lines + 1}"
            try:
                values = parse(text)
                refuse_other_formats(values)
                line = msgspec.convert(values, _Any)
                if (
                    isinstance(line, MatchLine | OverLine)
                    and line.is_extended
                    and not self._is_extended
                ):
                    raise ValueError(f"it has what only format {EXTENDED} has")
            except ValueError as error:
                raise RecordError(f"{place} is damaged: {str(error)[:SHOWN]}") from None
            if isinstance(line, _End):
                self._check_end(line)
                return
            self._sums.add(text)
            self._sums.count(line)
            yield line
        raise RecordError("its last line is missing")

    def _check_end(self, end: _End) -> None:
        counts = self._sums.end()
        if end != counts:
            raise RecordError("its last line does not match the lines before it: they were changed")
        if next(self._texts, None) is not None:
            raise RecordError("more lines follow its last line")
        self.digest = counts.sha256
