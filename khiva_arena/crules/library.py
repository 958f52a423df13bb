"""The library of the rules in C: found, loaded once, its functions by game, and memory
for them.

The interpreter of Python in ticks has interpreters/python/crules_library.py in place of
this file.
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.native import build

GAMES: tuple[str, ...] = build.GAMES
MemoryInC = Any
"""A piece of memory that C writes: a ctypes array of 64-bit words, so that whatever
lies in it is aligned.
"""
FunctionInC = Callable[..., int]
_RESULTS: dict[str, Any] = {
    "asked": ctypes.c_uint,
    "questions": ctypes.c_uint,
    "random_games": ctypes.c_int64,
    "try": ctypes.c_double,
}


class SizesInC(NamedTuple):
    """Bytes of a game's structures, the most seats it has, and the most numbers of an
    entry.
    """

    rules: int
    state: int
    memory: int
    view: int
    knowledge: int
    seats: int
    entry: int


@cache
def is_built() -> bool:
    """Tell whether the rules in C are there and can be loaded."""
    try:
        library()
    except ConfigError:
        return False
    return True


@cache
def library() -> ctypes.CDLL:
    """Load the library. Raises ConfigError if it was not built, was changed since, or
    cannot be loaded.
    """
    try:
        loaded = ctypes.CDLL(build.program("rules") or os.devnull)
    except OSError:
        raise ConfigError(
            "the rules in C are not built here, or were damaged since: install a C "
            "compiler, then the arena again"
        ) from None
    loaded.arena_lib_u64.restype = loaded.arena_lib_below.restype = ctypes.c_uint64
    return loaded


@cache
def function(game: str, name: str) -> FunctionInC:
    """Return a function of one game's rules."""
    called = getattr(library(), f"{game}_lib_{name}")
    called.restype = _RESULTS.get(name, ctypes.c_int)
    return called  # type: ignore[no-any-return]


@cache
def sizes(game: str) -> SizesInC:
    """Return the sizes of one game's structures."""
    if game not in GAMES:
        raise ConfigError(
            f"there are no rules in C of {game!r}: they are there for {', '.join(GAMES)}"
        )
    numbers = ints(len(SizesInC._fields))
    function(game, "sizes")(numbers)
    return SizesInC(*numbers)


def memory(size: int) -> MemoryInC:
    """Return so many bytes of memory, all 0."""
    return (ctypes.c_uint64 * ((size + 7) // 8))()


def copied(there: MemoryInC) -> MemoryInC:
    """Return memory with what is there, of the same size."""
    return (ctypes.c_uint64 * (len(bytes(there)) // 8)).from_buffer_copy(there)


def word(number: int) -> Any:
    """Return a number as C takes one of 64 bits."""
    return ctypes.c_uint64(number)


def floats(count: int) -> Any:
    """Return an array of so many of C's floats, all 0."""
    return (ctypes.c_float * count)()


def doubles(values: int | Sequence[float]) -> Any:
    """Return an array of C's doubles: of so many zeros, or of these values."""
    return (
        (ctypes.c_double * values)()
        if isinstance(values, int)
        else (ctypes.c_double * len(values))(*values)
    )


def ints(values: int | Sequence[int]) -> Any:
    """Return an array of C's ints: of so many zeros, or of these values."""
    return (
        (ctypes.c_int * values)()
        if isinstance(values, int)
        else (ctypes.c_int * len(values))(*values)
    )
