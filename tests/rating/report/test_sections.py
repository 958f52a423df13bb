"""What the standings say on request: that it is the same in text and JSON, agrees with
the table, and fits the terminal.
"""

import random

import pytest
from made_results import listed
from msgspec.structs import replace

from khiva_arena.common.result import Verdict
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.report import section_shapes, section_text
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.report.section_names import NAMES
from khiva_arena.rating.report.sections import MOST_POINTS, SectionRequest, by_seeds, sections
from khiva_arena.rating.report.standings import AnchorAt, Entrant, standings

EVENTS = [("one", 1), ("two", 2), ("three", 3)]


def rows(bots=5, seeds=6, seats=3, events=EVENTS):
    """Some line-ups of each seed; the stronger the higher the number."""
    rng = random.Random(20261120)
    for event, _ in events:
        for seed in range(seeds):
            for line_up in range(bots):
                at = [(line_up + i * (1 + seed % 2)) % bots for i in range(seats)]
                for r in range(seats):
                    order = [at[(i + r) % seats] for i in range(seats)]
                    points = [round(bot / 3 + rng.gauss(0, 1)) for bot in order]
                    ranks = tuple(1 + sum(other > mine for other in points) for mine in points)
                    yield listed(event, f"{seed}/{line_up}", r, f"{event}{seed}", order, ranks)


def entrants(bots=5):
    return tuple(Entrant(f"id-{i}", f"bot{i}") for i in range(bots))


@pytest.fixture(scope="module")
def table():
    return standings(rows(), entrants())


@pytest.fixture(scope="module")
def every(table):
    return sections(table, SectionRequest(NAMES, EVENTS))


def test_only_what_was_asked_for_is_there(table):
    assert to_json(table)["sections"] == {}
    found = sections(table, SectionRequest(("los", "history"), EVENTS))
    assert list(to_json(table, found)["sections"]) == ["los", "history"]
    assert list(to_json(table, sections(table, SectionRequest(NAMES, EVENTS)))["sections"]) == [
        name for name in NAMES if name != "details"
    ]


def test_the_crosstable_holds_both_sides_of_each_pair(table, every):
    n = len(table.rows)
    for i in range(n):
        assert every.crosstable[i][i] is None
        for j in range(i):
            one, other = every.crosstable[i][j], every.crosstable[j][i]
            assert one.score + other.score == pytest.approx(100, abs=0.002), f"{i=} {j=}"
            assert one.low + other.high == pytest.approx(100, abs=0.002), f"{i=} {j=}"
            assert one.expected + other.expected == pytest.approx(100, abs=0.002), f"{i=} {j=}"
            assert (one.seeds, one.matches, one.significant) == (
                other.seeds,
                other.matches,
                other.significant,
            ), f"{i=} {j=}"
            assert one.significant == (one.low > 50 or one.high < 50), f"{i=} {j=}"
    assert (
        sum(cell.matches for cell in every.crosstable[0] if cell) == 2 * table.rows[0].matches
    )  # two others at each table


def test_rows_of_matrices_are_in_the_order_of_the_table(table, every):
    index = [table.order.index(row.bot) for row in table.rows]
    for i, row in enumerate(table.rows[:-1]):
        assert every.los[i][i + 1] == row.los_next
        assert every.covariance[i][i + 1] == pytest.approx(
            table.ratings.covariance[index[i], index[i + 1]], abs=0.001
        )
    for i in range(len(index)):
        assert every.los[i][i] is None
        for j in range(i):
            assert every.los[i][j] + every.los[j][i] == pytest.approx(100, abs=0.002), f"{i=} {j=}"
            assert every.surprise[i][j] == pytest.approx(-every.surprise[j][i]), f"{i=} {j=}"


def test_history_ends_at_the_table_and_each_event_stands_alone_too(table, every):
    assert [(stage.event, stage.number, stage.matches, stage.seeds) for stage in every.history] == [
        ("one", 1, 90, 6),
        ("two", 2, 90, 6),
        ("three", 3, 90, 6),
    ]
    last = every.history[-1].so_far
    assert [(one.bot, one.elo, one.error) for one in last] == [
        (row.bot, row.elo, row.error) for row in table.rows
    ]
    for stage, (event, _) in zip(every.history, EVENTS, strict=True):
        alone = standings([row for row in rows() if row.event == event], entrants(), table.anchor)
        assert {one.bot: (one.elo, one.error) for one in stage.alone} == {
            row.bot: (row.elo, row.error) for row in alone.rows
        }
    assert [(one.elo, one.error) for one in every.history[0].so_far] == [
        (one.elo, one.error) for one in every.history[0].alone
    ]


def test_by_seeds_ends_after_all_of_them_and_has_fewer_points_of_many_bots(table, monkeypatch):
    found = by_seeds(table)
    assert [one.seeds for one in found] == list(range(1, 6 * len(EVENTS) + 1))
    assert len(found) <= MOST_POINTS
    monkeypatch.setattr(
        "khiva_arena.rating.report.sections.MOST_POINTS_TIMES_BOTS", 3 * len(table.rows)
    )
    fewer = by_seeds(table)
    assert [one.seeds for one in fewer] == [6, 12, 18]
    assert fewer[-1] == found[-1]


def test_history_without_the_anchor_has_no_numbers():
    late = [row for row in rows() if row.event != "one" or 0 not in row.bots]
    table = standings(late, entrants(), "bot0")
    first = sections(table, SectionRequest(("history",), EVENTS)).history[0]
    assert first.matches > 0
    assert {(one.elo, one.error) for one in first.alone} == {(None, None)}
    assert None not in {
        one.elo for one in sections(table, SectionRequest(("history",), EVENTS)).history[1].so_far
    }


def test_a_number_of_history_or_effects_that_is_a_bound_has_its_sign():
    """bot4 wins all of the first event; in the others all are as they are."""
    some = []
    for row in rows():
        wins = row.event == "one" and 4 in row.bots
        ranks = tuple(
            1 if bot == 4 else 1 + rank for bot, rank in zip(row.bots, row.ranks, strict=True)
        )
        some.append(replace(row, ranks=ranks) if wins else row)
    table = standings(some, entrants(), "id-0")
    found = sections(table, SectionRequest(("history", "effects"), EVENTS))
    first = {one.bot: one for one in found.history[0].alone}
    assert {bot: one.bound for bot, one in first.items()} == {
        bot.id: ">=" if bot.id == "id-4" else "" for bot in entrants()
    }
    assert (first["id-4"].error, first["id-4"].elo is None) == (None, False)
    assert {one.bound for stage in found.history[1:] for one in (*stage.so_far, *stage.alone)} == {
        ""
    }
    text = section_text.to_text(table, found, ("history", "effects"))
    assert text.count(f" >={first['id-4'].elo:.1f} n/a") == 2  # so far, and alone
    only = standings([row for row in some if row.event == "one"], entrants(), "id-0")
    found = sections(only, SectionRequest(("effects",), EVENTS))
    (fitted,) = (one for one in found.effects.rows if one.bot == "id-4")
    (row,) = (row for row in only.rows if row.bot == "id-4")
    assert (fitted.bound, fitted.error, row.bound) == (">=", None, ">=")
    assert [">=" + f"{value:.1f}" for value in (fitted.elo, row.elo)] == [
        word
        for word in section_text.to_text(only, found, ("effects",)).split()
        if word.startswith(">=")
    ]


def test_an_event_in_which_nothing_is_rated_changes_nothing(table):
    found = sections(table, SectionRequest(("history",), [*EVENTS, ("four", 4)])).history
    assert (found[3].matches, found[3].seeds) == (0, 0)
    assert found[3].so_far == found[2].so_far
    assert {one.elo for one in found[3].alone} == {None}


def test_effects_are_those_asked_for(table):
    def fitted(*names):
        return sections(table, SectionRequest(("effects",), EVENTS, names)).effects

    both, seats, neighbours = fitted("seats", "neighbours"), fitted("seats"), fitted("neighbours")
    assert [(one.seats, one.seat) for one in seats.effects] == [(3, 0), (3, 1), (3, 2)]
    assert {one.of for one in seats.effects} == {"seat"}
    assert sum(one.elo for one in seats.effects) == pytest.approx(0, abs=0.002)
    assert {one.bot for one in neighbours.effects} == {row.bot for row in table.rows}
    assert len(both.effects) == len(seats.effects) + len(neighbours.effects)
    assert both.fitted == ["seats", "neighbours"]
    assert [one.bot for one in both.rows] == [row.bot for row in table.rows]
    assert [one.elo for one in both.rows] != [row.elo for row in table.rows]


def test_what_no_points_connect_is_named():
    """0 and 1 met 2, 3 and 4 never."""
    some = [row for row in rows(seats=2) if len({bot in (0, 1) for bot in row.bots}) == 1]
    table = standings(some, entrants(), "bot0")
    found = sections(table, SectionRequest(NAMES, EVENTS))
    assert not found.connectivity.connected
    assert found.connectivity.components == [["id-2", "id-3", "id-4"], ["id-0", "id-1"]]
    text = section_text.to_text(table, found, ("connectivity",))
    assert "1: bot2, bot3, bot4" in text
    assert "2: bot0, bot1" in text
    at = [row.bot for row in table.rows]
    assert found.crosstable[at.index("id-0")][at.index("id-4")] is None
    assert found.los[at.index("id-0")][at.index("id-4")] is None
    assert found.surprise[at.index("id-0")][at.index("id-4")] is None


def test_all_connected(table, every):
    assert every.connectivity == section_shapes.Connectivity(True, [list(table.order)])


def test_every_section_has_text_that_fits_and_says_what_it_is(table, every):
    for name in NAMES:
        text = section_text.to_text(table, every, (name,) if name == "details" else ())
        assert text if name == "details" else True
    for width in (60, 80, 100):
        text = section_text.to_text(table, every, NAMES, width)
        assert max(map(len, text.split("\n"))) <= width
    for title in (
        "Details:",
        "Crosstable:",
        "Likelihood of superiority:",
        "Surprise:",
        "Seats and neighbours:",
        "Cycles:",
    ):
        assert f"\n{title}\n" in "\n" + text
    for title in ("Connectivity:", "Covariance:", "Effects:", "History:"):
        assert f"\n{title}\n" in "\n" + text
    assert text.endswith("\n\n")
    upper = [
        every.surprise[i][j] for i in range(len(table.rows)) for j in range(i + 1, len(table.rows))
    ]
    beyond = sum(abs(z) > 2 for z in upper)
    assert (
        f"{beyond} of 10 pairs beyond 2; luck alone makes about 0.6, so a number near it "
        "says nothing." in text.replace("\n ", "")
    )


def test_stars_stand_where_ranks_tell_two_bots_apart(table, every):
    text = section_text.to_text(
        table, sections(table, SectionRequest(("crosstable",), EVENTS)), ("crosstable",)
    )
    stars = sum(cell.certain for row in every.crosstable for cell in row if cell)
    assert 0 < stars < 20
    assert text.split("What the row")[0].count("*") == stars
    for row, cells in zip(table.rows, every.crosstable, strict=True):
        best, worst = row.rank_interval
        above = sum(
            cell is not None and cell.certain and other.elo > row.elo
            for cell, other in zip(cells, table.rows, strict=True)
        )
        below = sum(
            cell is not None and cell.certain and other.elo < row.elo
            for cell, other in zip(cells, table.rows, strict=True)
        )
        assert (best, worst) == (1 + above, len(table.rows) - below)


@pytest.mark.parametrize("seeds", [4, 6, 10, 20])
def test_between_two_bots_the_star_and_the_ranks_agree(seeds):
    """Where the interval of the score and that of the difference in Elo end near one
    half, they may not.
    """
    for wins in range(2 * seeds + 1):
        results = [
            listed(
                "e",
                f"{k // 2}/0",
                k % 2,
                f"s{k // 2}",
                (0, 1)[:: 1 - 2 * (k % 2)],
                ranks[:: 1 - 2 * (k % 2)],
            )
            for k in range(2 * seeds)
            for ranks in [(1, 2) if k * 7 % (2 * seeds) < wins else (2, 1)]
        ]
        found = standings(results, [Entrant("a", "a"), Entrant("b", "b")])
        [[_, cell], _] = sections(found, SectionRequest(("crosstable",), [])).crosstable
        assert cell.certain == (found.rows[0].rank_interval == (1, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "bots", [30, 60, 61, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.long])]
)
def test_many_bots_are_cut_into_blocks_or_left_to_programs(bots):
    """Names stand beside each block, and no line is longer than the terminal."""
    few = list(rows(bots=bots, seeds=2, events=EVENTS[:1]))
    table = standings(few, entrants(bots))
    asked = ("crosstable", "los", "surprise", "covariance", "history", "seats", "connectivity")
    found = sections(table, SectionRequest(asked, EVENTS[:1]))
    text = section_text.to_text(table, found, asked)
    assert max(map(len, text.split("\n"))) <= 100
    assert len(found.los) == len(found.los[0]) == bots
    if bots > 60:
        assert (
            text.count(f"{bots} bots are too many to print one against the other: ask for --json.")
            == 4
        )
    else:
        los = text.split("Likelihood of superiority:\n")[1].split("\nSurprise")[0]
        heads = [line.split()[1:] for line in los.split("\n") if line.split()[:1] == ["bot"]]
        assert [number for head in heads for number in head] == [str(i + 1) for i in range(bots)]
        assert sum(
            line.startswith(f"{bots} ") or f" {bots} bot" in line for line in los.split("\n")
        ) == len(heads)


def test_one_seed_or_no_match_leaves_gaps_and_no_error():
    for some in (list(rows(seeds=1, events=EVENTS[:1])), []):
        table = standings(some, entrants())
        found = sections(table, SectionRequest(NAMES, EVENTS))
        text = section_text.to_text(table, found, NAMES)
        assert "nan" not in text
        assert "n/a" in text
        assert {row.los_next for row in table.rows} == {None}


def test_what_stands_in_a_row_is_what_the_fits_say(table):
    clean = rate(table.evidence.cells, 5, table.ratings.anchor)
    for row in table.rows:
        i = table.order.index(row.bot)
        assert (row.pool_error, row.quasi_se) == (
            round(clean.pool_error[i], 3),
            round(clean.quasi.se[i], 3),
        )
        assert row.design_effect == round(clean.design_effect[i], 3)
        assert row.fault_free_error == row.error
        assert row.rank_interval[0] <= row.rank <= row.rank_interval[1]
        pairs = [
            (mine, other)
            for match in rows()
            for k, mine in enumerate(match.ranks)
            if match.bots[k] == i
            for j, other in enumerate(match.ranks)
            if j != k
        ]
        assert row.ties == pytest.approx(
            100 * sum(mine == other for mine, other in pairs) / len(pairs), abs=0.001
        )


def test_the_fault_free_fit_has_an_error_of_its_own():
    crash = ((Verdict.CRASHED, 1),)
    some = [replace(row, faults=(crash, (), ())) if row.seed == 5 else row for row in rows()]
    table = standings(some, entrants())
    alone = standings([row for row in some if row.fault_free], entrants())
    assert table.blocks == 18
    assert alone.blocks == 15
    by_bot = {row.bot: row for row in alone.rows}
    for row in table.rows:
        assert (row.fault_free_elo, row.fault_free_error) == (
            by_bot[row.bot].elo,
            by_bot[row.bot].error,
        )
        assert row.faults == (() if row.bot != row.bot else row.faults)


def test_given_anchors_stay_where_they_are_and_history_keeps_them():
    given = [AnchorAt("bot1", 100), AnchorAt("bot3", 250)]
    table = standings(rows(), entrants(), anchors=given)
    by_bot = {row.bot: row for row in table.rows}
    assert (by_bot["id-1"].elo, by_bot["id-1"].error) == (100, 0)
    assert (by_bot["id-3"].elo, by_bot["id-3"].error) == (250, 0)
    assert [(one.bot, one.given, one.sd) for one in table.anchors] == [
        ("id-1", 100, 0),
        ("id-3", 250, 0),
    ]
    assert all(one.z is not None and one.found is not None for one in table.anchors)
    for stage in sections(table, SectionRequest(("history",), EVENTS)).history:
        assert {one.bot: one.elo for one in stage.so_far if one.bot in ("id-1", "id-3")} == {
            "id-1": 100,
            "id-3": 250,
        }
    single = standings(rows(), entrants(), anchors=[AnchorAt("bot1", 100)])
    assert (single.anchors[0].found, single.anchors[0].z, single.anchors[0].contradicts) == (
        None,
        None,
        None,
    )
    plain = {row.bot: row for row in standings(rows(), entrants(), "bot1").rows}
    for row in single.rows:
        assert row.elo == pytest.approx(plain[row.bot].elo + 100, abs=0.01)
        assert row.error == pytest.approx(plain[row.bot].error, abs=0.01)


@pytest.mark.parametrize(("seeds", "most"), [(3, 4.303), (6, 2.571), (18, 2.110)])
def test_an_anchor_contradicts_the_others_beyond_the_t_quantile_of_its_seeds(seeds, most):
    """Published quantiles of Student's t with one degree of freedom less than there are
    seeds.
    """
    some = list(rows(seeds=seeds, events=EVENTS[:1]))
    there = standings(some, entrants(), anchors=[AnchorAt("bot0", 0), AnchorAt("bot4", 0)]).anchors[
        1
    ]
    step = abs(there.found / there.z)  # one standard error
    for z, contradicts in (
        (most + 0.01, True),
        (most - 0.01, False),
        (-most - 0.01, True),
        (0.0, False),
    ):
        given = [AnchorAt("bot0", 0), AnchorAt("bot4", there.found + z * step)]
        (_, one) = standings(some, entrants(), anchors=given).anchors
        assert abs(one.z) == pytest.approx(abs(z), abs=0.005)
        assert one.contradicts is contradicts
