"""Which game was played, in words: what stands behind the name of a game in headings and lists.

Of a game that comes with the arena these are the rules that are not the default. Of one from outside nobody but the game knows
which are, and it is not run to find out: all its rules are named.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from khiva_arena.games.registry import GAMES, HASHED

HEADING = {"openspiel": ("game",)}
"""By name of a game from outside: the rules that a heading names; all of them if it does not stand here."""
DIGITS = 8
"""Of a hash, in headings."""
LONGEST = 120
"""Characters of a rule's value, in headings."""


class Played(Protocol):
    """What was played: a definition, or the header of a match."""

    @property
    def game(self) -> str:
        """Its name."""

    @property
    def rules_version(self) -> str:
        """With the hash of its code, if it does not come with the arena."""

    @property
    def rules(self) -> Mapping[str, Any]:
        """The whole rules map."""


def changed(played: Played) -> dict[str, Any]:
    """The rules that are not the default, or may not be."""
    default = GAMES[played.game].rules({}) if played.game in GAMES else {}
    return {key: value for key, value in played.rules.items() if key not in default or default[key] != value}


def which(played: Played) -> str:
    """What stands behind the game's name, as " with game=chess()"; "" if there is nothing to say."""
    return which_of([played])[0]


def is_played(played: Played) -> str:
    """A line before the start."""
    return f"{played.game}{which(played)} is played"


def which_of(several: Sequence[Played]) -> list[str]:
    """The same of games that are shown together: if two differ in nothing that would be said, what they differ in is added."""
    named = [_heading(one) for one in several]
    for alike in _alike(several, named):
        rules = [several[i].rules for i in alike]
        keys = [key for key in sorted({*rules[0]}.union(*rules)) if len({_short(one.get(key)) for one in rules}) > 1]
        versions = len({several[i].rules_version for i in alike}) > 1
        for i in alike:
            named[i] = {**named[i], **{key: several[i].rules[key] for key in keys if key in several[i].rules}}
            if versions:
                named[i]["rules version"] = _code(several[i].rules_version)
    return [_words(one) for one in named]


def _heading(played: Played) -> dict[str, Any]:
    rules = changed(played)
    if HASHED not in played.rules_version or not (keys := HEADING.get(played.game, ())):
        return rules
    return {key: value for key, value in rules.items() if key in keys}


def _alike(several: Sequence[Played], named: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """The places of those of which the same would be said."""
    found: dict[tuple[str, str], list[int]] = {}
    for i, one in enumerate(several):
        found.setdefault((one.game, _words(named[i])), []).append(i)
    return [places for places in found.values() if len(places) > 1]


def _words(named: Mapping[str, Any]) -> str:
    said = [f"{key}={_short(value)}" if key != "rules version" else f"{key} {value}" for key, value in named.items()]
    return f" with {', '.join(said)}" if said else ""


def _short(value: Any) -> str:
    """A value as ``--rule`` takes it; of a long one a hash, which tells it from others."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:DIGITS]
    return f"{text[: LONGEST // 2]}... ({digest})" if isinstance(value, str) else f"table {digest}"


def _code(version: str) -> str:
    """A rules version with as much of the hash as tells it from others."""
    before, _, digest = version.rpartition(":")
    return f"{before}:{digest[:DIGITS]}" if before else version
