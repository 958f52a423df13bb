"""Matches played by the engine and by the rules in C side by side: each step compared,
and now and then all that seats see.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pytest
from drawn_rules import drawn_rules

from khiva_arena import crules
from khiva_arena.env.coding import Coding, coding_of
from khiva_arena.errors import ConfigError, IllegalChoice, OtherSeat
from khiva_arena.games import registry
from khiva_arena.games.base import Game, State
from khiva_arena.games.emira import tables as emira
from khiva_arena.games.silk_road import rules as silk_road
from khiva_arena.rng import Stream


def places(words: Sequence[str]) -> dict[str, int]:
    """Return the place of each word."""
    return {word: place for place, word in enumerate(words)}


GAMES = [registry.get(name) for name in crules.GAMES]
PLACES = [
    pytest.param(game, seats, id=f"{game.name}-{seats}") for game in GAMES for seats in game.seats
]
_CARDS = emira.EVENT_OF | {"none": -1}
WORDS: dict[str, dict[str, Mapping[Any, int]]] = {
    "khiva": {"move": {"move": 0, "stay": 1}, "shop4": {"carpet": 0, "salt": 1, "nothing": 2}},
    "emira": {
        **dict.fromkeys(("first_event", "play", "keep"), _CARDS),
        **dict.fromkeys(
            ("good_looking", "bazaar", "take_appearance", "drop_appearance"), places(emira.KINDS)
        ),
        **dict.fromkeys(("caravan", "vermin"), places(emira.CARAVANS)),
        "mind": places(("keep", "swap", "bottom")),
        "split": places(("odd", "even")),
        "bid": places(("pass", "grant")),
        "action": places(emira.ACTIONS),
        "abduct": emira.EMIRA_OF,
        "gift": places(("refuse", "pay")),
    },
    "silk_road": {
        kind: {"pile": 5, "nothing": 6, "no": 6, "sell": 0, "decline": 1}
        for kind in silk_road.KINDS
    },
}
"""By game and kind of decision: the number that stands in C for a word of an entry."""
KINDS = {
    "khiva": ("play_pass", "move", "boost", "shop4"),
    "emira": (
        *(
            "first_event",
            "play",
            "place",
            "mind",
            "order",
            "split",
            "good_looking",
            "caravan",
            "vermin",
            "vermin_move",
            "noble",
        ),
        *(
            "bazaar",
            "bid",
            "action",
            "take_appearance",
            "take_status",
            "buy",
            "keep",
            "drop_appearance",
            "drop_status",
            "abduct",
        ),
        "gift",
    ),
    "silk_road": silk_road.KINDS,
}
"""The kinds of decisions in the order of RULES.md, which C counts from 1."""
EXACT = ("khiva", "silk_road")
"""The games whose rules in C take no view that no position shows. Emira's take some of
those, and draw worlds that are near.
"""
ODD = (
    None,
    True,
    "salts",
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    9,
    10,
    45,
    1000,
    2**40,
    [],
    {},
    [[]],
    [0, 1],
    [4, 5],
)
"""Values that stand in no place of most views."""


# --- one match twice ---


class Both:
    """A match in the engine and in C."""

    def __init__(
        self,
        game: Game,
        seats: int,
        rules: Mapping[str, Any],
        secret: bytes,
        *,
        is_keen: bool = False,
    ) -> None:
        self.game, self.seats, self.rules, self._is_keen = game, seats, rules, is_keen
        self._tastes: dict[str, float] = {}
        whole = game.every_rule(rules)
        self.c_rules = crules.RulesInC(game.name, whole)
        self.coding = coding_of(game, seats, whole)
        self.engine, _ = game.new(seats, rules, secret)
        self.c = self.c_rules.new(seats, secret)
        self._numbers: dict[int, tuple[Sequence[Sequence[Any]], list[list[int]]]] = {}

    def compare(self) -> None:
        """Compare who is asked what, all legal lists, scores and ranks."""
        same_position(self.game, self.engine, self.c)
        for seat, decision in self.engine.pending().items():
            _, numbers = self._numbers.get(id(decision.legal), (None, None))
            if numbers is None:  # the engine asks many questions again, as the same object
                numbers = self._numbers_of(decision.kind, decision.legal)
                self._numbers[id(decision.legal)] = decision.legal, numbers
            assert numbers == self.c.legal(seat), seat

    def _numbers_of(self, kind: str, entries: Sequence[Sequence[Any]]) -> list[list[int]]:
        """Return entries of ``legal`` with numbers in place of words; a place of Silk
        Road is counted, the cities first.
        """
        words = WORDS[self.game.name].get(kind, {})
        if self.game.name == "silk_road" and kind == "move":
            words = places([*self.rules["map"]["cities"], *self.rules["map"]["villages"]])
        return [[words.get(item, item) for item in entry] for entry in entries]

    def step(self, lots: random.Random) -> None:
        """Play a choice at random for each seat that is asked. Before one step in
        eight, one that is none changes nothing.

        In a keen match most choices of a kind are alike. So things happen that take
        many of one sort.
        """
        choices = drawn_choices(self.engine, lots)
        for seat, decision in self.engine.pending().items():
            if self._is_keen and lots.random() < 0.7:
                choices[seat] = int(
                    self._tastes.setdefault(decision.kind, lots.random()) * len(decision.legal)
                )
        if lots.random() < 0.125:
            wrong, before = dict(choices), (bytes(self.c._memory), bytes(self.c._seen))
            seat = lots.choice([*choices])
            wrong[seat] = lots.choice([-1, len(self.engine.pending()[seat].legal)])
            with pytest.raises(IllegalChoice):
                self.c.apply(wrong)
            assert (bytes(self.c._memory), bytes(self.c._seen)) == before
        self.engine.apply(choices)
        self.c.apply(choices)

    def compare_views(self, lots: random.Random) -> None:
        """Compare what a seat sees: its numbers, its actions, and two worlds of its
        view with how they go on.
        """
        pending = self.engine.pending()
        seat = lots.randrange(self.seats)
        view = self.engine.view(seat)
        without = lots.getrandbits(len(self.coding.keys)) if lots.random() < 0.5 else 0
        left_out = [key for number, key in enumerate(self.coding.keys) if without >> number & 1]
        same_numbers(self.coding.without(left_out), view, self.c.observe(seat, without))
        if seat in pending:
            assert self.coding.actions_of(pending[seat]) == self.c.actions(seat)
        if not pending:
            return
        read, secret = self.c_rules.view(view), lots.randbytes(32)
        assert bytes(read) == self.c.see(seat)
        for _ in range(5 if self.game.name in EXACT else 0):
            refused_or_exact(self.c_rules, changed(view, lots), lots)
        engines, ours = Stream(secret, "worlds"), crules.StreamInC(secret, "worlds")
        for _ in range(2):
            world, c_world = self.game.determinise(view, self.rules, engines), read.world(ours)
            assert c_world.see(seat) == bytes(read)
        assert engines.u64() == ours.u64()
        while not world.is_over and lots.random() < 0.9:
            same_position(self.game, world, c_world)
            one = lots.randrange(self.seats)
            same_numbers(self.coding, world.view(one), c_world.observe(one))
            choices = drawn_choices(world, lots)
            world.apply(choices)
            c_world.apply(choices)
        if not world.is_over:
            one = (seat + 1) % self.seats
            makes_worlds = self._makes_worlds(world.view(one))
            assert (
                makes_worlds
                == is_view(self.c_rules, world.view(one))
                == is_view(self.c_rules, c_world.see(one))
            )

    def _makes_worlds(self, view: Mapping[str, Any]) -> bool:
        """Tell whether the engine takes a view; it is one of another seat in a world if
        not.
        """
        try:
            self.game.determinise(view, self.rules, Stream(bytes(32), "worlds"))
        except OtherSeat:
            return False
        return True


def is_view(rules: crules.RulesInC, view: Mapping[str, Any] | bytes) -> bool:
    """Tell whether the rules in C take a view; it is one of another seat in a world if
    not.
    """
    try:
        rules.view(view)
    except OtherSeat:
        return False
    return True


def same_position(game: Game, engine: State, c: crules.StateInC) -> None:
    """Compare who is asked what, scores and ranks."""
    asked = {seat: (one.kind, len(one.legal)) for seat, one in engine.pending().items()}
    assert asked == {
        seat: (KINDS[game.name][kind - 1], choices)
        for seat, (kind, choices) in c.questions().items()
    }
    assert (engine.is_over, [*engine.scores], [*engine.ranks]) == (c.is_over, c.scores, c.ranks)


def same_numbers(coding: Coding, view: Mapping[str, Any], observed: Any) -> None:
    """Compare an observation with the coding of the view, and name the keys that
    differ.
    """
    expected, found = coding.encode(view), np.frombuffer(observed, dtype=np.float32)
    assert expected.shape == found.shape
    if not np.array_equal(expected, found):
        parts = [(key, slice(start, start + size)) for key, start, size in coding.parts]
        raise AssertionError(
            [(key, view[key]) for key, part in parts if (expected[part] != found[part]).any()]
        )


def drawn_choices(state: State, lots: random.Random) -> dict[int, int]:
    """Draw a choice for each seat that is asked."""
    return {seat: lots.randrange(len(one.legal)) for seat, one in state.pending().items()}


def changed(value: Any, lots: random.Random) -> Any:
    """Return a value with something in it changed."""
    if isinstance(value, dict) and value:
        key = lots.choice(sorted(value))
        return (
            {**value, key: changed(value[key], lots)}
            if lots.random() < 0.95
            else {k: v for k, v in value.items() if k != key}
        )
    if isinstance(value, list) and value and lots.random() < 0.8:
        at, way = lots.randrange(len(value)), lots.random()
        if way < 0.6:
            return [*value[:at], changed(value[at], lots), *value[at + 1 :]]
        return [*value[:at], *value[at + 1 :]] if way < 0.8 else [*value, *value[at:]]
    return lots.choice(ODD)


def refused_or_exact(rules: crules.RulesInC, view: Mapping[str, Any], lots: random.Random) -> bool:
    """Check that a view is refused, or has worlds in which its seat sees just that.
    Return whether it has them.
    """
    try:
        read = rules.view(view)
        world = read.world(crules.StreamInC(lots.randbytes(32), "worlds"))
    except ConfigError:
        return False
    assert world.see(view["seat"]) == bytes(read), view
    return True


def play_alike(game: Game, seats: int, seed: str, views: float = 0.0) -> int:
    """Play a match by rules drawn from a seed, and compare each step. Return the steps.

    views: how many of the steps are compared by ``compare_views``; if any, those too at
        which a kind is first asked for
    """
    lots = random.Random(seed)
    both = Both(
        game, seats, drawn_rules(game, lots), lots.randbytes(32), is_keen=lots.random() < 0.5
    )
    kinds: set[str] = set()
    for steps in count():
        both.compare()
        asked = {one.kind for one in both.engine.pending().values()}
        if views and (lots.random() < views or not asked <= kinds):
            both.compare_views(lots)
        kinds |= asked
        if both.engine.is_over:
            with pytest.raises(IllegalChoice):
                both.c.apply(dict.fromkeys(range(seats), 0))
            return steps
        both.step(lots)
    raise AssertionError
