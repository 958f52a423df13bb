"""The deals that are published are those a match opens with."""

import runpy
from pathlib import Path

import pytest

from khiva_arena.games.silk_road import GAME, dealing
from khiva_arena.games.silk_road.tables import TILES

DEAL = runpy.run_path(str(Path(__file__).parent / "vectors.py"))["deal"]
SECRETS = {"rising bytes": bytes(range(32)), "zeros": bytes(32), "ones": b"\xff" * 32}


def counts(goods):
    return [goods.count(good) for good in range(5)]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_match_opens_with_the_published_deal(seats, secret):
    vector = DEAL(secret, seats)
    state, events = GAME.new(seats, GAME.rules({}), secret)
    assert [TILES[tile] for tile in state.tiles] == vector["tiles"]
    assert state.camels == [sorted(camels, reverse=True) for camels in vector["caravans"]]
    assert state.queue == vector["queue"]
    assert [state.cities[target] for target in state.targets] == [
        sorted(jewels) for jewels in vector["jewels"]
    ]
    assert state.bag[::-1] == vector["bag"]
    assert state.drawn == vector["hands"]
    assert state.hands == [counts(hand) for hand in vector["hands"]]
    assert state.open == counts(vector["open"])
    assert state.pile[::-1] == vector["pile"]
    assert state.drivers == vector["drivers"]
    assert [event.data["goods"] for event in events if event.data["type"] == "hand"] == vector[
        "hands"
    ]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_reshuffle_is_the_published_one(table, secret):
    vector = DEAL(secret, 2)["reshuffle"]
    t = table(2, secret).deal(
        hands=["1T", "1T"], discard="".join("ISPKT"[good] for good in vector["discards"]), top="K"
    )
    t.pile("K").start(0).play(4, 1, 1, "r6")
    t.play("pile")
    assert t.events("reshuffle")[0]["counts"] == counts(vector["discards"])
    drawn = len(t.state.traffic) - t.state.traffic.index(105) - 1
    assert t.state.pile[::-1] == vector["pile"][drawn:]


def test_each_reshuffle_has_a_stream_of_its_own(table):
    t = table(2).deal(hands=["1T", "1T"], discard="IISSPPKK", top="K").pile("K")
    t.state.shuffles = [[0] * 5]  # one reshuffle went before
    t.start(0).play(4, 1, 1, "r6")
    t.play("pile")
    third = dealing.reshuffle(bytes(32), 3, [0, 0, 1, 1, 2, 2, 3, 3])
    drawn = len(t.state.traffic) - t.state.traffic.index(105) - 1
    assert t.state.pile[::-1] == third[drawn:]
    assert third != dealing.reshuffle(bytes(32), 2, [0, 0, 1, 1, 2, 2, 3, 3])
