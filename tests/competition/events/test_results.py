"""One ``Result``, wherever it comes from, and whatever table it is pooled in."""

from pathlib import Path

import pytest
from event_rows import event
from msgspec import structs
from published import published

from khiva_arena.common.result import Result, Verdict
from khiva_arena.competition.events import results
from khiva_arena.competition.events.pools import results_of, standings_of
from khiva_arena.competition.events.stored import timetable_of
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.rows import VoidRow


@pytest.mark.parametrize("case", ["khiva-swiss", "emira-gauntlet"])
def test_a_row_and_its_record_give_one_result(case: str, tmp_path: Path) -> None:
    with Store.read(published(case, tmp_path)) as store:
        (row,) = store.events()
        timetable = timetable_of(store, row)
        pairs = 0
        for match in store.matches(row.id):
            scheduled = timetable.match(match.ordinal)
            assert scheduled is not None
            from_row, from_record = (
                results.of_row(row, match),
                results.of_record(row, scheduled, match.parsed()),
            )
            assert from_row == from_record
            pairs += 1
        assert pairs == timetable.matches
        measured = results_of(store, row)
        assert [structs.replace(one, measured=()) for one in measured] == [
            results.of_row(row, one) for one in store.matches(row.id)
        ]
        assert all(
            seat.page_faults is None and seat.cpu_s is not None
            for one in measured
            for seat in one.measured
        )


def test_bots_of_pooled_events_are_numbered_as_in_the_table() -> None:
    one, other = (
        event(1),
        structs.replace(event(2), bots=event(2).bots[::-1], secret=bytes(31) + b"x"),
    )
    won_by_a = [(one.id, 0, 1), (other.id, 1, 0)]
    every = [
        Result(
            event=id,
            seed=seed,
            rotation=turn,
            block=f"{id} {seed}",
            bots=(a, b)[:: 1 - 2 * turn],
            ranks=(1, 2)[:: 1 - 2 * turn],
        )
        for id, a, b in won_by_a
        for seed in range(3)
        for turn in (0, 1)
    ]
    found = standings_of([one, other], every)
    assert {row.name: row.finishes for row in found.rows} == {"a": (12, 0), "b": (0, 12)}
    (matches,) = found.evidence.matches.sizes
    assert matches.bots.tolist() == [[0, 1], [1, 0]] * 6


def test_a_match_that_stayed_void_has_nobodys_rank() -> None:
    void = VoidRow("e1", 5, 2, 2, 0, [1, 0], "late", [0.5], "now", causes=(1,))
    found = results.set_aside(event(1), void, {1: 2})
    assert (found.table, found.rotation, found.bots, found.ranks) == ("2/0", 1, (1, 0), ())
    assert [seat[:3] for seat in found.measured] == [(0.5, 0, 0), (None, 0, 2)]
    assert found.set_aside
    assert found.voids == 2


def test_who_failed_to_start_is_known_by_the_verdict() -> None:
    found = Result(
        bots=(0, 1, 2),
        verdicts=(Verdict.OK, Verdict.START_FAILED, "timeout"),
        faults=((), (("start_failed", 0),), ()),
    )
    assert found.unstarted == (1,)
    assert not found.fault_free
    assert Result(bots=(0, 1)).unstarted == ()
