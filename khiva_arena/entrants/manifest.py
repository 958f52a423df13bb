"""The contents of a bot.toml: its keys, and the words of its commands, none of which
leaves its folder.
"""

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.bots.sandbox import readable_paths
from khiva_arena.entrants import runtimes, toml_file
from khiva_arena.entrants.runtimes import (
    ARENA_S_OWN,
    MAXIMA,
    MODULE,
    NAME,
    USUAL_MAXIMUM,
    WORD,
    Interpreted,
    Runtime,
)
from khiva_arena.errors import ConfigError
from khiva_arena.words import meant

KEYS = {
    "name",
    "author",
    "version",
    "run",
    "module",
    "payload",
    "interpreter",
    "memory",
    "build",
    "games",
    "files",
    "include",
    "reports",
}
BY_THE_ORGANISER = "the organiser names one by --runtime NAME=DIR"


class Manifest(msgspec.Struct, frozen=True):
    """A bot.toml, checked. Words are unchanged.

    name, author, version: of the bot; "" if not given.
    run, build: words of its commands; of a module, run is ``MODULE`` in braces, the
        file, and that of its payload if it has one.
    games: the games that it plays; empty: all.
    files: globs of its files, within its folder.
    include: files outside of its folder.
    runtimes: the runtimes that its commands name.
    interpreted: how an interpreter runs it; None without one. ``run`` is empty for a
        bot that has nothing else.
    reports: it wants to report what it spends.
    """

    name: str
    author: str
    version: str
    run: tuple[str, ...]
    build: tuple[str, ...]
    games: tuple[str, ...]
    files: tuple[str, ...]
    include: tuple[str, ...]
    runtimes: tuple[Runtime, ...]
    interpreted: Interpreted | None = None
    reports: bool = False


def read(path: Path, runtime_of: dict[str, Runtime], *, follow: bool = False) -> Manifest:
    """Read the bot.toml at ``path``. Raises ConfigError with every mistake.

    runtime_of: the runtimes that exist
    follow: a link to a file is accepted
    """
    raw = toml_file.read(path, follow=follow).values
    if problems := _shape(raw, path):
        raise ConfigError(problems)
    commands = {key: _words(raw.get(key, ""), path) for key in ("run", "build")}
    commands |= {key: (raw[key],) for key in ("module", "payload") if key in raw}
    interpreted = _interpreted(raw, path)
    commands["interpreter"] = (interpreted.main,) if interpreted else ()
    if empty := [
        key for key in ("run", "module", "payload") if key in raw and not any(commands[key])
    ]:
        raise ConfigError([f"{path}: {key} is empty" for key in empty])
    for key, words in commands.items():
        problems += [
            f"{path}: {key} {what}" for what in wrong_words(words, path.parent, runtime_of)
        ]
    if problems:
        raise ConfigError(problems)
    if "module" in commands:
        commands["run"] = as_module(raw["module"], raw.get("payload", ""))
    return Manifest(
        name=raw["name"],
        author=raw.get("author", ""),
        version=raw.get("version", ""),
        run=commands["run"],
        build=commands["build"],
        games=tuple(raw.get("games", ())),
        files=tuple(raw.get("files", ["**/*"])),
        include=tuple(raw.get("include", ())),
        runtimes=tuple(
            runtime_of[name] for name in runtimes.names_in((*commands["run"], *commands["build"]))
        ),
        interpreted=interpreted,
        reports=raw.get("reports", False),
    )


def _interpreted(raw: dict[str, Any], path: Path) -> Interpreted | None:
    """Return how an interpreter runs the bot, None if it has none. Raises
    ConfigError.
    """
    if "interpreter" not in raw:
        return None
    words = _words(raw["interpreter"], path)
    if len(words) != len(("word", "file")) or not NAME.fullmatch(words[0]):
        raise ConfigError(
            f"{path}: interpreter is one word and a file, as 'javascript main.js'; it "
            "takes no arguments"
        )
    return Interpreted(words[0], os.path.normpath(words[1]), raw.get("memory", USUAL_MAXIMUM))


def _shape(raw: dict[str, Any], path: Path) -> list[str]:
    keys = ", ".join(sorted(KEYS))
    problems = [
        f"{path}: unknown key {key!r}{meant(key, KEYS)}; known are {keys}"
        for key in sorted(set(raw) - KEYS)
    ]
    texts = ("name", "author", "version", "run", "module", "payload", "interpreter", "build")
    strings = [key for key in texts if not isinstance(raw.get(key, ""), str)]
    lists = [key for key in ("games", "files", "include") if not _is_strings(raw.get(key, []))]
    problems += [f"{path}: {key} must be a string" for key in strings]
    problems += [f"{path}: {key} must be a list of strings" for key in lists]
    problems += (
        [f"{path}: reports is neither true nor false"]
        if type(raw.get("reports", False)) is not bool
        else []
    )
    problems += [f"{path}: {key} is missing" for key in ("name",) if key not in raw]
    if "module" in raw:
        problems += [
            f"{path}: {key} and module are both there; a module has no {key}"
            for key in ("run", "interpreter")
            if key in raw
        ]
    elif "run" not in raw and "interpreter" not in raw:
        problems.append(f"{path}: run is missing")
    if "payload" in raw and "module" not in raw:
        problems.append(f"{path}: payload is there, and no module that would read it")
    if "memory" in raw and (
        "interpreter" not in raw or type(raw["memory"]) is not int or raw["memory"] not in MAXIMA
    ):
        problems.append(
            f"{path}: memory is the MiB of an interpreter: {', '.join(map(str, MAXIMA))}"
        )
    if not problems:
        words = [key for key in ("name", "author", "version") if key in raw]
        names = [key for key in words if not (raw[key].isprintable() and 1 <= len(raw[key]) <= 64)]
        problems += [f"{path}: {key} has 1 to 64 printable characters" for key in names]
        globs = [
            key
            for key in ("files", "include", "module", "payload")
            if not "".join(raw.get(key, [])).isprintable()
        ]
        problems += [f"{path}: {key} must have printable characters only" for key in globs]
    return problems


def as_module(path: str, payload: str = "") -> tuple[str, ...]:
    """Return the run words of a bot that is the module at ``path`` in its
    folder. ``payload``: the file that it reads, or "".
    """
    return (
        f"{{{MODULE}}}",
        os.path.normpath(path),
        *([os.path.normpath(payload)] if payload else []),
    )


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _words(line: str, path: Path) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(f"{path}: {line!r}: {error}") from None
    if not "".join(words).isprintable():  # it is shown to people, on their terminals
        raise ConfigError(
            f"{path}: {line!r}: the words of a command are printable; put a longer script "
            "into a file"
        )
    return words


# --- words that lead elsewhere ---


def wrong_words(words: Sequence[str], folder: Path, runtime_of: dict[str, Runtime]) -> list[str]:
    """Return the mistakes in the words of a command of a bot's folder, each with the
    words to write instead; [] for none.

    The program is in the folder, on the PATH or a runtime's. No word is a path out of
    the folder, except arguments of the system's own.
    """
    problems: list[str] = []
    for number, word in enumerate(words):
        if match := WORD.fullmatch(word):
            if match[1] not in runtime_of and match[1] != ARENA_S_OWN:
                problems.append(unknown_runtime(word, runtime_of))
        elif os.path.isabs(word):
            if number == 0 or not readable_paths.is_of_the_system(os.path.normpath(word)):
                problems.append(
                    f"names {word!r}, an absolute path; {_instead(word, folder, number == 0)}"
                )
        elif os.path.normpath(word).split("/")[0] == "..":
            problems.append(
                f"names {word!r}, which leads out of the folder; put it into the folder, "
                "or name it in include"
            )
    return problems


def unknown_runtime(word: str, runtime_of: dict[str, Runtime]) -> str:
    """Return the message for an unknown runtime: which are known, and how to name
    one.
    """
    names = ", ".join(f"{{{name}}}" for name in (ARENA_S_OWN, *sorted(runtime_of)))
    return f"names the runtime {word}, which does not exist; there are {names}; {BY_THE_ORGANISER}"


def _instead(word: str, folder: Path, program: bool) -> str:
    """Return the advice for an absolute path: the words to write instead."""
    base = os.path.basename(word)
    inside = os.path.relpath(os.path.normpath(word), folder.resolve())
    if not inside.startswith(".."):
        return f"write './{inside}'"
    if not program:
        return (
            "put the file into the folder and name it from there, or take a runtime, such "
            "as {torch}; " + BY_THE_ORGANISER
        )
    on_the_path = shutil.which(base)
    if on_the_path and os.path.realpath(on_the_path) == os.path.realpath(word):
        return f"write {base!r}, which is on the PATH"
    on_path = f"write {base!r}, which on the PATH is {on_the_path}, or" if on_the_path else "write"
    return f"{on_path} {{NAME}} in its place, a runtime; {BY_THE_ORGANISER}"
