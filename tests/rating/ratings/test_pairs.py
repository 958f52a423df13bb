"""Which pairs count, and with what weight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import rated

from khiva_arena.rating.ratings import match_arrays
from khiva_arena.rating.ratings.match_arrays import TableArrays
from khiva_arena.rating.ratings.pairs import cells_of_tables, pair_cells


def cells_of(*matches, bots=5):
    cells = pair_cells(matches, bots)
    rows = zip(cells.block.tolist(), cells.low.tolist(), cells.high.tolist(), strict=True)
    return {
        row: (w, s)
        for row, w, s in zip(rows, cells.weight.tolist(), cells.score.tolist(), strict=True)
    }


def test_every_pair_of_seats_by_rank_with_weight_3_over_seats_plus_1():
    assert cells_of(rated("a", (2, 0, 1), (1, 2, 2))) == {
        (0, 0, 1): (0.75, 0.375),
        (0, 0, 2): (0.75, 0.0),
        (0, 1, 2): (0.75, 0.0),
    }


@pytest.mark.parametrize(("seats", "weight"), [(2, 1), (3, 0.75), (4, 0.6), (5, 0.5)])
def test_weights(seats, weight):
    found = cells_of(rated(0, tuple(range(seats)), tuple(range(1, seats + 1))))
    assert len(found) == seats * (seats - 1) // 2
    assert set(found.values()) == {(weight, weight)}


def test_a_forfeiter_loses_to_all_and_the_others_compare_by_rank():
    found = cells_of(rated(0, (0, 1, 2, 3), (1, 2, 4, 3)))  # bot 2 forfeited, then bot 3 later
    assert {key: score / weight for key, (weight, score) in found.items()} == {
        (0, 0, 1): 1,
        (0, 0, 2): 1,
        (0, 0, 3): 1,
        (0, 1, 2): 1,
        (0, 1, 3): 1,
        (0, 2, 3): 0,
    }


def test_a_seat_that_failed_to_start_leaves_only_its_own_pairs():
    assert cells_of(rated(0, (0, 1, 2), (2, 3, 1), unstarted=(1,))) == {
        (0, 0, 1): (0.75, 0.75),
        (0, 1, 2): (0.75, 0.0),
    }


def test_two_that_failed_to_start_tie():
    found = cells_of(rated(0, (0, 1, 2, 3), (1, 2, 3, 3), unstarted=(2, 3)))
    assert (0, 0, 1) not in found
    assert found[0, 2, 3] == (0.6, 0.3)


def test_copies_add_nothing_between_themselves():
    assert cells_of(rated(0, (3, 3, 1), (1, 3, 2))) == {(0, 1, 3): (1.5, 0.75)}
    assert cells_of(rated(0, (3, 3, 3), (1, 2, 3))) == {}


def test_blocks_without_a_pair_are_no_blocks():
    cells = pair_cells([rated("x", (3, 3), (1, 2)), rated("y", (3, 1), (1, 2))], 5)
    assert cells.blocks == 1
    assert cells.block.tolist() == [0]


def test_nothing_at_all():
    cells = pair_cells([], 3)
    assert cells.blocks == 0
    assert len(cells.weight) == 0


@pytest.mark.parametrize(
    "match", [rated(0, (0, 5), (1, 2)), rated(0, (-1, 2), (1, 2)), rated(0, (0, 1), (1, 2, 3))]
)
def test_a_match_out_of_range_is_refused(match):
    with pytest.raises(ValueError):
        pair_cells([match], 5)


@st.composite
def match_lists(draw):
    some = []
    for _ in range(draw(st.integers(0, 12))):
        seats = draw(st.integers(2, 5))
        bots = tuple(draw(st.lists(st.integers(0, 4), min_size=seats, max_size=seats)))
        ranks = tuple(draw(st.lists(st.integers(1, 5), min_size=seats, max_size=seats)))
        unstarted = tuple(draw(st.sets(st.integers(0, seats - 1), max_size=1)))
        some.append(rated(draw(st.integers(0, 3)), bots, ranks, unstarted))
    return some


@settings(deadline=None)
@given(match_lists())
def test_sums_are_those_of_a_plain_loop(matches):
    blocks = {}
    expected = {}
    for m in matches:
        for i in range(len(m.bots)):
            for j in range(len(m.bots)):
                if m.bots[i] < m.bots[j] and (
                    not m.unstarted or i in m.unstarted or j in m.unstarted
                ):
                    w = 3 / (len(m.bots) + 1)
                    won = (m.ranks[i] < m.ranks[j]) + (m.ranks[i] == m.ranks[j]) / 2
                    key = (m.block, m.bots[i], m.bots[j])
                    old = expected.get(key, (0, 0))
                    expected[key] = old[0] + w, old[1] + w * won
    for m in matches:
        blocks.setdefault(m.block, len(blocks))
    with_pairs = sorted({blocks[block] for block, _, _ in expected})
    numbered = {(with_pairs.index(blocks[block]), a, b): v for (block, a, b), v in expected.items()}
    found = cells_of(*matches)
    assert found.keys() == numbered.keys()
    assert all(found[key] == pytest.approx(numbered[key]) for key in found)


@settings(deadline=None)
@given(match_lists())
def test_chunks_make_no_difference(matches):
    whole = cells_of(*matches)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_arrays, "_CHUNK", 2)
        parts = cells_of(*matches)
    assert parts.keys() == whole.keys()
    assert all(parts[key] == pytest.approx(whole[key]) for key in whole)


@settings(deadline=None)
@given(match_lists(), st.integers(1, 3))
def test_arrays_are_as_good_as_objects(matches, chunk):
    tables = []
    for seats in {len(m.bots) for m in matches}:
        mine = [m for m in matches if len(m.bots) == seats]
        blocks = np.array([int(m.block) for m in mine])
        arrays = [
            blocks,
            *(np.array([getattr(m, name) for m in mine]) for name in ("bots", "ranks")),
        ]
        unstarted = np.array([[seat in m.unstarted for seat in range(seats)] for m in mine])
        tables.append(TableArrays(*arrays, unstarted if unstarted.any() else None))
    parts = [
        TableArrays(
            *(
                None if array is None else array[at : at + chunk]
                for array in (one.block, one.bots, one.ranks, one.unstarted)
            )
        )
        for one in tables
        for at in range(0, len(one.block), chunk)
    ]
    cells = cells_of_tables(parts, 5)
    # blocks are numbered by their numbers here, by their first match there
    wanted = _by_number(matches)
    order = sorted({block for block, _, _ in wanted})
    rows = zip(cells.block.tolist(), cells.low.tolist(), cells.high.tolist(), strict=True)
    values = zip(cells.weight.tolist(), cells.score.tolist(), strict=True)
    found = {
        (order[block], low, high): value
        for (block, low, high), value in zip(rows, values, strict=True)
    }
    assert cells.blocks == len(order)
    assert found.keys() == wanted.keys()
    assert all(found[key] == pytest.approx(wanted[key]) for key in found)


def _by_number(matches):
    """Cells of each block alone, under the block's own number."""
    return {
        (int(block), low, high): value
        for block in {m.block for m in matches}
        for (_, low, high), value in cells_of(*(m for m in matches if m.block == block)).items()
    }


def test_arrays_out_of_range_are_refused():
    for bots, ranks in (([[0, 5]], [[1, 2]]), ([[0, 1]], [[1, 2, 3]])):
        with pytest.raises(ValueError):
            cells_of_tables(
                [TableArrays(np.zeros(1, dtype=np.int64), np.array(bots), np.array(ranks))], 5
            )
