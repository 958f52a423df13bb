"""The searching bot of Silk Road: fit to be replayed, and stronger than the greedy one
whose opinion it begins with.
"""

import pytest
from bots_here import play_here

from khiva_arena.games.silk_road import GAME
from khiva_arena.records.replay import seeds

pytestmark = pytest.mark.slow

NAME, GREEDY = "search_silk_road", "greedy_silk_road"
RUN = seeds.run_secret("strength of the searching bot of Silk Road")


def play(choosers, rules, deal):
    return play_here(GAME, choosers, rules, RUN, deal)


@pytest.mark.parametrize(
    "given", [{"max_turns": 5}, {"max_turns": 4, "extra_draws": "mandatory", "supply": "capped"}]
)
def test_equal_seeds_views_and_legal_lists_give_equal_choices(chooser, given):
    rules = GAME.rules(given)
    first = play([chooser(NAME), chooser(GREEDY), chooser(NAME)], rules, 1)
    assert play([chooser(NAME), chooser(GREEDY), chooser(NAME)], rules, 1) == first


@pytest.mark.soak
def test_it_does_not_always_choose_what_the_greedy_bot_does(chooser):
    rules = GAME.rules({"max_turns": 12})
    assert play([chooser(NAME)] * 3, rules, 2)[0] != play([chooser(GREEDY)] * 3, rules, 2)[0]


@pytest.mark.soak
@pytest.mark.long
def test_it_finishes_ahead_of_greedy_ones(chooser):
    """Over fixed deals in all seatings, so a constant."""
    rules, points, deals = GAME.rules({}), 0.0, 8
    for deal in range(deals):
        for seat in range(3):
            _, ranks = play([chooser(NAME if s == seat else GREEDY) for s in range(3)], rules, deal)
            points += sum(ranks[seat] < ranks[other] for other in range(3) if other != seat) / 2
    assert points / (3 * deals) > 0.6
