"""The files that a zip or a tar lists. A stranger made it: its size, list and headers
are bounded, and nothing is written.

A zip is read by Python's zipfile once its list is known to be short. A tar is read
here, in one pass. Python's tarfile takes a damaged end for the end, and follows headers
that have headers.
"""

import gzip
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from khiva_arena.common.text import harmless
from khiva_arena.entrants.archive import MOST_BYTES, SHOWN, TOO_LARGE
from khiva_arena.errors import ConfigError

MOST_ENTRIES = 5_000
"""Files, folders and all else that an archive lists, with hidden files, which are not
unpacked.
"""
BLOCK = 512
MOST_DATA = MOST_BYTES + 4 * BLOCK * MOST_ENTRIES
"""Bytes of a tar, and of any archive as it lies on the disk."""
PIECE = 1 << 20
FOLDER = "a folder"
CACHES = frozenset(("__pycache__", "__MACOSX"))
"""Folders that programs and systems add."""
KINDS = {stat.S_IFREG: "", 0: "", stat.S_IFDIR: FOLDER, stat.S_IFLNK: "a link"}
"""The kinds of entries of a zip by the type bits of their modes, which are 0 if no Unix
made it.
"""
TAR_KINDS = {
    **dict.fromkeys((b"0", b"\0", b"7"), ""),
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"5": FOLDER,
    b"6": "a pipe",
    b"S": "a sparse file",
}
WITHOUT_BYTES = frozenset((b"1", b"2", b"3", b"4", b"5", b"6"))
GLOBAL, NEXT, LONG_NAME, LONG_TARGET = b"g", b"x", b"L", b"K"
LONGEST_HEADER = 1 << 16
_FOOT = struct.Struct("<4s4H2LH")
_FOOT_MARK = b"PK\5\6"
_LARGE_MARK, _LARGE_SIZE = b"PK\6\7", 20
_LONGEST_COMMENT = 65_535
_MOST_LIST = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    RuntimeError,
)


class ArchiveEntry(NamedTuple):
    """An entry of an archive.

    name: its path as the archive has it.
    size: in bytes as the archive says.
    runs: whether its owner may run it.
    kind: words for anything but a file; "" for a file.
    pieces: opens it, and yields its bytes.
    """

    name: str
    size: int
    runs: bool
    kind: str
    pieces: Callable[[], Iterator[bytes | memoryview]]


def entries_of(data: bytes, *, is_zip: bool) -> list[ArchiveEntry]:
    """Return the entries of an archive. Raises ConfigError if it is damaged, or lists
    more than is read.
    """
    with _damage_in_words():
        return _zip_entries(data) if is_zip else _tar_entries(_unzipped(data))


@contextmanager
def _damage_in_words() -> Iterator[None]:
    """Raise each error of a damaged archive as a ConfigError."""
    try:
        yield
    except _DAMAGE as error:
        raise ConfigError(
            f"it is damaged: {harmless(str(error), 100) or 'it is cut short'}"
        ) from None


def plain_files(data: bytes, *, is_zip: bool) -> list[tuple[tuple[str, ...], ArchiveEntry]]:
    """Return the files of an archive, each with the parts of its path; hidden ones, and
    those of caches, are left out.

    Raises ConfigError as ``entries_of`` does, for a path that leads out of the
    archive's folder, and for a link and its like.
    """
    entries = [(_parts(entry), entry) for entry in entries_of(data, is_zip=is_zip)]
    files = [
        (parts, entry)
        for parts, entry in entries
        if entry.kind != FOLDER and not _is_left_out(parts)
    ]
    for _, entry in files:
        if entry.kind:
            raise ConfigError(
                f"{_shown(entry)} is {entry.kind}; pack plain files, without a password"
            )
    return files


def _parts(entry: ArchiveEntry) -> tuple[str, ...]:
    """Return the parts of an entry's path. Raises ConfigError if it leads out of the
    archive's folder.
    """
    parts = tuple(part for part in entry.name.split("/") if part not in ("", "."))
    if entry.name.startswith("/") or ".." in parts or not (parts or entry.kind):
        raise ConfigError(f"{_shown(entry)} leads out of the bot's folder")
    return parts


def _shown(entry: ArchiveEntry) -> str:
    return ascii(entry.name)[:SHOWN]


def _is_left_out(parts: Sequence[str]) -> bool:
    """Tell whether an entry is hidden or in a cache, and so is never part of a bot."""
    return any(part.startswith(".") or part in CACHES for part in parts)


def exactly(entry: ArchiveEntry) -> Iterator[bytes | memoryview]:
    """Yield the bytes of an entry. Raises ConfigError if they are damaged, or are more
    or fewer than the archive says.
    """
    left = entry.size
    with _damage_in_words():
        for piece in entry.pieces():
            left -= len(piece)
            if left < 0:
                break
            yield piece
        if left:
            raise ValueError("a file has another length than its list says")


def _check_count(count: int) -> None:
    if count > MOST_ENTRIES:
        raise ConfigError(f"it has {count:,} entries, {MOST_ENTRIES:,} at most")


# --- zip ---


def _zip_entries(data: bytes) -> list[ArchiveEntry]:
    _check_list(data)
    archive = zipfile.ZipFile(io.BytesIO(data))
    _check_count(len(archive.infolist()))
    return [_zip_entry(archive, info) for info in archive.infolist()]


def _check_list(data: bytes) -> None:
    """Raise ConfigError if the list of a zip is too long to be read, and ValueError if
    its end names none.
    """
    place = data.rfind(_FOOT_MARK, max(0, len(data) - _LONGEST_COMMENT - _FOOT.size))
    if place < 0 or place + _FOOT.size > len(data):
        raise ValueError("it is no zip, or its end is missing")
    size = _FOOT.unpack_from(data, place)[5]
    if data[max(0, place - _LARGE_SIZE) : place].startswith(_LARGE_MARK):
        raise ConfigError("it has the form for huge archives, zip64; pack it anew")
    if size > _MOST_LIST:
        raise ConfigError(f"its list of files has more than {_MOST_LIST >> 20} MiB")


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    mode = info.external_attr >> 16
    kind = KINDS.get(stat.S_IFMT(mode), "a device or a pipe") or (
        FOLDER if info.orig_filename.endswith("/") else ""
    )
    if not kind and info.flag_bits & 1:
        kind = "encrypted"
    if not kind and info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        kind = "compressed by another method than deflate"
    return ArchiveEntry(
        info.orig_filename,
        info.file_size,
        bool(mode & stat.S_IXUSR),
        kind,
        partial(_zip_pieces, archive, info),
    )


def _zip_pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as stream:
        while piece := stream.read(PIECE):
            yield piece


# --- tar ---


def _unzipped(data: bytes) -> bytes:
    """Return the bytes of a tar, which gzip may have compressed. Raises ConfigError if
    they are too many.
    """
    if data.startswith(b"\x1f\x8b"):
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_DATA + 1)
    if len(data) > MOST_DATA:
        raise ConfigError(TOO_LARGE)
    return data


class _Header(NamedTuple):
    """A header of a tar, and the place of the bytes behind it."""

    name: bytes
    kind: bytes
    runs: bool
    start: int
    size: int


def _tar_entries(data: bytes) -> list[ArchiveEntry]:
    found: list[ArchiveEntry] = []
    at, headers, long_name = 0, 0, b""
    while (header := _header(data, at)) is not None:
        headers += 1
        _check_count(headers // 3)  # an entry may have two headers before its own
        size = 0 if header.kind in WITHOUT_BYTES else header.size
        body = memoryview(data)[header.start : header.start + size]
        if len(body) < size:
            raise EOFError
        at = header.start + -(-size // BLOCK) * BLOCK
        if header.kind in (GLOBAL, LONG_TARGET):
            continue
        if header.kind in (NEXT, LONG_NAME):
            if size > LONGEST_HEADER:
                raise ValueError("a header is too long")
            long_name = (
                bytes(body).rstrip(b"\0")
                if header.kind == LONG_NAME
                else _path_of(bytes(body)) or long_name
            )
            continue
        name = (long_name or header.name).decode("utf-8", "backslashreplace")
        kind = TAR_KINDS.get(header.kind, "of an unknown kind") or (
            FOLDER if name.endswith("/") else ""
        )
        found.append(ArchiveEntry(name, size, header.runs, kind, partial(iter, (body,))))
        long_name = b""
    return found


def _header(data: bytes, at: int) -> _Header | None:
    """Return the header at a place of a tar; None at its end. Raises EOFError and
    ValueError if there is none.
    """
    block = data[at : at + BLOCK]
    if len(block) < BLOCK:
        raise EOFError
    if not any(block):
        return None
    if _octal(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise ValueError("it is no tar, or a header is damaged")
    name, prefix = (field.split(b"\0", 1)[0] for field in (block[:100], block[345:500]))
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    runs = bool(_octal(block[100:108]) & stat.S_IXUSR)
    return _Header(name, block[156:157], runs, at + BLOCK, _octal(block[124:136]))


def _octal(field: bytes) -> int:
    digits = field.split(b"\0", 1)[0].strip(b" ")
    if not set(digits) <= set(b"01234567"):
        raise ValueError("a number in a header is damaged, or too large")
    return int(digits or b"0", 8)


def _path_of(records: bytes) -> bytes:
    """Return the path in the records of a header for the next entry, b"" if they have
    none. Raises ValueError for records that say that its bytes are others than those
    behind it.
    """
    at, path = 0, b""
    while at < len(records):
        space = records.index(b" ", at)
        length = int(records[at:space]) if records[at:space].isdigit() and space - at < 7 else 0
        key, _, value = records[space + 1 : at + length - 1].partition(b"=")
        if at + length <= space + 1 or at + length > len(records):
            raise ValueError("a header is damaged")
        if key == b"size" or key.startswith(b"GNU.sparse."):
            raise ValueError("it has a sparse or a huge file")
        path, at = (value if key == b"path" else path), at + length
    return path
