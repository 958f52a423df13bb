"""The judgement of a table's intervals and ranks: how many standard errors they take.
docs/how-ratings-work.md F13.

Student's t is right if results do not decide who meets whom. Where they do, as in a
swiss, the same errors are too small: more of them make an interval. How many more
follows from how the matches were drawn, and stands in a ``Widening``, which every
interval, likelihood and rank of a table goes through.
"""

from functools import cache

import msgspec
import numpy as np

from khiva_arena.rating.ratings.looks import ONE_LOOK, Looks
from khiva_arena.rating.ratings.scale import LEVEL
from khiva_arena.rating.ratings.student import Floats, Ints, stdtr, stdtrit


class Widening(msgspec.Struct, frozen=True):
    """The least critical values, in standard errors, of one table's intervals and
    ranks.

    kind: how the values were found: "replayed", from replays of the draw; "shape", from
        replays with equal bots at this number of bots, seats, rounds and seeds; "" for
        none.
    pair: the least half width of the 95 % interval of two bots; 0: the value of
        Student's t.
    ranks: the least difference that ``ranks`` calls certain; 0: the value of Tukey's
        range.
    looks: how intervals allow for having been looked at before this table, and played
        on, or not; see ``looks``.
    """

    kind: str = ""
    pair: float = 0.0
    ranks: float = 0.0
    looks: Looks = ONE_LOOK

    def __bool__(self) -> bool:
        """Tell whether anything is wider than Student's t makes it."""
        return bool(self.kind)

    def factor(self, seeds: Ints | int) -> Floats:
        """Return by element how many times as wide an interval is as Student's t alone
        makes it. ``seeds``: 2 or more, of the bot that has fewer of the two compared.
        """
        plain = stdtrit(np.asarray(seeds) - 1, (1 + LEVEL) / 2)
        return np.maximum(1.0, np.maximum(self.pair, self.looks.critical(seeds, 1 - LEVEL)) / plain)

    def critical(self, seeds: Ints | int, level: float = 1 - LEVEL) -> Floats:
        """Return the half width in standard errors of an interval that errs with
        probability ``level``.
        """
        factor = np.maximum(1.0, self.pair / stdtrit(np.asarray(seeds) - 1, (1 + LEVEL) / 2))
        return np.maximum(
            stdtrit(np.asarray(seeds) - 1, 1 - level / 2) * factor,
            self.looks.critical(seeds, level),
        )

    def certain(self, seeds: Ints | int, level: float) -> Floats:
        """Return how many standard errors a difference exceeds if it is certain in
        ``ranks``. ``level``: of one comparison of two, so that all of them hold
        together.
        """
        return np.maximum(self.looks.critical(seeds, level), self.ranks)

    def half_width(self, se: float, seeds: int) -> float | None:
        """Return the half width of the 95 % interval; None below two seeds, and where
        looks allow for nothing yet.
        """
        return None if self.says_nothing(seeds) else se * of_interval(self, seeds)

    def says_nothing(self, seeds: int) -> bool:
        """Tell whether so few seeds give no interval: fewer than two, or so few of
        those planned that one which holds at any look has more standard errors than two
        seeds alone ever take.
        """
        return seeds < 2 or (
            bool(self.looks) and float(self.looks.critical(seeds, 1 - LEVEL)) > _WIDEST
        )

    def superior(self, seeds: Ints, z: Floats) -> Floats:
        """Return how likely a difference of ``z`` standard errors is above 0: .975
        where the 95 % interval ends at 0.
        """
        return stdtr(seeds - 1, z / self.factor(seeds))


@cache
def of_interval(widening: Widening, seeds: int) -> float:
    """Return the half width of the 95 % interval in standard errors. Plans ask for it
    again and again.
    """
    return float(widening.critical(seeds))


_WIDEST = float(stdtrit(1, (1 + LEVEL) / 2))
PLAIN = Widening()
"""The widening of a table whose pairings followed no results."""
