"""Makes protocol/vectors/runner.json, the vectors of a runner of modules: ``make vectors``.

The answers are what the arena's runner gives. The words and ticks of each row were counted by hand as well.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]

from call_rows import CALL_ROWS  # noqa: E402 - found beside this folder
from exact_rows import EXACT_ROWS  # noqa: E402
from frame_rows import FRAME_ROWS  # noqa: E402
from golden import VECTORS, rows, settle  # noqa: E402
from modules import SeatAlone, compiled, machine  # noqa: E402
from poll_rows import POLL_ROWS  # noqa: E402
from runner_rows import SAY, Row  # noqa: E402
from second_vm import WORDS, Word  # noqa: E402

from khiva_arena.modules.meter import prices  # noqa: E402

VECTOR_FILE = VECTORS / "runner.json"
ROWS: tuple[Row, ...] = (*FRAME_ROWS, *CALL_ROWS, *POLL_ROWS, *EXACT_ROWS)
LONG = 256
"""Bytes beyond which a row has their length and hash alone."""


def on_the_arena_s_runner(row: Row) -> tuple[list[Word], bytes]:
    """Give a row's orders to the arena's runner. Return its answers, and what the module wrote on stderr."""
    seat = SeatAlone(machine(), compiled(row.module), row.key, row.most_bytes)
    answers, notes = [], b""
    for order, ticks, data in row.orders:
        seat.say(data)
        if order != SAY:
            number, used, told = seat.ask(ticks) if order == "ask" else seat.finish(ticks)
            word = WORDS[number]
            answers.append((word, used, "" if word in ("trapped", "stack") else told.hex()))
            notes += seat.notes
            seat.notes.clear()
    return answers, notes


def short(data: bytes) -> str | dict[str, Any]:
    """Return bytes in hex, or the length and the hash of many."""
    return data.hex() if len(data) <= LONG else {"length": len(data), "sha256": sha256(data).hexdigest()}


def row_of(row: Row, answers: Sequence[Word], notes: bytes) -> dict[str, Any]:
    """Return a row of the file."""
    left = iter(answers)
    orders = []
    for order, ticks, data in row.orders:
        if order == SAY:
            orders.append({"order": order, "bytes": data.hex()})
        else:
            word, used, told = next(left)
            asked = {"order": order, "ticks": ticks, "bytes": data.hex()}
            orders.append(asked | {"word": word, "used": used, "answer": short(bytes.fromhex(told))})
    return {
        "name": row.name,
        "key": row.key.hex(),
        "most_bytes": row.most_bytes,
        "module": row.module.hex(),
        "orders": orders,
        "stderr": short(notes),
    }


def files() -> dict[Path, str]:
    """Return the text of each file that is made."""
    made = [row_of(row, *on_the_arena_s_runner(row)) for row in ROWS]
    return {VECTOR_FILE: rows({"prices": prices.NUMBER}, "rows", made)}


if __name__ == "__main__":
    sys.exit(settle(files()))
