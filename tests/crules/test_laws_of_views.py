"""Views that have the form of one and break a law of the game are refused, so that no
list outgrows its array.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest
from rules_in_c import drawn_choices
from wording import pattern

from khiva_arena import crules
from khiva_arena.errors import ConfigError, IllegalChoice
from khiva_arena.games import registry

GAME = registry.get("khiva")
RULES = GAME.rules({"decline": "yes"})
EMIRA = registry.get("emira")
EMIRA_RULES = EMIRA.rules({"mode": "advanced"})


def asked_to_move(seats: int) -> dict[str, Any]:
    """A view of a seat that is asked whether a camel moves."""
    lots = random.Random(seats)
    state, _ = GAME.new(seats, RULES, lots.randbytes(32))
    while next(iter(state.pending().values())).kind != "move" or state.pending().keys() - {0}:
        state.apply(drawn_choices(state, lots))
    return state.view(0)


def many_carpets(view: dict[str, Any]) -> None:
    """One carpet 256 times more: a count that a byte cannot hold."""
    code = view["carpets_left"][0]
    for number in range(256):
        view[("carpets", "delivered")[number % 2]][number // 2 % view["seats"]].append(code)


def bare_camels(view: dict[str, Any]) -> None:
    """All teapots lie with one seat, and camels bring it more."""
    left = [*view["teapots_left"], *(load for _, _, load in view["camels"])]
    view["teapots"][0] += [*left, *(value for won in view["teapots"][1:] for value in won)]
    view["teapots"][1:] = [[] for _ in view["teapots"][1:]]
    view["teapots_left"], view["camels"] = [], [[path, shop, 0] for path, shop, _ in view["camels"]]


def too_many_gems(view: dict[str, Any]) -> None:
    """Boosts are on offer that nobody can pay."""
    view["gems"][0] = 0
    view["ask"]["lands"] = [[0, 1], [0, 2], [0, 3], [0, 4]]


def an_end_between_turns(view: dict[str, Any]) -> None:
    """The last turn is over, and another one begins."""
    view["ending"] = "carpets"
    view["ask"], view["table"] = None, [[] for _ in view["table"]]


def two_on_a_place(view: dict[str, Any]) -> None:
    """Two camels stand in one shop."""
    view["camels"][:2] = [[0, 2, load] for _, _, load in view["camels"][:2]]


def nobody_s_path(view: dict[str, Any]) -> None:
    """A camel stands on the path of a seat that nobody has."""
    view["camels"][0][:2] = [view["seats"], 1]


def out_of_order(left: list[Any]) -> None:
    """Put another piece before the lowest ones of a sorted list, and leave the rest in
    order.
    """
    left.insert(0, left.pop(next(i for i, piece in enumerate(left) if piece != left[0])))


def carpets_out_of_order(view: dict[str, Any]) -> None:
    """The carpets that are left are listed in another order than their own."""
    out_of_order(view["carpets_left"])


def teapots_out_of_order(view: dict[str, Any]) -> None:
    """The teapots that are left are listed in another order than their own."""
    out_of_order(view["teapots_left"])


BREAKS = [
    many_carpets,
    bare_camels,
    too_many_gems,
    an_end_between_turns,
    two_on_a_place,
    nobody_s_path,
]
BREAKS += [carpets_out_of_order, teapots_out_of_order]


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("breaks", BREAKS)
@pytest.mark.parametrize("seats", GAME.seats)
def test_a_view_that_breaks_a_law_is_refused(
    breaks: Callable[[dict[str, Any]], None], seats: int
) -> None:
    rules, view = crules.RulesInC("khiva", RULES), asked_to_move(seats)
    rules.view(view).world(crules.QuickStreamInC(bytes(32), "worlds"))
    breaks(view)
    with pytest.raises(ConfigError, match="not a view"):
        rules.view(view)


def in_round(number: int, seats: int) -> dict[str, Any]:
    """Return a view of Emira in so late a round."""
    lots = random.Random(seats)
    state, _ = EMIRA.new(seats, EMIRA_RULES, lots.randbytes(32))
    while state.view(0)["round"] < number:
        state.apply(drawn_choices(state, lots))
    return state.view(0)


def an_emira_drawn_twice(history: list[list[Any]]) -> None:
    history.append([history[-1][0], *next(line for line in history if line[1] == "emiras")[1:]])


def a_line_of_a_later_round(history: list[list[Any]]) -> None:
    history[-1][0] += 100


def a_seat_that_is_none(history: list[list[Any]]) -> None:
    next(line for line in history if line[1] == "play")[2] = 5


def a_card_played_too_often(history: list[list[Any]]) -> None:
    line = next(line for line in history if line[1] == "play")
    history[history.index(line) : 0] = [line] * 12


def a_status_card_taken_too_often(history: list[list[Any]]) -> None:
    line = next(line for line in history if line[1] == "status")
    history[history.index(line) : 0] = [line] * 12


def a_status_line_of_two_cards(history: list[list[Any]]) -> None:
    line = next(line for line in history if line[1] == "status")
    line.append(line[-1])


def a_noble_taken_by_nobody(history: list[list[Any]]) -> None:
    line = next(line for line in history if line[1] == "status")
    line[1:] = ["noble", 5, line[-1]]


HISTORIES = [
    an_emira_drawn_twice,
    a_line_of_a_later_round,
    a_seat_that_is_none,
    a_card_played_too_often,
]
HISTORIES += [a_status_card_taken_too_often, a_status_line_of_two_cards, a_noble_taken_by_nobody]


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("breaks", HISTORIES)
@pytest.mark.parametrize("seats", EMIRA.seats)
def test_a_view_of_emira_whose_history_cannot_be_is_refused(
    breaks: Callable[[list[list[Any]]], None], seats: int
) -> None:
    rules, view = crules.RulesInC("emira", EMIRA_RULES), in_round(5, seats)
    rules.view(view).world(crules.QuickStreamInC(bytes(32), "worlds"))
    breaks(view["history"])
    with pytest.raises(ConfigError, match="not a view"):
        rules.view(view)


@pytest.mark.usefixtures("rules_in_c")
def test_what_comes_from_outside_is_checked_before_c_sees_it() -> None:
    rules = crules.RulesInC("khiva", RULES)
    state = rules.new(3, bytes(32))
    for choices in (
        {0: 0, 1: 0},
        {0: 0, 1: 0, 2: 0, 3: 0},
        {0: 2**32, 1: 2**32, 2: 2**32},
        {0: 20, 1: 0, 2: 0},
        {0: -1, 1: 0, 2: 0},
    ):
        with pytest.raises(IllegalChoice):
            state.apply(choices)
    for seats in (0, 1, 6, 2**32 + 3):
        with pytest.raises(ConfigError):
            rules.new(seats, bytes(32))
    habits, stream = crules.HabitsInC(rules), crules.QuickStreamInC(bytes(32), "attempts")
    by_seat = (
        state.see,
        state.legal,
        state.actions,
        state.observe,
        lambda seat: state.attempt(habits, seat, 0, 3, stream),
    )
    for seat in (-1, 3, 5, 2**32):
        for call in by_seat:
            beyond = pattern(
                "crules", "number-beyond", name="seat", value=str(seat), least="0", most="2"
            )
            with pytest.raises(ValueError, match=beyond):
                call(seat)
    for call in by_seat:
        with pytest.raises(
            TypeError, match=pattern("crules", "no-whole-number", name="seat", value="'a'")
        ):
            call("a")
    with pytest.raises(
        TypeError, match=pattern("crules", "no-whole-number", name="choice", value="1.5")
    ):
        state.attempt(habits, 0, 1.5, 3, stream)
    with pytest.raises(TypeError, match="stream"):
        state.playout(state)
    with pytest.raises(TypeError, match="secret"):
        crules.StateInC(rules, 3)
    for wrong in (
        {**RULES, "max_turns": 2**70},
        {**RULES, "max_turns": object()},
        {},
        {**RULES, "overshoot": "x"},
    ):
        with pytest.raises(ConfigError):
            crules.RulesInC("khiva", wrong)
    with pytest.raises(ValueError, match="zero"):
        crules.StreamInC(bytes(32), "a\0b")
    with pytest.raises(ConfigError, match="there are no rules in C of 'chess'"):
        crules.RulesInC("chess", {})
