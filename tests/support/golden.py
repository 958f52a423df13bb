"""What the makers of the files in protocol/vectors share: frames, JSON with one row a line, and ``--write``."""

import json
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgpack

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "protocol" / "vectors"


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
        return b"\xcf" + struct.pack(">Q", value) if value >= 0 else b"\xd3" + struct.pack(">q", value)
    if isinstance(value, str):
        text = value.encode()
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(widest, value))
    return b"\xdf" + struct.pack(">I", len(value)) + b"".join(widest(key) + widest(item) for key, item in value.items())


def rows(head: Mapping[str, Any], name: str, items: Sequence[Any], tail: Mapping[str, Any] | None = None) -> str:
    """A JSON object in ASCII: the keys of ``head``, one a line, then ``name`` with one item a line, then those of ``tail``."""
    lines = [f' "{key}": {json.dumps(value)}' for key, value in head.items()]
    lines.append(f' "{name}": [\n' + ",\n".join("  " + json.dumps(item) for item in items) + "\n ]")
    lines += [f' "{key}": {json.dumps(value)}' for key, value in (tail or {}).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def settle(files: Mapping[Path, str]) -> int:
    """Write the files that differ if ``--write`` is among the words of the command, else only name them; an exit code."""
    stale = {path: text for path, text in files.items() if not path.is_file() or path.read_text("utf-8") != text}
    write = "--write" in sys.argv[1:]
    for path, text in stale.items():
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        print(f"{'wrote' if write else 'differs:'} {path.relative_to(ROOT)}")
    return 1 if stale and not write else 0
