"""The open points O1 to O16, each variant, and the rules maps that are refused. Maps:
see test_silk_road_board.py.
"""

import copy
from pathlib import Path
from random import Random

import pytest
from cases import cases
from wording import pattern

from khiva_arena.errors import RulesError
from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.board import MAPS
from khiva_arena.games.silk_road.tables import TILE_SETS, TILES
from khiva_arena.games.silk_road.variants import KEYS, LATER

I, S, P, K, T = range(5)  # noqa: E741


def test_O1_the_map_is_in_the_record_and_can_be_another(table):
    assert GAME.rules({})["map"]["name"] == "r1"
    assert GAME.rules({"map": "r1"}) == GAME.rules({})
    other = copy.deepcopy(MAPS["r1"])
    other["name"], other["starts"] = "moved", ["Chang'an", "Amritsar", "Tashkent"]
    t = table(arrange=False, map=other)
    assert t.rules["map"]["name"] == "moved"
    assert (t.where(1), t.where(3)) == ("Chang'an", "Tashkent")


@pytest.mark.parametrize("name", ["A", "C"])
def test_O2_tile_sets(table, name):
    t = table(arrange=False, tiles=name)
    assert sorted(TILES[tile] for tile in t.state.tiles) == sorted(
        n for n, c in TILE_SETS[name].items() for _ in range(c)
    )


def test_O2_custom_tiles_and_layouts(table):
    counts = {"bazaar": 20, "robber": 2}
    t = table(arrange=False, tiles=counts)
    assert sorted({TILES[tile] for tile in t.state.tiles}) == ["bazaar", "robber"]
    assert t.rules["tiles"]["customs"] == 0
    layout = ["robber"] * 2 + ["bazaar"] * 20
    for secret in (bytes(32), b"\1" * 32):
        t = table(secret=secret, arrange=False, tiles=counts, layout=layout)
        assert [TILES[tile] for tile in t.state.tiles] == layout
        t = table(secret=secret, arrange=False, layout="fixed")
        assert t.state.view(0)["tiles"] == MAPS["r1"]["tiles"]


def test_O2_shuffled_tiles_differ_from_deal_to_deal(table):
    assert (
        table(secret=bytes(32), arrange=False).state.tiles
        != table(secret=b"\1" * 32, arrange=False).state.tiles
    )


def tied(table, **rules):
    """Seats 0, 1, 2 with drivers 2, 5, 3 hold two spices each; the market of caravan 1,
    which carries spice.
    """
    t = (
        table(3, **rules)
        .drivers(2, 5, 3)
        .caravan(1, "in_Byz", "Byzanz", [8])
        .caravan(3, "r1", "Tashkent", [6, 4, 3])
    )
    t.jewels(Byzanz="B", Samarkand="BY", Tashkent="BYG").deal(displays=["2S", "2S", "2S"]).start(0)
    t.step(T, I, place="Byzanz")
    assert t.seat == 1
    t.play("decline")
    assert t.seat == 2
    return t


@pytest.mark.parametrize(
    ("rule", "drivers"), [("recompute", [3, 5, 2]), ("original_tie", [5, 2, 3])]
)
def test_O3_two_are_still_tied_when_the_first_has_declined(table, rule, drivers):
    t = tied(table, tied_decline=rule)
    t.play("sell")
    assert t.state.drivers == drivers
    assert [e["seats"] for e in t.events("swap")] == [[2, 0] if rule == "recompute" else [1, 0]]


@pytest.mark.parametrize(
    ("rule", "drivers"), [("recompute", [2, 5, 3]), ("original_tie", [5, 2, 3])]
)
def test_O3_only_one_of_the_tie_is_left(table, rule, drivers):
    t = tied(table, tied_decline=rule)
    t.play("decline")
    t.play("sell")
    assert t.state.drivers == drivers
    assert len(t.events("swap")) == (rule == "original_tie")


@pytest.mark.parametrize(("rule", "first"), [("mandatory", I), ("optional", "nothing")])
def test_O4_baksheesh(table, rule, first):
    t = table(baksheesh=rule).visit("baksheesh")
    assert t.words[0] == first
    t.play(first)
    assert t.events("skip") == ([{"type": "skip", "seat": 0}] if rule == "optional" else [])
    assert len(t.events("buy")) == (rule == "mandatory")


@pytest.mark.parametrize(("most", "cards"), [("unlimited", 6), (3, 3), (1, 1)])
def test_O5_most_cards_in_a_move(table, most, cards):
    t = table(most_cards=most).caravan(3, "r1", "Byzanz", [6, 4, 3]).deal(hands=["6T"]).start(0)
    assert max(entry[1] for entry in t.legal) == cards


def bazaar(table, rule, held, taken):
    t = table(supply=rule).deal(displays=["1P 1K"])
    t.state.colourless[0], t.state.colourless[1], t.state.markers[2] = held, taken, 6
    t.visit("bazaar").play(P)
    t.play(K)
    return t.state


def test_O6_unlimited_supply(table):
    state = bazaar(table, "unlimited", 2, 8)
    assert (state.colourless[0], state.markers[0]) == (0, 1)
    assert "marker" not in state.components()
    assert state.view(0)["markers_left"] is None


def test_O6_capped_supply(table):
    state = bazaar(table, "capped", 2, 0)  # the sixth marker is taken
    assert (state.colourless[0], state.markers[0], state.scores[0]) == (3, 0, 8)
    assert (state.view(0)["colourless_left"], state.view(0)["markers_left"]) == (7, 0)
    assert (state.components()["marker"], state.components()["colourless"]) == (6, 10)
    state = bazaar(table, "capped", 1, 8)  # the last colourless jewel
    assert (state.colourless[0], state.view(0)["colourless_left"]) == (2, 0)


def test_O6_a_bazaar_without_a_jewel_to_get_has_no_effect(table):
    t = table(supply="capped").deal(displays=["1P 1K"])
    t.state.colourless = [2, 8, 0, 0]
    t.visit("bazaar")
    assert t.events("action", "nothing", "name", "skip", "discard") == [
        {"type": "action", "place": "r6", "tile": "bazaar"},
        {"type": "nothing", "tile": "bazaar"},
    ]
    assert (t.asked, t.seat) == ("move", 1)
    assert (t.state.displays[0], t.state.discard) == ([0, 0, 1, 1, 1], [])
    assert (t.state.colourless, t.state.view(0)["colourless_left"]) == ([2, 8, 0, 0], 0)


def test_O6_a_market_without_a_jewel_to_get_still_exchanges_the_camel(table):
    t = table(supply="capped").deal(displays=["", "2S"])
    t.state.colourless = [2, 8, 0, 0]
    t.visit("black_market").play("sell")
    assert (t.state.displays[1][S], t.state.camels[0], t.state.queue) == (1, [10], [5, 2, 1, 8])
    assert (t.state.colourless, t.events("colourless")) == ([2, 8, 0, 0], [])


@pytest.mark.parametrize("rule", ["choose", "all"])
def test_O7_hands_at_the_last_market(table, rule):
    t = (
        table(hand_dump=rule)
        .caravan(2, "in_Sam", "Samarkand", [9, 7])
        .gone(3)
        .queue(10, 6, 5, 4, 3, 2, 1)
    )
    t.jewels(bag=0, Isfahan="B", Samarkand="BY").deal(hands=["1T", "2S 1I", "1S"]).start(0)
    t.step(T, I, size=2, place="Samarkand")
    assert t.asked == ("lay_out" if rule == "choose" else "sell")
    if rule == "all":
        assert [sum(hand) for hand in t.state.hands] == [0, 0, 0, 0]
        assert t.state.displays[1] == [1, 2, 0, 0, 0]


def test_O8_first_targets_differ_on_another_map(table):
    other = copy.deepcopy(MAPS["r1"])
    other["targets"] = ["Byzanz", "Isfahan", "Samarkand"]
    for rule, expected in (("printed", other["targets"]), ("counted", MAPS["r1"]["targets"])):
        t = table(arrange=False, map=other, first_targets=rule)
        assert [t.board.names[target] for target in t.state.targets] == expected
        assert [len(t.state.cities[target]) for target in t.state.targets] == [1, 2, 3]


@pytest.mark.parametrize(("rule", "discard"), [("player", [K, I]), ("canonical", [I, K])])
def test_O9_order_of_cards_discarded_together(table, rule, discard):
    t = table(discard_order=rule).deal(hands=["1T", "3K 3I"]).visit("customs")
    t.play(K)
    t.play(I)
    assert t.state.discard == discard
    t = table(discard_order=rule).deal(displays=["1K 1I"]).visit("bazaar")
    t.play(T)
    t.play(K)
    assert t.state.discard == ([T, K, I] if rule == "player" else [I, K, T])


@pytest.mark.parametrize("rule", ["optional", "mandatory"])
def test_O10_extra_draws(table, rule):
    t = table(extra_draws=rule).deal(hands=["2S"]).tile("r6", "camels_1").start(0)
    t.play(S, 1, 1, "r6")
    for why in ("turn", "match", "camels"):
        assert t.about["why"] == why
        assert (t.words[0] == "nothing") == (rule == "optional" and why != "turn")
        t.play("pile")


def test_O11_a_match_ends_after_so_many_turns(table):
    t = table(max_turns=3).start(0)
    t.state.turn = 1
    t.default_until()
    assert (t.state.turn, t.state.is_over) == (3, True)
    assert t.events("end")[0]["cause"] == "stalled"


def test_O11_a_match_ends_when_nobody_can_do_anything(table):
    t = table(2).deal(hands=["1T", ""], open="").pile("").start(0)
    t.play(*t.legal[0])
    while not t.state.is_over:
        t.play(*t.legal[0])
    assert t.events("end")[0]["cause"] == "stalled"
    assert [e["seat"] for e in t.events("no_card")][-2:] == [1, 0]
    assert t.state.view(0)["idle"] == 2


def test_O11_a_turn_with_a_card_breaks_the_row(table):
    t = table(3).deal(hands=["1T", "", "1T"], open="").pile("").start(1)
    assert t.events("no_card") == [{"type": "no_card", "seat": 1}]
    assert (t.asked, t.seat, t.state.view(0)["idle"]) == ("move", 2, 0)


def test_O12_all_places_are_different(table):
    for i in range(5):
        t = table(5, bytes([i] * 32), arrange=False)
        assert sorted(t.state.ranks) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("rule", ["at_once", "when_needed"])
def test_O13_when_the_discards_are_shuffled(table, rule):
    t = (
        table(2, reshuffle=rule)
        .deal(hands=["1T", "1T"], open="1I 1S 1P", discard="IIS")
        .pile("KT")
        .tile("r6", "customs")
        .start(0)
    )
    t.play(T, 1, 1, "r6")
    t.play(I)  # the open cards are made up with the K
    assert len(t.state.pile) == 1
    t.step(T, place="r7")
    assert (len(t.state.shuffles), len(t.state.pile), len(t.state.discard)) == (
        (1, 3, 0) if rule == "at_once" else (0, 0, 3)
    )


@pytest.mark.parametrize(
    ("rule", "queue"), [("stay", [10, 5, 2, 1, 8, 7]), ("back", [2, 1, 8, 7, 10, 5])]
)
def test_O14_camels_that_would_have_set_out(table, rule, queue):
    """Caravan 2 arrives with a jewel too few in the bag: 10 and 5 would have set out.
    The next small market shows it.
    """
    t = (
        table(camels_at_end=rule)
        .caravan(1, "r5", "Isfahan", [9])
        .caravan(2, "in_Sam", "Samarkand", [8, 7])
    )
    t.queue(10, 5, 2, 1).jewels(bag=1, Isfahan="B", Samarkand="BY", Byzanz="BYG").start(0)
    t.step(T, I, size=2, place="Samarkand")
    assert (t.state.ending, t.state.queue) == ("bag", queue)
    assert [e["camel"] for e in t.events("stable")] == ([8, 7] if rule == "stay" else [8, 7, 10, 5])
    t = t.deal(displays=["", "1P"]).tile("r6", "black_market").start(1).step(T)
    t.play("sell")
    assert t.state.camels[0] == ([10] if rule == "stay" else [2])


@pytest.mark.parametrize("camels_at_end", ["stay", "back"])
def test_O14_a_bot_follows_the_queue_by_moving_the_camels_of_stable_events(camels_at_end):
    rules, moved = GAME.rules({"camels_at_end": camels_at_end}), 0
    for seed in range(8):
        random = Random(seed)
        state, events = GAME.new(2, rules, random.randbytes(32))
        queue = events[0].data["queue"][:]
        while not state.is_over:
            for event in state.apply(
                {s: random.randrange(len(d.legal)) for s, d in state.pending().items()}
            ):
                kind, gone = event.data["type"], event.data.get("camels", [event.data.get("camel")])
                if kind in ("stable", "join", "caravan"):
                    moved += kind == "stable" and gone[0] in queue
                    queue = [camel for camel in queue if camel not in gone] + (
                        gone if kind == "stable" else []
                    )
            assert queue == state.queue
    assert (moved > 0) == (camels_at_end == "back")
    page = (Path(__file__).parents[3] / "protocol" / "games" / "silk_road.md").read_text("utf-8")
    assert (
        "`stable` | camel | to the tail of the queue. With O14 back the camel may be in "
        "the queue already" in page
    )


@pytest.mark.parametrize(
    ("rule", "seats"), [("active_first", [1, 2, 0]), ("active_last", [2, 0, 1])]
)
@pytest.mark.parametrize("dump", ["choose", "all"])
def test_O15_order_of_hands_laid_out(table, rule, seats, dump):
    t = (
        table(3, lay_out_order=rule, hand_dump=dump)
        .caravan(1, "in_Isf", "Isfahan", [8])
        .gone(3)
        .queue(10, 6, 5, 4, 3, 2, 1)
    )
    t.jewels(bag=0, Isfahan="B", Samarkand="BY").deal(hands=["2P 3I", "1T 1I 1P", "2P 1I"]).start(1)
    t.step(T, S, place="Isfahan")
    asked = []
    while t.asked == "lay_out":
        asked.append(t.seat)
        t.play(*t.legal[0])
    assert list(dict.fromkeys(e["seat"] for e in t.events("lay_out"))) == seats
    assert list(dict.fromkeys(asked)) == (seats if dump == "choose" else [])


@pytest.mark.parametrize("rule", ["two", "up_to_two"])
def test_O16_two_cards_or_up_to_two_with_an_empty_hand(table, rule):
    t = table(empty_hand=rule).deal(hands=[""], open="1I 2S", top="KTT").start(0)
    assert t.words == (["nothing", "pile", I, S] if rule == "up_to_two" else ["pile", I, S])
    assert (t.about["why"], t.about["more"]) == ("empty", True)
    t.play(S)
    assert t.words[0] == ("nothing" if rule == "up_to_two" else "pile")
    t.play(*t.legal[0])
    assert sum(t.state.hands[0]) == (1 if rule == "up_to_two" else 2)
    assert (t.seat, sum(t.state.open)) == (1, 3)


def test_O16_who_leaves_the_first_card_leaves_both(table):
    t = table(empty_hand="up_to_two", extra_draws="mandatory").deal(hands=[""]).start(0)
    t.play("nothing")
    assert (t.state.hands[0], t.asked, t.seat) == ([0] * 5, "move", 1)
    assert t.events("skip", "draw", "take") == [{"type": "skip", "seat": 0}]
    assert t.state.view(1)["idle"] == 0  # it could have drawn


def test_O16_seats_that_draw_nothing_for_ever_come_to_the_last_turn(table):
    t = table(2, empty_hand="up_to_two", max_turns=30).deal(hands=["", ""]).start(0)
    while not t.state.is_over:
        t.play("nothing")
    assert (t.state.turn, t.events("end")[0]["cause"]) == (30, "stalled")


def test_rules_that_came_later_stand_in_the_map_only_with_another_value():
    """So that events and records of version 0.1.0, which did not know them, keep their
    ids and digests.
    """
    default = GAME.rules({})
    assert (
        set(KEYS) - set(default) == set(LATER) == {"camels_at_end", "lay_out_order", "empty_hand"}
    )
    said = {"camels_at_end": "stay", "lay_out_order": "active_first", "empty_hand": "two"}
    assert GAME.rules(said) == default
    assert GAME.every_rule(default) == {**default, **said}
    given = {"lay_out_order": "active_last", "empty_hand": "two"}
    assert GAME.rules(given) == {**default, "lay_out_order": "active_last"}
    assert GAME.every_rule(GAME.rules(given)) == {**default, **said, "lay_out_order": "active_last"}


WRONG = {
    "camels_at_end unknown": (
        {"camels_at_end": "gone"},
        "camels_at_end is one of stay, back, not 'gone'",
    ),
    "lay_out_order a truth value": ({"lay_out_order": True}, "lay_out_order is one of"),
    "empty_hand a number": ({"empty_hand": 2}, "empty_hand is one of"),
    "an unknown rule": ({"goods": 1}, "unknown rule 'goods'"),
    "an unknown map": ({"map": "r2"}, "map is r1 or a table"),
    "a map that is a number": ({"map": 3}, "map is r1 or a table"),
    "unknown tiles": ({"tiles": "B"}, "tiles " + pattern("games", "c-table")),
    "an unknown tile": ({"tiles": {"casino": 22}}, "tiles " + pattern("games", "c-table")),
    "fewer tiles than none": ({"tiles": {"bazaar": -1}}, "tiles " + pattern("games", "c-table")),
    "too few tiles": ({"tiles": {"bazaar": 21}}, "21 tiles for the 22 villages"),
    "an unknown layout": (
        {"layout": "random"},
        "layout " + pattern("games", "shuffled-fixed-list"),
    ),
    "a layout of an unknown tile": (
        {"layout": ["casino"] * 22},
        "layout " + pattern("games", "shuffled-fixed-list"),
    ),
    "a layout of other tiles": (
        {"layout": ["bazaar"] * 22},
        "layout does not name exactly the tiles of the rule tiles",
    ),
    "a fixed layout of other tiles": (
        {"layout": "fixed", "tiles": "C"},
        "layout is fixed, but the tiles of the map are not those of the rule tiles",
    ),
    "a fixed layout of a map without tiles": (
        {"layout": "fixed", "map": {**MAPS["r1"], "tiles": {}}},
        "layout is fixed, but the map says no tiles",
    ),
    "tied_decline unknown": (
        {"tied_decline": "no"},
        "tied_decline is one of recompute, original_tie, not 'no'",
    ),
    "baksheesh a truth value": ({"baksheesh": True}, "baksheesh is one of"),
    "most_cards 0": (
        {"most_cards": 0},
        "most_cards " + r"is unlimited or a number of cards 1\.\.14, not 0",
    ),
    "most_cards a truth value": ({"most_cards": True}, "most_cards is"),
    "supply a number": ({"supply": 10}, "supply is one of"),
    "hand_dump None": ({"hand_dump": None}, "hand_dump is one of"),
    "first_targets a list": ({"first_targets": []}, "first_targets is one of"),
    "max_turns 0": ({"max_turns": 0}, "max_turns " + pattern("games", "number-turns") + "2000"),
    "max_turns a text": ({"max_turns": "400"}, "max_turns is"),
}


@cases(("given", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_rules_map_is_refused(given, says):
    with pytest.raises(RulesError, match=says):
        GAME.rules(given)


def test_every_mistake_is_reported_at_once():
    with pytest.raises(RulesError) as caught:
        GAME.rules({"camels": 1, "map": "r9", "tiles": 4, "supply": "none", "max_turns": -1})
    assert [problem.split()[0] for problem in caught.value.problems] == [
        "unknown",
        "tiles",
        "supply",
        "max_turns",
        "map",
    ]


def test_the_canonical_map_has_all_keys_in_order():
    given = {"max_turns": 7, "supply": "capped"}
    assert tuple(GAME.rules(given)) == tuple(key for key in KEYS if key not in LATER)
    assert tuple(GAME.every_rule(GAME.rules(given))) == KEYS
    assert (
        tuple(
            GAME.rules(
                {"empty_hand": "up_to_two", "camels_at_end": "back", "lay_out_order": "active_last"}
            )
        )
        == KEYS
    )
