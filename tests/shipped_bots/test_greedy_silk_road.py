"""The greedy Silk Road bot: ahead of random, a function of what it is given, and able
to play every variant.

Deals and choices are functions of the seeds here, so each share is a constant and no
test can fail by chance.
"""

from collections import Counter
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from in_targets import soak_but_every

from khiva_arena.games import schema
from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.tables import GOOD_OF

NAME = "greedy_silk_road"


def ask(choose: Any, state: Any, seat: int, decision: Any, rules: dict[str, Any]) -> int:
    legal = [list(entry) for entry in decision.legal]
    choice = choose(
        {"kind": decision.kind, "view": state.view(seat), "legal": legal, "events": []},
        {"seat": seat, "rules": rules, "seed": 7},
    )
    assert type(choice) is int
    assert 0 <= choice < len(legal)
    return choice


def play(
    choose: Any, greedy: set[int], seats: int, deal: int, rules: dict[str, Any]
) -> tuple[list[int], list[int]]:
    """A match; the seats that are not greedy choose at random. Returns ranks and all
    choices.
    """
    secret = sha256(f"greedy {deal}".encode()).digest()
    state, _ = GAME.new(seats, rules, secret)
    lots, choices = Random(deal), []
    while pending := state.pending():
        ((seat, decision),) = pending.items()
        choices.append(
            ask(choose, state, seat, decision, rules)
            if seat in greedy
            else lots.randrange(len(decision.legal))
        )
        state.apply({seat: choices[-1]})
    return list(state.ranks), choices


@pytest.mark.slow
@pytest.mark.parametrize("seats", soak_but_every([2, 3, 4, 5], 4))
def test_one_greedy_bot_beats_random_ones(chooser: Any, seats: int) -> None:
    choose, rules, matches = chooser(NAME), GAME.rules({}), 5
    won = sum(
        play(choose, {deal % seats}, seats, deal, rules)[0][deal % seats] == 1
        for deal in range(matches)
    )
    assert won >= 0.8 * matches


@pytest.mark.soak
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_two_greedy_bots_are_in_front(chooser: Any, seats: int) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    places = Counter()  # type: Counter[int]
    for deal in range(6):
        pair = {deal % seats, (deal + 2) % seats}
        ranks, _ = play(choose, pair, seats, deal, rules)
        places.update(ranks[seat] for seat in pair)
    assert places[1] + places[2] >= 10


def test_equal_questions_get_equal_answers(chooser: Any) -> None:
    rules = GAME.rules({"max_turns": 20})
    assert play(chooser(NAME), {0, 2}, 4, 1, rules) == play(chooser(NAME), {0, 2}, 4, 1, rules)


def shuffled(value: Any) -> Any:
    """The same value with the keys of every map the other way round."""
    if isinstance(value, dict):
        return {key: shuffled(item) for key, item in reversed(value.items())}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def test_every_kind_is_answered_and_events_and_the_order_of_keys_change_nothing(
    chooser: Any,
) -> None:
    choose, rules = chooser(NAME), GAME.rules({"baksheesh": "optional"})
    kinds: Counter[str] = Counter()
    for deal in range(4):
        state, _ = GAME.new(4, rules, sha256(f"kinds {deal}".encode()).digest())
        lots = Random(deal)
        while pending := state.pending():
            ((seat, decision),) = pending.items()
            choice = ask(choose, state, seat, decision, rules)
            kinds[decision.kind] += 1
            if kinds[decision.kind] <= 5:
                legal = [list(entry) for entry in decision.legal]
                asked = {
                    "kind": decision.kind,
                    "view": state.view(seat),
                    "legal": legal,
                    "events": [{"type": "later"}],
                }
                match = {"seat": seat, "rules": rules, "seed": 8}
                assert choose(shuffled(asked), shuffled(match)) == choice
            state.apply(
                {seat: choice if lots.random() < 0.5 else lots.randrange(len(decision.legal))}
            )
    assert set(kinds) == set(schema.shapes_of(GAME).decisions)


STAR = {
    "name": "star",
    "cities": list("ABCDEF"),
    "starts": list("ABC"),
    "targets": list("DEF"),
    "villages": ["hub", *"abcdef"],
    "two_way": [[village.upper(), village] for village in "abcdef"]
    + [["hub", village] for village in "abcdef"],
}
VARIANTS: dict[str, dict[str, Any]] = {
    "tiles C, capped supply": {
        "tiles": "C",
        "supply": "capped",
        "extra_draws": "mandatory",
        "hand_dump": "all",
    },
    "another map": {
        "map": STAR,
        "tiles": {"bazaar": 2, "robber": 2, "customs": 1, "baksheesh": 1, "sandstorm": 1},
        "most_cards": 3,
    },
}


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("seats", [2, 5])
def test_it_plays_every_variant(chooser: Any, seats: int, rules: dict[str, Any]) -> None:
    ranks, choices = play(chooser(NAME), set(range(seats)), seats, 0, GAME.rules(rules))
    assert sorted(ranks) == list(range(1, seats + 1))
    assert len(choices) > 50


def test_it_takes_the_jewel_that_completes_most_and_sells(chooser: Any) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    state, _ = GAME.new(3, rules, bytes(32))
    state.jewels[0] = [1, 1, 0, 1, 1]
    view = state.view(0)
    legal = [[0], [2], [4]]
    assert choose({"kind": "jewel", "view": view, "legal": legal}, {"rules": rules}) == 1
    state.displays[0] = [0, 0, 0, 1, 0]
    view = {
        **state.view(0),
        "ask": {
            "kind": "sell",
            "seat": 0,
            "market": "large",
            "size": 1,
            "camel": 10,
            "declined": [],
        },
    }
    assert (
        choose({"kind": "sell", "view": view, "legal": [["sell"], ["decline"]]}, {"rules": rules})
        == 0
    )


def test_it_goes_into_a_city_where_it_gets_the_jewel_it_lacks(chooser: Any) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    state, _ = GAME.new(3, rules, bytes(32))
    seat = next(iter(state.pending()))
    board = state.ruleset.board
    state.places[0], state.targets[0] = board.index["in_Isf"], board.index["Isfahan"]
    state.displays[seat][GOOD_OF[state.camels[0][0]]] = 3
    state.jewels[seat] = [int(colour not in state.cities[state.targets[0]]) for colour in range(5)]
    goods = [good for good in range(5) if state.hands[seat][good]]
    legal = [[good, 1, *where] for good in goods for where in ((2, "in_Amr"), (1, "Isfahan"))]
    choice = choose({"kind": "move", "view": state.view(seat), "legal": legal}, {"rules": rules})
    assert legal[choice][3] == "Isfahan"
