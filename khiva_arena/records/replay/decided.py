"""One decision of a recorded match: which choices there were, in words, which of them
somebody means, and how the match ended.

Commands and pages refuse by the words of this module, and show what is here.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from khiva_arena.bots.protocol.messages import Decide
from khiva_arena.errors import ConfigError
from khiva_arena.games.asked import numbers_of
from khiva_arena.games.base import Plain
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import Choice, Header, Record
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.verify import verify

THIS_DEAL = (
    "so it would have gone on this deal, which the seat could not know; `khiva-arena compare` "
    "tells over many deals whether a bot that chooses so is better"
)
LISTED_MOST, NEAR_MOST = 40, 8
_PART, _BETWEEN = re.compile(r"\w+"), re.compile(r"[/,]")


class Decided(Protocol):
    """A recorded match."""

    @property
    def name(self) -> str:
        """EVENT/ORDINAL."""

    @property
    def record(self) -> Record:
        """Its record."""

    @property
    def secret(self) -> bytes:
        """The secret of its deal, 32 bytes."""

    @property
    def is_revealed(self) -> bool:
        """Whether the deal is over, so that its hidden things may be shown."""


class StoredDecision(NamedTuple):
    """A decision of a seat.

    step, seat: its place in the match
    kind: its name
    hand: what the seat held, in words; "" in a game without hands
    texts: its choices in words, by index
    choice: the recorded one
    """

    step: int
    seat: int
    kind: str
    hand: str
    texts: list[str]
    choice: Choice


def no_hand(_header: Header, _view: Mapping[str, Plain]) -> str:
    """Return no words on a hand."""
    return ""


def decision_of(
    table: Decided,
    step: int,
    seat: int,
    hand_of: Callable[[Header, Mapping[str, Plain]], str] = no_hand,
) -> StoredDecision:
    """Return the decision of a seat at a step. Raises ConfigError if its deal is not
    over, or the seat was not asked there.

    hand_of: tells in words what a seat holds.
    """
    seats = table.record.header.seats
    if not table.is_revealed:
        raise ConfigError(
            f"match {table.name}: another match on its deal is still to be played, and what is "
            "tried out now could steer it; resume its event by its `khiva-arena run` first"
        )
    if seat >= len(seats):
        raise ConfigError(f"--seat {seat}: the match has {len(seats)} seats, 0 to {len(seats) - 1}")
    asked = {one.step: one for one in requests(table.record, table.secret, seat, {}) if one.asked}
    if step not in asked:
        steps, out = (
            f"steps {', '.join(map(str, asked))}" if asked else "no step",
            table.record.forfeited_at[seat],
        )
        forfeit = "" if out is None else f", and forfeited at step {out}"
        raise ConfigError(
            f"--step {step}: seat {seat} ({seats[seat].name}) was not asked there; it was asked at "
            f"{steps}{forfeit}, of the {len(table.record.steps)} steps of match {table.name}"
        )
    message, decision = asked[step].message, asked[step].asked
    assert isinstance(message, Decide)
    assert decision is not None
    header = table.record.header
    texts = [words_of(header, message, choice) for choice in range(len(message.legal))]
    return StoredDecision(
        step, seat, message.kind, hand_of(header, message.view), texts, decision.choice
    )


def words_of(header: Header, message: Decide, choice: int) -> str:
    """Return a choice of a request in words. ``header``: of the match."""
    return get(header.game, header.rules_version).choice(
        message.kind, message.legal[choice], message.view
    )


def choice_meant(decision: StoredDecision, word: str) -> int:
    """Return the index of the choice that a word means.

    That is its index; where no choice has such an index, the number that its words
    begin with; its words; or some of them, as G5/B1, in their order or, if that names
    no single choice, in any order within each part.

    Raises ConfigError, with the choices, for a word that means none or several.
    """
    if word.isascii() and word.isdigit():
        number, numbers = int(word[:9]), numbers_of(decision.texts)
        if number < len(decision.texts):
            return number
        if number in numbers and decision.texts[numbers.index(number)].startswith(str(number)):
            return numbers.index(number)
    parts = _parts(word)
    equal = [at for at, text in enumerate(decision.texts) if _parts(text) == parts]
    matching = equal or [
        at for at, text in enumerate(decision.texts) if parts and _is_among(parts, _parts(text))
    ]
    if len(matching) != 1:
        matching = [
            at for at, text in enumerate(decision.texts) if parts and _has_parts(word, text)
        ] or matching
    if len(matching) == 1:
        return matching[0]
    fits = "several choices have" if matching else "no choice has"
    near = sorted(
        matching or range(len(decision.texts)),
        key=lambda at: -len({*parts} & {*_parts(decision.texts[at])}),
    )
    raise ConfigError(f"--choice {word}: {fits} these words; {listed(decision, near, NEAR_MOST)}")


def listed(decision: StoredDecision, only: Sequence[int] = (), most: int = LISTED_MOST) -> str:
    """Return the choices in a line, if there are not too many. ``only``: some of them;
    () for all. ``most``: are named.
    """
    places = only or range(len(decision.texts))
    choices = "; ".join(f"{at}: {decision.texts[at]}" for at in places[:most])
    rest = f"; and {len(places) - most} more" if len(places) > most else ""
    return f"at step {decision.step} seat {decision.seat} had {choices}{rest}"


def _parts(text: str) -> list[str]:
    return _PART.findall(text.casefold())


def _has_parts(word: str, text: str) -> bool:
    """Tell whether each part of a word, between / or commas, has words of the same part
    of a text alone, in any order.
    """
    parts, of = (
        [Counter(_parts(part)) for part in _BETWEEN.split(whole)] for whole in (word, text)
    )
    return len(parts) == len(of) and all(
        some <= all_of for some, all_of in zip(parts, of, strict=True)
    )


def _is_among(parts: Sequence[str], of: Sequence[str]) -> bool:
    """Tell whether parts stand in this order among others."""
    rest = iter(of)
    return all(part in rest for part in parts)


def end_of(record: Record, secret: bytes) -> dict[str, Any]:
    """Return how a match ended, as plain values: ranks, scores, points by source,
    verdicts, digest. ``secret``: of its deal.
    """
    by_source = verify(record, secret).points_by_source
    return {
        "ranks": list(record.ranks),
        "scores": list(record.scores),
        "points": [points._asdict() for points in by_source] if by_source else None,
        "verdicts": [str(verdict) for verdict in record.verdicts],
        "digest": record.digest,
    }
