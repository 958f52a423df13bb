"""The list that ``standings`` makes, as frozen values; numbers only, no text."""

from dataclasses import dataclass, field

from khiva_arena.ratings.elo import Ratings
from khiva_arena.ratings.matches import MatchRow
from khiva_arena.ratings.pairs import Floats, PairCells, RatedMatch
from khiva_arena.result import Verdict


@dataclass(frozen=True, slots=True)
class AnchorAt:
    """A bot whose Elo is given, in place of a single anchor at 0. ``bot``: its name or id.  sd: how sure that is, 0: exact."""

    bot: str
    elo: float
    sd: float = 0.0


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor that was given a number. ``bot``: id.  found: where the other anchors and the results would put it, None with
    one anchor; z: how many standard errors away from the given number that is. contradicts: too far for luck, at 95 %."""

    bot: str
    given: float
    sd: float
    found: float | None
    z: float | None
    contradicts: bool | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot. Elo, errors and percent are rounded to 3 digits; None is "n/a". STANDINGS.md explains each.

    rank: by Elo, equal Elo shares a rank; None without a rating.
    rank_interval: best and worst rank that the results leave open, 95 % for all bots together.
    elo, error: relative to the anchor; ``error`` is the 95 % half width, 0 for the anchor.
    low, high: ends of the 95 % interval of ``elo``; one is None where all points between bot and anchor flow one way.
    rough: that is from fewer than five seeds.
    bound: what the results alone say of ``elo``: "" finite, ">=" at least, "<=" at most, "?" not compared with the anchor.
    los_next: how likely the bot is stronger than the one in the next row, in percent.
    matches, seeds: rated ones the bot sat in.  score: mean pair score in percent, weighted as in the fit.
    ties: percent of its pairs with other bots that ended tied.
    finishes: how often a seat of the bot came 1st, 2nd, ... in rated matches; ties share the better place.
    faults: (kind, how many), over *all* fixed matches, rated or not, as are all to page_faults.
    voids: void attempts at a table of this bot.  cpu_s: CPU seconds over matches where it is known.
    paused: how often it was stopped, since it kept a core from a seat that was asked.
    caused: of the voids, those it caused itself, by being late.
    page_faults: for which a disk was read, over matches where that is known; None if for none.
    fault_free_elo, fault_free_error, fault_free_bound: from rated matches in which no seat made a fault.
    differs: the two Elos are further apart than ``error``; None where that cannot be told, as where one of them is a bound.
    pool_error: 95 % half width relative to the mean of the bots it is connected with.  quasi_se: see Ratings.
    design_effect: how much wider the variance is than if matches were independent.
    opponents: mean Elo of those it met, weighted as they count.
    """

    rank: int | None
    rank_interval: tuple[int, int] | None
    bot: str
    name: str
    elo: float | None
    error: float | None
    low: float | None
    high: float | None
    rough: bool
    bound: str
    los_next: float | None
    matches: int
    seeds: int
    score: float | None
    ties: float | None
    finishes: tuple[int, ...]
    faults: tuple[tuple[Verdict, int], ...]
    voids: int
    cpu_s: float | None
    paused: int
    caused: int
    page_faults: int | None
    fault_free_elo: float | None
    fault_free_error: float | None
    fault_free_bound: str
    differs: bool | None
    pool_error: float | None
    quasi_se: float | None
    design_effect: float | None
    opponents: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the numbers were made from, for those who ask further. Bots are numbered as in ``Standings.order``.

    rated: rows of complete tables.  matches: the same as the fit sees them.  cells: those by block and pair.
    ratings: the headline fit.  los: (n, n) percent, NaN where there is none.
    anchor, given: what the ratings are relative to; ``given`` is (bot, Elo, sd) of anchors with numbers of their own.
    """

    rated: tuple[MatchRow, ...]
    matches: tuple[RatedMatch, ...]
    cells: PairCells
    ratings: Ratings
    los: Floats
    prior: float
    anchor: int
    given: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """A list. ``anchor``: bot id.  anchors: where numbers were given for some, with what the results say of each.
    blocks: seeds that errors cluster on.

    rows: best first; unrated bots last, in the order given.
    incomplete, set_aside: tables (event, table) that are not rated; left_out: the fixed matches in them.
    fault_free_matches: rated matches in which no seat made a fault.
    seats: the largest table, the length of ``finishes``.
    order: the bot id of each index of ``evidence``.
    """

    rows: tuple[Standing, ...]
    anchor: str
    anchors: tuple[Anchored, ...]
    blocks: int
    tables: int
    matches: int
    fault_free_matches: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int
    seats: int
    order: tuple[str, ...]
    evidence: Evidence = field(repr=False, compare=False)

    @property
    def ratings(self) -> Ratings:
        """The fit itself, for errors between any two bots."""
        return self.evidence.ratings
