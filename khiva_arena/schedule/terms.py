"""What every format is made of: its terms, its rounds, the results it is fed and the places it gives. Bots are 0..bots-1."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256

from khiva_arena.schedule.lineups import LineUp


class Format(StrEnum):
    """How an event is played. ``sprt`` is scheduled as a gauntlet of one candidate, and stopped from outside."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    SPRT = "sprt"


@dataclass(frozen=True, slots=True)
class Terms:
    """All that a schedule is made from.

    seeds: of the event for round-robin, gauntlet and sprt; of each round for swiss and knockout.
    copies, most: ``--copies``, ``--lineups``; for formats whose line-ups are listed. rounds: of a swiss, None: the default.
    advance: how many of a table go on in a knockout, None: half of the seats.
    candidates: of a gauntlet or sprt, (): the first bot. authors: a group number per bot; bots of one group are kept from one
    table; (): no such rule. seeded: the bots are given in order of strength. key: 32 bytes, public.
    """

    format: Format
    bots: int
    seats: int
    seeds: int
    copies: int = 1
    most: int | None = None
    rounds: int | None = None
    advance: int | None = None
    candidates: tuple[int, ...] = ()
    authors: tuple[int, ...] = ()
    seeded: bool = False
    key: bytes = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a round before any result. ``number`` is from 0.

    Its seeds are ``first_seed`` and the ``seeds - 1`` after it, its matches the ordinals from ``first_ordinal`` on: seed by
    seed, in a seed line-up by line-up, in a table rotation by rotation.
    """

    number: int
    first_seed: int
    seeds: int
    line_ups: int
    first_ordinal: int
    seats: int

    @property
    def matches(self) -> int:
        return self.seeds * self.line_ups * self.seats


@dataclass(frozen=True, slots=True)
class Round:
    """A round whose tables are drawn. ``line_ups``: each a sorted tuple of bots. ``byes``: who plays no table of it.

    ``total``: how many line-ups are possible; more than ``line_ups`` holds where a balanced part of them is played.
    ``together``: pairs of bots of one author that a knockout had to put at one table.
    """

    number: int
    first_seed: int
    seeds: int
    line_ups: tuple[LineUp, ...]
    first_ordinal: int
    byes: tuple[int, ...] = ()
    total: int = 0
    together: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One match that is fixed. By seat: ``bots``, ``ranks`` (1 is best, ties share one) and ``scores`` of the game."""

    k: int
    lineup: int
    rotation: int
    bots: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SwissDetail:
    """``points``: sum of the bot's scores at its tables. ``opponents``: mean score of those it met there. ``byes`` so far."""

    points: Fraction
    tables: int
    opponents: Fraction | None
    byes: int


@dataclass(frozen=True, slots=True)
class KnockoutDetail:
    """``out``: number of the round in which the bot went out; of the last round for those beaten in the final; None for the
    winner and for who is still in. ``byes`` so far."""

    out: int | None
    byes: int


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place, 1 is best; ties share one. ``score``: its mean pair score over its matches, None without a match."""

    bot: int
    place: int
    score: Fraction | None
    detail: SwissDetail | KnockoutDetail | None = None


def round_key(key: bytes, number: int) -> bytes:
    """The 32 bytes that round ``number`` is drawn with: ``key`` itself for the first one."""
    return sha256(b"khiva-round-1\0" + key + number.to_bytes(4, "big")).digest() if number else key


def shapes_of(terms: Terms, tables: Sequence[int]) -> tuple[Shape, ...]:
    """The rounds in a row that have so many line-ups each."""
    found: list[Shape] = []
    seed = ordinal = 0
    for number, line_ups in enumerate(tables):
        found.append(Shape(number, seed, terms.seeds, line_ups, ordinal, terms.seats))
        seed, ordinal = seed + terms.seeds, ordinal + found[-1].matches
    return tuple(found)


def drawn(
    shape: Shape,
    line_ups: Sequence[LineUp],
    byes: Sequence[int] = (),
    total: int | None = None,
    together: Sequence[tuple[int, int]] = (),
) -> Round:
    """A round of this shape with these tables."""
    every = tuple(line_ups)
    return Round(
        number=shape.number,
        first_seed=shape.first_seed,
        seeds=shape.seeds,
        line_ups=every,
        first_ordinal=shape.first_ordinal,
        byes=tuple(sorted(byes)),
        total=len(every) if total is None else total,
        together=tuple(together),
    )
