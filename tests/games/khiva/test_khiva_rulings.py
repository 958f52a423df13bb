"""Each ruling K1 to K23 of RULES.md, by number."""

from collections import Counter

import pytest

from khiva_arena.errors import IllegalChoice
from khiva_arena.games.khiva.tables import LEGAL, SALT_BAGS, WALKS

TENT = (-1, 0)


def test_K1_play_and_pass_come_from_the_hand_held_and_go_left(table):
    t = table().hold("W5 B4 G3 P2 K1", "W4 B3 G2 P1 K5", "W3 B2 G1 P5 K4")
    t.play("K1", "W4", "G1", give=("W5", "K5", "P5"))
    assert t.hand(0) == "P5 B4 G3 P2"
    assert t.hand(1) == "W5 B3 G2 P1"
    assert t.hand(2) == "K5 K4 W3 B2"
    assert [(e["seat"], e["to"], e["cards"]) for e in t.events("pass")] == [
        (0, 1, [[0, 5]]),
        (1, 2, [[4, 5]]),
        (2, 0, [[3, 5]]),
    ]
    assert [event.to for event in t.log if event.data["type"] == "pass"] == [(0, 1), (1, 2), (2, 0)]


def test_K1_the_received_card_is_in_hand_before_the_first_camel_moves(table):
    t = table().hold("W1 W5", "B5 K5", "G5 P5").gems(2, 0, 0)
    t.play("W1", "B5", "G5", give=("W5", "K5", "P5"))
    assert t.asked == "boost"
    assert t.state.view(0)["hand"][0] == [3, 5]


@pytest.mark.parametrize(
    ("seats", "hand", "size"),
    [(3, 5, 20), (4, 4, 12), (5, 3, 6), (3, 2, 2), (2, 8, 420), (2, 6, 90), (2, 4, 6)],
)
def test_K1_number_and_order_of_choices(seats, hand, size):
    entries = LEGAL[seats, hand]
    assert len(entries) == size == len(set(entries))
    assert list(entries) == sorted(entries)
    assert entries[0] == ((0, 1, 2, 3) if seats == 2 else (0, 1))
    assert all(len(set(entry)) == len(entry) for entry in entries)


def test_K2_camels_in_activation_order_and_the_lowest_card_wins(table):
    t = table(5).hold("K1", "B3", "B2", "B4", "W2")
    t.play("K1", "B3", "B2", "B4", "W2")
    t.default_to_the_next_choice()
    assert [(e["camel"], e["seat"]) for e in t.events("win")] == [(0, 4), (1, 2), (4, 0)]
    assert [(e["camel"], e["why"]) for e in t.events("stay")] == [(2, "no_card"), (3, "no_card")]
    assert [t.place(c) for c in "GP"] == [TENT, TENT]


def test_K3_a_gem_for_each_rejected_card_before_the_winner_moves(table):
    t = table(4).hold("W4", "W3", "W5", "W2")
    t.play("W4", "W3", "W5", "W2")
    t.default_to_the_next_choice()
    assert [e["seat"] for e in t.events("gems")][:3] == [0, 1, 2]
    kinds = [e.data["type"] for e in t.log]
    assert kinds.index("gems") < kinds.index("move")
    assert t.events("win")[0]["rejected"] == [[0, [0, 4]], [1, [0, 3]], [2, [0, 5]]]


def test_K4_boost_up_to_slots_and_gems_is_paid_and_moves_exactly(table):
    t = table().hold("W1", "B3", "G5").gems(1, 5, 5)
    t.play("W1", "B3", "G5")
    assert t.options == [0, 1]  # one gem, two slots
    t.answer(1)
    assert (t.place("W"), t.state.gems[0]) == ((0, 2), 0)
    assert t.options == [0, 1]  # five gems, one slot
    t.answer(1)
    assert (t.place("B"), t.state.gems[1]) == ((1, 4), 4)
    assert t.asked == "shop4"
    t.answer("carpet")
    assert t.state.turn == 2  # green 5 has no slot: nobody was asked


def test_K5_occupied_places_are_not_counted(table):
    t = table().hold("W1", "B5", "G5").put(B=(0, 1), G=(0, 2), P=(0, 3))
    t.play("W1", "B5", "G5")
    assert t.place("W") == (0, 4)


@pytest.mark.parametrize(
    ("variant", "path"),
    [
        ("skip", [(1, 2), (1, 1), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]),
        ("own_tent", [(1, 2), (1, 1), (0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]),
    ],
)
def test_K6_walk_back_a_foreign_path_and_out_on_the_own(variant, path):
    assert [divmod(place, 6) for place in WALKS[variant][0][6 + 3]] == path


def test_K7_distances_with_nothing_in_the_way():
    walks = WALKS["skip"][2]
    assert len(walks[0]) == 5
    for k in range(1, 5):
        assert len(walks[6 * 2 + k]) == 5 - k
        assert len(walks[6 * 1 + k]) == (k - 1) + 5
    assert walks[6 * 1 + 1][0] == 6 * 2 + 1


def test_K8_what_goes_beyond_the_outpost_is_lost(table):
    t = table().hold("W4", "B5", "G5").put(W=(0, 3)).gems(3, 0, 0)
    t.play("W4", "B5", "G5")
    assert (len(t.state.teapots[0]), t.state.gems[0]) == (1, 3)


def test_K8_boosts_that_change_nothing_are_not_offered(table):
    t = table().hold("W1", "B5", "G5").put(W=(0, 3)).gems(2, 0, 0)
    t.play("W1", "B5", "G5")
    assert t.lands == [(0, 4), (0, 5)]


@pytest.mark.parametrize(("shop", "gems", "carpets"), [(1, 1, 0), (2, 0, 1), (3, 2, 0), (4, 0, 1)])
def test_K9_the_landing_place_works_for_the_mover_and_passing_gives_nothing(
    table, shop, gems, carpets
):
    t = table().hold(f"W{shop}", "B5", "G5")
    t.play(f"W{shop}", "B5", "G5")
    assert (t.place("W"), t.state.gems[0], len(t.state.carpets[0])) == ((0, shop), gems, carpets)


def test_K10_shop_4_with_less_than_three_gems_gives_the_top_carpet_unasked(table):
    t = table().hold("W4", "B5", "G5").gems(0, 0, 0).top_carpet("P5")
    t.play("W4", "B5", "G5")
    assert t.state.carpets[0] == [35]
    assert t.state.turn == 2


def test_K10_shop_4_asks_before_the_carpet_is_seen_and_after_the_boost_is_paid(table):
    t = table().hold("W3", "B5", "G5").gems(4, 0, 0)
    t.play("W3", "B5", "G5")
    t.answer(1)
    assert (t.state.gems[0], t.asked, t.options) == (3, "shop4", ["carpet", "salt"])
    assert not t.events("carpet")
    assert t.state.view(1)["ask"] == {
        "kind": "shop4",
        "seat": 0,
        "camel": 0,
        "card": [0, 3],
        "lands": [[0, 4]],
    }
    t = table().hold("W3", "B5", "G5").gems(3, 0, 0)
    t.play("W3", "B5", "G5")
    t.answer(1)  # two gems left
    assert len(t.state.carpets[0]) == 1
    assert t.state.turn == 2


def test_K11_the_outpost_gives_teapot_and_carpets_and_the_camel_starts_again(table):
    t = table().hold("W5", "B1", "G1").own(0, "W3 W5 B4").load("W", 6)
    top = t.state.teapot_pile[-1]
    t.play("W5", "B1", "G1")
    assert t.events("deliver") == [
        {
            "type": "deliver",
            "camel": 0,
            "seat": 0,
            "teapot": 6,
            "carpets": [[0, 3], [0, 5]],
            "load": top,
        }
    ]
    assert (t.place("W"), t.state.loads[0], t.state.teapots[0]) == (TENT, top, [6])


def test_K12_carpets_of_other_players_and_colours_stay(table):
    t = table().hold("W5", "B1", "G1").own(0, "B4").own(1, "W3")
    t.play("W5", "B1", "G1")
    assert t.state.delivered == [[], [], []]
    assert t.state.carpets == [[14], [3], []]


def test_K12_nobody_ends_on_another_outpost(table):
    for seat in range(5):
        for place in range(30):
            assert all(p % 6 != 5 or p // 6 == seat for p in WALKS["own_tent"][seat][place])


def test_K13_loads_are_public_from_the_setup_on(table):
    t = table()
    setup = t.opening[0]
    assert (setup.to, setup.data["teapots"]) == (None, t.state.loads)
    assert [camel[2] for camel in t.state.view(1)["camels"]] == t.state.loads


def test_K14_cards_go_to_the_discard_camel_by_camel(table):
    t = table().hold("K1", "B3", "B5").gems(2, 0, 0)
    t.play("K1", "B3", "B5")
    view = t.state.view(0)
    assert t.asked == "boost"
    assert view["discard"] == [[1, 3], [1, 5]]
    assert view["table"] == [[[4, 1]], [], []]
    t.answer(0)
    assert t.state.view(2)["discard"] == [[1, 3], [1, 5], [4, 1]]


@pytest.mark.parametrize(("seats", "aside"), [(2, 5), (3, 10), (4, 5), (5, 0)])
def test_K15_the_redeal_leaves_the_kept_cards(table, seats, aside):
    t = table(seats)
    while t.state.deal == 1:
        t.apply(dict.fromkeys(range(seats), 0))
        t.default_to_the_next_choice()
    received = [e["cards"] for e in t.events("pass")][-seats:]
    for seat in range(seats):
        assert all(card in t.state.view(seat)["hand"] for card in received[seat - 1])
    assert (t.state.deal, t.state.discard, len(t.state.aside)) == (2, [], aside)
    assert [e["deal"] for e in t.events("deal")] == [1, 2]


def test_K15_no_redeal_once_the_end_is_triggered(table):
    t = table(3)
    for _ in range(3):
        t.apply({0: 0, 1: 0, 2: 0})
        t.default_to_the_next_choice()
    t.hold("W5 K1", "W4 K2", "W3 K3").put(W=(2, 4)).leave(teapots=1)
    t.play("W5", "W4", "W3")
    t.default_to_the_next_choice()
    assert t.state.is_over
    assert len(t.events("deal")) == 1
    assert [t.hand(seat) for seat in range(3)] == ["K3", "K1", "K2"]


@pytest.mark.parametrize("pile", ["teapots", "carpets", "salts"])
def test_K16_the_last_token_taken_triggers_the_end_and_the_turn_is_finished(table, pile):
    played = {"teapots": "W5", "carpets": "W2", "salts": "W4"}[pile]
    t = table().hold(played, "B1", "K1").leave(**{pile: 1}).gems(3, 0, 0)
    t.play(played, "B1", "K1")
    while t.asked == "boost":
        t.answer(0)
    if t.asked == "shop4":
        t.answer("salt")
    t.default_to_the_next_choice()
    assert t.events("end")[0]["cause"] == pile
    assert [t.place(c) for c in "BK"] == [(1, 1), (2, 1)]
    assert t.state.is_over
    assert t.state.pending() == {}
    with pytest.raises(IllegalChoice):
        t.state.apply({})


def test_K16_gems_never_end_the_match(table):
    t = table(gem_supply=3).gems(3, 0, 0).hold("W1", "B1", "G1")
    t.play("W1", "B1", "G1")
    t.default_to_the_next_choice()
    assert (t.state.supply, t.state.is_over) == (0, False)


def test_K17_empty_piles_give_nothing_on_the_last_turn(table):
    t = table().hold("W2", "B2", "G4").leave(carpets=1).gems(0, 0, 3)
    t.play("W2", "B2", "G4")
    t.default_to_the_next_choice()
    assert (t.state.carpets[0] != [], t.state.carpets[1]) == (True, [])
    assert [e["seat"] for e in t.events("nothing")] == [
        1,
        2,
    ]  # seat 2 could have bought salt; the default is nothing


def test_K17_shop_4_without_carpets_sells_salt_or_nothing(table):
    t = table().hold("W2", "B2", "G4").leave(carpets=1).gems(0, 0, 3)
    t.play("W2", "B2", "G4")
    t.answer(0)
    assert (t.asked, t.options) == ("shop4", ["nothing", "salt"])
    t.answer("salt")
    assert t.state.salts[2] == [10]


def test_K17_shop_4_without_salt_gives_a_carpet_unasked(table):
    t = table().hold("W4", "B4", "G1").leave(salts=1).gems(3, 3, 0)
    t.play("W4", "B4", "G1")
    t.answer(0)
    t.answer("salt")
    t.answer(0)
    assert t.state.is_over
    assert len(t.state.carpets[1]) == 1


def test_K18_score_counts_teapots_salt_delivered_carpets_and_gems(table):
    state = table().state
    state.teapots[1], state.salts[1], state.delivered[1], state.gems[1] = [2, 7], [6], [33], 4
    state.carpets[1] = [45]
    assert state.scores == [0, 9 + 6 + 3 + 4, 0]
    assert state.points_by_source[1] == (
        {"teapots": 9, "salt": 6, "carpets": 3, "gems": 4},
        {"undelivered carpets": 5},
    )


def test_K19_ties_share_a_place_and_the_next_is_left_out(table):
    state = table(4).state
    state.gems = [5, 9, 5, 1]
    assert state.ranks == [2, 1, 2, 4]


@pytest.mark.parametrize(
    ("salts", "ranks"),
    [
        ([[10, 6], [9, 8], [7]], [1, 2, 3]),  # by the best bag, neither by the sum nor by the least
        ([[7], [9, 8], [10, 6]], [3, 2, 1]),
        ([[], [6], []], [2, 1, 2]),  # no bag is worth less than any
    ],
)
def test_K19_of_equal_scores_and_teapots_the_better_best_bag_wins(table, salts, ranks):
    state = table(3).state
    state.salts = salts
    state.gems = [40 - sum(bags) for bags in salts]
    assert state.scores == [40, 40, 40]
    assert state.ranks == ranks


def test_K20_seats_are_equal_but_for_the_pass_direction(table):
    t = table(4)
    assert {seat: d.legal for seat, d in t.state.pending().items()} == {
        s: t.state.pending()[0].legal for s in range(4)
    }


def test_K21_two_players_play_two_pass_two_and_see_four_of_nine(table):
    t = table(2).hold("W5 W4 B3 G3", "K5 K4 P3 P2")
    assert (len(t.state.shown), len(t.state.aside)) == (4, 5)
    assert t.state.view(0)["shown"] == t.state.view(1)["shown"] != []
    t.play("W5 W4", "K5 P2", give=("B3 G3", "K4 P3"))
    assert {"K4", "P3"} <= set(t.hand(0).split())
    assert {"B3", "G3"} <= set(t.hand(1).split())
    assert t.state.gems[0] >= 1  # the same colour twice: one of them is rejected


def test_K22_everything_public_is_in_every_view_and_hidden_things_in_none(table):
    t = table(3)
    mine, theirs = t.state.view(0), t.state.view(1)
    private = {"seat", "hand", "passed", "history"}
    assert {k: v for k, v in mine.items() if k not in private} == {
        k: v for k, v in theirs.items() if k not in private
    }
    assert mine["teapots_left"] == sorted(t.state.teapot_pile)
    assert Counter(map(tuple, mine["carpets_left"])) == Counter(
        (c, v) for c in range(5) for v in (3, 4, 5)
    )
    assert mine["salts_left"] == list(SALT_BAGS)


def test_K23_gems_of_this_turn_pay_for_salt(table):
    t = table().hold("W4", "W5", "K4").gems(0, 2, 0).put(K=(1, 1))
    t.play(
        "W4", "W5", "K4"
    )  # seat 1 is rejected and has its third gem, but it is seat 2 that moves
    assert t.state.gems[1] == 3
    t = table(2).hold("W4 W5", "B1 B2").gems(2, 0)
    t.play("W4 W5", "B1 B2")
    while t.asked == "boost":
        t.answer(0)
    assert (t.state.gems[0], t.options) == (3, ["carpet", "salt"])


def test_the_200_turn_limit_scores_the_match_as_it_stands(table):
    t = table(max_turns=2)
    for _ in range(2):
        t.apply({0: 0, 1: 0, 2: 0})
        t.default_to_the_next_choice()
    assert t.state.is_over
    assert t.events("end")[0] == {
        "type": "end",
        "cause": "turns",
        "scores": t.state.scores,
        "ranks": t.state.ranks,
    }
