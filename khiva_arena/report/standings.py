"""Standings as data: ratings with errors, finishes, faults. Pure: match rows in, frozen values out; numbers only, no text.

Feed it from a store: one ``MatchRow`` for each fixed match or match set aside, the bots in the order they were given, and
one call for each pool of events.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.ratings.elo import GHOST_GAMES, Ratings, rate
from khiva_arena.ratings.matches import MatchRow, complete_tables
from khiva_arena.ratings.pairs import RatedMatch
from khiva_arena.result import FAULTS, Verdict

DEFAULT_ANCHOR = "random"
DIGITS = 3
ID_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that may appear: ``id`` is the hash it plays under, ``name`` is for people."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class EventConditions:
    """What must be equal for the results of two events to be one list. Each is any string that stands for the thing."""

    event: str
    game: str
    rules: str
    limits: str
    policy: str
    isolation: str


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot. Elo, errors and percent are rounded to 3 digits; None is "n/a".

    rank: by Elo, equal Elo shares a rank; None without a rating.
    elo, error: relative to the anchor; ``error`` is the 95 % half width, 0 for the anchor.
    bound: what the results alone say of ``elo``: "" finite, ">=" at least, "<=" at most, "?" not compared with the anchor.
    matches, seeds: rated ones the bot sat in.  score: mean pair score in percent, weighted as in the fit.
    finishes: how often a seat of the bot came 1st, 2nd, ... in rated matches; ties share the better place.
    faults: (kind, how many), over *all* fixed matches, rated or not, as are voids, cpu_s and paused.
    voids: void attempts at a table of this bot.  cpu_s: CPU seconds over matches where it is known.
    paused: how often it was stopped, since it kept a core from a seat that was asked.
    fault_free_elo: from rated matches in which no seat made a fault.
    differs: the two Elos are further apart than ``error``; None where that cannot be told.
    """

    rank: int | None
    bot: str
    name: str
    elo: float | None
    error: float | None
    bound: str
    matches: int
    seeds: int
    score: float | None
    finishes: tuple[int, ...]
    faults: tuple[tuple[Verdict, int], ...]
    voids: int
    cpu_s: float | None
    paused: int
    fault_free_elo: float | None
    differs: bool | None


@dataclass(frozen=True, slots=True)
class Standings:
    """A list. ``anchor``: bot id.  blocks: seeds that errors cluster on.

    rows: best first; unrated bots last, in the order given.
    incomplete, set_aside: tables (event, table) that are not rated; left_out: the fixed matches in them.
    fault_free_matches: rated matches in which no seat made a fault.
    seats: the largest table, the length of ``finishes``.
    ratings: the fit itself, for errors between any two bots; ``order`` gives the bot id of each index.
    """

    rows: tuple[Standing, ...]
    anchor: str
    blocks: int
    tables: int
    matches: int
    fault_free_matches: int
    incomplete: tuple[tuple[str, str], ...]
    set_aside: tuple[tuple[str, str], ...]
    left_out: int
    seats: int
    order: tuple[str, ...]
    ratings: Ratings = field(repr=False, compare=False)


def pools(events: Iterable[EventConditions]) -> tuple[tuple[EventConditions, ...], ...]:
    """Events whose results make one list, in order of first appearance: equal in all but their id."""
    by_terms: dict[tuple[str, ...], list[EventConditions]] = {}
    for e in events:
        by_terms.setdefault((e.game, e.rules, e.limits, e.policy, e.isolation), []).append(e)
    return tuple(tuple(pool) for pool in by_terms.values())


def choose_anchor(bots: Sequence[Entrant], named: str | None = None) -> str:
    """The id of the bot at 0: the one ``named`` by id or name, else one named "random", else the first.

    Raises ConfigError if there is no such bot, or no bot at all.
    """
    wanted = DEFAULT_ANCHOR if named is None else named
    for bot in bots:
        if wanted in (bot.id, bot.name) or bot.name == f"{wanted}#{bot.id[:ID_DIGITS]}":
            return bot.id
    if named is not None:
        raise ConfigError(f"no bot called {named!r} to anchor the ratings on; there are {', '.join(b.name for b in bots)}")
    if not bots:
        raise ConfigError("there are no bots to rate")
    return bots[0].id


def told_apart(bots: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The same, where several have one name, as two versions of a bot do, with the beginning of their ids in it."""
    often = Counter(bot.name for bot in bots)
    return tuple(bot if often[bot.name] == 1 else replace(bot, name=f"{bot.name}#{bot.id[:ID_DIGITS]}") for bot in bots)


def standings(
    rows: Iterable[MatchRow], bots: Sequence[Entrant], anchor: str | None = None, prior: float = GHOST_GAMES
) -> Standings:
    """The list of one pool. ``rows``: all its matches, in any order. ``anchor``: a bot's id or name, else ``choose_anchor``.

    Raises InternalError if a row names a bot that is not in ``bots``.
    """
    every = list(rows)
    bots = told_apart(bots)
    selection = complete_tables(every)
    index = {bot.id: i for i, bot in enumerate(bots)}
    if strangers := {bot for row in every for bot in row.bots} - index.keys():
        raise InternalError(f"matches name bots that did not enter: {', '.join(sorted(strangers))}")
    anchor_id = choose_anchor(bots, anchor)
    clean = [row for row in selection.rated if row.fault_free]
    at = index[anchor_id]
    ratings, fault_free = (rate(_rated(some, index), len(bots), at, prior) for some in (selection.rated, clean))
    seats = max((len(row.bots) for row in selection.rated), default=0)
    tally = _tally(selection.rated, every)
    found = [_standing(i, bot, ratings, fault_free, tally[bot.id], seats) for i, bot in enumerate(bots)]
    return Standings(
        rows=_ranked(found),
        anchor=anchor_id,
        blocks=ratings.blocks,
        tables=selection.tables,
        matches=len(selection.rated),
        fault_free_matches=len(clean),
        incomplete=selection.incomplete,
        set_aside=selection.set_aside,
        left_out=selection.left_out,
        seats=seats,
        order=tuple(index),
        ratings=ratings,
    )


def _rated(rows: Iterable[MatchRow], index: dict[str, int]) -> Iterator[RatedMatch]:
    return (RatedMatch(row.seed, tuple(index[bot] for bot in row.bots), row.ranks, row.unstarted) for row in rows)


@dataclass(slots=True)
class _Tally:
    """What is counted, not estimated."""

    matches: int = 0
    seeds: set[str] = field(default_factory=set)
    finishes: Counter[int] = field(default_factory=Counter)
    faults: Counter[Verdict] = field(default_factory=Counter)
    voids: int = 0
    cpu_s: float | None = None
    paused: int = 0


def _tally(rated: Iterable[MatchRow], every: Iterable[MatchRow]) -> defaultdict[str, _Tally]:
    by_bot: defaultdict[str, _Tally] = defaultdict(_Tally)
    for row in rated:
        for bot in set(row.bots):
            by_bot[bot].matches += 1
            by_bot[bot].seeds.add(row.seed)
        for bot, rank in zip(row.bots, row.ranks, strict=True):
            by_bot[bot].finishes[rank] += 1
    for row in every:
        for bot in set(row.bots):
            by_bot[bot].voids += row.voids
        for bot, faults in zip(row.bots, row.faults, strict=False):  # empty where there is nothing to say
            by_bot[bot].faults.update(faults)
        for bot, cpu_s in zip(row.bots, row.cpu_s, strict=False):
            if cpu_s is not None:
                by_bot[bot].cpu_s = (by_bot[bot].cpu_s or 0.0) + cpu_s
        for bot, paused in zip(row.bots, row.paused, strict=False):
            by_bot[bot].paused += paused
    return by_bot


def _standing(i: int, bot: Entrant, ratings: Ratings, fault_free: Ratings, tally: _Tally, seats: int) -> Standing:
    score = ratings.score[i]
    elo, error = (_rounded(ratings.elo[i]), _rounded(ratings.error[i])) if _anchored(ratings) else (None, None)
    clean = _rounded(fault_free.elo[i]) if _anchored(fault_free) else None
    return Standing(
        rank=None,
        bot=bot.id,
        name=bot.name,
        elo=elo,
        error=error,
        bound=str(ratings.bounds[i]) if elo is not None else "",
        matches=tally.matches,
        seeds=len(tally.seeds),
        score=None if score is None else _rounded(100 * score),
        finishes=tuple(tally.finishes[place] for place in range(1, seats + 1)),
        faults=tuple((kind, tally.faults[kind]) for kind in FAULTS if tally.faults[kind]),
        voids=tally.voids,
        cpu_s=_rounded(tally.cpu_s),
        paused=tally.paused,
        fault_free_elo=clean,
        differs=None if elo is None or clean is None or error is None else abs(elo - clean) > error,
    )


def _anchored(ratings: Ratings) -> bool:
    """Numbers are relative to the anchor: without a match of it there is nothing to say."""
    return ratings.score[ratings.anchor] is not None


def _ranked(rows: Sequence[Standing]) -> tuple[Standing, ...]:
    elos = [row.elo for row in rows if row.elo is not None]
    ranked = [replace(row, rank=None if row.elo is None else 1 + sum(elo > row.elo for elo in elos)) for row in rows]
    return tuple(sorted(ranked, key=lambda row: len(rows) + 1 if row.rank is None else row.rank))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0  # + 0.0: no minus zero
