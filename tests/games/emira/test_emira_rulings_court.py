"""The rulings E25 to E42 of RULES.md, by number, and more on E9 and E10."""

import pytest

from khiva_arena.games.emira.scoring import belongings
from khiva_arena.games.emira.tables import EMIRA_OF


def test_E25_outside_the_auctions_only_those_who_look_at_gold_join(table):
    t = table().waiting("Fatima", "Yasmine")
    t.has(2, status=[300])
    t.play(0, "guest_house")
    assert t.princesses(2) == "Yasmine"  # gold is equal, status is not
    assert t.undecided() == "Fatima"
    t.board()
    t.run("auction")
    assert t.princesses(2) == "Yasmine Fatima"


def test_E25_the_oldest_first_and_all_again_after_each(table):
    t = table().waiting("Thara", "Malika", "Asima").has(1, tokens=(1, 0, 0), status=[300]).board()
    t.run("auction")
    assert t.princesses(1) == "Thara Malika"
    assert t.undecided() == "Asima"  # no room left with 1; the others are equal


def test_E25_income_and_upkeep_count_as_one_change_for_all(table):
    t = table().waiting("Anisah").has(3, "Thara", gold=900)
    t.state.gold = [700, 700, 700, 749]
    t.run("upkeep")
    assert t.state.gold[3] == 699
    assert t.undecided() == "Anisah"


def test_E25_the_payment_of_a_bid_is_a_change(table):
    t = table().waiting("Anisah").has(1, gold=900).has(2, gold=900).board()
    t.state.start = 1
    t.run("auction")
    assert t.undecided() == "Anisah"  # the palaces and the gold of two are equal
    t.say(10, "pass", "pass", "pass")
    assert t.princesses(2) == "Anisah"
    assert t.asked == (1, "action")


def test_E25_who_wants_gold_second_is_looked_at_outside_the_auctions_too(table):
    t = table().waiting("Anisah").has(2, gold=900)
    t.run("income")
    assert t.princesses(2) == "Anisah"


def test_E25_the_choice_of_an_emira_is_a_change(table):
    t = (
        table()
        .waiting("Yasmine")
        .has(0, "Thara", gold=900, tokens=(1, 0, 0))
        .has(1, gold=900)
        .active("Asima")
    )
    t.run("choice")
    assert t.princesses(0) == "Thara Asima"  # and there is no room left
    assert t.princesses(1) == "Yasmine"


def test_E25_the_purchase_of_an_event_card_is_a_change(table):
    t = table().waiting("Yasmine").has(0, gold=900).has(1, gold=900).events_on_top("vermin bazaar")
    t.run("buy")
    t.say(2, "bazaar")
    assert t.asked == (1, "buy")
    assert t.princesses(1) == "Yasmine"


def test_E10_xenia_who_leaves_the_game_is_nobody_for_suleika_to_mind(table):
    t = table().has(0, "Suleika", gold=399)
    t.join(0, "Xenia")
    t.run("upkeep")
    assert t.state.gone == [EMIRA_OF["Xenia"]]
    assert t.state.gold[0] == 399 - 50
    assert t.state.paid & 1


@pytest.mark.parametrize(
    ("first", "then", "due"),
    [
        ("Suleika", ("Thara", "Xenia"), 200),  # Thara is minded
        ("Xenia", ("Suleika", "Thara"), 200),  # Xenia never was
        ("Xenia", ("Suleika",), 50),
    ],
)
def test_E10_suleika_goes_on_minding_others_when_xenia_leaves_the_game(table, first, then, due):
    t = table().has(0, gold=300)
    for name in (first, *then):
        t.join(0, name)
    t.run("upkeep")
    assert t.state.gone == [EMIRA_OF["Xenia"]]
    assert t.state.gold[0] == 300 - due


def test_E10_xenia_who_joins_after_the_upkeep_wants_her_gift_in_the_next_one(table):
    t = table().waiting("Xenia").has(1, gold=900).has(2, "Thara", gold=900)
    t.state.round = 3
    t.run("upkeep")
    assert t.princesses(1) == "Xenia"
    assert (t.state.gift_round, t.state.gift_first, t.state.gold[1]) == (4, True, 900)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("gold", "enough"), [(500, True), (490, False)])
def test_E10_a_gift_needs_250_and_the_whole_upkeep_of_the_round(table, first, gold, enough):
    """Xenia 50, Suleika 50, Thara 50 and 100 for her coming: 500 in all, counted when
    it is the sheik's turn.
    """
    t = table().has(0, "Xenia", "Suleika", sections=1, gold=gold).has(1, gold=2000)
    t.join(0, "Thara")
    t.state.round, t.state.gift_round, t.state.gift_first = 4, 4, first
    t.run("upkeep")
    if enough and not first:
        t.say("pay")
    outcome = "paid" if enough else "gone" if first else "unable"
    assert t.events("gift")[0] == {"type": "gift", "seat": 0, "outcome": outcome}
    assert t.state.gold[0] == (0 if enough else gold - 200)


def test_E26_once_only_effects_strike_each_sheik_once(table):
    t = table().has(0, tokens=(2, 0, 0)).has(1, tokens=(1, 0, 0))
    t.join(0, "Samira")
    assert t.state.tokens[0] == [1, 0, 0]
    for seat, left in ((0, [1, 0, 0]), (1, [0, 0, 0])):
        t.state.princesses = [[] for _ in range(4)]
        t.state.emiras.put_under(EMIRA_OF["Samira"], 0)
        t.join(seat, "Samira")
        assert t.state.tokens[seat] == left


def test_E27_hind_s_round(table):
    t = table().has(0, gold=2000, hand="guest_house", small_fast=[2]).has(1, hand="guest_house")
    t.state.round = 5
    t.join(0, "Hind")
    t.on_top("Badra")
    t.run("round")
    assert t.events("round")[0]["lost"] == [0]
    assert t.asked == (1, "play")
    t.say("none")
    assert t.state.gold[0] == 2400
    assert t.asked == (1, "bid")
    t.say("pass", "pass", "pass", "none", "pass", "pass", "none", "pass", "none")
    assert t.asked == (1, "buy")
    t.say(0, 0, 0)
    assert t.undecided() == "Badra"  # the three others are equal, the richest may not attract
    assert t.state.round == 7
    assert t.state.gold[0] == 2400 - 50


def test_E28_suleika_minds_arrivals_of_every_kind(table):
    t = table().has(0, "Suleika", gold=2000)
    t.join(0, "Xenia")
    t.run("upkeep")
    assert t.state.gold[0] == 2000 - 250 - 50 - 50 - 100


def test_E29_sidi_suleiman_undecided_joins_when_one_has_most(table):
    t = (
        table()
        .has(0, "Thara")
        .has(1, "Asima")
        .waiting("Sidi Suleiman", "Malika")
        .has(1, sections=1)
        .board()
    )
    t.run("auction")
    assert t.asked == (1, "abduct")
    t.say("Malika")
    assert t.princesses(1) == "Asima"
    assert t.undecided() == ""


def _xenia_due(table, **given):
    t = table(**given).has(0, "Xenia", gold=1000)
    t.state.round, t.state.gift_round, t.state.gift_first = 7, 7, False
    return t


def test_E30_xenia_refused_goes_to_the_richest_other_who_pays_at_once(table):
    t = _xenia_due(table).has(1, gold=2000).has(2, gold=2500)
    t.run("upkeep")
    t.say("refuse")
    assert t.princesses(2) == "Xenia"
    assert t.state.gold == [1000, 2000, 2500 - 250 - 50, 750]
    assert (t.state.gift_round, t.state.gift_first) == (10, False)


def test_E30_refused_she_goes_by_gold_even_if_her_wishes_are_swapped(table):
    """She would choose by appearance now, and then 1; who is refused goes to the
    richest all the same (E34).
    """
    t = _xenia_due(table).has(1, gold=2000, tokens=(3, 0, 0)).has(2, gold=2500)
    t.state.turned = 1 << EMIRA_OF["Xenia"]
    t.run("upkeep")
    t.say("refuse")
    assert (t.princesses(1), t.princesses(2)) == ("", "Xenia")
    assert t.state.view(0)["swapped"] == ["Xenia"]


def test_E30_who_has_paid_upkeep_already_pays_the_gift_alone(table):
    t = _xenia_due(table).has(3, gold=1100)
    t.state.start = 3
    t.run("upkeep")
    t.say("refuse")
    assert t.state.gold[3] == 1100 - 250


@pytest.mark.parametrize(("gold", "stays"), [(350, True), (340, False)])
def test_E30_who_has_paid_upkeep_already_needs_gold_for_the_gift_alone(table, gold, stays):
    t = (
        _xenia_due(table)
        .has(3, "Thara", "Asima", gold=gold)
        .has(1, gold=0)
        .has(2, gold=0)
        .has(3, sections=1)
    )
    t.state.start = 3
    t.run("upkeep")
    t.say("refuse")
    assert ("Xenia" in t.princesses(3)) == stays
    assert t.state.gold[3] == (0 if stays else 240)


def test_E30_if_she_leaves_the_game_suleika_has_nothing_to_mind(table):
    t = _xenia_due(table).has(1, "Suleika", gold=399).has(2, gold=0).has(3, gold=0)
    t.run("upkeep")
    t.say("refuse")
    assert t.state.gone == [EMIRA_OF["Xenia"]]
    assert t.state.gold[1] == 399 - 50


def test_E30_unable_she_moves_on_unasked(table):
    t = _xenia_due(table).has(0, gold=299).has(1, gold=2000)
    t.run("upkeep")
    assert t.events("gift")[0]["outcome"] == "unable"
    assert t.princesses(1) == "Xenia"
    assert t.state.gold[0] == 299


@pytest.mark.parametrize(("gold", "stays"), [(300, True), (299, False)])
def test_E30_a_new_sheik_who_cannot_pay_gift_and_upkeep_loses_her_from_the_game(table, gold, stays):
    t = _xenia_due(table).has(1, gold=gold).has(2, gold=0).has(3, gold=0)
    t.run("upkeep")
    t.say("refuse")
    assert t.princesses(1) == ("Xenia" if stays else "")
    assert t.state.gone == ([] if stays else [EMIRA_OF["Xenia"]])
    assert t.state.gold[1] == (0 if stays else gold)


def test_E30_two_equally_rich_go_by_appearance_or_she_waits(table):
    t = _xenia_due(table).has(1, gold=1000).has(2, gold=1000, tokens=(1, 0, 0)).has(3, gold=999)
    t.run("upkeep")
    t.say("refuse")
    assert t.princesses(2) == "Xenia"
    t = _xenia_due(table).has(1, gold=1000).has(2, gold=1000).has(3, "Thara", gold=1100)
    t.state.princesses[3] += [EMIRA_OF["Asima"]]
    t.state.emiras.cards.remove(EMIRA_OF["Asima"])
    t.state.emiras.seen.pop()
    t.run("upkeep")
    t.say("refuse")
    # Nobody is asked: she waits, and once all have paid 1 and 2 still have the same.
    assert t.undecided() == "Xenia"


def test_E30_while_she_waits_she_does_not_go_back_to_the_sheik_she_left(table):
    t = _xenia_due(table).has(1, gold=900).has(2, gold=900)
    t.run("upkeep")
    t.say("refuse")
    assert t.undecided() == "Xenia"  # 0 is the richest, after the upkeep of all too
    assert [t.state.view(seat)["xenia_left"] for seat in range(4)] == [0] * 4
    t.run("income")
    assert t.undecided() == "Xenia"
    t.has(1, gold=1010).board()
    t.run("auction")
    assert t.princesses(1) == "Xenia"
    assert t.state.view(2)["xenia_left"] is None
    t.state.gift_round, t.state.gift_first = t.state.round, False
    t.run("upkeep")
    t.say("refuse")
    assert t.princesses(0) == "Xenia"  # she has left another one since


def test_E30_without_room_elsewhere_she_waits_for_it_and_not_for_the_sheik_she_left(table):
    t = (
        _xenia_due(table)
        .has(0, gold=299)
        .has(1, "Thara", "Asima")
        .has(2, "Fatima", "Layla")
        .has(3, "Malika", "Nadia")
    )
    t.run("upkeep")
    assert t.events("gift") == [{"type": "gift", "seat": 0, "outcome": "unable"}]
    assert t.undecided() == "Xenia"
    t.state.guests[2] += 1
    t.run("income")
    assert t.princesses(2) == "Fatima Layla Xenia"


def test_E31_advantages_end_when_the_princess_leaves(table):
    t = table().has(0, "Badra").board()
    t.run("auction")
    t.everyone_passes(4)
    t.say("palace")
    assert t.state.gold[0] == 350
    t = table().has(0, "Badra", gold=0).has(1, gold=0)
    t.pay_upkeep(0)
    assert t.princesses(0) == ""
    t.has(0, gold=450).board()
    t.run("auction")
    t.everyone_passes(4)
    assert "palace" not in t.options


def _winner(table, mode="basic", **given):
    t = table(mode=mode, **given).has(
        0, "Albina", "Halimah", "Asima", "Thara", "Malika", goal="I M C R", gold=2000
    )
    t.state.round = 9
    return t


def test_E32_the_winner_is_declared_at_the_end_of_the_round(table):
    t = _winner(table)
    t.run("upkeep")
    assert not t.state.is_over
    t.run("end")
    assert t.state.is_over
    assert t.state.ending == "goal"
    assert t.state.ranks[0] == 1
    assert t.events("end")[0]["goals"][0] == [["intelligence", "household", "cooking", "romance"]]


@pytest.mark.parametrize(("gold", "wins"), [(400, True), (390, False)])
@pytest.mark.parametrize("mode", ["basic", "advanced"])
def test_E32_upkeep_not_paid_in_full_does_not_win(table, mode, gold, wins):
    """Even if enough princesses are left."""
    t = _winner(table, mode=mode).has(0, "Zainab", "Nibal", "Rasha", gold=gold)
    t.run("upkeep")
    assert len(t.state.princesses[0]) == (8 if wins else 7)
    t.run("end")
    assert t.state.is_over == wins


def test_E32_shared_in_the_basic_game_split_by_score_in_the_advanced(table):
    for mode, places in (("basic", [1, 1]), ("advanced", [2, 1])):
        t = _winner(table, mode=mode)
        t.has(1, "Zainab", "Nibal", "Rasha", "Samira", "Farah", "Fatima", goal="I I M C", gold=2000)
        t.run("upkeep")
        t.run("end")
        assert t.state.winners == 0b11
        assert t.state.ranks[:2] == places


def test_E33_scores_and_their_ties(table):
    t = (
        table(mode="advanced")
        .has(0, "Albina", "Halimah", "Asima", "Thara", goal="I M C R")
        .has(1, "Zainab", "Nibal")
    )
    assert t.state.scores == [11, 4, 0, 0]
    assert t.state.points_by_source[:2] == [
        ({"princesses": 8, "goal": 3}, {}),
        ({"princesses": 4, "goal": 0}, {}),
    ]
    t.has(2, tokens=(1, 1, 1), status=[700], sections=1, camels=2)
    assert belongings(t.state, 2) == 2 * (4 + 2 + 1 + 2)
    t.state.disc[3] = 1
    t.has(3, camels=9)
    assert belongings(t.state, 3) == 19
    assert t.state.ranks == [1, 2, 4, 3]
    t.has(3, camels=0)
    t.state.disc[3] = 0
    t.has(2, tokens=(0, 0, 0), status=[], sections=0, camels=0, gold=760)
    assert t.state.ranks == [1, 2, 3, 4]
    t.has(2, gold=750)
    assert t.state.ranks == [1, 2, 3, 3]


def test_E33_winners_are_above_better_scores(table):
    t = table().has(0, "Albina").has(1, "Zainab", "Nibal")
    t.state.winners = 1
    assert t.state.ranks[:2] == [1, 2]
    assert t.state.scores[:2] == [2, 4]
