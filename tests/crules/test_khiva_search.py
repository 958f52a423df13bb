"""The calls of ``khiva_arena.crules.khiva`` beside the engine: hands, attempts,
judgements and habits.
"""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from drawn_rules import drawn_rules
from rules_in_c import drawn_choices
from wording import pattern

from khiva_arena.crules import HabitsInC, QuickStreamInC, RulesInC, StateInC
from khiva_arena.crules.khiva import USUAL, Deed, Judgement, KhivaHabits, KhivaPosition, KhivaRules
from khiva_arena.games import registry
from khiva_arena.games.base import State

pytestmark = pytest.mark.usefixtures("rules_in_c")
GAME = registry.get("khiva")
SEATS = pytest.mark.parametrize("seats", GAME.seats)
MATCHES = 12
ODD = Judgement(gem=1.25, gems=5, carpet=-0.5, load=0.75, way=0.3125, card=2.5)
"""Weights that are all different, and exact in binary."""


def positions(seats: int, matches: int = MATCHES) -> Iterator[tuple[State, KhivaPosition]]:
    """Yield positions of random matches by random rules: of the engine, and of the
    rules in C.
    """
    lots = random.Random(seats)
    for _ in range(matches):
        rules, secret = drawn_rules(GAME, lots), lots.randbytes(32)
        engine, _ = GAME.new(seats, rules, secret)
        state = KhivaRules(GAME.every_rule(rules)).new(seats, secret)
        while not engine.is_over:
            yield engine, state
            choices = drawn_choices(engine, lots)
            engine.apply(choices)
            state.apply(choices)


def judged(state: State, by: Judgement) -> list[float]:
    """Return how far each seat is ahead of the others on average, as the engine's views
    show it.
    """
    worth = []
    for seat, score in enumerate(state.scores):
        view = state.view(seat)
        more = by.gem * min(view["gems"][seat], by.gems) + by.carpet * sum(
            value for _, value in view["carpets"][seat]
        )
        more += sum(
            (by.load + by.way * shop) * teapot
            for path, shop, teapot in view["camels"]
            if path == seat
        )
        more += by.card * sum(3 - value for _, value in view["hand"])
        worth.append(score if state.is_over else score + more)
    return [(len(worth) * one - sum(worth)) / (len(worth) - 1) for one in worth]


def deed_of(view: Mapping[str, Any], kind: str, entry: Any, index: int) -> Deed:
    """Return what an answer to a question does: the words of an entry, or where the
    camel of the question stops.
    """
    ask = view["ask"]
    return ("bring", ask["camel"], *ask["lands"][index]) if kind == "boost" else (entry[0],)


@SEATS
def test_a_hand_is_that_of_the_view(seats: int) -> None:
    for engine, state in positions(seats):
        for seat in range(seats):
            assert state.hand(seat) == [list(card) for card in engine.view(seat)["hand"]]


@SEATS
def test_attempts_by_the_usual_judgement_are_those_of_every_position(seats: int) -> None:
    ours, theirs = (QuickStreamInC(bytes(32), "attempts") for _ in range(2))
    for number, (_, state) in enumerate(positions(seats)):
        seat = next(iter(state.questions()))
        choices = range(-1, min(state.questions()[seat].choices, 10) + 1)
        together, alone, once = (
            KhivaHabits(state.rules),
            HabitsInC(state.rules),
            KhivaHabits(state.rules),
        )
        turns, before = 1 + number % 17, bytes(state._memory)
        leads = state.attempt_all(together, seat, choices, turns, ours)
        assert leads == [
            StateInC.attempt(state, alone, seat, choice, turns, theirs) for choice in choices
        ]
        assert bytes(together._memory) == bytes(alone._memory)
        assert state.attempt(once, seat, 0, turns, ours) == StateInC.attempt(
            state, HabitsInC(state.rules), seat, 0, turns, theirs
        )
        assert bytes(state._memory) == before
    assert ours.u64() == theirs.u64()


@SEATS
def test_a_judgement_and_what_was_learnt_are_what_the_engine_shows(seats: int) -> None:
    """Where the answer of one seat ends the turn, an attempt of a turn is that answer
    and no more.
    """
    seen = set()
    for engine, state in positions(seats, 6 * MATCHES):
        if len(engine.pending()) > 1:
            continue
        ((seat, asked),) = engine.pending().items()
        for choice, entry in enumerate(asked.legal):
            after = engine.clone()
            after.apply({seat: choice})
            if len(after.pending()) == 1:
                continue
            habits, stream = KhivaHabits(state.rules), QuickStreamInC(bytes(32), "attempts")
            lead = state.attempt(habits, seat, choice, 1, stream, ODD)
            assert lead == pytest.approx(judged(after, ODD)[seat])
            deed = deed_of(engine.view(seat), asked.kind, entry, choice)
            assert habits.tries(seat, deed) == 1
            assert habits.mean(seat, deed) == pytest.approx(lead - judged(engine, ODD)[seat])
            assert habits.mean((seat + 1) % seats, deed) is None
            seen.add((asked.kind, after.is_over))
    assert {("boost", False), ("shop4", False)} <= seen
    assert any(is_over for _, is_over in seen)


@SEATS
def test_cards_that_a_seat_played_and_passed_are_its_deeds(seats: int) -> None:
    for engine, state in positions(seats, 3):
        if len(engine.pending()) == 1:
            continue
        seat = seats - 1
        asked, hand = engine.pending()[seat], state.hand(seat)
        choice = len(asked.legal) // 2
        at = asked.legal[choice]
        habits = KhivaHabits(state.rules)
        state.attempt(habits, seat, choice, 1, QuickStreamInC(bytes(32), "attempts"))
        done = {
            (("play", "pass")[2 * number >= len(at)], *hand[place])
            for number, place in enumerate(at)
        }
        cards = [
            (word, colour, value)
            for word in ("play", "pass")
            for colour in range(5)
            for value in range(1, 6)
        ]
        assert {deed for deed in cards if habits.mean(seat, deed) is not None} == done


def test_a_seat_that_chooses_by_habit_need_not_be_asked() -> None:
    asked_alone = 0
    for engine, state in positions(3):
        habits, stream = KhivaHabits(state.rules), QuickStreamInC(bytes(32), "attempts")
        leads = [state.attempt(habits, seat, None, 16, stream) for seat in range(3)]
        asked_alone += len(engine.pending()) == 1 and all(leads)
    assert asked_alone


def test_worlds_and_clones_have_the_calls_too() -> None:
    rules = KhivaRules(GAME.rules({}))
    state = rules.new(2, bytes(32))
    world = rules.view(state.see(1)).world(QuickStreamInC(bytes(32), "worlds"))
    assert world.clone().hand(1) == state.hand(1)
    assert world.see(1) == state.see(1)
    assert world.hand(0) != state.hand(0)


def test_arguments_without_a_meaning_are_refused() -> None:
    rules = KhivaRules(GAME.rules({}))
    state, habits, stream = (
        rules.new(3, bytes(32)),
        KhivaHabits(rules),
        QuickStreamInC(bytes(32), "attempts"),
    )
    with pytest.raises(
        ValueError,
        match=pattern("crules", "number-beyond", name="seat", value="3", least="0", most="2"),
    ):
        state.hand(3)
    for weight in (float("nan"), float("inf"), 10**400, "1"):
        with pytest.raises(
            ValueError,
            match=pattern("crules", "no-weight", name="way", value=re.escape(repr(weight)[:200])),
        ):
            state.attempt(habits, 0, 0, 1, stream, USUAL._replace(way=weight))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        state.attempt_all(habits, 0, [0], 1, stream, (0.5,) * 6)  # type: ignore[arg-type]
    for choices in (["0"], [0.5]):
        with pytest.raises(
            TypeError,
            match=pattern(
                "crules", "no-whole-number", name="choice", value=re.escape(repr(choices[0]))
            ),
        ):
            state.attempt_all(habits, 0, choices, 1, stream)  # type: ignore[arg-type]
    assert state.attempt_all(habits, 0, [-2, -1, 20, 2**31, 2**63 - 1], 4, stream) == [0.0] * 5
    assert state.attempt_all(habits, 0, [], 4, stream) == []
    for deed in (
        ("play", 5, 1),
        ("pass", 0, 0),
        ("play", 0.0, 1),
        ("bring", 0, 0, 6),
        ("bring", 0, 0),
        ("fly",),
        (),
        "move",
        None,
    ):
        with pytest.raises(
            ValueError, match=pattern("crules", "no-deed", value=re.escape(repr(deed)))
        ):
            habits.mean(0, deed)  # type: ignore[arg-type]
    emira = registry.get("emira")
    with pytest.raises(ValueError, match="these are habits of khiva, not of emira"):
        KhivaPosition._of(RulesInC("emira", emira.rules({})).new(3, bytes(32))).attempt(
            habits, 0, 0, 4, stream
        )
