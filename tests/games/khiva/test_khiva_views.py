"""What a seat is shown: nothing it cannot know, and all that it can.

The leak check plays two worlds side by side that differ only in what one seat cannot
know: right after a deal some cards of other hands and of those aside change places,
piles are in another order, and the secret is another. Both worlds go on with the same
moves, cards exchanged where they were; as long as that seat has seen the same, its
views and legal lists must be equal.
"""

import json
from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.games.base import seen_by
from khiva_arena.games.khiva import GAME, KhivaState
from khiva_arena.games.khiva.state import Position
from khiva_arena.games.khiva.tables import CARD_OF, CODE, LEGAL
from khiva_arena.rng import Stream

VARIANTS = [
    {},
    {"khiva_spaces": "own_tent", "overshoot": "bounce"},
    {"compensation": "per_player_turn", "gem_supply": 30},
    {"decline": "yes", "carpet_top": "colour"},
    {"end_trigger": "failed_draw", "carpets": 25},
]


class Worlds:
    """``ours`` and ``theirs``, equal for ``seat`` until ``parted``."""

    def __init__(self, seats, seat, rules, random):
        self.rules, self.seat, self.random = rules, seat, random
        self.ours, _ = GAME.new(seats, rules, random.randbytes(32))
        self.theirs = self.ours.clone()
        self.theirs.secret = random.randbytes(32)
        self.parted = False
        self.swapped = {}
        self.compared = 0
        self._exchange({card for hand in self.ours.hands for card in hand})
        self._mix_piles()

    def _exchange(self, fresh):
        """One or two pairs of freshly dealt cards that the seat cannot see change
        places in their world.
        """
        hidden = [
            c
            for s, hand in enumerate(self.ours.hands)
            if s != self.seat
            for c in hand
            if c in fresh
        ]
        if self.ours.aside and self.random.random() < 0.5:
            hidden = []
        hidden = [card for card in hidden + self.ours.aside if card not in self.swapped]
        self.random.shuffle(hidden)
        for _ in range(self.random.randint(1, 2)):
            if len(hidden) > 1:
                x, y = hidden.pop(), hidden.pop()
                self.swapped |= {x: y, y: x}
        self._redo_their_deal()

    def _redo_their_deal(self):
        self.theirs.hands = [sorted(map(self.image, hand)) for hand in self.ours.hands]
        self.theirs.aside = [self.image(card) for card in self.ours.aside]
        self.random.shuffle(self.theirs.aside)
        self.theirs.shown = self.ours.shown[:]

    def _mix_piles(self):
        """The lower half of each hidden pile is in another order; the top of their
        carpet pile keeps what can be seen.
        """
        for pile in (self.theirs.teapot_pile, self.theirs.carpet_pile):
            half = pile[: len(pile) // 2]
            self.random.shuffle(half)
            pile[: len(half)] = half

    def image(self, card):
        return self.swapped.get(card, card)

    def compare(self):
        mine, yours = self.ours.view(self.seat), self.theirs.view(self.seat)
        assert mine == yours
        assert list(mine) == list(yours)
        assert repr(mine) == repr(yours)
        assert self.ours.pending().get(self.seat) == self.theirs.pending().get(self.seat)
        assert list(self.ours.pending()) == list(self.theirs.pending())
        self.compared += 1

    def step(self):
        """One round of choices in both worlds; ``parted`` when the seat saw a
        difference.
        """
        ours = {
            seat: self._choose(seat, decision) for seat, decision in self.ours.pending().items()
        }
        theirs = {seat: self._translate(seat, choice) for seat, choice in ours.items()}
        deal = self.ours.deal
        mine, yours = (
            seen_by(self.ours.apply(ours), self.seat),
            seen_by(self.theirs.apply(theirs), self.seat),
        )
        if self.ours.deal != deal:
            mine, yours = (
                [e for e in seen if e["type"] not in ("hand", "shown")] for seen in (mine, yours)
            )
            self._redeal()
        self.parted = self.parted or mine != yours

    def _redeal(self):
        """Their redeal is made to be the image of ours, with new pairs exchanged; a
        pair that is not kept is forgotten.
        """
        kept = {card for card in range(25) if self._was_kept(card)}
        self.swapped = {x: y for x, y in self.swapped.items() if x in kept or y in kept}
        self.parted = any(
            card in self.swapped for card in (*self.ours.hands[self.seat], *self.ours.shown)
        )
        self._exchange({card for hand in self.ours.hands for card in hand} - kept)

    def _was_kept(self, card):
        """The last pass of each seat before a redeal is the card its neighbour kept."""
        k = 2 if self.ours.seats == 2 else 1
        return any(CODE[card] in passes[-k:] for passes in self.ours.passes)

    def _choose(self, seat, decision):
        """At random; the others keep exchanged cards out of sight while they can."""
        if decision.kind != "play_pass" or seat == self.seat:
            return self.random.randrange(len(decision.legal))
        hand, k = self.ours.hands[seat], len(decision.legal[0]) // 2
        to_the_seat = (seat + 1) % self.ours.seats == self.seat
        quiet = [
            i
            for i, entry in enumerate(decision.legal)
            if not any(hand[p] in self.swapped for p in (entry if to_the_seat else entry[:k]))
        ]
        return self.random.choice(quiet or range(len(decision.legal)))

    def _translate(self, seat, choice):
        decision = self.ours.pending()[seat]
        if decision.kind != "play_pass" or seat == self.seat:
            return choice
        ours, theirs, entry = self.ours.hands[seat], self.theirs.hands[seat], decision.legal[choice]
        k = len(entry) // 2
        where = [theirs.index(self.image(ours[p])) for p in entry]
        return LEGAL[self.ours.seats, len(ours)].index((*sorted(where[:k]), *sorted(where[k:])))


def play_two_worlds(seats, seat, rules, seed):
    """Returns how many times the worlds were compared."""
    worlds = Worlds(seats, seat, rules, Random(seed))
    worlds.compare()
    while not worlds.ours.is_over:
        worlds.step()
        if worlds.parted:
            break
        worlds.compare()
    return worlds.compared


PLACES = st.sampled_from([(seats, seat) for seats in (2, 3, 4, 5) for seat in range(seats)])


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(PLACES, st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_equal_observations_give_equal_views_and_legal_lists(place, given_rules, seed):
    assert play_two_worlds(*place, GAME.rules(given_rules), seed) >= 1


def test_two_worlds_stay_together_long_enough_to_mean_something():
    """Beyond a redeal in a good share of cases, else the check above would be empty."""
    for seats in (2, 3, 4, 5):
        lengths = [play_two_worlds(seats, seed % seats, GAME.rules({}), seed) for seed in range(60)]
        assert sum(length >= 12 for length in lengths) >= 6, lengths


def _order_of_aside(state, seat, view):
    view["aside"] = state.aside


def _first_card_of_the_next(state, seat, view):
    view["hands"][(seat + 1) % state.seats] += state.hands[(seat + 1) % state.seats][0]


def _bottom_teapot(state, seat, view):
    view["teapots_left"] = state.teapot_pile[:]


def _bottom_carpet(state, seat, view):
    view["carpet_top"] = state.carpet_pile[0] if state.carpet_pile else None


def _passes_of_all(state, seat, view):
    view["history"]["others"] = [passes[:] for passes in state.passes]


def _memory_of_the_next(state, seat, view):
    view["passed"] += [[0, CODE[card], []] for card in state.away[(seat + 1) % state.seats]]


def _secret(state, seat, view):
    view["turn"] += state.secret[0] << 8


def _hash_order(state, seat, view):
    view["hint"] = sum(card * 31**i for i, card in enumerate(state.hands[seat - 1])) % 2


LEAKS = [
    _order_of_aside,
    _first_card_of_the_next,
    _bottom_teapot,
    _bottom_carpet,
    _passes_of_all,
    _memory_of_the_next,
    _secret,
    _hash_order,
]


def _play_sixty():
    for seed in range(60):
        play_two_worlds(4, seed % 4, GAME.rules({}), seed)


@pytest.mark.parametrize("leak", LEAKS)
def test_the_leak_check_finds_a_leak(leak, monkeypatch):
    """A view with one more thing in it than it may have does not pass."""
    honest = KhivaState.view

    def leaky(state, seat):
        view = honest(state, seat)
        leak(state, seat, view)
        return view

    monkeypatch.setattr(KhivaState, "view", leaky)
    with pytest.raises(AssertionError):
        _play_sixty()


def states(seats, rules, seed, until=None):
    """All states of a random match."""
    random = Random(seed)
    state, _ = GAME.new(seats, rules, random.randbytes(32))
    while not state.is_over:
        yield state
        state.apply({seat: random.randrange(len(d.legal)) for seat, d in state.pending().items()})


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_passed_cards_are_where_the_view_says(seats):
    """And each card that the seat passed and has not seen since is listed."""
    hops = Counter()
    for seed in range(25):
        for state in states(seats, GAME.rules({}), seed):
            for seat in range(seats):
                view = state.view(seat)
                for turn, (colour, value), holders in view["passed"]:
                    card = CARD_OF[10 * colour + value]
                    (holder,) = (s for s, hand in enumerate(state.hands) if card in hand)
                    assert holder in holders, f"{seed=} {seat=} {turn=} {holders=}"
                    assert seat not in holders, f"{seed=} {seat=} {turn=} {holders=}"
                    assert 10 * colour + value in view["history"]["passed"], (
                        f"{seed=} {seat=} {turn=} {holders=}"
                    )
                    assert turn <= state.turn, f"{seed=} {seat=} {turn=} {holders=}"
                    hops[(holder - seat) % seats] += 1
    assert set(hops) == set(range(1, seats)), "cards were found in every other hand"


def test_the_last_pass_of_a_deal_is_known_after_the_redeal(table):
    t = table(3)
    while t.state.deal == 1:
        t.apply({0: 0, 1: 0, 2: 0})
        t.default_to_the_next_choice()
    last = t.events("pass")[-3]
    assert last["seat"] == 0
    assert [4, last["cards"][0], [1]] in t.state.view(0)["passed"]


def test_a_sample_view(table):
    t = table().hold("W5 B5 B2 G1 K1", "B4", "P3").put(G=(0, 3), B=(1, 2)).gems(2, 0, 0)
    t.play("B2", "B4", "P3", give=("W5", "", ""))
    view = t.state.view(0)
    assert view["ask"] == {
        "kind": "boost",
        "seat": 0,
        "camel": 1,
        "card": [1, 2],
        "lands": [[0, 1], [0, 2], [0, 4]],
    }
    assert view["table"] == [[[1, 2]], [[1, 4]], [[3, 3]]]
    assert view["passed"] == [[1, [0, 5], [1]]]
    assert view["history"]["played"] == [12, 14, 33]
    assert view["gems"] == [2, 1, 0]
    assert view["hands"] == [4, 4, 4]
    assert view["camels"][1][:2] == [1, 2]


@settings(max_examples=30, deadline=None)
@given(PLACES, st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_a_determinised_state_fits_the_view_and_can_be_played_to_the_end(place, given_rules, seed):
    seats, seat = place
    rules, random, stream = (
        GAME.rules(given_rules),
        Random(seed),
        Stream(seed.to_bytes(32, "big"), "determinise"),
    )
    for state in states(seats, rules, seed):
        if random.random() < 0.8:
            continue
        view = state.view(seat)
        guess = GAME.determinise(view, rules, stream)
        assert guess.view(seat) == view
        assert guess.components() == state.components()
        assert guess.pending() == state.pending()
        for _, (colour, value), holders in view["passed"]:
            assert any(CARD_OF[10 * colour + value] in guess.hands[holder] for holder in holders), (
                f"{holders=} {colour=} {value=}"
            )
        if random.random() < 0.2:
            while not guess.is_over:
                guess.apply({s: random.randrange(len(d.legal)) for s, d in guess.pending().items()})
            assert guess.components() == state.components()


def test_determinise_puts_a_hidden_card_everywhere_it_can_be():
    state, _ = GAME.new(4, GAME.rules({}), bytes(32))
    hidden = state.aside[0]
    stream = Stream(bytes(32), "spread")
    found = Counter()
    for _ in range(400):
        guess = GAME.determinise(state.view(0), GAME.rules({}), stream)
        found[next((s for s, hand in enumerate(guess.hands) if hidden in hand), -1)] += 1
    assert set(found) == {-1, 1, 2, 3}
    assert all(60 < count < 140 for count in found.values()), found


def test_determinise_five_seats_the_left_neighbour_kept_only_the_last_pass():
    """With nothing aside, a card not played in the last deal was kept, and by then it
    was past the left neighbour.
    """
    rules, stream = GAME.rules({}), Stream(bytes(32), "five")
    for seed in range(30):
        for state in states(5, rules, seed):
            if state.deal == 2:
                guess = GAME.determinise(state.view(0), rules, stream)
                redealt = set(state.played[:20])
                passed = set(state.passes[0][3:])
                kept = {code for code in CODE if code not in redealt}
                assert not {CODE[card] for card in guess.hands[1]} & (kept - passed), f"{seed=}"


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_determinise_in_mid_turn_ends_the_turn_alike(seats):
    """What is public decides how the turn goes on: also who has won a camel so far
    (O6).
    """
    rules, stream = GAME.rules({"compensation": "per_player_turn"}), Stream(bytes(32), "turn")
    compared = 0
    for seed in range(12):
        for state in states(seats, rules, seed):
            if state.offer is None:
                continue
            ours, theirs, turn = (
                state.clone(),
                GAME.determinise(state.view(0), rules, stream),
                state.turn,
            )
            while ours.offer is not None and ours.turn == turn:
                assert ours.pending() == theirs.pending(), f"{seed=}"
                answer = dict.fromkeys(ours.pending(), 0)
                ours.apply(answer)
                theirs.apply(answer)
            assert (ours.gems, ours.camels, ours.turn) == (
                theirs.gems,
                theirs.camels,
                theirs.turn,
            ), f"{seed=}"
            compared += 1
    assert compared > 100


def test_determinise_the_right_neighbour_remembers_what_it_passed_to_the_seat(table):
    t = table(3)
    t.apply({0: 0, 1: 0, 2: 0})
    t.default_to_the_next_choice()
    guess = GAME.determinise(t.state.view(0), t.rules, Stream(bytes(32), "neighbour"))
    assert guess.view(2)["passed"] == t.state.view(2)["passed"] != []
    assert guess.view(1)["history"]["received"] == t.state.view(1)["history"]["received"]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_determinise_the_right_neighbour_remembers_each_card_that_the_seat_still_holds(seats):
    """It also knows when it passed each of them, and in which order, through several
    deals.
    """
    rules, stream, remembered = GAME.rules({}), Stream(bytes(32), "giver"), Counter()
    for seed in range(3):
        for state in states(seats, rules, seed):
            for seat in range(seats):
                world = GAME.determinise(state.view(seat), rules, stream)
                held = [
                    (card, turn)
                    for card, turn in state.away[seat - 1].items()
                    if card in state.hands[seat]
                ]
                assert list(world.away[seat - 1].items()) == held, f"{seed=} {seat=} {state.turn=}"
                remembered[state.deal] += len(held)
    assert min(remembered[deal] for deal in (1, 2, 3)) > 0


def test_determinise_keeps_the_colour_of_a_visible_top_carpet():
    rules, stream = GAME.rules({"carpet_top": "colour"}), Stream(bytes(32), "top")
    for seed in range(5):
        for state in states(3, rules, seed):
            guess = GAME.determinise(state.view(1), rules, stream)
            assert [code // 10 for code in guess.carpet_pile[-1:]] == [
                code // 10 for code in state.carpet_pile[-1:]
            ], f"{seed=}"


def dealt_again(state, random):
    """The same table for all who look on: all that is hidden is somewhere else, and
    what seats remember is others'.
    """
    twin = state.clone()
    hidden = [*twin.aside, *(card for hand in twin.hands for card in hand)]
    random.shuffle(hidden)
    places = iter(hidden)
    twin.hands = [sorted(next(places) for _ in hand) for hand in twin.hands]
    twin.aside = list(places)
    random.shuffle(twin.teapot_pile)
    below = twin.carpet_pile[:-1]  # the top may be seen (O7)
    random.shuffle(below)
    twin.carpet_pile[:-1] = below
    random.shuffle(twin.passes)
    random.shuffle(twin.away)
    twin.secret = random.randbytes(32)
    return twin


def compare_public_parts(seats, rules, seed):
    random, stream = Random(seed), Stream(seed.to_bytes(32, "big"), "public")
    for state in states(seats, rules, seed):
        if random.random() < 0.8:
            continue
        public = json.dumps(state.public())
        assert public == json.dumps(dealt_again(state, random).public())
        assert public == json.dumps(
            GAME.determinise(state.view(random.randrange(seats)), rules, stream).public()
        )


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(GAME.seats), st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_what_is_public_does_not_depend_on_what_is_hidden(seats, given_rules, seed):
    compare_public_parts(seats, GAME.rules(given_rules), seed)


@pytest.mark.parametrize(
    "hidden",
    [
        lambda state: state.aside,
        lambda state: state.hands,
        lambda state: state.teapot_pile,
        lambda state: state.carpet_pile,
        lambda state: state.passes,
        lambda state: [list(away) for away in state.away],
        lambda state: state.secret[0],
    ],
)
def test_the_check_of_what_is_public_finds_what_is_not(hidden, monkeypatch):
    honest = KhivaState.public
    monkeypatch.setattr(
        KhivaState, "public", lambda state: {**honest(state), "hint": hidden(state)}
    )
    with pytest.raises(AssertionError):
        compare_public_parts(4, GAME.rules({}), 1)


def mutable(value):
    """The lists and dicts in a value, itself included."""
    if isinstance(value, list | dict):
        yield value
    for inner in (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else ()
    ):
        yield from mutable(inner)


def mutable_parts(state):
    """Of all fields except the rules and the questions, which are made once and never
    changed.
    """
    return [
        part
        for field in Position.__slots__
        if field not in ("ruleset", "asked")
        for part in mutable(getattr(state, field))
    ]


@settings(max_examples=30, deadline=None)
@given(PLACES, st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_clones_and_views_share_nothing_that_can_change(place, given_rules, seed):
    seats, seat = place
    for state in islice(states(seats, GAME.rules(given_rules), seed), seed % 4, None, 4):
        twin = state.clone()
        parts = [mutable_parts(one) for one in (state, twin)]
        parts += [
            list(mutable(made))
            for one in (state, twin)
            for made in (one.public(), one.private(seat), one.view(seat))
        ]
        assert min(map(len, parts)) > 3
        ids = Counter(id(part) for group in parts for part in group)
        assert max(ids.values()) == 1
        twin.apply(dict.fromkeys(twin.pending(), 0))
