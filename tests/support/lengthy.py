"""Cases of a test that only ``make test-long`` tries, beside the telling ones that are tried each time."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from khiva_arena.games.base import Game


def lengthy(cases: Iterable[object]) -> list[ParameterSet]:
    """Cases for ``parametrize`` that are marked as long; a tuple holds the values of several parameters."""
    return [pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long) for one in cases]


def told_apart(cases: Iterable[object], stay: Iterable[object]) -> list[object]:
    """All cases in their order, of which only those that stay are tried each time."""
    kept = [*stay]
    return [one if one in kept else lengthy([one])[0] for one in cases]


def at_seats(game: Game, seats: Iterable[int]) -> Game:
    """A game that has these numbers of seats alone, for a check that plays at each number that a game has."""
    one = copy.copy(game)
    one.seats = tuple(seats)
    return one


def variants_at_seats(game: Game, variants: Mapping[str, Mapping[str, Any]]) -> list[ParameterSet]:
    """Each variant at one number of seats, which goes round from one to the next; by ``make test-long`` at all."""
    cases = []
    for number, (name, given) in enumerate(variants.items()):
        cases.append(pytest.param(given, (game.seats[number % len(game.seats)],), id=name))
        cases.append(pytest.param(given, game.seats, id=f"{name}-at-all", marks=pytest.mark.long))
    return cases
