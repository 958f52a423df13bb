"""The rulings E14 to E24 of RULES.md, by number, and more on E4 and E5; E1 to E13 are
in test_emira_acceptance.py.
"""

from hashlib import sha256

import pytest

from khiva_arena.errors import ConfigError, IllegalChoice
from khiva_arena.games.base import Event
from khiva_arena.games.emira import GAME, dealing
from khiva_arena.games.emira.tables import (
    BLACK,
    BLUE,
    EMIRA_OF,
    GREEN,
    KINDS,
    POINTS,
    RED,
    STATUS_CARDS,
    WHITE,
)
from khiva_arena.games.emira.values import room


def openings(seats, count=40, **given):
    """Freshly set up matches."""
    for i in range(count):
        yield GAME.new(seats, GAME.rules(given), sha256(f"opening {i}".encode()).digest())[0]


def test_rulebook_example_a_camel_makes_250_cost_200(table):
    t = table().has(0, camels=1).board()
    t.run("auction")
    t.say(250, "pass", "pass", "pass")
    assert t.state.gold[0] == 550


def test_rulebook_example_blue_takes_no_action_to_keep_250_for_five_princesses(table):
    t = (
        table(5)
        .has(3, "Thara", "Asima", "Fatima", "Layla", "Malika", gold=740, large_slow=[2])
        .board()
    )
    t.state.start = 3
    t.run("auction")
    t.say(10, "pass", "pass", "pass", "pass")
    assert "palace" in t.options
    t.say("none")
    t.run("upkeep")
    assert t.state.gold[3] == 730 - 250
    assert t.state.paid >> 3 & 1


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_E14_each_colour_has_its_own_advantage(seats):
    seen = set()
    for state in openings(seats):
        assert len(set(state.colours)) == seats
        for seat, colour in enumerate(state.colours):
            seen.add(colour)
            assert state.gold[seat] == 750, f"{seat=} {colour=}"
            assert state.camels[seat] == (colour == GREEN), f"{seat=} {colour=}"
            assert state.sections[seat] == (colour == WHITE), f"{seat=} {colour=}"
            assert state.status_cards[seat] == ([350] if colour == RED else []), (
                f"{seat=} {colour=}"
            )
            assert state.tokens[seat] == [0, 0, int(colour == BLUE)], f"{seat=} {colour=}"
            assert room(state, seat) == 2 + (colour == WHITE), f"{seat=} {colour=}"
        assert state.supply[2] == {3: 16}.get(seats, 23) - (GREEN in state.colours)
    assert seen == set(range(5))


def test_E14_black_has_the_larger_income(table):
    t = table()
    t.state.colours = [GREEN, BLACK, RED, BLUE]
    t.run("income")
    assert t.state.gold == [850, 900, 850, 850]


@pytest.mark.parametrize("seats", [4, 5])
def test_E15_no_card_of_3_points_is_among_the_top_six(seats):
    sizes, deep = set(), 0
    for state in openings(seats):
        deck = state.status.cards
        assert sorted(deck + [card for own in state.status_cards for card in own]) == sorted(
            STATUS_CARDS
        )
        assert all(POINTS[card] < 3 for card in deck[:6])
        assert sum(POINTS[card] == 3 for card in deck) == 4
        deep += POINTS[deck[6]] == 3
        sizes.add((len(deck), RED in state.colours))
    assert sizes <= {(19, True), (20, False)}
    assert deep


def test_E15_points_of_the_status_cards():
    assert [POINTS[card] for card in (300, 350, 400, 700, 900, 1200, 1500)] == [1, 1, 1, 2, 2, 3, 3]
    assert [sum(POINTS[card] == points for card in STATUS_CARDS) for points in (1, 2, 3)] == [
        10,
        6,
        4,
    ]


def test_E16_three_players_leave_pieces_out():
    sizes = set()
    for state in openings(3):
        assert state.supply[:2] == [8, 8]
        assert state.bag == [6, 6, 6 + (BLUE not in state.colours)]
        assert not {800, 1400} & set(state.status.cards)
        assert all(POINTS[card] < 3 for card in state.status.cards[:3])
        sizes.add((len(state.status.cards), RED in state.colours))
    assert sizes == {(13, True), (14, False)}


def test_E16_four_and_five_players_have_all(table):
    for seats in (4, 5):
        for state in openings(seats, 10):
            assert state.supply[:2] == [12, 12], f"{seats=}"
            assert state.bag == [8, 8, 8 + (BLUE not in state.colours)], f"{seats=}"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_E17_goals_differ_and_three_event_cards_are_dealt(seats):
    for state in openings(seats, 10):
        assert len(set(state.goals)) == seats
        assert [len(hand) for hand in state.hands] == [3] * seats
        assert len(state.events.cards) == 51 - 3 * seats
        assert list(state.pending()) == [
            seat for seat in range(seats) if len(set(state.hands[seat])) > 1
        ]
        dealt = [hand[:] for hand in state.hands]
        choices = {seat: len(decision.legal) - 1 for seat, decision in state.pending().items()}
        state.apply(choices)
        assert state.hands == [[cards[-1]] for cards in dealt]
        assert len(state.events.cards) == 51 - seats


def test_E17_the_cards_not_kept_are_known_to_be_in_the_deck(table):
    state = next(openings(4))
    dealt = state.view(2)["hand"]
    state.apply(dict.fromkeys(state.pending(), 0))
    view = state.view(2)
    assert [line for line in view["history"] if line[1] == "deal"] == [[0, "deal", *dealt]]
    assert view["hand"] == dealt[:1]
    assert view["event_deck"] == [None] * 47


def test_E18_the_eight_phases_and_the_start_marker(table):
    t = table()
    t.state.round = 1
    t.has(0, hand="guest_house").on_top("Sidi Suleiman")
    phases = []
    t.run("round")
    while t.state.round == 2:
        if t.state.phase not in phases:
            phases.append(t.state.phase)
        t.apply(dict.fromkeys(t.state.pending(), 0))
    assert phases == ["events", "auction", "buy"]
    assert t.state.start == 1
    told = [event.data["type"] for event in t.log]
    assert [kind for kind in told if kind in ("income", "emiras", "board", "wait", "round")] == [
        *("round", "income", "emiras", "board", "wait"),
        "round",
    ]


def test_E19_no_event_cards_in_round_1_of_the_basic_game(table):
    for mode, kind in (("basic", "bid"), ("advanced", "play")):
        t = table(mode=mode).has(0, hand="guest_house")
        t.state.round = 0
        t.run("round")
        assert t.asked == (0, kind)


def test_E19_one_card_each_clockwise_and_each_symbol_once(table):
    t = table()
    t.state.start = 2
    t.has(2, hand="double_trouble guest_house").has(3, hand="quiet_days").has(
        0, hand="quiet_days guest_house double_trouble"
    )
    t.run("events")
    assert (t.asked, t.options) == ((2, "play"), ["none", "double_trouble", "guest_house"])
    t.say("double_trouble")
    assert (t.asked, t.options) == ((0, "play"), ["none", "guest_house"])
    assert [e["seat"] for e in t.events("no_event")] == [3]
    t.say("guest_house")
    assert t.asked is None
    assert t.hand(2) == "guest_house"


def test_E19_cards_without_a_symbol_may_be_played_twice(table):
    t = table().has(0, hand="guest_house").has(1, hand="guest_house")
    t.run("events")
    t.say("guest_house", "guest_house")
    assert t.state.guests == [1, 1, 0, 0]


def test_E20_what_comes_on_the_board(table):
    t = table().on_top("Thara")
    status, bag = t.state.status.cards[0], sum(t.state.bag)
    t.run("prepare")
    assert t.state.active == [EMIRA_OF["Thara"]]
    assert t.state.shown_status == [status]
    assert len(t.state.shown_tokens) == 1
    assert sum(t.state.bag) == bag - 1
    assert t.events("board")[0]["open"] == ["small", "large", "camel", "palace"]


def test_E20_what_turns_up_by_chance_is_told_to_all(table):
    t = table().on_top("Thara")
    t.run("prepare")
    status, kind = t.state.shown_status[0], KINDS[t.state.shown_tokens[0]]
    told = [event for event in t.log if event.data["type"] == "turn_up"]
    assert told == [
        Event({"type": "turn_up", "item": status}),
        Event({"type": "turn_up", "item": kind}),
    ]


def test_E20_nothing_turns_up_by_chance_where_a_sheik_chooses_or_nothing_is_left(table):
    t = table()
    t.play(0, "bazaar")
    t.play(1, "noble_merchandise")
    t.run("prepare")
    t.say(1400, "dress")
    assert t.events("turn_up") == []
    assert [e["item"] for e in t.events("pick")] == [1400, "dress"]
    t = table()
    t.state.bag = [0, 0, 0]
    t.state.status.cards, t.state.status.seen = [], []
    t.run("prepare")
    assert t.events("turn_up") == []


def test_E21_each_action_has_one_taker_in_a_round(table):
    t = table().board(token="beauty", status=300)
    t.run("auction")
    t.everyone_passes(4)
    assert t.options == [
        "none",
        "small_slow",
        "small_fast",
        "large_slow",
        "appearance",
        "status",
        "palace",
        "camel",
    ]
    t.say("small_slow")
    t.everyone_passes(3)
    assert t.options == ["none", "large_slow", "appearance", "status", "palace", "camel"]
    t.say("appearance", "pass", "pass", "status", "pass")
    assert t.options == ["none", "large_slow", "palace", "camel"]
    t.say("camel")
    assert t.state.gold == [300, 400, 450, 600]
    assert t.state.caravans[0][0] == [8]
    assert t.state.tokens[1] == [1, 0, 0]
    assert t.state.status_cards[2] == [300]
    assert t.state.camels[3] == 1


@pytest.mark.parametrize(
    ("gold", "least"),
    [
        (150, "camel"),
        (350, "appearance"),
        (400, "status"),
        (450, "small_slow"),
        (500, "palace"),
        (900, "large_fast"),
    ],
)
def test_E21_the_exact_price_suffices_and_ten_less_does_not(table, gold, least):
    for given, offered in ((gold, True), (gold - 10, False)):
        t = table().has(0, gold=given).board(token="beauty", status=400)
        t.run("auction")
        t.everyone_passes(4)
        assert (least in t.options) == offered


def test_E21_nobody_has_to_act_and_who_cannot_is_not_asked(table):
    t = table().has(0, "Thara", gold=500, camels=0)
    t.state.open = 1 << 1  # a large caravan alone
    t.run("auction")
    t.everyone_passes(4)
    assert t.events("act") == [
        {"type": "act", "seat": 0, "action": "none", "gold": 0, "item": None}
    ]
    assert t.asked == (1, "bid")


def test_E22_what_is_used_up_cannot_be_bought(table):
    t = table().has(0, gold=3000)
    t.state.supply = [0, 0, 0, 0]
    t.state.bag = [0, 0, 0]
    t.state.status.cards, t.state.status.seen = [], []
    t.run("prepare")
    t.run("auction")
    t.everyone_passes(4)
    assert t.asked == (1, "bid")
    assert t.events("board")[0] == {"type": "board", "appearance": [], "status": [], "open": []}


def test_E22_a_palace_may_have_more_than_8_sections(table):
    t = table().has(0, sections=8).board()
    t.run("auction")
    t.say("pass", "pass", "pass", "pass", "palace")
    assert t.state.sections[0] == 9


def test_E23_what_nobody_buys_goes_back(table):
    t = table().board(token="dress", status=850)
    bag = t.state.bag[2]
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
        "pass",
        "none",
    )
    assert t.state.bag[2] == bag + 1
    assert t.state.status.cards[-1] == 850
    assert t.state.view(1)["status_deck"][-1] == 850
    assert t.state.open == 0


def test_E24_looking_at_event_cards_and_keeping_one(table):
    t = table().has(0, gold=250).has(1, gold=249).has(2, gold=149).has(3, gold=0)
    t.events_on_top("vermin bazaar quiet_days golden_times guest_house")
    t.run("buy")
    assert (t.asked, t.options) == ((0, "buy"), [0, 2, 3])
    t.say(3)
    assert (t.asked, t.options) == ((0, "keep"), ["bazaar", "quiet_days", "vermin"])
    t.say("quiet_days")
    assert t.hand(0) == "quiet_days"
    assert t.state.view(0)["event_deck"][-2:] == ["vermin", "bazaar"]
    assert t.state.view(1)["event_deck"][-2:] == [None, None]
    assert (t.asked, t.options) == ((1, "buy"), [0, 2])
    t.say(2, "guest_house")
    assert t.state.gold[:2] == [0, 99]
    assert t.asked is None


def test_E24_with_few_cards_left_one_looks_at_what_there_is(table):
    t = table().has(0, gold=900)
    t.state.events.cards, t.state.events.seen = [3, 3], [0, 0]
    t.run("buy")
    assert t.options == [0, 2]
    t.say(2)
    assert t.hand(0) == "camel_epidemic"  # both alike: nothing to choose
    t.say(2)
    assert t.hand(1) == "camel_epidemic"
    assert t.asked is None  # no card is left for the others


def test_E4_bids_are_tens_from_the_least_to_what_can_be_paid(table):
    t = table().has(0, gold=105, camels=1).has(1, gold=35, camels=0).board()
    t.state.breed[0] = 1
    t.run("auction")
    assert t.options == ["pass", "grant", *range(10, 171, 10)]
    t.say(30)
    assert (t.asked, t.options) == ((1, "bid"), ["pass", "grant"])


def test_E4_a_list_of_bids_is_never_longer_than_1000_amounts(table):
    t = table().has(0, gold=123_456).board()
    t.run("auction")
    assert len(t.options) == 1001
    assert t.options[-1] == 10_000


def test_E4_nobody_bids_more_than_100000(table):
    t = table().has(0, gold=200_000).has(1, gold=300_000).board()
    t.state.gold = [200_000, 300_000, 99_985, 50]
    t.run("auction")
    for bid in range(10_000, 100_001, 10_000):
        t.say(bid)
        while t.asked[0] > 1:
            t.say("pass")
    assert t.asked == (1, "action")  # nobody could go above
    assert t.state.gold == [200_000, 200_000, 99_985, 50]


def test_E5_the_grant_on_one_s_turn_to_bid_leaves_the_phase(table):
    t = table().has(1, gold=400).board()
    t.run("auction")
    t.say(20, "grant", "pass", "pass")
    assert t.asked == (0, "action")
    t.say("none", "pass", "pass")
    assert t.asked == (2, "action")
    t.say("none", "pass", "none")
    assert t.asked is None
    assert t.state.gold == [730, 550, 750, 750]


def test_E5_if_the_opener_takes_the_grant_the_first_to_pass_acts_free(table):
    t = table().has(0, gold=400).board()
    t.run("auction")
    t.say("grant", "pass", "pass", "pass")
    assert t.asked == (1, "action")


def test_E5_all_may_take_the_grant(table):
    t = table().board()
    t.state.gold = [0, 10, 490, 499]
    t.run("auction")
    t.say("grant", "grant", "grant", "grant")
    assert t.asked is None
    assert t.state.gold == [150, 160, 640, 649]


@pytest.mark.parametrize(("caravans", "grant"), [({}, True), ({"small_slow": [1]}, False)])
def test_E5_four_princesses_without_a_caravan(table, caravans, grant):
    t = table().has(0, "Thara", "Asima", "Fatima", "Layla", gold=5000, **caravans).board()
    t.run("auction")
    assert ("grant" in t.options) == grant


def test_seats_and_choices_are_checked():
    with pytest.raises(ConfigError, match="3 to 5 seats, not 2"):
        GAME.new(2, GAME.rules({}), bytes(32))
    state, _ = GAME.new(3, GAME.rules({}), bytes(32))
    with pytest.raises(IllegalChoice, match="not an index"):
        state.apply(dict.fromkeys(state.pending(), 3))


def test_the_deal_is_one_stream_for_each_purpose():
    """The first draws of a match, as RULES.md describes them, written out from the
    streams.
    """
    from khiva_arena.rng import Stream

    secret = bytes(range(32))

    def shuffled(purpose, ordinal, items):
        items = list(items)
        Stream(secret, "emira", purpose, str(ordinal)).shuffle(items)
        return items

    state, _ = GAME.new(5, GAME.rules({"mode": "advanced"}), secret)
    assert state.colours == shuffled("colours", 1, range(5))
    assert state.goals == shuffled("goals", 1, range(7))[:5]
    assert state.emiras.cards == shuffled("emiras", 1, range(28))
    deck = shuffled("events", 1, [card for card in range(18) for _ in range(3)])
    assert state.hands == [sorted(deck[3 * seat : 3 * seat + 3]) for seat in range(5)]
    assert state.start == Stream(secret, "emira", "start", "1").below(5)
    small = shuffled(
        "status", 1, [300] * 3 + [350] * 3 + [400] * 3 + [700, 750, 800, 800, 850, 900]
    )
    assert state.status.cards == small[:6] + shuffled(
        "status", 2, sorted([*small[6:], 1200, 1300, 1400, 1500])
    )
    assert (
        dealing.appearance(secret, 3, [1, 0, 2])
        == [0, 2, 2][Stream(secret, "emira", "appearance", "3").below(3)]
    )
