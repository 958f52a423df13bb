"""Files as one stream of bytes: for a league's queue, for uploads, and for the
interpreters of modules.

The stream has a head and then the bytes of the files one after another. The head names
every file with its length, so that all bounds are checked before a byte is unpacked.
Nothing is compressed, and the head cannot name links, folders, devices or times.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, NamedTuple

import msgspec

from khiva_arena.common.text import file_name, is_text
from khiva_arena.errors import ConfigError

MAGIC = b"khiva-bot-files-1\n"
MANIFEST = "bot.toml"
ENTRY = ".entry"
"""The end of the name of a file that holds the stream of a bot."""
MOST_BYTES = 64 * 2**20
TOO_LARGE = f"it has more than {MOST_BYTES >> 20} MiB"
MOST_FILES = 500
MOST_DEPTH = 8
MOST_PATH, MOST_PART = 200, 100
"""The most characters of a path, and of each name in it."""
SHOWN = 100
MOST_HEAD = 2**17
LENGTH_BYTES = 4
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-+")


class StreamFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A file in the head of a stream.

    name: its path in the folder, with "/" between parts.
    size: in bytes.
    runs: whether its owner may run it.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_PATH)]
    size: Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)]
    runs: bool


class PackedContent(NamedTuple):
    """The content of a file.

    data: its bytes.
    runs: whether its owner may run it.
    """

    data: bytes
    runs: bool = False


def stream_of(contents: Mapping[str, PackedContent]) -> bytes:
    """Return files as one stream, sorted by name. ``contents``: by path. Raises
    ConfigError if a bound is broken.
    """
    check_texts(contents)
    in_order = sorted(contents.items())
    head = msgspec.msgpack.encode(
        [StreamFile(name, len(content.data), content.runs) for name, content in in_order]
    )
    stream = b"".join(
        [MAGIC, len(head).to_bytes(LENGTH_BYTES), head, *(content.data for _, content in in_order)]
    )
    head_of(stream)  # so that its author hears at once what would be refused
    return stream


def check_texts(paths: Iterable[str]) -> None:
    """Raise ConfigError for the path of a file that no head can hold: one that is no
    UTF-8, or too long. A build may leave such a file, so call this before paths are
    encoded.
    """
    for path in paths:
        if not is_text(path):
            raise ConfigError(
                f"{file_name(path)[:SHOWN]}: the name of this file is no UTF-8; give it "
                "another name"
            )
        if len(path) > MOST_PATH:
            raise ConfigError(
                f"{file_name(path)[:SHOWN]}...: its path has {len(path)} characters, "
                f"{MOST_PATH} at most"
            )


def head_of(stream: bytes) -> tuple[list[StreamFile], int]:
    """Return the files of a stream, and where their bytes begin. Raises ConfigError if
    anything in it is not as it must be.
    """
    if len(stream) > len(MAGIC) + LENGTH_BYTES + MOST_HEAD + MOST_BYTES:
        raise ConfigError(TOO_LARGE)
    if not stream.startswith(MAGIC):
        raise ConfigError("it is no folder of a bot as `khiva-arena submit` sends it")
    at = len(MAGIC) + LENGTH_BYTES
    length = int.from_bytes(stream[len(MAGIC) : at])
    if length > MOST_HEAD or at + length > len(stream):
        raise ConfigError("its list of files is cut short, or too long")
    try:
        head = msgspec.msgpack.decode(stream[at : at + length], type=list[StreamFile])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"its list of files cannot be read: {str(error)[:100]}") from None
    at += length
    check_files(head)
    if sum(file.size for file in head) != len(stream) - at:
        raise ConfigError("its files have other lengths than its list says")
    return head, at


def check_files(files: Sequence[StreamFile]) -> None:
    """Raise ConfigError if files that a stranger packed are too many or too large, or
    if a name could lead to another place.
    """
    if len(files) > MOST_FILES:
        raise ConfigError(f"it has {len(files):,} files, and {MOST_FILES} are the most")
    if sum(file.size for file in files) > MOST_BYTES:
        raise ConfigError(TOO_LARGE)
    _check_names([file.name for file in files])


def check_packed(packed: bytes) -> None:
    """Raise ConfigError if a stream breaks a bound, or has no ``MANIFEST``."""
    head_of_bot(packed)


def head_of_bot(packed: bytes) -> tuple[list[StreamFile], int]:
    """Return what ``head_of`` does. Raises ConfigError also if the files have no
    ``MANIFEST``.
    """
    head, at = head_of(packed)
    if MANIFEST not in [file.name for file in head]:
        raise ConfigError(f"it has no {MANIFEST}")
    return head, at


def _check_names(names: list[str]) -> None:
    """Raise ConfigError for a path that could lead out of the folder, or that another
    system would read as another one.
    """
    for name in names:
        parts = name.split("/")
        shown = ascii(name)[:SHOWN]
        if PurePosixPath(name).is_absolute() or len(parts) > MOST_DEPTH:
            raise ConfigError(
                f"{shown}: a path begins in the folder of the bot, and has {MOST_DEPTH} "
                "parts at most"
            )
        for part in parts:
            if (
                not part.strip(". ")
                or not set(part) <= PLAIN
                or part != part.strip()
                or part.endswith(".")
            ):
                raise ConfigError(
                    f"{shown}: a file's name has letters, digits, spaces and ._-+ only"
                )
            if len(part) > MOST_PART:
                raise ConfigError(f"{shown}: a file's name has {MOST_PART} characters at most")
    folded = [name.casefold() for name in names]
    if len(set(folded)) < len(folded):
        raise ConfigError("two of its files have one name, or names that differ only in case")
    folders = {parent for name in folded for parent in map(str, PurePosixPath(name).parents)}
    if not folders.isdisjoint(folded):
        raise ConfigError("one of its files has the name of a folder in it")
