"""Each ruling S1 to S19 of RULES.md, by number, and the rulebook's examples."""

import pytest
from silk_road_market import I, K, P, S, T, market

from khiva_arena.games.silk_road.markets import next_target
from khiva_arena.games.silk_road.tables import GOOD_OF, GOODS

# --- S1 to S6: setting up, moving, drawing ---


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_S1_the_table_is_laid_out(table, seats):
    t = table(seats, arrange=False)
    state = t.state
    assert [sum(hand) for hand in state.hands] == [4] * seats
    assert sum(state.open) == 3
    assert len(state.pile) == 70 - 3 - 4 * seats
    assert [len(camels) for camels in state.camels] == [1, 2, 3]
    assert len(state.queue) == 4
    assert len(state.bag) == 20 - 6
    assert len(set(state.drivers)) == seats
    assert sum(n for piece, n in state.components().items() if piece.startswith("good")) == 70
    assert sum(n for piece, n in state.components().items() if piece.startswith("jewel")) == 20
    assert sum(n for piece, n in state.components().items() if piece.startswith("tile")) == 22


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_S1_the_lowest_driver_begins_and_all_five_are_dealt_from(table, seats):
    drivers = set()
    for i in range(30):
        t = table(seats, bytes([i] * 32), arrange=False)
        assert t.state.drivers[t.seat] == min(t.state.drivers)
        drivers |= set(t.state.drivers)
    assert drivers == {1, 2, 3, 4, 5}


def test_S1_two_camels_a_good(table):
    assert sorted(GOOD_OF[1:]) == sorted([*range(5), *range(5)])
    assert [GOODS[GOOD_OF[camel]] for camel in (10, 9, 8, 7, 6)] == [
        "silk",
        "porcelain",
        "spice",
        "ivory",
        "tea",
    ]
    assert [GOODS[GOOD_OF[camel]] for camel in (1, 2, 3, 4, 5)] == [
        "silk",
        "porcelain",
        "spice",
        "ivory",
        "tea",
    ]


def test_S2_cards_of_one_good_move_a_caravan_by_their_number(table):
    t = table().deal(hands=["2K 1T"]).start(0)
    assert {tuple(entry[:2]) for entry in t.legal} == {(K, 1), (K, 2), (T, 1)}
    t.play(K, 2, 1, "r7")
    assert (t.state.hands[0], t.state.displays[0], t.where(1)) == (
        [0, 0, 0, 0, 1],
        [0, 0, 0, 2, 0],
        "r7",
    )


def test_S2_the_default_is_one_card_and_the_order_is_by_cards_good_caravan_place(table):
    t = table().deal(hands=["2K 3T 1S"]).start(0)
    assert t.legal[0] == [S, 1, 1, "r6"]
    key = [(n, good, size, t.board.index[place]) for good, n, size, place in t.legal]
    assert key == sorted(key)


def test_S2_example_2_cards_join_those_in_the_display(table):
    t = (
        table()
        .deal(hands=["4I 1T"], displays=["2I"])
        .caravan(3, "r5", "Byzanz", [10, 4, 1])
        .caravan(1, "r1", "Isfahan", [8])
    )
    t.start(0).play(I, 3, 3, "r8")
    assert (t.state.hands[0], t.state.displays[0]) == ([1, 0, 0, 0, 1], [5, 0, 0, 0, 0])


def test_S2_every_seat_can_move_every_caravan(table):
    t = table().start(3)
    assert {entry[2] for entry in t.legal} == {1, 2, 3}


def test_S3_example_1_and_3_two_steps_from_the_target(table):
    t = table().caravan(2, "r2", "Samarkand", [3, 2]).deal(hands=["3K 1I 1P"]).start(0)
    assert t.moves(2) == {(1, "in_Sam"), (2, "Samarkand")}


def test_S3_example_4_two_routes_of_three_steps(table):
    t = (
        table()
        .caravan(3, "Amritsar", "Byzanz", [10, 4, 1])
        .caravan(2, "r0", "Samarkand", [9, 7])
        .deal(hands=["3S"])
        .start(0)
    )
    assert {place for count, place in t.moves(3) if count == 3} == {"r9", "r8"}


def test_S3_an_occupied_village_is_skipped_and_not_counted(table):
    t = (
        table()
        .caravan(2, "r6", "Samarkand", [9, 7])
        .caravan(3, "r7", "Byzanz", [6, 4, 3])
        .deal(hands=["2T"])
        .start(0)
    )
    assert t.moves(1) == {(1, "r8"), (2, "in_Isf")}


def test_S3_a_signpost_binds_though_it_is_skipped(table):
    t = (
        table()
        .caravan(1, "r4", "Chang'an", [8])
        .caravan(2, "r5", "Samarkand", [9, 7])
        .deal(hands=["2T"])
        .start(0)
    )
    assert t.moves(1) == {(1, "in_Cha"), (2, "Chang'an")}


def test_S3_a_signpost_for_another_city_does_not_bind(table):
    t = table().caravan(1, "r4", "Amritsar", [8]).deal(hands=["2T"]).start(0)
    assert t.moves(1) == {(1, "r5"), (2, "r6")}


def test_S2_what_was_played_is_told_until_the_next_turn(table):
    t = table().tile("r6", "customs").start(0)
    assert t.state.view(1)["played"] is None
    t.play(T, 1, 1, "r6")
    assert t.state.view(1)["played"] == [T, 1, 1, "r5"]
    t.play("pile")
    assert (t.seat, t.state.view(1)["played"]) == (1, None)


def test_S3_passing_a_village_triggers_nothing(table):
    t = (
        table()
        .tile("r6", "bazaar")
        .tile("r7", "sandstorm")
        .deal(hands=["2T"], displays=["1I 1S 1P", "1I"])
        .start(0)
    )
    t.step(T, count=2, place="r7")
    assert [e["tile"] for e in t.events("action")] == ["sandstorm"]


def test_S4_the_card_is_drawn_before_the_action_and_open_cards_are_made_up_after_it(table):
    t = table().tile("r6", "baksheesh").deal(hands=["1T"], open="1I 1S 1P", top="KK").start(0)
    t.play(T, 1, 1, "r6")
    t.play(I)
    assert (t.asked, t.words, t.state.open) == ("baksheesh", [S, P], [0, 1, 1, 0, 0])
    t.play(S)
    assert t.state.open == [0, 0, 1, 2, 0]
    order = [e.data["type"] for e in t.log]
    assert (
        order.index("move")
        < order.index("take")
        < order.index("action")
        < order.index("buy")
        < order.index("refill")
    )


def test_S5_example_5_one_card_when_the_good_is_not_carried(table):
    t = table().caravan(2, "r2", "Samarkand", [3, 2]).deal(hands=["3K 1I 1P"]).start(0)
    t.play(K, 2, 2, "Samarkand")
    assert (t.asked, t.about["why"], t.about["more"]) == ("draw", "turn", False)
    assert t.words == ["pile", I, S, P]
    t.play(I)
    assert t.state.hands[0] == [2, 0, 1, 1, 0]


def test_S5_example_6_a_second_card_when_the_good_is_carried(table):
    t = table().caravan(3, "r5", "Byzanz", [10, 4, 1]).caravan(1, "r1", "Isfahan", [8])
    t.deal(hands=["3I"], open="2T 1P", top="K").start(0)
    t.play(I, 3, 3, "r8")
    assert t.about["more"]
    t.play("pile")
    assert (t.asked, t.about["why"], t.words) == ("draw", "match", ["nothing", "pile", P, T])
    t.play(T)
    assert t.state.hands[0] == [0, 0, 0, 1, 1]


def test_S5_open_cards_are_not_made_up_between_two_draws(table):
    t = table().deal(hands=["1S"], open="1I 1S 1P").start(0)
    t.play(S, 1, 1, "r6")
    t.play(I)
    assert t.words == ["nothing", "pile", S, P]


def test_S6_a_caravan_heads_for_the_city_with_as_many_jewels(table):
    for i in range(20):
        t = table(3, bytes([i] * 32), arrange=False)
        while not t.state.is_over:
            for size in (1, 2, 3):
                if t.state.places[size - 1] >= 0:
                    at_market = t.state.places[size - 1] == t.state.targets[size - 1]
                    assert at_market or len(t.state.cities[t.state.targets[size - 1]]) == size
            t.state.apply({t.seat: len(t.legal) // 2})


# --- S7 to S9: markets ---


@pytest.mark.parametrize(("held", "sold"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (14, 7)])
def test_S7_half_of_the_cards_rounded_up(table, held, sold):
    t = (
        table()
        .deal(open="1I 1T 1P", displays=[f"{held}S"])
        .caravan(1, "in_Byz", "Byzanz", [8])
        .jewels(Byzanz="B")
        .start(1)
    )
    t.state.targets[2] = t.board.index["Isfahan"]
    t.step(T, place="Byzanz").play("sell")
    assert t.events("sale")[0]["count"] == sold
    assert t.state.displays[0][S] == held - sold
    assert t.state.discard.count(S) == sold


def test_S7_most_cards_sell_whatever_the_drivers(table):
    t = market(table, ["1S", "3S", "2S", ""])
    assert (t.asked, t.seat) == ("sell", 1)
    t.play("sell")
    assert t.state.drivers == [1, 2, 3, 4]


def test_S7_of_three_tied_the_highest_driver_sells_and_changes_with_the_lowest(table):
    t = market(table, ["2S", "2S", "2S", ""], drivers=(3, 5, 2, 4))
    assert t.seat == 1
    t.play("sell")
    assert t.state.drivers == [3, 2, 5, 4]


def test_S7_a_single_colour_is_not_asked_for(table):
    t = market(table, ["1S", "", "", ""])
    t.play("sell")
    assert [e["colour"] for e in t.events("jewel")] == [0]


def test_S7_every_camel_goes_to_the_tail_sold_or_not(table):
    t = market(table, ["1S", "", "", ""], camels=(10, 8, 2))
    t.default_until("move")
    assert t.state.queue[-3:] == [10, 8, 2] or t.state.camels[2] == [10, 8, 2]
    assert [e["camel"] for e in t.events("stable")] == [10, 8, 2]
    assert [e["camel"] for e in t.events("unsold")] == [10, 2]


def test_S8_a_new_caravan_sets_out_from_the_city_it_was_sold_in(table):
    t = market(table, [], camels=(10, 8))
    assert t.where(2) == "Byzanz"
    assert (
        t.board.names[t.state.targets[1]] == "Chang'an"
    )  # Samarkand has jewels, Tashkent is the first empty one
    assert len(t.state.cities[t.board.index["Chang'an"]]) == 2


def test_S8_the_own_city_is_not_empty(table):
    t = table().caravan(1, "Byzanz", "Isfahan", [8]).jewels(Samarkand="B", Tashkent="BY")
    t.caravan(2, "Chang'an", "Samarkand", [9, 7]).caravan(3, "Amritsar", "Tashkent", [6, 4, 3])
    t.state.cities[t.board.index["Isfahan"]] = []
    assert t.board.names[next_target(t.state, 1)] == "Isfahan"
    t.state.places[2], t.state.places[0] = t.state.places[0], t.state.places[2]
    assert t.board.names[next_target(t.state, 3)] == "Isfahan"


def test_S9_of_two_camels_of_the_good_the_higher_one_is_sold(table):
    t = (
        table()
        .caravan(3, "r5", "Byzanz", [10, 6, 5])
        .caravan(1, "r1", "Isfahan", [8])
        .queue(4, 3, 2, 1)
    )
    t.tile("r6", "tea_market").deal(displays=["2T"]).start(1).step(T, size=3)
    assert (t.seat, t.about["camel"]) == (0, 6)


def test_S9_a_tie_at_a_small_market_changes_drivers(table):
    t = (
        table()
        .caravan(1, "r5", "Isfahan", [6])
        .caravan(3, "r9", "Byzanz", [8, 4, 3])
        .deal(displays=["", "2T", "2T"])
    )
    t.visit("tea_market", seat=3)
    t.play("sell")
    assert (t.state.drivers, t.state.colourless) == ([1, 3, 2, 4], [0, 0, 1, 0])
    assert (t.state.camels[0], t.state.queue) == ([10], [5, 2, 1, 6])


def test_S9_without_a_seller_no_camel_is_exchanged(table):
    t = (
        table()
        .caravan(1, "r5", "Isfahan", [6])
        .caravan(3, "r9", "Byzanz", [8, 4, 3])
        .deal(hands=["1I"])
    )
    t.visit("tea_market", good=I)
    assert (t.state.camels[0], t.state.queue) == ([6], [10, 5, 2, 1])
    assert [e["camel"] for e in t.events("unsold")] == [6]


def test_S9_black_market_is_for_the_highest_camel_alone(table):
    t = (
        table()
        .caravan(3, "r5", "Byzanz", [9, 4, 3])
        .caravan(1, "r1", "Isfahan", [8])
        .caravan(2, "Amritsar", "Samarkand", [7, 6])
    )
    t.tile("r6", "black_market").deal(displays=["2I", "3S"]).start(0).step(T, size=3)
    assert [e["camel"] for e in t.events("unsold")] == [
        9
    ]  # ivory and spice could be sold, but are not asked for
    t = table().deal(displays=["", "2S"]).visit("black_market")
    assert (t.seat, t.about["market"], t.about["camel"]) == (1, "black", 8)
    t.play("sell")
    assert (t.state.colourless[1], t.state.camels[0], t.state.queue) == (1, [10], [5, 2, 1, 8])
