"""What a seat is shown: nothing it cannot know, and all that it can.

The leak check plays two worlds side by side that differ only in what one seat cannot
know: cards of other hands and of the pile change places, the pile is in another order,
the bag too, and the secret is another. Both worlds go on with the same choices; as long
as that seat has seen the same, its views and legal lists must be equal.
"""

from collections import Counter
from random import Random

import msgpack
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from khiva_arena.games.base import seen_by
from khiva_arena.games.silk_road import GAME, SilkRoadState
from khiva_arena.games.silk_road.board import MAPS

VARIANTS = {
    "default": {},
    "a reshuffle when needed": {"reshuffle": "when_needed", "discard_order": "canonical"},
    "tiles C, capped supply": {"supply": "capped", "extra_draws": "mandatory", "tiles": "C"},
    "optional baksheesh": {
        "baksheesh": "optional",
        "hand_dump": "all",
        "tiles": {"camels_3": 12, "customs": 4, "baksheesh": 6},
    },
}


class Worlds:
    """``ours`` and ``theirs``, equal for ``seat`` until ``parted``."""

    def __init__(self, seats, seat, rules, random, skip):
        self.seat, self.random = seat, random
        self.ours, _ = GAME.new(seats, rules, random.randbytes(32))
        for _ in range(skip):
            if not self.ours.is_over:
                self.ours.apply(
                    {s: random.randrange(len(d.legal)) for s, d in self.ours.pending().items()}
                )
        self.theirs = self.ours.clone()
        self.theirs.secret = random.randbytes(32)
        self.parted = False
        self.compared = 0
        random.shuffle(self.theirs.bag)
        for _ in range(random.randint(1, 3)):
            self._exchange()
        lower = self.theirs.pile[: len(self.theirs.pile) // 2]
        random.shuffle(lower)
        self.theirs.pile[: len(lower)] = lower

    def _exchange(self):
        """A card that another hand drew from the pile since its last shuffle changes
        places with one of the lower pile, so that what the pile can have held stays
        true; not while its owner is asked, for its question is its own.
        """
        them, random = self.theirs, self.random
        seats = [s for s in range(them.seats) if s != self.seat and s not in them.pending()]
        if not seats or not them.pile:
            return
        other = random.choice(seats)
        loose = [
            g
            for g in range(5)
            if min(them.hands[other][g] - them.known[other][g], them.fresh[other][g]) > 0
        ]
        if not loose:
            return
        mine, i = random.choice(loose), random.randrange((len(them.pile) + 1) // 2)
        theirs = them.pile[i]
        them.pile[i] = mine
        for counts in (them.hands[other], them.fresh[other]):
            counts[mine] -= 1
            counts[theirs] += 1
        drawn = them.drawn[other]
        drawn[len(drawn) - 1 - drawn[::-1].index(mine)] = theirs

    def compare(self):
        mine, yours = self.ours.view(self.seat), self.theirs.view(self.seat)
        assert mine == yours
        assert repr(mine) == repr(yours)
        assert list(self.ours.pending()) == list(self.theirs.pending())
        assert self.ours.pending().get(self.seat) == self.theirs.pending().get(self.seat)
        self.compared += 1

    def step(self):
        """One choice in both worlds; ``parted`` when the seat saw a difference, or when
        others have nothing in common to do.
        """
        ((seat, ours),) = self.ours.pending().items()
        ((_, theirs),) = self.theirs.pending().items()
        common = [entry for entry in ours.legal if entry in theirs.legal]
        if not common or ours.kind != theirs.kind:
            self.parted = True
            return
        entry = self.random.choice(common)
        mine = seen_by(self.ours.apply({seat: ours.legal.index(entry)}), self.seat)
        yours = seen_by(self.theirs.apply({seat: theirs.legal.index(entry)}), self.seat)
        self.parted = mine != yours or list(self.ours.pending()) != list(self.theirs.pending())


def play_two_worlds(seats, seat, rules, seed):
    """Returns how many times the worlds were compared."""
    random = Random(seed)
    worlds = Worlds(seats, seat, rules, random, random.randint(0, 200))
    while not worlds.ours.is_over and not worlds.parted:
        worlds.compare()
        worlds.step()
    return worlds.compared


PLACES = st.sampled_from([(seats, seat) for seats in (2, 3, 4, 5) for seat in range(seats)])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(PLACES, st.sampled_from(list(VARIANTS.values())), st.integers(0, 2**32))
def test_equal_observations_give_equal_views_and_legal_lists(place, given_rules, seed):
    assume(
        play_two_worlds(*place, GAME.rules(given_rules), seed) > 0
    )  # else the match was over before the worlds parted


@pytest.mark.slow
def test_two_worlds_stay_together_long_enough_to_mean_something():
    """And their hands do differ, else the check above would be empty."""
    rules = GAME.rules({})
    for seats in (2, 3, 4, 5):
        lengths = [play_two_worlds(seats, seed % seats, rules, seed) for seed in range(40)]
        assert sum(length >= 10 for length in lengths) >= 10, lengths
        worlds = [Worlds(seats, seed % seats, rules, Random(seed), 30) for seed in range(40)]
        assert sum(w.ours.hands != w.theirs.hands for w in worlds) >= 12


def _play_forty():
    for seed in range(40):
        play_two_worlds(4, seed % 4, GAME.rules({}), seed)


def _other_hand(state, seat, view):
    view["known"][seat - 1] = state.hands[seat - 1]


def _order_of_pile(state, seat, view):
    view["pile"] = state.pile[:]


def _pile_by_good(state, seat, view):
    view["pool"] = [state.pile.count(good) for good in range(5)]


def _bag_order(state, seat, view):
    view["bag"] = state.bag[:]


def _all_drawn(state, seat, view):
    view["history"]["drawn"] = [drawn[:] for drawn in state.drawn]


def _secret(state, seat, view):
    view["turn"] += state.secret[0] << 8


@pytest.mark.parametrize(
    "leak", [_other_hand, _order_of_pile, _pile_by_good, _bag_order, _all_drawn, _secret]
)
def test_the_leak_check_finds_a_leak(leak, monkeypatch):
    """A view with one more thing in it than it may have does not pass."""
    honest = SilkRoadState.view

    def leaky(state, seat):
        view = honest(state, seat)
        leak(state, seat, view)
        return view

    monkeypatch.setattr(SilkRoadState, "view", leaky)
    with pytest.raises(AssertionError):
        _play_forty()


def states(seats, rules, seed):
    """All states of a random match, with the events seen before each."""
    random = Random(seed)
    state, events = GAME.new(seats, rules, random.randbytes(32))
    seen = list(events)
    while not state.is_over:
        yield state, seen
        seen += state.apply(
            {seat: random.randrange(len(d.legal)) for seat, d in state.pending().items()}
        )


@pytest.mark.slow
@pytest.mark.parametrize("given_rules", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("seats", [2, 5])
def test_counts_in_the_view_agree_with_what_is_hidden(seats, given_rules):
    for state, _ in states(seats, GAME.rules(given_rules), seats):
        pile = Counter(state.pile)
        for seat in range(seats):
            view = state.view(seat)
            hidden = Counter(pile)
            for other in range(seats):
                assert all(
                    0 <= known <= held
                    for known, held in zip(view["known"][other], state.hands[other], strict=True)
                ), f"{seat=}"
                if other != seat:
                    hidden.update(
                        {g: state.hands[other][g] - view["known"][other][g] for g in range(5)}
                    )
            assert view["unseen"] == [hidden[good] for good in range(5)], f"{seat=}"
            # The pool is the pile and what the others drew of it.
            drawn = [
                sum(state.fresh[other][g] for other in range(seats) if other != seat)
                for g in range(5)
            ]
            assert view["pool"] == [pile[good] + drawn[good] for good in range(5)], f"{seat=}"
            assert sum(view["bag"]) == len(state.bag), f"{seat=}"


def replayed(view, seats):
    """Hands, pile and reshuffles as ``history`` tells them: what a bot could rebuild
    from it alone.
    """
    sizes, pile, taken, shuffles = [4] * seats, 70 - 4 * seats, [Counter() for _ in range(seats)], 0
    blind, discards = [0] * seats, list(view["history"]["shuffles"])
    for code in view["history"]["cards"]:
        if code >= 100:
            if code == 105:
                pile += sum(discards[shuffles])
                shuffles += 1
            else:
                pile -= 1
            continue
        seat, what = divmod(code, 20)
        if what < 5:
            sizes[seat] += 1
            taken[seat][what] += 1
        elif what < 10:
            sizes[seat] -= 1
            taken[seat][what - 5] -= 1
        else:
            sizes[seat] += 1
            pile -= 1
            blind[seat] += 1
    return sizes, pile, taken, blind


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_history_tells_all_that_went_to_and_from_hands_and_pile(seats):
    for state, _ in states(seats, GAME.rules({}), seats):
        for seat in range(seats):
            view = state.view(seat)
            sizes, pile, taken, blind = replayed(view, seats)
            assert (sizes, pile) == (view["hands"], view["pile"]), f"{seat=}"
            own = Counter(view["history"]["drawn"])
            assert [own[good] + taken[seat][good] for good in range(5)] == view["hand"], f"{seat=}"
            assert len(view["history"]["drawn"]) == 4 + blind[seat], f"{seat=}"


def test_a_reshuffle_tells_what_the_pile_holds(table):
    t = table(2).deal(hands=["1T", "1T"], discard="IIS").pile("K").start(0)
    t.play(4, 1, 1, "r6")
    t.play("pile")
    view = t.state.view(1)
    assert view["history"]["shuffles"] == [[2, 1, 0, 0, 0]]
    assert [sum(view["pool"]), 105 in view["history"]["cards"]] == [
        3 - sum(t.state.view(1)["open"]) + 3,
        True,
    ]


def test_known_cards_of_a_hand(table):
    t = (
        table(3)
        .deal(hands=["1T 1I", "1S", "1P"], open="2K 1P", top="KI")
        .tile("r6", "customs")
        .tile("r8", "sandstorm")
        .start(0)
    )
    t.play(4, 1, 1, "r6")
    t.play(3)
    assert t.state.view(1)["known"][0] == [0, 0, 0, 1, 0]
    assert t.state.view(0)["known"][0] == [1, 0, 0, 1, 0]
    t.default_until("move").start(0)
    t.play(3, 1, 1, "r7")
    assert t.state.view(1)["known"][0] == [0] * 5


def test_a_sample_view(table):
    """Each list in no order, no two of them alike, hardly a zero where a number can
    stand: every key shows what it is.
    """
    t = (
        table(3, supply="capped", layout="fixed")
        .drivers(4, 1, 5)
        .caravan(2, "r2", "Chang'an", [9, 7])
        .queue(10, 2, 5, 1)
    )
    t.deal(
        hands=["2T 1K", "3S 1I", "3S 2P"],
        displays=["1I", "2K 1P", "3T"],
        open="2I 1P",
        discard="PIS",
    )
    t.jewels(Isfahan="V", Changan="RY", Byzanz="GBG")
    state = t.state
    state.bag, state.removed = [3, 0, 1, 0, 4], [1, 0, 1, 0, 2]
    state.jewels = [[0, 0, 0, 2, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 0]]
    state.colourless, state.markers = [1, 0, 2], [0, 3, 1]
    state.known = [[0, 0, 0, 1, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 0]]
    state.drawn, state.fresh = (
        [[4, 3, 4], [1, 0, 4], [1, 2, 1]],
        [[0, 0, 0, 0, 2], [1, 1, 0, 0, 0], [0, 2, 0, 0, 0]],
    )
    state.pool, state.shuffles, state.traffic = (
        [9, 8, 7, 6, 5],
        [[2, 1, 4, 3, 5], [4, 6, 2, 8, 3]],
        [105, 3, 21, 21, 42],
    )
    state.turn = 6
    t.start(2).play(1, 2, 1, "r7")
    state.idle = 1
    assert state.view(1) == {
        "seat": 1,
        "seats": 3,
        "turn": 7,
        "active": 2,
        "hand": [1, 3, 0, 0, 0],
        "hands": [3, 4, 3],
        "known": [[0, 0, 0, 1, 0], [1, 3, 0, 0, 0], [0, 0, 1, 0, 0]],
        "displays": [[1, 0, 0, 0, 0], [0, 0, 1, 2, 0], [0, 2, 0, 0, 3]],
        "open": [2, 0, 1, 0, 0],
        "pile": 45,
        "pool": [8, 7, 7, 6, 5],
        "unseen": [9, 8, 10, 11, 11],
        "discard": [2, 0, 1],
        "history": {
            "cards": [105, 3, 21, 21, 42, 46, 46],
            "drawn": [1, 0, 4],
            "shuffles": [[2, 1, 4, 3, 5], [4, 6, 2, 8, 3]],
        },
        "caravans": [
            ["r7", "Isfahan", [8]],
            ["r2", "Chang'an", [9, 7]],
            ["r9", "Byzanz", [6, 4, 3]],
        ],
        "queue": [10, 2, 5, 1],
        "tiles": MAPS["r1"]["tiles"],
        "cities": {"Byzanz": [0, 2, 2], "Chang'an": [1, 3], "Isfahan": [4]},
        "bag": [2, 1, 0, 1, 1],
        "removed": [1, 0, 1, 0, 2],
        "jewels": [[0, 0, 0, 2, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 0]],
        "colourless": [1, 0, 2],
        "markers": [0, 3, 1],
        "colourless_left": 7,
        "markers_left": 2,
        "drivers": [4, 1, 5],
        "played": [1, 2, 1, "r5"],
        "idle": 1,
        "ending": None,
        "ask": {"kind": "draw", "seat": 2, "why": "turn", "more": True},
    }
    # The owner of a hand knows all of it.
    own = state.view(2)
    assert (own["seat"], own["hand"], own["known"][2]) == (2, [0, 1, 2, 0, 0], [0, 1, 2, 0, 0])
    assert own["known"][1] == [0, 2, 0, 0, 0]


def test_a_view_near_the_end(table):
    t = table(3).gone(2).start(1)
    view = t.state.view(0)
    assert (view["ending"], view["caravans"][1], view["played"]) == ("bag", None, None)
    assert (view["colourless_left"], view["markers_left"]) == (None, None)
    t.state.ending = "stalled"
    assert t.state.view(2)["ending"] == "stalled"


def test_a_view_is_small():
    largest = max(
        len(msgpack.packb(state.view(0)))
        for seed in range(3)
        for state, _ in states(5, GAME.rules({}), seed)
    )
    assert largest < 2500
