"""Only complete tables are rated; the rest is counted and named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import listed

from khiva_arena.errors import InternalError
from khiva_arena.ratings.matches import complete_tables
from khiva_arena.result import Verdict


def row(table="0/0", rotation=0, bots=(0, 1, 2), event="e", **more):
    return listed(event, table, rotation, "s", bots, () if more.get("set_aside") else (1, 2, 3), **more)


def test_complete_incomplete_and_set_aside_tables():
    rows = [row("0/0", 1), row("0/1", 0), row("0/0", 0), row("0/2", 0), row("0/2", 1, set_aside=True, voids=2), row("0/0", 2)]
    found = complete_tables(rows)
    assert found.rated == (rows[0], rows[2], rows[5])
    assert found.tables == 1
    assert found.incomplete == (("e", "0/1"),)
    assert found.set_aside == (("e", "0/2"),)
    assert found.left_out == 2


def test_a_void_match_sets_the_whole_table_aside_though_all_rotations_are_there():
    found = complete_tables([row(rotation=0), row(rotation=1), row(rotation=2, set_aside=True)])
    assert (found.rated, found.left_out, found.set_aside) == ((), 2, (("e", "0/0"),))


def test_tables_of_different_events_are_different_tables():
    assert complete_tables([row(rotation=r, event=e) for e, r in (("e", 0), ("e", 1), ("f", 2))]).tables == 0


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


def test_faults_of_a_row():
    one = row(faults=((), (Verdict.START_FAILED,), (Verdict.TIMEOUT, Verdict.TIMEOUT)))
    assert one.unstarted == (1,)
    assert not one.fault_free
    assert row().fault_free
    assert row(faults=((), (), ())).fault_free
