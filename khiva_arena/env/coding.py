"""What a trainer sees of a game: observations of one length and actions of one meaning, for a seat count and rules.

Lengths, orders and meanings are fixed by ``Coding.version``: whatever changes them raises it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.env.fields import Field
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import Decision, Game, Plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LegalEntry = Sequence[Plain]
WAIT = 0
"""The action of a seat that is not asked, while others are."""


class Part(NamedTuple):
    """Where one key of the view stands in an observation.

    key: of the view.
    start: its first number.
    size: how many numbers.
    """

    key: str
    start: int
    size: int


@dataclass(frozen=True)
class Coding:
    """How views and choices of a game are numbers, for a seat count and rules.

    version: rises whenever an observation or an action gets another meaning.
    keys: by key of the view, of what kind it is, in the order of an observation.
    left_out: keys of the view that grow without end, and are not in an observation.
    entries: by kind of decision, the entries of ``legal`` that there can be, each with an action of its own.
    rising: kinds of decision of which entries are numbers that rise in equal steps: their actions say how many steps above the
        least one.
    longest: more decisions than any match has.
    """

    version: int
    keys: Mapping[str, Field]
    entries: Mapping[str, Sequence[LegalEntry]]
    longest: int
    left_out: tuple[str, ...] = ()
    rising: Mapping[str, int] | None = None

    def without(self, keys: Sequence[str]) -> "Coding":
        """Return the coding that leaves out these keys of the view, too. Raises ConfigError for a key that it does not have."""
        if isinstance(keys, str) or (unknown := [key for key in keys if key not in (*self.keys, *self.left_out)]):
            wrong = f"{keys!r} is not a list of keys" if isinstance(keys, str) else f"there is no {unknown[0]!r}"
            raise ConfigError(f"without: {wrong}; an observation has {', '.join(self.keys)}")
        kept = {key: kind for key, kind in self.keys.items() if key not in keys}
        return replace(self, keys=kept, left_out=(*self.left_out, *keys)) if keys else self

    # --- observations ---

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Where each key stands."""
        found, start = [], 0
        for key, kind in self.keys.items():
            found.append(Part(key, start, len(kind.bounds)))
            start += len(kind.bounds)
        return tuple(found)

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return sum(part.size for part in self.parts)

    def bounds(self) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """The least and the largest that each number can be."""
        import numpy as np

        both = np.array([pair for kind in self.keys.values() for pair in kind.bounds], dtype=np.float32)
        return both[:, 0].copy(), both[:, 1].copy()

    def encode(self, view: Mapping[str, Plain]) -> "NDArray[np.float32]":
        """A view as an observation. Raises ConfigError if it is of another game, seat count or rules than the coding."""
        import numpy as np

        into: list[int] = []
        for (key, kind), part in zip(self.keys.items(), self.parts, strict=True):
            try:
                kind.put(view[key], into)
            except (LookupError, TypeError, ValueError):
                into.clear()
            if len(into) != part.start + part.size:
                raise _other(f"numbers for {json.dumps({key: view.get(key)})}")
        return np.array(into, dtype=np.float32)

    def decode(self, observation: Sequence[float]) -> dict[str, Plain]:
        """The view that an observation was made from, without the keys that are left out."""
        numbers: Iterator[int] = map(int, observation)
        return {key: kind.get(numbers) for key, kind in self.keys.items()}

    # --- actions ---

    @cached_property
    def _number(self) -> dict[tuple[object, ...], int]:
        """By kind of decision and entry."""
        every = [(kind, *entry) for kind, entries in self.entries.items() for entry in entries]
        return {entry: i for i, entry in enumerate(every, WAIT + 1)}

    @property
    def actions(self) -> int:
        """How many actions there are, ``WAIT`` included."""
        return len(self._number) + 1

    @cached_property
    def words(self) -> tuple[str, ...]:
        """By action, what it means."""
        return ("wait", *(" ".join(map(str, entry)) for entry in self._number))

    def actions_of(self, decision: Decision) -> list[int]:
        """By index into ``legal``, the action that means that entry. Raises ConfigError if there is none for one of them."""
        kind, number = decision.kind, self._number
        step = (self.rising or {}).get(kind)
        entries = decision.legal
        if step is not None:
            least = next((entry[0] for entry in entries if type(entry[0]) is int), 0)
            entries = [[(word - least) // step] if type(word) is int else [word] for (word,) in entries]
        try:
            return [number[kind, *entry] for entry in entries]
        except KeyError as error:
            raise _other(f"action for {' '.join(map(str, error.args[0]))}") from None


def _other(lacking: str) -> ConfigError:
    return ConfigError(f"the coding has no {shorten(lacking, 300)}: it was made for another game, seat count or rules")


def coding_of(game: Game, seats: int, rules: Mapping[str, Plain]) -> Coding:
    """The coding of a game that ships with the arena. ``rules``: whole. Raises ConfigError for another one."""
    if registry.GAMES.get(game.name) is not game:
        raise ConfigError(f"{game.title} has no coding of its views as numbers: hand one over, as coding=...")
    make: Callable[[int, Mapping[str, Any]], Coding] = import_module(f"khiva_arena.env.{game.name}").coding
    return make(seats, rules)
