"""Cases of a test that a longer target tries, beside the telling ones that its own
target tries each time.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from khiva_arena.games.base import Game


def in_long(cases: Iterable[object]) -> list[ParameterSet]:
    """Return cases for ``parametrize`` that only ``make test-long`` tries; a tuple
    holds the values of several parameters.
    """
    return [_marked(one, pytest.mark.long) for one in cases]


def long_but(cases: Iterable[object], stay: Iterable[object]) -> list[object]:
    """Return all cases in their order, of which only those that stay are tried each
    time.
    """
    kept = [*stay]
    return [one if one in kept else _marked(one, pytest.mark.long) for one in cases]


def soak_but_every(cases: Iterable[object], every: int) -> list[object]:
    """Return all cases in their order: every so many-th, from the first on, is in the
    test's own target, the others, which repeat it for other seats or games, are in
    ``make test-soak``.
    """
    return [
        _marked(one, pytest.mark.soak) if number % every else one
        for number, one in enumerate(cases)
    ]


def _marked(case: object, mark: pytest.MarkDecorator) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=[*case.marks, mark], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)


def at_seats(game: Game, seats: Iterable[int]) -> Game:
    """Return a game that has these numbers of seats alone, for a check that plays at
    each number that a game has.
    """
    one = copy.copy(game)
    one.seats = tuple(seats)
    return one


def variants_at_seats(game: Game, variants: Mapping[str, Mapping[str, Any]]) -> list[ParameterSet]:
    """Return each variant at one number of seats, which goes round from one to the
    next; by ``make test-long`` at all.
    """
    cases = []
    for number, (name, given) in enumerate(variants.items()):
        cases.append(pytest.param(given, (game.seats[number % len(game.seats)],), id=name))
        cases.append(pytest.param(given, game.seats, id=f"{name}-at-all", marks=pytest.mark.long))
    return cases
