"""The order of a league's tables: by what is sure of each bot, with a line below which
bots are still finding their place.
"""

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from fresh_versions import Rated, again_and_again, compare
from made_league import MadeLeague, Shape
from msgspec.structs import replace
from public_league import standings_of, write_public
from simulated_leagues import Shares
from wording import sentence

from khiva_arena.competition.events import league_order
from khiva_arena.competition.events.bundling import write_bundle
from khiva_arena.competition.events.pool_tables import PooledTable, TableRequest, tables_of
from khiva_arena.competition.events.source import StoredResults
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.chain.links import Renewed, Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import next_place
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.folder import write_public as write
from khiva_arena.extensions.league.player.newest_table import newest_table, write_season
from khiva_arena.extensions.league.public_state import STATE, season_file
from khiva_arena.extensions.league.routes import pages
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.seasons import batches_of
from khiva_arena.extensions.league.status import status_of
from khiva_arena.extensions.league.walked import walked
from khiva_arena.interface.api.verify import verify
from khiva_arena.rating.report.placing import Batches, in_order
from khiva_arena.rating.report.rating_table import to_text
from khiva_arena.records.store.db import EventRow


def placed(*bots: tuple[float | None, float | None, int]) -> list[tuple[str, int | None]]:
    """The order of bots, named by letters, each of an Elo, the lower end of its
    interval and its batches; five make a place.
    """
    named = {"abcdefgh"[at]: bot for at, bot in enumerate(bots)}
    rows = [Rated(name, elo, least) for name, (elo, least, _) in named.items()]
    order = in_order(rows, Batches({name: batches for name, (_, _, batches) in named.items()}, 5))
    return [(row.bot, place) for row, place in order]


def test_bots_are_ordered_by_what_is_sure_of_them() -> None:
    assert placed((200.0, -90.0, 5), (20.0, 5.0, 9), (30.0, 5.0, 9), (0.0, -20.0, 40)) == [
        ("c", 1),
        ("b", 2),
        ("d", 3),
        ("a", 4),
    ]
    assert placed((1.0, 0.0, 5), (1.0, 0.0, 5), (9.0, -1.0, 5)) == [("a", 1), ("b", 1), ("c", 3)]
    assert placed((900.0, None, 7), (-5.0, -100.0, 7), (None, None, 7)) == [
        ("b", 1),
        ("a", 2),
        ("c", None),
    ]


def test_a_bot_that_has_played_little_has_no_place() -> None:
    assert placed((500.0, 400.0, 4), (0.0, -10.0, 5), (510.0, 401.0, 0)) == [
        ("b", 1),
        ("c", None),
        ("a", None),
    ]


@pytest.fixture
def league(tmp_path: Path) -> MadeLeague:
    """Four batches, of which a second version played in the last two alone; two batches
    make a place, and three a season.
    """
    with MadeLeague(tmp_path / "league", Shape(fewest_batches=3)) as made:
        for number in (1, 2, 3):
            made.enter(f"bot {number}", number, number)
        made.batch()
        made.batch()
        made.add(Season(**next_place(made.chain), name="two"))
        made.enter("late", 4, 4)
        made.batch()
        made.batch()
        yield made


def table_of(league: MadeLeague, *words: str) -> PooledTable:
    (table,) = tables_of(league.folder, words)
    return table


def test_a_table_has_its_line_and_what_each_bot_is_sure_of(league: MadeLeague) -> None:
    standings = table_of(league).standings
    *rows, late = standings.rows
    assert (late.name, late.rank, standings.fewest_batches) == ("late", None, 3)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5]
    sure = [row.least for row in rows]
    assert sure == sorted(sure, reverse=True)
    assert all(
        row.least == pytest.approx(row.elo - row.pool_error, abs=0.002)
        for row in standings.rows
        if row.pool_error
    )
    lines = to_text(standings).splitlines()
    assert lines[6].strip("- ") == "still finding their place, or retired"
    assert lines[7].lstrip().startswith("n/a  late")
    plain = table_of(league).to_json()
    assert (plain["fewest_batches"], plain["rows"][-1]["rank"]) == (3, None)


def test_what_stands_between_two_rows_is_of_the_row_that_follows(league: MadeLeague) -> None:
    table = table_of(league).standings
    at = [table.order.index(row.bot) for row in table.rows]
    expected = [pytest.approx(float(table.evidence.los[i, j]), abs=0.001) for i, j in pairwise(at)]
    assert [row.los_next for row in table.rows] == [*expected, None]


def test_the_order_does_not_hang_on_the_anchor(league: MadeLeague) -> None:
    def order(*anchors: str) -> list[str]:
        (table,) = tables_of(league.folder, (), TableRequest(anchors))
        return [row.name for row in table.standings.rows]

    assert order() == order("bot 1") == order("greedy")


def test_batches_of_all_seasons_count_in_each_table(league: MadeLeague) -> None:
    of_season = table_of(league, *batches_of(league.folder, "two")).standings
    assert {row.name for row in of_season.rows if row.rank is None} == {"late"}
    newest = newest_table(league.store)
    assert newest.season == "two"
    assert [row["rank"] for row in newest.table["standings"][0]["rows"]][-2:] == [5, None]


def test_a_batch_counts_for_who_played_in_it(league: MadeLeague) -> None:
    for _ in range(2):
        event = league.draw()
        league.end(
            league.play(
                event,
                lost=range(len(event.definition.batch.tables)) if league.chain.batches == 5 else (),
            )
        )
    # Of two deals one is lost at each table of batch 5, so it counts; suspended, a bot
    # plays in none.
    assert late_batches(league) == 3
    event = league.store.event(league.store.event_ids()[-1])
    lost = tuple(
        (seed, table) for seed in range(2) for table in range(len(event.definition.batch.tables))
    )
    assert league_order.seated_in(event) == {bot.identity for bot in event.bots}
    assert league_order.seated_in(replace(event, set_aside=lost)) == set()


def late_batches(league: MadeLeague) -> int:
    order = StoredResults(league.store).league_order()
    assert order is not None
    late = next(bot.identity for bot in league.chain.bots.values() if bot.name == "late")
    return order.batches([late]).of[late]


def test_no_more_batches_are_read_than_a_table_takes(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        league.batch()
    order = StoredResults(league.store).league_order()
    read: list[str] = []

    def seated_in(event: EventRow) -> frozenset[str]:
        read.append(event.id)
        return frozenset(bot.identity for bot in event.bots)

    monkeypatch.setattr(league_order, "seated_in", seated_in)
    bots = [*league.chain.bots]
    assert dict(order.batches(bots).of) == dict.fromkeys(bots, 3)
    assert read == league.store.event_ids()[:-4:-1]
    league.enter("new", 5, 5)
    assert StoredResults(league.store).league_order().batches(
        [*league.chain.bots]
    ).of == dict.fromkeys(bots, 3)
    assert len(read) == 6


def test_the_published_table_is_that_of_its_batch_whatever_links_have_come_since(
    league: MadeLeague,
) -> None:
    gone = next(bot.identity for bot in league.chain.bots.values() if bot.name == "bot 1")
    before = newest_table(league.store)
    league.add(StateChanged(**next_place(league.chain), identity=gone, state="retired"))
    league.add(
        Renewed(**next_place(league.chain), terms=replace(league.chain.terms, fewest_batches=0))
    )
    assert newest_table(league.store) == before
    printed = table_of(league, *batches_of(league.folder, "two")).standings
    assert [(row.bot, row.rank) for row in printed.rows] == [
        (row["bot"], row["rank"]) for row in before.table["standings"][0]["rows"]
    ]


def test_batches_that_are_kept_are_those_that_links_and_events_give(league: MadeLeague) -> None:
    gone = next(bot.identity for bot in league.chain.bots.values() if bot.name == "bot 1")
    league.add(StateChanged(**next_place(league.chain), identity=gone, state="retired"))
    event = league.draw()
    league.end(league.play(event, lost=range(len(event.definition.batch.tables))))
    now = walked(league.store)
    assert now is not None
    order = StoredResults(league.store).league_order()
    assert order is not None
    bots = [*league.chain.bots]
    counted = order.batches(bots)
    assert {bot: min(now.batches.of.get(bot, 0), counted.fewest) for bot in bots} == {
        bot: counted.of[bot] for bot in bots
    }
    assert (
        (now.batches.fewest, now.batches.retired)
        == (counted.fewest, counted.retired)
        == (3, {gone})
    )


def test_a_bundle_has_the_order_of_its_league(league: MadeLeague, tmp_path: Path) -> None:
    write_bundle(tmp_path / "whole", league.store, league.store.events())
    result = verify(tmp_path / "whole")
    assert (result.sound, result.problems) == (True, [])


def test_a_link_that_was_changed_orders_no_table(league: MadeLeague) -> None:
    league.store._connection.execute(
        "UPDATE links SET text = replace(text, '\"fewest_batches\":3', '\"fewest_batches\":0')"
    )
    with pytest.raises(StoreError, match="link 0 of the league"):
        tables_of(league.folder, ())


def test_a_bot_that_left_early_stays_below_the_line(league: MadeLeague) -> None:
    gone = next(bot.identity for bot in league.chain.bots.values() if bot.name == "late")
    league.add(StateChanged(**next_place(league.chain), identity=gone, state="retired"))
    for _ in range(3):
        league.batch()
    assert [row.name for row in table_of(league).standings.rows if row.rank is None] == ["late"]


def test_a_bot_that_is_retired_or_replaced_has_no_place_but_in_the_season_that_was_over_then(
    league: MadeLeague,
) -> None:
    one, two = (f"bot {number}" for number in (1, 2))
    league.add(Season(**next_place(league.chain), name="three"))
    identity = {bot.name: bot.identity for bot in league.chain.bots.values()}
    league.add(StateChanged(**next_place(league.chain), identity=identity[one], state="retired"))
    league.enter("bot 2 again", 2, 2, replaces=(identity[two],))
    league.batch()
    assert unplaced(table_of(league)) == {one, two, "late", "bot 2 again"} - {"late"}
    write_season(league.folder, 2)
    (closed,) = json.loads((league.folder / PUBLIC / season_file(2)).read_bytes())["standings"]
    assert {row["name"] for row in closed["rows"] if row["rank"] is None} == {"late"}
    assert unplaced(table_of(league, *batches_of(league.folder, "two"))) == {"late"}


def unplaced(table: PooledTable) -> set[str]:
    return {row.name for row in table.standings.rows if row.rank is None}


# --- pages ---


def test_the_front_page_has_the_line(tmp_path: Path) -> None:
    state = write_public(tmp_path)
    table = json.loads(json.dumps(standings_of(state.bots, state.batches)))
    pool = table["standings"][0]
    pool["fewest_batches"], pool["rows"][-1]["rank"] = 5, None
    folder = PublicFolder(tmp_path / PUBLIC)
    view = LeagueView(replace(state, table=table), folder, {}, [])
    assert view.placed == len(state.bots) - 1
    page = str(pages.standings(view).main)
    line = page.index(sentence("league_serve", "line", fewest="5 batches"))
    assert page.index(state.bots[-2].name) < line < page.rindex(f">{state.bots[-1].name}<")
    assert page[line:].split("</tr>")[0].endswith(":</th>"), "the line stands across all columns"
    seasons = str(pages.seasons(view).main)
    assert sentence("league_serve", "line", fewest="5 batches") in seasons
    whole = LeagueView(state, folder, {}, [])
    assert sentence("league_serve", "line", fewest="5 batches") not in str(
        pages.standings(whole).main
    )


def test_the_status_lists_places(league: MadeLeague) -> None:
    assert {bot.place for bot in status_of(league.folder).bots} == {None}
    names = [bot.name for bot in league.chain.bots.values()]
    state = write_public(league.folder)
    rows = [
        {"bot": bot.identity, "rank": 1 + at} for at, bot in enumerate(league.chain.bots.values())
    ]
    write(
        league.folder,
        STATE,
        msgspec.json.encode(replace(state, table={"standings": [{"rows": rows}]})),
    )
    assert [(bot.name, bot.place) for bot in status_of(league.folder).bots] == [
        (name, 1 + at) for at, name in enumerate(names)
    ]


# --- what a fresh version gains ---


def at_most(anew: Shares, old: Shares) -> bool:
    """Whether a chance is at most another, within twice its standard error."""
    values = [a - b for a, b in zip(anew.values, old.values, strict=True)]
    mean = sum(values) / len(values)
    error = (sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)) ** 0.5
    return mean <= 2 * error


@pytest.mark.soak
def test_a_version_that_is_entered_anew_gains_no_seat_and_no_first_line() -> None:
    for batches, of in compare(0.0, 0.0, leagues=40, after=(1, 5, 12), seed=3).items():
        assert at_most(of.anew.seat, of.old.seat), batches
        assert at_most(of.anew.first, of.old.first), batches
        assert not sum(of.anew.seat.values) or batches >= 5
        if batches == 1:  # by Elo alone it would
            assert not at_most(of.anew_by_elo.first, of.old_by_elo.first)


@pytest.mark.slow
def test_the_first_line_is_not_his_who_enters_a_bot_again_and_again() -> None:
    first, by_elo = again_and_again(5, leagues=10, batches=30)
    assert sum(first.values) <= 100
    assert sum(by_elo.values) >= 700
