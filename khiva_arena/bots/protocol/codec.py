"""Frames and payloads: u32 big-endian length, then exactly one msgpack map with string
keys, within the profile.

The arbiter's messages are encoded with msgspec. A bot's payload is decoded and checked
in one step by msgspec's typed decoder. A payload that this decoder refuses (an unknown
field, a breach) goes to ``plain_value``. That function reads it with the msgpack
library, the second and independent codec, and names the first breach with its path.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import msgspec

from khiva_arena.bots.protocol.messages import (
    DEPTH_MOST,
    FRAME_MOST_TO_ARBITER,
    FRAME_MOST_TO_BOT,
    INT_MOST,
    Act,
    BotHello,
)
from khiva_arena.common.text import harmless
from khiva_arena.errors import LocalProtocolError, RemoteProtocolError
from khiva_arena.words import count

HEADER = 4
PROTO = 1
T = TypeVar("T", bound=msgspec.Struct)

_encode: Callable[[Any], bytes] = msgspec.msgpack.Encoder().encode
_encode_sorted: Callable[[Any], bytes] = msgspec.msgpack.Encoder(order="sorted").encode
_decode_act = msgspec.msgpack.Decoder(Act).decode
_decode_hello = msgspec.msgpack.Decoder(BotHello).decode
_NOT_TYPED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def encode(message: object) -> bytes:
    """Encode a message for a bot as a whole frame. Raises LocalProtocolError when it
    would be larger than the protocol allows.
    """
    return _frame(_encode(message), message)


def encode_for_module(message: object) -> bytes:
    """Encode a message for a module that pays in ticks, as ``encode``: the keys of
    every map stand in order, see METER.md.
    """
    return _frame(_encode_sorted(message), message)


def _frame(payload: bytes, message: object) -> bytes:
    size = len(payload)
    if size > FRAME_MOST_TO_BOT:
        raise LocalProtocolError(
            f"a {type(message).__name__} of {size} bytes is over the {FRAME_MOST_TO_BOT} a "
            "bot may be sent"
        )
    return size.to_bytes(HEADER, "big") + payload


def encode_raw(value: object, *, for_module: bool = False) -> msgspec.Raw:
    """Encode a value once, to be spliced into many messages. ``for_module``: of
    ``encode_for_module``.
    """
    return msgspec.Raw((_encode_sorted if for_module else _encode)(value))


class FrameReader:
    """A cutter of a bot's byte stream into frames, which looks at lengths alone.

    ``frames`` holds whole payloads in order of arrival. At most one incomplete frame is
    buffered.
    """

    __slots__ = ("_buffer", "frames")

    def __init__(self) -> None:
        self.frames: deque[bytes] = deque()
        self._buffer = b""

    @property
    def partial(self) -> int:
        """The number of bytes of a frame that has begun and not ended."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take in bytes. Raises RemoteProtocolError at the first length that no frame
        may have.
        """
        buffer = self._buffer + data if self._buffer else data
        at, end = 0, len(buffer)
        while end - at >= 1:
            if buffer[at] != 0:
                self._refuse(buffer[at : at + 40])
            if end - at < HEADER:
                break
            size = int.from_bytes(buffer[at : at + HEADER], "big")
            if not 0 < size <= FRAME_MOST_TO_ARBITER:
                raise RemoteProtocolError(
                    f"a frame of {size} bytes; one has 1 to {FRAME_MOST_TO_ARBITER}"
                )
            if end - at < HEADER + size:
                break
            self.frames.append(buffer[at + HEADER : at + HEADER + size])
            at += HEADER + size
        self._buffer = buffer[at:]

    def _refuse(self, start: bytes) -> NoReturn:
        # A legal length is below 2**24, so its first byte is 0: anything else is most
        # often text printed on stdout.
        as_text = "is stdout in text mode? Line ends are being changed or added"
        hint = (
            as_text
            if start[0] in (10, 13)
            else "is something printed on stdout? It belongs on stderr"
        )
        raise RemoteProtocolError(f"not a frame but {start!r} on stdout; {hint}")


def decode_act(payload: bytes) -> Act:
    """Decode a bot's answer. Raises RemoteProtocolError with the first breach."""
    try:
        return _decode_act(payload)
    except _NOT_TYPED:
        return _decode_slowly(payload, Act, "act")


def decode_bot_hello(payload: bytes) -> BotHello:
    """Decode a bot's hello. Raises RemoteProtocolError with the first breach."""
    try:
        hello = _decode_hello(payload)
    except _NOT_TYPED:
        hello = _decode_slowly(payload, BotHello, "hello")
    for field in (hello.name, hello.version):
        if isinstance(field, str) and not (field.isprintable() and field.strip()):
            raise RemoteProtocolError(
                f"the hello's name or version {field!r} is blank or has unprintable characters"
            )
    return hello


def _decode_slowly(payload: bytes, kind: type[T], tag: str) -> T:
    value = plain_value(payload)
    if not isinstance(value, dict):
        raise RemoteProtocolError(f"a frame holds {_article(value)}, not a map")
    if value.get("type") != tag:
        raise RemoteProtocolError(
            f'the message has type {repr(value.get("type"))[:80]}; "{tag}" is expected here'
        )
    fields = {field: value[field] for field in kind.__struct_fields__ if field in value}
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        if kind is BotHello and isinstance(proto := fields.get("proto"), int) and proto != PROTO:
            raise RemoteProtocolError(
                f"{tag}: proto is {proto}, and the one that is spoken here is {PROTO}"
            ) from None
        raise RemoteProtocolError(f"{tag}: {error}") from None


class _Pairs(list[tuple[object, object]]):
    """A map with its duplicate keys, as it was sent: a breach under a key that comes
    again later is still a breach.
    """


class _Wrong(Exception):
    """A breach that is being reported, with its path. The path is made only for a
    breach, not for every value that is read.
    """

    def __init__(self, reason: str, path_most: int | None = None) -> None:
        self.what = reason
        self.path = ""
        self.path_most = path_most


def plain_value(payload: bytes) -> object:
    """Decode one payload and check it against the profile.

    The profile: maps with string keys, no ext, bin, timestamp or float, integers of at
    most 53 bits, at most 16 levels, valid UTF-8, nothing after the value. Of duplicate
    keys the last wins. Raises RemoteProtocolError naming the first breach.
    """
    import msgpack  # not above: most processes never meet such a payload

    try:
        raw = msgpack.unpackb(
            payload,
            object_pairs_hook=_Pairs,
            strict_map_key=False,
            use_list=True,
            unicode_errors="strict",
        )
    # the library names its errors loosely; whatever fails to decode is the bot's breach
    except Exception as error:
        raise RemoteProtocolError(f"not one whole msgpack value: {_why_not(error)}") from None
    try:
        return _plain(raw, 1)
    except _Wrong as wrong:
        raise RemoteProtocolError(
            wrong.what.format(path=f"${wrong.path}"[: wrong.path_most])
        ) from None


def _why_not(error: Exception) -> str:
    """Describe an error of the msgpack library in words of the field: its own names and
    texts say little, or nothing.
    """
    import msgpack

    if isinstance(error, msgpack.ExtraData):
        return f"{count(len(error.extra), 'byte')} more behind it"
    if isinstance(error, msgpack.FormatError):
        return "the byte 0xc1, with which none begins"
    if isinstance(error, msgpack.StackError):
        return "arrays and maps are nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return "a string that is not UTF-8"
    text = str(error)
    if "exceeds max_" in text:
        return "it claims more entries or bytes than its frame has"
    if "incomplete" in text:
        return "its end is missing"
    return f"{type(error).__name__}: {text[:80]}"


def _plain(value: object, depth: int) -> object:
    if isinstance(value, list):
        if depth > DEPTH_MOST:
            raise _Wrong(f"more than {DEPTH_MOST} levels at {{path}}", 80)
        return _plain_map(value, depth) if isinstance(value, _Pairs) else _plain_list(value, depth)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) > INT_MOST:
            raise _Wrong("the integer at {path} is beyond 2**53 - 1")
        return value
    if isinstance(value, bytes):
        raise _Wrong("binary data at {path}; send a string (in Perl: Data::MessagePack->new->utf8)")
    if isinstance(value, float):
        raise _Wrong("a float at {path}; send a whole number as an integer")
    raise _Wrong("an extension type at {path}; the profile has none")


def _plain_list(value: list[object], depth: int) -> list[object]:
    out: list[object] = []
    try:
        for item in value:
            out.append(_plain(item, depth + 1))  # noqa: PERF401  their number says where it went wrong
    except _Wrong as wrong:
        wrong.path = f"[{len(out)}]{wrong.path}"
        raise
    return out


def _plain_map(value: _Pairs, depth: int) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, item in value:
        if not isinstance(key, str):
            raise _Wrong(f"{_article(key)} as a key at {{path}}; keys are strings")
        try:
            out[key] = _plain(item, depth + 1)
        except _Wrong as wrong:
            wrong.path = f".{_safe(key)}{wrong.path}"
            raise
    return out


def _safe(key: str) -> str:
    """Format a bot's key for a message to people: short, and no control character of it
    reaches a terminal.
    """
    beginning = harmless(key[:40])
    return beginning if beginning == key[:40] else f"'{beginning}'"


def _article(value: object) -> str:
    names = {
        bytes: "binary data",
        _Pairs: "a map",
        dict: "a map",
        list: "an array",
        str: "a string",
        type(None): "nil",
    }
    return names.get(
        type(value), f"{'an' if isinstance(value, int) else 'a'} {type(value).__name__}"
    )
