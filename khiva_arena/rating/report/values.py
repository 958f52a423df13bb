"""The table of standings as frozen values; numbers only, no text. Its rows are in
``columns.py``.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from khiva_arena.rating.ratings.elo import Ratings
from khiva_arena.rating.ratings.looks import ONE_LOOK
from khiva_arena.rating.ratings.match_arrays import Floats, Matches
from khiva_arena.rating.ratings.pairs import PairCells
from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.rating.report.columns import Standing


class AnchorAt(msgspec.Struct, frozen=True):
    """A bot whose Elo is given, in place of a single anchor at 0.

    bot: its name or id.
    elo: the given number.
    sd: how sure that is, in Elo; 0: exact.
    """

    bot: str
    elo: float
    sd: float = 0.0


class GivenAnchor(Struct, frozen=True):
    """An anchor whose Elo was given, compared with the results.

    bot: id.
    given, sd: the number, and how sure it is, in Elo.
    found: where the other anchors and the results would put it; null with one anchor.
    z: how many standard errors that is away from the given number.
    contradicts: whether that is too far for luck, at 95 %.
    """

    bot: str
    given: float
    sd: float
    found: float | None
    z: float | None
    contradicts: bool | None


class Apart(NamedTuple):
    """Bots that are listed below a line. It changes no number.

    bots: by id.
    words: of the line.
    """

    bots: frozenset[str]
    words: str


class Evidence(msgspec.Struct, frozen=True, eq=False):
    """The data behind the numbers of a table, for sections and tests. Bots are numbered
    as in ``Standings.order``.

    matches: those of complete tables.
    cells: those by block and pair.
    ratings: the headline fit.
    los: (n, n) percent, NaN if there is none.
    anchor: the bot that the ratings are relative to.
    given: (bot, Elo, sd) of anchors with numbers of their own.
    """

    matches: Matches
    cells: PairCells
    ratings: Ratings
    los: Floats
    anchor: int
    given: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """A table of standings.

    rows: best first, in a league in the order of ``placing``; unrated bots last, in the
        order given.
    anchor: id of the bot at 0, or of the first of those whose Elo is given.
    anchors: those whose Elo is given, each compared with the results.
    blocks: seeds that errors cluster on.
    tables, matches: rated ones.
    fault_free_matches: rated matches in which no seat made a fault.
    incomplete, set_aside: tables (event, table) that are not rated.
    left_out: recorded matches in them.
    seats: the largest table, the length of ``finishes``.
    order: the bot id of each index of ``evidence``.
    shared_deals: how much sharing deals widens the errors; None if the results do not
        say.
    evidence: the data behind the numbers.
    fewest_batches: of a league, the batches that a bot needs for a place; None for any
        other table.
    apart: the bots below a line, for the printed table alone; None without one.
    remarks: lines about what was not kept.
    """

    rows: tuple[Standing, ...]
    anchor: str
    anchors: tuple[GivenAnchor, ...]
    blocks: int
    tables: int
    matches: int
    fault_free_matches: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int
    seats: int
    order: tuple[str, ...]
    shared_deals: SharedDeals | None
    evidence: Evidence = field(repr=False, compare=False)
    fewest_batches: int | None = None
    apart: Apart | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ratings(self) -> Ratings:
        """The fit itself, for errors between any two bots."""
        return self.evidence.ratings

    @property
    def widened(self) -> float:
        """The factor by which an error is wider than if pairings had followed no
        results, of two bots that played all seeds.
        """
        return float(replace(self.ratings.widening, looks=ONE_LOOK).factor(max(2, self.blocks)))
