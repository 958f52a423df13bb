"""How the shipped Khiva bots compare, over fixed deals in all seatings: the order of
the ladder, not its exact steps.

Deals and bots are functions of the seeds here, so each of these shares is a constant
and no test can fail by chance.
"""

from collections import Counter
from typing import Any

import pytest
from in_targets import in_long

from khiva_arena.games.khiva import GAME
from khiva_arena.records.replay import seeds

pytestmark = pytest.mark.slow

RUN = seeds.run_secret("strength of the shipped bots")


def ask(choose: Any, state: Any, seat: int, decision: Any, match: dict[str, Any]) -> int:
    """One choice, asked for with what the wire would bring."""
    legal = [list(entry) for entry in decision.legal]
    choice = choose(
        {"kind": decision.kind, "view": state.view(seat), "legal": legal, "events": []}, match
    )
    assert type(choice) is int
    assert 0 <= choice < len(legal)
    return choice


def play(
    choosers: list[Any], deal: int, rules: dict[str, Any]
) -> tuple[list[list[int]], list[int], list[int]]:
    """A match: the choices of each step in seat order, ranks, scores."""
    secret = seeds.seed_secret(RUN, deal)
    state, _ = GAME.new(len(choosers), rules, secret)
    hellos = [
        {
            "seat": seat,
            "seats": len(choosers),
            "rules": rules,
            "seed": seeds.seat_number(secret, f"m{deal}", seat),
        }
        for seat in range(len(choosers))
    ]
    steps = []
    while not state.is_over:
        choices = {
            s: ask(choosers[s], state, s, decision, hellos[s])
            for s, decision in state.pending().items()
        }
        steps.append(list(choices.values()))
        state.apply(choices)
    return steps, list(state.ranks), list(state.scores)


def win_share(line_up: list[Any], deals: int, rules: dict[str, Any] | None = None) -> float:
    """Share of the matches that the first bot wins, over all rotations of each deal; a
    shared win counts in parts.
    """
    rules = rules or GAME.rules({})
    seats = len(line_up)
    won = 0.0
    for deal in range(deals):
        for turn in range(seats):
            _, ranks, _ = play(
                [line_up[(seat - turn) % seats] for seat in range(seats)], deal, rules
            )
            won += (ranks[turn] == 1) / ranks.count(1)
    return won / (deals * seats)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("strong", "weak", "seats", "deals", "least"),
    [
        ("naive", "random", 3, 40, 0.5),
        ("naive", "random", 2, 40, 0.52),
        ("greedy", "random", 2, 20, 0.9),
        ("greedy", "random", 3, 30, 0.85),
        ("greedy", "random", 4, 15, 0.75),
        ("greedy", "random", 5, 15, 0.65),
        ("greedy", "naive", 3, 30, 0.7),
        ("greedy", "naive", 2, 20, 0.8),
    ],
)
def test_a_stronger_bot_wins_more(
    chooser: Any, strong: str, weak: str, seats: int, deals: int, least: float
) -> None:
    line_up = [chooser(strong)] + [chooser(weak)] * (seats - 1)
    assert win_share(line_up, deals) >= least


LONGER = [("search", 3, 20), ("search", 5, 10), ("search_deep", 3, 8)]


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seats", "deals"), [("search", 2, 20), *in_long(LONGER)])
def test_search_wins_more_than_its_share_against_greedy(
    chooser: Any, name: str, seats: int, deals: int
) -> None:
    assert win_share([chooser(name)] + [chooser("greedy")] * (seats - 1), deals) > 1.2 / seats


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_equal_seeds_views_and_legal_lists_give_equal_choices(chooser: Any, seats: int) -> None:
    names = ["search_deep", "search", "greedy", "naive", "random"][:seats]
    rules = GAME.rules({"max_turns": 2})
    first = play([chooser(name) for name in names], 1, rules)
    # New modules, nothing remembered, one seat asked before another.
    assert play([chooser(name) for name in names], 1, rules) == first


def shuffled(value: Any) -> Any:
    """The same value with the keys of every map the other way round."""
    if isinstance(value, dict):
        return {key: shuffled(item) for key, item in reversed(value.items())}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["random", "naive", "greedy", "search", "search_deep"])
def test_req_events_and_the_order_of_keys_change_nothing(chooser: Any, name: str) -> None:
    choose, rules = chooser(name), GAME.rules({})
    state, _ = GAME.new(3, rules, bytes(32))
    match = {"seat": 0, "seats": 3, "rules": rules, "seed": 77}
    kinds: Counter[str] = Counter()
    while not state.is_over and len(kinds) < 3:
        choices = {}
        for seat, decision in state.pending().items():
            asked = {
                "kind": decision.kind,
                "view": state.view(seat),
                "legal": [list(entry) for entry in decision.legal],
            }
            choices[seat] = choose({**asked, "req": 1, "events": []}, {**match, "seat": seat})
            if kinds[decision.kind] < 3:
                kinds[decision.kind] += 1
                again = shuffled({**asked, "req": 2, "events": [{"type": "later"}]})
                assert choose(again, shuffled({**match, "seat": seat})) == choices[seat]
        state.apply(choices)
    assert kinds["play_pass"]


VARIANTS: dict[str, dict[str, Any]] = {
    "declining": {
        "decline": "yes",
        "carpet_top": "colour",
        "khiva_spaces": "own_tent",
        "max_turns": 9,
    },
    "overshoot without a move": {
        "overshoot": "no_move",
        "gem_supply": 30,
        "gem_slots": [2, 2, 2, 2, 2],
        "compensation": "per_player_turn",
        "max_turns": 9,
    },
    "overshoot bounces": {
        "overshoot": "bounce",
        "carpets": 25,
        "end_trigger": "failed_draw",
        "compensation_time": "after_move",
        "max_turns": 9,
    },
}


@pytest.mark.soak
@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("seats", [5, *in_long([2])])  # all bots have a seat among five
def test_every_bot_plays_every_variant(chooser: Any, seats: int, rules: dict[str, Any]) -> None:
    names = ["search_deep", "search", "naive", "random", "greedy"][:seats]
    for deal in range(2):
        steps, ranks, _ = play(
            [chooser(name) for name in names], deal, GAME.rules(rules)
        )  # an illegal choice raises
        assert steps
        assert min(ranks) == 1
