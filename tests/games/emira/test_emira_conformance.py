"""Emira passes the conformance check for all seat counts under every variant;
tests/games/test_every_game.py has its defaults.
"""

import pytest
from in_targets import at_seats, variants_at_seats
from wording import pattern

from khiva_arena.games import checked_match, conformance
from khiva_arena.games.emira import GAME, EmiraState
from khiva_arena.rng import Stream

VARIANTS = [
    {"mode": "advanced", "symbols": "none", "bazaar_noble": "extra"},
    {"mode": "advanced", "gold": "hidden", "undecided": "always", "symbols": "by_name"},
    {
        "grant_timing": "serving",
        "event_buy_3p": "never",
        "appearance_return_3p": "even",
        "zahrah_card": "removed",
    },
    {
        "xenia_room": "no",
        "bonus_counters": "twelve",
        "good_looking": "own",
        "hind_round": "undecided",
        "base_income": [200, 250],
    },
]
NAMED = {"+".join(map(str, given.values())): given for given in VARIANTS}


def _cut_short(state):
    """Take most of every deck and supply out of the game."""
    for deck, out, left in (
        (state.emiras, state.gone, 5),
        (state.status, state.removed, 2),
        (state.events, state.played, 9),
    ):
        out += deck.cards[left:]
        deck.cards, deck.seen = deck.cards[:left], deck.seen[:left]
    state.bag, state.supply = [1, 1, 0], [2, 1, 3, 2]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_matches_go_on_when_everything_is_used_up(seats, mode):
    stream, used_up = Stream(bytes(32), "whole"), set()
    for ordinal in range(6):
        rules = GAME.rules(
            {"mode": mode, "base_income": [1000, 1000], "symbols": "none", "bazaar_noble": "extra"}
        )
        state, _ = GAME.new(seats, rules, bytes([ordinal] * 32))
        state.apply(dict.fromkeys(state.pending(), 0))
        _cut_short(state)
        pieces = state.components()
        while pending := state.pending():
            assert all(2 <= len(decision.legal) <= 1002 for decision in pending.values())
            state.apply(
                {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
            )
            assert min(state.gold) >= 0
            assert min(state.supply) >= 0
            assert min(state.bag) >= 0
            used_up |= {
                deck for deck in ("emiras", "status", "events") if not getattr(state, deck).cards
            }
            used_up |= {item for item, left in enumerate(state.supply) if not left}
        assert state.components() == pieces
    assert used_up == {"emiras", "status", "events", 0, 1, 2, 3}


@pytest.mark.soak
@pytest.mark.parametrize(("given", "seats"), variants_at_seats(GAME, NAMED))
def test_emira_conforms_under_every_variant(given, seats):
    assert conformance.check_game(
        at_seats(GAME, seats), [{**given, "max_rounds": 8}], matches=1
    ) > 70 * len(seats)


def _leaky(state, seat, honest=EmiraState.view):
    return {**honest(state, seat), "deck": state.events.cards[:]}


def _shared(state, seat):
    return {"gold": state.gold}


def _forgetful(state, honest=EmiraState.clone):
    new = honest(state)
    new.princesses = state.princesses
    return new


def _thief(state, choices, honest=EmiraState.apply):
    events = honest(state, choices)
    state.emiras.cards = state.emiras.cards[:-1]
    state.emiras.seen = state.emiras.seen[:-1]
    return events


@pytest.mark.parametrize(
    ("method", "broken", "says"),
    [
        ("view", _leaky, pattern("games", "equal-observations-give-equal")),
        ("view", _shared, pattern("check", "belongs-caller")),
        ("clone", _forgetful, "leave alone|original alone|behaves like|stays like|no piece"),
        ("apply", _thief, pattern("check", "no-piece-lost-made")),
    ],
)
def test_the_check_finds_a_broken_game(method, broken, says, monkeypatch):
    monkeypatch.setattr(EmiraState, method, broken)
    with pytest.raises(checked_match.NonConforming, match=says):
        conformance.check_game(GAME, [{"max_rounds": 6}], matches=1)
