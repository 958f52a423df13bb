"""The interpreters that releases have had, by the hash of the module that each is."""

import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.words import count

UNKNOWN = "a module of its author's with a payload, or an interpreter that no release has"
"""What is said of a bot with a payload whose module is not in the list: nobody can tell
the one from the other by a hash.
"""


class Released(NamedTuple):
    """An interpreter of a release.

    word: by which a bot.toml names it.
    title: what it is.
    """

    word: str
    title: str

    def __str__(self) -> str:
        return f"{self.word} ({self.title}, released)"


def _rows() -> list[dict[str, Any]]:
    return list(
        tomllib.loads(Path(__file__).with_name("released.toml").read_text()).get("interpreters", ())
    )


@cache
def newest(word: str, memory: int) -> str:
    """Return the hash of the newest interpreter of a word with so many MiB of memory,
    "" if no release has one.
    """
    found = [row["maxima"].get(str(memory), "") for row in _rows() if row["word"] == word]
    return str(found[-1]) if found else ""


@cache
def released() -> dict[str, Released]:
    """Return the interpreters of releases, by the SHA-256 of the module."""
    return {
        digest: Released(row["word"], row["title"])
        for row in _rows()
        for digest in row["maxima"].values()
    }


def described(module: str) -> str:
    """Return in words what runs the payload of a bot. ``module``: the SHA-256 of the
    bot's module.
    """
    return str(released().get(module, UNKNOWN))


def by_interpreter(bots: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names of bots by what runs their payloads, in words. ``bots``: name
    and module of each that has a payload.
    """
    names: dict[str, list[str]] = {}
    for name, module in bots:
        names.setdefault(described(module), []).append(name)
    return names


def lines_of(names: Mapping[str, Collection[str]]) -> list[str]:
    """Return a line for each interpreter with its bots. ``names``: as
    ``by_interpreter`` returns them.
    """
    return [
        f"{count(len(bots), 'bot')} in {what}: {', '.join(bots)}" for what, bots in names.items()
    ]
