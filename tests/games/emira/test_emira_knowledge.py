"""What a seat knows of decks, hands and goals: against all shuffles of small decks, one
by one.
"""

from collections import Counter
from itertools import permutations, product
from random import Random

import pytest

from khiva_arena.games.emira import GAME, rules, worlds
from khiva_arena.games.emira.knowledge import BOUND, FREE, Layouts
from khiva_arena.games.emira.scoring import winners
from khiva_arena.games.emira.tables import GOALS
from khiva_arena.rng import Stream

RULES = GAME.rules({})
CARDS = (0, 0, 1, 2, 3, 4)
"""Two copies of one card, which here are one kind."""


def drawn(layouts, draws=4000):
    stream = Stream(bytes(32), "drawn")
    return Counter(
        (tuple(deck), tuple(map(tuple, hands)))
        for deck, hands in (layouts.pick(stream) for _ in range(draws))
    )


def agree(found, expected):
    """As often as it is likely, by chi-square."""
    total, draws = sum(expected.values()), sum(found.values())
    assert found.keys() <= expected.keys()
    spread = sum(
        (found[key] - draws * n / total) ** 2 / (draws * n / total) for key, n in expected.items()
    )
    freedom = len(expected) - 1
    assert freedom > 3
    assert abs(spread - freedom) < 4 * (2 * freedom) ** 0.5


def test_what_another_kept_of_cards_that_the_seat_had_seen():
    """The seat buys and puts two cards under; another looks at the top three, at these
    two and one more; then it plays a 0.
    """
    layouts = Layouts((FREE,) * 5, ((), (FREE,)), Counter(CARDS), lambda card: True)
    layouts.keep_own(2, [0, 1])  # of three; left: two unknown, then 0, 1
    layouts.keep(1, 3)
    layouts.play(1, 0)
    expected = Counter()
    for hand, *deck in permutations(range(6)):
        kind = [CARDS[card] for card in deck]
        for own in range(3):
            if [kind[own], *kind[:own], *kind[own + 1 : 3]] != [2, 0, 1]:
                continue
            left = deck[3:] + [deck[i] for i in range(3) if i != own]
            for kept in range(3):
                holds = [hand, left[kept]]
                rest = left[3:] + [left[i] for i in range(3) if i != kept]
                for played in range(2):
                    if CARDS[holds[played]] == 0:
                        key = tuple(CARDS[card] for card in rest), ((), (CARDS[holds[1 - played]],))
                        expected[key] += 1
    agree(drawn(layouts), expected)


def test_a_new_order_that_nobody_saw_and_cards_of_a_sort():
    """The first two of five cards are small; the seat sees the first; another reorders
    the top three; one is drawn.
    """
    cards = (1, 2, 3, 4, 8, 9)

    def small(card):
        return card < 5

    layouts = Layouts((BOUND, BOUND, FREE, FREE, FREE, FREE), (), Counter(cards), small)
    layouts.see(0, 3)
    layouts.order(3, None)
    layouts.draw(1)
    layouts.put_under([1])
    layouts.is_of_sort(1)
    expected = Counter()
    for deck in permutations(cards):
        if small(deck[0]) and small(deck[1]) and deck[0] == 3:
            for order in permutations(range(3)):
                new = [*(deck[i] for i in order), *deck[3:]]
                if new[0] == 1 and small(new[2]):
                    expected[(*new[1:], 1), ()] += 1
    agree(drawn(layouts), expected)


def test_five_cards_put_under_in_an_unknown_order_lie_in_any_of_the_120_orders():
    """The first that is drawn of them is known then; another seat has laid the three on
    top in a new order before.
    """
    layouts = Layouts((FREE,), (), Counter((9,)), lambda card: True)
    layouts.put_under([1, 2, 3, 4, 5])
    agree(drawn(layouts), Counter(((9, *order), ()) for order in permutations((1, 2, 3, 4, 5))))
    layouts.order(3, None)
    layouts.draw(4)
    expected = Counter()
    for order in permutations((1, 2, 3, 4, 5)):
        deck = 9, *order
        for new in permutations(deck[:3]):
            if new[0] == 4:
                expected[(*new[1:], *deck[3:]), ()] += 1
    agree(drawn(layouts), expected)


def test_a_card_that_lies_turned_is_known_by_that_wherever_it_is_laid():
    layouts = Layouts((FREE,) * 4, (), Counter((1, 2, 3, 9)), lambda card: card < 9)
    layouts.see(0, 2)
    layouts.turn(0)
    layouts.order(3, None)
    layouts.lie_turned([1])
    found = drawn(layouts)
    assert {deck[1] for deck, _ in found} == {2}
    agree(found, Counter(((a, 2, b, c), ()) for a, b, c in permutations((1, 3, 9))))


def test_when_what_really_is_has_been_left_out_all_is_forgotten():
    layouts = Layouts((1, 2, FREE), (), Counter((1, 2, 3)), lambda card: True)
    layouts.draw(3)
    assert [sorted(deck) for deck, _ in [layouts.pick(Stream(bytes(32), "forgotten"))]] == [[1, 2]]


@pytest.mark.slow
def test_E32_goals_with_which_a_seat_would_have_won_are_left_out(monkeypatch):
    """The oracle gives each seat each goal at the end of each round, and asks who
    wins.
    """
    end_round, would_have_won, left_out = rules._end_round, [], 0

    def with_each_goal(pos, log):
        own = list(pos.goals)
        for seat, goal in product(range(pos.seats), range(len(GOALS[pos.seats]))):
            pos.goals[seat] = goal
            if winners(pos) >> seat & 1:
                would_have_won[seat].add(goal)
            pos.goals[seat] = own[seat]
        end_round(pos, log)

    monkeypatch.setattr(rules, "_end_round", with_each_goal)
    for seed in range(160):
        random, checked_round = Random(seed), 1
        state, _ = GAME.new(5, RULES, random.randbytes(32))
        would_have_won[:] = [set() for _ in range(5)]
        while not state.is_over:
            if state.round > checked_round and (any(would_have_won[1:]) or state.round % 10 == 0):
                checked_round, left_out = state.round, left_out + any(would_have_won[1:])
                others = [set(range(7)) - out for out in would_have_won[1:]]
                expected = [
                    goals for goals in product([state.goals[0]], *others) if len(set(goals)) == 5
                ]
                assert worlds.possible_goals(state.view(0)) == expected, f"{seed=} {state.round=}"
            state.apply(
                {
                    seat: random.randrange(len(decision.legal))
                    for seat, decision in state.pending().items()
                }
            )
    assert left_out > 100
    assert len(GOALS[5]) == 7
