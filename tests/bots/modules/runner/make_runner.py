"""Makes protocol/vectors/runner.json, the vectors of a runner of modules: ``make
vectors``.

The answers are what the arena's runner gives. The words and ticks of each row were
counted by hand as well.
"""

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "support")]

from call_rows import CALL_ROWS  # noqa: E402 - found beside this folder
from exact_rows import EXACT_ROWS  # noqa: E402
from frame_rows import FRAME_ROWS  # noqa: E402
from golden import VECTORS, orders_of, rows, settle, short  # noqa: E402
from memory_rows import MEMORY_ROWS  # noqa: E402
from modules import answers_to  # noqa: E402
from payload_rows import PAYLOAD_ROWS  # noqa: E402
from poll_rows import POLL_ROWS  # noqa: E402
from runner_rows import Row  # noqa: E402
from zero_rows import ZERO_ROWS  # noqa: E402

from khiva_arena.bots.modules.meter import prices  # noqa: E402
from khiva_arena.entrants.modules import bot_identity  # noqa: E402

VECTOR_FILE = VECTORS / "runner.json"
ROWS: tuple[Row, ...] = (
    *FRAME_ROWS,
    *CALL_ROWS,
    *POLL_ROWS,
    *EXACT_ROWS,
    *PAYLOAD_ROWS,
    *MEMORY_ROWS,
    *ZERO_ROWS,
)


def row_of(row: Row) -> dict[str, Any]:
    """Return a row of the file."""
    orders = [(order, ticks, data.hex()) for order, ticks, data in row.orders]
    answers, notes = answers_to(orders, row.module, row.key, row.most_bytes, row.payload)
    return {
        "name": row.name,
        "key": row.key.hex(),
        "most_bytes": row.most_bytes,
        "module": row.module.hex(),
        **_of_payload(row),
        "orders": orders_of(orders, answers),
        "stderr": short(notes),
    }


def _of_payload(row: Row) -> dict[str, str]:
    if row.payload is None:
        return {}
    return {"payload": row.payload.hex(), "identity": bot_identity(row.module, row.payload)}


def files() -> dict[Path, str]:
    """Return the text of each file that is made."""
    made = [row_of(row) for row in ROWS]
    return {VECTOR_FILE: rows({"prices": prices.NUMBER}, "rows", made)}


if __name__ == "__main__":
    sys.exit(settle(files()))
