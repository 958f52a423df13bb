"""Interpreters: modules of the arena's that run a bot's files, which they get as one
payload.

A bot.toml says ``interpreter = "javascript main.js"``. The module is found by its word
in the folder that $KHIVA_ARENA_INTERPRETERS names, else in the package
``khiva_arena_interpreters``, else where a checkout builds it.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from khiva_arena.bots.modules.meter import ModuleRefused
from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.modules.meter.maxima import MoreAtTheStart, with_memory
from khiva_arena.bots.modules.released import released
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common import shipped
from khiva_arena.entrants.runtimes import MAXIMA, USUAL_MAXIMUM, Interpreted
from khiva_arena.errors import ConfigError, StagingError

FOLDER = "KHIVA_ARENA_INTERPRETERS"
"""The variable with a folder of interpreters that are used in place of those that are
installed.
"""
WORDS = ("javascript", "python")
"""The words of the interpreters that releases have."""
PACKAGE = "khiva_arena_interpreters"
FLAG = "--unreleased-interpreters"


def module_of(bot: str, wish: Interpreted, kept: Path) -> bytes:
    """Return the module that runs a bot. The same bytes are read once a command.

    bot: its name, for messages
    kept: a folder with modules by their hashes, in which one is looked for that is not
        installed any more

    Raises ConfigError if it is not installed, or no release has it and nobody said that
    it may be taken; StagingError if it is pinned, and not here.
    """
    try:
        module, place = _module(wish.word, wish.memory, wish.pin, kept)
    except ConfigError as error:
        raise ConfigError(f"{bot}: {error}") from None
    digest = sha256(module).hexdigest()
    if digest not in released() and not wish.unreleased:
        raise ConfigError(
            f"{bot}: no release has the {wish.word} of {place} ({digest[:12]}), and one "
            "that plays worse for some bots would "
            f"rerun as sound everywhere; if you know who made it, add {FLAG}"
        )
    return module


@cache
def _module(word: str, memory: int, pin: str, kept: Path) -> tuple[bytes, Path]:
    places = [path for path in _places(word) if path.is_file()]
    if pin:
        for path in (*places, kept / f"{pin}.wasm"):
            if path.is_file() and pin in _hashes(word, path):
                return _read(word, path, memory), path
        raise StagingError(
            f"the {word} of the hash {pin[:12]} is not on this machine: install the release of "
            "khiva-arena-interpreters that has it"
        )
    if not places:
        raise ConfigError(f"{word}: this interpreter is not installed: {_remedy()}")
    return _read(word, places[0], memory), places[0]


def _hashes(word: str, path: Path) -> Iterator[str]:
    """Yield the hash of an interpreter with each maximum of its memory; one may begin
    with more than the least of them.
    """
    for most in MAXIMA:
        with suppress(ConfigError):
            yield sha256(_read(word, path, most)).hexdigest()


def pin_of(word: str) -> str:
    """Return the hash of the interpreter that is installed, by which a league pins it;
    "" if there is none.
    """
    path = next((path for path in _places(word) if path.is_file()), None)
    return sha256(_read(word, path, USUAL_MAXIMUM)).hexdigest() if path else ""


def _places(word: str) -> Iterator[Path]:
    """Yield the files that may be the interpreter of a word, the one first that is used
    if it is there.
    """
    if folder := os.environ.get(FOLDER):
        yield Path(folder, f"{word}.wasm")
    package = find_spec(PACKAGE)
    for place in (package.submodule_search_locations or ()) if package else ():
        yield Path(place, f"{word}.wasm")
    yield _built() / f"{word}.wasm"


def _built() -> Path:
    return shipped.folder("protocol").parent / "interpreters" / "build"


def _remedy() -> str:
    return "make interpreters" if _built().parent.is_dir() else "pip install 'khiva-arena[ticks]'"


def _read(word: str, path: Path, memory: int) -> bytes:
    """Return an interpreter with a maximum of its memory. Raises ConfigError for a file
    that is none.
    """
    try:
        return with_memory(regular_files.read(path, MODULE_BYTES), memory)
    except MoreAtTheStart:
        raise ConfigError(
            f"{word} begins with more than {memory} MiB of memory: make the line memory = {memory} "
            f"of its bot.toml memory = {USUAL_MAXIMUM}, or take it out"
        ) from None
    except (OSError, ModuleRefused) as error:
        raise ConfigError(f"{word}: {path}: {getattr(error, 'strerror', None) or error}") from None
