"""A sample of the rated matches of a table, replayed to see where points come from;
nothing of it is stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from khiva_arena.competition.events.source import ResultSource
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.errors import GameFault, RecordError
from khiva_arena.games.base import SeatPoints
from khiva_arena.rating.ratings.match_arrays import Matches
from khiva_arena.rating.report.points import PointsSample, SourcedMatch
from khiva_arena.rating.schedule.timetable import MatchPlace
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import EventRow

MOST_MATCHES = 200
OF_A_SENTENCE = 100
"""The matches that are replayed for a sentence alone, which nobody asked for: a quarter
of a second of Khiva.
"""
MOST_STEPS = 30_000
"""The steps after which no further table is replayed: half a second of the longest
games of the arena.
"""

GOLDEN = (5**0.5 - 1) / 2
"""The multiples of this number fill the range up to 1 evenly, wherever one stops."""


KnownPoints = Mapping[tuple[str, int], Sequence[SeatPoints] | None]
"""Points by seat, None for a game that does not say, of matches that were replayed
before: by their event's id and ordinal.
"""
NONE_KNOWN: KnownPoints = MappingProxyType({})


class _Table(NamedTuple):
    """A table whose deal is over.

    event: its event.
    seed, line_up: its place.
    block: the number of its deal.
    bots: by rotation, by seat.
    """

    event: EventRow
    seed: int
    line_up: int
    block: int
    bots: dict[int, tuple[int, ...]]


def points_sample(
    source: ResultSource,
    events: Sequence[EventRow],
    matches: Matches,
    most: int,
    known: KnownPoints = NONE_KNOWN,
) -> PointsSample:
    """Return where points come from in some of the rated matches, whole tables of them,
    from deals that are over.

    A match in which a seat forfeited is left out: the points that this seat made after
    that are of choices played for it.

    events: those of one table.
    matches: the rated ones, with the numbers that the bots have in that table.
    most: how many of them are replayed; the table with the last one is replayed as a
        whole.
    known: of these matches nothing is replayed.

    Raises StoreError, or RecordError of a bundle, for a record that cannot be read.
    """
    secrets = {event.id: source.secrets(event) for event in events}
    tables = _tables(matches, {event.id: event for event in events}, secrets, most)
    if not tables:
        return PointsSample(why_none="no deal of a rated match is over")
    sample: list[SourcedMatch] = []
    steps = 0
    for table in _spread(tables):
        if len(sample) >= most or steps >= MOST_STEPS:
            break
        timetable = bare_timetable(table.event)
        ordinals = {
            timetable.ordinal(MatchPlace(table.seed, table.line_up, rotation)): rotation
            for rotation in table.bots
        }
        for ordinal, record in source.records(table.event, ordinals).items():
            steps += len(record.steps)
            if any(at is not None for at in record.forfeited_at):
                continue
            place = table.event.id, ordinal
            try:
                by_source = (
                    known[place]
                    if place in known
                    else verify(record, secrets[place[0]][table.seed]).points_by_source
                )
            except (
                GameFault,
                RecordError,
            ) as error:  # a table does without, and `verify` says what is sound
                return PointsSample(
                    why_none=f"match {table.event.number}/{ordinal} is not replayed: {error}"
                )
            if by_source is None:
                return PointsSample(why_none="the game does not say where points come from")
            if not sample or list(map(list, by_source[0])) == list(
                map(list, sample[0].points[0])
            ):  # a game may have others
                sample.append(SourcedMatch(table.block, table.bots[ordinals[ordinal]], by_source))
    return (
        PointsSample(sample)
        if sample
        else PointsSample(why_none="a seat forfeited in each match that was looked at")
    )


def _tables(
    matches: Matches,
    events: Mapping[str, EventRow],
    secrets: Mapping[str, Mapping[int, bytes]],
    most: int,
) -> list[list[_Table]]:
    """Return tables whose deals are over, deal by deal, of ``most`` deals.

    Of any number of the first of these deals, about as many are early as late in the
    schedule.
    """
    blocks = np.unique(
        np.concatenate([size.block for size in matches.sizes]) if matches.sizes else []
    )
    order = [
        block
        for _, block in sorted((at * GOLDEN % 1, block) for at, block in enumerate(blocks.tolist()))
    ][:most]
    deals: dict[int, dict[tuple[str, int, int], _Table]] = {block: {} for block in order}
    for size in (whole.only(np.isin(whole.block, order)) for whole in matches.sizes):
        columns = (size.event, size.seed, size.lineup, size.block, size.rotation, size.bots)
        for number, seed, line_up, block, rotation, bots in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            event = matches.events[number]
            if seed in secrets[event]:
                table = _Table(events[event], seed, line_up, block, {})
                deals[block].setdefault((event, seed, line_up), table).bots[rotation] = tuple(bots)
    return [list(tables.values()) for tables in deals.values() if tables]


def _spread(deals: Sequence[Sequence[_Table]]) -> Iterator[_Table]:
    """Yield tables: one of each deal before the second of any, and other line-ups on
    one deal than on the next.
    """
    for turn in range(max(map(len, deals))):
        for at, tables in enumerate(deals):
            if turn < len(tables):
                yield tables[(at + turn) % len(tables)]
