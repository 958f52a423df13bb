"""The columns of the standings: a row, and an entry for each of its fields.

The printed table, the details, the JSON Schema and the tables of docs/standings.md are made from this one list. A new column is a
field and an entry here, and its computation in ``standings.py``; measurements of a seat are summed there automatically.
"""

from collections.abc import Callable, Sequence
from statistics import median

import msgspec
from msgspec import Struct

from khiva_arena.ratings.elo import FEWEST_SEEDS
from khiva_arena.report.text import chance, elo, error, number

# A match, in the mean, and as many times what is usual at the table: programs are read from a disk once, and in memory then.
MANY_PAGE_FAULTS = 2.0  # node had 1.2 to 1.3 if the system gives memory back early
MANY_TIMES_THE_USUAL = 5.0
OF_RUNTIMES = "about 3 for a program in C, 5 in Perl, Lua or Ruby, 9 in Python, 11 in Java, 14 in Node, 36 in PHP"
"""The page faults of a start with nothing of the runtime in memory, measured on Debian 12."""
DISK, BETWEEN, LAST, FIRST = 1, 2, 3, 4  # in this order the first columns leave a table that is too wide


class Standing(Struct, frozen=True):
    """A bot, as a row of the table. Elo, errors and percent have 3 digits; None (in JSON: null) is "n/a".

    ``COLUMNS`` says what each field is and how it is shown.
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
    faults: dict[str, int]
    voids: int
    cpu_s: float | None
    paused: int
    caused: int
    page_faults: int | None
    links_lost: int
    fault_free_elo: float | None
    fault_free_error: float | None
    fault_free_bound: str
    differs: bool | None
    pool_error: float | None
    quasi_se: float | None
    design_effect: float | None
    opponents: float | None
    marks: tuple[str, ...]
    met_next: bool | None

    @property
    def fault_counts(self) -> tuple[tuple[str, int], ...]:
        """The kinds of faults that the bot has, and how often."""
        return tuple((kind, often) for kind, often in self.faults.items() if often)


class Column(msgspec.Struct, frozen=True):
    """A column of the table, or a key of JSON that no table shows.

    head: the head above it; "" if no table shows it.
    field: of ``Standing``, and key in JSON.
    doc: its meaning, for docs/standings.md and the JSON Schema.
    cell: its text, or how many digits a plain number has after the point.
    leaves: when it is left out of a table that is too wide, 1 first; 0: never.
    shown: whether a table has it without --wide.
    left: whether it is aligned to the left, as names are.
    """

    head: str
    field: str
    doc: str
    cell: Callable[[Standing], str] | int = 0
    leaves: int = 0
    shown: Callable[[Sequence[Standing]], bool] = lambda _: True
    left: bool = False

    def text(self, row: Standing) -> str:
        """Return the text of the column's cell in a row."""
        return number(getattr(row, self.field), self.cell) if isinstance(self.cell, int) else self.cell(row)


def many_page_faults(rows: Sequence[Standing]) -> list[Standing]:
    """Return the bots that read a disk far more often in a match than others did."""
    known = [(row.page_faults / row.matches, row) for row in rows if row.page_faults is not None and row.matches]
    usual = median([share for share, _ in known]) if known else 0.0
    return [row for share, row in known if share > max(MANY_PAGE_FAULTS, MANY_TIMES_THE_USUAL * usual)]


UNMET = "unmet"
"""The word in place of a likelihood against the next bot if the two never met: the likelihood follows from other bots alone."""


def _los(row: Standing) -> str:
    return UNMET if row.met_next is False else chance(row.los_next)


def _any(field: str) -> Callable[[Sequence[Standing]], bool]:
    return lambda rows: any(getattr(row, field) for row in rows)


def _listed_marks() -> str:
    return "; ".join(f"{mark}: {says}" for mark, says in MARKS.items())


def _ranks(row: Standing) -> str:
    if row.rank_interval is None:
        return "n/a"
    best, worst = row.rank_interval
    return str(best) if best == worst else f"{best}-{worst}"


MARKS = {
    "network": "its cell was open to the network, so it may have had help from elsewhere, and told other such bots what it saw",
    "remote": "it played on another machine, of which the arena knows nothing",
    "kept": "one process of it served many matches, so it may have remembered",
}
"""The marks of a bot for help that others at its table may lack, each with its meaning."""

FINISHES = Column("1st, 2nd, ...", "finishes", "how often it finished there; ties share the better place")

TABLE = (
    Column("rank", "rank", "by Elo; equal Elo shares a rank"),
    Column(
        "bot",
        "name",
        "its name; if several bots have one name, the beginning of their ids is added",
        lambda row: row.name,
        left=True,
    ),
    Column(
        "marks",
        "marks",
        f"what it had in some of its events that others may lack (shown if any bot has one). {_listed_marks()}",
        lambda row: " ".join(row.marks),
        shown=_any("marks"),
    ),
    Column(
        "ranks",
        "rank_interval",
        "the best and worst rank that the results leave open, 95 % sure for all bots at once. Bots whose ranks overlap are *not* "
        "told apart. If the results cut the bots into groups, fewer comparisons are left inside each, and its intervals are "
        "narrower: a bot that is certainly last widens nobody's. n/a at two seats with fewer than four seeds",
        _ranks,
    ),
    Column(
        "elo",
        "elo",
        "P(A finishes ahead of B, ties half) = 1/(1 + 10^(-(A - B)/400)), at tables of any size: a fit to all pairs of all "
        "complete tables at once, a match of K seats weighing 3/(K + 1) a pair, with one drawn game a bot that keeps it finite "
        "(F1-F3). `>=`, `<=`: the results give only a bound; `?`: the bot is not compared with the anchor",
        lambda row: elo(row.bound, row.elo),
    ),
    Column(
        "+/-",
        "error",
        "half of the 95 % interval of elo *relative to the anchor*; seeds are left out one by one, since matches on one seed "
        "may share its luck (CR3 with Student's t, F4; wider after a swiss, F13). `>=`, `<=`: all points between the bot and "
        "the anchor flow one way, and elo is at least, at most, that: the one end of the 95 % interval that there is, n/a if it "
        "does not tell the bot from the anchor. `~`: rough, from fewer than five seeds, so that the error itself is hardly known",
        lambda row: error(row.error, row.low, row.high, row.rough),
    ),
    Column(
        "los%",
        "los_next",
        "how likely the bot is stronger than the one in the next row, in percent (F4), under the prior of the ratings: each bot "
        f"drew one game with a bot of middling strength. `{UNMET}`: the two never sat at one table, so that it would follow "
        "from what others made of both, which need not be what they would make of each other",
        _los,
        10,
    ),
    Column("matches", "matches", "rated ones it sat in; only complete tables are rated, what is left out is named below", 0, 5),
    Column("seeds", "seeds", "of these matches", 0, 8),
    Column("score%", "score", "mean pair score in percent, weighted as in the fit", 1, 6),
    FINISHES,
    Column(
        "faults",
        "faults",
        "timeouts, illegal choices, crashes and so on, over *all* recorded matches, rated or not; a forfeiter loses to all who "
        "did not forfeit. JSON has them by kind",
        lambda row: str(sum(row.faults.values())),
        9,
    ),
    Column(
        "voids",
        "voids",
        "attempts at its tables that the host or the game spoilt after a bot was asked for a choice; they never count (shown if "
        "there are any)",
        0,
        7,
        _any("voids"),
    ),
    Column(
        "caused",
        "caused",
        "of the voids, those that it caused by being late without a core (shown if there are any): on a busy host this happens "
        "to all alike; one bot with many is worth a look",
        0,
        7,
        _any("caused"),
    ),
    Column(
        "links",
        "links_lost",
        "of the faults, those that were the end of a link to another machine, on which the bot played (shown if there are any); "
        "the crash counts as any other",
        0,
        7,
        _any("links_lost"),
    ),
    Column(
        "disk",
        "page_faults",
        "page faults of its processes for which a disk was read, as far as these ended and were waited for (shown if somebody "
        "has far more than others: over two a match, and five times the median). What it reads is in memory after the first "
        f"matches, unless something drops it; then each start reads its runtime again: {OF_RUNTIMES}. Never a fault. n/a for "
        "events that 0.1 played, which did not count them",
        0,
        DISK,
        lambda rows: bool(many_page_faults(rows)),
    ),
)

DETAILS = (
    Column("ties%", "ties", "percent of its pairs with other bots that ended tied", 1),
    Column(
        "pool+/-",
        "pool_error",
        "half of the 95 % interval relative to the mean of the bots it is connected with (points flow both ways, straight or "
        "over others): free of how sure the anchor is",
        lambda row: error(row.pool_error, None, None, row.seeds < FEWEST_SEEDS),
    ),
    Column(
        "quasi",
        "quasi_se",
        "quasi standard error: the standard error between any two bots is near the root of the sum of their squares (F5)",
        1,
    ),
    Column(
        "deff",
        "design_effect",
        "design effect: the variance over what it would be if matches were independent. Below 1: sharing seeds helped, or many "
        "ties, or bots far apart at large tables; above 1: a seed suits some bots",
        2,
    ),
    Column(
        "opp",
        "opponents",
        "mean Elo of the bots it met, weighted as they count; those with a bound in place of a number are left out",
        1,
    ),
    Column(
        "ff-elo",
        "fault_free_elo",
        "the same fit over matches in which no seat made a fault; `>=`, `<=`, `?` as with elo",
        lambda row: elo(row.fault_free_bound, row.fault_free_elo),
    ),
    Column(
        "ff+/-",
        "fault_free_error",
        "half of the 95 % interval of ff-elo",
        lambda row: error(row.fault_free_error, None, None, row.rough),
    ),
)

ONLY_JSON = (
    Column("", "bot", "the id it plays under, a hash of what it is"),
    Column("", "low", "lower end of the 95 % interval of `elo`; null without an interval, and if only the upper end is known"),
    Column("", "high", "upper end of the same"),
    Column(
        "",
        "met_next",
        "whether the bot met the one in the next row in a rated match; null for the last row, and if one of the two has none",
    ),
    Column("", "rough", "whether these come from fewer than five seeds, so that they are hardly known themselves"),
    Column("", "bound", 'what the results alone say of `elo`: "" finite, ">=" at least, "<=" at most, "?" not compared'),
    Column("", "fault_free_bound", "the same of `fault_free_elo`"),
    Column("", "differs", "whether the two are further apart than `error`; null if that is unknown, as of a bound"),
    Column("", "cpu_s", "CPU seconds, over the matches for which they are known"),
    Column("", "paused", "how often it was stopped, since it kept a core from a seat that was to answer"),
)

COLUMNS = (*TABLE, *DETAILS, *ONLY_JSON)
