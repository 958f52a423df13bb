"""The bots of an event in ticks: nothing is left of them but their modules, which say what they are and are all that travels."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.manifest import as_module
from khiva_arena.entrants.modules import bot_identity, is_module
from khiva_arena.entrants.staging import cache_folder, stage, staged
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.modules.meter.bounds import MODULE_BYTES
from khiva_arena.replay.definition import Definition
from khiva_arena.sandbox import regular_files
from khiva_arena.sandbox.level import Level
from khiva_arena.shipped import MODULE
from khiva_arena.store.new_file import new_file


def only_modules(bots: Sequence[Bot], level: Level) -> list[Bot]:
    """Return bots as their modules alone, each identified by the SHA-256 of the module's bytes.

    level: the level at which they are built

    Raises BotError for a bot that cannot be built. Bots of different sources may have equal modules, and so be the same bot.
    """
    return [_only_module(bot, level) for bot in bots]


def _only_module(bot: Bot, level: Level) -> Bot:
    if bot.built_from:
        return bot  # of a plan, with all that is left of it
    stage(bot, level)
    identity = keep(_bytes(staged(level) / bot.identity / bot.module))
    file = kept(identity)
    run, sources = as_module(MODULE), ((MODULE, file),)
    return replace(bot, run=run, build=(), identity=identity, sources=sources, runtimes=(), built_from=bot.identity)


def keep(module: bytes) -> str:
    """Keep a module in the cache folder, in place of a damaged copy, and return its identity. Raises StagingError if it cannot be
    written."""
    identity = bot_identity(module)
    file = kept(identity)
    try:
        if not is_module(file, identity):
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as draft:
                draft.write(module)
            os.replace(draft.name, file)
    except OSError as error:
        raise StagingError(f"{file}: a module cannot be kept: {error.strerror or error}") from None
    return identity


def module_in(folder: Path, identity: str) -> bytes | None:
    """Return the module of an identity, from a folder or from this machine's cache; None if neither has a sound copy."""
    for path in (named(folder, identity), kept(identity)):
        with suppress(OSError):
            if sha256(module := _bytes(path)).hexdigest() == identity:
                return module
    return None


def keep_in(folder: Path, definition: Definition, *others: Path) -> None:
    """Copy the modules of an event in ticks into a folder, unless they are there, in place of damaged copies.

    others: folders that may have them, if this machine has not built them

    Raises ConfigError or Unwritten if the folder cannot be written. A module that is nowhere is left out.
    """
    for bot in definition.bots:
        place = named(folder, bot.identity)
        if is_module(place, bot.identity):
            continue
        module = next((data for other in (folder, *others) if (data := module_in(other, bot.identity))), None)
        if module is None:
            continue
        try:
            folder.mkdir(exist_ok=True)
            place.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(f"{place}: the module of {bot.name} cannot be kept: {error.strerror or error}") from None
        with new_file(place) as file:
            file.write(module)


def _bytes(path: Path) -> bytes:
    return regular_files.read(path, MODULE_BYTES, follow=False)


def identity_of(path: Path) -> str:
    """Return the identity of the module in a file. Raises OSError."""
    return sha256(_bytes(path)).hexdigest()


def damaged_copies(identity: str, *folders: Path) -> list[Path]:
    """Return the copies of a module in folders, and in this machine's cache, whose bytes are not those of their name."""
    copies = [*(named(folder, identity) for folder in folders), kept(identity)]
    return [path for path in copies if os.path.lexists(path) and not is_module(path, identity)]


def named(folder: Path, identity: str) -> Path:
    """Return where a folder of modules has that of an identity."""
    return folder / f"{identity}.wasm"


def kept(identity: str) -> Path:
    """Return where the module of an identity is kept once it has been built."""
    return cache_folder() / "modules" / f"{identity}.wasm"
