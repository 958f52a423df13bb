"""Frames as lines for people: a stream of bytes is cut into pieces, each with its
error. No I/O.

Unlike ``FrameReader``, which ends at the first invalid length, this continues at the
next place at which a frame may begin, and it reads both directions.
"""

import json
import re
from typing import Any

import msgspec

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.bots.protocol.messages import FROM_ARBITER
from khiva_arena.common.text import harmless
from khiva_arena.errors import RemoteProtocolError

SHOWN_BYTES = 32
SKIPPED_MOST = 1 << 20
"""Most bytes that are not a frame in one piece."""
_NOT_ZERO = re.compile(rb"[^\0]")
_TO_BOT: dict[str, Any] = {str(kind.__struct_config__.tag): kind for kind in FROM_ARBITER}
_FROM_BOT = {"hello": codec.decode_bot_hello, "act": codec.decode_act}


class Piece(msgspec.Struct, frozen=True):
    """A frame, or bytes that are not a frame.

    offset, length: in bytes of the stream, a frame's header included.
    data: the payload, or the first of the bytes that are not a frame.
    wrong: why it is not a frame, "" if it is.
    """

    offset: int
    length: int
    data: bytes
    wrong: str = ""


class Cutter:
    """A cutter of the bytes of one direction into pieces. It holds one incomplete frame
    at most. ``most``: bytes of a payload.
    """

    def __init__(self, size_most: int) -> None:
        self._size_most = size_most
        self._buffer = bytearray()
        self._offset = 0
        self._skipped_size = 0
        self._first = b""
        self._lost = self._went_wrong = self._goes_on = False

    def feed(self, data: bytes) -> list[Piece]:
        """Take in bytes. Return the pieces that they complete."""
        self._buffer += data
        pieces: list[Piece] = []
        at = 0
        while at < len(self._buffer):
            if self._lost:
                at, begins = self._skip(at)
                full = self._skipped_size == SKIPPED_MOST
                if self._skipped_size and (begins or full):
                    pieces.append(self._no_frame(at))
                if not begins and not full:
                    break
                self._lost = self._goes_on = not begins
                if full:
                    continue
            end = self._frame_end(at)
            if end is None:
                break
            if end:
                pieces.append(
                    Piece(self._offset + at, end - at, bytes(self._buffer[at + HEADER : end]))
                )
                at = end
        del self._buffer[:at]
        self._offset += at
        return pieces

    def end(self) -> list[Piece]:
        """Return the incomplete piece at the end of the stream, [] if there is none."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        if self._lost:
            self._keep(rest)
            return [self._no_frame(len(rest))] if self._skipped_size else []
        if not rest:
            return []
        size = (
            f"of {int.from_bytes(rest[:HEADER], 'big')} bytes"
            if len(rest) >= HEADER
            else "whose length is not whole"
        )
        wrong = (
            f"a frame {size} has begun; {max(0, len(rest) - HEADER)} bytes of it came, then no more"
        )
        return [Piece(self._offset, len(rest), rest[:SHOWN_BYTES], wrong)]

    def _frame_end(self, at: int) -> int | None:
        """Return where the frame at ``at`` ends; None if that is not known or not here
        yet, 0 if none begins here.
        """
        begin = bytes(self._buffer[at : at + HEADER])
        size = int.from_bytes(begin, "big")
        if begin[0] or (len(begin) == HEADER and not 0 < size <= self._size_most):
            self._lost = self._went_wrong = True
            return 0
        end = at + HEADER + size
        return end if len(begin) == HEADER and end <= len(self._buffer) else None

    def _skip(self, at: int) -> tuple[int, bool]:
        """Pass over bytes up to where a frame may begin: a length in bounds, and a map
        behind it.

        Return the position, and True if a frame may begin there. Otherwise more bytes
        are needed to know, or the piece is as large as one may be.
        """
        buffer, begin = self._buffer, at
        at += self._went_wrong  # none begins there
        self._went_wrong = begins = False
        while not begins and (at := buffer.find(0, at)) >= 0 and len(buffer) - at > HEADER:
            size = int.from_bytes(buffer[at : at + HEADER], "big")
            begins = 0 < size <= self._size_most and _begins_map(buffer[at + HEADER])
            at = at + (not begins) if size else _last_of_zeros(buffer, at)
        if at < 0:
            at = len(buffer)
        if at - begin > SKIPPED_MOST - self._skipped_size:
            at, begins = begin + SKIPPED_MOST - self._skipped_size, False
        self._keep(bytes(buffer[begin:at]))
        return at, begins

    def _keep(self, data: bytes) -> None:
        self._first = (self._first + data[:SHOWN_BYTES])[:SHOWN_BYTES]
        self._skipped_size += len(data)

    def _no_frame(self, at: int) -> Piece:
        piece = Piece(
            self._offset + at - self._skipped_size, self._skipped_size, self._first, self._why()
        )
        self._skipped_size, self._first = 0, b""
        return piece

    def _why(self) -> str:
        """Describe the error in a length, by the bytes that stand in its place."""
        start = self._first
        if self._goes_on:
            return "still not a frame"
        if start[0] in b"\r\n":
            return (
                f"not a frame but {start!r}: line ends that were added or changed? The stream "
                "must be in binary mode"
            )
        if start[0] and all(32 <= byte < 127 or byte in b"\t\r\n" for byte in start):
            return f"not a frame but {start!r}: text; only frames may stand here"
        if len(start) < HEADER:
            return f"not a frame: a length that begins with {start[0]}; the first byte of one is 0"
        return (
            f"not a frame: a length of {int.from_bytes(start[:HEADER], 'big')} bytes; one has "
            f"1 to {self._size_most}"
        )


def _last_of_zeros(buffer: bytearray, at: int) -> int:
    """Return the first place behind ``at`` where a length other than 0 can begin. At
    ``at`` stands a length of 0.
    """
    other = _NOT_ZERO.search(buffer, at)
    return (other.start() if other else len(buffer) - 1) - HEADER + 1


def _begins_map(byte: int) -> bool:
    return 0x80 <= byte <= 0x8F or byte in (0xDE, 0xDF)


def message_of(payload: bytes) -> dict[str, Any]:
    """Return the message that a payload holds. Raises RemoteProtocolError with the
    first rule of the profile that it breaks.
    """
    value = codec.plain_value(payload)
    if not isinstance(value, dict):
        raise RemoteProtocolError("a frame that holds no map")
    return value


def breach(payload: bytes, message: dict[str, Any], from_bot: bool | None) -> str:
    """Return the rule of its own that a message within the profile breaks, "" if none.

    from_bot: None if the direction is not known; then the fields show it
    """
    tag = message.get("type")
    if not isinstance(tag, str):
        return "no string type"
    if from_bot is None:
        from_bot = tag == "act" or (tag == "hello" and "protos" not in message)
    try:
        if from_bot:
            if tag not in _FROM_BOT:
                return f'a message of type {type_of(message)}; a bot sends only "hello" and "act"'
            _FROM_BOT[tag](payload)
        elif tag in _TO_BOT:
            kind = _TO_BOT[tag]
            msgspec.convert(
                {
                    field: message[field]
                    for field in ("type", *kind.__struct_fields__)
                    if field in message
                },
                kind,
            )
    except (RemoteProtocolError, msgspec.ValidationError) as error:
        text = str(error)
        return text if from_bot else f"{tag}: {text}"
    return ""


def compact(message: dict[str, Any], limit: int | None = None) -> str:
    """Format a message as one line of JSON without its type, ASCII alone; cut at
    ``limit`` characters with how many were cut.
    """
    text = json.dumps(
        {key: value for key, value in message.items() if key != "type"}, separators=(",", ":")
    )
    return (
        text
        if limit is None or len(text) <= limit
        else f"{text[:limit]}... (+{len(text) - limit} characters)"
    )


def type_of(message: dict[str, Any]) -> str:
    """Return the type of a message as one printable word."""
    tag = message.get("type")
    return (
        tag
        if isinstance(tag, str) and tag.isidentifier() and tag.isascii()
        else harmless(repr(tag)[:40])
    )


def in_hex(piece: Piece) -> str:
    """Format the first bytes of a piece in hex, with how many more there are."""
    hidden = (piece.length if piece.wrong else len(piece.data)) - SHOWN_BYTES
    return piece.data[:SHOWN_BYTES].hex() + (f"... (+{hidden} bytes)" if hidden > 0 else "")
