"""Worlds that a view allows: each way in which the cards can have been dealt and passed
counts once.

The oracle undoes turn after turn in every way, card by card, with nothing left out that
cannot matter.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, count, islice, product
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_targets import in_long

from khiva_arena.games.khiva import GAME, knowledge, worlds
from khiva_arena.games.khiva.tables import CARD_OF, KEPT, TURNS_PER_DEAL
from khiva_arena.rng import Stream

RULES = GAME.rules({})


class Memory(NamedTuple):
    """What a seat has seen of the cards, read from the match itself; turns count from
    the first of the match.
    """

    seats: int
    seat: int
    deal: int
    hand: frozenset[int]
    played: tuple[tuple[int, ...], ...]
    """By turn: what all played, in it seat by seat."""
    passed: tuple[frozenset[int], ...]
    received: tuple[frozenset[int], ...]

    def deal_before(self):
        """Return what the seat had seen when the deal before ended, with the cards that
        it kept as its hand.
        """
        turns = (self.deal - 1) * TURNS_PER_DEAL[self.seats]
        hand, cut = self.received[turns - 1], slice(turns)
        return self._replace(
            deal=self.deal - 1,
            hand=hand,
            played=self.played[cut],
            passed=self.passed[cut],
            received=self.received[cut],
        )


def seen_at(seats, seed, turns, seat=0):
    """Play a match at random to the middle of a turn; return it, and what a seat has
    seen by then.
    """
    random = Random(seed)
    state, _ = GAME.new(seats, RULES, random.randbytes(32))
    while not state.is_over and not (state.offer and state.turn == turns):
        state.apply(
            {s: random.randrange(len(decision.legal)) for s, decision in state.pending().items()}
        )
    each = KEPT[seats]

    def by_turn(codes, count):
        return [
            tuple(CARD_OF[code] for code in codes[i : i + count])
            for i in range(0, len(codes), count)
        ]

    passed, received = (
        tuple(map(frozenset, by_turn(state.passes[s], each))) for s in (seat, seat - 1)
    )
    played = tuple(by_turn(state.played, each * seats))
    return state, Memory(
        seats, seat, state.deal, frozenset(state.hands[seat]), played, passed, received
    )


def undone(seen, rows):
    """In how many ways the others can have come to hold these cards: by every pass,
    back to the first deal.
    """
    each, others = (
        KEPT[seen.seats],
        [(seen.seat + 1 + row) % seen.seats for row in range(seen.seats - 1)],
    )
    first = (seen.deal - 1) * TURNS_PER_DEAL[seen.seats]

    @cache
    def before(turn, rows, own):
        if any(own & row for row in rows) or any(a & b for a, b in combinations(rows, 2)):
            return 0
        if turn == first:
            return dealt(rows, own)
        played, passed, received = (
            seen.played[turn - 1],
            seen.passed[turn - 1],
            seen.received[turn - 1],
        )
        mine = (own - received) | passed | {*played[seen.seat * each : (seen.seat + 1) * each]}
        if not passed <= rows[0] or not received <= own:
            return 0
        total = 0
        for back in product(*(sorted(row) for row in rows[1:])):
            given = [{card} for card in back] + [received]
            came = [passed, *({card} for card in back)]
            held = [
                (row - came[i]) | given[i] | {*played[seat * each : (seat + 1) * each]}
                for i, (row, seat) in enumerate(zip(rows, others, strict=True))
            ]
            total += before(turn - 1, tuple(map(frozenset, held)), frozenset(mine))
        return total

    def dealt(rows, own):
        if seen.deal == 1:
            return 1
        earlier = seen.deal_before()
        gone = {
            card for cards in earlier.played[first - TURNS_PER_DEAL[seen.seats] :] for card in cards
        }
        if not earlier.hand <= own or not earlier.passed[-1] <= rows[0]:
            return 0
        kept = product(
            *(sorted(row - gone - earlier.passed[-1] - earlier.hand) for row in rows[1:])
        )
        return sum(
            remembered(earlier, (earlier.passed[-1], *(frozenset({card}) for card in cards)))
            for cards in kept
        )

    return before(len(seen.played), rows, seen.hand)


@cache
def remembered(seen, rows):
    return undone(seen, rows)


def hidden_from(state, seat):
    return [
        *state.aside,
        *(card for s, hand in enumerate(state.hands) if s != seat for card in hand),
    ]


def deals(cards, sizes):
    """All ways to deal hands of these sizes."""
    if not sizes:
        yield ()
        return
    for hand in combinations(cards, sizes[0]):
        for rest in deals([card for card in cards if card not in hand], sizes[1:]):
            yield (frozenset(hand), *rest)


def by_oracle(state, seen):
    """By the hands of the others, row by row: how likely they are."""
    sizes = [len(state.hands[(seen.seat + 1 + row) % seen.seats]) for row in range(seen.seats - 1)]
    ways = {
        rows: undone(seen, rows) for rows in deals(sorted(hidden_from(state, seen.seat)), sizes)
    }
    total = sum(ways.values())
    return {rows: Fraction(count, total) for rows, count in ways.items() if count}


def by_knowledge(state, seen):
    """The same from what ``placings`` found: the traced cards there, and each deal of
    the others equally likely.
    """
    totals, found = knowledge.placings(worlds._seen(state.view(seen.seat)))
    hidden = sorted(hidden_from(state, seen.seat))
    result = Counter()
    for before, after, placed in zip([0, *totals], totals, found, strict=False):
        rest = [card for card in hidden if card not in dict(placed)]
        rows = [{card for card, at in placed if at == row} for row in range(seen.seats - 1)]
        sizes = [
            len(state.hands[(seen.seat + 1 + row) % seen.seats]) - len(held)
            for row, held in enumerate(rows)
        ]
        each = list(deals(rest, sizes))
        for more in each:
            key = tuple(frozenset(held) | extra for held, extra in zip(rows, more, strict=True))
            result[key] += Fraction(after - before, totals[-1] * len(each))
    return dict(result)


CASES = [(2, 2), (2, 5), (2, 8), (3, 4), (3, 12), (4, 4)]
MORE_TURNS = [(3, 7), (3, 8), (3, 11), (4, 8), (4, 12), (5, 4), (5, 8)]
POSITIONS = 20


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "turns"), [*CASES, *in_long(MORE_TURNS)])
def test_each_way_counts_once(seats, turns):
    going = (
        place
        for seed in count()
        for place in [seen_at(seats, seed, turns, seed % seats)]
        if not place[0].is_over
    )
    for state, seen in islice(going, POSITIONS):
        assert by_knowledge(state, seen) == by_oracle(state, seen)
        remembered.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "seed", "turns"), [(3, 4, 11), (3, 15, 11), (4, 44, 12), (4, 62, 12), (5, 70, 12)]
)
def test_each_way_counts_once_through_two_redeals(seats, seed, turns):
    """In few random positions does it matter which cards others kept at the first
    redeal; in these it does.
    """
    state, seen = seen_at(seats, seed, turns, seed % seats)
    assert seen.deal == 3
    assert by_knowledge(state, seen) == by_oracle(state, seen)
    remembered.cache_clear()


@pytest.mark.parametrize(
    ("seats", "seed", "turns", "different"), [(5, 7, 4, 4), (4, 10, 4, 12), (3, 4, 7, 33)]
)
def test_worlds_are_drawn_as_often_as_they_are_likely(seats, seed, turns, different):
    """In which they are not equally likely."""
    state, seen = seen_at(seats, seed, turns)
    expected = by_oracle(state, seen)
    assert len(expected) == different
    assert len(set(expected.values())) > 1
    view, stream, draws = state.view(0), Stream(bytes(32), "worlds"), 3000
    drawn = Counter(
        tuple(map(frozenset, GAME.determinise(view, RULES, stream).hands[1:])) for _ in range(draws)
    )
    assert drawn.keys() == expected.keys()
    spread = sum((drawn[key] - draws * p) ** 2 / (draws * p) for key, p in expected.items())
    freedom = len(expected) - 1
    assert abs(float(spread) - freedom) < 4 * (2 * freedom) ** 0.5


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([3, 4, 5]), st.integers(0, 2**32))
def test_what_really_happened_is_always_possible(seats, seed):
    random = Random(seed)
    state, _ = GAME.new(seats, RULES, random.randbytes(32))
    while not state.is_over:
        if random.random() < 0.15:
            seat = random.randrange(seats)
            _, found = knowledge.placings(worlds._seen(state.view(seat)))
            holders = {card: holder for holder, hand in enumerate(state.hands) for card in hand}
            real = [
                all(holders.get(card) == (seat + 1 + row) % seats for card, row in placed)
                for placed in found
            ]
            assert any(real)
        state.apply(
            {s: random.randrange(len(decision.legal)) for s, decision in state.pending().items()}
        )


def by_placing(seen):
    """Return the likelihood of each placing of the traced cards, worked out anew."""
    knowledge._kept.cache_clear()
    totals, choices = knowledge.placings(seen)
    likely = Counter()
    for total, before, placing in zip(totals, [0, *totals], choices, strict=False):
        likely[placing] += Fraction(total - before, totals[-1])
    return likely


@pytest.mark.slow
def test_weights_are_cut_to_their_leading_bits_and_hardly_change(monkeypatch):
    """Ten deals of four seats have weights above the 40 bits to which they are cut;
    five deals exceed fewer bits.
    """
    rules = GAME.rules(
        {
            "gem_supply": "unlimited",
            "overshoot": "no_move",
            "khiva_spaces": "skip",
            "end_trigger": "pile_empty",
        }
    )
    changed = 0
    for seed in range(60):
        state, lots = GAME.new(4, rules, Random(seed).randbytes(32))[0], Random(seed)
        while not state.is_over and state.deal < 5:
            state.apply(
                {seat: lots.randrange(len(asked.legal)) for seat, asked in state.pending().items()}
            )
        if state.is_over:
            continue
        seen = worlds._seen(state.view(lots.randrange(4)))
        monkeypatch.setattr(knowledge, "MOST", 500)
        monkeypatch.setattr(knowledge, "WEIGHT_BITS", 500)
        exact = by_placing(seen)
        for bits in (5, 8, 11):
            monkeypatch.setattr(knowledge, "WEIGHT_BITS", bits)
            cut = by_placing(seen)
            changed += cut != exact
            assert sum(
                abs(exact[placing] - cut[placing]) for placing in {*exact, *cut}
            ) < 4 * Fraction(1, 2**bits)
        knowledge._kept.cache_clear()
    assert changed > 6
