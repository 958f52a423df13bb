"""Plans: what they say, that they agree with the table, and what is said when there is
too little to go by.
"""

import random

import pytest
from made_results import listed
from msgspec.structs import replace
from wording import sentence

from khiva_arena.common.result import Result, Verdict
from khiva_arena.errors import ConfigError
from khiva_arena.rating.report import plan, plan_text
from khiva_arena.rating.report.standings import Entrant, standings

BOTS = tuple(Entrant(f"id-{i}", f"bot{i}") for i in range(4))


def rows(seeds: int) -> list[Result]:
    rng = random.Random(5)
    found = []
    for seed in range(seeds):
        for i in range(4):
            for j in range(i):
                for r in (0, 1):
                    pair = (i, j) if r else (j, i)
                    points = [bot / 4 + rng.gauss(0, 1) for bot in pair]
                    ranks = (1, 2) if points[0] > points[1] else (2, 1)
                    found.append(listed("e", f"{seed}/{i}{j}", r, f"s{seed}", pair, ranks))
    return found


def test_an_error_that_is_there_needs_no_more_seeds_and_half_of_it_about_four_times_as_many():
    table = standings(rows(40), BOTS)
    worst = max(row.error for row in table.rows)
    now, half = plan.for_error(table, worst), plan.for_error(table, worst / 2)
    assert now.need.seeds == pytest.approx(40, abs=1)
    assert half.need.seeds == pytest.approx(
        157, abs=6
    )  # a little less than 160: more seeds have a smaller t quantile
    assert half.need.low < half.need.seeds < half.need.high
    assert half.need.matches == half.need.seeds * 12
    assert half.need == max(
        (row.need for row in half.errors if row.need), key=lambda need: need.seeds
    )
    assert [row.bot for row in half.errors] == [row.bot for row in table.rows]
    assert [row.need is None for row in half.errors] == [
        row.bot == table.anchor for row in half.errors
    ]
    assert None not in [row.pool_need for row in half.errors]
    assert half.pool_need.seeds < half.need.seeds


def test_gaps_are_those_between_neighbours_in_the_table():
    table = standings(rows(40), BOTS)
    found = plan.for_gap(table, 30, 0.8)
    assert [(gap.upper, gap.lower) for gap in found.gaps] == [
        (one.bot, other.bot) for one, other in zip(table.rows, table.rows[1:], strict=False)
    ]
    for gap, upper, lower in zip(found.gaps, table.rows, table.rows[1:], strict=False):
        assert gap.elo == pytest.approx(upper.elo - lower.elo, abs=0.002)
    assert found.need.seeds == max(gap.need.seeds for gap in found.gaps)
    surer = plan.for_gap(table, 30, 0.95)
    wider = plan.for_gap(table, 60, 0.8)
    assert wider.need.seeds < found.need.seeds < surer.need.seeds


def test_text_says_what_it_takes():
    table = standings(rows(40), BOTS)
    text = plan_text.to_text(plan.for_error(table, 20), table)
    need = plan.for_error(table, 20).need
    assert (
        f"{need.seeds} seeds (95 %: {need.low} .. {need.high}), {need.matches} matches, "
        "for +/- 20 of every bot" in text
    )
    assert "So far: 40 seeds, 480 matches." in text
    assert max(map(len, text.split("\n"))) <= 100
    gaps = plan_text.to_text(plan.for_gap(table, 20, 0.8), table)
    assert "in 80 of 100 cases" in gaps
    assert max(map(len, gaps.split("\n"))) <= 100
    far = plan_text.to_text(plan.for_error(table, 1e-9), table)
    assert "More seeds are needed than can be played for +/- 1e-09" in far
    assert "too many" in far


@pytest.mark.parametrize("seeds", [0, 1, 4])
def test_too_few_seeds_to_tell(seeds):
    table = standings(rows(seeds), BOTS)
    for found in (plan.for_error(table, 20), plan.for_gap(table, 20, 0.8)):
        assert not found.enough
        assert found.need is None
        text = plan_text.to_text(found, table)
        assert sentence("report", "too-few-know-how") in text
        assert "5 seeds or more" in text


def hopeless(first: int = 0) -> list[Result]:
    """bot3 lost everything: no number, however many seeds, tells its error. ``first``:
    the number of bot0.
    """
    lost = []
    for row in rows(20):
        ranks = row.ranks
        if 3 in row.bots:
            ranks = (2, 1) if row.bots[0] == 3 else (1, 2)
        lost.append(replace(row, bots=tuple(first + bot for bot in row.bots), ranks=ranks))
    return lost


def test_one_that_lost_everything_is_left_out_and_named():
    """A crasher is no reason to say nothing of the others."""
    crashed = [
        replace(row, faults=tuple(((Verdict.CRASHED, 1),) * (bot == 3) for bot in row.bots))
        for row in hopeless()
    ]
    table = standings(crashed, BOTS)
    found, without = plan.for_error(table, 20), plan.for_error(standings(others(), BOTS[:3]), 20)
    assert found.enough
    assert found.left_out == ["id-3"]
    assert found.need.seeds == pytest.approx(without.need.seeds, rel=0.02)
    assert found.pool_need.seeds == pytest.approx(without.pool_need.seeds, rel=0.02)
    text = plan_text.to_text(found, table).replace("\n ", "")
    assert f"{found.need.seeds} seeds (95 %: " in text
    assert (
        sentence("report", "relative-anchor-2", error="20", every="every other bot") + "." in text
    )
    assert (
        "Left out: bot3 lost each point between it and the anchor (120 crashed); it has no error"
        in text
    )
    assert {row.bot: row.elo is None for row in found.errors} == {
        bot.id: bot.id == "id-3" for bot in BOTS
    }  # it is a bound


def others() -> list[Result]:
    return [row for row in rows(20) if 3 not in row.bots]


def test_where_the_anchor_lost_everything_another_one_is_asked_for():
    table = standings(hopeless(), BOTS, "id-3")
    found = plan.for_error(table, 20)
    assert (found.need, found.left_out) == (
        None,
        [row.bot for row in table.rows if row.bot != "id-3"],
    )
    text = plan_text.to_text(found, table).replace("\n ", "")
    assert (
        sentence(
            "report",
            "unknown-how-many-seeds",
            what=sentence("report", "relative-anchor-2", error="20", every="every bot"),
        )
        in text
    )
    assert (
        "Next: mend or leave out the bots above, or name another --anchor, and plan again." in text
    )


def test_what_to_type_next_is_the_last_thing_said():
    table = standings(rows(20), BOTS)
    found = replace(plan.for_error(table, 20), next=["khiva-arena run --seeds 7"])
    text = plan_text.to_text(found, table)
    assert text.endswith("\nkhiva-arena run --seeds 7\n")
    assert "adding seeds until a result pleases makes errors too small" in " ".join(text.split())
    assert "Next: nothing; there are seeds enough." in plan_text.to_text(
        plan.for_error(table, 5000), table
    )


@pytest.mark.parametrize("width", [60, 80])
def test_a_plan_fits_the_terminal(width):
    table = standings(hopeless(), BOTS)
    for found in (plan.for_error(table, 20), plan.for_gap(table, 20, 0.8)):
        text = plan_text.to_text(found, table, width)
        assert max(map(len, text.split("\n"))) <= width
        assert sorted(set(text.split())) == sorted(
            set(plan_text.to_text(found, table).split())
        )  # nothing is left out


@pytest.mark.parametrize("anchor", ["id-0", "id-9"])
def test_no_gap_is_shown_that_only_the_prior_makes(anchor):
    """bot3 lost everything, and a fifth has not played."""
    table = standings(hopeless(first=1), (Entrant("id-9", "idle"), *BOTS), anchor)
    found = plan.for_gap(table, 30, 0.8)
    assert {bot for gap in found.gaps for bot in (gap.upper, gap.lower)} == {"id-0", "id-1", "id-2"}
    assert [
        [value is not None for value in (gap.elo, gap.error, gap.need)] for gap in found.gaps
    ] == [[True] * 3] * 2
    assert found.need is not None
    assert set(found.left_out) == {"id-3", "id-9"}
    assert "Left out: idle has played no rated match." in plan_text.to_text(found, table)
    assert [row.elo for row in plan.for_error(table, 20).errors if row.bot == "id-9"] == [None]


@pytest.mark.parametrize(
    ("error", "said"), [(0, "error is 0"), (-3, "error is -3"), (float("nan"), "error is nan")]
)
def test_errors_that_are_none(error, said):
    with pytest.raises(ConfigError, match=said):
        plan.for_error(standings(rows(6), BOTS), error)


@pytest.mark.parametrize(("gap", "power"), [(0, 0.8), (20, 1), (20, 0.1), (float("inf"), 0.8)])
def test_gaps_that_are_none(gap, power):
    with pytest.raises(ConfigError, match=r"gap is|power is"):
        plan.for_gap(standings(rows(6), BOTS), gap, power)
