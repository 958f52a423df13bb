"""Rules maps: the defaults with the given rules laid over them, every mistake at once.
A game's ``variants.py`` has its keys.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from reprlib import Repr
from typing import Any, NamedTuple

from khiva_arena.games.base import Plain
from khiva_arena.words import count, meant

MOST_PROBLEMS = 50
RULES_WITH_CALLS = {"openspiel": ("game",)}
"""The rules whose text is a call with parameters, such as ``efg_game(filename=g.efg)``,
by name of the game.
"""
NOT_CHECKED = "not checked: the game is a file that isn't part of the event"
_PARAMETER = re.compile(
    r"([A-Za-z0-9_]*(?:file|path|folder|directory|root|dir\b)[A-Za-z0-9_]*)\s*=\s*[^\s,)]",
    re.IGNORECASE,
)


class Valued(NamedTuple):
    """A rule whose variants are values.

    default: as in a canonical map.
    """

    default: Plain
    check: Callable[[Plain], Plain]
    """The canonical form of a value, or None for a wrong value."""
    must: str
    """The requirement, which completes the message "KEY <must>, not VALUE"."""


class _Short(Repr):
    def repr_int(self, x: int, level: int) -> str:
        return (
            str(x) if abs(x) < 2**64 else "a number beyond 2**64"
        )  # thousands of digits cannot even be written


_SHORT = _Short()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = 60


def is_whole(value: Plain, least: int, most: int) -> bool:
    """Tell whether a value is a whole number from ``least`` to ``most``."""
    return type(value) is int and least <= value <= most


def whole(least: int, most: int, word: str | None = None) -> Callable[[Plain], Plain]:
    """Return the check of a rule that is a whole number from ``least`` to ``most``, or
    ``word``.
    """
    return lambda given: given if given == word or is_whole(given, least, most) else None


def brief(value: Plain) -> str:
    """Return a value for a message: short, however long or deep it is."""
    return _SHORT.repr(value)


def few(problems: list[str]) -> list[str]:
    """Return the first ``MOST_PROBLEMS`` problems, followed by the number of further
    ones if there are any.
    """
    hidden = len(problems) - MOST_PROBLEMS
    return (
        [*problems[:MOST_PROBLEMS], f"and {count(hidden, 'mistake')} more"]
        if hidden > 0
        else problems
    )


class CheckedRules(NamedTuple):
    """Rules that were laid over the defaults.

    rules: in the order of the keys; a key with a mistake is left out
    problems: the mistakes
    """

    rules: dict[str, Plain]
    problems: list[str]


def lay_over(
    title: str,
    keys: Sequence[str],
    named: Mapping[str, Sequence[str]],
    valued: Mapping[str, Valued],
    given: Mapping[str, Plain],
    later: Collection[str] = (),
) -> CheckedRules:
    """Lay the rules of a user over the defaults.

    named: by key, its possible words, default first.
    valued: the rules that are values, by key. A key in neither map is for the caller to
        add.
    later: keys that were added after the game was published. Such a key is left out if
        it has its default, so that maps, ids of events and digests of records stay
        equal to those of versions without the key; ``filled_in`` adds it again.
    """
    problems = few(
        [
            f"unknown rule {brief(key)}{meant(key, keys)}; {title} has {', '.join(keys)}"
            for key in given
            if key not in keys
        ]
    )
    defaults = defaults_of(later, named, valued)
    rules: dict[str, Plain] = {}
    for key in keys:
        if key in named:
            value = given.get(key, named[key][0])
            if not isinstance(value, str) or value not in named[key]:
                problems.append(
                    f"{key} is one of {', '.join(named[key])}, not "
                    f"{brief(value)}{meant(value, named[key])}"
                )
                continue
            rules[key] = value
        elif key in valued:
            value = valued[key].check(given.get(key, valued[key].default))
            if value is None:
                problems.append(f"{key} {valued[key].must}, not {brief(given[key])}")
                continue
            rules[key] = value
    rules = {
        key: value for key, value in rules.items() if key not in defaults or value != defaults[key]
    }
    return CheckedRules(rules, problems)


def defaults_of(
    keys: Collection[str], named: Mapping[str, Sequence[str]], valued: Mapping[str, Valued]
) -> dict[str, Plain]:
    """Return the default of each key, as the canonical map would have it."""
    return {
        key: named[key][0] if key in named else valued[key].check(valued[key].default)
        for key in keys
    }


def filled_in(
    keys: Sequence[str], defaults: Mapping[str, Plain], rules: Mapping[str, Plain]
) -> dict[str, Plain]:
    """Return a canonical map completed by the keys that it leaves out because they have
    their default, in the order of ``keys``.
    """
    return {key: rules[key] if key in rules else defaults[key] for key in keys}


def describe(
    keys: Sequence[str],
    named: Mapping[str, Sequence[str]],
    valued: Mapping[str, Valued],
    **others: str,
) -> dict[str, str]:
    """Return the possible values of each key in words for people, default first."""
    words = {key: ", ".join(values) for key, values in named.items()}
    texts = {key: rule.must.removeprefix("is ") for key, rule in valued.items()}
    every = words | texts | others
    return {key: every[key] for key in keys}


def file_in_rules(game: str, rules: Mapping[str, Any]) -> str:
    """Return the parameter of a game's rules by which a file is named, "" if there is
    none. Nothing is opened or run.

    The contents of such a file are in no event, so two games can hide behind equal
    rules. A replay of a stranger's match would open a path of the stranger's choice.
    """
    found = (_PARAMETER.search(str(rules.get(key, ""))) for key in RULES_WITH_CALLS.get(game, ()))
    return next((parameter[1] for parameter in found if parameter), "")
