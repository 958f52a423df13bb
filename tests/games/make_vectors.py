"""Writes protocol/vectors/streams.json and deals/<game>.json: ``python
tests/games/make_vectors.py --write``.

Without ``--write`` it only says whether the files are up to date. The tests call
``streams`` and ``deals`` and compare. What is in a deal is each game's own to say:
tests/games/<game>/vectors.py.
"""

import json
import runpy
import sys
from functools import partial
from pathlib import Path
from typing import Any

from khiva_arena.games import registry
from khiva_arena.rng import Stream

HERE = Path(__file__).parent
VECTORS = HERE.parents[1] / "protocol" / "vectors"
COUNTING = bytes(range(32))
SECRETS = (COUNTING, bytes(32), b"\xff" * 32)
LABELS = (
    ("match", "deal", "3"),
    (),
    ("",),
    ("", ""),
    ("a", "bc"),
    ("ab", "c"),
    ("khiva", "deal", "1"),
    ("été", "чай", "茶", "🫖"),
)
HARD = (1, 2, 3, 2**32, 2**63, 2**63 + 1, 3 * 2**62, 2**64 - 1, 2**64)
"""Bounds of draws; 2**63 + 1 throws away about half of all numbers."""


def _stream(secret: bytes, labels: tuple[str, ...]) -> dict[str, Any]:
    """One stream: the draws in the order made, all from the same stream."""
    stream = Stream(secret, *labels)
    draws: list[dict[str, Any]] = [
        {"op": "u64", "values": [str(stream.u64()) for _ in range(5)]},
        {"op": "below", "n": "6", "values": [str(stream.below(6)) for _ in range(20)]},
    ]
    for size in (20, 25, 1, 0, 2):
        order: list[Any] = list(range(size))
        stream.shuffle(order)
        draws.append({"op": "shuffle", "n": size, "order": order})
    draws += [
        {"op": "below", "n": str(n), "values": [str(stream.below(n)) for _ in range(8)]}
        for n in HARD
    ]
    return {"secret": secret.hex(), "labels": list(labels), "draws": draws}


def streams() -> dict[str, Any]:
    """khiva-stream-1."""
    about = (
        "khiva-stream-1. Each stream makes its draws in the order given. u64 and below: "
        "numbers as decimal text, since they "
        "pass 2**53. shuffle: what becomes of the list 0..n-1. Made by tests/games/make_vectors.py."
    )
    secrets = ((COUNTING, LABELS), (bytes(32), LABELS[:1]), (b"\xff" * 32, LABELS[:1]))
    return {
        "about": about,
        "streams": [_stream(secret, labels) for secret, many in secrets for labels in many],
    }


def deals(name: str) -> dict[str, Any]:
    """Whole deals of one game under its default rules: ``deal`` of
    tests/games/<name>/vectors.py.
    """
    game = registry.get(name)
    path = HERE / name / "vectors.py"
    if not path.is_file():
        raise SystemExit(f"{path} is missing: ABOUT, and deal(secret, seats)")
    maker = runpy.run_path(str(path))
    about = (
        f"Whole deals of {game.title}, default rules. {maker['ABOUT']} "
        f"See khiva_arena/games/{name}/RULES.md, The deal. Made by tests/games/make_vectors.py."
    )
    return {
        "about": about,
        "deals": [maker["deal"](secret, seats) for secret in SECRETS for seats in game.seats],
    }


def dump(content: dict[str, Any]) -> str:
    """JSON with one stream or deal a line."""
    (name,) = set(content) - {"about"}
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in content[name])
    return f'{{\n "about": {json.dumps(content["about"])},\n "{name}": [\n{rows}\n ]\n}}\n'


FILES = {"streams.json": streams} | {
    f"deals/{name}.json": partial(deals, name) for name in registry.GAMES
}


def main() -> int:
    stale = [name for name, make in FILES.items() if not _is_current(VECTORS / name, dump(make()))]
    if "--write" in sys.argv[1:]:
        for name in stale:
            (VECTORS / name).write_text(dump(FILES[name]()), encoding="utf-8")
            print(f"wrote {VECTORS / name}")
        return 0
    print(f"out of date: {', '.join(stale)}" if stale else "up to date")
    return 1 if stale else 0


def _is_current(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
