"""What a seat is shown: nothing it cannot know, and all that it can.

The leak check plays two worlds side by side that differ only in what one seat cannot
know: cards in decks where it does not know them, event cards in other hands, goals of
others, what others have looked at, and the secret. Both go on with the same choices by
name; as long as that seat has seen the same, its views and legal lists must be equal.
"""

import runpy
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.games.base import seen_by
from khiva_arena.games.emira import GAME, EmiraState
from khiva_arena.games.emira.tables import (
    EMIRA_OF,
    EMIRAS,
    EVENT_OF,
    EVENTS,
    GOALS,
    NAMES,
    STATUS_CARDS,
)

PRICES = tuple(sorted(set(STATUS_CARDS)))
VARIANTS = [
    {},
    {"mode": "advanced", "symbols": "none"},
    {"mode": "advanced", "bazaar_noble": "extra", "undecided": "always"},
    {"grant_timing": "serving", "base_income": [200, 250], "appearance_return_3p": "even"},
    {
        "gold": "hidden"
    },  # gold is the same in both worlds: all payments are public, so a seat can know it
]
SIZES = runpy.run_path(str(Path(__file__).with_name("sizes.py")))
unpacked = SIZES["unpacked"]


def play_on(state, random, steps, eager=0.9):
    """So many random choices; event cards are bought and played more often than not,
    and bids are small.
    """
    for _ in range(steps):
        if state.is_over:
            return
        state.apply(
            {seat: choose(decision, random, eager) for seat, decision in state.pending().items()}
        )


def choose(decision, random, eager=0.9):
    size = len(decision.legal)
    if decision.kind in ("buy", "play"):
        return random.randrange(1, size) if random.random() < eager else 0
    if decision.kind == "bid":
        return random.randrange(min(4, size))
    return random.randrange(size)


def another_world(state, seat, random):
    """A copy in which what the seat does not know is otherwise."""
    other = state.clone()
    other.secret = random.randbytes(32)
    for name in ("emiras", "status", "events"):
        deck = getattr(other, name)
        hidden = [place for place, seen in enumerate(deck.seen) if not seen >> seat & 1]
        if name == "emiras":  # a turned card lies turned for all to see
            hidden = [place for place in hidden if not other.turned >> deck.cards[place] & 1]
        places = [(deck.cards, place) for place in hidden]
        if name == "events":
            places += [
                (hand, i)
                for s, hand in enumerate(other.hands)
                if s != seat
                for i in range(len(hand))
            ]
        cards = [where[i] for where, i in places]
        random.shuffle(cards)
        for (where, i), card in zip(places, cards, strict=True):
            where[i] = card
    for s, hand in enumerate(other.hands):
        if s != seat:
            hand.sort()
    goals = [goal for goal in range(len(GOALS[state.seats])) if goal != state.goals[seat]]
    random.shuffle(goals)
    other.goals = [goals.pop() if s != seat else goal for s, goal in enumerate(state.goals)]
    other.history = [
        otherwise(entry, random) if entry.seat not in (-1, seat) else entry
        for entry in other.history
    ]
    return other


def otherwise(entry, random):
    """A line of another seat's history in which every card it alone knows is a
    different one.
    """
    private = []
    for word in entry.private:
        (words,) = (words for words in (EVENTS, NAMES, PRICES, ("deal",)) if word in words)
        private.append(random.choice([other for other in words if other != word] or [word]))
    return entry._replace(private=tuple(private))


def translate(ours, theirs, entry):
    """The same choice in the other world, if there is one."""
    legal = list(theirs.legal)
    return legal.index(entry) if ours.kind == theirs.kind and entry in legal else None


def play_two_worlds(seats, seat, rules, seed):
    """How many pairs of states were compared; None if the match has come to where there
    is nothing to compare.
    """
    random = Random(seed)
    ours, _ = GAME.new(seats, rules, random.randbytes(32))
    ours.apply({s: random.randrange(len(d.legal)) for s, d in ours.pending().items()})
    play_on(ours, random, random.randrange(0, 160))
    offer = ours.offer
    if offer is None or (
        offer.seat != seat and offer.kind in ("play", "keep", "order", "mind", "first_event")
    ):
        return None  # it is over, or another seat is being asked about what differs
    theirs = another_world(ours, seat, random)
    compared = 0
    while not ours.is_over and not theirs.is_over:
        mine, yours = ours.view(seat), theirs.view(seat)
        assert mine == yours
        assert repr(mine) == repr(yours)
        if list(ours.pending()) != list(theirs.pending()):
            break
        assert ours.pending().get(seat) == theirs.pending().get(seat)
        compared += 1
        ((asked, decision),) = ours.pending().items()
        choice = choose(decision, random, 0.3)
        same = translate(decision, theirs.pending()[asked], decision.legal[choice])
        if same is None:
            break
        if seen_by(ours.apply({asked: choice}), seat) != seen_by(theirs.apply({asked: same}), seat):
            break
        if ours.round != theirs.round:
            break
    return compared


PLACES = st.sampled_from([(seats, seat) for seats in (3, 4, 5) for seat in range(seats)])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(PLACES, st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_equal_observations_give_equal_views_and_legal_lists(place, given_rules, seed):
    compared = play_two_worlds(*place, GAME.rules(given_rules), seed)
    assert compared is None or compared > 0


def test_two_worlds_stay_together_long_enough_to_mean_something():
    """Else the check above would be empty."""
    for seats in (3, 4, 5):
        lengths = [
            play_two_worlds(seats, seed % seats, GAME.rules({}), seed) or 0 for seed in range(40)
        ]
        assert sum(length >= 8 for length in lengths) >= 10, lengths


def _top_emira(state, seat, view):
    view["emira_deck"][:1] = [NAMES[card] for card in state.emiras.cards[:1]]


def _top_status(state, seat, view):
    view["status_deck"][:1] = state.status.cards[:1]


def _hand_of_the_next(state, seat, view):
    view["hands"] = [len(hand) + sum(hand) for hand in state.hands]


def _goal_of_the_next(state, seat, view):
    view["goals"] = state.goals[:]


def _scores(state, seat, view):
    view["scores"] = [goal * 31 for goal in state.goals]


def _memory_of_all(state, seat, view):
    view["history"] = [[*entry.public, *entry.private] for entry in state.history]


def _what_was_dealt_to_all(state, seat, view):
    view["history"] = [
        [*entry.public, *entry.private] for entry in state.history if "deal" in entry.private
    ]


def _secret(state, seat, view):
    view["round"] += state.secret[0] << 8


def _play_forty():
    for seed in range(40):
        play_two_worlds(4, seed % 4, GAME.rules({}), seed)


LEAKS = [
    _top_emira,
    _top_status,
    _hand_of_the_next,
    _goal_of_the_next,
    _scores,
    _memory_of_all,
    _what_was_dealt_to_all,
    _secret,
]


@pytest.mark.parametrize("leak", LEAKS)
def test_the_leak_check_finds_a_leak(leak, monkeypatch):
    """A view with one more thing in it than it may have does not pass."""
    honest = EmiraState.view

    def leaky(state, seat):
        view = honest(state, seat)
        leak(state, seat, view)
        return view

    monkeypatch.setattr(EmiraState, "view", leaky)
    with pytest.raises(AssertionError):
        _play_forty()


def test_what_a_seat_saw_is_in_its_history_alone():
    random = Random(3)
    state, _ = GAME.new(4, GAME.rules({"mode": "advanced"}), random.randbytes(32))
    play_on(state, random, 300)
    private = [entry for entry in state.history if entry.private]
    assert len(private) > 40
    for seat in range(4):
        lines = state.view(seat)["history"]
        for entry in state.history:
            line = [*entry.public, *entry.private]
            if entry.private and entry.seat != seat:
                assert entry.public in lines or entry.public == [0], f"{seat=}"
            else:
                assert line in lines, f"{seat=}"
        assert len(lines) == sum(
            len(entry.public) > 1 or entry.seat == seat for entry in state.history
        )


def told_and_written(seats, rules, seed):
    """A whole random match: all that every seat was told, and the state at the end."""
    random = Random(seed)
    state, told = GAME.new(seats, GAME.rules(rules), random.randbytes(32))
    while not state.is_over:
        told += state.apply(
            {seat: choose(decision, random) for seat, decision in state.pending().items()}
        )
    return [event.data for event in told if event.to is None], state


@pytest.mark.parametrize("mode", ["basic", "advanced"])
def test_who_came_and_went_is_in_the_history_of_all_as_the_events_told_it(mode):
    words = Counter()
    for seed in range(12):
        told, state = told_and_written(3 + seed % 3, {"mode": mode, "max_rounds": 25}, seed)
        lines, number = [], 0
        for data in told:
            match data:
                case {"type": "round", "round": number}:
                    pass
                case {"type": "join" | "abduct" as word, "seat": seat, "emira": name}:
                    lines.append([number, word, seat, name])
                case {"type": "gift", "seat": seat, "outcome": outcome}:
                    lines.append([number, "gift", seat, outcome])
                case {"type": "riot", "seat": seat, "emiras": names}:
                    lines.append([number, "under", seat, *sorted(names, key=EMIRA_OF.__getitem__)])
        for seat in range(state.seats):
            history = state.view(seat)["history"]
            assert [
                line for line in history if line[1] in ("join", "abduct", "gift", "under")
            ] == lines, f"{seed=} {seat=}"
        words.update(line[1] for line in lines)
    assert min(words[word] for word in ("join", "abduct", "gift", "under")) >= 5, words


@pytest.mark.parametrize("timing", ["bidding", "serving"])
def test_the_bids_are_those_that_the_events_told(timing):
    grants = 0
    for seed in range(6):
        told, state = told_and_written(
            3 + seed % 3, {"grant_timing": timing, "max_rounds": 15}, seed
        )
        bids, number, served = [], 0, False
        for data in told:
            match data:
                case {"type": "round", "round": number}:
                    pass
                case {"type": "auction" | "serve" as word}:
                    served = word == "serve"
                case {"type": "bid", "seat": seat, "bid": amount}:
                    bids.append((number, seat, amount))
                case {"type": "pass", "seat": seat}:
                    bids.append((number, seat, 0))
                case {"type": "grant", "seat": seat} if (
                    not served
                ):  # else it is taken instead of an action
                    bids.append((number, seat, 1))
        assert len(bids) > 100
        for seat in range(state.seats):
            assert list(unpacked(state.view(seat))) == bids, f"{seed=} {seat=}"
        grants += sum(amount == 1 for _, _, amount in bids)
    assert (grants > 0) == (timing == "bidding")


def test_equal_raises_are_one_number_in_the_bids(table):
    t = table().board()
    t.run("auction")
    assert t.state.view(0)["bids"] == [[[0, 15]]]
    t.say(10, 20, 30, 40, 50, "pass", 60, 80, 90, 100, "pass", "pass")
    assert t.state.view(3)["bids"] == [[[0, 15, -5, 0, -1, 80, -2, 0, 0]]]
    assert [amount for _, _, amount in unpacked(t.state.view(1))] == [
        10,
        20,
        30,
        40,
        50,
        0,
        60,
        80,
        90,
        100,
        0,
        0,
    ]
    t.say("none", "pass", "pass", "pass")
    t.say("none", 500)
    assert t.state.view(2)["bids"][0][1:] == [
        [3, 11, 0, 0, 0],
        [0, 3, 500],
    ]  # the first bid of an auction may be high


@pytest.mark.slow
def test_the_bids_of_cautious_sheiks_are_less_than_a_tenth_of_what_they_are_one_by_one():
    decisions, views, bids, one_by_one, largest = SIZES["weigh"](5, 0, 32)
    assert decisions > 4000
    assert one_by_one > 10 * bids
    assert views < 25e6
    assert largest < 10_000


def positions_with_other_decks(seats, rules, seed):
    """Positions of a whole match in which decks, hands, the history or the question of
    cards are not those of the one before.
    """
    random, before = Random(seed), None
    state, _ = GAME.new(seats, GAME.rules(rules), random.randbytes(32))
    while not state.is_over:
        play_on(state, random, 1)
        decks = [
            [deck.cards[:], deck.seen[:]] for deck in (state.emiras, state.status, state.events)
        ]
        now = decks, state.turned, len(state.history), state.offer and state.offer.kind == "keep"
        if now != before or state.is_over:
            yield state
        before = now


def follow_the_event_deck(seats, history):
    """The event deck as the lines of a view's history leave it."""
    deck = [None] * (54 - seats)
    for line in history:
        if line[1] == "buy":
            looked = line[3]
            deck = deck[looked:] + (line[5:] if len(line) > 4 else [None] * (looked - 1))
    return deck


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_what_a_view_says_of_hidden_cards_is_true_and_is_not_forgotten(seats):
    """Every card that a seat has looked at is named where it lies until another hand
    moves it; and the history alone says which event cards lie where.
    """
    named = known = 0
    for seed in range(8):
        rules = {"mode": "advanced", "max_rounds": 16, "symbols": "none" if seed % 2 else "groups"}
        for state in positions_with_other_decks(seats, rules, seed):
            for seat in range(seats):
                view = state.view(seat)
                decks = (
                    ("emira_deck", state.emiras.cards, NAMES),
                    ("event_deck", state.events.cards, EVENTS),
                )
                for key, cards, names in decks:
                    assert len(view[key]) == len(cards), f"{seed=} {seat=} {key=} {cards=}"
                    for said, card in zip(view[key], cards, strict=True):
                        assert said in (None, names[card]), f"{seed=} {seat=} {key=} {cards=}"
                        named += said is not None
                for said, card in zip(view["status_deck"], state.status.cards, strict=True):
                    assert said in (None, card), f"{seed=} {seat=} {said=} {card=}"
                if view["ask"] is None or view["ask"]["kind"] != "keep":
                    deck = follow_the_event_deck(seats, view["history"])
                    assert deck == view["event_deck"], f"{seed=} {seat=}"
                    known += sum(card is not None for card in deck)
    assert named > 300
    assert known > 100


def test_a_sample_view(table):
    t = table(secret=bytes([7] * 32)).has(
        0, "Thara", "Xenia", gold=900, hand="vermin", small_slow=[3]
    )
    t.state.round, t.state.gift_round, t.state.gift_first = 2, 4, False
    t.board(token="dress", status=700)
    t.run("auction")
    t.say(20)
    view = t.state.view(0)
    assert view["princesses"] == [["Thara", "Xenia"], [], [], []]
    assert view["xenia"] == {"seat": 0, "due": 4, "first": False}
    assert view["caravans"][0] == [[3], [], [], []]
    assert view["board"] == {
        "appearance": ["dress"],
        "status": [700],
        "open": ["small", "large", "camel", "palace"],
    }
    assert view["auction"] == {
        "served": [],
        "bidding": [0, 1, 2, 3],
        "bid": 20,
        "bidder": 0,
        "free": None,
        "last": 3,
    }
    assert view["ask"] == {"kind": "bid", "seat": 1, "about": None, "cards": None}
    assert view["hand"] == ["vermin"]
    assert view["upkeep"] == [100, 0, 0, 0]
    assert view["room"] == [0, 2, 2, 2]


def test_event_names_and_emira_names_are_all_different():
    assert len(set(EVENT_OF)) == 18
    assert len({emira.name for emira in EMIRAS}) == 28
