"""Each ruling S10 to S19 of RULES.md, by number, and the rulebook's examples."""

import pytest
from silk_road_market import I, K, P, S, T, market

from khiva_arena.errors import IllegalChoice
from khiva_arena.games.base import NOBODY
from khiva_arena.games.silk_road import rules
from khiva_arena.games.silk_road.tables import COLOURLESS_POINTS, SET_POINTS, TILE_SETS


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_S10_one_more_card_for_a_caravan_that_is_small_enough(table, most, size):
    camels = {1: [8], 2: [9, 7], 3: [10, 9, 7]}[size]
    t = table().caravan(1, "r1", "Isfahan", [8]).caravan(size, "r5", "Isfahan", camels)
    t.tile("r6", f"camels_{most}").start(0).step(T, size=size)
    if size <= most:
        assert (t.asked, t.about["why"], t.words[:2]) == ("draw", "camels", ["nothing", "pile"])
        t.play("pile")
        assert sum(t.state.hands[0]) == 2
    else:
        assert (t.asked, t.events("nothing")) == (
            "move",
            [{"type": "nothing", "tile": f"camels_{most}"}],
        )


def test_S11_customs_cut_the_others_to_four_from_the_left(table):
    t = table().deal(hands=["9T", "5K", "3K 3I", "4S"], top="S").visit("customs", seat=3, good=S)
    assert sum(t.state.hands[3]) == 4
    assert [(e["seat"], e["good"]) for e in t.events("discard")] == [(0, T)] * 5 + [
        (1, K)
    ]  # one good: no question
    assert (t.asked, t.seat, t.words, t.about["left"]) == ("customs", 2, [I, K], 2)
    t.play(K)
    t.play(I)
    assert [sum(hand) for hand in t.state.hands] == [4, 4, 4, 4]


def test_S11_customs_spare_the_active_seat_and_small_hands(table):
    t = table().deal(hands=["9T", "4K", "1K", "2S"]).visit("customs")
    assert (sum(t.state.hands[0]), t.events("discard")) == (9, [])
    assert t.events("nothing")


def test_S11_sandstorm_takes_one_card_of_each_other_display(table):
    t = table().deal(displays=["2K", "1K 2I", "", "3P"]).visit("sandstorm")
    assert (t.asked, t.seat, t.words) == ("sandstorm", 1, [I, K])
    t.play(I)
    assert [(e["seat"], e["good"], e["from"]) for e in t.events("discard")] == [
        (1, I, "display"),
        (3, P, "display"),
    ]
    assert t.state.displays[0] == [0, 0, 0, 2, 1]


def test_S12_a_chain_goes_on_until_nobody_is_left(table):
    t = table(5).deal(displays=["1I", "1S", "1P", "1K", "1T"], discard="PT").visit("robber", seat=2)
    t.play(4, T)
    assert (t.seat, t.legal, t.about["robbed"]) == (4, [[0, I], [1, S], [3, K]], [4])
    t.play(1, S)
    assert (t.seat, t.about["robbed"]) == (1, [1, 4])
    t.play(3, K)
    assert [e["victim"] for e in t.events("rob")] == [4, 1, 3, 0]
    assert t.events("salvage") == [{"type": "salvage", "seat": 0, "from": "discard", "good": T}]
    # The active seat 2 had a card and was not robbed.
    assert t.state.displays[2] == [0, 0, 1, 0, 2]


def test_S12_a_second_robber_may_rob_who_was_robbed_by_the_first(table):
    t = table(tiles={"robber": 22}).deal(displays=["", "", "2K"], discard="P").start(0).step()
    assert [(e["seat"], e["victim"]) for e in t.events("rob")] == [(0, 2)]
    t.step(place="r7")  # seat 1
    assert (t.asked, t.seat, t.about["robbed"]) == ("robber", 1, [])
    assert t.legal == [[2, P], [2, K], [0, K], [0, T]]


def test_S12_nothing_at_all_to_take(table):
    t = table(2).deal(hands=["1T", "1T"], open="").pile("K")
    t.state.hands[0], t.state.displays[1] = t.state.displays[1], [0] * 5
    t.state.hands[0][T] += 1
    t.state.drawn[0] = []
    t.visit("robber")
    assert [e["seat"] for e in t.events("no_card")] == [0]


def test_S13_example_17_three_different_goods_for_a_colourless_jewel(table):
    t = table().deal(displays=["1P 1K 1I"]).visit("bazaar")
    assert (t.asked, t.words) == ("bazaar", ["no", I, P, K, T])
    t.play(P)
    assert (t.words, t.about["named"], t.state.displays[0]) == ([I, K, T], [P], [1, 0, 1, 1, 1])
    t.play(K)
    t.play(T)
    assert (t.state.discard, t.state.colourless[0], t.state.displays[0]) == (
        [P, K, T],
        1,
        [1, 0, 0, 0, 0],
    )


def test_S13_a_bazaar_may_be_left_and_needs_three_goods(table):
    t = table().deal(displays=["1P 1K"]).visit("bazaar").play_on("no")
    assert (t.asked, t.state.discard) == ("move", [])
    t = table().deal(displays=["4K"]).visit("bazaar")
    assert (t.asked, len(t.events("nothing"))) == ("move", 1)


def test_S13_goods_are_named_one_by_one_and_nothing_changes_before_the_third(table):
    t = table().deal(displays=["2P 1K 1I"]).visit("bazaar")

    def seen():
        return [
            {key: value for key, value in t.state.view(seat).items() if key != "ask"}
            for seat in range(4)
        ]

    before = seen()
    for good in (K, P):
        (event,) = t.play(good)
        assert (event.data, event.to) == ({"type": "name", "seat": 0, "good": good}, None)
        assert seen() == before
    done = t.play(T)
    assert [event.data["type"] for event in done[:4]] == [
        "discard",
        "discard",
        "discard",
        "colourless",
    ]
    assert [event.data["good"] for event in done[:3]] == [K, P, T]
    assert len(t.events("name")) == 2
    assert (t.state.displays[0], t.state.colourless[0]) == ([1, 0, 1, 0, 0], 1)


def test_S13_the_only_good_left_is_given_unasked_and_unnamed(table):
    t = table().deal(displays=["1P 1K"]).visit("bazaar")
    t.play(K)
    t.play(P)
    assert [e["good"] for e in t.events("name")] == [K, P]
    assert [e["good"] for e in t.events("discard")] == [K, P, T]


def test_S13_baksheesh_needs_an_open_card_and_a_card_in_hand(table):
    t = table().deal(open="").visit("baksheesh")
    assert (t.asked, len(t.events("nothing"))) == ("move", 1)


def test_S13_baksheesh_cannot_be_paid_without_a_card_in_hand(table):
    """The draw before it takes one of the open cards if nothing else is left, so a
    match does not come to an empty hand and an open card; here the draw is left out.
    """
    t = table(2).deal(hands=["1T"], open="2I").pile("").visit("baksheesh")
    assert (len(t.events("buy")), [e["good"] for e in t.events("discard")]) == (1, [I])
    t = (
        table(2)
        .deal(hands=[""], open="1I")
        .pile("")
        .tile("r6", "baksheesh")
        .caravan(1, "r6", "Isfahan", [8])
    )
    t.state.played, t.state.active = (T, 1, 1, t.board.index["r5"]), 0
    t.state.tasks, t.state.asked = [("act",)], NOBODY
    rules._run(t.state, t.log)
    assert t.events("nothing") == [{"type": "nothing", "tile": "baksheesh"}]
    assert (t.asked, t.state.open) == (None, [1, 0, 0, 0, 0])


def test_S14_the_third_colourless_jewel_becomes_a_marker_at_once(table):
    t = table().deal(displays=["1P 1K"])
    t.state.colourless[0] = 2
    t.visit("bazaar").play(P)
    t.play(K)
    assert (t.state.colourless[0], t.state.markers[0], t.state.scores[0]) == (0, 1, 8)
    assert t.events("marker") == [{"type": "marker", "seat": 0}]


def test_S15_who_declines_gives_the_right_to_the_next(table):
    t = market(table, ["1S", "3S", "2S", ""])
    t.play("decline")
    assert (t.seat, t.about["declined"]) == (2, [1])
    t.play("decline")
    assert (t.seat, t.about["declined"]) == (0, [1, 2])
    t.play("decline")
    assert [e["camel"] for e in t.events("unsold")] == [8]
    assert t.events("removed") == [{"type": "removed", "from": "Byzanz", "colours": [0]}]
    assert [display[S] for display in t.state.displays] == [1, 3, 2, 0]


def test_S15_when_all_decline_a_small_market_is_off(table):
    t = table().deal(displays=["", "2S"]).visit("black_market")
    t.play("decline")
    assert (t.state.camels[0], t.state.queue, t.state.colourless) == (
        [8],
        [10, 5, 2, 1],
        [0, 0, 0, 0],
    )


def test_S16_an_empty_hand_draws_two_and_moves_nothing(table):
    t = table().deal(hands=[""], open="1I 2S", top="KTT").start(0)
    assert (t.asked, t.about["why"], t.words) == ("draw", "empty", ["pile", I, S])
    t.play(S)
    t.play("pile")
    assert (t.state.hands[0], t.state.open, t.seat) == ([0, 1, 0, 1, 0], [1, 1, 0, 0, 1], 1)


def test_S16_the_discards_become_the_pile(table):
    t = table(2).deal(hands=["1T", "1T"], discard="IIS").pile("K").start(0)
    t.play(T, 1, 1, "r6")
    t.play("pile")
    assert t.state.hands[0] == [0, 0, 0, 1, 0]
    assert t.events("reshuffle") == [{"type": "reshuffle", "shuffle": 1, "counts": [2, 1, 0, 0, 0]}]
    assert sorted(t.state.pile) == [I, I, S]
    assert t.state.discard == []


@pytest.mark.parametrize("rule", ["at_once", "when_needed"])
def test_S16_the_pile_runs_out_while_the_open_cards_are_made_up(table, rule):
    t = (
        table(2, reshuffle=rule)
        .deal(hands=["2T", "1T"], open="2I", discard="SS")
        .pile("K")
        .tile("r6", "customs")
        .start(0)
    )
    t.step(T, I)
    assert t.state.open == [1, 1, 0, 1, 0]
    assert (t.state.pile, t.state.discard) == ([S], [])
    assert t.events("take", "refill", "reshuffle") == [
        {"type": "take", "seat": 0, "good": I},
        {"type": "refill", "goods": [K]},
        {"type": "reshuffle", "shuffle": 1, "counts": [0, 2, 0, 0, 0]},
        {"type": "refill", "goods": [S]},
    ]


def test_S16_open_cards_are_made_up_as_far_as_there_are_cards(table):
    t = (
        table(2)
        .deal(hands=["2T", "1T"], open="2I")
        .pile("K")
        .tile("r6", "customs")
        .start(0)
        .step(T, I)
    )
    assert t.state.open == [1, 0, 0, 1, 0]
    assert t.events("refill", "reshuffle") == [{"type": "refill", "goods": [K]}]


def test_S16_nothing_left_to_draw(table):
    t = table(2).deal(hands=["1T", "1T"], open="").pile("").visit("camels_1")
    assert t.events("no_card") == [{"type": "no_card", "seat": 0}] * 2
    assert (t.asked, t.seat) == ("move", 1)


def test_S17_declining_and_the_queue_at_the_end(table):
    t = table().caravan(2, "in_Sam", "Samarkand", [9, 7]).gone(3).queue(10, 6, 5, 4, 3, 2, 1)
    t.jewels(bag=0, Isfahan="B", Samarkand="BY").deal(
        hands=["1T", "2S 1I", "1S"], displays=["", "", "4S"]
    ).start(0)
    t.step(T, I, size=2, place="Samarkand")
    assert [e["size"] for e in t.events("retire")] == [2]
    assert t.state.queue == [10, 6, 5, 4, 3, 2, 1, 9, 7]
    assert (t.asked, t.seat, t.words, t.about["good"]) == ("lay_out", 1, [2, 1, 0], S)
    t.play(0)
    t.play(1)
    assert (t.asked, t.seat) == ("sell", 2)
    t.play("decline")
    assert t.state.is_over  # nobody else has spice: the jewel is gone
    assert t.state.removed[0] + sum(held[0] for held in t.state.jewels) + t.state.bag.count(0) == 4
    assert t.state.hands[1] == [1, 2, 0, 0, 0]


def test_S17_every_good_of_the_last_caravan_is_laid_out(table):
    """Seat by seat from the active one on, each good of the caravan in order; a seat
    without a card of it is not asked.
    """
    t = table(3).caravan(1, "in_Isf", "Isfahan", [8]).gone(3).queue(10, 6, 5, 4, 3, 2, 1)
    t.jewels(bag=0, Isfahan="B", Samarkand="BY").deal(hands=["2P 3I 1S", "1T 1I", "2P"]).start(1)
    t.step(T, S, place="Isfahan")
    asked = []
    while t.asked == "lay_out":
        asked.append((t.seat, t.about["good"], t.legal))
        t.play(*t.legal[0])
    assert asked == [
        (1, I, [[1], [0]]),
        (2, P, [[2], [1], [0]]),
        (0, I, [[3], [2], [1], [0]]),
        (0, P, [[2], [1], [0]]),
    ]
    laid = [(e["seat"], e["good"], e["count"]) for e in t.events("lay_out")]
    assert laid == [(1, I, 1), (1, P, 0), (2, I, 0), (2, P, 2), (0, I, 3), (0, P, 2)]
    assert t.state.hands[0] == [0, 1, 0, 0, 0]


def test_S17_all_cards_of_a_good_may_be_laid_out(table):
    t = table(3).caravan(1, "in_Isf", "Isfahan", [8]).gone(3).queue(10, 6, 5, 4, 3, 2, 1)
    t.jewels(bag=0, Isfahan="B", Samarkand="BY").deal(
        hands=["14I", "1T 1S", "2P"], open="2S 1P"
    ).start(1)
    t.step(T, S, place="Isfahan")
    while t.seat != 0:
        t.play(*t.legal[0])
    assert (t.asked, t.about["good"], t.words) == ("lay_out", I, [*range(14, -1, -1)])


def test_S17_an_empty_bag_loses_nothing(table):
    t = (
        table()
        .caravan(1, "in_Isf", "Isfahan", [8])
        .jewels(bag=0, Isfahan="B", Samarkand="BY", Byzanz="BYG")
        .start(0)
    )
    t.step(T, place="Isfahan")
    assert [e["from"] for e in t.events("removed")] == ["Isfahan"]
    assert t.state.ending == "bag"


@pytest.mark.parametrize(("bag", "goes_on"), [(0, False), (1, True)])
def test_S17_as_many_jewels_as_camels_are_enough(table, bag, goes_on):
    t = (
        table()
        .caravan(1, "in_Isf", "Isfahan", [8])
        .jewels(bag=bag, Isfahan="B", Samarkand="BY", Byzanz="BYG")
        .start(0)
    )
    t.step(T, place="Isfahan")
    assert (t.state.places[0] >= 0, t.state.bag) == (goes_on, [])


def test_S18_layers_of_colours_and_colourless_jewels(table):
    state = table().state
    assert tuple(n * (n + 1) // 2 for n in range(6)) == SET_POINTS
    assert COLOURLESS_POINTS[:3] == (0, 2, 4)
    state.jewels[0] = [4, 4, 4, 4, 4]
    state.jewels[1] = [0, 0, 3, 0, 1]
    state.colourless[2], state.markers[2] = 1, 1
    assert state.scores == [60, 3 + 1 + 1, 10, 0]
    assert state.points_by_source[2] == (
        {"sets of jewels": 0, "colourless jewels": 2, "markers": 8},
        {},
    )


def test_S18_the_higher_driver_wins_a_tie(table):
    state = table().drivers(2, 5, 1, 3).state
    assert state.ranks == [3, 1, 4, 2]
    state.colourless[2] = 1
    assert state.ranks == [4, 2, 1, 3]


def test_S19_what_is_public_and_what_is_not(table):
    t = table(3).deal(hands=["2T 1K", "3S", "1P"], open="1I 1S 1P", top="KII").start(0)
    t.play(T, 1, 1, "r6")
    seen = {seat: [e.data for e in t.play("pile") if e.to is None or seat in e.to] for seat in (1,)}
    assert {"type": "draw", "seat": 0} in seen[1]
    assert not [e for e in seen[1] if e["type"] == "drawn"]
    mine, other = t.state.view(0), t.state.view(1)
    assert (mine["hand"], mine["known"][0]) == ([0, 0, 0, 2, 1], [0, 0, 0, 2, 1])
    assert (other["hands"][0], other["known"][0]) == (3, [0] * 5)
    assert mine["history"]["drawn"][-1] == K


def test_an_illegal_choice_changes_nothing(table):
    t = table().start(0)
    before = t.state.view(0)
    for wrong in (
        {},
        {1: 0},
        {0: -1},
        {0: 10_000},
        {0: True},
        {0: "0"},
        {0: 0, 1: 0},
        {"x": 0, 1: 2},
    ):
        with pytest.raises(IllegalChoice):
            t.state.apply(wrong)
    assert t.state.view(0) == before


def test_tile_sets_have_22_tiles():
    assert {name: sum(tiles.values()) for name, tiles in TILE_SETS.items()} == {"A": 22, "C": 22}
