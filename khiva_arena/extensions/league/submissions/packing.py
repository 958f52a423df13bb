"""A bot's files as one stream of bytes, for the queue and for uploads: entrants/archive.py has its form."""

import glob
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khiva_arena.entrants import sources
from khiva_arena.entrants.archive import MOST_BYTES, PackedContent, StreamFile, head_of, stream_of
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.commits import without_commit
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.new_file import to_disk

MANIFEST = "bot.toml"


def pack(bot: Bot) -> bytes:
    """Return the files of a bot as one stream, with a bot.toml that names them and no others: its identity stays the same.

    Raises ConfigError if it is a bare command, or too large.
    """
    if not bot.sources:
        raise ConfigError(f"{bot.asked_as}: a league takes bots that are folders with a bot.toml, and modules")
    if sum(path.stat().st_size for _, path in bot.sources) > MOST_BYTES:
        raise ConfigError(f"{bot.asked_as}: its files have more than {MOST_BYTES >> 20} MiB, which a league does not take")
    contents = {name: _read(bot, path) for name, path in bot.sources}
    contents.setdefault(MANIFEST, PackedContent(_manifest(bot).encode(), runs=False))
    packed = stream_of(contents)
    check_packed(packed)  # so that its author hears at once what would be refused
    return packed


def _manifest(bot: Bot) -> str:
    """Return a bot.toml for a bot's staged files. It holds no author: the league knows whose bot it is."""
    if bot.interpreted:
        wish = bot.interpreted
        words = shlex.join((wish.word, wish.main))
        commands: dict[str, Any] = {"run": shlex.join(bot.run_line), "interpreter": words, "memory": wish.memory}
    elif bot.module:
        commands = {"module": bot.module, "payload": bot.payload}
    else:
        commands = {"run": shlex.join(bot.run)}
    given = {key: words for key, words in commands.items() if words}
    values = {"name": without_commit(bot.name, bot.commit), **given, "build": shlex.join(bot.build), "games": bot.games}
    tops = dict.fromkeys(name.partition("/")[:2] for name, _ in bot.sources)
    values["files"] = [glob.escape(top) + ("/**/*" if below else "") for top, below in tops]
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def refuse_outside(bot_toml: Path, paths: Sequence[str]) -> None:
    """Refuse files outside of a bot's folder, which no upload has. Raises ConfigError."""
    name = os.path.basename(paths[0])
    raise ConfigError(f"{bot_toml}: {name} lies outside of its folder; copy it into the folder, and leave include out")


def _read(bot: Bot, path: Path) -> PackedContent:
    try:
        with sources.open_source(path, bot.root) as file:
            return PackedContent(file.read(MOST_BYTES + 1), sources.runs(file))
    except OSError as error:
        raise ConfigError(f"{bot.asked_as}: {path.name}: {error.strerror or error}") from None


def unpack(packed: bytes, folder: Path) -> None:
    """Unpack a stream into a new folder, through to the disk. Raises ConfigError, before a file is made, if it breaks a bound."""
    head, at = _head(packed)
    folder.mkdir(mode=0o700)
    for file in head:
        place = folder / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755 if file.runs else 0o644)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(memoryview(packed)[at : at + file.size])
            opened.flush()
            to_disk(opened.fileno())  # the queue forgets the stream once the bot is accepted
        at += file.size


def check_packed(packed: bytes) -> None:
    """Raise ConfigError if a stream breaks a bound, or has no ``MANIFEST``."""
    _head(packed)


def _head(packed: bytes) -> tuple[list[StreamFile], int]:
    head, at = head_of(packed)
    if MANIFEST not in [file.name for file in head]:
        raise ConfigError(f"it has no {MANIFEST}")
    return head, at
