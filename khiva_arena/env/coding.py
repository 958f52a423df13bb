"""The coding of a game for a trainer: observations of one length and actions of one
meaning.

A coding holds for one seat count and one set of rules. ``Coding.version`` fixes
lengths, orders and meanings: a change of any of them raises it.
"""

import json
from array import array
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
    """The place of one key of the view in an observation.

    key: of the view.
    start: its first number.
    size: how many numbers.
    """

    key: str
    start: int
    size: int


class Encoded(NamedTuple):
    """A view and its numbers, from which the next view of the match is encoded. Nobody
    may change either.
    """

    view: Mapping[str, Plain]
    numbers: "array[float]"


@dataclass(frozen=True)
class Coding:
    """The way in which views and choices of a game are numbers, for a seat count and
    rules.

    version: rises whenever an observation or an action gets another meaning.
    keys: by key of the view, the field of its value, in the order of an observation.
    left_out: keys of the view that grow without end, and are not in an observation.
    entries: by kind of decision, the entries of ``legal`` that there can be, each with
        an action of its own.
    rising: kinds of decision whose entries are numbers that rise in equal steps, with
        the step. Their actions count the steps above the least entry.
    longest: more decisions than any match has.
    """

    version: int
    keys: Mapping[str, Field]
    entries: Mapping[str, Sequence[LegalEntry]]
    longest: int
    left_out: tuple[str, ...] = ()
    rising: Mapping[str, int] | None = None

    def without(self, keys: Sequence[str]) -> "Coding":
        """Return the coding that leaves out these keys of the view, too. Raises
        ConfigError for a key that it does not have.
        """
        if isinstance(keys, str) or (
            unknown := [key for key in keys if key not in (*self.keys, *self.left_out)]
        ):
            wrong = (
                f"{keys!r} is not a list of keys"
                if isinstance(keys, str)
                else f"there is no {unknown[0]!r}"
            )
            raise ConfigError(f"without: {wrong}; an observation has {', '.join(self.keys)}")
        keys_left = {key: kind for key, kind in self.keys.items() if key not in keys}
        return replace(self, keys=keys_left, left_out=(*self.left_out, *keys)) if keys else self

    # --- observations ---

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The place of each key in an observation."""
        parts, start = [], 0
        for key, kind in self.keys.items():
            parts.append(Part(key, start, len(kind.bounds)))
            start += len(kind.bounds)
        return tuple(parts)

    @cached_property
    def size(self) -> int:
        """The number of numbers in an observation."""
        return sum(part.size for part in self.parts)

    def bounds(self) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Return the least and the largest value of each number, as two arrays of
        ``size``.
        """
        import numpy as np

        pairs = np.array(
            [pair for kind in self.keys.values() for pair in kind.bounds], dtype=np.float32
        )
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def encode(self, view: Mapping[str, Plain]) -> "NDArray[np.float32]":
        """Return a view as an observation. Raises ConfigError if the view is of another
        game, seat count or rules than the coding.
        """
        import numpy as np

        return np.frombuffer(self.encode_after(None, view).numbers, dtype=np.float32)

    def encode_after(self, past: Encoded | None, view: Mapping[str, Plain]) -> Encoded:
        """Return the numbers of a view as ``encode`` does: a key whose value is the one
        in ``past`` keeps its numbers.
        """
        numbers = past.numbers[:] if past else array("f", bytes(4 * self.size))
        for key, start, size in self.parts:
            try:
                value = view[key]
                if past:
                    if value == past.view[key]:
                        continue
                    numbers[start : start + size] = array("f", bytes(4 * size))
                self.keys[key].put(value, numbers, start)
            except (LookupError, TypeError, ValueError):
                raise _other(f"numbers for {json.dumps({key: view.get(key)})}") from None
        return Encoded(view, numbers)

    def decode(self, observation: Sequence[float]) -> dict[str, Plain]:
        """Return the view that an observation was made from, without the keys that are
        left out.
        """
        import numpy as np

        numbers: Iterator[int] = iter(np.asarray(observation).astype(int).tolist())
        return {key: kind.get(numbers) for key, kind in self.keys.items()}

    # --- actions ---

    @cached_property
    def _number(self) -> dict[tuple[object, ...], int]:
        """The action of each entry, by kind of decision and entry."""
        all_entries = [
            (kind, *entry) for kind, entries in self.entries.items() for entry in entries
        ]
        return {entry: i for i, entry in enumerate(all_entries, WAIT + 1)}

    @property
    def actions(self) -> int:
        """The number of actions, ``WAIT`` included."""
        return len(self._number) + 1

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The meaning of each action in words, by action."""
        return ("wait", *(" ".join(map(str, entry)) for entry in self._number))

    def actions_of(self, decision: Decision) -> list[int]:
        """Return by index into ``legal`` the action that means that entry. Raises
        ConfigError for an entry without an action.
        """
        kind, number = decision.kind, self._number
        step = (self.rising or {}).get(kind)
        entries = decision.legal
        if step is not None:
            smallest = next((entry[0] for entry in entries if type(entry[0]) is int), 0)
            entries = [
                [(word - smallest) // step] if type(word) is int else [word] for (word,) in entries
            ]
        try:
            return [number[kind, *entry] for entry in entries]
        except KeyError as error:
            raise _other(f"action for {' '.join(map(str, error.args[0]))}") from None


def _other(lacking: str) -> ConfigError:
    return ConfigError(
        f"the coding has no {shorten(lacking, 300)}: it was made for another game, seat "
        "count or rules"
    )


def coding_of(game: Game, seats: int, rules: Mapping[str, Plain]) -> Coding:
    """Return the coding of a game that ships with the arena, for a complete rules map.
    Raises ConfigError for another game.
    """
    if registry.GAMES.get(game.name) is not game:
        raise ConfigError(
            f"{game.title} has no coding of its views as numbers: hand one over, as coding=..."
        )
    make: Callable[[int, Mapping[str, Any]], Coding] = import_module(
        f"khiva_arena.env.{game.name}"
    ).coding
    return make(seats, rules)
