"""Tests of the game: run them with `pytest`. `khiva-arena check --game game.py` looks for leaks, lost pieces, copies that are
none, and more."""

from game import GAME

from khiva_arena.games.conformance import check_game

SECRET = bytes(32)


def test_the_contract_is_kept() -> None:
    assert check_game(GAME, variants=[{}, {"cards": 5}], matches=1) > 0


def test_the_highest_bid_takes_the_prize() -> None:
    state, _ = GAME.new(3, GAME.rules({"cards": 5}), SECRET)
    prize = state.prize
    state.apply({0: 0, 1: 4, 2: 3})
    assert state.scores == [0, prize, 0]


def test_nobody_takes_it_if_two_bids_are_highest() -> None:
    state, _ = GAME.new(3, GAME.rules({"cards": 5}), SECRET)
    state.apply({0: 0, 1: 4, 2: 4})
    assert state.scores == [0, 0, 0]
