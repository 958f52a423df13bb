"""The open points O1 to O14, each variant, and the rules maps that are refused."""

import pytest
from cases import cases
from wording import pattern

from khiva_arena.errors import RulesError
from khiva_arena.games.emira import GAME
from khiva_arena.games.emira.tables import BLACK, EMIRA_OF, EVENTS
from khiva_arena.games.emira.values import appearance


@pytest.mark.parametrize("income", [[100, 150], [0, 50], [50, 100], [150, 200], [200, 250]])
def test_O1_base_income(table, income):
    t = table(base_income=income)
    t.state.colours[2] = BLACK
    t.run("income")
    assert t.state.gold == [750 + income[0], 750 + income[0], 750 + income[1], 750 + income[0]]


def _second_player_may_play(table, first, second, **given):
    t = table(**given).has(0, hand=first).has(1, hand=second)
    t.run("events")
    t.say(first)
    return t.asked == (1, "play")


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        ("double_trouble", "quiet_days", ()),
        ("golden_times", "interrupt_spice_trade", ()),
        ("camel_breeding", "sick_camels", ("by_name",)),
        ("bazaar", "bazaar", ()),
        ("noble_merchandise", "noble_merchandise", ()),
        ("guest_house", "guest_house", ("groups",)),
        ("bazaar", "noble_merchandise", ("groups", "by_name")),
        ("changing_her_mind", "double_trouble", ("groups", "by_name")),
    ],
)
def test_O2_symbols(table, first, second, free):
    if first in ("double_trouble", "golden_times"):
        free = (*free, "by_name")
    if first == "changing_her_mind":
        first, second = second, first
    for symbols in ("groups", "by_name", "none"):
        expected = symbols == "none" or symbols in free
        assert _second_player_may_play(table, first, second, symbols=symbols) == expected, symbols


def test_O2_symbols_as_a_table_of_one_s_own(table):
    own = [["vermin", "bazaar"]]
    assert GAME.rules({"symbols": own})["symbols"] == [["bazaar", "vermin"]]
    assert not _second_player_may_play(table, "bazaar", "vermin", symbols=own)
    assert _second_player_may_play(table, "double_trouble", "quiet_days", symbols=own)


def test_O3_hidden_gold_is_shown_when_an_emira_looks_at_gold(table):
    t = table(gold="hidden").has(1, gold=900).has(2, gold=900).active("Thara", "Yasmine")
    assert t.state.view(0)["gold"] == [750, None, None, None]
    t.run("choice")
    shown = [e["gold"] for e in t.events("show_gold")]
    assert shown == [[750, 900, 900, 750]]
    view = t.state.view(0)
    assert view["gold"] == [750, None, None, None]
    assert view["gold_shown"] == [[1, 750], [1, 900], [1, 900], [1, 750]]
    t.has(1, gold=5)
    view = t.state.view(0)
    assert (view["gold"][1], view["gold_shown"][1]) == (
        None,
        [1, 900],
    )  # shown once, not from then on


def test_O3_public_gold_is_seen_by_all_and_never_shown(table):
    t = table().has(1, gold=900).has(2, gold=900).active("Yasmine")
    t.run("choice")
    for seat in range(4):
        view = t.state.view(seat)
        assert (view["gold"], view["gold_shown"]) == ([750, 900, 900, 750], [None] * 4)
    assert t.events("show_gold") == []


def test_O3_hidden_gold_is_shown_at_the_end(table):
    t = table(gold="hidden", max_rounds=1)
    t.state.round = 1
    t.run("end")
    assert t.state.view(0)["gold"] == [750] * 4


@pytest.mark.parametrize(("variant", "joins"), [("auction", False), ("always", True)])
def test_O4_undecided_outside_the_auctions(table, variant, joins):
    t = table(undecided=variant).waiting("Thara").has(1, tokens=(1, 0, 0))
    t.play(0, "guest_house")
    assert (t.princesses(1) == "Thara") == joins


@pytest.mark.parametrize(("variant", "offered"), [("bidding", True), ("serving", False)])
def test_O5_when_the_grant_may_be_taken(table, variant, offered):
    t = table(grant_timing=variant).has(0, gold=100).board()
    t.run("auction")
    assert ("grant" in t.options) == offered
    t.everyone_passes(4)
    assert "grant" in t.options


@pytest.mark.parametrize(("variant", "buys"), [("even", True), ("never", False)])
def test_O6_buying_event_cards_with_three_players(table, variant, buys):
    t = table(3, event_buy_3p=variant)
    t.state.round = 3
    t.run("round")
    kinds = set()
    while t.state.round < 6:
        kinds.add((t.state.round % 2, t.asked[1]))
        t.apply(dict.fromkeys(t.state.pending(), 0))
    assert ((0, "buy") in kinds) == buys
    assert (1, "buy") not in kinds


@pytest.mark.parametrize(("variant", "stays"), [("odd", False), ("even", True)])
def test_O7_when_an_unsold_counter_goes_back_with_three_players(table, variant, stays):
    t = table(3, appearance_return_3p=variant).board(token="dress")
    bag = t.state.bag[2]
    t.state.round = 3
    t.run("auction")
    t.say("pass", "pass", "pass", "none", "pass", "pass", "none", "pass", "none")
    assert (t.state.shown_tokens == [2]) == stays
    assert t.state.bag[2] == bag + (not stays)
    t.state.round = 4
    t.run("auction")
    t.everyone_passes(3)
    assert ("appearance" in t.options) == stays
    t.say("none", "pass", "pass", "none", "pass", "none")
    assert (t.state.shown_tokens, t.state.bag[2]) == ([], bag + 1)


def test_O8_extra_items_can_both_be_bought(table):
    t = table(bazaar_noble="extra").has(0, gold=2000).has(1, gold=2000)
    t.play(3, "bazaar")
    t.play(3, "noble_merchandise")
    t.run("prepare")
    top = t.state.shown_status[0]
    t.say(1400)
    t.say(
        next(
            kind
            for i, kind in enumerate(("beauty", "manners", "dress"))
            if [i] != t.state.shown_tokens
        )
    )
    assert t.state.shown_status == [top, 1400]
    assert len(t.state.shown_tokens) == 2
    t.run("auction")
    t.everyone_passes(4)
    t.say("status")
    assert (t.asked, t.options) == ((0, "take_status"), [top, 1400])
    t.say(1400)
    t.everyone_passes(3)
    t.say("appearance")
    assert t.asked == (1, "take_appearance")
    t.say(t.options[1])
    t.everyone_passes(2)
    assert "appearance" in t.options


def test_O8_replace_puts_one_item_on_the_board(table):
    t = table()
    t.play(3, "bazaar")
    t.play(3, "noble_merchandise")
    t.run("prepare")
    t.say(1400, "beauty")
    assert (t.state.shown_status, t.state.shown_tokens) == ([1400], [0])


@pytest.mark.parametrize(("variant", "removed"), [("deck", []), ("removed", [700])])
def test_O9_the_card_that_zahrah_takes(table, variant, removed):
    t = table(zahrah_card=variant).has(0, status=[700])
    t.join(0, "Zahrah")
    assert t.state.removed == removed
    assert (t.state.status.cards[-1] == 700) == (not removed)


@pytest.mark.parametrize(("variant", "seat"), [("yes", 2), ("no", 1)])
def test_O10_whether_xenia_needs_room_where_she_moves(table, variant, seat):
    t = (
        table(xenia_room=variant)
        .has(0, "Xenia", gold=0)
        .has(1, "Thara", "Asima", gold=3000)
        .has(2, gold=2000)
    )
    t.state.round, t.state.gift_round, t.state.gift_first = 7, 7, False
    t.run("upkeep")
    assert "Xenia" in t.princesses(seat)


def test_O11_twelve_counters_and_no_more(table):
    t = table(bonus_counters="twelve")
    t.state.bonus_left = 2
    t.has(0, tokens=(1, 1, 1)).has(1, tokens=(2, 2, 2)).has(2, tokens=(1, 1, 1))
    t.state.start = 1
    t.run("income")
    assert t.state.bonus == [0, 2, 0, 0]
    assert [appearance(t.state, seat) for seat in range(3)] == [3, 8, 3]
    t.has(1, tokens=(1, 1, 2))
    t.run("income")
    assert (t.state.bonus, t.state.bonus_left) == ([0, 1, 1, 0], 0)
    t.has(3, tokens=(3, 0, 0))
    t.play(3, "good_looking")
    t.say("beauty")
    assert t.state.looks[3] == [0]
    assert table().state.view(0)["bonus_left"] is None


@pytest.mark.parametrize(("variant", "count"), [("all", 1), ("own", 0)])
def test_O12_whether_good_looking_counts_the_counters_of_princesses(table, variant, count):
    t = table(good_looking=variant).has(0, "Nadia", tokens=(2, 0, 0))
    t.play(0, "good_looking")
    t.say("beauty")
    assert t.state.looks[0] == [count]


@pytest.mark.parametrize(("variant", "waiting"), [("nobody", ""), ("undecided", "Yasmine")])
def test_O13_whether_the_round_lost_to_hind_keeps_the_undecided_away(table, variant, waiting):
    t = table(hind_round=variant).waiting("Yasmine").has(0, gold=5000).has(1, gold=900)
    t.state.round = t.state.lost[0] = 4
    t.run("income")
    assert t.princesses(0) == waiting
    t.active("Xenia")
    t.run("choice")
    assert "Xenia" in t.princesses(1)


def test_O13_who_becomes_undecided_in_the_lost_round_does_not_join_in_it(table):
    t = (
        table(hind_round="undecided")
        .active("Yasmine")
        .has(0, gold=5000)
        .has(1, gold=900)
        .has(2, gold=900)
    )
    t.state.round = t.state.lost[0] = 4
    t.run("choice")
    assert t.undecided() == "Yasmine"  # 0, the richest, did not attract her, and 1 and 2 are equal
    assert t.state.view(3)["fresh"] == ["Yasmine"]
    t.run("upkeep")
    assert t.undecided() == "Yasmine"
    t.state.lost[0] = 5
    t.run("round")
    assert (t.state.round, t.princesses(0)) == (
        5,
        "Yasmine",
    )  # in the next round lost she has waited before
    assert t.state.view(3)["fresh"] == []


@pytest.mark.parametrize("rounds", [1, 2])
def test_O14_max_rounds(rounds):
    state, _ = GAME.new(3, GAME.rules({"max_rounds": rounds}), bytes(32))
    while not state.is_over:
        state.apply(dict.fromkeys(state.pending(), 0))
    assert state.round == rounds


def test_rules_defaults_are_canonical_and_plain():
    rules = GAME.rules({})
    assert rules == {
        "mode": "basic",
        "base_income": [100, 150],
        "symbols": [
            ["bazaar"],
            ["camel_breeding", "camel_epidemic", "sick_camels"],
            ["double_trouble", "quiet_days"],
            ["golden_times", "interrupt_spice_trade"],
            ["noble_merchandise"],
        ],
        "gold": "public",
        "undecided": "auction",
        "grant_timing": "bidding",
        "event_buy_3p": "even",
        "appearance_return_3p": "odd",
        "bazaar_noble": "replace",
        "zahrah_card": "deck",
        "xenia_room": "yes",
        "bonus_counters": "unlimited",
        "good_looking": "all",
        "hind_round": "nobody",
        "max_rounds": 40,
    }
    assert GAME.rules(rules) == rules
    assert GAME.rules({"symbols": "by_name"})["symbols"] == [[name] for name in sorted(EVENTS)]
    assert GAME.rules({"symbols": "none"})["symbols"] == []


@cases(
    ("given", "says"),
    [
        ({"modus": "basic"}, "unknown rule 'modus'"),
        ({"mode": "expert"}, "mode is one of basic, advanced"),
        ({"gold": ["hidden"]}, "gold is one of"),
        ({"base_income": [100]}, "base_income is two amounts"),
        ({"base_income": [150, 100]}, "base_income is two amounts"),
        ({"base_income": [10, 50]}, "base_income is two amounts"),
        ({"base_income": [0, 10_050]}, "base_income is two amounts"),
        ({"base_income": [True, 100]}, "base_income is two amounts"),
        ({"base_income": None}, "base_income is two amounts"),
        ({"symbols": "some"}, "symbols is groups, by_name, none"),
        ({"symbols": [["bazaar"], ["bazaar"]]}, "symbols is groups"),
        ({"symbols": [["bazar"]]}, "symbols is groups"),
        ({"symbols": [[]]}, "symbols is groups"),
        ({"symbols": ["bazaar"]}, "symbols is groups"),
        ({"max_rounds": 0}, "max_rounds " + pattern("games", "number-rounds") + "200"),
        ({"max_rounds": "none"}, "max_rounds " + pattern("games", "number-rounds")),
        ({"hind_round": "none"}, "hind_round is one of nobody, undecided"),
    ],
)
def test_rules_that_are_refused(given, says):
    with pytest.raises(RulesError, match=says) as caught:
        GAME.rules(given)
    assert len(caught.value.problems) == 1


def test_rules_every_mistake_is_named_at_once():
    with pytest.raises(RulesError) as caught:
        GAME.rules({"nonsense": 1, "mode": "x", "base_income": 3, "max_rounds": "many"})
    assert [problem.split()[0] for problem in caught.value.problems] == [
        "unknown",
        "mode",
        "base_income",
        "max_rounds",
    ]


def test_the_cards_a_variant_takes_out_are_still_counted(table):
    t = table(zahrah_card="removed").has(0, status=[300])
    t.join(0, "Zahrah")
    assert EMIRA_OF["Zahrah"] in t.state.princesses[0]
    assert t.state.components()["status 0300"] == 4  # the test put one more into play
