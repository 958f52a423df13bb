"""The terms, rounds and places that every format works with. Bots are 0..bots-1."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import NamedTuple

import msgspec

from khiva_arena.rating.schedule.lineups import FEWEST_SEATS, MOST_SEATS, LineUp


@dataclass(frozen=True, slots=True)
class Terms:
    """The values from which a schedule is made.

    format: a key of ``formats.FORMATS``.
    bots: how many bots play.
    seats: at a table.
    seeds: of each round; a format without rounds has one.
    copies: ``--copies``, how often a bot may sit at one table.
    most: ``--lineups``, how many line-ups are played at most; None: the default.
    draw: which line-ups those are if they are not all: "", a balanced part that is
        drawn; or ``names.ALL_MEET``.
    rounds: ``--rounds`` of a swiss; None: the default.
    advance: ``--advance`` of a knockout, how many bots of a table reach the next round;
        None: half of the seats.
    candidates: ``--candidate``, of a gauntlet or sprt; (): the first bot.
    authors: a group number per bot; bots of one group never sit at one table. (): no
        such rule.
    seeded: whether the bots are given in order of strength.
    tables: of a league's batch, drawn before it began: the circular order of each; of a
        match alone, its bots by seat.
    twins: whether two candidates are compared: they sit with the same others in the
        same seats on each seed.
    key: 32 bytes, public, that all draws are made with.
    """

    format: str
    bots: int
    seats: int
    seeds: int
    copies: int = 1
    most: int | None = None
    draw: str = ""
    rounds: int | None = None
    advance: int | None = None
    candidates: tuple[int, ...] = ()
    authors: tuple[int, ...] = ()
    seeded: bool = False
    tables: tuple[tuple[int, ...], ...] = ()
    twins: bool = False
    key: bytes = field(kw_only=True)


class Shape(msgspec.Struct, frozen=True):
    """The facts about a round that are known before any result.

    number: of the round, from 0.
    first_seed: the first of its seeds, which are in a row.
    seeds: how many those are.
    line_ups: how many it has.
    first_ordinal: the first of its matches, which are in a row: seed by seed, in a seed
        line-up by line-up, in a table rotation by rotation.
    seats: at a table.
    rotations: how many of a table are played; 0: one for each seat.
    """

    number: int
    first_seed: int
    seeds: int
    line_ups: int
    first_ordinal: int
    seats: int
    rotations: int = 0

    @property
    def per_table(self) -> int:
        """The number of matches of a table on one seed."""
        return self.rotations or self.seats

    @property
    def matches(self) -> int:
        """The number of matches of the round."""
        return self.seeds * self.line_ups * self.per_table


class DrawnRound(msgspec.Struct, frozen=True):
    """A round whose tables are drawn.

    number, first_seed, seeds, first_ordinal: as in its ``Shape``.
    line_ups: each a sorted tuple of bots.
    byes: the bots that play at no table of it.
    total: how many line-ups are possible; if that is more than ``line_ups`` holds, a
        balanced part of them is played.
    together: pairs of bots of one author that a knockout had to put at one table.
    orders: the circular order of each line-up on every seed, if it is not drawn from
        the event's key.
    twins: whether the second half of the line-ups sits as the first one does, with
        another bot at the first place of each.
    rotations: as in its ``Shape``.
    """

    number: int
    first_seed: int
    seeds: int
    line_ups: tuple[LineUp, ...]
    first_ordinal: int
    byes: tuple[int, ...] = ()
    total: int = 0
    together: tuple[tuple[int, int], ...] = ()
    orders: tuple[LineUp, ...] = ()
    twins: bool = False
    rotations: int = 0


class PlaceColumn(NamedTuple):
    """One cell of a table of places that only some formats have.

    key: its name in JSON.
    head: its name at the head of a table.
    value: in JSON; None: there is none.
    text: in a table.
    """

    key: str
    head: str
    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Detail(ABC):
    """The part of a bot's place that only a format in rounds adds.

    byes: how many rounds the bot sat out so far.
    """

    byes: int

    @abstractmethod
    def columns(self, *, over: bool) -> tuple[PlaceColumn, ...]:
        """Return the same columns for every bot of an event. ``over``: whether the
        event is over.
        """


class Placing(msgspec.Struct, frozen=True):
    """The place of a bot in an event.

    bot: its index.
    place: 1 is best; ties share a place.
    score: its mean pair score over its matches, 0 to 1; None without a match.
    detail: the part that its format adds; None if nothing.
    """

    bot: int
    place: int
    score: Fraction | None
    detail: Detail | None = None


def seating_mistakes(terms: Terms) -> list[str]:
    """Return the mistakes in the number of seats or of bots, at most one line. A round
    robin has a stricter check of its own.
    """
    if not FEWEST_SEATS <= terms.seats <= MOST_SEATS:
        return [f"a table has {FEWEST_SEATS} to {MOST_SEATS} seats, not --seats {terms.seats}"]
    return ["there are no bots to play"] if terms.bots < 1 else []


def too_few_bots(terms: Terms) -> list[str]:
    """Return the mistakes in the number of seats or of bots for formats in which a bot
    has no copies, at most one line: every table is filled with different bots.
    """
    if problems := seating_mistakes(terms):
        return problems
    if terms.bots < terms.seats:
        return [
            (
                f"{terms.bots} bots cannot fill a table of --seats {terms.seats}: add bots, or "
                "give fewer seats"
            )
        ]
    return []


def round_key(key: bytes, number: int) -> bytes:
    """Return the 32 bytes that round ``number`` is drawn with: ``key`` itself for the
    first one.
    """
    return sha256(b"khiva-round-1\0" + key + number.to_bytes(4, "big")).digest() if number else key


def shapes_of(terms: Terms, tables: Sequence[int]) -> tuple[Shape, ...]:
    """Return the rounds that follow each other, by how many line-ups each has."""
    shapes: list[Shape] = []
    seed = ordinal = 0
    for number, line_ups in enumerate(tables):
        shapes.append(Shape(number, seed, terms.seeds, line_ups, ordinal, terms.seats))
        seed, ordinal = seed + terms.seeds, ordinal + shapes[-1].matches
    return tuple(shapes)


def drawn_round(
    shape: Shape,
    line_ups: Sequence[LineUp],
    byes: Sequence[int] = (),
    total: int | None = None,
    together: Sequence[tuple[int, int]] = (),
    orders: Sequence[LineUp] = (),
) -> DrawnRound:
    """Return a round of this shape with these tables."""
    all_line_ups = tuple(line_ups)
    return DrawnRound(
        number=shape.number,
        first_seed=shape.first_seed,
        seeds=shape.seeds,
        line_ups=all_line_ups,
        first_ordinal=shape.first_ordinal,
        byes=tuple(sorted(byes)),
        total=len(all_line_ups) if total is None else total,
        together=tuple(together),
        orders=tuple(orders),
        rotations=shape.rotations,
    )
