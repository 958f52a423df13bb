"""Silk Road passes the conformance check under every variant, and the check finds what
it should.

tests/games/test_every_game.py plays it under the default rules.
"""

import copy

import pytest
from in_targets import at_seats, variants_at_seats
from wording import pattern

from khiva_arena.games import checked_match, conformance
from khiva_arena.games.silk_road import GAME, SilkRoadState
from khiva_arena.games.silk_road.board import MAPS

SMALL = {**copy.deepcopy(MAPS["r1"]), "name": "no tiles", "tiles": {}}
VARIANTS = {
    "tiles C, capped supply": {
        "tiles": "C",
        "extra_draws": "mandatory",
        "supply": "capped",
        "tied_decline": "original_tie",
        "hand_dump": "all",
    },
    "fixed layout": {
        "layout": "fixed",
        "first_targets": "counted",
        "discard_order": "canonical",
        "baksheesh": "optional",
        "max_turns": 40,
    },
    "another map": {"map": SMALL, "most_cards": 1, "reshuffle": "when_needed", "max_turns": 50},
    "sandstorms and robbers": {
        "tiles": {"sandstorm": 4, "customs": 4, "robber": 14},
        "discard_order": "canonical",
        "max_turns": 40,
    },
    "camels go back": {
        "camels_at_end": "back",
        "lay_out_order": "active_last",
        "empty_hand": "up_to_two",
        "max_turns": 90,
    },
    "camels alone": {"tiles": {"camels_3": 22}, "reshuffle": "when_needed", "max_turns": 60},
}


@pytest.mark.soak
@pytest.mark.parametrize(("given", "seats"), variants_at_seats(GAME, VARIANTS))
def test_silk_road_conforms_under_every_variant(given, seats):
    assert conformance.check_game(at_seats(GAME, seats), [given], matches=1) > 75 * len(seats)


def _shared(state, seat):
    return {"jewels": state.jewels}


def _tuples(state, seat, honest=SilkRoadState.view):
    return {**honest(state, seat), "hand": tuple(state.hands[seat])}


def _forgetful(state, honest=SilkRoadState.clone):
    new = honest(state)
    new.traffic = state.traffic
    return new


def _thief(state, choices, honest=SilkRoadState.apply):
    events = honest(state, choices)
    state.discard = state.discard[:-1]
    return events


def _untold(state, choices, honest=SilkRoadState.apply):
    return [event for event in honest(state, choices) if event.data["type"] != "name"]


@pytest.mark.parametrize(
    ("method", "broken", "says"),
    [
        ("view", _shared, pattern("check", "belongs-caller")),
        ("view", _tuples, pattern("games", "view-plain")),
        ("clone", _forgetful, "leave alone|original alone|behaves like|stays like"),
        ("apply", _thief, pattern("check", "no-piece-lost-made")),
        ("apply", _untold, pattern("games", "equal-observations-give-equal")),
    ],
)
def test_the_check_finds_a_broken_game(method, broken, says, monkeypatch):
    monkeypatch.setattr(SilkRoadState, method, broken)
    with pytest.raises(checked_match.NonConforming, match=says):
        conformance.check_game(GAME, matches=1)
