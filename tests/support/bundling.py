"""Take a bundle apart and put it together again, as a forger does: with the last line
worked out again.
"""

import gzip
import json
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

from khiva_arena.records.replay.record import canonical


def lines_of(path: Path) -> list[dict[str, Any]]:
    """All lines but the last."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert lines.pop()["kind"] == "end"
    return lines


def forged(lines: list[dict[str, Any]], **end: Any) -> bytes:
    """A bundle of these lines, the last one worked out again except what ``end``
    sets.
    """
    text = b"".join(canonical(line) + b"\n" for line in lines)
    counts = {
        kind: sum(line.get("kind") == name for line in lines)
        for kind, name in (("events", "event"), ("matches", "match"))
    }
    last = {"kind": "end", "lines": len(lines), **counts, "sha256": sha256(text).hexdigest(), **end}
    return packed(text + canonical(last) + b"\n")


def packed(text: bytes) -> bytes:
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    return deflate.compress(text) + deflate.flush()
