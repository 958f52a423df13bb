"""Intervals of a table whose draw followed results are widened by replaying its events.

Results that decide who meets whom make errors larger. How much larger is taken from
replays of the table's own events. Where these would take too long, it is taken from
replays of equal bots at such numbers of bots, seats, rounds and seeds.

Only whole rounds are replayed, so that the table of a running event changes by the
round. All chance comes from a key made of the ids and the results that are replayed:
equal ids and results give equal numbers.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from math import sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from khiva_arena.common.result import Result
from khiva_arena.common.say import Say
from khiva_arena.competition.events.redraw_cache import keep_factors, kept_factors
from khiva_arena.competition.events.redraws import (
    REPLAYS,
    EventToReplay,
    factors,
    follows_results,
    seconds_of,
)
from khiva_arena.competition.events.selection import Among, counting
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, Ratings, rate
from khiva_arena.rating.ratings.match_arrays import Flags, MatchCollector, Matches, SameSize
from khiva_arena.rating.ratings.matches import complete_tables
from khiva_arena.rating.ratings.replicas import shrunk
from khiva_arena.rating.ratings.swiss_factors import Factors, by_shape
from khiva_arena.rating.ratings.widening import PLAIN, Widening
from khiva_arena.rating.schedule.formats import FORMATS, Shape, shapes
from khiva_arena.rating.schedule.lineups import LineUp
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.store.rows import EventRow

MOST_BOTS = 64
MOST_SECONDS = 10.0
"""The bots and seconds beyond which the shape decides: some 20 s on one core for a
table's own replays and those of equal bots.
"""
MOST_SEEDS = 50
"""The most seeds of a replayed round. More seeds are replayed as this many, with
differences as much larger as errors are: factors hardly change there.
"""
_SAID_SECONDS = 3.0
_VERSION = "khiva-replays-1"


class WatchedResults:
    """The results of the events of one table, noted as they are read if the draw of an
    event follows results.
    """

    def __init__(self, events: Sequence[EventRow]) -> None:
        self._events = sorted(events, key=lambda event: (event.definition.stage, event.id))
        self._collector = (
            MatchCollector()
            if any(event.definition.format == Format.SWISS for event in events)
            else None
        )

    def watch(self, results: Iterable[Result]) -> Iterable[Result]:
        """Return the same results, noted as the caller reads them."""
        return results if self._collector is None else self._collect(self._collector, results)

    def _collect(self, collector: MatchCollector, results: Iterable[Result]) -> Iterator[Result]:
        for result in results:
            collector.add(result)
            yield result

    def widening(self, among: Among, say: Say) -> Widening:
        """Return how wide the intervals of the table are; read all results first.
        ``say`` gets a line before a long wait.
        """
        if self._collector is None:
            return PLAIN
        return _widening(_Pool.of(self._events, among, self._collector.end()), say)


class _Pool(NamedTuple):
    """The events and matches of a table that are replayed.

    events: in the order of the stages.
    numbers: by event of ``matches``, by position, the number of the bot.
    matches: those that are replayed.
    rated: by number of the bot, whether it counts.
    ids: of ``events``.
    """

    events: tuple[EventToReplay, ...]
    numbers: list[list[int]]
    matches: Matches
    rated: tuple[bool, ...]
    ids: tuple[str, ...]

    @classmethod
    def of(cls, rows: Sequence[EventRow], among: Among, all_matches: Matches) -> "_Pool":
        """Build the pool of a table from all its matches. ``rows``: its events in the
        order of their stages.
        """
        index: dict[str, int] = {}
        for row in rows:
            for bot in row.bots:
                index.setdefault(bot.identity, len(index))
        counting_bots = {
            row.bots[position].identity for row in rows for position in counting(row, among)
        }
        authors = {bot.identity: bot.author for row in rows for bot in row.definition.bots}
        number = {event: at for at, event in enumerate(all_matches.events)}
        complete = complete_tables(all_matches).rated
        events: list[EventToReplay] = []
        last_seeds: dict[int, int] = {}
        for row in rows:
            place = number.get(row.id, -1)
            event = EventToReplay(
                terms=row.definition.terms(),
                bots=tuple(index[bot.identity] for bot in row.bots),
                after=next(
                    (
                        at
                        for at, before in enumerate(rows[: len(events)])
                        if before.id == row.definition.after
                    ),
                    None,
                ),
                authors=tuple(authors[identity] for identity in index),
            )
            event, last_seeds[place] = _replayable_part(event, place, all_matches, complete)
            events.append(event)
        bounds = np.array([last_seeds.get(at, 0) for at in range(len(all_matches.events))])
        matches = complete.only(lambda group: group.seed < bounds[group.event])
        numbers = {row.id: [index[bot.identity] for bot in row.bots] for row in rows}
        rated = tuple(identity in counting_bots for identity in index)
        return cls(
            tuple(events),
            [numbers[event] for event in all_matches.events],
            matches,
            rated,
            tuple(row.id for row in rows),
        )

    def key(self) -> bytes:
        """Return 32 bytes that follow from all results and events on which the replays
        depend.
        """
        digest = sha256(_VERSION.encode())
        digest.update(
            msgspec.json.encode(
                [self.ids, self.rated, [(event.rounds, event.after) for event in self.events]]
            )
        )
        for number in sorted(
            range(len(self.matches.events)), key=lambda at: self.matches.events[at]
        ):
            # sorted, and in big-endian bytes: the key is equal on every machine,
            # whatever order results are read in
            for group in sorted(self.matches.sizes, key=lambda same: same.bots.shape[1]):
                rows = group.only(group.event == number)
                order = np.lexsort((rows.rotation, rows.lineup, rows.seed))
                for column in (
                    rows.seed,
                    rows.lineup,
                    rows.rotation,
                    rows.bots,
                    rows.ranks,
                    rows.unstarted,
                ):
                    digest.update(column[order].astype(">i8").tobytes())
        return digest.digest()


def _replayable_part(
    event: EventToReplay, place: int, matches: Matches, complete: Matches
) -> tuple[EventToReplay, int]:
    """Return the event limited to the part that is replayed, and the first seed after
    that part.

    An event in rounds is replayed for its whole rounds. An event whose schedule is
    known from the start is replayed whole once over. Until then it is replayed for the
    largest power of two of its seeds, so that a growing table is not replayed for each
    match.
    """
    every_shape = shapes(event.terms)
    if FORMATS[event.terms.format].IN_ROUNDS:
        rounds = 0
        while (
            rounds < len(every_shape)
            and _count_recorded(matches, place, every_shape[rounds]) == every_shape[rounds].matches
        ):
            rounds += 1
        end = every_shape[rounds - 1].first_seed + every_shape[rounds - 1].seeds if rounds else 0
        return replace(event, rounds=rounds), end
    by_seed: dict[int, set[LineUp]] = {}
    for group in complete.sizes:
        for seed, bots in _tables_of(group, group.event == place):
            by_seed.setdefault(seed, set()).add(bots)
    seeds = sorted(by_seed)
    if seeds and _count_rows(matches, place) < every_shape[0].matches:
        seeds = seeds[: 1 << (len(seeds).bit_length() - 1)]
    alike: dict[tuple[LineUp, ...], int] = {}
    for seed in seeds:
        line_ups = tuple(sorted(by_seed[seed]))
        alike[line_ups] = alike.get(line_ups, 0) + 1
    return replace(event, played=tuple(alike.items())), seeds[-1] + 1 if seeds else 0


def _count_recorded(matches: Matches, place: int, shape: Shape) -> int:
    """Return the number of recorded matches of a round."""
    return sum(
        int((_of_round(group, place, shape) & ~group.set_aside).sum()) for group in matches.sizes
    )


def _of_round(group: SameSize, place: int, shape: Shape) -> Flags:
    return np.asarray(
        (group.event == place)
        & (group.seed >= shape.first_seed)
        & (group.seed < shape.first_seed + shape.seeds)
    )


def _count_rows(matches: Matches, place: int) -> int:
    return sum(int((group.event == place).sum()) for group in matches.sizes)


def _tables_of(group: SameSize, keep: Flags) -> Iterator[tuple[int, LineUp]]:
    """Return the seed and the line-up of each table."""
    tables = group.only(keep & (group.rotation == 0))  # of a table's rotations one is enough
    return zip(tables.seed.tolist(), map(tuple, np.sort(tables.bots, axis=1).tolist()), strict=True)


def _widening(pool: _Pool, say: Say) -> Widening:
    followed = [event for event in pool.events if follows_results(event)]
    if not followed:
        return PLAIN
    events, spread = _with_fewer_seeds(pool.events)
    if len(pool.rated) > MOST_BOTS or seconds_of(events) > MOST_SECONDS:
        bounds = [
            by_shape(len(event.bots), event.terms.seats, event.rounds, event.terms.seeds)
            for event in followed
        ]
        return Widening(
            "shape", max(bound.pair for bound in bounds), max(bound.ranks for bound in bounds)
        )
    key = pool.key()
    kept = kept_factors(key.hex())
    if kept is None:
        if (seconds := 2 * seconds_of(events)) > _SAID_SECONDS:
            say(
                "pairings followed results: replaying the draw shows how wide errors are, "
                f"in about {seconds:.0f} s, once"
            )
        ratings = rate(pool.matches.numbered(pool.numbers), len(pool.rated), 0)
        kept = replay_factors(events, ratings, pool.rated, key, REPLAYS, spread)
        keep_factors(key.hex(), *kept)
    return Widening("replayed", *kept)


def _with_fewer_seeds(events: Sequence[EventToReplay]) -> tuple[tuple[EventToReplay, ...], float]:
    """Return the events with at most MOST_SEEDS seeds each, and the factor by which
    errors grow with so few.
    """
    most_seeds = max(
        max([event.terms.seeds, *(seeds for _, seeds in event.played)]) for event in events
    )
    if most_seeds <= MOST_SEEDS:
        return tuple(events), 1.0

    def fewer(seeds: int) -> int:
        return max(1, seeds * MOST_SEEDS // most_seeds)

    smaller = [
        replace(
            event,
            terms=dataclasses.replace(event.terms, seeds=fewer(event.terms.seeds)),
            played=tuple((line_ups, fewer(seeds)) for line_ups, seeds in event.played),
        )
        for event in events
    ]
    return tuple(smaller), sqrt(most_seeds / MOST_SEEDS)


def replay_factors(
    events: Sequence[EventToReplay],
    ratings: Ratings,
    rated: Sequence[bool],
    key: bytes,
    number: int = REPLAYS,
    spread: float = 1.0,
) -> Factors:
    """Replay the events of one table at strengths that their results leave likely.

    ratings: of all their bots, from the matches that are replayed.
    rated: by bot, whether it counts in the table.
    key: 32 bytes, from which all chance comes.
    spread: the factor by which strengths are to lie further apart.

    The factor for ranks is at least that between equal bots, which are the easiest to
    take for unequal.
    """
    elo = np.array([0.0 if number is None else number for number in ratings.elo])
    strengths = shrunk(elo / ELO_PER_NAT, ratings.covariance / ELO_PER_NAT**2, ratings.bread)
    of_event = factors(events, np.rint(spread * strengths).astype(int).tolist(), rated, key, number)
    return Factors(
        of_event.pair,
        max(of_event.ranks, between_equals(tuple(events), tuple(rated), number).ranks),
    )


@lru_cache(maxsize=64)
def between_equals(
    events: tuple[EventToReplay, ...], rated: tuple[bool, ...], number: int = REPLAYS
) -> Factors:
    """Return the factors of these events between equal bots, which depend on no
    result.
    """
    return factors(events, [0] * len(rated), rated, sha256(_VERSION.encode()).digest(), number)
