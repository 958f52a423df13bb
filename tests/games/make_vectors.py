"""Writes protocol/vectors/streams.json and deals.json: ``python tests/games/make_vectors.py --write``.

Without ``--write`` it only says whether the files are up to date. The tests call ``streams`` and ``deals`` and compare.
"""

import json
import sys
from pathlib import Path
from typing import Any

from khiva_arena.games.khiva import dealing
from khiva_arena.games.khiva.tables import CARD_OF, CODE, KEPT, SEATS
from khiva_arena.games.khiva.variants import canonical, compile_rules
from khiva_arena.rng import Stream

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
COUNTING = bytes(range(32))
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
    draws += [{"op": "below", "n": str(n), "values": [str(stream.below(n)) for _ in range(8)]} for n in HARD]
    return {"secret": secret.hex(), "labels": list(labels), "draws": draws}


def streams() -> dict[str, Any]:
    """khiva-stream-1."""
    about = (
        "khiva-stream-1. Each stream makes its draws in the order given. u64 and below: numbers as decimal text, since they "
        "pass 2**53. shuffle: what becomes of the list 0..n-1. Made by tests/games/make_vectors.py."
    )
    secrets = ((COUNTING, LABELS), (bytes(32), LABELS[:1]), (b"\xff" * 32, LABELS[:1]))
    return {"about": about, "streams": [_stream(secret, labels) for secret, many in secrets for labels in many]}


def _codes(cards: list[int]) -> list[int]:
    return [CODE[card] for card in cards]


def _deal(secret: bytes, seats: int) -> dict[str, Any]:
    """A first deal, the piles, and a redeal in which each seat kept the first cards it was dealt."""
    rules = compile_rules(canonical({}))
    first = dealing.first_deal(secret, seats)
    kept = [hand[: KEPT[seats]] for hand in first.hands]
    pool = [card for card in CARD_OF.values() if not any(card in hand for hand in kept)]
    second = dealing.redeal(secret, seats, 2, pool)
    teapots = dealing.teapots(secret, rules.teapots)
    return {
        "secret": secret.hex(),
        "seats": seats,
        "first": {"hands": [_codes(h) for h in first.hands], "shown": _codes(first.shown), "aside": _codes(first.aside)},
        "camels": teapots[:5],
        "teapots": teapots[5:],
        "carpets": dealing.carpets(secret, rules.carpets),
        "redeal": {
            "deal": 2,
            "kept": [_codes(hand) for hand in kept],
            "pool": sorted(_codes(pool)),
            "hands": [_codes(h) for h in second.hands],
            "shown": _codes(second.shown),
            "aside": _codes(second.aside),
        },
    }


def deals() -> dict[str, Any]:
    """Whole deals of Khiva under the default rules."""
    about = (
        "Whole deals of Khiva, default rules. Cards and carpets are 10 * colour + value (colours 0..4 = white, blue, green, "
        "pink, black); all lists in the order dealt, piles top first; redeal.hands are the new cards alone. "
        "See khiva_arena/games/khiva/RULES.md, The deal. Made by tests/games/make_vectors.py."
    )
    secrets = (COUNTING, bytes(32), b"\xff" * 32)
    return {"about": about, "deals": [_deal(secret, seats) for secret in secrets for seats in SEATS]}


def dump(content: dict[str, Any]) -> str:
    """JSON with one stream or deal a line."""
    (name,) = set(content) - {"about"}
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in content[name])
    return f'{{\n "about": {json.dumps(content["about"])},\n "{name}": [\n{rows}\n ]\n}}\n'


FILES = {"streams.json": streams, "deals.json": deals}


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
