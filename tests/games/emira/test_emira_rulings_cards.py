"""The rulings E34 to E42 of RULES.md, by number, and more on E9."""

import pytest
from wording import pattern

from khiva_arena.errors import IllegalChoice
from khiva_arena.games.base import Event
from khiva_arena.games.emira import GAME
from khiva_arena.games.emira.tables import EMIRA_OF


def test_E34_a_turned_card_keeps_its_turn_for_all_to_see_until_it_goes_under(table):
    t = table().on_top("Thara", "Asima", "Fatima")
    t.play(0, "changing_her_mind")
    t.say("swap")
    assert [t.state.view(seat)["emira_turned"] for seat in range(2)] == [[0], [0]]
    t.play(1, "court_influence")
    t.say([1, 2, 0])
    assert t.state.view(2)["emira_turned"] == [2]
    assert t.events("reorder")[0]["turned"] == [2]
    assert [t.state.view(seat)["emira_deck"][:3] for seat in (0, 1)] == [
        [None] * 3,
        ["Asima", "Fatima", "Thara"],
    ]
    for _ in range(3):
        t.state.gone += t.state.active
        t.state.active = []
        t.run("prepare")
    assert t.state.view(2)["swapped"] == ["Thara"]
    t.state.active = []
    t.state.princesses[0] = [EMIRA_OF["Thara"]]
    t.has(0, gold=0)
    t.pay_upkeep(0)
    assert t.state.turned == 0


def test_E34_swapped_twice_is_as_printed(table):
    t = table().on_top("Thara")
    t.play(0, "changing_her_mind")
    t.say("swap")
    t.play(1, "changing_her_mind")
    t.say("swap")
    assert t.state.turned == 0


def test_E34_few_cards_left(table):
    t = table()
    t.state.gone = t.state.emiras.cards[2:]
    t.state.emiras.cards, t.state.emiras.seen = t.state.emiras.cards[:2], [0, 0]
    t.play(0, "court_influence")
    assert t.options == [[0, 1], [1, 0]]
    t.say([1, 0])
    t.state.gone += t.state.emiras.cards
    t.state.emiras.cards, t.state.emiras.seen = [], []
    t.play(0, "court_influence")
    t.play(0, "changing_her_mind")
    assert [e["event"] for e in t.events("void")] == ["court_influence", "changing_her_mind"]


def test_E34_a_single_card_laid_back_stays_known_to_who_knew_it(table):
    t = table()
    t.state.gone = t.state.emiras.cards[1:]
    t.state.emiras.cards, t.state.emiras.seen = t.state.emiras.cards[:1], [0]
    for seat in (0, 1):
        t.play(seat, "court_influence")
    assert [t.state.view(seat)["emira_deck"] for seat in range(3)] == [
        [t.deck(1)],
        [t.deck(1)],
        [None],
    ]


def test_E35_noble_then_bazaar_are_asked_while_the_board_is_prepared(table):
    t = table().on_top("Thara")
    t.play(3, "bazaar")
    t.play(1, "noble_merchandise")
    t.run("prepare")
    assert t.asked == (1, "noble")
    assert t.state.active == [EMIRA_OF["Thara"]]
    t.say(1500)
    assert t.asked == (3, "bazaar")


def test_E35_quiet_days_prevail_over_double_trouble(table):
    t = table(symbols="none")
    t.play(0, "double_trouble")
    t.play(1, "quiet_days")
    t.run("prepare")
    assert t.state.active == []


@pytest.mark.parametrize(
    ("cards", "rounds"),
    [("double_trouble quiet_days", "odd even"), ("quiet_days double_trouble", "even odd")],
)
def test_E35_with_three_players_both_bring_one_in_the_round_named_last(table, cards, rounds):
    t = table(3, symbols="none").on_top("Thara", "Malika", "Asima")
    for seat, (card, which) in enumerate(zip(cards.split(), rounds.split(), strict=True)):
        t.play(seat, card)
        t.say(which)
    t.run("prepare")
    came = ([EMIRA_OF["Thara"]], [])
    assert (t.state.active, t.state.coming) == (came if rounds.endswith("odd") else came[::-1])


def test_E36_vermin_begins_with_its_player(table):
    t = table()
    for seat in range(4):
        t.has(seat, large_fast=[1, 2])
    t.play(2, "vermin")
    order = []
    t.say("large_fast")
    while t.asked:
        order.append(t.asked[0])
        t.say(2)
    assert order == [2, 3, 0, 1]


def test_E36_golden_times_add_to_base_income_of_an_interrupted_trade(table):
    t = table(symbols="none").has(0, small_slow=[3])
    t.play(0, "golden_times")
    t.play(1, "interrupt_spice_trade")
    t.run("income")
    assert t.state.gold[0] == 750 + 120


def test_E37_permanent_cards_stay_when_princesses_go(table):
    t = table().has(0, "Layla", tokens=(0, 2, 0), gold=0)
    t.play(0, "good_looking")
    t.say("manners")
    t.play(0, "guest_house")
    t.pay_upkeep(0)
    assert t.princesses(0) == ""
    assert (t.state.looks[0], t.state.guests[0]) == ([1], 1)


def test_E38_three_players_odd_and_even_rounds(table):
    t = table(3).on_top("Thara", "Malika").has(0, hand="guest_house")
    t.state.round = 2
    t.run("round")
    assert t.asked == (0, "play")
    t.say("none")
    view = t.state.view(0)
    assert (view["active"], view["coming"]) == (["Thara"], ["Malika"])
    status = view["board"]["status"]
    t.say("pass", "pass", "pass", "palace", "pass", "pass", "camel", "pass", "none")
    view = t.state.view(0)  # the next question is in the next round: nobody could buy event cards
    assert view["round"] == 4
    assert t.asked == (1, "bid")
    assert (view["active"], view["coming"]) == (["Malika"], [])
    assert view["board"] == {
        "appearance": [],
        "status": status,
        "open": ["small", "large", "palace"],
    }
    t.say("pass", "pass", "pass", "none", "pass", "pass", "none", "pass", "none")
    assert t.asked[1] == "buy"
    assert t.state.status.cards[-1] == status[0]


def test_E38_an_even_round_offers_no_section_when_none_is_left(table):
    for left, offered in ((1, ["palace"]), (0, [])):
        t = table(3)
        t.state.open, t.state.supply[3] = 0, left
        t.run("prepare_even")
        assert t.events("board")[-1]["open"] == offered


@pytest.mark.parametrize(
    ("card", "which", "active", "coming"),
    [
        ("double_trouble", "odd", 2, 1),
        ("double_trouble", "even", 1, 2),
        ("quiet_days", "odd", 1, 0),
        ("quiet_days", "even", 0, 1),
    ],
)
def test_E39_three_players_choose_the_round_unseen(table, card, which, active, coming):
    t = table(3)
    t.play(0, card)
    assert (t.asked, t.options) == ((0, "split"), ["odd", "even"])
    t.say(which)
    t.run("prepare")
    assert (len(t.state.active), len(t.state.coming)) == (active, coming)


@pytest.mark.parametrize(
    ("before", "places"), [(None, [0, 1]), ("double_trouble", [0, 1, 2]), ("quiet_days", None)]
)
def test_E39_three_players_choose_unseen_whose_mind_changes(table, before, places):
    t = table(3).on_top("Thara", "Malika", "Asima")
    if before:
        t.play(0, before)
        t.say("odd")
    t.play(1, "changing_her_mind")
    if places:
        assert (t.asked, t.options) == ((1, "place"), places)
        assert t.state.view(1)["emira_deck"][:3] == [None] * 3
        t.say(1)
        assert t.state.view(1)["ask"]["cards"] == ["Malika"]
        told = [event for event in t.log if event.data["type"] == "place"]
        assert told == [Event({"type": "place", "seat": 1, "place": 1})]  # to all
    t.say("bottom")
    assert t.deck(2) == ("Thara Asima" if places else "Malika Asima")


def test_E40_hands_goals_and_decks_are_hidden(table):
    t = table().has(0, hand="vermin")
    mine, yours = t.state.view(0), t.state.view(1)
    assert (mine["hand"], yours["hand"], yours["hands"]) == (["vermin"], [], [1, 0, 0, 0])
    assert mine["goal"] != yours["goal"]
    assert mine["goals"] is None
    assert {
        name for deck in ("emira_deck", "status_deck", "event_deck") for name in mine[deck]
    } == {None}


def test_E41_after_max_rounds_the_match_is_ranked(table):
    t = table(max_rounds=6).has(1, "Thara")
    t.state.round = 6
    t.run("end")
    assert t.state.is_over
    assert t.events("end")[0]["cause"] == "rounds"
    assert t.state.ranks == [2, 1, 2, 2]
    with pytest.raises(IllegalChoice, match=pattern("check", "match-over")):
        t.state.apply({})


def test_E41_a_match_of_passes_ends(table):
    state, _ = GAME.new(5, GAME.rules({"max_rounds": 3}), bytes(32))
    while not state.is_over:
        state.apply(dict.fromkeys(state.pending(), 0))
    assert (state.round, state.ending) == (3, "rounds")


def test_E9_several_who_leave_are_known_but_not_their_order(table):
    t = table(mode="advanced").has(0, "Janan", "Thara", "Asima", "Fatima", gold=50)
    t.pay_upkeep(0)
    left = t.events("riot")[0]["emiras"]
    assert 2 <= len(left) <= 4
    view = t.state.view(1)
    assert view["emira_deck"][-len(left) :] == [None] * len(left)
    assert view["history"][-1] == [1, "under", 0, *sorted(left, key=EMIRA_OF.__getitem__)]
    assert sorted(t.deck(28).split()[-len(left) :]) == sorted(left)


def test_E42_sick_camels_take_nothing_off_any_bid_of_the_round(table):
    t = table().has(0, camels=3, gold=200).has(1, camels=2, gold=750).board()
    t.state.breed[0] = 1
    assert [t.state.view(seat)["off_bid"] for seat in range(4)] == [[3 * 70, 2 * 50, 0, 0]] * 4
    t.play(3, "sick_camels")
    t.board()
    t.run("auction")
    view = t.state.view(2)
    assert (view["off_bid"], view["discount"], view["camels"]) == (
        [0] * 4,
        [70, 50, 50, 50],
        [3, 2, 0, 0],
    )
    assert (
        max(option for option in t.options if isinstance(option, int)) == 200
    )  # his gold, and no more
    t.say("pass", 80, "pass", "pass")
    assert t.state.gold[1] == 750 - 80
    t.run("round")
    assert t.state.view(0)["off_bid"] == [210, 100, 0, 0]


def test_E42_what_the_view_takes_off_a_bid_is_what_is_taken_off(table):
    for camels, bid in ((0, 100), (1, 100), (3, 100), (3, 150), (3, 400)):
        t = table().has(0, camels=camels, gold=1000).board()
        t.run("auction")
        off = t.state.view(1)["off_bid"][0]
        t.say(bid, "pass", "pass", "pass")
        assert t.state.gold[0] == 1000 - max(0, bid - off)
