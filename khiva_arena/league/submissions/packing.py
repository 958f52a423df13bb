"""A folder's files as one stream of bytes, for the queue and for uploads.

The stream has a head and then the bytes of the files one after another. The head names every file with its length, so that all
bounds are checked before a byte is unpacked. Nothing is compressed, and the head cannot name links, folders or devices.
"""

import glob
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple

import msgspec

from khiva_arena.entrants import sources
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.store.new_file import to_disk

MAGIC = b"khiva-bot-files-1\n"
MOST_BYTES = 64 * 2**20
MOST_FILES = 500
MOST_DEPTH = 8
MOST_HEAD = 2**17
LENGTH_BYTES = 4
MANIFEST = "bot.toml"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-+")


class StreamFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A file in the head of a stream.

    name: its path in the folder, with "/" between parts.
    size: in bytes.
    runs: whether its owner may run it.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    size: Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)]
    runs: bool


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
    in_order = sorted(contents.items())
    head = msgspec.msgpack.encode([StreamFile(name, len(content.data), content.runs) for name, content in in_order])
    packed = b"".join([MAGIC, len(head).to_bytes(LENGTH_BYTES), head, *(content.data for _, content in in_order)])
    check_packed(packed)  # so that its author hears at once what would be refused
    return packed


def _manifest(bot: Bot) -> str:
    """Return a bot.toml for a bot's staged files. It holds no author: the league knows whose bot it is."""
    files = {key: file for key, file in (("module", bot.module), ("payload", bot.payload)) if file}
    commands = files or {"run": shlex.join(bot.run)}
    values = {"name": bot.name, **commands, "build": shlex.join(bot.build), "games": bot.games}
    tops = dict.fromkeys(name.partition("/")[:2] for name, _ in bot.sources)
    values["files"] = [glob.escape(top) + ("/**/*" if below else "") for top, below in tops]
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def refuse_outside(bot_toml: Path, paths: Sequence[str]) -> None:
    """Refuse files outside of a bot's folder, which no upload has. Raises ConfigError."""
    name = os.path.basename(paths[0])
    raise ConfigError(f"{bot_toml}: {name} lies outside of its folder; copy it into the folder, and leave include out")


class PackedContent(NamedTuple):
    """The content of a file.

    data: its bytes.
    runs: whether its owner may run it.
    """

    data: bytes
    runs: bool


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
    """Raise ConfigError if a stream breaks a bound."""
    _head(packed)


def _head(packed: bytes) -> tuple[list[StreamFile], int]:
    """Return the files of a stream, and where their bytes begin. Raises ConfigError if anything in it is not as it must be."""
    if len(packed) > len(MAGIC) + LENGTH_BYTES + MOST_HEAD + MOST_BYTES:
        raise ConfigError(f"it has more than {MOST_BYTES >> 20} MiB")
    if not packed.startswith(MAGIC):
        raise ConfigError("it is no folder of a bot as `khiva-arena submit` sends it")
    at = len(MAGIC) + LENGTH_BYTES
    length = int.from_bytes(packed[len(MAGIC) : at])
    if length > MOST_HEAD or at + length > len(packed):
        raise ConfigError("its list of files is cut short, or too long")
    try:
        head = msgspec.msgpack.decode(packed[at : at + length], type=list[StreamFile])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"its list of files cannot be read: {str(error)[:100]}") from None
    at += length
    if len(head) > MOST_FILES:
        raise ConfigError(f"it has {len(head):,} files, and {MOST_FILES} are the most")
    if sum(file.size for file in head) != len(packed) - at:
        raise ConfigError("its files have other lengths than its list says")
    _check_names([file.name for file in head])
    return head, at


def _check_names(names: list[str]) -> None:
    """Raise ConfigError for a path that could lead out of the folder, or that another system would read as another one."""
    for name in names:
        parts = name.split("/")
        shown = ascii(name)[:100]
        if PurePosixPath(name).is_absolute() or len(parts) > MOST_DEPTH:
            raise ConfigError(f"{shown}: a path begins in the folder of the bot, and has {MOST_DEPTH} parts at most")
        for part in parts:
            if not part.strip(". ") or not set(part) <= PLAIN or part != part.strip() or part.endswith(".") or len(part) > 100:
                raise ConfigError(f"{shown}: a file's name has letters, digits, spaces and ._-+ only")
    folded = [name.casefold() for name in names]
    if len(set(folded)) < len(folded):
        raise ConfigError("two of its files have one name, or names that differ in case alone")
    folders = {parent for name in folded for parent in map(str, PurePosixPath(name).parents)}
    if not folders.isdisjoint(folded):
        raise ConfigError("one of its files has the name of a folder in it")
    if MANIFEST not in names:
        raise ConfigError(f"it has no {MANIFEST}")
