"""The bots of an event in ticks: nothing is left of them but their modules, which say what they are and are all that travels."""

import os
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.entrants import modules
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.manifest import as_module
from khiva_arena.entrants.staging import cache_folder, stage
from khiva_arena.sandbox import regular_files
from khiva_arena.sandbox.level import Level
from khiva_arena.shipped import MODULE


def only_modules(bots: Sequence[Bot], level: Level) -> list[Bot]:
    """Return bots as their modules alone, each identified by the SHA-256 of the module's bytes.

    level: the level at which they are built

    Raises BotError for a bot that cannot be built. Bots of different sources may have equal modules, and so be the same bot.
    """
    return [_only_module(bot, level) for bot in bots]


def _only_module(bot: Bot, level: Level) -> Bot:
    stage(bot, level)
    data = _bytes(cache_folder() / "staged" / bot.identity / bot.module)
    identity = sha256(data).hexdigest()
    file = kept(identity)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as draft:
            draft.write(data)
        os.replace(draft.name, file)
    run, sources = as_module(MODULE), ((MODULE, file),)
    return replace(bot, run=run, build=(), identity=identity, sources=sources, runtimes=(), built_from=bot.identity)


def _bytes(path: Path) -> bytes:
    return regular_files.read(path, modules.LARGEST, follow=False)


def identity_of(path: Path) -> str:
    """Return the identity of the module in a file. Raises OSError."""
    return sha256(_bytes(path)).hexdigest()


def kept(identity: str) -> Path:
    """Return where the module of an identity is kept once it has been built."""
    return cache_folder() / "modules" / f"{identity}.wasm"
