"""The types of ``standings --json`` and ``plan --json``: JSON is made from them, and so
are its schemas.

Elo, errors and percent have 3 digits. null is "n/a". Lists by bot, rows and columns of
matrices alike, are in the order of ``rows``. docs/standings.md explains each number.
"""

from inspect import cleandoc

from msgspec import UNSET, Struct, UnsetType

from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.section_shapes import Sections
from khiva_arena.rating.report.values import GivenAnchor


def meanings(kind: type[Struct]) -> dict[str, str]:
    """Return the meaning of each field, as the docstring of its class tells it."""
    lines = [
        line.split(": ", 1) for line in cleandoc(kind.__doc__ or "").splitlines() if ": " in line
    ]
    return {name: text for names, text in lines for name in names.split(", ")}


class Partial(Struct, frozen=True, omit_defaults=True):
    """An event that is not over: a shard, or one that is still being played.

    event: its id.
    recorded: matches so far.
    planned: matches when it is over; a sequential test may end before.
    capped: the cap that ended it short; left out if none did.
    """

    event: str
    recorded: int
    planned: int
    capped: EndedByCap | None = None


class LeftOut(Struct, frozen=True):
    """The matches and tables that are not rated.

    matches: recorded ones that are not.
    incomplete, set_aside: the tables [event, table] they belong to.
    """

    matches: int
    incomplete: list[list[str]]
    set_aside: list[list[str]]


class PairDifference(Struct, frozen=True):
    """The difference of one bot above another.

    bot, less: their ids.
    elo, low, high: the difference, and the ends of its interval, 95 % for all pairs of
        the set at once.
    los: how likely it is above 0, in percent, of this pair alone.
    """

    bot: str
    less: str
    elo: float | None
    low: float | None
    high: float | None
    los: float | None


class Contrasts(Struct, frozen=True):
    """The differences within a set of bots that was named before.

    bots: their ids.
    pairs: each two.
    """

    bots: list[str]
    pairs: list[PairDifference]


class DesignEffect(Struct, frozen=True):
    """The widening of a table's errors by shared deals.

    effect, low, high: the variance over what it would be if each table had a deal of
        its own, and its 95 % interval.
    tables: how many tables a bot plays on a seed, in the mean.
    """

    effect: float
    low: float
    high: float
    tables: float


class Widened(Struct, frozen=True):
    """The widening of errors and ranks, since results decided who met whom.

    kind: "replayed": as replays of the draw say; "shape": as equal bots need at as many
        bots, seats, rounds and seeds.
    pair: half of the 95 % interval of two bots, in standard errors, at least.
    ranks: the least difference that ranks call certain, in standard errors.
    factor: how many times as wide as without, for two bots that played all seeds.
    """

    kind: str
    pair: float
    ranks: float
    factor: float


class LookedAt(Struct, frozen=True):
    """The allowance of errors and ranks for having been looked at before, and played on
    or stopped.

    kind: "planned": as many looks as were said before the first match; "mixture": any
        number of looks.
    factor: how many times as wide as for one look, for two bots that played all seeds.
    """

    kind: str
    factor: float


class Rated(Struct, frozen=True):
    """A table.

    anchor: id of the bot at 0, or of the first of those whose Elo is given.
    anchors: those whose Elo is given.
    blocks: seeds that errors cluster on.
    tables, matches, fault_free_matches: rated ones; those in which no seat made a
        fault.
    left_out: the matches and tables that are not rated.
    confidence: of all intervals, in percent.
    meaning: the meaning of the numbers, in words.
    shared_deals: how much sharing deals widens the errors; null below five seeds, and
        with one table a bot on each.
    rows: the bots, best first.
    sections: those that were requested.
    widening: how errors and ranks were widened; not there if they were not.
    looks: how they allow for looks; not there if the table was played as planned.
    fewest_batches: of a league, the batches that a bot needs for a place; rows without
        a rank, which are last, are of bots that have none yet, or are retired.
    """

    anchor: str
    anchors: list[GivenAnchor]
    blocks: int
    tables: int
    matches: int
    fault_free_matches: int
    left_out: LeftOut
    confidence: float
    meaning: str
    shared_deals: DesignEffect | None
    rows: list[Standing]
    sections: Sections
    widening: Widened | UnsetType = UNSET
    looks: LookedAt | UnsetType = UNSET
    fewest_batches: int | UnsetType = UNSET


class ReportedChoices(Struct, frozen=True, omit_defaults=True):
    """The share of a bot's decisions by who chose, in percent, by its own word.

    bot: its id.
    model, retry: the model, at once or after an answer that was no choice.
    lot, failed: random choices, since the model gave no usable answer, or since its
        provider gave none in time or failed.
    mark: "lots" if many were random, else "".
    below: whether ``--most-lots`` lists it below the line; left out without that.
    """

    bot: str
    model: float | None
    retry: float | None
    lot: float | None
    failed: float | None
    mark: str
    below: bool | UnsetType = UNSET


class NotPlayedBot(Struct, frozen=True):
    """A bot that was left out of an event, or a file or folder among its bots that is
    none.

    event: the id of the event.
    name: of the bot, or of the file.
    why: the reason, in words that tell nothing of what is in it.
    line: the reason in full, in a line, which may repeat words of the bot.
    """

    event: str
    name: str
    why: str
    line: str


class PlacedBot(Struct, frozen=True, omit_defaults=True):
    """A bot of an event that is played in rounds.

    place: 1 is best; ties share one.
    bot, name: id, and for people.
    score: mean pair score in percent; null without a match.
    byes: rounds without a table.
    points, tables: of a swiss: its points, over so many tables.
    opponents: of a swiss: mean score of those it met, in percent.
    out: of a knockout: the round it went out in, from 1; null: not.
    """

    place: int
    bot: str
    name: str
    score: float | None
    byes: int
    points: float | UnsetType | None = UNSET
    tables: int | UnsetType | None = UNSET
    opponents: float | UnsetType | None = UNSET
    out: int | UnsetType | None = UNSET


class EventPlaces(Struct, frozen=True):
    """The places of the bots in an event.

    event, number: its id, and its number in the store.
    format: its name.
    rounds, of: complete ones, of how many.
    rows: best first.
    """

    event: str
    number: int
    format: str
    rounds: int
    of: int
    rows: list[PlacedBot]
