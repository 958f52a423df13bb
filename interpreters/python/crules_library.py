"""What khiva_arena.crules.library is in the interpreter, of which the rules in C are a part: functions by game, and memory."""

from array import array
from collections import namedtuple
from functools import cache

import khiva_rules

from khiva_arena.errors import ConfigError

GAMES = ("khiva", "emira", "silk_road")
MemoryInC = bytearray
SizesInC = namedtuple("SizesInC", "rules state memory view knowledge seats entry")


def is_built():
    return True


def library():
    return khiva_rules


@cache
def function(game, name):
    return getattr(khiva_rules, f"{game}_lib_{name}")


@cache
def sizes(game):
    if game not in GAMES:
        raise ConfigError(f"there are no rules in C of {game!r}: they are there for {', '.join(GAMES)}")
    numbers = ints(len(SizesInC._fields))
    function(game, "sizes")(numbers)
    return SizesInC(*numbers)


def memory(size):
    return bytearray((size + 7) // 8 * 8)


copied = bytearray


def word(number):
    return number


def ints(values):
    return array("i", bytes(4 * values) if isinstance(values, int) else values)


def floats(count):
    return array("f", bytes(4 * count))
