"""The work of ``khiva-arena decode``: captured frames as readable lines."""

import json
import select
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import click

from khiva_arena.arbiter.transcript import (
    Cutter,
    Piece,
    breach,
    compact,
    in_hex,
    message_of,
    type_of,
)
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER, FRAME_MOST_TO_BOT
from khiva_arena.common.text import harmless
from khiva_arena.errors import ConfigError, RemoteProtocolError

CHUNK = 65_536
HEX = frozenset(b"0123456789abcdefABCDEF")
SPACE = frozenset(b" \t\r\n")


def decode(files: tuple[Path, ...], as_hex: bool, way: str | None, as_json: bool) -> int:
    """Print the frames of each file. Returns the exit code."""
    from_bot = None if way is None else way == "to-arbiter"
    mistakes = 0
    for file in files or (None,):
        if len(files) > 1 and not as_json:
            click.echo(harmless(f"{file}:"))
        mistakes += _decode(file, as_hex, from_bot, as_json)
    return 1 if mistakes else 0


def _decode(file: Path | None, as_hex: bool, from_bot: bool | None, as_json: bool) -> int:
    """Print the frames of one file. Returns how many pieces of it are wrong."""
    cutter = Cutter(FRAME_MOST_TO_ARBITER if from_bot else FRAME_MOST_TO_BOT)
    mistakes = number = 0
    for piece in _pieces(cutter, _bytes(file, as_hex)):
        number += 1
        mistakes += _print(str(file or "-"), number, piece, from_bot, as_json)
    if not number:
        raise ConfigError(f"{file or 'stdin'}: nothing in it")
    return mistakes


def _pieces(cutter: Cutter, data: Iterator[bytes]) -> Iterator[Piece]:
    for chunk in data:
        yield from cutter.feed(chunk)
    yield from cutter.end()


def _print(file: str, number: int, piece: Piece, from_bot: bool | None, as_json: bool) -> bool:
    """Print one piece in a line. Returns whether it is wrong."""
    problem, tag, message = piece.wrong, "", None
    if not problem:
        try:
            message = message_of(piece.data)
            problem, tag = breach(piece.data, message, from_bot), type_of(message)
        except RemoteProtocolError as error:
            problem = error.detail
    if as_json:
        place = {"file": file, "number": number, "offset": piece.offset, "length": piece.length}
        content = {"message": message} if message is not None else {"hex": piece.data.hex()}
        click.echo(json.dumps({**place, **content, "wrong": problem}))
        return bool(problem)
    what_text = f"{tag} {compact(message)}" if message is not None else in_hex(piece)
    click.echo(
        f"{number:>5} {piece.offset:>9} {piece.length:>8}  "
        + (f"WRONG {problem}: " if problem else "")
        + what_text
    )
    return bool(problem)


# --- the input ---


def _bytes(file: Path | None, as_hex: bool) -> Iterator[bytes]:
    """Yield the bytes, a chunk at a time. Raises ConfigError if they cannot be read, or
    are not hex after all.
    """
    name = str(file or "stdin")
    try:
        if file is None:
            if sys.stdin is None:
                raise ConfigError("stdin is closed; name a file")
            yield from _read(sys.stdin.buffer, name, as_hex)
        else:
            with file.open("rb") as stream:
                yield from _read(stream, name, as_hex)
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror or error}") from None


def _read(source: BinaryIO, name: str, as_hex: bool) -> Iterator[bytes]:
    chunks = iter(lambda: _chunk(source), b"")
    first = next(chunks, b"")
    # A frame begins with a byte 0, so text of hex digits alone is not a frame.
    if not as_hex and not set(first) <= HEX | SPACE:
        yield first
        yield from chunks
        return
    digits, offset = b"", 0
    for chunk in chain([first], chunks):
        digits += bytes(byte for byte in chunk if byte not in SPACE)
        if not set(digits) <= HEX:
            at = next(at for at, byte in enumerate(digits) if byte not in HEX)
            raise ConfigError(
                f"{name}: {chr(digits[at])!a} after {offset + at // 2} bytes in hex is not "
                "a hex digit"
            )
        even = len(digits) // 2 * 2
        yield bytes.fromhex(digits[:even].decode())
        offset += even // 2
        digits = digits[even:]
    if digits:
        raise ConfigError(f"{name}: the hex ends in the middle of a byte")


def _chunk(source: BinaryIO) -> bytes:
    """Return the next bytes, b"" at the end. The process that gave us stdin may have
    made it one that does not block.
    """
    while True:
        data: bytes | None = source.read(CHUNK)
        if data is not None:
            return data
        select.select([source], [], [])
