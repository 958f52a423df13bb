"""What the makers of the files in protocol/vectors share: frames, JSON with one row a
line, and ``--write``.
"""

import json
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgpack

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "protocol" / "vectors"
LONG = 256
"""Bytes beyond which a row of a runner has their length and hash alone."""
Word = tuple[str, int, str]
"""An order to a runner, or its answer: its word, ticks, and bytes in hex."""


def framed(payload: bytes) -> bytes:
    """A payload behind its length."""
    return struct.pack(">I", len(payload)) + payload


def packed(message: object) -> bytes:
    """A message as a frame, in the shortest encodings."""
    return framed(msgpack.packb(message))


def widest(value: Any) -> bytes:
    """A value in the longest encoding of each of its parts."""
    if value is None or isinstance(value, bool):
        return msgpack.packb(value)
    if isinstance(value, int):
        return (
            b"\xcf" + struct.pack(">Q", value) if value >= 0 else b"\xd3" + struct.pack(">q", value)
        )
    if isinstance(value, str):
        text = value.encode()
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(widest, value))
    return (
        b"\xdf"
        + struct.pack(">I", len(value))
        + b"".join(widest(key) + widest(item) for key, item in value.items())
    )


def rows(
    head: Mapping[str, Any], name: str, items: Sequence[Any], tail: Mapping[str, Any] | None = None
) -> str:
    """A JSON object in ASCII: the keys of ``head``, one a line, then ``name`` with one
    item a line, then those of ``tail``.
    """
    lines = [f' "{key}": {json.dumps(value)}' for key, value in head.items()]
    lines.append(f' "{name}": [\n' + ",\n".join("  " + json.dumps(item) for item in items) + "\n ]")
    lines += [f' "{key}": {json.dumps(value)}' for key, value in (tail or {}).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def entries(content: Mapping[str, Any]) -> str:
    """Return a JSON object in ASCII, with each item of its lists and each key of its
    maps on a line.
    """
    return (
        "{\n" + ",\n".join(f' "{key}": {_entry(value)}' for key, value in content.items()) + "\n}\n"
    )


def _entry(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join("  " + json.dumps(item) for item in value) + "\n ]"
    if isinstance(value, dict):
        return (
            "{\n"
            + ",\n".join(f"  {json.dumps(key)}: {json.dumps(item)}" for key, item in value.items())
            + "\n }"
        )
    return json.dumps(value)


def short(data: bytes) -> str | dict[str, Any]:
    """Return bytes in hex, or the length and the hash of many."""
    return (
        data.hex()
        if len(data) <= LONG
        else {"length": len(data), "sha256": sha256(data).hexdigest()}
    )


def orders_of(orders: Iterable[Word], answers: Iterable[Word]) -> list[dict[str, Any]]:
    """Return the orders to a runner as they stand in a file, each that has an answer
    with it.
    """
    listed, left = [], iter(answers)
    for order, ticks, data in orders:
        if order == "say":
            listed.append({"order": order, "bytes": data})
        else:
            word, used, told = next(left)
            asked = {"order": order, "ticks": ticks, "bytes": data}
            listed.append(
                asked | {"word": word, "used": used, "answer": short(bytes.fromhex(told))}
            )
    return listed


def settle(files: Mapping[Path, str]) -> int:
    """Write the files that differ if ``--write`` is among the words of the command,
    else only name them; an exit code.
    """
    stale = {
        path: text
        for path, text in files.items()
        if not path.is_file() or path.read_text("utf-8") != text
    }
    write = "--write" in sys.argv[1:]
    for path, text in stale.items():
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        print(f"{'wrote' if write else 'differs:'} {path.relative_to(ROOT)}")
    return 1 if stale and not write else 0
