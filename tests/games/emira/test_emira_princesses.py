"""Each of the 28 Emiras: preferences, talents, and what is special about her."""

import pytest

from khiva_arena.games.emira.courtship import chosen
from khiva_arena.games.emira.tables import EMIRA_OF, EMIRAS, PREFERENCES, TALENTS
from khiva_arena.games.emira.values import appearance, palace, status, upkeep

SHEET = """
Albina A S I | Halimah A S M | Asima A S C | Noor A P IM | Rasha A P C | Thara A P R | Zainab A G I
Nibal A G M | Samira A G R | Zahrah S A I | Fatima S A M | Layla S A R | Malika S P I | Nadia S P M
Firyal S P C | Hind S G MR | Farah S G I | Raidah S G C | Adara P A I | Suleika P A M | Janan P S IC
Sahar P S R | Anisah P G I | Zafirah P G C | Xenia G A CR | Yasmine G S M | Badra G P I
"""
ROWS = [row.split() for line in SHEET.strip().splitlines() for row in line.split(" | ")]
WORTH = dict(zip("ASPG", PREFERENCES, strict=True))
TALENT = dict(zip("IMCR", TALENTS, strict=True))


@pytest.mark.parametrize(("name", "first", "second", "talents"), ROWS, ids=[row[0] for row in ROWS])
def test_what_she_wants_and_can(table, name, first, second, talents):
    """The best by her first preference wins; of two equals the better by her second; of
    two equal in both nobody.
    """
    emira = EMIRAS[EMIRA_OF[name]]
    assert [word for i, word in enumerate(TALENTS) if emira.talents >> i & 1] == [
        TALENT[letter] for letter in talents
    ]

    def give(t, seat, want, amount):
        if want == "A":
            t.has(seat, tokens=(amount, 0, 0))
        elif want == "S":
            t.has(seat, status=[300] * amount)
        elif want == "P":
            t.has(seat, sections=amount)
        else:
            t.has(seat, gold=1000 * amount)

    card = EMIRA_OF[name]
    t = table(3)
    give(t, 0, first, 2)
    give(t, 1, second, 3)
    assert chosen(t.state, card, waiting=False) == 0
    give(t, 2, first, 2)
    give(t, 2, second, 1 if second != "G" else 2)
    assert chosen(t.state, card, waiting=False) == 2
    give(t, 0, second, 1 if second != "G" else 2)
    assert chosen(t.state, card, waiting=False) == -1


def test_the_table_of_emiras_is_the_whole_table():
    assert sorted([*(row[0] for row in ROWS), "Sidi Suleiman"]) == sorted(
        emira.name for emira in EMIRAS
    )
    assert [sum(row[1] == want for row in ROWS) for want in "ASPG"] == [9, 9, 6, 3]
    assert [sum(row[3] == talent for row in ROWS) for talent in "IMCR"] == [8, 6, 5, 4]


@pytest.mark.parametrize("name", ["Albina", "Firyal"])
@pytest.mark.parametrize(("mode", "halves"), [("basic", 4), ("advanced", 3)])
def test_Albina_and_Firyal_lower_the_palace_track_once_in_the_advanced_game(
    table, name, mode, halves
):
    t = table(mode=mode).has(0, sections=2)
    t.join(0, name)
    assert palace(t.state, 0) == halves
    t.state.princesses[0].clear()
    t.state.emiras.put_under(EMIRA_OF[name], 0)
    t.join(0, name)
    assert palace(t.state, 0) == halves
    t.state.princesses[0].clear()
    t.state.emiras.put_under(EMIRA_OF[name], 0)
    t.join(1, name)
    assert palace(t.state, 1) == (-1 if mode == "advanced" else 0)


@pytest.mark.parametrize("name", ["Halimah", "Rasha"])
def test_Halimah_and_Rasha_are_worth_a_status_point_while_they_stay(table, name):
    t = table().has(0, status=[300])
    t.join(0, name)
    assert status(t.state, 0) == 2
    t.state.princesses[0].clear()
    assert status(t.state, 0) == 1


@pytest.mark.parametrize(("name", "kind"), [("Nadia", 0), ("Layla", 1)])
def test_Nadia_and_Layla_bring_a_counter_that_completes_a_set_while_they_stay(table, name, kind):
    tokens = [1, 1, 1]
    tokens[kind] = 0
    t = table().has(0, tokens=tuple(tokens))
    assert appearance(t.state, 0) == 2
    t.join(0, name)
    assert appearance(t.state, 0) == 4
    t.state.princesses[0].clear()
    assert appearance(t.state, 0) == 2


def test_Noor_shows_her_sheik_s_gold(table):
    t = table(gold="hidden")
    assert t.state.view(1)["gold"] == [None, 750, None, None]
    t.join(0, "Noor")
    assert t.state.view(1)["gold"] == [750, 750, None, None]


@pytest.mark.parametrize(("looks", "price", "hers"), [(2, 150, 100), (3, 250, 200)])
def test_Zainab_makes_event_cards_cheaper(table, looks, price, hers):
    t = table().has(0, gold=1000).has(1, "Zainab", gold=1000)
    t.run("buy")
    t.say(looks)
    if t.asked[1] == "keep":
        t.say(t.options[0])
    t.say(looks)
    assert t.state.gold[:2] == [1000 - price, 1000 - hers]


def test_Zainab_helps_who_has_little_gold(table):
    t = table().has(0, gold=149).has(1, "Zainab", gold=100).has(2, gold=0).has(3, gold=0)
    t.run("buy")
    assert t.asked == (1, "buy")
    assert t.options == [0, 2]


def test_Samira_takes_an_own_counter_of_the_owner_s_choice_but_not_one_of_a_princess(table):
    t = table().has(0, "Layla", "Nadia", tokens=(1, 0, 2))
    bag = t.state.bag[:]
    t.join(0, "Samira")
    assert t.asked == (0, "drop_appearance")
    assert t.options == ["beauty", "dress"]
    t.say("dress")
    assert t.state.tokens[0] == [1, 0, 1]
    assert t.state.bag == [bag[0], bag[1], bag[2] + 1]


def test_Samira_takes_nothing_from_who_has_only_the_counters_of_princesses(table):
    t = table().has(0, "Layla")
    t.join(0, "Samira")
    assert t.asked is None
    assert t.events("drop") == []


def test_Zahrah_takes_a_status_card_even_a_large_one_but_not_singing(table):
    t = table().has(0, "Halimah", status=[1200])
    t.join(0, "Zahrah")
    assert t.state.status_cards[0] == []
    assert t.state.status.cards[-1] == 1200
    assert status(t.state, 0) == 1


def test_Zahrah_leaves_the_choice_to_the_owner(table):
    t = table().has(0, status=[300, 300, 700, 1500])
    t.join(0, "Zahrah")
    assert (t.asked, t.options) == ((0, "drop_status"), [300, 700, 1500])
    t.say(700)
    assert t.state.status_cards[0] == [300, 300, 1500]
    t.join(1, "Samira")
    assert t.asked is None


def test_Hind_takes_the_next_round(table):
    t = table().has(0, gold=2000)
    t.state.round = 5
    t.join(0, "Hind")
    assert t.state.lost == [6, 0, 0, 0]


@pytest.mark.parametrize(("name", "price"), [("Raidah", 150), ("Farah", 50)])
def test_Farah_makes_camels_cheaper(table, name, price):
    t = table().has(0, name).board()
    t.run("auction")
    t.say("pass", "pass", "pass", "pass", "camel")
    assert t.state.gold[0] == 750 - price


@pytest.mark.parametrize("hers", [False, True])
@pytest.mark.parametrize(
    ("caravan", "price", "adara"),
    [
        ("small_slow", 450, 400),
        ("small_fast", 550, 500),
        ("large_slow", 750, 650),
        ("large_fast", 900, 800),
    ],
)
def test_Adara_makes_caravans_cheaper(table, caravan, price, adara, hers):
    t = table().has(0, *(["Adara"] if hers else []), gold=1000).board()
    t.run("auction")
    t.say("pass", "pass", "pass", "pass", caravan)
    assert t.state.gold[0] == 1000 - (adara if hers else price)


def test_Adara_lets_one_buy_for_less_gold_than_others_need(table):
    t = table().has(0, "Adara", gold=649).board()
    t.run("auction")
    t.everyone_passes(4)
    assert "small_fast" in t.options
    assert "large_slow" not in t.options


@pytest.mark.parametrize(("name", "price"), [("Sahar", 500), ("Badra", 400)])
def test_Badra_makes_sections_cheaper(table, name, price):
    t = table().has(0, name).board()
    t.run("auction")
    t.say("pass", "pass", "pass", "pass", "palace")
    assert t.state.gold[0] == 750 - price


def test_Suleika_minds_each_later_arrival_this_round_only(table):
    t = table().has(0, gold=1000)
    t.join(0, "Suleika")
    assert upkeep(t.state, 0) == 50
    t.join(0, "Thara")
    t.join(0, "Asima")
    assert upkeep(t.state, 0) == 150 + 200
    t.pay_upkeep(0)
    assert upkeep(t.state, 0) == 150


def test_Suleika_gone_her_surcharge_is_gone(table):
    t = table().has(0, "Suleika")
    t.join(0, "Thara")
    t.join(0, "Sidi Suleiman")
    t.say("Suleika")
    assert upkeep(t.state, 0) == 50


@pytest.mark.parametrize(("name", "cost"), [("Thara", 50), ("Janan", 100), ("Zafirah", 0)])
def test_Janan_and_Zafirah_have_an_upkeep_of_their_own(table, name, cost):
    t = table().has(0, name)
    t.pay_upkeep(0)
    assert t.state.gold[0] == 750 - cost


def test_Xenia_wants_her_first_gift_in_the_round_she_joins(table):
    t = table().has(2, gold=800).active("Xenia")
    t.run("choice")
    t.run("upkeep")
    assert t.state.gold[2] == 800 - 50 - 250
    assert t.events("gift") == [{"type": "gift", "seat": 2, "outcome": "paid"}]


def test_Xenia_alone_leaves_the_game_when_the_first_gift_cannot_be_paid(table):
    t = table().has(2, "Thara", gold=349)
    t.join(2, "Xenia")
    t.run("upkeep")
    assert t.princesses(2) == "Thara"
    assert t.state.gone == [EMIRA_OF["Xenia"]]
    assert t.state.gold[2] == 349 - 50
    assert t.state.paid >> 2 & 1


def test_Sidi_Suleiman_leaves_with_a_princess_of_his_host_s_choice(table):
    t = table().has(1, "Thara", "Asima").has(2, "Fatima").active("Sidi Suleiman")
    t.run("choice")
    assert (t.asked, t.options) == ((1, "abduct"), ["Asima", "Thara"])
    t.say("Thara")
    assert t.princesses(1) == "Asima"
    assert t.state.gone == [EMIRA_OF["Sidi Suleiman"], EMIRA_OF["Thara"]]
    assert upkeep(t.state, 1) == 50


def test_Sidi_Suleiman_comes_where_there_is_no_room(table):
    t = table().has(1, "Thara", "Asima", "Malika").active("Sidi Suleiman")
    t.run("choice")
    assert t.asked == (1, "abduct")


def test_Sidi_Suleiman_is_undecided_between_equals_and_when_nobody_has_a_princess(table):
    t = table().has(1, "Thara").has(2, "Fatima").active("Sidi Suleiman")
    t.run("choice")
    assert t.undecided() == "Sidi Suleiman"
    t = table().active("Sidi Suleiman")
    t.run("choice")
    assert t.undecided() == "Sidi Suleiman"
