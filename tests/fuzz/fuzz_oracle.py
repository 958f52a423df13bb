"""What protocol/SPEC.md says of a payload and of a conversation, written down once
more, byte by byte, from the text alone.

Nothing here is shared with the arena's codec and session: where the two differ, one of
them is wrong.
"""

from typing import Any

import msgpack

DEEPEST = 16
LARGEST = 2**53 - 1
LONGEST = 65_536
ACTS_NOBODY_WAITED_FOR = 16


class Breach(Exception):
    """The bytes break the protocol."""


class _Bytes:
    """A payload that is read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise Breach("cut short")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(count), "big", signed=signed)


def value_of(payload: bytes) -> dict[str, Any]:
    """The map in a payload that keeps to the profile of section 3. Raises Breach."""
    source = _Bytes(payload)
    if source.number(1) & 0xF0 != 0x80 and payload[0] not in (0xDE, 0xDF):
        raise Breach("no map")
    source.at = 0
    value = _value(source, 1)
    if source.at != len(payload):
        raise Breach("bytes behind the map")
    assert isinstance(value, dict)
    # A second codec reads the same out of what is accepted.
    assert value == msgpack.unpackb(payload, strict_map_key=False)
    return value


def _value(source: _Bytes, depth: int) -> object:
    tag = source.number(1)
    if tag <= 0x7F:
        return tag
    if tag >= 0xE0:
        return tag - 0x100
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag]
    if 0xCC <= tag <= 0xD3:
        return _integer(source.number(1 << (tag & 3), signed=tag >= 0xD0))
    if (size := _size(source, tag, 0xA0, 31, {0xD9: 1, 0xDA: 2, 0xDB: 4})) is not None:
        return _text(source.take(size))
    if (size := _size(source, tag, 0x90, 15, {0xDC: 2, 0xDD: 4})) is not None:
        _check_depth(depth)
        return [_value(source, depth + 1) for _ in range(size)]
    if (size := _size(source, tag, 0x80, 15, {0xDE: 2, 0xDF: 4})) is not None:
        _check_depth(depth)
        return dict(_pair(source, depth) for _ in range(size))
    raise Breach(f"tag {tag:02x}: bin, float, an extension, or nothing at all")


def _size(source: _Bytes, tag: int, short: int, most: int, long: dict[int, int]) -> int | None:
    if short <= tag <= short + most:
        return tag - short
    return source.number(long[tag]) if tag in long else None


def _pair(source: _Bytes, depth: int) -> tuple[str, object]:
    key = _value(source, DEEPEST + 1)  # a container as a key is a breach at any depth
    if not isinstance(key, str):
        raise Breach("a key that is no string")
    return key, _value(source, depth + 1)


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise Breach("too deep")


def _integer(number: int) -> int:
    if not -LARGEST <= number <= LARGEST:
        raise Breach("beyond 53 bits")
    return number


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Breach("not UTF-8") from None


def act_of(payload: bytes) -> tuple[int, int]:
    """The req and choice of an act. Raises Breach."""
    value = value_of(payload)
    req, choice = value.get("req"), value.get("choice")
    if value.get("type") != "act" or type(req) is not int or type(choice) is not int:
        raise Breach("no act")
    return req, choice


def hello_of(payload: bytes) -> tuple[str, str]:
    """The name and version of a bot's hello, "" where it gave none. Raises Breach."""
    value = value_of(payload)
    proto, name, version, caps = (
        value.get("proto"),
        value.get("name"),
        value.get("version", "-"),
        value.get("caps", []),
    )
    if value.get("type") != "hello" or type(proto) is not int or proto != 1:
        raise Breach("no hello of version 1")
    for text in (name, version):
        if not _short(text) or not text.isprintable() or not text.strip():
            raise Breach("no name that can be shown")
    if not isinstance(caps, list) or not all(_short(cap) for cap in caps):
        raise Breach("no list of capabilities")
    return name, value.get("version", "")


def _short(text: Any) -> bool:
    return isinstance(text, str) and 1 <= len(text) <= 64


class Talk:
    """One seat's conversation as sections 2 and 5 tell it. Outcomes are tuples: a word
    and what belongs to it.
    """

    def __init__(self) -> None:
        self.phase = "NEW"
        self.heard: list[
            bytes | str
        ] = []  # payloads, and at the end perhaps the word for what ended the reading
        self.asked: list[int] = []
        self.dropped = 0
        self.owed = 0
        self._pending = b""

    @property
    def listens(self) -> bool:
        """Whether anything that comes is still read."""
        return self.phase not in ("BROKEN", "ENDED") and not (
            self.heard and isinstance(self.heard[-1], str)
        )

    @property
    def ready(self) -> bool:
        """Whether one whole frame more is there than answers to requests that timed out
        are still to come.
        """
        whole = [item for item in self.heard if isinstance(item, bytes)]
        return len(whole) > self.owed or len(whole) < len(self.heard)

    def receive(self, data: bytes) -> None:
        """Bytes came, however many."""
        self._pending += data if self.listens else b""
        while self.listens and self._pending:
            size = int.from_bytes(self._pending[:4], "big")
            if self._pending[0] != 0 or (len(self._pending) >= 4 and not 1 <= size <= LONGEST):
                self.heard.append("protocol")
            elif len(self._pending) < 4 or len(self._pending) < 4 + size:
                return
            else:
                self.heard.append(self._pending[4 : 4 + size])
                self._pending = self._pending[4 + size :]
                if len(self.heard) > 1 + ACTS_NOBODY_WAITED_FOR - self.dropped:
                    self.heard.append("flooded")

    def open(self) -> tuple[object, ...] | None:
        """Up to the greeting or answer that is awaited, or a breach; None when neither
        is there.
        """
        while self.heard:
            item = self.heard.pop(0)
            found = self._broken(item) if isinstance(item, str) else self._take(item)
            if found is not None:
                return found
        return None

    def _take(self, payload: bytes) -> tuple[object, ...] | None:
        try:
            if self.phase == "GREETING":
                found: tuple[object, ...] = ("greeting", *hello_of(payload))
                self.phase = "IDLE"
                return found
            req, choice = act_of(payload)
        except Breach:
            return self._broken("protocol")
        if self.phase == "ASKED" and req == self.asked[-1]:
            self.phase = "IDLE"
            self.owed = 0
            return ("answer", choice)
        if req not in self.asked:
            return self._broken("protocol")
        self.dropped += 1
        self.owed = max(0, self.owed - 1)
        return self._broken("flooded") if self.dropped > ACTS_NOBODY_WAITED_FOR else None

    def _broken(self, word: str) -> tuple[object, ...]:
        word = "start_failed" if self.phase == "GREETING" else word
        self.phase = "BROKEN"
        self.heard.clear()
        return ("breach", word)
