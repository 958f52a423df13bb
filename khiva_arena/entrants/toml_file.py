"""TOML from a file that a stranger may have written: in bounded time and memory, and
printable throughout.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError

LONGEST_FILE = 1_000_000
DEEPEST = 32
WIDEST = 1 << 63
"""Bound of integers: TOML promises 64 bits; Python reads longer ones, up to thousands
of digits, and then cannot print them.
"""
TOO_WIDE = "an integer of more than 64 bits"
TOO_DEEP = f"nested more than {DEEPEST} deep"
# A key of so many parts takes the reader a time that grows with their square. Nothing
# here tries a letter twice.
_LONG_KEY = re.compile(
    rf"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
    rf"""[ \t]*+\.[ \t]*+){{{DEEPEST}}}"""
)
_LONG_NUMBER = re.compile(r"[0-9_]{4000}")


class TomlFile(NamedTuple):
    """A TOML file as it was read.

    text: the whole text
    values: by key
    """

    text: str
    values: dict[str, Any]


def read(path: Path, *, follow: bool = True) -> TomlFile:
    """Read a file. ``follow``: a link to a file is accepted. Raises ConfigError in one
    line.
    """
    try:
        text = regular_files.read(path, LONGEST_FILE, follow=follow).decode()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # no text, or a NUL in the name
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    if long := _LONG_KEY.search(text):
        raise ConfigError(f"{path}:{_line(text, long)}: cannot be read: {TOO_DEEP}")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: not TOML that can be read: {TOO_DEEP}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except ValueError as error:  # a number that Python does not take
        place = f"{path}:{_line(text, long)}" if (long := _LONG_NUMBER.search(text)) else str(path)
        raise ConfigError(f"{place}: cannot be read: {TOO_WIDE if long else error}") from None
    if excess := beyond(values):
        raise ConfigError(f"{path}: cannot be read: {excess}")
    return TomlFile(text, values)


def beyond(value: object) -> str:
    """Return which limit of settings a value read from TOML or JSON exceeds, "" if
    none.
    """
    todo: list[tuple[object, str, int]] = [(value, "", 0)]
    while todo:
        item, name, depth = todo.pop()
        if depth > DEEPEST:
            return f"{name[:64]!r} is {TOO_DEEP}"
        if isinstance(item, int) and not -WIDEST <= item < WIDEST:
            return f"{name[:64]!r} is {TOO_WIDE}"
        if isinstance(item, Mapping):
            todo += [(inner, name or str(key), depth + 1) for key, inner in item.items()]
        elif isinstance(item, list):
            todo += [(inner, name, depth + 1) for inner in item]
    return ""


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1
