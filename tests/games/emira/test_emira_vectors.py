"""The vectors are what a match opens with."""

import runpy
from pathlib import Path

import pytest

from khiva_arena.games.emira import GAME
from khiva_arena.games.emira.tables import STATUS_CARDS, STATUS_OUT_3

MAKER = runpy.run_path(str(Path(__file__).parent / "vectors.py"))
SECRETS = (bytes(range(32)), bytes(32), b"\xff" * 32)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.hex()[:4])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_match_opens_with_the_deal(seats, secret):
    vector = MAKER["deal"](secret, seats)
    state, _ = GAME.new(seats, GAME.rules({}), secret)
    assert (state.colours, state.start, state.goals) == (
        vector["colours"],
        vector["start"],
        vector["goals"],
    )
    assert (state.hands, state.status.cards, state.emiras.cards) == (
        vector["dealt"],
        vector["status"],
        vector["emiras"],
    )
    state.apply(dict.fromkeys(state.pending(), 0))
    assert state.events.cards == vector["events"]
    assert state.shown_tokens == vector["appearance"][:1]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_deal_is_whole(seats):
    vector = MAKER["deal"](bytes(range(32)), seats)
    assert sorted(vector["emiras"]) == list(range(28))
    assert len(vector["events"]) + seats == 51
    out = STATUS_OUT_3 if seats == 3 else ()
    assert len(vector["status"]) + len(out) + (2 in vector["colours"]) == len(STATUS_CARDS)
    assert sorted(vector["riot"]["left"]) == sorted(vector["riot"]["under"])
    assert sorted([*vector["noble"], vector["status"][0]]) == sorted(vector["status"])
