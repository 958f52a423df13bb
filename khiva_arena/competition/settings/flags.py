"""Settings as flags: typed words as values, and values as words to type."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from khiva_arena.common.setting_row import LISTS, TABLES, Kind, Setting
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.entrants import loading as loads
from khiva_arena.entrants import runtimes as named_runtimes
from khiva_arena.entrants.loading import Loading
from khiva_arena.errors import ConfigError

T = TypeVar("T")


def take_fields(flags: dict[str, Any], kind: type[T]) -> T:
    """Take out of a command's flags those that are fields of ``kind``, and return the
    value that they make. What belongs together goes on together, and a flag that nobody
    takes stays in ``flags``.
    """
    return kind(**{name: flags.pop(name) for name in kind.__annotations__ if name in flags})


def settings_by_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that flags give. ``flags`` by parameter, unset ones None or
    (). Raises ConfigError with every mistake.
    """
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for row in (*TABLE, *TEST_TABLE):
        value = flags.get(row.parameter)
        if value in (None, ()):
            continue
        if row.kind in TABLES:
            problems += [
                f"{row.option} {pair}: write {row.option} {row.metavar}"
                for pair in value
                if "=" not in pair
            ]
            pairs = [pair.partition("=") for pair in value]
            value = {
                key: text if row.kind is Kind.PATHS else _plain(text) for key, _, text in pairs
            }
        settings[row.name] = value
    if problems:
        raise ConfigError(problems)
    return settings


def _plain(text: str) -> object:
    """Return the value of JSON text, and any other text unchanged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def loading_of_stored(flags: Mapping[str, Any]) -> Loading:
    """Return how the bots of a stored match are read again: runtimes, and the limits on
    the size of a bot.

    Raises ConfigError with every mistake.
    """
    names = ("limit", "runtime", "allow_include", "unreleased_interpreters")
    settings, problems = settings_by_flags({name: flags.get(name) for name in names}), list[str]()
    limits, runtimes = settings.get("limits", {}), settings.get("runtimes", {})
    bounds = {key: value for key, value in limits.items() if key in loads.WORDS}
    for key in limits.keys() - bounds.keys():
        problems.append(
            f"--limit {key}: the stored match keeps this limit; only "
            f"{', '.join(loads.WORDS)} can be given"
        )
    for flag, check, values in (
        ("--limit", loads.bounds_of_settings, bounds),
        ("--runtime", named_runtimes.of_settings, runtimes),
    ):
        try:
            check(values)
        except ConfigError as error:
            problems += [f"{flag} {problem}" for problem in error.problems]
    if problems:
        raise ConfigError(problems)
    return loads.valid_part_of(settings | {"limits": bounds})


def flag_words(row: Setting, value: Any) -> Iterator[str]:
    """Yield the words to type for a value, which ``settings_by_flags`` reads back."""
    if row.kind is Kind.SWITCH:
        yield row.option if value else row.option.replace("--", "--no-", 1)
    elif row.kind in LISTS:
        for word in value:
            yield from (row.option, word)
    elif row.kind in TABLES:
        for key, each in value.items():
            text = each if isinstance(each, str) else json.dumps(each, separators=(",", ":"))
            yield from (row.option, f"{key}={text}")
    else:
        yield from (row.option, str(value))
