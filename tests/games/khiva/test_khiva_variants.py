"""The open points O1 to O12, each variant, and the rules maps that are refused."""

import pytest
from cases import cases
from wording import pattern

from khiva_arena.errors import RulesError
from khiva_arena.games.khiva import GAME

TENT = (-1, 0)


@pytest.mark.parametrize(
    ("slots", "most"),
    [([2, 2, 1, 1, 0], 1), ([2, 2, 2, 1, 0], 2), ([2, 2, 1, 0, 0], 1), ([2, 2, 2, 2, 2], 2)],
)
def test_O1_gem_slots_by_value(table, slots, most):
    t = table(gem_slots=slots).hold("W3", "B5", "G5").gems(5, 0, 0)
    t.play("W3", "B5", "G5")
    assert t.options == list(range(most + 1))


def test_O1_gem_slots_by_colour_and_value(table):
    slots = [[0] * 5 for _ in range(5)]
    slots[1][2] = 2
    t = table(gem_slots=slots).hold("W3", "B3", "G3").gems(5, 5, 5)
    t.play("W3", "B3", "G3")
    assert t.state.view(0)["ask"]["seat"] == 1
    assert t.options == [0, 1, 2]


def test_O2_teapot_counts(table):
    t = table(teapot_counts=[4, 4, 4, 4, 3, 3])
    values = [*t.state.teapot_pile, *t.state.loads]
    assert [values.count(v) for v in range(2, 8)] == [4, 4, 4, 4, 3, 3]


@pytest.mark.parametrize(("variant", "stop", "gems"), [("skip", (0, 1), 1), ("own_tent", TENT, 0)])
def test_O3_crossing_khiva(table, variant, stop, gems):
    t = table(khiva_spaces=variant).hold("W2", "B1", "G1").put(W=(1, 2)).load("W", 5)
    t.play("W2", "B1", "G1")
    assert (t.place("W"), t.state.gems[0], t.state.loads[0]) == (stop, gems, 5)


def test_O3_own_tent_does_not_count_for_a_camel_that_starts_there(table):
    t = table(khiva_spaces="own_tent").hold("W1", "B1", "G1")
    t.play("W1", "B1", "G1")
    assert t.place("W") == (0, 1)


def test_O3_own_tent_is_free_whoever_else_is_at_khiva(table):
    t = table(khiva_spaces="own_tent").hold("W1", "B1", "G1").put(W=(1, 1))
    t.play("W1", "B1", "G1")
    assert t.place("W") == TENT


def test_O4_no_move_needs_the_exact_count(table):
    t = table(overshoot="no_move").hold("W5", "B1", "G1").put(W=(0, 4)).gems(2, 0, 0)
    t.play("W5", "B1", "G1")
    assert (t.place("W"), t.state.gems[0]) == ((0, 4), 2)
    assert t.events("stay")[0] == {"type": "stay", "camel": 0, "why": "overshoot"}
    assert t.events("win")[0]["seat"] == 0


def test_O4_no_move_offers_no_boost_beyond_the_outpost(table):
    t = table(overshoot="no_move").hold("W1", "B1", "G1").put(W=(0, 3)).gems(2, 0, 0)
    t.play("W1", "B1", "G1")
    assert t.lands == [(0, 4), (0, 5)]


@pytest.mark.parametrize(
    ("start", "card", "others", "stop"),
    [
        ((0, 4), "W2", {}, (0, 4)),  # outpost and back to where it came from, which is free by then
        ((0, 4), "W3", {}, (0, 3)),
        ((0, 4), "W5", {}, (0, 1)),
        (
            (0, 3),
            "W2",
            {"B": (0, 2), "G": (0, 4)},
            (0, 3),
        ),  # ahead only the outpost; back shop 3, which it left, and 1
        ((0, 3), "W3", {"B": (0, 2), "G": (0, 4)}, (0, 1)),
        ((0, 3), "W5", {"B": (0, 2), "G": (0, 4)}, (0, 1)),
    ],
)
def test_O4_bounce_goes_back_over_free_shops(table, start, card, others, stop):
    t = table(overshoot="bounce").hold(card, "K1", "P1").put(W=start, **others)
    t.play(card, "K1", "P1")
    t.default_to_the_next_choice()
    assert t.place("W") == stop
    assert t.state.teapots[0] == []


def test_O4_bounce_stays_on_the_outpost_when_no_shop_is_free(table):
    t = table(overshoot="bounce").hold("W5", "B1", "G1").put(B=(0, 1), G=(0, 2), P=(0, 3), K=(0, 4))
    t.play("W5", "B1", "G1")
    assert len(t.state.teapots[0]) == 1


def test_O4_bounce_stops_at_the_last_free_shop(table):
    t = (
        table(overshoot="bounce", gem_slots=[5, 5, 5, 5, 5])
        .hold("W5", "B1", "G1")
        .put(W=(0, 4))
        .gems(9, 0, 0)
    )
    t.play("W5", "B1", "G1")
    assert t.place("W") == (0, 1)  # outpost, 4, 3, 2, 1: a boost would change nothing


def test_O5_a_limited_supply_pays_in_seat_order_then_the_mover(table):
    t = table(4, gem_supply=3).gems(0, 0, 0, 1).hold("W1", "W5", "W3", "W4")
    t.play("W1", "W5", "W3", "W4")
    assert (t.state.gems, t.state.supply) == ([0, 1, 1, 1], 0)
    assert t.state.view(0)["gems_left"] == 0


def test_O5_spent_gems_come_back(table):
    t = table(gem_supply=30).gems(4, 0, 0).hold("W3", "B2", "G2")
    t.play("W3", "B2", "G2")
    t.answer(1)
    t.answer("salt")
    assert (t.state.gems[0], t.state.supply) == (0, 30)


def test_O6_per_player_turn_pays_at_the_end_of_the_turn(table):
    t = table(compensation="per_player_turn").hold("W1", "W2", "K2").gems(2, 0, 0)
    t.play("W1", "W2", "K2")
    assert t.state.gems[1] == 0
    t.default_to_the_next_choice()
    assert t.state.gems[1] == 1
    assert t.log[-1].data == {"type": "gems", "seat": 1, "count": 1, "why": "rejected"}


def test_O6_per_player_turn_pays_every_seat_without_a_camel(table):
    t = table(4, compensation="per_player_turn").hold("W2", "W1", "W3", "W4")
    t.play("W2", "W1", "W3", "W4")
    t.default_to_the_next_choice()
    assert t.state.gems == [1, 1, 1, 1]  # seat 1 from shop 1


@pytest.mark.parametrize(
    ("rule", "gems"), [("per_rejected_card", 2), ("per_rejected_player", 1), ("per_player_turn", 0)]
)
def test_O6_two_rejected_cards_of_one_player(table, rule, gems):
    """Before the winner of the camel moves: seat 1 has won nothing yet, so
    per_player_turn has paid nothing.
    """
    t = table(2, compensation=rule).hold("W1 K5", "W3 W4").gems(2, 0)
    t.play("W1 K5", "W3 W4")
    assert (t.asked, t.state.gems) == ("boost", [2, gems])
    t.default_to_the_next_choice()
    assert t.state.gems[1] == max(gems, 1)


@pytest.mark.parametrize("rule", ["per_rejected_card", "per_rejected_player"])
def test_O6_who_wins_with_one_card_is_paid_for_the_other(table, rule):
    t = table(2, compensation=rule).hold("G2 G4", "P4 K4")
    t.play("G2 G4", "P4 K4")
    assert t.events("gems")[0] == {"type": "gems", "seat": 0, "count": 1, "why": "rejected"}
    assert (t.asked, t.options) == (
        "boost",
        [0, 1],
    )  # paid before the move, so that it can be spent


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_O6_per_rejected_player_is_the_default_where_one_card_is_played(table, seats):
    gems = []
    for rule in ("per_rejected_card", "per_rejected_player"):
        t = table(seats, compensation=rule).hold(*("W5", "W4", "W3", "W2", "W1")[:seats])
        t.play(*("W5", "W4", "W3", "W2", "W1")[:seats])
        t.default_to_the_next_choice()
        gems.append(t.state.gems)
    assert gems[0] == gems[1]


def test_O7_the_colour_of_the_top_carpet(table):
    assert table().state.view(0)["carpet_top"] is None
    t = table(carpet_top="colour").top_carpet("P4")
    assert t.state.view(1)["carpet_top"] == 3


def test_O8_twenty_five_carpets(table):
    t = table(carpets=25)
    assert sorted(t.state.carpet_pile) == [10 * c + v for c in range(5) for v in (3, 3, 4, 4, 5)]


def test_O8_carpets_of_the_lowest_and_the_highest_value_are_seen(table):
    t = table(carpets=[9, 1])
    assert sorted(t.state.view(0)["carpets_left"]) == [[c, v] for c in range(5) for v in (1, 9)]


@pytest.mark.parametrize(("variant", "ranks"), [("max_bag", [1, 2]), ("sum_bags", [2, 1])])
def test_O9_salt_tie_break(table, variant, ranks):
    state = table(2, salt_tie_break=variant).state
    state.salts, state.gems = [[9], [8, 7]], [6, 0]
    assert state.ranks == ranks


def test_O10_failed_draw_ends_one_token_later(table):
    t = table(end_trigger="failed_draw").hold("W2", "B1", "K1").leave(carpets=1)
    t.play("W2", "B1", "K1")
    t.default_to_the_next_choice()
    assert not t.state.is_over
    t = table(end_trigger="failed_draw").hold("W2", "B1", "K1").leave(carpets=0)
    t.play("W2", "B1", "K1")
    t.default_to_the_next_choice()
    assert t.events("end")[0]["cause"] == "carpets"


def test_O10_failed_draw_of_a_teapot(table):
    t = table(end_trigger="failed_draw").hold("W5", "B5", "K1").leave(teapots=1)
    t.play("W5", "B5", "K1")
    t.default_to_the_next_choice()
    assert t.state.loads[1] == 0
    assert t.events("end")[0]["cause"] == "teapots"


def test_O10_failed_draw_the_last_salt_bag_ends_nothing(table):
    t = table(end_trigger="failed_draw").hold("W4", "B1", "K1").leave(salts=1).gems(3, 0, 0)
    t.play("W4", "B1", "K1")
    t.answer(0)
    t.answer("salt")
    t.default_to_the_next_choice()
    assert (t.state.salt_pile, t.state.is_over) == ([], False)


def test_O10_a_sold_out_salt_pile_is_never_a_failed_draw(table):
    t = table(end_trigger="failed_draw").hold("W4", "B1", "K1").leave(salts=0).gems(3, 0, 0)
    t.play("W4", "B1", "K1")
    t.default_to_the_next_choice()
    assert not t.state.is_over
    assert len(t.state.carpets[0]) == 1


def test_O11_the_winner_may_stay(table):
    t = table(decline="yes").hold("W1", "B1", "G1").gems(2, 0, 0)
    t.play("W1", "B1", "G1")
    assert (t.asked, t.options) == ("move", ["move", "stay"])
    assert t.lands == [(0, 1), (0, 2), (0, 3)]
    t.answer("stay")
    assert t.place("W") == TENT
    assert t.state.view(0)["ask"]["seat"] == 1
    t.answer("move")
    assert t.place("B") == (1, 1)


def test_O11_move_then_boost_then_shop_4_with_nothing(table):
    t = table(decline="yes").hold("W3", "B1", "G1").gems(4, 0, 0)
    t.play("W3", "B1", "G1")
    t.answer("move")
    t.answer(1)
    assert t.options == ["carpet", "salt", "nothing"]
    t.answer("nothing")
    assert (t.state.gems[0], t.state.carpets[0], t.state.salts[0]) == (3, [], [])


def test_O11_shop_4_without_the_price(table):
    t = table(decline="yes").hold("W4", "B1", "G1")
    t.play("W4", "B1", "G1")
    t.answer("move")
    assert t.options == ["carpet", "nothing"]


def test_O12_compensation_after_the_move(table):
    t = table(2, compensation_time="after_move").hold("G2 G4", "P4 K4")
    t.play("G2 G4", "P4 K4")
    assert not t.events("move")[0]["boost"]  # the gem came too late to be spent
    kinds = [e.data["type"] for e in t.log]
    assert kinds.index("move") < kinds.index("gems")


def test_rules_defaults_are_canonical_and_plain():
    rules = GAME.rules({})
    assert rules == {
        "gem_slots": [[2, 2, 1, 1, 0]] * 5,
        "teapot_counts": [3, 4, 4, 4, 4, 3],
        "khiva_spaces": "skip",
        "overshoot": "stop_at_outpost",
        "gem_supply": "unlimited",
        "compensation": "per_rejected_card",
        "carpet_top": "hidden",
        "carpets": [3, 4, 5],
        "salt_tie_break": "max_bag",
        "end_trigger": "pile_empty",
        "decline": "no",
        "compensation_time": "before_move",
        "max_turns": 200,
    }
    assert GAME.rules(rules) == rules
    assert GAME.rules({"carpets": 25})["carpets"] == [3, 3, 4, 4, 5]
    assert [GAME.rules({"max_turns": turns})["max_turns"] for turns in (1, 1000)] == [1, 1000]


@cases(
    ("given", "says"),
    [
        ({"gem_slot": [1]}, "unknown rule 'gem_slot'"),
        ({"overshoot": "stop"}, "overshoot is one of stop_at_outpost, no_move, bounce"),
        ({"overshoot": ["bounce"]}, "overshoot is one of"),
        ({"gem_slots": [2, 2, 1, 1]}, "gem_slots is five numbers"),
        ({"gem_slots": [2, 2, 1, 1, 6]}, "gem_slots is five numbers"),
        ({"gem_slots": [[2, 2, 1, 1, 0]] * 4}, "gem_slots is five numbers"),
        ({"gem_slots": [True, 2, 1, 1, 0]}, "gem_slots is five numbers"),
        ({"teapot_counts": [4, 4, 4, 4, 4, 4]}, "teapot_counts is how many"),
        ({"teapot_counts": [0, 7, 4, 4, 4, 3]}, "teapot_counts is how many"),
        ({"teapot_counts": [22]}, "teapot_counts is how many"),
        ({"gem_supply": 2}, r"\(fewer could never buy salt\)"),
        ({"gem_supply": None}, "gem_supply is"),
        ({"carpets": 20}, "carpets " + pattern("games", "ten-values")),
        ({"carpets": []}, "carpets " + pattern("games", "ten-values")),
        ({"carpets": [0, 4, 5]}, "carpets " + pattern("games", "ten-values")),
        ({"carpets": [3, 4, 10]}, "carpets " + pattern("games", "ten-values")),
        ({"max_turns": 0}, "max_turns " + pattern("games", "number-turns")),
        ({"max_turns": 1001}, "max_turns " + pattern("games", "number-turns")),
        ({"decline": True}, "decline is one of no, yes"),
        (
            {"compensation": "per_player_turn", "compensation_time": "after_move"},
            pattern("games", "compensation-time-after-move"),
        ),
    ],
)
def test_rules_that_are_refused(given, says):
    with pytest.raises(RulesError, match=says) as caught:
        GAME.rules(given)
    assert len(caught.value.problems) == 1


def test_rules_every_mistake_is_named_at_once():
    with pytest.raises(RulesError) as caught:
        GAME.rules({"nonsense": 1, "overshoot": "x", "carpets": 3, "max_turns": "many"})
    assert [problem.split()[0] for problem in caught.value.problems] == [
        "unknown",
        "overshoot",
        "carpets",
        "max_turns",
    ]
