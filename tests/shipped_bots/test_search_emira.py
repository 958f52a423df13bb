"""The searching bot of Emira: fit to be replayed, a bidder by the same rule as the
greedy one, and stronger than it.
"""

import pytest
from bots_here import play_here

from khiva_arena.games.emira import GAME
from khiva_arena.records.replay import seeds

pytestmark = pytest.mark.slow

NAME, GREEDY = "search_emira", "greedy_emira"
RUN = seeds.run_secret("strength of the searching bot of Emira")


def play(choosers, rules, deal):
    return play_here(GAME, choosers, rules, RUN, deal)


@pytest.mark.parametrize(
    ("seats", "given"),
    [
        (3, {"max_rounds": 3}),
        (
            4,
            {
                "max_rounds": 2,
                "mode": "advanced",
                "gold": "hidden",
                "undecided": "always",
                "bazaar_noble": "extra",
            },
        ),
        (
            5,
            {
                "max_rounds": 2,
                "mode": "advanced",
                "symbols": "none",
                "grant_timing": "serving",
                "bonus_counters": "twelve",
            },
        ),
    ],
)
def test_equal_seeds_views_and_legal_lists_give_equal_choices(chooser, seats, given):
    rules = GAME.rules(given)
    others = [chooser(GREEDY)] * (seats - 1)
    first = play([chooser(NAME), *others], rules, 1)
    assert play([chooser(NAME), *others], rules, 1) == first


def test_it_chooses_otherwise_than_its_policy_alone(chooser):
    """Which it would not if it did not search, or if all worlds were alike to it."""
    rules, search = GAME.rules({"max_rounds": 3}), chooser(NAME)
    parts = search.__globals__

    def policy(decide, match):
        return parts["policy"].choose(decide, match, parts["WEIGHTS"])

    assert play([search] * 3, rules, 2)[0] != play([policy] * 3, rules, 2)[0]


@pytest.mark.parametrize(
    ("seats", "given"),
    [(3, {}), (4, {"mode": "advanced", "bazaar_noble": "extra"}), (5, {"gold": "hidden"})],
)
def test_the_quick_player_answers_as_the_policy_does(chooser, seats, given):
    """In each question of a match, with what it remembers of the auction so far."""
    parts = chooser(NAME).__globals__
    weights = [parts["WEIGHTS"], *[parts["GREEDY"]] * (seats - 1)]
    rules = GAME.rules({**given, "max_rounds": 12})
    quick = parts["Player"](rules, weights)
    state, _ = GAME.new(seats, rules, seeds.seed_secret(RUN, 3))
    while not state.is_over:
        choices = {seat: quick(state, seat, asked) for seat, asked in state.pending().items()}
        for seat, asked in state.pending().items():
            decide = {"kind": asked.kind, "view": state.view(seat), "legal": asked.legal}
            assert parts["policy"].choose(decide, {"rules": rules}, weights[seat]) == choices[seat]
        state.apply(choices)
    assert state.round > 3


@pytest.mark.soak
@pytest.mark.long
def test_it_finishes_ahead_of_greedy_ones(chooser):
    """Over fixed deals in all seatings, so a constant."""
    rules, points, deals = GAME.rules({}), 0.0, 6
    for deal in range(deals):
        for seat in range(3):
            _, ranks = play([chooser(NAME if s == seat else GREEDY) for s in range(3)], rules, deal)
            points += sum((ranks[seat] < rank) - (ranks[seat] > rank) for rank in ranks) / 2
    assert points / (3 * deals) > 0.3
