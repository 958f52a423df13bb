"""Effects beside the bots: the worth of a seat and of a neighbour, fitted if asked for.
docs/how-ratings-work.md F1.

Seat effect of table size K and seat s: Elo that a bot plays above its strength for
sitting there; the K of a size sum to 0. Neighbour effect of bot u: Elo that the bot in
the seat after u, the one u passes to, plays above its strength. Neighbour effects sum
to 0 over the bots that were such a neighbour at a table of three or more. At a table of
two the neighbour is the opponent.
"""

import msgspec


class EffectsToFit(msgspec.Struct, frozen=True):
    """The effects to fit; false if none.

    seats: one for each seat of each table size.
    neighbours: one for each bot, on the bot in the seat after it.
    """

    seats: bool = False
    neighbours: bool = False

    def __bool__(self) -> bool:
        return self.seats or self.neighbours


class FittedEffect(msgspec.Struct, frozen=True):
    """One effect: of a seat, or of a neighbour.

    seats, seat: table size, and the seat from 0; None for a neighbour.
    bot: the neighbour; None for a seat.
    elo: Elo; None if the matches do not separate it from the strength of the bots, or
        if its size comes from the prior.
    error: Elo, half width of the 95 % interval; None with fewer than two blocks, or if
        all blocks say the same.
    se: Elo, standard error; None as ``error``.
    blocks: seeds with a counted pair that says something of it.
    """

    seats: int | None
    seat: int | None
    bot: int | None
    elo: float | None
    error: float | None
    se: float | None
    blocks: int


class AnchorCheck(msgspec.Struct, frozen=True):
    """The check whether an anchor's given number is consistent with the others'.

    bot: the anchor.
    given: Elo, the given number.
    sd: Elo, the given standard deviation; 0: exact.
    elo: Elo, its number if it is not an anchor and all others are; None with one
        anchor, or if the results place it nowhere.
    se: Elo, standard error of ``elo``; None as ``elo``, and if all blocks say the same
        of it.
    z: (elo - given) / sqrt(se^2 + sd^2); None without ``se``. Beyond 2 or 3 from 0 the
        given numbers contradict each other.
    """

    bot: int
    given: float
    sd: float
    elo: float | None
    se: float | None
    z: float | None
