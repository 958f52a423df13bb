"""Makes protocol/vectors/frames.json: golden frames for every rule of the framing, the
msgpack profile and the messages.

    python tests/bots/protocol/make_frames.py           names the files that differ
                                                        from what is made here; exit 1
                                                        if there are any
    python tests/bots/protocol/make_frames.py --write   writes them

As a command it makes what the modules beside it make, too: sessions, conversations,
transcripts, the generated parts of pages; and the choices of
tests/shipped_bots/make_choices.py. Frames that no encoder would make are put together
by hand, byte by byte; the others come from the ``msgpack`` library.
"""

import json
import runpy
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack

SUPPORT = str(Path(__file__).parents[2] / "support")
if SUPPORT not in sys.path:  # as a command, not under pytest
    sys.path.append(SUPPORT)

from golden import ROOT, VECTORS, framed, settle, widest  # noqa: E402
from jobs import SECRET  # noqa: E402

from khiva_arena.games.khiva import GAME  # noqa: E402
from khiva_arena.records.replay import seeds  # noqa: E402

FILE = VECTORS / "frames.json"
BIG = 2**53 - 1
REQ = 1_234_567

TO_ARBITER, TO_BOT = "to_arbiter", "to_bot"
MATCH, SEATS = "example-1", 2


def requests(kind: str) -> list[dict[str, Any]]:
    """What seat 0 is asked of one kind in the match of these frames, in which all play
    the last choice.

    Each has kind, view, events and legal. With two seats ``play_pass`` has 420 choices,
    then 90, then 6.
    """
    state, events = GAME.new(SEATS, GAME.rules({}), SECRET)
    heard: list[dict[str, Any]] = []
    found = []
    while not state.is_over:
        heard += [event.data for event in events if event.to is None or 0 in event.to]
        pending = state.pending()
        if 0 in pending:
            asked = pending[0]
            if asked.kind == kind:
                found.append(
                    {
                        "kind": kind,
                        "view": state.view(0),
                        "events": heard,
                        "legal": [list(entry) for entry in asked.legal],
                    }
                )
            heard = []
        events = state.apply({seat: len(decision.legal) - 1 for seat, decision in pending.items()})
    return found


ARBITER_HELLO = {
    "type": "hello",
    "protos": [1],
    "caps": [],
    "game": "khiva",
    "rules": GAME.rules({}),
    "rules_version": GAME.rules_version,
    "match": MATCH,
    "seat": 0,
    "seats": SEATS,
    "seed": BIG,
    "time": {"startup_ms": 10_000, "turn_ms": 1_000, "bank_ms": 10_000},
    "commit": seeds.commitment(MATCH, SECRET),
}
MANY, _, FEW = (
    {"type": "decide", "req": REQ, "turn_ms": 1_000, "bank_ms": 10_000} | asked
    for asked in requests("play_pass")[:3]
)
"""Two whole requests, with 420 choices and with 6."""


def later(request: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A request with an event of a type that no game has yet, which may hold anything;
    its view stays one of the game.
    """
    return {**request, "events": [*request["events"], {"type": "later", **fields}]}


def make() -> list[dict[str, Any]]:
    """All vectors, in the order of the file."""
    vectors: list[dict[str, Any]] = []

    def add(
        name: str,
        direction: str,
        message: str,
        payload: bytes,
        value: Any,
        reason: str,
        frame: bytes | None = None,
    ) -> None:
        vectors.append(
            {
                "name": name,
                "direction": direction,
                "message": message,
                "verdict": "reject" if value is REJECT else "accept",
                "reason": reason,
                "json": None if value is REJECT else value,
                "hex": (framed(payload) if frame is None else frame).hex(),
            }
        )

    _acts(add)
    _hellos(add)
    _profile(add)
    _framing(add)
    _to_bot(add)
    return vectors


REJECT = object()
Add = Callable[..., None]


def pairs(*items: Any) -> bytes:
    """A map of the items, key value key value; bytes stand for what they are, already
    encoded.
    """
    return bytes([0x80 + len(items) // 2]) + b"".join(
        i if isinstance(i, bytes) else msgpack.packb(i) for i in items
    )


def act(choice: Any = 5, *more: Any, req: Any = REQ) -> bytes:
    return pairs("type", "act", "req", req, "choice", choice, *more)


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


ACT = {"type": "act", "req": REQ, "choice": 5}
HELLO = {"type": "hello", "proto": 1, "name": "my-bot"}


def _acts(add: Add) -> None:
    def good(name: str, payload: bytes, reason: str, value: Any = ACT) -> None:
        add("act-" + name, TO_ARBITER, "act", payload, value, reason)

    def bad(name: str, payload: bytes, reason: str) -> None:
        add("act-" + name, TO_ARBITER, "act", payload, REJECT, reason)

    good("plain", act(), "the shortest encodings")
    shuffled = pairs("choice", 5, "req", REQ, "type", "act")
    good("keys-shuffled", shuffled, "the order of keys means nothing")
    good("map16", b"\xde\x00\x03" + act()[1:], "longer encodings than needed are accepted: map16")
    good("map32", b"\xdf\x00\x00\x00\x03" + act()[1:], "map32")
    for tag, width, name in ((0xD9, ">B", "str8"), (0xDA, ">H", "str16"), (0xDB, ">I", "str32")):
        words = [
            bytes([tag]) + struct.pack(width, len(w)) + w
            for w in (b"type", b"act", b"req", b"choice")
        ]
        payload = pairs(words[0], words[1], words[2], REQ, words[3], 5)
        good(name, payload, f"{name} for keys and values")
    for number in (
        "cc 05",
        "cd 00 05",
        "ce 00 00 00 05",
        "cf 00 00 00 00 00 00 00 05",
        "d0 05",
        "d1 00 05",
        "d2 00 00 00 05",
        "d3 00 00 00 00 00 00 00 05",
    ):
        data = bytes.fromhex(number)
        kind = ("uint" if data[0] < 0xD0 else "int") + str(8 * (len(data) - 1))
        good("choice-" + kind, act(data), f"5 as {kind}")
    for name, value in (
        ("unknown-field", {"a": [1, None, True, -1]}),
        ("unknown-empty-map", {}),
        ("unknown-empty-array", []),
    ):
        good(
            name,
            act(5, "note", msgpack.packb(value)),
            "unknown fields are ignored",
            {**ACT, "note": value},
        )
    good("choice-10", act(10), "a line feed, 0x0A, in the payload", {**ACT, "choice": 10})
    good("choice-13", act(13), "a carriage return, 0x0D, in the payload", {**ACT, "choice": 13})
    good("choice-0", act(0), "a zero byte in the payload", {**ACT, "choice": 0})
    good(
        "choice-int-most",
        act(BIG),
        "2**53 - 1 is the largest integer (no legal choice, but no breach)",
        {**ACT, "choice": BIG},
    )
    good(
        "choice-negative",
        act(-1),
        "a negative choice is illegal, but no breach of the protocol",
        {**ACT, "choice": -1},
    )
    good(
        "choice-int-least",
        act(-BIG),
        "-(2**53 - 1) is the smallest integer",
        {**ACT, "choice": -BIG},
    )
    good("duplicate-key", act(4, "choice", 5), "of duplicate keys the last wins")
    good(
        "duplicate-type",
        pairs("type", "hello", *("type", "act", "req", REQ, "choice", 5)),
        "of duplicate keys the last wins",
    )
    good(
        "duplicate-key-other-kind",
        act("5", "choice", 5),
        "the one that loses is of another kind, but within the profile",
    )
    inner = b"\x82\xa1a\x01\xa1a\x02"
    good(
        "duplicate-inner-key",
        act(5, "note", inner),
        "of duplicate keys the last wins, further inside, too",
        {**ACT, "note": {"a": 2}},
    )
    for name, head in (("array16", b"\xdc\0\2"), ("array32", b"\xdd\0\0\0\2")):
        good(
            name,
            act(5, "note", head + b"\x01\xc0"),
            f"{name} in an unknown field",
            {**ACT, "note": [1, None]},
        )
    good(
        "inner-map32",
        act(5, "note", b"\xdf\0\0\0\1\xa1a\x01"),
        "map32 in an unknown field",
        {**ACT, "note": {"a": 1}},
    )
    last = "\U0010ffff"
    good(
        "last-code-point",
        act(5, "note", last),
        "U+10FFFF, the last there is",
        {**ACT, "note": last},
    )
    good("empty-key", act(5, "", 1), "the empty string is a key", {**ACT, "": 1})
    good(
        "nested-16",
        act(5, "note", nested(15)),
        "16 levels, the map of the message included",
        {**ACT, "note": nested(15)},
    )

    bad("missing-type", pairs("req", REQ, "choice", 5), "type is missing")
    bad("missing-req", pairs("type", "act", "choice", 5), "req is missing")
    bad("missing-choice", pairs("type", "act", "req", REQ), "choice is missing")
    bad(
        "wrong-type",
        pairs("type", "hello", "req", REQ, "choice", 5),
        "another message where an act is expected",
    )
    bad("unknown-type", pairs("type", "ping"), "a bot has no messages but hello and act")
    bad("choice-nil", act(None), "choice is nil")
    bad("choice-bool", act(True), "a boolean is no integer")
    bad("choice-string", act("5"), "a string is no integer")
    bad("choice-array", act([5]), "an array is no integer")
    bad("choice-float", act(5.0), "a float, even a whole one")
    bad("choice-float32", act(b"\xca" + struct.pack(">f", 5.0)), "a float of 32 bits")
    bad("req-float", act(req=float(REQ)), "a float, even a whole one")
    bad("req-nil", act(req=None), "req is nil")
    bad("req-string", act(req=str(REQ)), "a string is no integer")
    bad("req-bool", act(req=True), "a boolean is no integer")
    bad("req-2-53", act(req=2**53), "2**53 is one too large")
    bad("type-integer", pairs("type", 1, "req", REQ, "choice", 5), "type is a string")
    bad("type-nil", pairs("type", None, "req", REQ, "choice", 5), "type is a string")
    bad(
        "type-capital",
        pairs("type", "Act", "req", REQ, "choice", 5),
        "another message where an act is expected",
    )
    bad("choice-nan", act(float("nan")), "not a number")
    bad("choice-infinity", act(float("inf")), "infinity")
    bad("choice-2-53", act(2**53), "2**53 is one too large")
    bad("choice-minus-2-53", act(-(2**53)), "-(2**53) is one too small")
    bad("choice-2-64", act(2**64 - 1), "2**64 - 1")
    bad(
        "duplicate-key-breach",
        act(5.0, "choice", 5),
        "a breach under a key that is given again is still one",
    )


def _hellos(add: Add) -> None:
    def good(name: str, reason: str, /, **fields: Any) -> None:
        value = {**HELLO, **fields}
        add("hello-" + name, TO_ARBITER, "hello", msgpack.packb(value), value, reason)

    def bad(name: str, reason: str, /, **fields: Any) -> None:
        value = {k: v for k, v in {**HELLO, **fields}.items() if v is not ...}
        add("hello-" + name, TO_ARBITER, "hello", msgpack.packb(value), REJECT, reason)

    good("plain", "the required fields")
    good("version-and-caps", "all fields", version="1.2", caps=["example"])
    good("caps-empty", "no capabilities", caps=[])
    good("unknown-fields", "unknown fields are ignored", author="somebody", since=2024)
    good("name-1", "the shortest name", name="x")
    good("name-64", "64 characters", name="x" * 64)
    good("name-64-wide", "64 characters are counted, not their 128 bytes", name="\u00e9" * 64)
    good(
        "name-64-beyond-16-bits",
        "64 characters are counted, not their 128 UTF-16 units",
        name="\U0001f42b" * 64,
    )
    good("name-inner-space", "a space between other characters", name="my bot")
    good("version-64", "64 characters", version="x" * 64)
    good("caps-64", "a capability of 64 characters, which was not offered", caps=["x" * 64])
    bad("missing-type", "type is missing", type=...)
    bad("missing-name", "name is missing", name=...)
    bad("missing-proto", "proto is missing", proto=...)
    bad("wrong-type", "an act where the hello is expected", type="act")
    bad("proto-2", "a protocol that was not offered", proto=2)
    bad("proto-0", "a protocol that was not offered", proto=0)
    bad("proto-string", "a string is no integer", proto="1")
    bad("proto-bool", "a boolean is no integer", proto=True)
    bad("proto-float", "a float, even a whole one", proto=1.0)
    bad("name-empty", "no character", name="")
    bad("name-65", "65 characters", name="x" * 65)
    bad("name-blank", "nothing to be seen", name="   ")
    bad("name-newline", "an unprintable character", name="my\nbot")
    bad("name-escape", "an unprintable character", name="\x1b[31mbot")
    bad("name-nul", "an unprintable character", name="my\0bot")
    bad("name-no-break-space", "a separator other than the space", name="my\u00a0bot")
    bad("name-zero-width-space", "a format character", name="my\u200bbot")
    bad("name-right-to-left", "a format character", name="\u202ebot")
    bad("name-c1-control", "a control character beyond ASCII", name="my\u009bbot")
    bad("name-line-separator", "a separator other than the space", name="my\u2028bot")
    bad("name-number", "a number is no string", name=7)
    bad("name-nil", "nil is no string", name=None)
    bad("name-bin", "binary data is no string", name=b"my-bot")
    bad("version-empty", "no character: leave the field out", version="")
    bad("version-nil", "nil: leave the field out", version=None)
    bad("version-number", "a number is no string", version=1)
    bad("proto-nil", "nil is no integer", proto=None)
    bad("caps-map", "a map is no array", caps={})
    bad("caps-string", "a string is no array", caps="example")
    bad("caps-nil", "nil: leave the field out", caps=None)
    bad("version-65", "65 characters", version="x" * 65)
    bad("version-newline", "an unprintable character", version="1\n2")
    bad("version-blank", "nothing to be seen", version=" ")
    bad("caps-empty-string", "a capability has a character at least", caps=[""])
    bad("caps-65", "a capability of 65 characters", caps=["x" * 65])
    bad("caps-numbers", "capabilities are strings", caps=[1])


def _profile(add: Add) -> None:
    def bad(name: str, payload: bytes, reason: str) -> None:
        add("profile-" + name, TO_ARBITER, "act", payload, REJECT, reason)

    bad("not-a-map", msgpack.packb(["act", REQ, 5]), "an array, not a map")
    bad("only-an-integer", b"\x05", "an integer, not a map")
    bad("empty-map", b"\x80", "a map without type")
    bad(
        "bin-key",
        act(5, b"\xc4\x01x", 1),
        "a bin key; some libraries send byte strings unless told otherwise",
    )
    bad("bin-value", pairs("type", b"\xc4\x03act", "req", REQ, "choice", 5), "a bin value")
    bad("bin16", act(5, "note", b"\xc5\x00\x01x"), "bin in an unknown field")
    bad("integer-key", act(5, 1, 2), "an integer as a key")
    bad("nil-key", act(5, b"\xc0", 2), "nil as a key")
    bad("inner-integer-key", act(5, "note", {1: 2}), "an integer as a key, further inside")
    bad("array-key", act(5, b"\x90", 2), "an array as a key")
    bad("ext", act(b"\xd4\x05\x00"), "an extension type")
    bad("ext8", act(5, "note", b"\xc7\x02\x07ab"), "an extension type in an unknown field")
    bad(
        "timestamp", act(5, "note", b"\xd6\xff\x00\x00\x00\x01"), "a timestamp is an extension type"
    )
    bad("inner-float", act(5, "note", [0.5]), "a float in an unknown field")
    bad(
        "inner-integer-least",
        act(5, "note", b"\xd3\x80" + bytes(7)),
        "-(2**63) in an unknown field",
    )
    bad("inner-integer", act(5, "note", [2**60]), "an integer beyond 53 bits in an unknown field")
    bad("nested-17", act(5, "note", nested(16)), "17 levels, the map of the message included")
    bad("nested-17-maps", act(5, "note", b"\x81\xa1k" * 15 + b"\x80"), "17 levels of maps")
    bad("nested-in-a-key", act(5, b"\x81\xa1a\x01", 1), "a map as a key")
    bad("nested-3000", act(5, "note", b"\x91" * 3_000 + b"\x90"), "very many levels")
    bad("utf8-broken", act(5, "note", b"\xa2\xc3\x28"), "a string that is not UTF-8")
    bad("utf8-overlong", act(5, "note", b"\xa2\xc0\xaf"), "an overlong form is not UTF-8")
    bad(
        "utf8-surrogate",
        act(5, "note", b"\xa3\xed\xa0\x80"),
        "half of a surrogate pair is not UTF-8",
    )
    bad("utf8-beyond", act(5, "note", b"\xa4\xf4\x90\x80\x80"), "U+110000 is no code point")
    bad("utf8-cut", act(5, "note", b"\xa2\xe2\x82"), "a character that ends with the string")
    bad("utf8-key", act(5, b"\xa2\xc3\x28", 1), "a key that is not UTF-8")
    bad("never-used-byte", act(b"\xc1"), "0xC1 begins no msgpack value")
    bad("cut-short", act()[:-1], "the value ends before the map does")
    bad(
        "array-too-long",
        act(5, "note", b"\xdd\xff\xff\xff\xff"),
        "an array that claims 4 billion items",
    )
    bad("string-too-long", act(5, "note", b"\xdb\x7f\xff\xff\xffx"), "a string that claims 2 GiB")
    bad("trailing-byte", act() + b"\xc0", "a second value in the frame")
    bad("trailing-newline", act() + b"\n", "a line end behind the value")


def _framing(add: Add) -> None:
    def bad(name: str, frame: bytes, reason: str) -> None:
        add("frame-" + name, TO_ARBITER, "act", b"", REJECT, reason, frame)

    # Lengths that hold a zero, a line feed, a carriage return; then the longest there
    # is.
    for size in (0x0100, 0x010A, 0x010D, 0x0A0D, 65_536):
        note = "x" * (size - len(act(5, "note", b"\xda\0\0")))
        payload = act(5, "note", b"\xda" + struct.pack(">H", len(note)) + note.encode())
        add(
            f"frame-{size}-bytes",
            TO_ARBITER,
            "act",
            payload,
            {**ACT, "note": note},
            f"a payload of {size} bytes",
        )
    bad("empty", bytes(4), "a length of zero")
    bad(
        "too-long",
        struct.pack(">I", 65_537),
        "65,537 bytes: refused at the length, nothing more is read",
    )
    bad("16-mib", b"\x00\xff\xff\xff", "refused at the length")
    bad("4-gib", b"\xff\xff\xff\xff", "refused at the first byte")
    bad("little-endian", struct.pack("<I", len(act())) + act(), "the length is big-endian")
    bad("text", b"hello, world\n", "text printed on stdout")
    bad("lf-first", b"\n" + framed(act()), "a line feed before the frame")
    bad("crlf-first", b"\r\n" + framed(act()), "line ends before the frame, or stdout in text mode")
    bad("json", b'{"type":"act"}\n', "JSON lines are another protocol")
    bad("length-cut-short", b"\x00\x00", "the input ends inside the length")
    bad("payload-cut-short", framed(act())[:-3], "the input ends inside the payload")


def _to_bot(add: Add) -> None:
    def good(
        name: str, message: str, value: Any, reason: str, payload: bytes | None = None
    ) -> None:
        add(
            "bot-" + name,
            TO_BOT,
            message,
            msgpack.packb(value) if payload is None else payload,
            value,
            reason,
        )

    good("hello", "hello", ARBITER_HELLO, "the first message a bot reads")
    newer = {**ARBITER_HELLO, "protos": [1, 2], "caps": ["later"], "later": {"x": [1]}}
    good(
        "hello-later-arbiter",
        "hello",
        newer,
        "more protocols, capabilities and fields than a bot knows",
    )
    good("decide", "decide", FEW, "a request")
    good(
        "decide-no-events",
        "decide",
        {**FEW, "events": []},
        "a request with nothing seen since the last message",
    )
    good(
        "decide-shuffled", "decide", dict(reversed(FEW.items())), "the order of keys means nothing"
    )
    good(
        "decide-unknown-fields",
        "decide",
        {"later": [{"deep": [None, True]}], **FEW},
        "unknown fields are ignored",
    )
    wide = msgpack.packb(FEW).replace(
        b"\xa3req\xce" + struct.pack(">I", REQ), b"\xa3req\xcf" + struct.pack(">Q", REQ)
    )
    wide = b"\xdf" + struct.pack(">I", len(FEW)) + wide[1:]
    assert msgpack.unpackb(wide) == FEW
    good("decide-wide", "decide", FEW, "longer encodings than needed: map32, uint64", wide)
    good("decide-widest", "decide", FEW, "the longest encoding of everything", widest(FEW))
    good("decide-req-most", "decide", {**FEW, "req": BIG}, "2**53 - 1 is the largest integer")
    least = later(FEW, numbers=[-1, -32, -33, -128, -129, -32_769, -(2**31) - 1, -BIG])
    good(
        "decide-negative",
        "decide",
        least,
        "negative integers of all sizes, -(2**53 - 1) the smallest",
    )
    good("decide-nested-16", "decide", later(FEW, deep=nested(13)), "16 levels in all")
    good(
        "decide-unknown-event",
        "decide",
        later(FEW, x={"": None}),
        "an event type that a bot does not know",
    )
    long = later(FEW, words="x" * 66_000)
    good(
        "decide-66000-bytes",
        "decide",
        long,
        "more than a bot may send: bots are sent up to 1,048,576 bytes",
    )
    big = later({**FEW, "req": 2**31 + 16}, words="\u00e9\n\r\0" * 100)
    good(
        "decide-control-bytes",
        "decide",
        big,
        "0x0A, 0x0D, 0x00 and two-byte characters in the payload",
    )
    good("decide-420-choices", "decide", MANY, "an array16 of choices")
    fault = {"type": "fault", "code": "timeout", "detail": "no answer came", "strikes": 1}
    good("fault", "fault", fault, "told after a timeout; no answer is expected")
    good("fault-later-code", "fault", {**fault, "code": "later"}, "a code that a bot does not know")
    good(
        "unknown-message-like-decide",
        "unknown",
        {**FEW, "type": "later"},
        "whatever it holds, it is not answered",
    )
    good(
        "unknown-message",
        "unknown",
        {"type": "later", "req": 1, "x": []},
        "unknown messages are ignored, not answered",
    )
    end = {"type": "end", "reason": "over", "ranks": [1, 2], "scores": [41, 30]}
    good(
        "end-later-reason",
        "end",
        {**end, "reason": "later", "scores": [41, -3]},
        "a reason not known, a score below zero",
    )
    good("end", "end", end, "the last message")


def text(vectors: list[dict[str, Any]]) -> str:
    """The file: one vector a line, ASCII."""
    lines = ",\n".join(json.dumps(vector, ensure_ascii=True) for vector in vectors)
    return f"[\n{lines}\n]\n"


def files() -> dict[Path, str]:
    """What this module makes."""
    return {FILE: text(make())}


def main() -> int:
    import make_sessions
    import make_spec
    import make_transcripts

    choices = runpy.run_path(str(ROOT / "tests" / "shipped_bots" / "make_choices.py"))["files"]()
    made = files() | make_sessions.files() | make_transcripts.files() | choices
    return max(settle(made), settle(make_spec.files()))  # the pages name the vectors


if __name__ == "__main__":
    sys.exit(main())
