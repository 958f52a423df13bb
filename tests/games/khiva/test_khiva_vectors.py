"""The published deals of Khiva are those a match opens with."""

import json
from itertools import chain
from pathlib import Path

import pytest

from khiva_arena.games.khiva import GAME, dealing
from khiva_arena.games.khiva.tables import CARD_OF, CODE, KEPT

DEALS = json.loads(
    (Path(__file__).parents[3] / "protocol" / "vectors" / "deals" / "khiva.json").read_text("utf-8")
)["deals"]


@pytest.mark.parametrize("vector", DEALS, ids=lambda v: f"{v['seats']}-{v['secret'][:4]}")
def test_a_match_opens_with_the_published_deal(vector):
    state, _ = GAME.new(vector["seats"], GAME.rules({}), bytes.fromhex(vector["secret"]))
    assert [sorted(CODE[c] for c in hand) for hand in state.hands] == [
        sorted(hand) for hand in vector["first"]["hands"]
    ]
    assert [CODE[c] for c in state.shown] == vector["first"]["shown"]
    assert [CODE[c] for c in state.aside] == vector["first"]["aside"]
    assert state.loads == vector["camels"]
    assert state.teapot_pile[::-1] == vector["teapots"]
    assert state.carpet_pile[::-1] == vector["carpets"]


@pytest.mark.parametrize("vector", DEALS, ids=lambda v: f"{v['seats']}-{v['secret'][:4]}")
def test_a_deal_is_whole_and_a_redeal_leaves_the_kept_cards_out(vector):
    first, again = vector["first"], vector["redeal"]
    assert sorted([*chain(*first["hands"]), *first["shown"], *first["aside"]]) == sorted(CODE)
    assert sorted([*chain(*again["hands"]), *again["shown"], *again["aside"]]) == again["pool"]
    assert sorted([*chain(*again["kept"]), *again["pool"]]) == sorted(CODE)
    assert {len(hand) for hand in again["hands"]} == {
        (8 if vector["seats"] == 2 else 5) - KEPT[vector["seats"]]
    }


@pytest.mark.parametrize("vector", DEALS, ids=lambda v: f"{v['seats']}-{v['secret'][:4]}")
def test_a_match_redeals_what_is_not_kept(vector):
    seats, secret = vector["seats"], bytes.fromhex(vector["secret"])
    state, _ = GAME.new(seats, GAME.rules({}), secret)
    while state.deal == 1:
        state.apply(dict.fromkeys(state.pending(), 0))
    kept = [
        [CARD_OF[code] for code in state.passes[seat - 1][-KEPT[seats] :]] for seat in range(seats)
    ]
    deal = dealing.redeal(secret, seats, 2, set(range(25)) - set(chain(*kept)))
    assert state.hands == [sorted(kept[seat] + deal.hands[seat]) for seat in range(seats)]
    assert (state.shown, state.aside) == (deal.shown, deal.aside)
