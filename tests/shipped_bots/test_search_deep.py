"""What the deep searching bot takes for granted about Khiva, against the rules
themselves.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from bots_here import modules_of
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.games.khiva import GAME
from khiva_arena.rng import Stream

BOTS = Path(__file__).parents[2] / "bots" / "python"
PARTS = ("khiva_kit", "evaluate", "policy", "search", "outlook", "deep", "fit_outlook")
SEATS = st.integers(2, 5)


@pytest.fixture(scope="module")
def deep() -> Iterator[ModuleType]:
    """The bot's module, imported from where it lies."""
    with modules_of(
        [BOTS / name for name in ("kit", "shared", "search_deep")], ("deep",), PARTS
    ) as by_name:
        yield by_name["deep"]


def played_on(seats: int, turns: int, lots: Stream) -> Any:
    """A position in which all are asked, after some turns at random."""
    state, _ = GAME.new(seats, GAME.rules({}), bytes(lots.below(256) for _ in range(32)))
    while not state.is_over and (len(state.pending()) < seats or state.turn <= turns):
        state.apply({seat: lots.below(len(asked.legal)) for seat, asked in state.pending().items()})
    return state


def choices(state: Any, lots: Stream) -> dict[int, int]:
    return {seat: lots.below(len(asked.legal)) for seat, asked in state.pending().items()}


def open_to_all(state: Any) -> dict[str, Any]:
    """What all see, except what is dealt again if a deal is over."""
    return {key: value for key, value in state.public().items() if key not in ("shown", "hands")}


@settings(max_examples=60, deadline=None)
@given(seats=SEATS, turns=st.integers(0, 9), lot=st.integers(0, 2**32))
def test_a_turn_comes_out_the_same_whatever_is_passed(
    deep: ModuleType, seats: int, turns: int, lot: int
) -> None:
    lots = Stream(bytes(32), str(lot))
    world, rules = played_on(seats, turns, lots), GAME.rules({})
    if world.is_over:
        return
    legal = world.pending()[0].legal
    chosen = choices(world, lots)
    turn = next(turn for turn in deep._by_play(legal, range(len(legal))) if chosen[0] in turn)
    assert all(
        legal[other][: len(legal[0]) // 2] == legal[chosen[0]][: len(legal[0]) // 2]
        for other in turn
    )
    after = [deep._finish(world, {**chosen, 0: other}, rules) for other in turn]
    assert all(open_to_all(one) == open_to_all(after[0]) for one in after)


@settings(max_examples=60, deadline=None)
@given(seats=SEATS, turns=st.integers(0, 9), lot=st.integers(0, 2**32))
def test_it_knows_the_hands_at_the_end_of_a_turn(
    deep: ModuleType, seats: int, turns: int, lot: int
) -> None:
    lots = Stream(bytes(32), str(lot))
    world = played_on(seats, turns, lots)
    if world.is_over:
        return
    chosen = choices(world, lots)
    hands = [sorted(hand) for hand in deep._passed(world, chosen)]
    after = deep._finish(world, chosen, GAME.rules({}))
    if after.deal == world.deal:
        assert hands == after.hands
    else:
        assert all(set(hand) < set(more) for hand, more in zip(hands, after.hands, strict=True))


@settings(max_examples=60, deadline=None)
@given(seats=SEATS, turns=st.integers(0, 9), lot=st.integers(0, 2**32))
def test_another_deal_for_a_seat_keeps_its_cards_and_loses_none(
    deep: ModuleType, seats: int, turns: int, lot: int
) -> None:
    lots = Stream(bytes(32), str(lot))
    world = played_on(seats, turns, lots)
    if world.is_over:
        return
    before = [hand[:] for hand in world.hands]
    seat = lots.below(seats)
    imagined = deep._shuffled(world, seat, lots)
    assert imagined.hands[seat] == before[seat]
    assert imagined.components() == world.components()
    assert imagined.public() == world.public()
    assert world.hands == before


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_chances_of_all_seats_add_up_and_points_raise_them(
    deep: ModuleType, seats: int
) -> None:
    world = played_on(seats, 2, Stream(bytes(32), "chances"))
    outlook = deep.Outlook(world)
    outlooks = [outlook.seat(seat, world.hands) for seat in range(seats)]
    assert sum(outlook.chance(seat, outlooks) for seat in range(seats)) == pytest.approx(
        seats / 2, abs=0.01
    )
    world.teapots[1] += [7, 7]
    ahead = deep.Outlook(world)
    outlooks_then = [ahead.seat(seat, world.hands) for seat in range(seats)]
    assert ahead.chance(1, outlooks_then) > outlook.chance(1, outlooks)
    assert ahead.chance(0, outlooks_then) < outlook.chance(0, outlooks)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_its_weights_are_what_a_fit_gives_weights_to(
    deep: ModuleType, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    import fit_outlook

    world = played_on(seats, 2, Stream(bytes(32), "weights"))
    outlook = deep.Outlook(world)
    numbers = fit_outlook._numbers(world, world.hands, fit_outlook._units(seats))
    points, load, carpets, hand = outlook.weights
    weights = [*points, *load, *carpets, *(weight for size in hand for weight in size)]
    assert numbers @ weights == pytest.approx(
        [outlook.seat(seat, world.hands) for seat in range(seats)]
    )
    assert fit_outlook._weights([weight / 100 for weight in weights]) == outlook.weights


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_of_a_match_that_is_over_the_result_counts(deep: ModuleType, seats: int) -> None:
    world = played_on(seats, 200, Stream(bytes(32), "over"))
    assert world.is_over
    outlook = deep.Outlook(world)
    results = [outlook.result(seat) for seat in range(seats)]
    assert sum(results) == pytest.approx(seats / 2)
    assert results.index(max(results)) == list(world.ranks).index(1)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_it_plays_search(deep: ModuleType, seats: int) -> None:
    """Two turns and what is asked in them: every choice is legal, and the same if asked
    again.
    """
    import search

    rules = GAME.rules({"max_turns": 2})
    state, _ = GAME.new(seats, rules, bytes(31) + bytes([seats]))
    while not state.is_over:
        chosen = {}
        for seat, asked in state.pending().items():
            decide = {
                "kind": asked.kind,
                "view": state.view(seat),
                "legal": [list(entry) for entry in asked.legal],
            }
            match = {"seed": seat, "seats": seats, "rules": rules}
            chosen[seat] = (
                deep.choose(decide, match) if seat == 0 else search.choose(decide, match, 6, 4)
            )
            assert seat != 0 or deep.choose(decide, match) == chosen[seat]
        state.apply(chosen)
