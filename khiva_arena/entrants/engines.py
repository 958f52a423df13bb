"""Bots from an ``engines.json`` as cutechess writes it: objects with a name, a command
and a workingDirectory.

Other keys of an entry are ignored. A command is split as cutechess splits it: at
spaces, except those within double quotes. Three double quotes in a row stand for one
literal quote. Files in a command, and the working directory itself, are relative to the
folder of engines.json, as in a settings file. A command may also be a folder with a
bot.toml, or a commit of it. ``{python}`` is the arbiter's interpreter, as in ``--bot``.
"""

import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.text import is_text
from khiva_arena.entrants.bot_words import commit_word
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.bots_of_an_event import broken
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.entrants.toml_file import TOO_DEEP, TOO_WIDE
from khiva_arena.errors import ConfigError

LONGEST_FILE = 1_000_000
USED = ("name", "command", "workingDirectory")
_PARTS = re.compile(r'"+|\s+|[^"\s]+')


def load_engines(
    path: Path,
    note: Callable[[str], None] | None = None,
    loading: Loading = AS_IT_IS,
    *,
    with_broken: bool = False,
) -> list[Bot]:
    """Load the bots of a file, under the names that the file gives them.

    note: gets a line on keys that are ignored
    with_broken: bots that cannot be read are among them, marked as broken

    Raises ConfigError with every mistake in every entry.
    """
    problems: list[str] = []
    bots: list[Bot] = []
    first: dict[str, int] = {}
    entries = _read(path)
    for number, entry in enumerate(entries, 1):
        name = entry.get("name") if isinstance(entry, dict) else None
        where = f"{path}: engine {number}" + (
            f" ({name[:64]})" if isinstance(name, str) and name.isprintable() else ""
        )
        wrong = _shape(entry)
        if isinstance(name, str) and first.setdefault(name, number) != number:
            wrong.append(f"engine {first[name]} has this name already")
        if not wrong:
            try:
                bots.append(_bot(path.parent, entry, loading))
            except ConfigError as error:
                wrong = [problem.removeprefix("--bot ") for problem in error.problems]
                if with_broken:
                    bots.append(broken(entry["command"], "; ".join(wrong), name))
                    continue
            except Exception as error:
                # not above: such errors are rare
                from khiva_arena.common.machine import why_left_out

                if not with_broken:
                    raise
                bots.append(broken(entry["command"], why_left_out(error), name))
                continue
        problems += [f"{where}: {what}" for what in wrong]
    if problems:
        raise ConfigError(problems)
    ignored = sorted({key for entry in entries for key in entry} - set(USED))
    if ignored and note:
        note(
            f"{path}: not used: {', '.join(map(repr, ignored))}; of an engine only "
            f"{', '.join(USED)} are"
        )
    return bots


def _read(path: Path) -> list[Any]:
    try:
        entries = json.loads(regular_files.read(path, LONGEST_FILE))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: not JSON that can be read: {TOO_DEEP}") from None
    except (
        ValueError
    ) as error:  # no text, no JSON, a number that Python does not take, or a NUL in the name
        reason = TOO_WIDE if "int_max_str_digits" in str(error) else error
        raise ConfigError(f"{path}: not JSON: {reason}") from None
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{path}: a list of engines is expected, each with name and command")
    return entries


def _shape(entry: object) -> list[str]:
    """Return the mistakes in the form of an entry, [] if there are none."""
    if not isinstance(entry, dict):
        return ["an object with name and command is expected"]
    wrong = [f"{key} is missing" for key in ("name", "command") if key not in entry]
    wrong += [f"{key} is a text" for key in USED if not isinstance(entry.get(key, ""), str)]
    if not wrong and not (entry["name"].isprintable() and 1 <= len(entry["name"]) <= 64):
        wrong.append("name has 1 to 64 printable characters")
    wrong += [
        f"{key} is not valid Unicode text, or has a NUL in it"
        for key in USED[1:]
        if not _is_text(entry.get(key))
    ]
    return wrong


def _is_text(value: object) -> bool:
    return not isinstance(value, str) or is_text(value)


def _bot(folder: Path, entry: dict[str, Any], loading: Loading) -> Bot:
    """Load the bot of an entry. Raises ConfigError."""
    base = folder / entry.get("workingDirectory", "")
    if not os.path.isdir(base):  # isdir is False for a name that is too long
        raise ConfigError(f"workingDirectory {entry['workingDirectory']!r} is not a folder")
    words = split(entry["command"])
    if not words:
        raise ConfigError("an empty command")
    home = base.absolute() / words[0]
    if len(words) == 1 and (os.path.isdir(home) or commit_word(str(home))):
        return replace(load(str(home), loading=loading), name=entry["name"])
    return replace(load(shlex.join(words), str(base.absolute()), loading), name=entry["name"])


def split(command: str) -> list[str]:
    """Split a command into words as cutechess does. Raises ConfigError if a quote is
    not closed.
    """
    words: list[str] = []
    word, in_quotes = "", False
    for part in _PARTS.findall(command):
        if part[0] == '"':
            word += '"' * (len(part) // 3)
            in_quotes ^= len(part) % 3 == 1
        elif part.isspace() and not in_quotes:
            words += [word] if word else []
            word = ""
        else:
            word += part
    if in_quotes:
        raise ConfigError(f"{command!r}: a quote is not closed")
    return [*words, word] if word else words
