"""Rules maps: defaults with what was given laid over them, every mistake at once. A game's ``variants.py`` has its keys."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from reprlib import Repr
from typing import Any, NamedTuple

from khiva_arena.games.base import Plain
from khiva_arena.words import count, meant

MOST_PROBLEMS = 50
RULES_WITH_CALLS = {"openspiel": ("game",)}
"""By the name of a game, the rules whose text is a call with parameters, as ``efg_game(filename=g.efg)``."""
NOT_CHECKED = "not checked: the game is a file that isn't part of the event"
_PARAMETER = re.compile(r"([A-Za-z0-9_]*(?:file|path|folder|directory|root|dir\b)[A-Za-z0-9_]*)\s*=\s*[^\s,)]", re.IGNORECASE)


class Valued(NamedTuple):
    """A rule whose variants are values.

    default: its default, as in a canonical map.
    """

    default: Plain
    check: Callable[[Plain], Plain]
    """The canonical value, or None for a wrong one."""
    must: str
    """What it has to be, for "KEY <must>, not VALUE"."""


class _Short(Repr):
    def repr_int(self, x: int, level: int) -> str:
        return str(x) if abs(x) < 2**64 else "a number beyond 2**64"  # thousands of digits cannot even be written


_SHORT = _Short()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = 60


def is_whole(value: Plain, least: int, most: int) -> bool:
    """Whether it is a whole number within these bounds."""
    return type(value) is int and least <= value <= most


def whole(least: int, most: int, word: str | None = None) -> Callable[[Plain], Plain]:
    """The check of a rule that is a whole number within these bounds, or ``word``."""
    return lambda given: given if given == word or is_whole(given, least, most) else None


def brief(value: Plain) -> str:
    """A value for a message: short, however long or deep it is."""
    return _SHORT.repr(value)


def few(problems: list[str]) -> list[str]:
    """The first of them, and how many more there are."""
    hidden = len(problems) - MOST_PROBLEMS
    return [*problems[:MOST_PROBLEMS], f"and {count(hidden, 'mistake')} more"] if hidden > 0 else problems


def lay_over(
    title: str,
    keys: Sequence[str],
    named: Mapping[str, Sequence[str]],
    valued: Mapping[str, Valued],
    given: Mapping[str, Plain],
    later: Collection[str] = (),
) -> tuple[dict[str, Plain], list[str]]:
    """The map in the order of ``keys``, and the mistakes; a key with a mistake is left out.

    named: by key, the words it can be, default first. valued: all other keys; those in neither are the caller's to add.
    later: keys that came after the game was published. Such a key is left out if it has its default, so that maps, ids of events
        and digests of records stay the same as in versions that did not know it; ``filled_in`` adds it again.
    """
    problems = few(
        [f"unknown rule {brief(key)}{meant(key, keys)}; {title} has {', '.join(keys)}" for key in given if key not in keys]
    )
    defaults = defaults_of(later, named, valued)
    rules: dict[str, Plain] = {}
    for key in keys:
        if key in named:
            value = given.get(key, named[key][0])
            if not isinstance(value, str) or value not in named[key]:
                problems.append(f"{key} is one of {', '.join(named[key])}, not {brief(value)}{meant(value, named[key])}")
                continue
            rules[key] = value
        elif key in valued:
            value = valued[key].check(given.get(key, valued[key].default))
            if value is None:
                problems.append(f"{key} {valued[key].must}, not {brief(given[key])}")
                continue
            rules[key] = value
    return {key: value for key, value in rules.items() if key not in defaults or value != defaults[key]}, problems


def defaults_of(keys: Collection[str], named: Mapping[str, Sequence[str]], valued: Mapping[str, Valued]) -> dict[str, Plain]:
    """The default of each of these keys, as the canonical map would have it."""
    return {key: named[key][0] if key in named else valued[key].check(valued[key].default) for key in keys}


def filled_in(keys: Sequence[str], defaults: Mapping[str, Plain], rules: Mapping[str, Plain]) -> dict[str, Plain]:
    """A canonical map with the keys that it leaves out because they have their default, in the order of ``keys``."""
    return {key: rules[key] if key in rules else defaults[key] for key in keys}


def describe(
    keys: Sequence[str], named: Mapping[str, Sequence[str]], valued: Mapping[str, Valued], **others: str
) -> dict[str, str]:
    """By key, for people: what it can be, default first."""
    words = {key: ", ".join(values) for key, values in named.items()}
    texts = {key: rule.must.removeprefix("is ") for key, rule in valued.items()}
    every = words | texts | others
    return {key: every[key] for key in keys}


def file_in_rules(game: str, rules: Mapping[str, Any]) -> str:
    """Return the parameter of a game's rules by which a file is named, "" if there is none. Nothing is opened or run.

    What such a file holds is in no event, so that two games can hide behind equal rules, and whoever replays a stranger's match
    would open a path of the stranger's choice.
    """
    found = (_PARAMETER.search(str(rules.get(key, ""))) for key in RULES_WITH_CALLS.get(game, ()))
    return next((parameter[1] for parameter in found if parameter), "")
