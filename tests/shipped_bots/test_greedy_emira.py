"""The greedy Emira bot: ahead of random, a function of what it is given, and able to
play every variant.

Deals and choices are functions of the seeds here, so each share is a constant and no
test can fail by chance.
"""

from collections import Counter
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from in_targets import in_long, soak_but_every

from khiva_arena.games import schema
from khiva_arena.games.emira import GAME

NAME = "greedy_emira"


def ask(choose: Any, state: Any, seat: int, decision: Any, rules: dict[str, Any]) -> int:
    legal = [list(entry) for entry in decision.legal]
    choice = choose(
        {"kind": decision.kind, "view": state.view(seat), "legal": legal, "events": []},
        {"seat": seat, "rules": rules, "seed": 7},
    )
    assert type(choice) is int
    assert 0 <= choice < len(legal)
    return choice


def play(
    choose: Any, greedy: set[int], seats: int, deal: int, rules: dict[str, Any]
) -> tuple[list[int], list[int]]:
    """A match; the seats that are not greedy choose at random. Returns ranks and all
    choices.
    """
    state, _ = GAME.new(seats, rules, sha256(f"greedy {deal}".encode()).digest())
    lots, choices = Random(deal), []
    while pending := state.pending():
        now = {
            seat: ask(choose, state, seat, decision, rules)
            if seat in greedy
            else lots.randrange(len(decision.legal))
            for seat, decision in pending.items()
        }
        choices += now.values()
        state.apply(now)
    return list(state.ranks), choices


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("seats", soak_but_every([3, 4, 5], 3))
def test_one_greedy_bot_beats_random_ones(chooser: Any, seats: int, mode: str) -> None:
    choose, rules, matches = chooser(NAME), GAME.rules({"mode": mode}), 5
    won = sum(
        play(choose, {deal % seats}, seats, deal, rules)[0][deal % seats] == 1
        for deal in range(matches)
    )
    assert won >= 0.8 * matches


@pytest.mark.soak
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_two_greedy_bots_are_in_front(chooser: Any, seats: int) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    places: Counter[int] = Counter()
    for deal in range(6):
        pair = {deal % seats, (deal + 2) % seats}
        ranks, _ = play(choose, pair, seats, deal, rules)
        places.update(ranks[seat] for seat in pair)
    assert places[1] + places[2] >= 10


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_greedy_bots_among_themselves_end_the_match_by_the_goal(chooser: Any, seats: int) -> None:
    choose, rules = chooser(NAME), GAME.rules({"max_rounds": 39})
    for deal in range(2):
        state, _ = GAME.new(seats, rules, sha256(f"greedy {deal}".encode()).digest())
        while pending := state.pending():
            state.apply(
                {
                    seat: ask(choose, state, seat, decision, rules)
                    for seat, decision in pending.items()
                }
            )
        assert state.ending == "goal"
        assert min(state.ranks) == 1


def hoarder(chooser: Any) -> Any:
    """The same bot with all gold worth its face, as it was: it went on gathering what
    nothing was left to buy with.
    """
    choose = chooser(NAME)
    return partial(choose, weights=choose.__globals__["GREEDY"]._replace(idle=1.0))


def richest(choose: Any, deal: int) -> tuple[int, int]:
    """Gold and status of the richest of three such bots at the end of a match."""
    rules = GAME.rules({})
    state, _ = GAME.new(3, rules, sha256(f"greedy {deal}".encode()).digest())
    while pending := state.pending():
        state.apply(
            {seat: ask(choose, state, seat, decision, rules) for seat, decision in pending.items()}
        )
    seat = max(range(3), key=lambda seat: state.gold[seat])
    return state.gold[seat], state.view(0)["status"][seat]


@pytest.mark.slow
def test_at_three_seats_it_spends_its_gold(chooser: Any) -> None:
    """In each of these deals a bot that values gold for itself ends with over 10,000 of
    it and no status at all.
    """
    hoards = [richest(hoarder(chooser), deal) for deal in (8, 30)]
    assert all(gold > 10_000 and status == 0 for gold, status in hoards)
    assert all(gold < 5_000 for gold, _ in (richest(chooser(NAME), deal) for deal in (8, 30)))


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "least"), [(3, 0.5), *in_long([(4, 0.55), (5, 0.55)])])
def test_spending_beats_hoarding(chooser: Any, seats: int, least: float) -> None:
    """One among hoarders, in every seat of each deal: the share of those whom it leaves
    behind, half a share for equals.
    """
    spender, other, rules, deals = chooser(NAME), hoarder(chooser), GAME.rules({}), range(20, 25)
    shares = []
    for deal in deals:
        for mine in range(seats):
            state, _ = GAME.new(seats, rules, sha256(f"spend {deal}".encode()).digest())
            while pending := state.pending():
                state.apply(
                    {
                        s: ask(spender if s == mine else other, state, s, d, rules)
                        for s, d in pending.items()
                    }
                )
            ranks = state.ranks
            behind, equal = sum(rank > ranks[mine] for rank in ranks), ranks.count(ranks[mine]) - 1
            shares.append((behind + equal / 2) / (seats - 1))
    assert sum(shares) / len(shares) > least


@pytest.mark.parametrize(
    ("gold", "number", "worth"),
    [
        (3000, 2, 3000.0),  # eighteen rounds to come: all of it can be used
        (30_000, 2, 18 * 550 + 0.15 * (30_000 - 18 * 550)),
        (
            3000,
            18,
            3 * 550 + 0.15 * (3000 - 3 * 550),
        ),  # matches last about twenty rounds; at least three more are reckoned with
        (3000, 40, 550 + 0.15 * (3000 - 550)),  # the last round there is
    ],
)
def test_it_values_gold_by_what_it_can_still_buy(
    chooser: Any, gold: int, number: int, worth: float
) -> None:
    """An action of 500 a round and upkeep of 50."""
    court_of = chooser(NAME).__globals__["Court"]
    rules = GAME.rules({})
    view = GAME.new(4, rules, bytes(32))[0].view(0)
    view["round"], view["upkeep"] = number, [50, 0, 0, 0]
    assert court_of(view, rules).spendable(gold) == pytest.approx(worth)


def test_equal_questions_get_equal_answers(chooser: Any) -> None:
    rules = GAME.rules({"max_rounds": 8})
    assert play(chooser(NAME), {0, 2}, 4, 1, rules) == play(chooser(NAME), {0, 2}, 4, 1, rules)


def shuffled(value: Any) -> Any:
    """The same value with the keys of every map the other way round."""
    if isinstance(value, dict):
        return {key: shuffled(item) for key, item in reversed(value.items())}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_every_kind_is_answered_and_events_and_the_order_of_keys_change_nothing(
    chooser: Any,
) -> None:
    choose = chooser(NAME)
    rich = {
        "mode": "advanced",
        "symbols": "none",
        "bazaar_noble": "extra",
        "base_income": [3000, 3000],
        "max_rounds": 25,
    }
    hidden = {**rich, "gold": "hidden"}
    kinds: Counter[str] = Counter()
    # The last one is for the moves of Vermin: sheiks with gold to waste own few
    # caravans.
    matches: list[tuple[int, dict[str, Any]]] = [
        (3, rich),
        (4, rich),
        (3, {}),
        (5, rich),
        (3, rich),
        (4, hidden),
        (5, {"mode": "advanced"}),
    ]
    for deal, (seats, given) in enumerate(matches):
        rules = GAME.rules(given)
        state, _ = GAME.new(seats, rules, sha256(f"kinds {deal}".encode()).digest())
        lots = Random(deal)
        while pending := state.pending():
            choices = {}
            for seat, decision in pending.items():
                choice = ask(choose, state, seat, decision, rules)
                kinds[decision.kind] += 1
                if kinds[decision.kind] <= 5:
                    legal = [list(entry) for entry in decision.legal]
                    asked = {
                        "kind": decision.kind,
                        "view": state.view(seat),
                        "legal": legal,
                        "events": [{"type": "later"}],
                    }
                    match = {"seat": seat, "rules": rules, "seed": 8}
                    assert choose(shuffled(asked), shuffled(match)) == choice
                choices[seat] = (
                    choice if lots.random() < 0.5 else lots.randrange(len(decision.legal))
                )
            state.apply(choices)
    assert set(kinds) == set(schema.shapes_of(GAME).decisions)


VARIANTS: dict[str, dict[str, Any]] = {
    "advanced, hidden gold": {
        "mode": "advanced",
        "gold": "hidden",
        "undecided": "always",
        "bazaar_noble": "extra",
        "symbols": "none",
        "max_rounds": 12,
    },
    "grants when serving": {
        "grant_timing": "serving",
        "event_buy_3p": "never",
        "appearance_return_3p": "even",
        "xenia_room": "no",
        "max_rounds": 12,
    },
}


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("seats", [3, 5])
def test_it_plays_every_variant(chooser: Any, seats: int, rules: dict[str, Any]) -> None:
    ranks, choices = play(chooser(NAME), set(range(seats)), seats, 0, GAME.rules(rules))
    assert min(ranks) == 1
    assert len(choices) > 50


def test_it_pays_xenia_and_lets_go_whom_the_goal_needs_least(chooser: Any) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    state, _ = GAME.new(5, rules, bytes(32))
    view = {**state.view(0), "goal": [["intelligence", "household", "romance"]]}
    assert (
        choose({"kind": "gift", "view": view, "legal": [["refuse"], ["pay"]]}, {"rules": rules})
        == 1
    )
    view["princesses"] = [["Albina", "Asima", "Thara"], [], [], [], []]
    assert (
        choose(
            {"kind": "abduct", "view": view, "legal": [["Albina"], ["Asima"], ["Thara"]]},
            {"rules": rules},
        )
        == 1
    )


@pytest.mark.parametrize(
    ("palace", "counters", "kind", "more"),
    [
        ([], [1, 0, 0], 2, 1),
        (["Layla"], [1, 0, 0], 2, 2),  # with her manners it is a set
        (["Nadia"], [0, 1, 0], 2, 2),
        (["Nadia", "Layla"], [0, 0, 0], 2, 2),
        (["Layla"], [1, 1, 1], 1, 1),  # a set was there before
        (["Layla"], [1, 0, 1], 1, 1),
    ],
)
def test_it_counts_what_princesses_bring_for_sets(
    chooser: Any, palace: list[str], counters: list[int], kind: int, more: int
) -> None:
    court_of = chooser(NAME).__globals__["Court"]
    rules = GAME.rules({})
    view = GAME.new(4, rules, bytes(32))[0].view(0)
    view["princesses"][0], view["counters"][0], view["appearance"][0] = palace, counters, 7
    court = court_of(view, rules)
    court.add_counter(kind)
    assert court.appearance[0] == 7 + more


def test_it_knows_that_xenia_does_not_go_back(chooser: Any) -> None:
    court_of = chooser(NAME).__globals__["Court"]
    rules = GAME.rules({})
    view = GAME.new(4, rules, bytes(32))[0].view(0)
    view["round"], view["gold"] = 1, [750, 900, 800, 750]
    assert court_of(view, rules).chosen("Xenia") == 1
    view["xenia_left"] = 1
    assert court_of(view, rules).chosen("Xenia") == 2


def test_it_buys_a_caravan_first_and_keeps_gold_for_upkeep(chooser: Any) -> None:
    choose, rules = chooser(NAME), GAME.rules({})
    state, _ = GAME.new(4, rules, bytes(32))
    state.apply(dict.fromkeys(state.pending(), 0))
    while next(iter(state.pending().values())).kind != "action":
        state.apply(dict.fromkeys(state.pending(), 0))
    ((seat, decision),) = state.pending().items()
    legal = [list(entry) for entry in decision.legal]
    assert (
        "slow"
        in legal[
            choose({"kind": "action", "view": state.view(seat), "legal": legal}, {"rules": rules})
        ][0]
    )
    view = state.view(seat)
    view["gold"][seat], view["upkeep"][seat], view["active"] = 480, 150, []
    assert (
        choose(
            {"kind": "action", "view": view, "legal": [["none"], ["small_slow"]]}, {"rules": rules}
        )
        == 0
    )
