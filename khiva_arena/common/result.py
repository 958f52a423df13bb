"""The result of a match, and the question of a sequential test: values of every room
above.

A forfeit is data, never an exception that leaves a match.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import reduce
from math import isfinite, log
from operator import add
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from khiva_arena.errors import ConfigError


class Verdict(StrEnum):
    """The fixed words for the end of a seat. All but ``ok`` and ``void`` blame one
    seat; ``void`` blames the host and is never rated.
    """

    OK = "ok"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASHED = "crashed"
    FLOODED = "flooded"
    RESOURCE = "resource"
    START_FAILED = "start_failed"
    VOID = "void"


FAULTS = tuple(v for v in Verdict if v not in (Verdict.OK, Verdict.VOID))
VOIDS_MOST = 2
"""How often a match is tried in all."""
TICKS_A_MS = 10_000_000
"""Ticks that stand for a millisecond of ``--turn``, ``--bank`` and ``--start`` in an
event whose clock is ticks.
"""
PRICE_LIST = 2
"""The number of the price list of new events in ticks; protocol/METER.md has its
prices, and the bytes that a module is sent.
"""
SPOKEN_PRICE_LISTS = (PRICE_LIST,)
"""The price lists by which this version plays, and runs bots again. Every later version
speaks them, too. None has list 1, which was never released.
"""


class Clock(StrEnum):
    """The clock by which thinking is paid. wall: time of the machine. ticks:
    instructions, by the price list of the meter.
    """

    WALL = "wall"
    TICKS = "ticks"


class Policy(StrEnum):
    """The cost of a fault. lenient: a timeout or illegal choice plays the default, the
    third one forfeits; any other fault forfeits at once. strict: the first fault
    forfeits.
    """

    LENIENT = "lenient"
    STRICT = "strict"


LINK_LOST = "link lost"
"""The detail of a crash, or the end of the detail, if the link to the machine where the
seat was played was lost.
"""

# These cost a strike under the lenient policy; every other fault leaves a stream that
# cannot be trusted any more.
STRIKING = (Verdict.TIMEOUT, Verdict.ILLEGAL)
STRIKES_TO_FORFEIT = {Policy.LENIENT: 3, Policy.STRICT: 1}


class Measured(NamedTuple):
    """The measurements of a seat in one match, beside its record; None: unknown. A row
    of the standings has the sums.

    cpu_s: CPU time, in seconds.
    paused: times that the bot was stopped, since it kept a seat that was to answer, or
        the arbiter, from a core.
    caused: void attempts at the match that the seat caused, by being late.
    page_faults: those for which a disk was read.
    links_lost: crashes that were the end of a link to another machine.
    """

    cpu_s: float | None = None
    paused: int = 0
    caused: int = 0
    page_faults: int | None = None
    links_lost: int = 0


NOT_MEASURED = Measured()
SPENT_MOST = 8
"""The number of totals that a bot may report."""
COST = "cost"
"""The total that counts millionths of a currency."""
TOKENS_TOLD = "tokens_in_told"
"""In place of ``tokens_in``: nobody told the tokens of some requests, so tokens and
cost are at least so much.
"""
CURRENCY_MOST = 16
"""The characters of the name of a currency."""
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
_Word = Annotated[str, Meta(min_length=1, max_length=32)]
Totals = Annotated[dict[_Word, _Count], Meta(max_length=SPENT_MOST)]
Currency = Annotated[str, Meta(max_length=CURRENCY_MOST)]


def is_shown(word: str) -> bool:
    """Tell whether a word of a bot has printable characters only, not all of them
    spaces.
    """
    return word.isprintable() and bool(word.strip())


class Transcript(Struct, frozen=True):
    """The stderr of one bot in one match, see ``records.store.transcripts``.

    packed: its beginning, as far as it was kept; b"" if nothing was.
    total: bytes of it in all, without the values that the bot was handed.
    """

    packed: bytes
    total: int


class Spent(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The totals that the bot of a seat reported in a match, by its own word: beside
    the record, ignored by rules and ratings.

    totals: by name; empty if it reported none.
    decisions: that the arena asked the seat for.
    whole: the last act had totals, so nothing is missing.
    dropped: reports that were none.
    currency: of the total ``cost``, which counts its millionths; "" if the bot named
        none.
    """

    totals: Totals
    decisions: _Count
    whole: bool = False
    dropped: _Count = 0
    currency: Currency = ""

    def __post_init__(self) -> None:
        """Raise ValueError for a name that is not printable."""
        if not all(map(is_shown, filter(None, (*self.totals, self.currency)))):
            raise ValueError("a name is not printable")


def total(seats: Iterable[Measured]) -> Measured:
    """Sum the known measurements of seats; None if none is known."""
    known_values = (
        [value for value in values if value is not None]
        for values in zip(NOT_MEASURED, *seats, strict=True)
    )
    sums: list[Any] = [reduce(add, values) if values else None for values in known_values]
    return Measured(*sums)


class SpentInAll(Struct, frozen=True, omit_defaults=True):
    """The totals that a bot reported over its matches, by its own word.

    matches: in which it was offered to report.
    decisions: that the arena asked it for in these.
    totals: sums by name; empty if it reported none, and without ``cost`` if that was in
        several currencies.
    at_least: some match ended without its last totals.
    dropped: reports that were none.
    currency: of the total ``cost``, which counts its millionths; "" if it named none.
    currencies: all in which it reported a cost, in their order, if those are several;
        left out otherwise.
    """

    matches: int
    decisions: int
    totals: dict[str, int]
    at_least: bool
    dropped: int
    currency: str
    currencies: tuple[str, ...] = ()


def add_spent(reports: Iterable[Spent]) -> SpentInAll | None:
    """Add up the reports of a bot, one for each match; None if there are none."""
    matches = decisions = dropped = 0
    totals: dict[str, int] = {}
    currencies, of_none = set[str](), set[str]()  # of costs, and of costs of 0
    whole = True
    for report in reports:
        matches, decisions, dropped = (
            matches + 1,
            decisions + report.decisions,
            dropped + report.dropped,
        )
        whole = whole and (report.whole or not report.decisions)
        if COST in report.totals:
            (currencies if report.totals[COST] else of_none).add(report.currency)
        for name, total_of_match in report.totals.items():
            totals[name] = totals.get(name, 0) + total_of_match
    if not matches:
        return None
    currencies = currencies or of_none - {""}
    several = tuple(sorted(currencies)) if len(currencies) > 1 else ()
    if several:  # no sum is of several
        del totals[COST]
    currency = "" if several else "".join(currencies)
    in_order = dict(sorted(totals.items()))
    return SpentInAll(matches, decisions, in_order, not whole, dropped, currency, several)


class Result(Struct, frozen=True, kw_only=True, gc=False):
    """The result of a match: the one value that later rounds, ratings and exports are
    made from. Tuples are by seat.

    event: id of its event.
    ordinal: its place in the schedule of the event.
    match: its id.
    seed: number of the seed in the event.
    lineup: its line-up, numbered within the round.
    rotation: number of the table's rotation, from 0.
    block: names the deal; errors cluster on it. Events that share deals (one run
        secret) must give equal names.
    bots: numbers from 0, in the order of the event's bots, or of the table that pools
        events. Copies of a bot have one number.
    ranks: final places, 1 is best, ties share one, forfeits rank below; empty if the
        match was set aside.
    scores: in the game's own points.
    verdicts: "ok", or the fault that the seat forfeited by.
    faults: every (fault, step) of the seat, in order, strikes included.
    voids: attempts at this match that were void before it was recorded or set aside.
    set_aside: the match stayed void; its whole table is not rated.
    spent: the totals that the bot of each seat reported, None if it was not offered to;
        empty if none was.
    not_begun: of the voids, those that came before a bot was asked for a choice, so
        that none can have caused them.
    measured: the measurements of each seat; empty if there are none.
    """

    event: str = ""
    ordinal: int = 0
    match: str = ""
    seed: int = 0
    lineup: int = 0
    rotation: int = 0
    block: str = ""
    bots: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    verdicts: tuple[str, ...] = ()
    faults: tuple[tuple[tuple[str, int], ...], ...] = ()
    voids: int = 0
    set_aside: bool = False
    measured: tuple[Measured, ...] = ()
    spent: tuple[Spent | None, ...] = ()
    not_begun: int = 0

    @property
    def table(self) -> str:
        """The name of its table in the event: the N rotations of a line-up on a
        seed.
        """
        return f"{self.seed}/{self.lineup}"

    @property
    def fault_free(self) -> bool:
        return not any(self.faults)

    @property
    def unstarted(self) -> tuple[int, ...]:
        """The seats whose bot failed to start."""
        if Verdict.START_FAILED not in self.verdicts:
            return ()
        return tuple(
            seat for seat, verdict in enumerate(self.verdicts) if verdict == Verdict.START_FAILED
        )


def final_ranks(game_ranks: Sequence[int], forfeited_at: Sequence[int | None]) -> list[int]:
    """Return the places when some seats forfeited: below all who did not, later
    forfeits above earlier ones, those of one step tie.

    game_ranks: places by the rules, 1 is best.
    forfeited_at: by seat, the number of the step in which the seat forfeited, or None.

    Ties share a place (1, 2, 2, 4).
    """
    keys = [
        (0, rank) if at is None else (1, -at)
        for rank, at in zip(game_ranks, forfeited_at, strict=True)
    ]
    return [1 + sum(better < key for better in keys) for key in keys]


# --- a sequential test ---

MOST_ELO = 1000.0


class Model(StrEnum):
    """The kinds of Elo that a sequential test may be about: of the score, or
    normalised.
    """

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Hypotheses(Struct, frozen=True, omit_defaults=True):
    """Two hypotheses. H0: the candidate is ``elo0`` above its opponents or less. H1:
    ``elo1`` or more.

    elo0, elo1: Elo of ``model``; elo0 is the lower one.
    alpha: about how often a candidate whose true Elo is elo0 passes; a weaker one does
        less often.
    beta: about how often one whose true Elo is elo1 fails; a stronger one does less
        often. The test aims at both: Wald's bounds are exact for many small steps, and
        if nearly all blocks end alike it may err more or less often.
    model: the kind of Elo: of the score, or normalised.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: Model

    def __post_init__(self) -> None:
        """Raise ConfigError with every mistake."""
        wrong = []
        if not all(isfinite(elo) and abs(elo) <= MOST_ELO for elo in (self.elo0, self.elo1)):
            wrong.append(
                f"Elo of the hypotheses is {self.elo0:g} and {self.elo1:g}: give numbers "
                "from -1000 to 1000"
            )
        elif self.elo0 >= self.elo1:
            wrong.append(
                f"Elo of H0 is {self.elo0:g}, of H1 {self.elo1:g}: H0's must be the lower one"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                wrong.append(
                    f"{name} is {rate:g}: give a rate of wrong decisions between 0 and "
                    "0.5, such as 0.05"
                )
        if wrong:
            raise ConfigError(wrong)

    @property
    def bounds(self) -> tuple[float, float]:
        """The two bounds of the LLR: at or below the first the test decides for H0, at
        or above the second for H1 (Wald).
        """
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class Comparison(Struct, frozen=True):
    """The rule that stops a comparison of two bots: once the answer is clear, or when
    its time ends.

    error: at most how often it says better or worse of equal bots. Half of that goes to
        the looks, half to the end.
    sharpest: the seeds by which the looks are tuned: they find differences soonest that
        show in three times as many.
    """

    error: float
    sharpest: int

    def __post_init__(self) -> None:
        """Raise ConfigError for a value that makes no rule."""
        if not 0 < self.error < 0.5 or not 1 <= self.sharpest <= 1000:
            raise ConfigError(
                f"a comparison with errors of {self.error:g}, tuned by {self.sharpest} "
                "seeds, is not possible"
            )
