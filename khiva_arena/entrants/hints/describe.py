"""Bytes from a bot in words: decoded if possible, else in hex; and keys that the bot
sends twice.
"""

from collections import Counter
from itertools import islice
from typing import Any

from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER
from khiva_arena.words import count

SHOWN = 240
HEX_SHOWN = 48
KEYS_KEPT, KEY_SHOWN = 5, 40


def in_brief(payload: bytes) -> str:
    """Format a payload for people."""
    import msgpack  # not above, like below: a page has none

    try:
        return _short(repr(msgpack.unpackb(payload, strict_map_key=False)))
    # the library names its errors loosely, and some nest too deep; an unreadable
    # payload is shown as bytes
    except Exception:
        return f"a frame that is not one msgpack value, {as_bytes(payload)}"


def as_bytes(data: bytes) -> str:
    """Format bytes for people: their number, and the first of them as hex, as text too
    if that is what they are.
    """
    cut = data[:HEX_SHOWN]
    dots = " ..." if len(data) > HEX_SHOWN else ""
    text = cut.decode("ascii", "replace")
    readable = sum(letter.isprintable() or letter in "\r\n\t" for letter in text) >= 0.8 * len(text)
    as_text = f" = {text!r}" if readable and "\ufffd" not in text else ""
    return f"{count(len(data), 'byte')}: {cut.hex(' ')}{dots}{as_text}"


def whole_frames(data: bytes | bytearray) -> int:
    """Return the number of bytes of the whole frames at the beginning."""
    at = 0
    while at + HEADER <= len(data):
        size = int.from_bytes(data[at : at + HEADER], "big")
        if not 0 < size <= FRAME_MOST_TO_ARBITER or at + HEADER + size > len(data):
            break
        at += HEADER + size
    return at


def repeated_keys(payload: bytes) -> set[str]:
    """Return the keys that stand twice in one map of a payload, KEYS_KEPT of them at
    most, each in few characters.
    """
    import msgpack

    keys: set[str] = set()

    def pairs(items: list[tuple[Any, Any]]) -> None:
        counts = Counter(repr(key) for key, _ in items)
        twice = (_short(key, KEY_SHOWN) for key, times in counts.items() if times > 1)
        keys.update(islice(twice, KEYS_KEPT - len(keys)))

    try:
        msgpack.unpackb(payload, object_pairs_hook=pairs, strict_map_key=False)
    except (
        Exception
    ):  # the library names its errors loosely; the caller finds that the payload does not decode
        return set()
    return keys


def _short(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text)} characters)"
