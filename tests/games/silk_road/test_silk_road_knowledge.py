"""What others may have drawn: each order of the piles that fits what was seen is equally likely."""

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.knowledge import LARGE, _Walk, imagine, trail
from khiva_arena.rng import Stream

RULES = GAME.rules({})


def seen_at(seats, seed, codes, seat=0):
    """A random match, when so many codes of the traffic are there."""
    random = Random(seed)
    state, _ = GAME.new(seats, RULES, random.randbytes(32))
    while len(state.traffic) < codes:
        state.apply({s: random.randrange(len(decision.legal)) for s, decision in state.pending().items()})
    return trail(state.view(seat))


def by_enumeration(seen):
    """By the hands of the others: how likely they are, from all ways to fill the slots with cards, one pile."""
    (pile,) = seen.piles
    ways = Counter()
    for goods in product(range(5), repeat=len(seen.slots)):
        left, weight = Counter(pile), 1
        for good in goods:
            weight *= left[good]
            left[good] -= 1
        hands = weight and [hand_of(steps, goods) for steps in seen.hands]
        if weight and None not in hands:
            ways[tuple(map(tuple, hands))] += weight
    total = sum(ways.values())
    return {hands: Fraction(count, total) for hands, count in ways.items()}


def hand_of(steps, goods):
    hand = [0] * 5
    for step in steps:
        good = goods[step] if 0 <= step < LARGE else step - LARGE if step >= LARGE else -1 - step
        hand[good] += 1 if step >= 0 else -1
        if hand[good] < 0:
            return None
    return hand


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "codes", "seed"), [(2, 12, 1), (2, 14, 4), (2, 16, 5)])
def test_worlds_are_as_often_as_they_are_likely(seats, codes, seed):
    seen = seen_at(seats, seed, codes)
    assert any(step < 0 for step in seen.hands[1])
    expected = by_enumeration(seen)
    draws, stream = 3000, Stream(bytes(32), "worlds")
    drawn = Counter(tuple(map(tuple, imagine(seen, stream).hands)) for _ in range(draws))
    assert drawn.keys() <= expected.keys()
    often = {hands: p for hands, p in expected.items() if draws * p >= 5}
    spread = sum((drawn[hands] - draws * p) ** 2 / (draws * p) for hands, p in often.items())
    assert len(often) > 10
    assert abs(float(spread) - len(often)) < 4 * (2 * len(often)) ** 0.5


def test_what_really_happened_is_possible():
    """The filling of the slots as it was gives no card that was not there."""
    for seed in range(4):
        random = Random(seed)
        state, _ = GAME.new(4, RULES, random.randbytes(32))
        while not state.is_over:
            if random.random() < 0.1:
                seen = trail(state.view(2))
                cards, drawn = [[] for _ in seen.piles], [iter(goods) for goods in state.drawn]
                for seat, pile in seen.slots:
                    cards[pile].append(next(drawn[seat]))
                cards[-1] += state.pile
                assert [sorted(pile) for pile in cards] == [sorted(pile) for pile in seen.piles]
                assert not any(_Walk(seen, cards).amiss)
            state.apply({s: random.randrange(len(decision.legal)) for s, decision in state.pending().items()})
