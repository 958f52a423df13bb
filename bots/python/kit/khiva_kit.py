"""All that a Python bot needs to speak wire protocol 1. A bot is one call:

    from khiva_kit import play

    def choose(decide, match):
        return 0  # an index into decide["legal"]

    play("my-bot", choose)

``match`` is the arbiter's hello: game, rules, seat, seats, seed, time. ``decide`` is one request: kind, view, events, legal,
turn_ms, bank_ms. ``print`` goes to stderr, so it can never break the conversation.
"""

# A bot is started for each match, and most of a start is imports. So there is no typing here, and what the standard library
# has twice is taken from where it loads little.
import operator
import os
import struct
import sys
from collections.abc import Callable
from io import BufferedReader, BufferedWriter

import msgpack

try:
    from _sha2 import sha256  # hashlib loads OpenSSL; the standard library's random avoids that in the same way
except ImportError:
    try:
        from _sha256 import sha256  # before Python 3.12
    except ImportError:
        from hashlib import sha256

FRAME_MOST_FROM_ARBITER = 1_048_576
Message = dict
Choose = Callable[[dict, dict], int]


def play(name: str, choose: Choose, version: str = "") -> None:
    """Play one match: shake hands, answer every ``decide`` with ``choose(decide, match)``, return when the input ends."""
    source, sink = _guarded_pipes()
    match: Message = {}
    while (message := read_frame(source)) is not None:
        kind = message.get("type")
        if kind == "hello":
            match = message
            if 1 not in match.get("protos", ()):
                note(f"the arbiter speaks protocols {match.get('protos')}, this kit speaks 1")
                return
            hello: Message = {"type": "hello", "proto": 1, "name": name}
            write_frame(sink, hello | {"version": version} if version else hello)
        elif kind == "decide":
            req = message["req"]  # before the bot can change it
            choice = choose(message, match)
            write_frame(sink, {"type": "act", "req": req, "choice": _index(choice)})
        elif kind == "fault":
            note(f"fault: {message.get('code')}: {message.get('detail')} (strikes: {message.get('strikes')})")
        # After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.


def _index(choice: object) -> int:
    """Return what ``choose`` returned as the index that is sent. Raises TypeError."""
    try:
        return operator.index(choice)
    except TypeError:
        raise TypeError(f"choose returned {choice!r:.200}, want an index into legal") from None


def note(*words: object) -> None:
    """Say something to the people who run the bot, on stderr."""
    print(*words, file=sys.stderr, flush=True)


class Lottery:
    """Chance that a replay repeats: equal parts give equal numbers, on every machine and Python version.

    ``Lottery(match["seed"], decide["view"])`` makes a choice depend on the seed and the view alone, which is what the arena
    needs to play a match again. The parts are anything JSON can hold; the order of keys does not matter.
    """

    def __init__(self, *parts: object) -> None:
        self.secret = sha256(_as_json(parts).encode()).digest()
        self._drawn = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, each equally likely."""
        while True:
            block = sha256(self.secret + self._drawn.to_bytes(8, "big")).digest()
            self._drawn += 1
            x = int.from_bytes(block[:8], "big")
            # Numbers beyond the last whole multiple of n would favour the small ones.
            if x < 2**64 - 2**64 % n:
                return x % n


def _as_json(parts: tuple) -> str:
    """What ``json.dumps(parts, sort_keys=True)`` makes, by the same means."""
    try:
        from _json import encode_basestring_ascii, make_encoder  # json loads re and much else for its decoder

        return "".join(make_encoder({}, None, encode_basestring_ascii, None, ": ", ", ", True, False, True)(parts, 0))
    except (ImportError, TypeError):
        from json import dumps

        return dumps(parts, sort_keys=True)


def read_frame(source: BufferedReader) -> Message | None:
    """The next message, or None at the end of input."""
    header = source.read(4)
    if len(header) < 4:
        return None
    (size,) = struct.unpack(">I", header)
    if not 0 < size <= FRAME_MOST_FROM_ARBITER:
        raise ValueError(f"a frame of {size} bytes")
    payload = source.read(size)
    if len(payload) < size:
        return None
    message: Message = msgpack.unpackb(payload)
    return message


def write_frame(sink: BufferedWriter, message: Message) -> None:
    """Send one message, at once."""
    payload = msgpack.packb(message)
    sink.write(struct.pack(">I", len(payload)) + payload)
    sink.flush()


def _guarded_pipes() -> tuple[BufferedReader, BufferedWriter]:
    """The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink
