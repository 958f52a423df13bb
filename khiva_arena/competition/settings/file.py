"""Settings files: the values in them, and the line of each, so that every mistake has
its place.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.common.setting_row import Kind, Setting, renamed
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.entrants import toml_file

if TYPE_CHECKING:
    from khiva_arena.entrants.bot_words import Glob

_HEADER = re.compile(r"(\[\[?)([^\[\]#]+)\]\]?[ \t]*(?:#|$)")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PLACED = re.compile(r"[^:]+:(\d+): ")
_STAGE = re.compile(r"stage (\d+): ")
_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


class SettingsFile(NamedTuple):
    """The content of a settings file.

    settings: its settings.
    places: where each setting stands ("file:line"), by its dotted name
        ("rules.overshoot", "stage.0.seats").
    text: all of the file.
    globs: the folders for which each glob among its bots stands.
    path: of the file; None without one.
    """

    settings: Mapping[str, Any] = MappingProxyType({})
    places: Mapping[str, str] = MappingProxyType({})
    text: str = ""
    globs: Mapping[str, "Glob"] = MappingProxyType({})
    path: Path | None = None


def read_file(path: Path | None) -> SettingsFile:
    """Return the settings in a TOML file, none without a file. Raises ConfigError.

    Bots, files and folders, and files named by a rule are relative to the file's
    folder.
    """
    if path is None:
        return SettingsFile()
    text, raw = toml_file.read(path)
    places = {key: f"{path}:{line}" for key, line in lines_of(text).items()}
    places = dict.fromkeys(raw, f"{path}:1") | places
    globs: dict[str, Glob] = {}
    for row in TABLE:
        if (
            row.old_name and row.old_name in raw and row.name not in raw
        ):  # both: the old one is refused as unknown
            raw[row.name], places[row.name] = raw.pop(row.old_name), places[row.old_name]
        if row.name in raw:
            raw[row.name] = _from(path.parent, row, raw[row.name], globs)
    return SettingsFile(raw, places, text, globs, path)


def renamed_settings(places: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each setting that a file gives by its old name. ``places``: as
    ``read_file`` gives them.
    """
    for row in TABLE:
        place = places.get(row.old_name) if row.old_name else None
        if place and place == places.get(row.name):
            yield renamed(f"{row.old_name} ({place})", row.name)


def _from(folder: Path, row: Setting, value: Any, globs: dict[str, "Glob"]) -> Any:
    """Return a value with the paths in it made relative to a folder. Any other value is
    unchanged.

    globs: gets the folders of each glob of bots.
    """
    if row.kind in (Kind.FILE, Kind.FOLDER):
        return str(folder / value) if isinstance(value, str) else value
    if row.name == "game" and isinstance(value, str):
        return _if_there(folder, value)
    if row.kind is Kind.BOTS and isinstance(value, list):
        return [
            bot
            for word in value
            for bot in (_bots_of(folder, word, globs) if isinstance(word, str) else [word])
        ]
    if row.kind is Kind.PATHS and isinstance(value, dict):
        return {
            name: str(folder / place) if isinstance(place, str) and place else place
            for name, place in value.items()
        }
    if row.name == "rules" and isinstance(value, dict):
        return {
            key: f"@{folder / rule[1:]}" if names_file(rule) else rule
            for key, rule in value.items()
        }
    return value


def _bots_of(folder: Path, word: str, globs: dict[str, "Glob"]) -> list[str]:
    """Return the words of the bots that a word of a file names: one, or a folder each
    for a glob.
    """
    from khiva_arena.entrants.bot_lists import is_in_list

    # not above: few files have globs
    from khiva_arena.entrants.bot_words import commit_word, folders_of

    if commit_word(word, str(folder)) or is_in_list(word, str(folder)):
        return [str(folder / word)]
    named = folders_of(str(folder / word))
    if named is None or not named.bots:
        return [_if_there(folder, word)]
    globs[word] = named
    return named.bots


def names_file(value: object) -> bool:
    """Tell whether a value is "@FILE"."""
    return isinstance(value, str) and value.startswith("@")


def lines_of(text: str) -> dict[str, int]:
    """Return the number of the line that sets each key or opens each table, by dotted
    name; tables of a list are numbered from 0.

    ``text`` is TOML that has been read. Lines within a string of several lines may be
    taken for keys, which does no harm.
    """
    numbers: dict[str, int] = {}
    tables: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if (header := _HEADER.match(line.lstrip())) and "=" not in header[2]:
            name = _plain(header[2])
            if header[1] == "[[":
                tables[name] = tables.get(name, -1) + 1
                numbers.setdefault(name, number)
                name = f"{name}.{tables[name]}"
            else:
                name = _numbered(name, tables)
            table = f"{name}."
            numbers.setdefault(name, number)
        elif key := _KEY.match(line):
            name = table + _plain(key[1])
            numbers.setdefault(name, number)
            numbers.setdefault(name.rpartition(".")[0] or name, number)
    return numbers


def by_line(problems: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """Return these mistakes in order of lines, each with the line of its value, if that
    stands in a file. ``places``: see ``read_file``.
    """
    placed = [_placed(problem, places) for problem in problems]
    return sorted(
        dict.fromkeys(placed),
        key=lambda problem: int(line[1]) if (line := _PLACED.match(problem)) else 0,
    )


def _placed(problem: str, places: Mapping[str, str]) -> str:
    stage = _STAGE.match(problem)
    flag = _FLAG.search(problem)
    if _PLACED.match(problem) or not (flag or stage):
        return problem
    word = flag[1] if flag else "take"
    key = next((row.name for row in TABLE if row.option == f"--{word}"), word)
    inner = f"stage.{int(stage[1]) - 1}" if stage else ""
    keys = (
        [key] if "seats" not in problem else [key, "seats"]
    )  # too few bots for a table: more copies are but a way out
    names = [f"{inner}.{setting}" for setting in keys] + keys + [inner]
    place = next((places[name] for name in names if name in places), None)
    return f"{place}: {problem}" if place else problem


def _plain(dotted: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))


def _numbered(name: str, tables: dict[str, int]) -> str:
    """Return the name of a table within the last table of a list: stage.rules is
    stage.1.rules.
    """
    for first, count in tables.items():
        if name.startswith(f"{first}."):
            return f"{first}.{count}{name[len(first) :]}"
    return name


def _if_there(folder: Path, word: str) -> str:
    return (
        str(folder / word) if os.path.exists(folder / word) else word
    )  # a long command is no path, and no error
