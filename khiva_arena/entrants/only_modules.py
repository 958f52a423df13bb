"""The bots of an event in ticks: only their modules and payloads are left, which say
what they are and are all that travels.

Each file is kept under its own hash, so that bots of one module, such as an
interpreter, have one copy of it.
"""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.shipped import MODULE
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import MOST_PAYLOAD
from khiva_arena.entrants.manifest import as_module
from khiva_arena.entrants.modules import bot_identity, is_sound
from khiva_arena.entrants.staging import KEPT, cache_folder, stage_module
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.records.replay.conditions import FileKind
from khiva_arena.records.replay.definition import DefinedBot, Definition, ModuleFile
from khiva_arena.records.replay.record import person_called
from khiva_arena.records.store.new_file import new_file

PAYLOAD = "payload"
"""The name of a payload beside its module."""
ENDS: dict[FileKind, str] = {"module": ".wasm", "payload": ".payload"}
"""The end of the name of a file, by its kind."""


def only_modules(bots: Sequence[Bot], level: Level) -> list[Bot]:
    """Return bots as their modules and payloads alone, each identified by their bytes.

    level: the level at which they are built

    Raises BotError for a bot that cannot be built. Bots of different sources may have
    equal modules, and so be the same bot.
    """
    return [_only_module(bot, level) for bot in bots]


def _only_module(bot: Bot, level: Level) -> Bot:
    if bot.built_from:
        return bot  # of a plan, with all that is left of it
    if bot.guest:
        return replace(bot, identity=person_called(bot.name))
    bot = bot.in_ticks
    _, module, payload = stage_module(bot, level)
    files = [keep("module", module), *([keep("payload", payload)] if payload is not None else [])]
    return replace(_of_files(bot, bot_identity(module, payload), files, bot.identity), original=bot)


def _of_files(bot: Bot, identity: str, files: Sequence[ModuleFile], built_from: str) -> Bot:
    names = (MODULE, PAYLOAD)[: len(files)]
    return replace(
        bot,
        run=as_module(*names),
        build=(),
        identity=identity,
        sources=tuple((name, kept(file)) for name, file in zip(names, files, strict=True)),
        runtimes=(),
        interpreted=None,
        run_line=(),
        built_from=built_from,
        parts=tuple(file.digest for file in files) if len(files) > 1 else (),
    )


def bot_of(defined: DefinedBot) -> Bot:
    """Return a bot of an event in ticks as its module and payload, of which this
    machine keeps sound copies.
    """
    bot = Bot(
        defined.name,
        "",
        (),
        (),
        (),
        defined.identity,
        True,
        (),
        defined.name,
        largest_payload=MOST_PAYLOAD,
    )
    return _of_files(bot, defined.identity, defined.files, defined.sources or defined.identity)


def keep(kind: FileKind, data: bytes) -> ModuleFile:
    """Keep a module or a payload in the cache folder, in place of a damaged copy.
    Raises StagingError if it cannot be written.
    """
    file = ModuleFile(kind, sha256(data).hexdigest())
    place = kept(file)
    try:
        if not is_sound(place, file.digest):
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as draft:
                draft.write(data)
            os.replace(draft.name, place)
    except OSError as error:
        raise StagingError(f"{place}: a {kind} cannot be kept: {error.strerror or error}") from None
    return file


def read_from(folder: Path, file: ModuleFile) -> bytes | None:
    """Return the bytes of a file from a folder or from this machine's cache; None if
    neither has a sound copy.
    """
    for path in (named(folder, file), kept(file)):
        with suppress(OSError):
            if sha256(data := _bytes(path)).hexdigest() == file.digest:
                return data
    return None


def keep_in(folder: Path, definition: Definition, *others: Path) -> None:
    """Copy the modules and payloads of an event in ticks into a folder, unless they are
    there, in place of damaged copies.

    others: folders that may have them, if this machine has not built them

    Raises ConfigError or Unwritten if the folder cannot be written. A file that is
    nowhere is left out.
    """
    for bot, file in definition.module_files:
        place = named(folder, file)
        if is_sound(place, file.digest):
            continue
        data = next(
            (data for other in (folder, *others) if (data := read_from(other, file)) is not None),
            None,
        )
        if data is None:
            continue
        try:
            folder.mkdir(exist_ok=True)
            place.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{place}: the {file.kind} of {bot.name} cannot be kept: {error.strerror or error}"
            ) from None
        with new_file(place) as copy:
            copy.write(data)


def _bytes(path: Path) -> bytes:
    return regular_files.read(path, MODULE_BYTES, follow=False)


def digest_of(path: Path) -> str:
    """Return the hash of the module or payload in a file. Raises OSError."""
    return sha256(_bytes(path)).hexdigest()


def damaged_copies(file: ModuleFile, *folders: Path) -> list[Path]:
    """Return the copies of a file in folders, and in this machine's cache, whose bytes
    are not those of their name.
    """
    copies = [*(named(folder, file) for folder in folders), kept(file)]
    return [path for path in copies if os.path.lexists(path) and not is_sound(path, file.digest)]


def named(folder: Path, file: ModuleFile) -> Path:
    """Return where a folder of modules and payloads has one of them."""
    return folder / f"{file.digest}{ENDS[file.kind]}"


def kept(file: ModuleFile) -> Path:
    """Return where a module is kept once it has been built, or a payload."""
    return named(cache_folder() / KEPT, file)
