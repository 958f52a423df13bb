"""Khiva passes the conformance check under every variant, and the check finds what it
should.
"""

import pytest
from in_targets import at_seats, variants_at_seats
from wording import pattern

from khiva_arena.games import checked_match, conformance
from khiva_arena.games.base import SeatPoints, State
from khiva_arena.games.khiva import GAME, KhivaState
from khiva_arena.games.plain import check_plain

VARIANTS = [
    {"gem_slots": [2, 2, 2, 1, 0]},
    {"gem_slots": [2, 2, 2, 2, 2], "teapot_counts": [4, 4, 4, 4, 3, 3]},
    {"khiva_spaces": "own_tent"},
    {"overshoot": "no_move"},
    {"overshoot": "bounce", "khiva_spaces": "own_tent"},
    {"gem_supply": 30},
    {"gem_supply": 3, "compensation_time": "after_move"},
    {"compensation": "per_rejected_player", "gem_supply": 4},
    {"compensation": "per_player_turn", "salt_tie_break": "sum_bags"},
    {"carpet_top": "colour", "carpets": 25},
    {"end_trigger": "failed_draw", "max_turns": 9},
    {"end_trigger": "failed_draw", "decline": "yes", "carpets": [3]},
]
NAMED = {"+".join(map(str, given.values())): given for given in VARIANTS}


@pytest.mark.slow
def test_khiva_conforms_under_the_default_rules():
    assert conformance.check_game(GAME, matches=1, determinise=GAME.determinise) > 150


@pytest.mark.soak
@pytest.mark.parametrize(("given", "seats"), variants_at_seats(GAME, NAMED))
def test_khiva_conforms_under_every_variant(given, seats):
    one = at_seats(GAME, seats)
    assert conformance.check_game(one, [given], matches=1, determinise=GAME.determinise) > 10 * len(
        seats
    )


def _leaky(state, seat, honest=KhivaState.view):
    return {**honest(state, seat), "passes": [passes[:] for passes in state.passes]}


def _shared(state, seat):
    return {"gems": state.gems}


def _tuples(state, seat, honest=KhivaState.view):
    return {**honest(state, seat), "gems": tuple(state.gems)}


def _silent(state, honest=KhivaState.public):
    return {key: value for key, value in honest(state).items() if key != "gems"}


def _unsorted(state, honest=KhivaState.public):
    return dict(reversed(honest(state).items()))


def _lent(state, honest=KhivaState.public):
    return {**honest(state), "gems": state.gems}


def _of_seat_0(state, honest=KhivaState.public):
    return {**honest(state), "seat": 0}


def _forgetful(state, honest=KhivaState.clone):
    new = honest(state)
    new.away = state.away
    return new


def _thief(state, choices, honest=KhivaState.apply):
    events = honest(state, choices)
    state.discard = state.discard[:-1]
    return events


def _points(of_seat_0=lambda seat: seat, always=True):
    honest = KhivaState.points_by_source

    def broken(state):
        first, *others = honest.fget(state)
        return [of_seat_0(first), *others] if always or state.turn > 1 else None

    return property(broken)


def _more_gems(points):
    return SeatPoints({**points.counted, "gems": 99}, points.uncounted)


def _without_carpets(points):
    return SeatPoints(points.counted, {})


def _backwards(points):
    return SeatPoints(dict(reversed(points.counted.items())), points.uncounted)


def _not_whole(points):
    return SeatPoints(points.counted, {"undelivered carpets": False})


@pytest.mark.parametrize(
    ("method", "broken", "says"),
    [
        ("view", _leaky, pattern("games", "equal-observations-give-equal")),
        ("view", _shared, pattern("check", "belongs-caller")),
        ("view", _tuples, pattern("games", "view-plain")),
        ("public", _silent, pattern("games", "private-part-laid-over")),
        ("public", _unsorted, pattern("games", "private-part-laid-over")),
        ("public", _lent, pattern("check", "belongs-caller")),
        ("public", _of_seat_0, "a key of the private part is None in the public part"),
        ("clone", _forgetful, "leave alone|original alone|behaves like|stays like"),
        ("apply", _thief, pattern("check", "no-piece-lost-made")),
        (
            "points_by_source",
            _points(lambda seat: seat._replace(counted={**seat.counted, "gems": 99})),
            pattern("games", "points-not-make-score"),
        ),
        ("points_by_source", _points(_more_gems), pattern("games", "points-not-make-score")),
        (
            "points_by_source",
            _points(_without_carpets),
            pattern("games", "seats-have-other-sources"),
        ),
        ("points_by_source", _points(_backwards), pattern("games", "seats-have-other-sources")),
        ("points_by_source", _points(_not_whole), pattern("games", "points-not-whole")),
        ("points_by_source", _points(tuple), "not a list of SeatPoints, one for each of"),
        (
            "points_by_source",
            _points(always=False),
            "the sources of points are the same at every moment: ",
        ),
    ],
)
def test_the_check_finds_a_broken_game(method, broken, says, monkeypatch):
    if method == "view":  # as a game has it that names no public part
        monkeypatch.setattr(KhivaState, "public", State.public)
        monkeypatch.setattr(KhivaState, "private", State.private)
    monkeypatch.setattr(KhivaState, method, broken)
    with pytest.raises(checked_match.NonConforming, match=says):
        conformance.check_game(GAME, matches=2)


@pytest.mark.parametrize(
    "value", [1.5, (1,), {1: 2}, {0: 1}, {None: 1}, 2**53, [-(2**53)], b"x", {"a": [[set()]]}]
)
def test_values_that_are_not_plain(value):
    assert check_plain(value)


def test_depth_of_plain_values():
    deep = 0
    for _ in range(15):
        deep = [deep]
    assert check_plain(deep) is None
    assert check_plain([deep]) == "deeper than 16"
