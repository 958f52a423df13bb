"""Each of the 18 event cards."""

import pytest

from khiva_arena.games.emira.tables import EMIRA_OF, EVENTS
from khiva_arena.games.emira.values import appearance, discount, palace, room


def test_bazaar_chooses_the_counter_that_comes_on_the_board(table):
    t = table()
    t.state.bag = [0, 3, 2]
    t.play(1, "bazaar")
    t.run("prepare")
    assert (t.asked, t.options) == ((1, "bazaar"), ["manners", "dress"])
    t.say("dress")
    assert t.state.shown_tokens == [2]
    assert t.state.bag == [0, 3, 1]


def test_better_breed_moves_the_own_track_up_to_150(table):
    t = table().has(0, camels=1)
    worth = [discount(t.state, 0)]
    for _ in range(3):
        t.play(0, "better_breed")
        worth.append(discount(t.state, 0))
    assert worth == [50, 70, 100, 150]
    t.state.events.put_under(t.state.played.pop(), 0)
    t.play(0, "better_breed")
    assert discount(t.state, 0) == 150
    assert t.events("void") == [{"type": "void", "event": "better_breed"}]


def test_camel_breeding_gives_a_camel_for_each_two(table):
    t = table().has(0, camels=4).has(3, camels=3)
    t.play(1, "camel_breeding")
    assert t.state.camels == [6, 0, 0, 4]


def test_camel_epidemic_takes_a_camel_for_each_three(table):
    t = table().has(0, camels=6).has(3, camels=2)
    left = t.state.supply[2]
    t.play(1, "camel_epidemic")
    assert t.state.camels == [4, 0, 0, 2]
    assert t.state.supply[2] == left + 2


@pytest.mark.parametrize(
    ("choice", "top", "winner"),
    [("keep", "Thara", 0), ("swap", "Thara", 1), ("bottom", "Asima", 0)],
)
def test_changing_her_mind(table, choice, top, winner):
    t = table().on_top("Thara", "Asima").has(0, tokens=(2, 0, 0)).has(1, sections=2)
    t.play(2, "changing_her_mind")
    assert t.asked == (2, "mind")
    assert t.options == ["keep", "swap", "bottom"]
    assert t.state.view(2)["ask"]["cards"] == ["Thara"]
    assert t.state.view(1)["ask"]["cards"] is None
    t.say(choice)
    assert t.deck(1) == top
    t.run("prepare")
    t.run("choice")
    assert t.princesses(winner) == top


def test_changing_her_mind_cannot_swap_sidi_suleiman(table):
    t = table().on_top("Sidi Suleiman")
    t.play(2, "changing_her_mind")
    assert t.options == ["keep", "bottom"]


def test_court_influence_reorders_the_top_three(table):
    t = table().on_top("Thara", "Asima", "Fatima", "Layla")
    t.play(1, "court_influence")
    assert t.state.view(1)["ask"] == {
        "kind": "order",
        "seat": 1,
        "about": "emiras",
        "cards": ["Thara", "Asima", "Fatima"],
    }
    assert len(t.options) == 6
    assert t.options[0] == [0, 1, 2]
    t.say([2, 0, 1])
    assert t.deck(4) == "Fatima Thara Asima Layla"


def test_double_trouble_brings_two_who_choose_in_order(table):
    t = table().on_top("Thara", "Malika").has(0, sections=1)
    t.play(1, "double_trouble")
    t.run("prepare")
    assert [EMIRA_OF["Thara"], EMIRA_OF["Malika"]] == t.state.active
    t.run("choice")
    assert [e["emira"] for e in t.events("join")] == ["Thara", "Malika"]


def test_golden_times_adds_a_fifth_to_all_income(table):
    t = table().has(0, small_slow=[3, 5])
    t.play(1, "golden_times")
    t.run("income")
    assert t.state.gold == [750 + 480, 870, 870, 870]


def test_good_looking_gives_a_counter_for_each_three_of_a_kind_for_good(table):
    t = table().has(0, tokens=(0, 7, 2))
    before = appearance(t.state, 0)
    t.play(0, "good_looking")
    assert t.options == ["beauty", "manners", "dress"]
    t.say("manners")
    assert appearance(t.state, 0) == before + 2
    t.has(0, tokens=(0, 2, 2))
    assert t.state.looks[0] == [2]
    assert appearance(t.state, 0) == 4 + 2


def test_guest_house_has_room_for_one_more(table):
    t = table()
    assert room(t.state, 0) == 2
    t.play(0, "guest_house")
    assert room(t.state, 0) == 3
    assert palace(t.state, 0) == 0


def test_interrupt_spice_trade_pays_base_income_and_stops_the_caravans(table):
    t = table().has(0, large_fast=[1, 4])
    t.play(1, "interrupt_spice_trade")
    t.run("income")
    assert t.state.gold == [850] * 4
    assert t.state.caravans[0][3] == [1, 4]


def test_new_orders_reorders_the_top_three_status_cards(table):
    t = table()
    top = t.state.status.cards[:3]
    t.play(3, "new_orders")
    assert t.state.view(3)["ask"]["cards"] == top
    t.say([1, 2, 0])
    assert t.state.status.cards[:3] == [top[1], top[2], top[0]]


def test_new_spice_caravan_gives_an_income_more_but_not_beyond_the_track(table):
    t = table().has(0, small_slow=[8, 2], large_fast=[4, 1])
    t.play(0, "new_spice_caravan")
    assert (t.asked, t.options) == ((0, "caravan"), [["small_slow", 2], ["large_fast", 1]])
    t.say(["large_fast", 1])
    assert t.state.caravans[0][3] == [2, 4]


def test_new_spice_caravan_without_a_choice_or_a_caravan(table):
    t = table().has(0, small_slow=[8, 2])
    t.play(0, "new_spice_caravan")
    assert t.state.caravans[0][0] == [3, 8]
    t.play(1, "new_spice_caravan")
    assert t.events("void") == [{"type": "void", "event": "new_spice_caravan"}]


def test_noble_merchandise_chooses_a_status_card_and_shuffles_the_rest(table):
    t = table()
    rest = t.state.status.cards[:]
    t.play(2, "noble_merchandise")
    t.run("prepare")
    assert t.asked == (2, "noble")
    assert t.options == sorted(set(rest))
    t.say(1400)
    assert t.state.shown_status == [1400]
    rest.remove(1400)
    assert sorted(t.state.status.cards) == sorted(rest)
    assert t.state.status.cards != rest


def test_quiet_days_bring_nobody_and_leave_the_undecided_alone(table):
    t = table().waiting("Thara")
    t.play(0, "quiet_days")
    t.run("prepare")
    assert t.state.active == []
    t.run("choice")
    assert t.undecided() == "Thara"
    t.has(0, tokens=(1, 0, 0)).board()
    t.run("auction")
    assert t.princesses(0) == "Thara"


def test_restoration_adds_half_a_point_of_palace(table):
    t = table(mode="advanced")
    t.play(0, "restoration")
    t.play(0, "restoration")
    assert palace(t.state, 0) == 2
    assert room(t.state, 0) == 2


def test_restoration_is_not_in_the_basic_game(table):
    cards = table().state.events.cards
    assert len(cards) == 51
    assert EVENTS.index("restoration") not in cards
    assert len(table(mode="advanced").state.events.cards) == 54


def test_sick_camels_take_nothing_off_for_the_round(table):
    t = table().has(0, camels=3)
    t.play(1, "sick_camels")
    assert discount(t.state, 0) == 0
    t.run("round")
    assert discount(t.state, 0) == 150


def test_vermin_moves_one_fast_caravan_of_each_owner(table):
    t = table().has(0, small_fast=[1, 3]).has(1, small_fast=[4]).has(2, small_slow=[4])
    t.play(1, "vermin")
    assert t.options == ["small_slow", "small_fast", "large_slow", "large_fast"]
    t.say("small_fast")
    assert (t.asked, t.options) == ((0, "vermin_move"), [1, 3])
    t.say(3)
    assert [own[1] for own in t.state.caravans[:3]] == [[1, 2], [3], []]
    assert t.state.caravans[2][0] == [4]


def test_vermin_moves_two_slow_caravans_of_who_has_two(table):
    t = table().has(0, large_slow=[1, 5, 5]).has(1, large_slow=[2]).has(2, large_slow=[3, 4])
    supply = t.state.supply[1]
    t.play(2, "vermin")
    t.say("large_slow")
    assert (t.asked, t.options) == ((0, "vermin_move"), [[1, 5], [5, 5]])
    t.say([1, 5])
    assert [own[2] for own in t.state.caravans[:3]] == [[4, 5], [1], [2, 3]]
    assert t.state.supply[1] == supply + 1
    assert t.state.gold == [750] * 4


@pytest.mark.parametrize("card", EVENTS)
def test_there_are_three_of_each(table, card):
    assert table(mode="advanced").state.components()[f"event {card}"] == 3


def test_a_played_card_leaves_the_game(table):
    t = table()
    t.play(0, "guest_house")
    assert t.state.played == [EVENTS.index("guest_house")]
    assert t.hand(0) == ""
