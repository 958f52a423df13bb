"""What a seat is worth, and what a neighbour is worth, beside the bots: asked for, estimated with the ratings. F1.

Seat effect of table size K and seat s: Elo that a bot plays above its strength for sitting there; the K of a size sum to 0.
Neighbour effect of bot u: Elo that whoever sits in the seat after u, the one u passes to, plays above its strength; they sum
to 0 over the bots that were such a neighbour at a table of three or more. At a table of two the neighbour is the opponent.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effects:
    """Which effects to fit. False when none."""

    seats: bool = False
    neighbours: bool = False

    def __bool__(self) -> bool:
        return self.seats or self.neighbours


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect, in Elo. Either ``seats`` and ``seat`` (from 0) are there, or ``bot`` is, the neighbour.

    elo: None where the matches do not tell it from the strength of the bots, or where its size comes from the prior.
    error, se: half width of the 95 % interval, standard error, as of the ratings; None with fewer than two blocks,
        or where all blocks say the same.
    blocks: seeds with a counted pair that tells of it.
    """

    seats: int | None
    seat: int | None
    bot: int | None
    elo: float | None
    error: float | None
    se: float | None
    blocks: int


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """Whether an anchor's given number goes with the others', in Elo.

    given, sd: as asked; sd 0: exact.
    elo, se: its number when it is no anchor and all others are. None with one anchor, or where the results place it nowhere;
        ``se`` None too where all blocks say the same of it.
    z: (elo - given) / sqrt(se^2 + sd^2); None without ``se``. Beyond 2 or 3 from 0 the given numbers contradict each other.
    """

    bot: int
    given: float
    sd: float
    elo: float | None
    se: float | None
    z: float | None
