"""make vectors: draws of leagues, which anybody has to get again, in
tests/extensions/league/draws.json. A changed draw shows in its diff.

Each league has a shape, its bots as identity, family and author, and batches: the key,
who is active, and the tables.
"""

import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.draw import Active, BatchShape, draw

FILE = Path(__file__).parent.parent / "draws.json"
SHAPES = {
    "two seats": (7, BatchShape(2)),
    "families and authors": (14, BatchShape(3)),
    "authors may meet": (9, BatchShape(4, authors_apart=False)),
    "half of the bots": (24, BatchShape(3, most_tables=2)),
    "six seats": (13, BatchShape(6)),
}
BATCHES = 6


def bots_of(number: int) -> list[Active]:
    """One anchor, then families of one or two versions, and authors of one or two
    families.
    """
    families = [i // 2 if i % 4 > 1 else i + number for i in range(number)]
    return [
        Active(f"bot {i}", f"family {of}", f"author {of // 3}" if i else "")
        for i, of in enumerate(families)
    ]


def batches(bots: Sequence[Active], shape: BatchShape) -> list[dict]:
    """The first batches; in each one some bots are not there yet, and some have
    left.
    """
    counts, drawn = Counts(), []
    for number in range(BATCHES):
        active = [
            i
            for i, _ in enumerate(bots)
            if not i or (i < len(bots) - BATCHES // 2 + number and (i + number) % 9)
        ]
        key = sha256(f"batch {number}".encode()).digest()
        tables = draw([bots[i] for i in active], counts, shape, key)
        counts.add(
            [[bots[active[place]].identity for place in table] for table in tables],
            [bots[i].identity for i in active],
        )
        drawn.append({"key": key.hex(), "active": active, "tables": tables})
    return drawn


def text() -> str:
    """The text of the file, a batch a line."""
    parts: list[str] = []
    for name, (number, shape) in SHAPES.items():
        bots = bots_of(number)
        head = {
            "seats": shape.seats,
            "most_tables": shape.most_tables,
            "authors_apart": shape.authors_apart,
        }
        rows = ",\n    ".join(json.dumps(batch) for batch in batches(bots, shape))
        named = json.dumps([[bot.identity, bot.family, bot.author] for bot in bots])
        parts += [
            (
                f'  {json.dumps(name)}: {{\n   "shape": {json.dumps(head)},\n   "bots": '
                f'{named},\n   "batches": ['
            )
        ]
        parts[-1] += f"\n    {rows}\n   ]\n  }}"
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(text())
    else:
        sys.exit("nothing is written without --write")
