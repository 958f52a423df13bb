"""The bots, kits and pages that come with the arena: beside the package in a checkout,
inside it in a wheel.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import khiva_arena

WORD = "shipped:"
MODULE = "bot.wasm"
"""The file that the build of a module writes."""
PROBE_SECONDS = 10
SEARCH = "thinker"
"""The folder of a language's searching bot, from which ``khiva-arena new LANGUAGE
--search`` makes one.
"""
BROKEN = "broken"
"""The folder of the bots that misbehave on purpose."""
ADVISERS = {"khiva": "search", "emira": "greedy_emira", "silk_road": "greedy_silk_road"}
"""The bot in Python that is asked what a better choice is, by game."""


class ModuleTools(NamedTuple):
    """The programs that make a bot's sources a WebAssembly module.

    probe, debian, tool: as of a language.
    build: the build line of its bot.toml, which writes ``MODULE``.
    besides: what the packages may not bring, in words; "" for nothing.
    no_search: why the searching bot of the language cannot become a module; "" if it
        can.
    """

    probe: tuple[str, ...]
    debian: tuple[str, ...]
    tool: str
    build: str
    besides: str
    no_search: str = ""


class Language(NamedTuple):
    """A language with a kit.

    name, title, aliases: its key, its name for people, and other words for it.
    probe: a command that succeeds if everything is there that its bots need.
    debian: packages that bring that on Debian and Ubuntu.
    tool: the program that the first of these brings.
    main: the file of its random bot that a newcomer edits.
    module: what makes its bots WebAssembly modules; None if nothing that is known does.
    wall_only: the bots of it that play by the wall clock alone, and why, where others
        play in ticks as they are.
    search: the language whose tools its searching bot needs besides, its own if no
        others; c.module for those of modules in C; "" if it has no such bot.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    probe: tuple[str, ...]
    debian: tuple[str, ...]
    tool: str
    main: str
    module: ModuleTools | None = None
    search: str = ""
    wall_only: tuple[tuple[str, str], ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the kit and the bots of the language."""
        return folder("bots") / self.name

    def tools(self, as_module: bool) -> "Language | ModuleTools":
        """Return what makes its bots, or makes them modules."""
        return (as_module and self.module) or self

    def search_tools(self, as_module: bool) -> "tuple[Language | ModuleTools, ...]":
        """Return what makes its searching bot, or makes that a module; nothing where
        there is none.
        """
        if not self.search or (as_module and not (self.module and not self.module.no_search)):
            return ()
        name, _, kind = self.search.partition(".")
        return tuple(
            dict.fromkeys((self.tools(as_module), languages()[name].tools(as_module or bool(kind))))
        )


def adviser(game: str) -> str:
    """Return the word of the bot that is asked what a better choice is, by each clock;
    "" if none comes with the arena.
    """
    return f"{WORD}python/{ADVISERS[game]}" if game in ADVISERS else ""


def searcher(game: str) -> str:
    """Return the word of the bot that searches in a game, by the wall clock; "" if none
    comes with the arena.
    """
    names = (f"search_{game}", ADVISERS[game]) if game in ADVISERS else ()
    return next((word for name in names if (word := f"{WORD}python/{name}") in bots()), "")


def folder(name: str) -> Path:
    """Return the shipped folder "bots", "protocol" or "docs": beside the package in a
    checkout, inside it in a wheel.
    """
    package = Path(khiva_arena.__file__).parent
    inside = package / "_shipped" / name
    return inside if inside.is_dir() else package.parent / name


def bots() -> dict[str, Path]:
    """Return the folder of each shipped bot by its word, as ``shipped:python/greedy``;
    sorted; bots that misbehave are left out.
    """
    folders = sorted(
        path.parent for path in folder("bots").glob("*/*/bot.toml") if path.parts[-3] != BROKEN
    )
    return {f"{WORD}{path.parent.name}/{path.name}": path for path in folders}


def why_no_ticks(word: str) -> str:
    """Return why a bot that comes with the arena plays by the wall clock alone, "" if
    nothing is known of it.

    word: as shipped:python/trained
    """
    language, _, name = word.removeprefix(WORD).partition("/")
    return dict(languages()[language].wall_only).get(name, "") if word in bots() else ""


@cache
def languages() -> dict[str, Language]:
    """Return the languages with a kit, by name."""
    import tomllib  # not above, as in _probe

    raw = tomllib.loads((folder("bots") / "languages.toml").read_text(encoding="utf-8"))
    return {
        name: Language(
            name,
            row["title"],
            tuple(row["aliases"]),
            *_tools(row),
            row["main"],
            _module_tools(row["module"]) if "module" in row else None,
            row.get("search", ""),
            tuple(row.get("wall_only", {}).items()),
        )
        for name, row in raw.items()
    }


def _module_tools(row: dict[str, Any]) -> ModuleTools:
    return ModuleTools(*_tools(row), row["build"], row.get("besides", ""), row.get("no_search", ""))


def _tools(row: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    return tuple(row["probe"]), tuple(row["debian"]), row.get("tool", "")


def package_of(program: str) -> str:
    """Return the package of Debian and Ubuntu that brings a compiler or an interpreter
    of a kit, "" if it is none.
    """
    tools = [one for language in languages().values() for one in (language, language.module) if one]
    return next((one.debian[0] for one in tools if one.debian and one.tool == program), "")


def is_here(language: Language | ModuleTools) -> bool:
    """Tell whether this machine has everything that the bots of a language need, as far
    as could be found out in PROBE_SECONDS.
    """
    return _probe(language) is True


def lacks(*tools: Language | ModuleTools) -> str:
    """Return the command to type if this machine lacks something that the bots of a
    language need; "" if it lacks nothing. Return a line saying that this is not known
    if a probe did not end in time.
    """
    remedies = []
    for one in tools:
        works = _probe(one)
        if works is None:
            return (
                f"not known: {shlex.join(one.probe[:2])} took longer than {PROBE_SECONDS} s; "
                "try again on a quieter machine"
            )
        if not works:
            remedies.append(remedy(one))
    return " && ".join(remedies)


def _probe(language: Language | ModuleTools) -> bool | None:
    """Tell whether everything is there; None if the time was up before."""
    import signal  # not above, as the next: help, which names a page, does without them
    import subprocess

    words = [sys.executable if word == "{python}" else word for word in language.probe]
    nothing = subprocess.DEVNULL
    try:
        # In / and not in the working folder: some compilers take their settings from
        # there, and it may be a stranger's bot.
        probe = subprocess.Popen(
            words, cwd="/", stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError:
        return False
    try:
        return probe.wait(PROBE_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return None
    finally:
        if probe.poll() is None:
            os.killpg(probe.pid, signal.SIGKILL)
            probe.wait()


def all_tools(
    as_module: bool = False, searches: bool = False
) -> dict[str, tuple[Language | ModuleTools, ...]]:
    """Return by name of each language what makes its bots.

    as_module: what makes them modules, of those languages alone that can.
    searches: what makes the searching bot, of those alone that have one.
    """
    able = {name: one for name, one in languages().items() if one.module or not as_module}
    tools = {
        name: one.search_tools(as_module) if searches else (one.tools(as_module),)
        for name, one in able.items()
    }
    return {name: some for name, some in tools.items() if some}


def all_lacks(by_name: Mapping[str, Sequence[Language | ModuleTools]]) -> dict[str, str]:
    """Return ``lacks`` of the tools of each language, all at the same time: most of it
    is waiting for compilers.
    """
    from concurrent.futures import ThreadPoolExecutor  # most commands do without it

    with ThreadPoolExecutor(len(by_name)) as pool:
        return dict(
            zip(by_name, pool.map(lambda tools: lacks(*tools), by_name.values()), strict=True)
        )


def remedy(language: Language | ModuleTools) -> str:
    """Return the command to type on Debian and Ubuntu if ``is_here`` is false."""
    # A compiler that is there already, newer perhaps, is left as it is.
    packages = (
        language.debian[1:]
        if len(language.debian) > 1 and shutil.which(language.tool)
        else language.debian
    )
    return installation(language, packages) if packages else "pip install msgpack"


def installation(language: Language | ModuleTools, packages: Sequence[str]) -> str:
    """Return the command that installs packages of a language, and what is needed
    besides.
    """
    besides = language.besides if isinstance(language, ModuleTools) else ""
    return f"apt install {' '.join(packages)}" + (f", and {besides}" if besides else "")
