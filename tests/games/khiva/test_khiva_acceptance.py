"""The fourteen acceptance tests of the rules sheet: seats 0, 1, 2 are Camille, Adil,
Allison.
"""

import pytest


@pytest.mark.parametrize("pink", [1, 2, 3, 4])
def test_acceptance_01_alone_with_white_4_jumps_pink_and_takes_the_teapot(table, pink):
    t = table().hold("W4", "B1", "G1").put(P=(0, pink)).load("W", 3)
    pile = len(t.state.teapot_pile)
    t.play("W4", "B1", "G1")
    assert t.place("W") == (-1, 0)
    assert t.state.teapots[0] == [3]
    assert len(t.state.teapot_pile) == pile - 1
    assert t.state.loads[0] > 0


def test_acceptance_02_lower_card_wins_and_the_loser_is_paid_before_the_move(table):
    t = table().hold("W5", "B5", "B2").gems(0, 0, 1)
    t.play("W5", "B5", "B2")
    assert t.state.gems == [0, 1, 1]
    assert t.asked == "boost"
    assert t.state.view(2)["ask"]["seat"] == 2
    assert [e["seat"] for e in t.events("gems")] == [1]
    assert not [e for e in t.events("move") if e["camel"] == 1]


@pytest.mark.parametrize(("khiva", "start"), [("skip", (1, 2)), ("own_tent", (1, 1))])
def test_acceptance_03_allison_boosts_blue_over_green(table, khiva, start):
    def allison(gems):
        t = table(khiva_spaces=khiva).hold("W5", "B5", "B2").put(B=start, G=(2, 3)).gems(0, 0, gems)
        t.play("W5", "B5", "B2")
        assert t.lands == [(2, 1), (2, 2), (2, 4)]
        assert t.options == [0, 1, 2]  # three gems would be one slot too many
        return t

    t = allison(2)
    t.answer(0)
    assert (t.place("B"), t.state.gems[2]) == ((2, 1), 3)
    t = allison(2)
    t.answer(1)
    assert (t.place("B"), t.state.gems[2], len(t.state.carpets[2])) == ((2, 2), 1, 1)
    t = allison(4)
    t.answer(2)
    assert (t.place("B"), t.state.gems[2], len(t.state.carpets[2])) == ((2, 4), 2, 1)
    t = allison(5)
    t.answer(2)
    assert t.options == ["carpet", "salt"]
    t.answer("salt")
    assert (t.state.gems[2], t.state.salts[2], t.state.carpets[2]) == (0, [10], [])


def test_acceptance_04_score_of_camille_is_42(table):
    state = table().state
    state.teapots[0], state.salts[0] = [7, 7, 6, 4], [7]
    state.delivered[0], state.gems[0] = [5, 14], 2
    state.carpets[0] = [33]
    assert state.scores[0] == 24 + 7 + 9 + 2 == 42


def test_acceptance_05_two_players_a_rejected_card_pays_for_boost_and_salt_at_once(table):
    t = table(2).hold("G2 G4", "P4 K4")
    t.play("G2 G4", "P4 K4")
    assert (t.asked, t.options) == ("boost", [0, 1])
    assert t.state.gems[0] == 1

    t = table(2).hold("G2 G4", "P4 K4").put(G=(0, 2)).gems(2, 0)
    t.play("G2 G4", "P4 K4")
    assert t.state.gems[0] == 3
    t.answer(0)
    assert (t.place("G"), t.options) == ((0, 4), ["carpet", "salt"])
    t.answer("salt")
    assert (t.state.gems[0], t.state.salts[0]) == (0, [10])


@pytest.mark.parametrize(
    ("compensation", "gems"), [("per_rejected_card", 2), ("per_player_turn", 1)]
)
def test_acceptance_06_two_rejected_cards_of_one_player(table, compensation, gems):
    t = table(2, compensation=compensation).hold("W3 W4", "W1 K4")
    t.play("W3 W4", "W1 K4")
    t.default_to_the_next_choice()
    assert [e["seat"] for e in t.events("win")] == [1, 1]
    assert t.state.gems[0] == gems


def test_acceptance_06_per_player_turn_pays_nothing_to_a_player_who_won_a_camel(table):
    t = table(2, compensation="per_player_turn").hold("W3 G4", "W1 K4")
    t.play("W3 G4", "W1 K4")
    t.default_to_the_next_choice()
    assert t.state.gems[0] == 0


def test_acceptance_07_a_1_with_two_slots_covers_one_to_three(table):
    t = table().hold("W1", "B5", "G5").gems(2, 0, 0)
    t.play("W1", "B5", "G5")
    assert t.lands == [(0, 1), (0, 2), (0, 3)]
    assert t.options == [0, 1, 2]


def test_acceptance_08_the_mover_gets_the_shop_on_another_path(table):
    t = table().hold("W1", "B5", "G5").put(W=(1, 3)).top_carpet("K4")
    t.play("W1", "B5", "G5")
    assert t.place("W") == (1, 2)
    assert (t.state.carpets[0], t.state.carpets[1]) == ([44], [])

    t = table().hold("W3", "B5", "G5").put(W=(1, 3))
    t.play("W3", "B5", "G5")
    assert (t.place("W"), t.state.gems) == ((0, 1), [1, 0, 0])


def test_acceptance_09_salt_sells_from_ten_down_and_the_fifth_sale_triggers_the_end(table):
    t = table().gems(15, 0, 0)
    for sold, bag in enumerate((10, 9, 8, 7, 6), 1):
        t.hold("W3", "B5", "G5").put(W=(0, 1))
        t.state.camels[1] = t.state.camels[2] = 0
        t.play("W3", "B5", "G5")
        while t.asked == "boost":
            t.answer(0)
        t.answer("salt")
        assert t.state.salts[0][-1] == bag
        t.default_to_the_next_choice()
        assert t.state.is_over == (sold == 5)
        if sold < 5:
            t = _fresh(table, t)
    assert t.events("end")[0]["cause"] == "salts"


def _fresh(table, old):
    """A table in its first turn with the salt and gems of the old one."""
    t = table()
    t.state.salt_pile, t.state.salts, t.state.gems = (
        old.state.salt_pile,
        old.state.salts,
        old.state.gems,
    )
    return t


def test_acceptance_10_only_carpets_of_the_camels_colour_come_home(table):
    t = table().hold("W5", "B1", "G5").put(B=(1, 4)).own(1, "B5 B3 K4")
    t.play("W5", "B1", "G5")
    assert t.state.delivered[1] == [15, 13]
    assert t.state.carpets[1] == [44]
    assert t.state.scores[1] == t.state.teapots[1][0] + 8


def test_acceptance_11_the_last_teapot_triggers_and_the_other_camels_still_move(table):
    t = table().hold("W5", "B5", "G5").leave(teapots=1)
    won = [len(w) for w in t.state.teapots]
    t.play("W5", "B5", "G5")
    assert [len(w) for w in t.state.teapots] == [
        won[0] + 1,
        1,
        1,
    ]  # blue is the eighteenth, green the nineteenth
    assert t.state.loads[0] > 0
    assert t.state.loads[1:3] == [0, 0]  # bare
    assert [t.place(c) for c in "WBG"] == [(-1, 0)] * 3
    assert t.state.is_over
    kinds = [e.data["type"] for e in t.log]
    assert kinds.index("last_turn") < kinds.index("deliver", kinds.index("last_turn"))
    assert len(t.events("last_turn")) == 1


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [(2, [8, 6, 4, 8]), (3, [5, 4, 3, 2, 5]), (4, [5, 4, 3, 2, 5]), (5, [5, 4, 3, 2, 5])],
)
def test_acceptance_12_hand_sizes_and_all_cards_are_somewhere(table, seats, sizes):
    t = table(seats)
    for turn, size in enumerate(sizes, 1):
        assert t.state.turn == turn
        assert [len(hand) for hand in t.state.hands] == [size] * seats
        assert sum(n for piece, n in t.state.components().items() if piece.startswith("card")) == 25
        t.apply(dict.fromkeys(range(seats), 0))
        assert len(t.state.hands[0]) in (size - (2 if seats == 2 else 1), sizes[0])
        t.default_to_the_next_choice()
    assert t.state.deal == 2


def test_acceptance_13_overshoot_stops_at_the_outpost_and_no_boost_is_offered(table):
    t = table(gem_slots=[2, 2, 2, 2, 2]).hold("W5", "B5", "G5").put(W=(0, 4)).gems(2, 0, 0)
    t.play("W5", "B5", "G5")
    assert not [e for e in t.events("move") if e["boost"]]
    assert (t.place("W"), len(t.state.teapots[0]), t.state.gems[0]) == ((-1, 0), 1, 2)


def test_acceptance_14_ties_go_to_most_teapots_then_the_best_bag(table):
    state = table(2).state
    state.teapots = [[7, 7, 7, 7, 7, 7], [7, 7, 7, 7, 7]]
    state.gems = [0, 7]
    assert (state.scores, state.ranks) == ([42, 42], [1, 2])
    state.teapots = [[7] * 3, [7] * 3]
    state.salts, state.gems = [[9], [8, 7]], [21 - 9, 21 - 15]
    assert (state.scores, state.ranks) == ([42, 42], [1, 2])
    state.salts, state.gems = [[9], [9]], [12, 12]
    assert state.ranks == [1, 1]
