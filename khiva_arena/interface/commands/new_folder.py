"""The folder of a new bot: made from a template, and filled."""

import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.common.shipped import Language, ModuleTools
from khiva_arena.entrants import bots as bot_files
from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.games.registry import NAMES
from khiva_arena.interface.commands.new_readme import readme_of
from khiva_arena.records.store.new_file import Unwritten

START = "random"
"""The shipped bot of each language from which a new bot is made."""
# A name that can stand in a string of any language as it is.
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")


def lacks_of(kit: Language, as_module: bool, searches: bool) -> str:
    """Return what this machine lacks for a new bot, "" for nothing."""
    tools = (_module_tools(kit) if as_module else kit,)
    return shipped.lacks(*(kit.search_tools(as_module) if searches else tools))


def _module_tools(kit: Language) -> ModuleTools:
    """Return the tools that make a bot a module. Raises ConfigError for a language
    without any.
    """
    if kit.module is None:
        names = ", ".join(name for name, language in shipped.languages().items() if language.module)
        raise ConfigError(
            f"--module: no bot in {kit.title} is known to become a module here; there are {names}"
        )
    return kit.module


def _search_of(kit: Language, as_module: bool) -> str:
    """Return the name of the bot that searches. Raises ConfigError for a language
    without one.
    """
    names = ", ".join(shipped.all_tools(as_module, searches=True))
    if not kit.search:
        raise ConfigError(f"--search: no bot in {kit.title} searches here; there are {names}")
    if as_module and (why := _module_tools(kit).no_search):
        raise ConfigError(
            f"--search --module: the bot in {kit.title} cannot be a module: {why}; there "
            f"are {names}"
        )
    return shipped.SEARCH


class Template(NamedTuple):
    """The bot from which a new bot is made.

    language: its language.
    start: its name among the shipped bots of that language.
    searches: whether it searches.
    """

    language: Language
    start: str
    searches: bool = False


def template_for(word: str, as_module: bool, searches: bool) -> Template:
    """Return the bot from which a new bot is made, as the flags have it. Raises
    ConfigError.

    word: a language, or a shipped bot such as shipped:python/llm
    """
    kit, start, _ = template_of(word)
    if as_module:
        _module_tools(kit)
    if searches or start == shipped.SEARCH:
        return Template(kit, _search_of(kit, as_module), searches=True)
    return Template(kit, start)


def template_of(word: str) -> Template:
    """Return the language and the bot from which a new bot is made. Raises ConfigError.

    word: a language, or a shipped bot such as shipped:python/llm
    """
    if not word.startswith(shipped.WORD):
        return Template(language_of(word), START)
    if word not in shipped.bots():
        near = get_close_matches(word, shipped.bots(), n=1)
        hint = f"did you mean {near[0]}?" if near else "`khiva-arena bots` lists them"
        raise ConfigError(f"{word}: no such bot comes with the arena; {hint}")
    language, _, start = word.removeprefix(shipped.WORD).partition("/")
    return Template(shipped.languages()[language], start)


def language_of(word: str) -> Language:
    """Return the language that a user means. Raises ConfigError."""
    languages = shipped.languages()
    names = {
        name: language
        for language in languages.values()
        for name in (language.name, *language.aliases)
    }
    if word.casefold() in names:
        return names[word.casefold()]
    near = get_close_matches(word.casefold(), names, n=1)
    hint = f"did you mean {names[near[0]].name}" if near else f"there are {', '.join(languages)}"
    raise ConfigError(
        f"no kit for {word!r}; {hint}. How to write a bot without one: {where('another-language')}"
    )


def make(
    language: Language, folder: Path, start: str = START, as_module: bool = False
) -> list[str]:
    """Make the folder, all of it or nothing, from the bot ``start`` of that language.
    Returns its files.

    as_module: its build makes a WebAssembly module, which the language can do

    Raises ConfigError if the folder exists already or cannot be made, Unwritten if the
    disk is full.
    """
    return make_folder(folder, lambda draft, name: fill(language, draft, name, start, as_module))


def make_folder(folder: Path, fill_draft: Callable[[Path, str], None]) -> list[str]:
    """Make a folder, all of it or nothing. Returns its files. Raises ConfigError and
    Unwritten, as ``make`` does.

    fill_draft: writes the files into a draft of the folder; called with the draft and
        the folder's name.
    """
    place = Path(os.path.abspath(folder))
    if not (place.name.isprintable() and 1 <= len(place.name) <= 64):
        raise ConfigError(
            f"{str(folder)!r}: a bot or game is named like its folder: give 1 to 64 "
            "printable characters"
        )
    if os.path.lexists(place) and (
        place.is_symlink() or not place.is_dir() or any(place.iterdir())
    ):
        raise ConfigError(f"{folder}: exists already; give another name")
    if place == Path.cwd():
        raise ConfigError(f"{folder}: this is the current folder; cd .., then name the folder")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{place.name[:32]}-", dir=place.parent))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror or error}") from None
    try:
        fill_draft(draft, place.name)
        draft.chmod(0o777 & ~_umask())
        draft.rename(place)  # over an empty folder, too
    except OSError as error:
        raise Unwritten(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())


def fill(
    language: Language, draft: Path, name: str, start: str, as_module: bool, game: str | None = None
) -> None:
    """Write the files of a new bot.

    start: the shipped bot that it is made from
    game: the only game that it plays, None for all that ``start`` plays
    """
    home = language.folder / start
    bot = bot_files.load(f"{shipped.WORD}{language.name}/{start}")
    raw = tomllib.loads((home / "bot.toml").read_text(encoding="utf-8"))
    for path, source in bot.sources:
        target = draft / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    plays = [game] if game else raw.get("games", ())
    (draft / "README.md").write_text(readme_of(language, (plays or NAMES)[0]), encoding="utf-8")
    main = draft / language.main
    text = main.read_text(encoding="utf-8")
    if f'"{bot.name}"' not in text:
        raise InternalError(f"{home / language.main} does not greet as {bot.name}")
    main.write_text(
        text.replace(f'"{bot.name}"', f'"{name if PLAIN.fullmatch(name) else "my-bot"}"'),
        encoding="utf-8",
    )
    files = [*raw["files"], *(Path(include).name for include in raw.get("include", ()))]
    lines = [f"name = {_quoted(name)}", 'version = "1"']
    module = (
        {"build": language.module.build, "module": shipped.MODULE}
        if as_module and language.module
        else {}
    )
    commands = module or {
        key: raw[key] for key in ("build", "run", "interpreter", "memory") if key in raw
    }
    lines += [
        f"{key} = {_quoted(words) if isinstance(words, str) else words}"
        for key, words in commands.items()
    ]
    lists = {"games": plays, "files": files}
    lines += [
        f"{key} = [{', '.join(map(_quoted, words))}]" for key, words in lists.items() if words
    ]
    lines += ["reports = true"] if raw.get("reports") else []
    (draft / "bot.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _umask() -> int:
    before = os.umask(0o022)
    os.umask(before)
    return before
