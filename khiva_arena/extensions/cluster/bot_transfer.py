"""The way of bots to a worker: packed here with their files, staged there, once for
each hash.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from khiva_arena.arbiter.seals import is_as_sealed
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.competition.settings.permissions import values_of
from khiva_arena.entrants import bots, runtimes, sources, staging
from khiva_arena.entrants.archive import check_texts
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import ANY_SIZE, Loading
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.cluster.worker_messages import PackedBot, PackedFile
from khiva_arena.records.replay.definition import DefinedRuntime


def pack(bot: Bot, network: Sequence[str], env: Sequence[str], *, files: bool) -> PackedBot:
    """Pack a bot for its way to a worker, with its ``files`` or without. Raises
    ConfigError if they cannot be read any more.
    """
    try:
        load = [_packed(bot, name, path) for name, path in bot.sources] if files else None
        check_texts(name for name, _ in bot.sources)
    except (OSError, ConfigError) as error:
        raise ConfigError(f"--bot {bot.asked_as}: {error}") from None
    same = {name: getattr(bot, name) for name in PackedBot.__struct_fields__ if hasattr(bot, name)}
    if bot.is_interpreted and bot.interpreted:
        pin = sha256(staging.interpreter_of(bot)).hexdigest()
        same["interpreted"] = replace(bot.interpreted, pin=pin)  # the worker must have the same one
    return PackedBot(
        **same,
        staged=bool(bot.sources),
        files=load if bot.sources else None,
        network=bot.name in network,
        handed=values_of(bot.name, env),
    )


def _packed(bot: Bot, name: str, path: Path) -> PackedFile:
    with sources.open_source(path, bot.root) as file:
        return PackedFile(
            name, sources.runs(file), b"".join(regular_files.pieces(file, bot.largest, path))
        )


def lies_here(identity: str, level: Level) -> bool:
    """Tell whether a bot is in this machine's cache for a level, unchanged since it was
    put there.
    """
    return is_as_sealed(staging.staged(level) / identity)


def stage_here(packed_bot: PackedBot, level: Level) -> Command:
    """Stage a bot, so that it can be started on this machine. Raises ConfigError if it
    is another bot here, and BotError.
    """
    if not packed_bot.staged:
        return staging.stage(_find_here(packed_bot), level)
    if packed_bot.files is None:
        return staging.stage(as_bot(packed_bot, ((".", Path()),)), level)
    with tempfile.TemporaryDirectory(prefix="khiva-arena-bot-") as folder:
        files = tuple((file.name, unpack(file, folder)) for file in packed_bot.files)
        return staging.stage(
            replace(as_bot(packed_bot, files), home=os.path.realpath(folder)), level
        )


def unpack(file: PackedFile, folder: str) -> Path:
    """Write a file that has arrived below a folder. Raises ConfigError if its name
    leads out of that folder.
    """
    name = PurePosixPath(file.name)
    # The name came over the network: it must not lead to a file of this machine.
    if name.is_absolute() or ".." in name.parts:
        raise ConfigError(f"a file {file.name!r} lies outside of what it belongs to")
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.data)
    path.chmod(0o755 if file.program else 0o644)
    return path


def as_bot(bot: PackedBot, files: tuple[tuple[str, Path], ...] = ()) -> Bot:
    """Return the bot as the machine that packed it knows it, with these files."""
    same = {
        name: getattr(bot, name)
        for name in PackedBot.__struct_fields__
        if name in Bot.__struct_fields__
    }
    return Bot(**same, games=(), complete=True, sources=files)


def _find_here(bot: PackedBot) -> Bot:
    """Return a bare command as this machine finds it: it does not travel. Raises
    ConfigError if it is another program.
    """
    loading = Loading(ANY_SIZE, {runtime.name: runtime for runtime in bot.runtimes})
    try:
        bot_here = bots.load(bot.asked_as, bot.folder, loading)
    except ConfigError as error:
        raise ConfigError(
            f"{error}; a bare command is not sent to workers, a folder with bot.toml is"
        ) from None
    if bot_here.identity != bot.identity:
        raise ConfigError(
            f"--bot {bot.asked_as}: the worker has another program; give a folder with "
            "bot.toml, which is sent to workers"
        )
    return bot_here


def check_runtimes(
    bots_of_event: Sequence[PackedBot], defined: Mapping[str, DefinedRuntime]
) -> None:
    """Raise ConfigError unless this machine has the runtimes that bots name, as the
    event defines them.
    """
    for runtime in {runtime for bot in bots_of_event for runtime in bot.runtimes}:
        if runtimes.as_defined(runtime) != defined.get(runtime.name):
            raise ConfigError(
                f"--runtime {runtime.name}: {runtime.prefix} has another program or other "
                "packages there"
            )
