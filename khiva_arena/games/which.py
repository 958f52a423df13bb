"""The rules of a game in words, as they stand behind its name in headings and lists.

A game that comes with the arena shows the rules that are not the default. Only a game
from outside knows its own defaults, and it is not run to find out: all its rules are
named.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from khiva_arena.games.registry import GAMES, HASHED

HEADING = {"openspiel": ("game",)}
"""The rules that a heading names, by name of a game from outside. A game without a row
here has all its rules named.
"""
DIGITS = 8
"""Digits of a hash, in headings."""
LONGEST = 120
"""Characters of a rule's value, in headings, at most."""


class Played(Protocol):
    """A game that was played with its rules, as a definition or the header of a match
    has them.
    """

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def rules_version(self) -> str:
        """The version of the rules, which ends in the hash of the code if the game does
        not come with the arena.
        """

    @property
    def rules(self) -> Mapping[str, Any]:
        """The whole rules map."""


def changed(played: Played) -> dict[str, Any]:
    """Return the rules that are not the default, or may not be."""
    default = GAMES[played.game].rules({}) if played.game in GAMES else {}
    return {
        key: value
        for key, value in played.rules.items()
        if key not in default or default[key] != value
    }


def which(played: Played) -> str:
    """Return the words behind the game's name, such as " with game=chess()"; "" if
    there is nothing to say.
    """
    return which_of([played])[0]


def is_played(played: Played) -> str:
    """Return the line that names the game before the start."""
    return f"{played.game}{which(played)} is played"


def which_of(several: Sequence[Played]) -> list[str]:
    """Return the words behind the name of each of several games that are shown
    together.

    Games whose words would be equal get the rules and rules versions in which they
    differ added.
    """
    named = [_heading(one) for one in several]
    for alike in _alike(several, named):
        rules = [several[i].rules for i in alike]
        keys = [
            key
            for key in sorted({*rules[0]}.union(*rules))
            if len({_short(one.get(key)) for one in rules}) > 1
        ]
        versions = len({several[i].rules_version for i in alike}) > 1
        for i in alike:
            named[i] = {
                **named[i],
                **{key: several[i].rules[key] for key in keys if key in several[i].rules},
            }
            if versions:
                named[i]["rules version"] = _code(several[i].rules_version)
    return [_words(one) for one in named]


def _heading(played: Played) -> dict[str, Any]:
    rules = changed(played)
    if HASHED not in played.rules_version or not (keys := HEADING.get(played.game, ())):
        return rules
    return {key: value for key, value in rules.items() if key in keys}


def _alike(several: Sequence[Played], named: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return groups of two or more positions in ``several`` whose games have the same
    name and the same words.
    """
    found: dict[tuple[str, str], list[int]] = {}
    for i, one in enumerate(several):
        found.setdefault((one.game, _words(named[i])), []).append(i)
    return [places for places in found.values() if len(places) > 1]


def _words(named: Mapping[str, Any]) -> str:
    said = [
        f"{key}={_short(value)}" if key != "rules version" else f"{key} {value}"
        for key, value in named.items()
    ]
    return f" with {', '.join(said)}" if said else ""


def _short(value: Any) -> str:
    """Return a value as ``--rule`` takes it. A long value is cut or replaced, with a
    hash that tells it from other values.
    """
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:DIGITS]
    return f"{text[: LONGEST // 2]}... ({digest})" if isinstance(value, str) else f"table {digest}"


def _code(version: str) -> str:
    """Return a rules version with only as many digits of the hash as tell it from
    others.
    """
    before, _, digest = version.rpartition(":")
    return f"{before}:{digest[:DIGITS]}" if before else version
