"""Settings as Python keywords: made plain for the process that plays, and named so in
messages.
"""

import operator
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, SupportsIndex

from khiva_arena.common.setting_row import LISTS
from khiva_arena.common.text import is_text
from khiva_arena.competition.settings.table import AUTO, TABLE, TEST_TABLE
from khiva_arena.errors import ConfigError, GameMissing
from khiva_arena.games.registry import NAMES
from khiva_arena.words import nearest

TRUSTED = "trusted"
OF_AN_EVENT = ("any_engine", "new_event", "public", "from_plan", "shard")
_KEYWORDS = {row.option: row.name for row in (*TABLE, *TEST_TABLE)}
_KEYWORDS |= {f"--{name.replace('_', '-')}": name for name in OF_AN_EVENT}
_KEYWORDS |= {"--rerun-bots": "rerun_bots", "--take-unconfirmed": "take_unconfirmed"}
_KEYWORDS |= {"--anchor": "anchors", "--section": "sections", "--effects": "effects"}
_FLAG = re.compile(r"--[a-z]+\d?(?:-[a-z]+)*")
_TO_ADD = re.compile(r"(?<=if you trust it, )add: (.*) \(or type the command once at")
"""The part of a refusal of a settings file or plan that names flags, see
competition/settings/consent.py.
"""
_DEEPEST = 20


def plain_settings(
    settings: Mapping[str, Any],
    functions: Sequence[str] = (),
    *,
    known: Sequence[str] | None = None,
    isolation: object = None,
) -> dict[str, Any]:
    """Return settings as values that JSON has. With ``functions`` among the bots,
    isolation becomes trusted.

    known: the settings that there may be; all by default.
    isolation: the isolation in a settings file, None for none.

    Raises ConfigError for a setting that is unknown or of another type, or for
    functions at another isolation.
    """
    if known is not None and (unknown := [name for name in settings if name not in known]):
        raise ConfigError(
            [
                (
                    f"{name}: unknown here{nearest(name, known)}; `khiva-arena init FILE` "
                    "writes all settings"
                )
                for name in unknown
            ]
        )
    plain = {name: _plain(name, value) for name, value in settings.items() if value is not None}
    if (seed := plain.get("seed")) is not None and not isinstance(seed, str):
        if type(seed) is not int:
            raise ConfigError(f"seed: {seed!r:.200} is neither a whole number nor a text")
        plain["seed"] = str(seed)  # 7 and "7" are one seed, here and in an environment
    if functions:
        if plain.get("isolation", isolation) not in (None, AUTO, TRUSTED):
            raise ConfigError(
                "isolation: a function runs with all of your rights, so it needs isolation "
                f"{TRUSTED}"
            )
        plain["isolation"] = TRUSTED
    return plain


def _plain(name: str, value: Any, depth: int = 0) -> Any:
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {
            _plain(name, str(key)): _plain(name, each, depth + 1) for key, each in value.items()
        }
    if depth < _DEEPEST and isinstance(value, list | tuple):
        return [_plain(name, each, depth + 1) for each in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return text(name, value)
    if value is None or isinstance(value, bool):
        return value
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, Real):
        return number(name, value)
    raise ConfigError(f"{name}: {value!r:.200} is not a value that a setting can have")


def text(name: str, value: object) -> str:
    """Return a text. Raises ConfigError for another type, or for text that cannot be
    encoded or has a NUL in it.
    """
    if not isinstance(value, str):
        raise ConfigError(f"{name}: {value!r:.200} is not a text")
    if not is_text(value):
        raise ConfigError(f"{name}: {value!r:.200} is not valid Unicode text, or has a NUL in it")
    return value


def number(name: str, value: object) -> float:
    """Return a finite number as a float. Raises ConfigError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise ConfigError(f"{name}: {value!r:.200} is not a number")
    return float(value)


def whole(name: str, value: object) -> int:
    """Return a whole number as an int. Raises ConfigError for anything else."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise ConfigError(f"{name}: {value!r:.200} is not a whole number")
    return operator.index(value)


def at_least(fewest: int, name: str, value: object) -> int:
    """Return a whole number of ``fewest`` or more. Raises ConfigError for anything
    else.
    """
    if (count := whole(name, value)) < fewest:
        raise ConfigError(f"{name}: {count} is not {fewest} or more")
    return count


def as_path(name: str, value: object) -> Path:
    """Return the path of a file or a folder. Raises ConfigError for anything else."""
    if not isinstance(value, str | os.PathLike):
        raise ConfigError(f"{name}: {value!r:.200} is not a path")
    return Path(text(name, os.fspath(value)))


def several(name: str, value: object) -> tuple[str, ...]:
    """Return texts as a tuple; a single text may stand alone. Raises ConfigError for
    anything else.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (text(name, value),)
    return tuple(text(name, each) for each in value)


def hand_over(games: object) -> None:
    """Permit the code of games that do not come with the arena to run, wherever matches
    of exactly that code are replayed. This holds until Python ends, since a returned
    match replays later. Raises ConfigError for a game that does not exist.
    """
    words = [games] if isinstance(games, os.PathLike) else several("game", games)
    if own := [word for word in (os.fspath(word) for word in words) if word not in NAMES]:
        # not above: most games come with the arena
        from khiva_arena.arbiter.handed_games import offer

        offer(own)


@contextmanager
def naming_its_extension() -> Iterator[None]:
    """Add to the message of a missing game that the extension for such games is not
    installed, if so.
    """
    try:
        yield
    except GameMissing as error:
        # not above: most games come with the arena
        from khiva_arena.arbiter.handed_games import why_none

        if reason := why_none():
            raise GameMissing(f"{error}; {reason}") from None
        raise


def with_tuples(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as flags give them: lists as tuples."""
    lists = {row.name for row in TABLE if row.kind in LISTS}
    return {
        name: tuple(value) if name in lists and isinstance(value, list) else value
        for name, value in keywords.items()
    }


def refuse_early(
    keywords: Mapping[str, Any], check: Callable[[dict[str, Any]], object], game: object = None
) -> None:
    """Raise the mistakes that a check of settings and bots finds, before a process is
    started that would find them, too.

    game: the game in a settings file, None for none. A game that does not come with the
        arena is checked by that process alone.
    """
    if keywords.get("game", game) in (None, *NAMES):
        with by_keyword():
            check(with_tuples(keywords))


@contextmanager
def by_keyword() -> Iterator[None]:
    """Replace flags by keywords in each ConfigError that is raised inside the ``with``
    block.
    """
    try:
        yield
    except ConfigError as error:
        raise type(error)(in_keywords(error.problems)) from None


def in_keywords(problems: Sequence[str]) -> list[str]:
    """Return mistakes with the keywords of settings in place of their flags."""
    plain = [
        re.sub(r"(?<=[a-z.] )--bot ", "", re.sub("^--bot ", "bots: ", problem))
        for problem in problems
    ]
    plain = [
        re.sub(r"^--(\w*): unknown setting", r"\1: unknown setting", problem) for problem in plain
    ]
    plain = [_TO_ADD.sub(_to_give, problem) for problem in plain]
    return [_FLAG.sub(lambda flag: _KEYWORDS.get(flag[0], flag[0]), problem) for problem in plain]


def _to_give(flags: re.Match[str]) -> str:
    """Name the flags that a file needs as keywords: a caller has no command line to add
    flags to.
    """
    names = dict.fromkeys(_KEYWORDS[word] for word in shlex.split(flags[1]) if word in _KEYWORDS)
    return (
        f"also give its settings as keywords: {', '.join(names)} (or type `khiva-arena run` "
        "with it once at"
    )
