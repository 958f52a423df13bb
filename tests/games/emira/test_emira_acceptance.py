"""The acceptance tests E1 to E13 of the rules sheet: seats 0, 1, 2, 3 are A, B, C,
D.
"""

import pytest

from khiva_arena.games.emira.courtship import chosen
from khiva_arena.games.emira.tables import BLACK, EMIRA_OF, GOALS
from khiva_arena.games.emira.values import appearance, discount, has_talents, palace, upkeep


def _black_with_caravans(table, **given):
    t = table(**given).has(0, small_slow=[8], large_fast=[1], gold=0)
    t.state.colours[0] = BLACK
    return t


def test_E1_income_of_base_and_caravans(table):
    t = _black_with_caravans(table)
    t.run("income")
    assert t.state.gold[0] == 800
    assert t.state.caravans[0] == [[7], [], [], []]


def test_E1_income_in_golden_times(table):
    t = _black_with_caravans(table)
    t.play(1, "golden_times")
    t.run("income")
    assert t.state.gold[0] == 960


def test_E1_income_when_the_trade_is_interrupted(table):
    t = _black_with_caravans(table)
    t.play(1, "interrupt_spice_trade")
    t.run("income")
    assert t.state.gold[0] == 150
    assert t.state.caravans[0] == [[8], [], [], [1]]


@pytest.mark.parametrize(
    ("caravan", "adara", "first", "last", "net"),
    [
        ("small_slow", False, 2, 9, 750),
        ("small_fast", False, 2, 5, 650),
        ("large_slow", False, 2, 9, 1250),
        ("large_fast", False, 2, 5, 1100),
        ("small_slow", True, 2, 9, 800),
    ],
)
def test_E2_what_a_caravan_brings_in_all(table, caravan, adara, first, last, net):
    t = table(base_income=[0, 0]).has(0, gold=1000).board()
    t.state.round = 1
    if adara:
        t.has(0, "Adara")
    t.run("auction")
    t.say("pass", "pass", "pass", "pass", caravan)
    paid_in = []
    for number in range(2, 12):
        before = t.state.gold[0]
        t.run("income")
        if t.state.gold[0] > before:
            paid_in.append(number)
    assert (paid_in[0], paid_in[-1], len(paid_in)) == (first, last, last - first + 1)
    assert t.state.gold[0] == 1000 + net


@pytest.mark.parametrize(
    ("camels", "breed", "bid", "pays"), [(2, 0, 250, 150), (2, 0, 80, 0), (3, 1, 200, 0)]
)
def test_E3_camels_take_off_a_bid(table, camels, breed, bid, pays):
    t = table().has(0, camels=camels, gold=1000).board()
    t.state.breed[0] = breed
    t.run("auction")
    t.say(bid, "pass", "pass", "pass")
    assert t.state.gold[0] == 1000 - pays


def test_E3_sick_camels_take_off_nothing(table):
    t = table().has(0, camels=2, gold=1000).board()
    t.play(1, "sick_camels")
    assert discount(t.state, 0) == 0
    t.run("auction")
    t.say(250, "pass", "pass", "pass")
    assert t.state.gold[0] == 750


def test_E4_three_auctions(table):
    t = table().board()
    t.run("auction")
    t.say(10, "pass", 20, "pass", "pass")
    assert t.asked == (2, "action")
    assert t.state.gold == [750, 750, 730, 750]
    t.say("none")
    assert t.asked == (3, "bid")
    t.say("pass", "pass", "pass")
    assert t.asked == (3, "action")
    assert t.state.gold[3] == 750
    t.say("none")
    assert t.asked == (0, "bid")
    t.say(10, "pass")
    assert t.asked == (0, "action")
    assert t.state.gold[0] == 740
    t.say("none", "pass")
    assert t.asked == (1, "action")
    assert t.state.gold[1] == 750


def test_E5_the_grant_after_a_bid(table):
    t = table().has(0, gold=520).board()
    t.run("auction")
    t.say(30, "pass", "pass", "pass")
    assert t.state.gold[0] == 490
    t.say("grant")
    assert t.state.gold[0] == 640


def test_E5_no_grant_at_exactly_500(table):
    t = table().has(0, "Thara", "Asima", "Fatima", gold=500).board()
    t.run("auction")
    assert "grant" not in t.options
    t.say("pass", "pass", "pass", "pass")
    assert t.asked == (0, "action")
    assert "grant" not in t.options


def test_E5b_alone_to_serve_one_may_bid_down_to_the_grant(table):
    t = table().has(0, gold=520).board()
    t.state.start = 1
    t.run("auction")
    t.say(
        "pass",
        "pass",
        "pass",
        "pass",
        "none",
        "pass",
        "pass",
        "pass",
        "none",
        "pass",
        "pass",
        "none",
    )
    assert t.asked == (0, "bid")
    t.say(30)
    assert t.state.gold[0] == 490
    t.say("grant")
    assert t.state.gold[0] == 640


def _three_suitors(table):
    t = (
        table(3)
        .has(0, tokens=(2, 2, 0), sections=1)
        .has(1, tokens=(2, 2, 0), sections=2)
        .has(2, tokens=(3, 0, 0), sections=6)
    )
    assert [appearance(t.state, seat) for seat in range(3)] == [4, 4, 3]
    return t


def test_E6_thara_goes_by_palace_when_appearance_is_equal(table):
    t = _three_suitors(table).active("Thara")
    t.run("choice")
    assert t.princesses(1) == "Thara"


def test_E6_a_full_palace_is_left_out(table):
    t = _three_suitors(table).has(1, "Asima", "Fatima", "Layla", "Malika").active("Thara")
    t.run("choice")
    assert t.princesses(0) == "Thara"


def test_E6_equal_in_both_she_waits_and_joins_as_soon_as_there_is_one(table):
    t = _three_suitors(table).has(0, sections=2).active("Thara")
    t.run("choice")
    assert t.undecided() == "Thara"
    t.has(2, tokens=(4, 0, 0), gold=750).board(token="dress")
    t.state.start = 2
    t.run("auction")
    t.say("pass", "pass", "pass", "appearance")
    assert appearance(t.state, 2) == 5
    assert t.princesses(2) == "Thara"
    assert t.undecided() == ""


def test_E7_sets_layla_and_samira(table):
    t = table().has(0, tokens=(2, 1, 1))
    assert appearance(t.state, 0) == 5
    t.has(0, "Layla", tokens=(2, 1, 2))
    assert appearance(t.state, 0) == 8
    t.join(0, "Samira")
    t.say("dress")
    assert appearance(t.state, 0) == 6


def test_E8_upkeep_of_five_princesses_with_janan_and_zafirah(table):
    t = table().has(0, "Janan", "Zafirah", "Thara", "Asima", "Fatima")
    assert upkeep(t.state, 0) == 250


def test_E8_an_arrival_where_suleika_lives_costs_100_more(table):
    t = table().has(0, "Janan", "Zafirah", "Suleika", "Asima")
    t.join(0, "Fatima")
    assert upkeep(t.state, 0) == 250 + 100
    t.has(0, gold=1000)
    t.pay_upkeep(0)
    assert t.state.gold[0] == 650
    assert upkeep(t.state, 0) == 250


def test_E9_upkeep_that_cannot_be_paid(table):
    t = table().has(0, "Janan", "Zafirah", "Thara", "Asima", "Fatima", gold=180)
    t.pay_upkeep(0)
    assert t.state.gold[0] == 0
    assert len(t.state.princesses[0]) == 4
    assert t.events("riot")[0]["emiras"] == [t.deck(28).split(" ")[-1]]


def test_E9_advanced_only_what_is_left_is_paid(table):
    for secret in range(200):
        t = table(mode="advanced", secret=bytes([secret] * 32))
        t.has(0, "Janan", "Zafirah", "Thara", "Asima", "Fatima", gold=180)
        t.pay_upkeep(0)
        if t.events("riot")[0]["emiras"] == ["Janan"]:
            break
    assert t.events("riot")[0]["emiras"] == ["Janan"]
    assert t.events("upkeep")[0] == {"type": "upkeep", "seat": 0, "due": 250, "gold": 150}
    assert t.state.gold[0] == 30


def test_E10_xenia_in_rounds_4_to_7(table):
    t = table().has(0, gold=1000)
    t.state.round = 4
    t.join(0, "Xenia")
    paid = []
    for number in (4, 5, 6, 7):
        t.state.round, t.state.settled, before = number, 0, t.state.gold[0]
        t.run("upkeep")
        if number == 7:
            assert t.asked == (0, "gift")
            assert t.options == ["refuse", "pay"]
            t.say("pay")
        paid.append(before - t.state.gold[0])
    assert paid == [300, 50, 50, 300]


def test_E11_talents_are_matched_each_princess_once():
    def covers(names):
        return has_talents([EMIRA_OF[name] for name in names.split()], GOALS[5][1])

    assert covers("Janan Xenia Sahar Malika")
    assert not covers("Noor Nibal Xenia Fatima")


@pytest.mark.parametrize(("supply", "camels"), [(3, [7, 3, 1]), (2, [5, 2, 1])])
def test_E12_camel_breeding_needs_camels_for_all(table, supply, camels):
    t = table(3).has(0, camels=5).has(1, camels=2).has(2, camels=1)
    t.state.supply[2] = supply
    t.play(0, "camel_breeding")
    assert t.state.camels == camels
    assert t.state.supply[2] == supply - (sum(camels) - 8)


def test_E12_camel_epidemic(table):
    t = table(3).has(0, camels=7).has(1, camels=5).has(2, camels=2)
    t.play(0, "camel_epidemic")
    assert t.state.camels == [5, 4, 2]


def test_E13_palace_track(table):
    t = table(mode="advanced").has(0, sections=3)
    t.play(0, "restoration")
    assert palace(t.state, 0) == 7  # halves
    t.join(0, "Albina")
    assert palace(t.state, 0) == 6
    t.active("Malika")
    assert chosen(t.state, EMIRA_OF["Malika"], waiting=False) == 0
