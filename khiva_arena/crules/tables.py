"""Matches that C steps together, over arrays of numpy."""

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from khiva_arena.crules.door import BITS, checked
from khiva_arena.crules.game import RulesInC
from khiva_arena.rng import SECRET_BYTES

_FIELDS: list[tuple[str, Any]] = [
    *((name, ctypes.c_int) for name in ("matches", "seats", "by_points")),
    ("without", ctypes.c_uint64),
    *(
        (name, ctypes.c_void_p)
        for name in ("states", "memories", "secrets", "chosen", "seat", "observations")
    ),
    *((name, ctypes.c_void_p) for name in ("masks", "rewards", "over", "illegal")),
]


class _Table(ctypes.Structure):
    """The structure of trainer_calls.h."""

    _fields_ = _FIELDS


class Arrays(NamedTuple):
    """What matches show, a row each.

    secrets: of the next match there.
    seat: who acts.
    observations: what that seat sees.
    masks: by action, 1 if it is legal.
    rewards: by seat, of the last step.
    over: 1 where a match ended in the last step.
    illegal: 1 where the default was played in place of an action.
    """

    secrets: NDArray[np.uint8]
    seat: NDArray[np.int32]
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    over: NDArray[np.uint8]
    illegal: NDArray[np.uint8]

    @classmethod
    def of(cls, matches: int, seats: int, numbers: int, actions: int) -> Self:
        """Make the arrays of so many matches."""
        return cls(
            np.zeros((matches, SECRET_BYTES), np.uint8),
            np.zeros(matches, np.int32),
            np.zeros((matches, numbers), np.float32),
            np.zeros((matches, actions), np.int8),
            np.zeros((matches, seats), np.float32),
            np.zeros(matches, np.uint8),
            np.zeros(matches, np.uint8),
        )


class TablesInC:
    """Matches by a game's rules in C. ``without``: bit i leaves key i of the
    observation out.

    Raises ValueError for arrays of another game, seat count or rules.
    """

    def __init__(
        self, game: str, rules: Mapping[str, Any], arrays: Arrays, by_points: bool, without: int
    ) -> None:
        matches, seats = checked("arrays", arrays, Arrays).rewards.shape
        self._rules, self._arrays, self._matches = RulesInC(game, rules), arrays, matches
        sizes, left_out = self._rules.sizes, checked("without", without, BITS)
        expected = Arrays.of(
            matches,
            seats,
            self._rules.observation_size(seats, left_out),
            self._rules.actions(seats),
        )
        if [_form(array) for array in arrays] != [_form(array) for array in expected]:
            raise ValueError("the arrays are of another game, seat count or rules")
        self._held = {
            "states": np.zeros(matches * sizes.state // 8 + 1, np.uint64),
            "memories": np.zeros(matches * sizes.memory // 8 + 1, np.uint64),
            "chosen": np.zeros(matches * sizes.seats, np.int32),
        }
        pointers = {
            name: array.ctypes.data for name, array in {**self._held, **arrays._asdict()}.items()
        }
        self._table = _Table(
            matches=matches, seats=seats, by_points=bool(by_points), without=left_out, **pointers
        )
        self.begin()  # so that no step meets memory that holds no match

    def begin(self) -> None:
        """Begin all matches by their secrets."""
        self._rules._call("begin_all", self._rules._memory, ctypes.byref(self._table))

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take an action in each match; begin the next match in place of one that ends.
        Raises ValueError for another array.
        """
        if _form(checked("actions", actions, np.ndarray)) != (
            (self._matches,),
            np.dtype(np.int64),
            True,
        ):
            raise ValueError(f"actions: {self._matches} numbers of int64 are needed, in one piece")
        self._rules._call(
            "step_all",
            self._rules._memory,
            ctypes.byref(self._table),
            ctypes.c_void_p(actions.ctypes.data),
        )


def _form(array: NDArray[Any]) -> tuple[Any, ...]:
    """Return the shape and type of an array, and whether it lies in one piece."""
    return array.shape, array.dtype, array.flags.c_contiguous
