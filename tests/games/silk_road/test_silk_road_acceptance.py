"""The twelve acceptance tests of the rules sheet, T1 to T12: seats 0 to 3 are Helmut,
Gerd, Catherine, Sabine.
"""

I, S, P, K, T = range(5)  # noqa: E741


def large(table, **rules):
    """Caravan [10, 4, 1] one step before Byzanz, three jewels there; Helmut has a tea
    to play.
    """
    t = table(**rules).drivers(4, 2, 1, 5).queue(5, 6, 2, 8)
    t.caravan(1, "Samarkand", "Tashkent", [3]).caravan(2, "r6", "Amritsar", [9, 7]).caravan(
        3, "in_Byz", "Byzanz", [10, 4, 1]
    )
    return t.jewels(Tashkent="B", Amritsar="BY", Byzanz="RGV")


def test_T1_a_large_market_with_two_ties(table):
    t = large(table).deal(hands=["1T", "1T", "1T", "1T"], displays=["3K", "3K", "3K", ""]).start(0)
    t.step(T, size=3, place="Byzanz")
    assert (t.asked, t.seat, t.about["camel"]) == ("sell", 0, 10)
    t.play("sell")
    assert t.state.displays[0][K] == 1
    assert (t.asked, t.seat, t.words) == ("jewel", 0, [2, 3, 4])
    t.play(3)
    assert t.state.drivers == [1, 2, 4, 5]
    assert [e["camel"] for e in t.events("unsold")] == [4]
    assert (t.asked, t.seat, t.about["camel"]) == ("sell", 2, 1)
    t.play("sell")
    assert t.state.displays[2][K] == 1
    assert (t.asked, t.seat, t.words) == ("jewel", 2, [2, 4])
    t.play(2)
    assert t.state.drivers == [1, 4, 2, 5]
    assert t.state.jewels == [[0, 0, 0, 1, 0], [0] * 5, [0, 0, 1, 0, 0], [0] * 5]
    assert t.events("removed") == [{"type": "removed", "from": "Byzanz", "colours": [4]}]
    assert t.state.removed == [0, 0, 0, 0, 1]


def test_T2_the_camels_of_a_market_go_to_the_tail_and_the_head_sets_out(table):
    t = large(table).deal(displays=["3K", "3K", "3K", ""]).start(0)
    t.step(T, size=3, place="Byzanz").default_until("move")
    assert t.state.queue == [8, 10, 4, 1]
    assert t.state.camels[2] == [6, 5, 2]
    assert t.where(3) == "Byzanz"


def test_T3_empty_cities_are_counted_more_than_once(table):
    t = large(table).deal().start(0)
    bag = len(t.state.bag)
    t.step(T, size=3, place="Byzanz").default_until("move")
    assert t.board.names[t.state.targets[2]] == "Chang'an"
    assert len(t.state.cities[t.state.targets[2]]) == 3
    assert len(t.state.bag) == bag - 3


def test_T4_a_small_market_changes_a_camel(table):
    t = (
        table()
        .caravan(3, "r5", "Isfahan", [6, 5, 2])
        .caravan(1, "r9", "Byzanz", [4])
        .queue(8, 10, 3, 1)
    )
    t.tile("r6", "tea_market").deal(displays=["", "", "", "1T"]).start(0)
    t.step(T, "pile", "nothing", size=3)
    assert (t.asked, t.seat, t.about["market"]) == ("sell", 3, "small")
    t.play("sell")
    assert t.state.displays[3] == [0] * 5
    assert t.state.colourless == [0, 0, 0, 1]
    assert t.state.camels[2] == [8, 5, 2]
    assert t.state.queue == [10, 3, 1, 6]


def test_T5_a_market_for_a_good_that_is_not_carried_does_nothing(table):
    t = (
        table()
        .caravan(1, "r5", "Isfahan", [9])
        .caravan(2, "Amritsar", "Samarkand", [8, 7])
        .deal(displays=["2I", "2I", "", ""])
    )
    t.visit("ivory_market")
    assert t.events("nothing") == [{"type": "nothing", "tile": "ivory_market"}]
    assert (t.asked, t.state.turn) == ("move", 3)
    assert t.state.camels[0] == [9]


def test_T6_a_chain_of_robbery_ends_with_the_top_discard(table):
    t = table().deal(displays=["1P", "1P 1S", "", "2P"], discard="KI")
    t.visit("robber", seat=3)
    assert (t.asked, t.seat, t.legal) == ("robber", 3, [[0, P], [1, S], [1, P]])
    t.play(1, P)
    # Gerd can rob Helmut alone, and Helmut nobody: Catherine has no card.
    assert [(e["seat"], e["victim"], e["good"]) for e in t.events("rob")] == [(3, 1, P), (1, 0, P)]
    assert t.events("salvage") == [{"type": "salvage", "seat": 0, "from": "discard", "good": I}]
    assert t.state.displays == [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0] * 5, [0, 0, 3, 0, 1]]
    assert t.state.discard == [K]


def test_T7_a_robber_on_the_first_turn_takes_the_top_of_the_pile(table):
    t = table().caravan(1, "Tashkent", "Isfahan", [8]).tile("out_Tas", "robber")
    t.deal(hands=["4S"], top="KTP").start(0)
    t.play(S, 1, 1, "out_Tas")
    assert t.about["more"]
    t.play("pile")
    assert (t.asked, t.about["why"], t.words[:2]) == ("draw", "match", ["nothing", "pile"])
    t.play("pile")
    assert t.events("salvage") == [{"type": "salvage", "seat": 0, "from": "pile", "good": P}]
    # The spice it played and the card from the pile: both go to the display, none to
    # the hand.
    assert t.state.displays[0] == [0, 1, 1, 0, 0]
    assert t.state.hands[0] == [0, 3, 0, 1, 1]


def test_T8_baksheesh_paid_with_the_last_card(table):
    t = (
        table(2)
        .caravan(1, "r3", "Isfahan", [8])
        .deal(hands=["3K"], open="1K 2T", top="IIII")
        .tile("r6", "baksheesh")
        .start(0)
    )
    t.play(K, 3, 1, "r6")
    t.play(T)
    assert (t.asked, t.words) == ("baksheesh", [K, T])
    t.play(K)
    assert t.state.displays[0][K] == 4
    assert t.events("discard") == [
        {"type": "discard", "seat": 0, "from": "hand", "good": T, "why": "baksheesh"}
    ]
    assert sum(t.state.hands[0]) == 0
    assert t.events("refill") == [{"type": "refill", "goods": [I, I]}]
    t.default_until("move")  # seat 1
    t.step(T, place="r7").default_until("move", "draw")
    while t.state.active == 1:
        t.play(*t.legal[0])
    assert (t.asked, t.seat, t.about["why"], t.about["more"]) == ("draw", 0, "empty", True)
    t.play("pile")
    t.play("pile")
    assert sum(t.state.hands[0]) == 2
    assert (t.asked, t.seat) == ("move", 1)


def test_T9_no_more_cards_than_steps_to_the_target(table):
    t = (
        table()
        .caravan(1, "r2", "Samarkand", [8])
        .caravan(2, "Amritsar", "Isfahan", [9, 7])
        .deal(hands=["3K"])
        .start(0)
    )
    assert t.moves(1) == {(1, "in_Sam"), (2, "Samarkand")}


def test_T10_score_of_catherine(table):
    state = table().state
    state.jewels[2] = [3, 1, 2, 1, 1]
    assert state.scores[2] == 15 + 3 + 1
    state.markers[2], state.colourless[2] = 1, 2
    assert state.scores[2] == 31


def test_T11_a_bag_with_too_few_jewels(table):
    t = table().caravan(1, "r4", "Isfahan", [5]).caravan(2, "in_Sam", "Samarkand", [9, 6])
    t.caravan(3, "in_Byz", "Byzanz", [10, 8, 2]).queue(7, 3, 4, 1).jewels(
        bag=2, Isfahan="B", Samarkand="BY", Byzanz="RGV"
    )
    t.deal(displays=["2K 1P", "1S", "", ""]).start(0)
    t.step(T, size=3, place="Byzanz").default_until("move")
    assert [e["from"] for e in t.events("removed")] == ["bag"]
    assert sum(t.state.removed) == 14 - 2 + 2
    assert (t.state.places[2], t.state.ending, t.state.bag, t.state.cities[0]) == (
        -1,
        "bag",
        [],
        [],
    )
    assert t.state.queue == [7, 3, 4, 1, 10, 8, 2]
    assert {entry[2] for entry in t.legal} == {1, 2}


def test_T11_the_next_arrival_and_the_last_market(table):
    t = (
        table()
        .drivers(3, 4, 5, 2)
        .caravan(1, "r4", "Isfahan", [5])
        .caravan(2, "in_Sam", "Samarkand", [9, 6])
    )
    t.gone(3).queue(7, 3, 4, 1, 10, 8, 2).jewels(bag=0, Isfahan="B", Samarkand="BY")
    t.deal(hands=["1T", "1T", "1I", "3T"], displays=["4P 1T", "1P 2T", "4P 2T", "1P"]).start(2)
    t.step(I, I, size=2, place="Samarkand")
    assert (t.asked, t.seat, t.about["camel"]) == ("sell", 2, 9)
    t.play("sell")
    t.play(0)
    assert (t.state.displays[2][P], t.state.drivers) == (2, [5, 4, 3, 2])
    assert (t.asked, t.seat, t.about["camel"]) == ("sell", 1, 6)
    t.play("sell")
    assert (t.state.displays[1][T], t.state.drivers) == (1, [5, 3, 4, 2])
    # The last caravan is in its target; hands are laid out from the active seat on.
    # Catherine has no tea.
    assert (t.where(1), t.state.places[1]) == ("Isfahan", -1)
    assert (t.asked, t.seat, t.words) == ("lay_out", 3, [3, 2, 1, 0])
    t.play(3)
    assert (t.asked, t.seat, t.words) == ("lay_out", 0, [1, 0])
    t.play(1)
    t.play(1)
    assert [display[T] for display in t.state.displays] == [2, 2, 2, 3]
    assert (t.asked, t.seat, t.about["market"]) == ("sell", 3, "last")
    t.play("sell")
    assert t.state.displays[3][T] == 1
    assert t.state.jewels[3] == [1, 0, 0, 0, 0]
    assert t.state.is_over
    assert t.events("end")[0]["cause"] == "bag"


def test_T12_first_targets_by_counting_and_the_forks_of_R1(table):
    for rules in ({}, {"first_targets": "counted"}):
        t = table(arrange=False, **rules)
        assert [t.board.names[place] for place in t.state.places] == [
            "Tashkent",
            "Amritsar",
            "Chang'an",
        ]
        assert [t.board.names[target] for target in t.state.targets] == [
            "Isfahan",
            "Samarkand",
            "Byzanz",
        ]
        assert [len(t.state.cities[target]) for target in t.state.targets] == [1, 2, 3]
    t = (
        table()
        .caravan(3, "Chang'an", "Byzanz", [6, 4, 3])
        .caravan(1, "r1", "Isfahan", [8])
        .deal(hands=["3T"])
        .start(0)
    )
    assert {place for count, place in t.moves(3) if count == 3} == {"r6", "r7"}
    t = (
        table()
        .caravan(1, "Tashkent", "Isfahan", [8])
        .caravan(2, "out_Tas", "Samarkand", [9, 7])
        .deal(hands=["1T"])
        .start(0)
    )
    assert t.moves(1) == {(1, "r4"), (1, "in_Tas")}
