"""Only complete tables are rated; the rest is counted and named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import listed

from khiva_arena.common.result import Verdict
from khiva_arena.errors import InternalError
from khiva_arena.rating.ratings.match_arrays import collect
from khiva_arena.rating.ratings.matches import complete_tables, is_complete


def row(table="0/0", rotation=0, bots=(0, 1, 2), event="e", **more):
    return listed(
        event, table, rotation, "s", bots, () if more.get("set_aside") else (1, 2, 3), **more
    )


def rows_of(matches):
    """Which of the matches that were given these are."""
    return sorted(row for one in matches.sizes for row in one.row.tolist())


def test_complete_incomplete_and_set_aside_tables():
    rows = [
        row("0/0", 1),
        row("0/1", 0),
        row("0/0", 0),
        row("0/2", 0),
        row("0/2", 1, set_aside=True, voids=2),
        row("0/0", 2),
    ]
    found = complete_tables(rows)
    assert rows_of(found.rated) == [0, 2, 5]
    assert found.tables == 1
    assert found.incomplete == (("e", "0/1"),)
    assert found.set_aside == (("e", "0/2"),)
    assert found.left_out == 2


def test_a_void_match_sets_the_whole_table_aside_though_all_rotations_are_there():
    found = complete_tables([row(rotation=0), row(rotation=1), row(rotation=2, set_aside=True)])
    assert (rows_of(found.rated), found.left_out, found.set_aside) == ([], 2, (("e", "0/0"),))


def test_tables_of_different_events_are_different_tables():
    assert (
        complete_tables(
            [row(rotation=r, event=e) for e, r in (("e", 0), ("e", 1), ("f", 2))]
        ).tables
        == 0
    )


def test_a_rotation_twice_is_a_bug_of_the_store():
    with pytest.raises(InternalError, match=r"0/0.*twice"):
        complete_tables([row(), row()])


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 2))))
def test_nothing_is_lost(played):
    found = complete_tables([row(f"0/{t}", r) for t, r in sorted(played)])
    assert len(found.rated) + found.left_out == len(played)
    assert found.tables * 3 == len(found.rated)
    assert found.tables + len(found.incomplete) == len({t for t, _ in played})


@st.composite
def some_results(draw):
    """Tables of two and of three seats in two events, each with some of its rotations,
    in any order.
    """
    rows = []
    for event, table in draw(st.sets(st.tuples(st.sampled_from("ef"), st.integers(0, 5)))):
        seats = 2 + table % 2
        for rotation in draw(st.sets(st.integers(0, seats - 1))):
            void = draw(st.integers(0, 5)) == 0
            ranks = () if void else range(1, seats + 1)
            rows.append(
                listed(
                    event,
                    f"{table // 2}/{table % 2}",
                    rotation,
                    "s",
                    range(seats),
                    ranks,
                    set_aside=void,
                )
            )
    return draw(st.permutations(rows))


@settings(deadline=None)
@given(some_results())
def test_what_is_rated_is_what_the_definition_says(rows):
    tables = {}
    for number, one in enumerate(rows):
        tables.setdefault((one.event, one.table), []).append(number)
    whole = {name: [rows[number] for number in numbers] for name, numbers in tables.items()}
    found = complete_tables(rows)
    rated = [name for name, matches in whole.items() if is_complete(matches)]
    assert rows_of(found.rated) == sorted(number for name in rated for number in tables[name])
    assert found.tables == len(rated)
    void = [name for name, matches in whole.items() if any(one.set_aside for one in matches)]
    assert found.set_aside == tuple(void)
    assert found.incomplete == tuple(
        name for name in tables if name not in rated and name not in void
    )
    assert found.left_out == sum(
        not one.set_aside for name in tables if name not in rated for one in whole[name]
    )


def test_a_match_without_a_rank_for_each_seat_is_no_match():
    with pytest.raises(ValueError, match="a match needs a bot in range and a rank for each seat"):
        collect([listed("e", "0/0", 0, "s", (0, 1), (1,))])


def test_faults_of_a_row():
    one = row(faults=((), (Verdict.START_FAILED,), (Verdict.TIMEOUT, Verdict.TIMEOUT)))
    assert one.unstarted == (1,)
    assert not one.fault_free
    assert row().fault_free
    assert row(faults=((), (), ())).fault_free
