"""The record of a match: all that is needed to replay it bit for bit, chained by hash.

The canonical part is the header, every choice in the order it was committed, the
verdicts, ranks and scores. It holds no time, bank, req, attempt or stderr, so that it
is equal wherever and however often equal choices are made. A record of an event in
ticks also has the ticks, which are as equal; its format is another one. Canonical text
is JSON with sorted keys, no spaces and ASCII only.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from khiva_arena.common.result import Verdict
from khiva_arena.errors import RecordError
from khiva_arena.rng import short_sha256

FORMAT, IN_TICKS, WITH_PERSONS = 1, 2, 3
"""The formats of a record: by the wall clock, with the ticks of every question, and
these with a person at the table.
"""
PERSON = "person:"
"""The beginning of what a person is called in place of a bot's identity, before the
name.
"""
FORFEITED = "forfeited"
Ticks = Annotated[int, msgspec.Meta(ge=0)]


class Choice(NamedTuple):
    """A seat's part in one step.

    seat: its number.
    choice: an index into the legal ones.
    why: "" for the bot's own choice, else why the default (0) was played: a verdict
        word for a fault in this step, FORFEITED for a seat that is out.
    """

    seat: int
    choice: int
    why: str = ""


class RecordedSeat(NamedTuple):
    """A seat of a recorded match, and the bot that sat there.

    name: the bot's name in the event.
    bot: its identity, a hash; of a person in a match in ticks, ``person_called``.
    number: the seat's own number, as the hello gives it.
    """

    name: str
    bot: str
    number: int


def person_called(name: str) -> str:
    """Return the words that stand for the identity of a person in ticks, who has no
    bytes to hash, and cannot be run again.
    """
    return PERSON + name


class Header(msgspec.Struct, frozen=True):
    """The facts about a match that are fixed before it is played.

    match: its id.
    game, rules_version, rules: the game.
    seats: the bots by seat.
    commit: to the deal, hex, see ``seeds.py``.
    time: limits in milliseconds.
    policy, isolation: words of ``Policy`` and of the isolation levels.
    format: of the record, FORMAT, IN_TICKS or WITH_PERSONS.
    clock, meter: "ticks" and the number of their price list; in no record of the format
        FORMAT.
    """

    match: str
    game: str
    rules_version: str
    rules: Mapping[str, Any]
    seats: tuple[RecordedSeat, ...]
    commit: str
    time: Mapping[str, int]
    policy: str
    isolation: str
    format: int = FORMAT
    clock: Literal["ticks"] | UnsetType = UNSET
    meter: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET

    @property
    def in_ticks(self) -> bool:
        """True if thinking is paid in ticks."""
        return self.format != FORMAT

    @property
    def persons(self) -> tuple[int, ...]:
        """The seats of persons, in a match in ticks. By the wall clock a record does
        not tell them from bots.
        """
        return tuple(
            seat
            for seat, player in enumerate(self.seats)
            if player.bot == person_called(player.name)
        )


class Record(msgspec.Struct, frozen=True, dict=True):
    """A match that was recorded. Lists are by seat.

    header: the facts fixed before it was played.
    steps: the choices of each step, by seat.
    verdicts: OK, or the fault that the seat forfeited by.
    forfeited_at: the step in which the seat forfeited, 0 is the start; or None.
    ranks: final places, 1 is best, ties share one.
    scores: in the game's own points.
    reason: why the match ended: "over" by the rules, "forfeits" with one seat left in.
    ticks: the ticks that each start took, by seat; then for each step those of each of
        its choices, 0 for a seat that was not asked. None by the wall clock.
    """

    header: Header
    steps: tuple[tuple[Choice, ...], ...]
    verdicts: tuple[Verdict, ...]
    forfeited_at: tuple[int | None, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    ticks: Annotated[tuple[tuple[Ticks, ...], ...], msgspec.Meta(min_length=1)] | None = None

    @cached_property
    def _header(self) -> bytes:
        return canonical(msgspec.to_builtins(self.header))

    @cached_property
    def digest(self) -> str:
        """The last link of the hash chain, 64 hex digits: header, then each choice in
        seat order, then the result.
        """
        link = sha256(b"khiva-record-%d\0" % self.header.format + self._header).digest()
        for step in self.steps:
            for (
                choice
            ) in step:  # by hand: a record has a hundred choices, nearly all of the same form
                text = canonical(choice) if choice.why else b'[%d,%d,""]' % choice[:2]
                link = short_sha256(link + text).digest()
        return sha256(link + canonical(self._result())).hexdigest()

    def _result(self) -> dict[str, Any]:
        return {
            "verdicts": self.verdicts,
            "forfeited_at": self.forfeited_at,
            "ranks": self.ranks,
            "scores": self.scores,
            "reason": self.reason,
            **({} if self.ticks is None else {"ticks": self.ticks}),
        }

    def to_json(self) -> str:
        """Return the record as canonical text, digest included."""
        return self._text(self.digest)

    def _text(self, digest: str) -> str:
        return canonical(
            {
                "header": msgspec.to_builtins(self.header),
                "steps": self.steps,
                **self._result(),
                "digest": digest,
            }
        ).decode()

    def _is_written_as(self, text: str) -> bool:
        """Tell whether ``to_json`` gives this text. Text with signs that two encoders
        write differently counts as another.
        """
        parts = {
            "header": msgspec.Raw(self._header),
            "steps": self.steps,
            **self._result(),
            "digest": self.digest,
        }
        is_plain = text.isascii() and "\\" not in text and "\x7f" not in text
        return is_plain and msgspec.json.encode(parts, order="sorted") == text.encode()

    def _has_its_format(self) -> bool:
        """Tell whether the format is known, and its fields are there, and no others."""
        head = self.header
        has = {head.clock is not UNSET, head.meter is not UNSET, self.ticks is not None}
        is_known = head.format in (FORMAT, IN_TICKS, WITH_PERSONS)
        return (
            is_known
            and has == {head.in_ticks}
            and bool(head.persons) == (head.format == WITH_PERSONS)
        )

    @classmethod
    def from_json(cls, text: str) -> "Record":
        """Read a record and check its chain. Raises RecordError if it is malformed or
        its digest does not fit.
        """
        with suppress(ValueError, RecursionError):  # the slower way below says what is wrong
            record = _decode(text)
            if record._has_its_format() and record._is_written_as(text):
                return record
        try:
            raw = json.loads(text)
            record = msgspec.convert(raw, cls)
            stored_digest = raw["digest"]
            digest, is_same = record.digest, record._text(stored_digest) == text
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise RecordError(
                f"not a record of a match ({type(error).__name__}: {str(error)[:200]})"
            ) from None
        if record.header.format not in (FORMAT, IN_TICKS, WITH_PERSONS):
            known = f"{FORMAT}, {IN_TICKS} and {WITH_PERSONS}"
            raise RecordError(
                f"a record of format {record.header.format}; this engine reads {known}"
            )
        if not record._has_its_format():
            raise RecordError(
                "a clock, a price list and ticks belong to formats 2 and 3, and a person "
                "to format 3, and only to these"
            )
        if digest != stored_digest:
            raise RecordError(
                f"the hash chain ends in {digest[:16]}, the record says {str(stored_digest)[:16]}"
            )
        if not is_same:
            raise RecordError("not canonical text, or with more in it than a record has")
        return record


class PastFault(msgspec.Struct, frozen=True):
    """A fault that is recorded.

    step: the number of the step, 0 is the start
    seat, verdict: the seat, and what it did
    detail: the line about it that the seat's bot was sent; "" if it is not known
    """

    step: int
    seat: int
    verdict: Verdict
    detail: str


class Past(msgspec.Struct, frozen=True):
    """The steps of a match that are taken from a record.

    steps: the choices of each step, of each seat but the one that is asked again in the
        last of them
    faults: those that are recorded in these steps
    out: seats that forfeit in these steps: their bots are not needed
    ticks: of the start and of each of the steps, as a record has them; () by the wall
        clock
    guest: the seat whose player comes in the last of the steps, and is sent no request
        of those before; None for none
    guest_turn_ms: the time for each of its decisions
    """

    steps: tuple[tuple[Choice, ...], ...]
    faults: tuple[PastFault, ...]
    out: tuple[int, ...]
    ticks: tuple[tuple[int, ...], ...] = ()
    guest: int | None = None
    guest_turn_ms: int = 0


_decode = msgspec.json.Decoder(Record).decode
_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode


def canonical(value: object) -> bytes:
    """Return a value as canonical JSON: sorted keys, no spaces, ASCII."""
    return _encode(value).encode()


def digest_of(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON, 64 hex digits."""
    return sha256(canonical(value)).hexdigest()


def run_digest(match_digests: Iterable[str]) -> str:
    """Return one digest for a whole run: SHA-256 over the match digests (as hex text)
    in schedule order.
    """
    hasher = sha256(b"khiva-run-digest-1\0")
    for digest in match_digests:
        hasher.update(digest.encode())
    return hasher.hexdigest()
