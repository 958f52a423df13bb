"""Other names for bots, on pages whose readers shall not know which bot is which."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.text import harmless
from khiva_arena.entrants import toml_file
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import EventRow
from khiva_arena.records.store.rows import NotPlayed
from khiva_arena.words import meant

LONGEST_NAME = 64


def read_names(path: Path) -> dict[str, str]:
    """Return the names that a file gives to bots, by name or identity. Raises
    ConfigError.

    The file is a table of TOML, or an object in a file named .json.
    """
    values = _json(path) if path.suffix == ".json" else toml_file.read(path).values
    problems = [
        (
            f"{path}: {harmless(key, LONGEST_NAME)}: a name has 1 to {LONGEST_NAME} printable "
            "characters, in quotes"
        )
        for key, name in values.items()
        if not (isinstance(name, str) and 1 <= len(name) <= LONGEST_NAME and name.isprintable())
    ]
    if problems:
        raise ConfigError(problems)
    return dict(values)


def _json(path: Path) -> dict[str, object]:
    try:
        values = json.loads(regular_files.read(path, toml_file.LONGEST_FILE))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON that can be read: {error}") from None
    if not isinstance(values, dict):
        raise ConfigError(f'{path}: not an object of names, such as {{"greedy": "Team 1"}}')
    return values


def renamed(
    left_out: Sequence[tuple[int, NotPlayed]], names: Mapping[str, str]
) -> list[tuple[int, NotPlayed]]:
    """Return the bots that were left out with their other names. ``names``: by name."""
    return [
        (event, structs.replace(bot, name=names.get(bot.name, bot.name))) for event, bot in left_out
    ]


def rename(
    events: Sequence[EventRow], names: Mapping[str, str], left_out: Collection[str] = ()
) -> list[EventRow]:
    """Return events with other names for their bots, so that all pages made from them
    have these. ``names``: by name or identity.

    left_out: names of bots that do not play, with which ``names`` may deal, too.

    Raises ConfigError for a bot that is not there, or one name for bots that had
    different ones.
    """
    if not names:
        return list(events)
    bots = [bot for event in events for bot in event.bots]
    words_known = {word for bot in bots for word in (bot.name, bot.identity)}
    problems = [
        (
            f"--names: no bot {harmless(word, LONGEST_NAME)!r} here{meant(word, words_known)}; "
            "there are "
        )
        + ", ".join(sorted({harmless(bot.name) for bot in bots}))
        for word in names
        if word not in words_known and word not in left_out
    ]
    before: dict[str, set[str]] = {}
    for bot in bots:
        before.setdefault(_name(bot.identity, bot.name, names), set()).add(bot.name)
    problems += [
        f"--names: {len(old)} bots would be called {new!r}"
        for new, old in before.items()
        if len(old) > 1
    ]
    if problems:
        raise ConfigError(problems)
    return [
        structs.replace(
            event,
            bots=tuple(
                structs.replace(bot, name=_name(bot.identity, bot.name, names))
                for bot in event.bots
            ),
        )
        for event in events
    ]


def _name(identity: str, name: str, names: Mapping[str, str]) -> str:
    return names.get(identity, names.get(name, name))
