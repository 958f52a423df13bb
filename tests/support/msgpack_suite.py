"""The public MessagePack test suite (tests/bots/protocol/msgpack_test_suite.json),
sorted by what the protocol's profile allows.
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "bots" / "protocol" / "msgpack_test_suite.json"
INT_MOST = 2**53 - 1
FLOATS = (0xCA, 0xCB)
OUTSIDE = ("binary", "timestamp", "ext")

Case = tuple[str, Any, list[bytes]]
"""Name, value, every encoding of it that is listed."""


def cases() -> list[Case]:
    """What the profile allows; of a number only the encodings as an integer."""
    return [
        (name, value, kept)
        for name, value, encodings in _numbers_and_others()
        if (kept := _allowed(value, encodings))
    ]


def refused() -> list[tuple[str, bytes, str]]:
    """What the profile refuses: name, one encoding, and a word of the reason that the
    arena gives.
    """
    found = [
        (name, data, "a float" if data[0] in FLOATS else "beyond 2**53 - 1")
        for name, value, encodings in _numbers_and_others()
        for data in encodings
        if data not in _allowed(value, encodings)
    ]
    words = {"binary": "binary data", "timestamp": "extension type", "ext": "extension type"}
    for name, kind, _, encodings in _suite():
        found += [(name, data, words[kind]) for data in encodings if kind in OUTSIDE]
    return found


def _allowed(value: Any, encodings: list[bytes]) -> list[bytes]:
    if isinstance(value, int) and abs(value) > INT_MOST:
        return []
    return [data for data in encodings if data[0] not in FLOATS]


def _numbers_and_others() -> list[Case]:
    return [
        (name, value, encodings) for name, kind, value, encodings in _suite() if kind not in OUTSIDE
    ]


def _suite() -> list[tuple[str, str, Any, list[bytes]]]:
    """Name, kind, value and encodings of each case. A big number stands there as
    text.
    """
    out = []
    for part, listed in json.loads(FILE.read_text("utf-8")).items():
        for number, case in enumerate(listed, 1):
            kind = "bignum" if "bignum" in case else next(key for key in case if key != "msgpack")
            value = int(case[kind]) if kind == "bignum" else case[kind]
            encodings = [bytes.fromhex(text.replace("-", "")) for text in case["msgpack"]]
            out.append((f"{part.removesuffix('.yaml')}/{number}", kind, value, encodings))
    return out
