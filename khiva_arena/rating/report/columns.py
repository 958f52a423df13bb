"""The columns of the standings: a row, and an entry for each of its fields.

The printed table, the details, the JSON Schema and the tables of docs/standings.md are
made from this one list. A new column is a field and an entry here, and its computation
in ``standings.py``; measurements of a seat are summed there automatically.
"""

from collections.abc import Callable, Sequence
from statistics import median

import msgspec
from msgspec import Struct

from khiva_arena.common.result import SpentInAll
from khiva_arena.rating.ratings.elo import FEWEST_SEEDS
from khiva_arena.rating.report.text import chance, elo, error, number

# A match, in the mean, and as many times what is usual at the table: programs are read
# from a disk once, and in memory then.
MANY_PAGE_FAULTS = 2.0  # node had 1.2 to 1.3 if the system gives memory back early
MANY_TIMES_THE_USUAL = 5.0
OF_RUNTIMES = (
    "about 3 for a program in C, 5 in Perl, Lua or Ruby, 9 in Python, 11 in Java, 14 in Node, "
    "36 in PHP"
)
"""The page faults of a start with nothing of the runtime in memory, measured on Debian
12.
"""
DISK, BETWEEN, LAST, FIRST = (
    1,
    2,
    3,
    4,
)  # in this order the first columns leave a table that is too wide


class Standing(Struct, frozen=True):
    """A bot, as a row of the table. Elo, errors and percent have 3 digits; None (in
    JSON: null) is "n/a".

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
    least: float | None
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
    spent: SpentInAll | None
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
        return (
            number(getattr(row, self.field), self.cell)
            if isinstance(self.cell, int)
            else self.cell(row)
        )


def many_page_faults(rows: Sequence[Standing]) -> list[Standing]:
    """Return the bots that read a disk far more often in a match than others did."""
    known = [
        (row.page_faults / row.matches, row)
        for row in rows
        if row.page_faults is not None and row.matches
    ]
    usual = median([share for share, _ in known]) if known else 0.0
    return [
        row for share, row in known if share > max(MANY_PAGE_FAULTS, MANY_TIMES_THE_USUAL * usual)
    ]


UNMET = "unmet"
"""The word instead of a likelihood against the next bot if the two never met: the
likelihood follows only from other bots.
"""


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
    "network": (
        "the bot had a network, so it may have had outside help, and told other such bots its view"
    ),
    "remote": "the bot played on another machine, which the arena cannot watch",
    "kept": "one process of the bot served many matches, so the bot may have remembered",
    "person": "a person sat beside modules, and nobody can rerun a person's choices",
}
"""The marks of a bot for help that others at its table may lack, each with its
meaning.
"""

FINISHES = Column(
    "1st, 2nd, ...",
    "finishes",
    "how often the bot finished in that place; ties share the better place",
)

TABLE = (
    Column(
        "rank",
        "rank",
        "place by Elo, in a league by `least`. Equal bots share a rank. n/a: the bot of a league "
        "has retired, or has played in too few batches for a place",
    ),
    Column(
        "bot",
        "name",
        "name of the bot. If several bots share a name, the beginning of each id is added",
        lambda row: row.name,
        left=True,
    ),
    Column(
        "marks",
        "marks",
        "outside help that the bot may have had in some events (shown if any bot has a "
        f"mark). {_listed_marks()}",
        lambda row: " ".join(row.marks),
        shown=_any("marks"),
    ),
    Column(
        "ranks",
        "rank_interval",
        "best and worst rank that the results leave open, 95 % sure for all bots at once. If the "
        "ranks of two bots overlap, the results do *not* tell them apart. If the results split "
        "the bots into groups, each group has fewer comparisons and narrower intervals. So a bot "
        "that is certainly last widens no interval. n/a: two seats and fewer than four seeds",
        _ranks,
    ),
    Column(
        "elo",
        "elo",
        "rating: P(A finishes ahead of B, ties half) = 1/(1 + 10^(-(A - B)/400)), at "
        "tables of any size. One fit takes all pairs "
        "of all complete tables; a pair in a match of K seats weighs 3/(K + 1). The fit "
        "adds one drawn game for each bot, which "
        "keeps its rating finite (F1-F3). `>=`, `<=`: the results give only a bound. `?`: "
        "no results compare the bot with the "
        "anchor",
        lambda row: elo(row.bound, row.elo),
    ),
    Column(
        "+/-",
        "error",
        "half of the 95 % interval of elo *relative to the anchor*. It comes from leaving "
        "out one seed at a time, because "
        "matches on one seed may share its luck (CR3 with Student's t, F4). It is wider "
        "after a swiss (F13) and after looks "
        "(F15). `>=`, `<=`: all points between the bot and the anchor flow one way. So the "
        "interval has one end, and elo is at "
        "least, or at most, this number. n/a: the results do not tell the bot from the "
        "anchor. `~`: rough, because fewer than "
        "five seeds hardly show how large the error is",
        lambda row: error(row.error, row.low, row.high, row.rough),
    ),
    Column(
        "least",
        "least",
        "order of a league's table: `elo` less `pool_error`, the lower end of the 95 % interval "
        "against the other bots. It does not depend on the anchor. If a bot took all points or "
        "lost all, `least` is its `low`, or n/a if that is not known (shown in a league)",
        1,
        11,
        shown=lambda rows: any(row.least is not None for row in rows),
    ),
    Column(
        "los%",
        "los_next",
        "likelihood, in percent, that the bot is stronger than the bot in the next row (F4). It "
        f"has the prior of the ratings: each bot drew one game with an average bot. `{UNMET}`: "
        "the two never sat at one table. Their results against others may not show how they would "
        "do against each other",
        _los,
        10,
    ),
    Column(
        "matches",
        "matches",
        "rated matches of the bot. Only complete tables are rated; a line below names the rest",
        0,
        5,
    ),
    Column("seeds", "seeds", "seeds of the rated matches", 0, 8),
    Column("score%", "score", "mean pair score in percent, weighted as in the fit", 1, 6),
    FINISHES,
    Column(
        "faults",
        "faults",
        "timeouts, illegal choices, crashes and other faults in *all* recorded matches, rated or "
        "not. A bot that forfeits loses to every bot that did not. JSON has the faults by kind",
        lambda row: str(sum(row.faults.values())),
        9,
    ),
    Column(
        "voids",
        "voids",
        "attempts at the bot's tables that the host or the game spoilt after a bot was asked for "
        "a choice. They never count (shown if there are any)",
        0,
        7,
        _any("voids"),
    ),
    Column(
        "caused",
        "caused",
        "voids that the bot caused by a late answer, because it had no core (shown if there are "
        "any). On a busy host this happens to honest bots, too. If one bot has many, look at it",
        0,
        7,
        _any("caused"),
    ),
    Column(
        "links",
        "links_lost",
        "faults at which the link to the bot's machine was lost (shown if there are any). "
        "Each counts as a crash",
        0,
        7,
        _any("links_lost"),
    ),
    Column(
        "disk",
        "page_faults",
        "page faults that read a disk, counted when a process of the bot has ended. The column is "
        "shown if a bot has far more than others: over two a match, and five times the median. "
        "After the first matches a bot's files are in memory. If the machine drops them, each "
        f"start reads the runtime again: {OF_RUNTIMES}. It is never a fault of the bot. n/a: "
        "version 0.1 played the event, and did not count page faults",
        0,
        DISK,
        lambda rows: bool(many_page_faults(rows)),
    ),
)

DETAILS = (
    Column("ties%", "ties", "percent of the bot's pairs with other bots that ended tied", 1),
    Column(
        "pool+/-",
        "pool_error",
        "half of the 95 % interval relative to the mean of a pool: this bot, and all bots "
        "with which points flow both ways, "
        "directly or over others. It does not depend on how well the anchor is known",
        lambda row: error(row.pool_error, None, None, row.seeds < FEWEST_SEEDS),
    ),
    Column(
        "quasi",
        "quasi_se",
        "quasi standard error: the root of the sum of two bots' squares is near the error "
        "of their difference (F5)",
        1,
    ),
    Column(
        "deff",
        "design_effect",
        "design effect: the variance divided by that of independent matches. Below 1: "
        "sharing seeds helped, or there are many "
        "ties, or bots far apart at large tables. Above 1: a seed suits some bots",
        2,
    ),
    Column(
        "opp",
        "opponents",
        "mean Elo of the opponents, weighted as in the fit, without opponents that have "
        "only a bound",
        1,
    ),
    Column(
        "ff-elo",
        "fault_free_elo",
        "rating by the matches in which no seat made a fault; `>=`, `<=`, `?` as with elo",
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
    Column("", "bot", "id of the bot, a hash of its files, run and build lines"),
    Column("", "low", "lower end of the 95 % interval of `elo`; null if it is not known"),
    Column("", "high", "upper end of the 95 % interval of `elo`; null if it is not known"),
    Column(
        "",
        "met_next",
        "whether the bot met the bot in the next row in a rated match; null for the last row, and "
        "if one of the two has no rated match",
    ),
    Column(
        "",
        "rough",
        "whether the errors come from fewer than five seeds, and so are hardly known themselves",
    ),
    Column(
        "",
        "bound",
        'bound that the results put on `elo`: "" none, ">=" at least, "<=" at most, "?" '
        "not compared",
    ),
    Column("", "fault_free_bound", "bound on `fault_free_elo`, as `bound` on `elo`"),
    Column(
        "",
        "differs",
        "whether `elo` and `fault_free_elo` are further apart than `error`; null if that "
        "is unknown",
    ),
    Column("", "cpu_s", "CPU seconds of the bot, over the matches for which they are known"),
    Column(
        "",
        "spent",
        "totals that the bot reported, over all its matches, by its own word. No rating looks at "
        "them. null: it was not offered to report any",
    ),
    Column(
        "",
        "paused",
        "how often the arbiter stopped the bot, because it kept a seat that had to answer, "
        "or the arbiter, from a core",
    ),
)

COLUMNS = (*TABLE, *DETAILS, *ONLY_JSON)
