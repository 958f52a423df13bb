"""Play matches of modules over again by protocol/verifier: what the arbiter told its
own runner is told to that one.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from golden import ROOT, Word
from tools import need

from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.runners import Item
from khiva_arena.bots.modules.meter.prices import STACK_BYTES
from khiva_arena.bots.modules.runner import line
from khiva_arena.records.replay.record import Record

VERIFIER = ROOT / "protocol" / "verifier"
ORDERS = {line.SAY: "say", line.ASK: "ask", line.END: "end"}
WORDS = {
    line.ANSWERED: "answered",
    line.TIMEOUT: "timeout",
    line.EXITED: "exited",
    line.TRAPPED: "trapped",
    line.STACK: "stack",
    line.REFUSED: "refused",
}
"""The words for orders to a runner, and for its answers."""
QUIET = (line.TRAPPED, line.STACK, line.REFUSED)
"""Answers whose line is not compared: each VM has its own."""


class Part(NamedTuple):
    """The part of a seat in a match.

    module: its module before it is rewritten.
    key: its seat's own number.
    most_bytes: how far its memory may grow.
    orders: what its runner was told.
    answers: what that answered, without the answer to its being opened.
    notes: what the module wrote on stderr.
    payload: what it reads from descriptor 3, if it has that.
    """

    module: bytes
    key: int
    most_bytes: int
    orders: list[Word]
    answers: list[Word]
    notes: bytes
    payload: bytes | None = None


def overheard(job: Job, modules: Mapping[str, bytes]) -> tuple[Record, list[Part]]:
    """Play a match, and return its record and the part of each seat. ``modules``:
    before they are rewritten, by bot.
    """
    with _listening() as (told, answered):
        record = play_one(job).record
    assert record
    seats = enumerate(job.header.seats)
    return record, [
        _part(number, modules[seat.bot], seat.number, told, answered) for number, seat in seats
    ]


@contextmanager
def _listening() -> Iterator[tuple[list[Item], list[Item]]]:
    """Keep every item that the arbiter sends to a runner and gets from one."""
    batch, items_of = line.batch, line.items_of
    told: list[Item] = []
    answered: list[Item] = []

    def sent(items: Iterable[Item]) -> bytes:
        told.extend(items := list(items))
        return batch(items)

    def came(data: bytes | bytearray) -> list[Item]:
        answered.extend(items := items_of(data))
        return items

    line.batch, line.items_of = sent, came
    try:
        yield told, answered
    finally:
        line.batch, line.items_of = batch, items_of


def _part(number: int, module: bytes, key: int, told: list[Item], answered: list[Item]) -> Part:
    orders = [
        (ORDERS[kind], ticks, data.hex())
        for seat, kind, ticks, data in told
        if seat == number and kind in ORDERS
    ]
    mine = [item for item in answered if item[0] == number]
    answers = [
        (WORDS[word], ticks, "" if word in QUIET else data.hex())
        for _, word, ticks, data in mine
        if word in WORDS
    ]
    notes = b"".join(data for _, word, _, data in mine if word == line.STDERR)
    (loaded,) = (data for seat, kind, _, data in told if seat == number and kind == line.LOAD)
    (opened,) = (data for seat, kind, _, data in told if seat == number and kind == line.OPEN)
    most_bytes = line.LOADING.unpack_from(loaded)[0]
    return Part(module, key, most_bytes, orders, answers[1:], notes, line.opening_of(opened)[2])


def node(script: str) -> list[str]:
    """Return the words that run a script of the verifier, with the stack that METER.md
    asks for.
    """
    need("node")
    return ["node", f"--stack-size={STACK_BYTES // 1000}", str(VERIFIER / script)]


def again(parts: Iterable[Part], folder: Path) -> list[tuple[list[Word], bytes]]:
    """Play parts by the verifier on Node, and return for each what its runner answers
    and what its module writes on stderr.

    folder: where modules are put
    """
    rows: list[dict[str, Any]] = []
    for part in parts:
        path = folder / f"{hash(part.module):x}.wasm"
        path.write_bytes(part.module)
        row = {
            "wasm": str(path),
            "key": f"{part.key:016x}",
            "most_bytes": part.most_bytes,
            "orders": part.orders,
        }
        if part.payload is not None:
            row["payload"] = part.payload.hex()
        rows.append(row)
    words = node("seats.js")
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, timeout=3_600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    played = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        ([(word, ticks, data) for word, ticks, data in one["answers"]], bytes.fromhex(one["notes"]))
        for one in played
    ]
