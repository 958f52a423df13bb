"""The matches of a store that are replayed to see where points come from: rated ones,
whose deals are over, evenly spread.
"""

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest
from stores import round_robin as round_robin
from stores import swiss as swiss

from khiva_arena.competition.events import points
from khiva_arena.competition.events.conditions import pooled
from khiva_arena.competition.events.pools import standings_of
from khiva_arena.competition.events.source import StoredResults
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.errors import RecordError
from khiva_arena.games.khiva import KhivaState
from khiva_arena.rating.report.points import PointsSample
from khiva_arena.rating.report.standings import Standings
from khiva_arena.rating.schedule.timetable import MatchPlace
from khiva_arena.records.store.db import EventRow, Store

pytestmark = pytest.mark.slow


class Kept(StoredResults):
    """A store of which the secrets of some seeds are still private."""

    private: Collection[int] = ()

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        return {
            seed: secret
            for seed, secret in super().secrets(event).items()
            if seed not in self.private
        }


def sampled(
    folder: Path, private: Collection[int] = (), most: int = points.MOST_MATCHES
) -> tuple[Standings, PointsSample]:
    with Store.read(folder / "out") as store:
        source = Kept(store)
        source.private = private
        (events,) = pooled(store.events())
        table = standings_of(events, source.results(*events))
        return table, points.points_sample(source, events, table.evidence.matches, most)


def test_points_of_all_events_make_the_scores_that_are_recorded(swiss: Path) -> None:
    table, sample = sampled(swiss)
    assert len(sample.matches) == table.matches > 10
    with Store.read(swiss / "out") as store:
        rows = [(event, row) for event in store.events() for row in store.matches(event.id)]
    recorded = Counter(
        (event.bots[seat.bot].identity, seat.score) for event, row in rows for seat in row.seats
    )
    seats = [
        (bot, of)
        for match in sample.matches
        for bot, of in zip(match.bots, match.points, strict=True)
    ]
    found = Counter((table.order[bot], sum(of.counted.values())) for bot, of in seats)
    assert found == recorded


def test_a_deal_that_is_not_over_tells_nothing(swiss: Path) -> None:
    _, all_of_it = sampled(swiss)
    part = sampled(swiss, private=(0,))[1]
    assert 0 < len(part.matches) < len(all_of_it.matches)
    assert sampled(swiss, private=range(9))[1] == PointsSample(
        why_none="no deal of a rated match is over"
    )


def test_a_match_with_a_forfeit_is_left_out(round_robin: Path) -> None:
    table, sample = sampled(round_robin)
    forfeits = next(
        at
        for at, bot in enumerate(table.order)
        for row in table.rows
        if row.bot == bot and row.name == "forfeits"
    )
    assert 0 < len(sample.matches) < table.matches
    assert all(forfeits not in match.bots for match in sample.matches)


def test_a_part_is_spread_over_deals_and_line_ups(
    round_robin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, sample = sampled(round_robin, most=4)
    assert 4 <= len(sample.matches) < 12
    assert len({match.block for match in sample.matches}) == 2
    assert len({frozenset(match.bots) for match in sample.matches}) > 1
    assert all(
        count == 2
        for count in Counter(
            (match.block, frozenset(match.bots)) for match in sample.matches
        ).values()
    )
    monkeypatch.setattr(points, "MOST_STEPS", 1)
    assert len(sampled(round_robin)[1].matches) <= 2


def test_a_game_that_does_not_say_is_asked_once(
    swiss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []
    monkeypatch.setattr(KhivaState, "points_by_source", property(lambda _: asked.append(None)))
    assert sampled(swiss)[1] == PointsSample(
        why_none="the game does not say where points come from"
    )
    assert len(asked) == 1


def test_a_match_that_does_not_replay_leaves_the_table_without(
    swiss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RecordError("it rained")

    monkeypatch.setattr(points, "verify", fails)
    assert sampled(swiss)[1].why_none.endswith("is not replayed: it rained")


def test_each_match_is_found_at_its_place(swiss: Path) -> None:
    with Store.read(swiss / "out") as store:
        for event in store.events():
            timetable = bare_timetable(event)
            for row in store.matches(event.id):
                assert (
                    timetable.ordinal(MatchPlace(row.seed, row.lineup, row.rotation)) == row.ordinal
                )
