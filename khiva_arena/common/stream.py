"""The events of a run as data: one JSON object a line, typed and versioned.

The log, the live screen and ``watch`` are all drawn from these lines. docs/files.md
describes them.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal, get_args

import msgspec

VERSION = 1
LONGEST_LINE = 4 << 20
"""The most bytes of a line: a longer one is not read."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Score = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", gc=False):
    """The fields of every line. Bots are indices into the ``bots`` of the last
    ``begin``; all numbers count from 0.

    v: version of the stream
    t: seconds since the last ``begin``
    """

    v: Literal[1] = 1
    t: Seconds


class Begin(Line, frozen=True, kw_only=True, tag="begin"):
    """An event begins or is resumed.

    event: its id
    stage: name of the stage, if it has one
    number: of the stage in its competition, from 1; 0 without stages
    in_store: its number in the store, from 1, as ``show`` takes it; 0 in older streams
    which: the words of a heading after the name of the game, as " with game=chess()";
        "" for none, and in older streams
    bots: their names
    anchor: the bot at Elo 0
    rounds, seeds, matches: how many in all
    before: matches recorded by earlier runs, which follow
    jobs: matches at a time
    at: when, in UTC
    marks: of each bot, in the order of ``bots``, the help that others may lack, as in a
        definition; none in older streams
    looks: how many looks at the results were planned before the first match; 0 for
        none, and in older streams
    called: the word for the format in a heading, as compare; "" for the format itself,
        and in older streams
    """

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
    marks: list[list[str]] = []
    which: str = ""
    in_store: Whole = 0
    looks: Whole = 0
    called: str = ""

    def marked(self) -> dict[str, list[str]]:
        """Return the marks of the bots that have any, by name."""
        return {name: marks for name, marks in zip(self.bots, self.marks, strict=False) if marks}


class Round(Line, frozen=True, kw_only=True, tag="round"):
    """A round was drawn.

    first_seed: the first of its seeds
    seeds: how many it has
    tables: on each seed
    byes: bots that sit out
    """

    number: Whole
    first_seed: Whole
    seeds: Whole
    tables: Whole
    byes: list[Whole]


class MatchRecorded(Line, frozen=True, kw_only=True, tag="match"):
    """A match was recorded. Lists are by seat.

    ordinal: its place in the schedule
    ranks: 1 is best, ties share one
    seconds: that it took
    before: whether an earlier run recorded it
    """

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


class FaultRecorded(Line, frozen=True, kw_only=True, tag="fault"):
    """A fault in a match that was recorded, strikes included.

    match: its ordinal
    step: the step, 0 is the start; in older streams only by its old name
    gather: the old name of ``step``, the same number
    """

    match: Whole
    bot: Whole
    seat: Whole
    verdict: str
    gather: Whole
    detail: str
    before: bool
    step: Whole = 0

    def __post_init__(self) -> None:
        if not self.step:
            msgspec.structs.force_setattr(self, "step", self.gather)


class Paused(Line, frozen=True, kw_only=True, tag="paused"):
    """A bot was stopped until its turn, since it kept a seat that was asked, or the
    arbiter, from a core.

    times: how often in this match
    """

    match: Whole
    bot: Whole
    seat: Whole
    times: Whole
    before: bool


class VoidRecorded(Line, frozen=True, kw_only=True, tag="void"):
    """An attempt at a match that the host spoilt; nobody is to blame.

    attempt: which one, from 1
    bots: by seat
    """

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
    """The state of a sequential test.

    llr: log-likelihood ratio; the test stops outside of ``low`` and ``high``
    seeds: how many it has counted
    decision: "" before there is one
    """

    llr: float
    low: float
    high: float
    seeds: Whole
    decision: str


class EloDifference(Line, frozen=True, kw_only=True, tag="difference"):
    """The state of a comparison of two bots.

    elo: how far the first bot is above the other
    low, high: the ends of the interval that holds at all looks at once; None for no end
    seeds: how many it has counted
    decision: better or worse, once it is clear; "" before
    """

    elo: float
    low: float | None
    high: float | None
    seeds: Whole
    decision: str


class Note(Line, frozen=True, kw_only=True, tag="note"):
    """Any other message of the arbiter."""

    text: str
    warning: bool


class LinkNews(Line, frozen=True, kw_only=True, tag="link"):
    """A change of the link to a bot on another machine.

    relay: its name, as in remote:NAME
    what: ``here``: it came. ``away``: it is lost, and may come back within
        ``seconds``. ``back``: the same one came back after ``seconds``, and nothing is
        lost. ``again``: another one came instead. ``lost``: none came in time. ``cut``:
        it sent what it may not, which ``why`` says. ``enough``: no more is said of it
        until the end. ``figures``: it was lost so many ``times``, for ``seconds`` in
        all.
    median_ms: of the round trips so far, in milliseconds; None if that is not known
    p95_ms: 95 % of them stay below this
    why: more in words, "" for nothing
    """

    relay: str
    what: Literal["here", "away", "back", "again", "lost", "cut", "enough", "figures"]
    seconds: Seconds = 0.0
    times: Whole = 0
    median_ms: Seconds | None = None
    p95_ms: Seconds | None = None
    why: str = ""


class RunEnded(Line, frozen=True, kw_only=True, tag="end"):
    """The run is over.

    how: ``incomplete`` if tables were set aside
    fixed: matches of the last event that are recorded
    seconds: that the run took, with all its events
    digest: run digest of the last event, None if that is not complete
    """

    how: Literal["complete", "incomplete", "interrupted", "failed"]
    fixed: Whole
    seconds: Seconds
    digest: str | None


_OfAMatch = MatchRecorded | FaultRecorded | Paused | VoidRecorded | SetAside
Any_line = Begin | Round | _OfAMatch | Llr | EloDifference | LinkNews | Note | RunEnded
KINDS: tuple[type[Line], ...] = get_args(Any_line)
_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], Any_line] = msgspec.json.Decoder(Any_line).decode


class _Head(msgspec.Struct):
    """The part of a line that is read before all else.

    v: version of the stream.
    type: the type of the line.
    """

    v: int
    type: str


_head = msgspec.json.Decoder(_Head).decode


class NotAStream(ValueError):
    """Text that cannot be read as a stream. The message tells why."""


def encoded(line: Any_line) -> bytes:
    """Return the line with its newline."""
    return bytes(_encode(line)) + b"\n"


def decoded(data: bytes) -> Any_line | None:
    """Return a line, given without its newline; None for one of a type that this
    version does not know. Raises NotAStream.
    """
    try:
        return _decode(data)
    except (ValueError, RecursionError) as error:
        try:
            head = _head(data)
        except (ValueError, RecursionError):
            raise NotAStream("it is not a line of a stream of events") from None
        if head.v != VERSION:
            raise NotAStream(
                f"it is of version {head.v}, this khiva-arena reads version {VERSION}"
            ) from None
        if head.type in {kind.__struct_config__.tag for kind in KINDS}:
            raise NotAStream(f"a line is malformed: {error}") from None
        return None


class StreamReader:
    """A reader that makes lines out of bytes as they come.

    unread: how many lines could not be read and were passed over; a full disk or a
        killed run may leave one that is cut
    began: whether a ``begin`` has been read
    """

    def __init__(self) -> None:
        self.unread = 0
        self.began = False
        self._rest = bytearray()
        self._bots = self._seats = 0

    def feed(self, data: bytes) -> Iterator[Any_line]:
        """Yield the lines that are whole now. Raises NotAStream if the first is not a
        ``begin``, or of another version.
        """
        self._rest += data
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        if len(rest) > LONGEST_LINE:
            raise NotAStream(f"a line is longer than {LONGEST_LINE:,} bytes")
        for text in filter(None, lines):
            try:
                line = decoded(bytes(text))
            except NotAStream:
                if not self.began:
                    raise
                self.unread += 1
                continue
            if isinstance(line, Begin) and self._fits(line):
                self.began = True
                self._bots, self._seats = len(line.bots), line.seats
            if not self.began:
                raise NotAStream("its first line does not say that a run begins")
            if line is None:
                continue
            if self._fits(line):
                yield line
            else:
                self.unread += 1

    def _fits(self, line: Any_line) -> bool:
        """Tell whether the bots that a line names exist: a file may hold anything."""
        match line:
            case Begin():
                return line.anchor < len(line.bots) and len(line.marks) in (0, len(line.bots))
            case MatchRecorded():
                sizes = {len(line.bots), len(line.ranks), len(line.scores), len(line.verdicts)}
                return sizes == {self._seats} and all(bot < self._bots for bot in line.bots)
            case VoidRecorded() | Round():
                return all(
                    bot < self._bots
                    for bot in (line.bots if isinstance(line, VoidRecorded) else line.byes)
                )
            case FaultRecorded() | Paused():
                return line.bot < self._bots
            case SetAside() | Llr() | EloDifference() | LinkNews() | Note() | RunEnded():
                return True
