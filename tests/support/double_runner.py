"""A runner without a VM: speaks line.py on its stdin and stdout; the path of a module's
code is the name of what it does.

``honest`` answers with the last legal choice; ``WORD:N`` does the thing in its N-th
decision, ``WORD:0`` at its start. With the word ``forks`` it is a fork server, whose
children are such runners.
"""

import os
import signal
import sys
import time
from types import SimpleNamespace

import msgpack

from khiva_arena.bots.modules.runner import forks, line

Item = tuple[int, int, int, bytes]

TICKS_A_BYTE = 1_000
WORKS_SECONDS = 0.5
WHY = b"it imports what there is not"


class Seat:
    """A module: what it does and when, and how often it was asked."""

    def __init__(self, loading: bytes, opening: bytes) -> None:
        self.number = int.from_bytes(opening[:8], "big")
        self.what, _, at = loading[line.LOADING.size :].decode().partition(":")
        self.at = int(at) if at else -1
        self.asked = -1

    def ask(self, number: int, ticks: int, frame: bytes) -> list[Item]:
        self.asked += 1
        if self.asked == self.at:
            return self.misbehave(number, ticks, frame)
        spent = TICKS_A_BYTE * len(frame) + self.number % 1_000
        message = msgpack.unpackb(frame[4:])
        if message["type"] == "hello":
            payload = msgpack.packb({"type": "hello", "proto": 1, "name": "double"})
        else:
            payload = msgpack.packb(
                {"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1}
            )
        return [(number, line.ANSWERED, spent, len(payload).to_bytes(4, "big") + payload)]

    def misbehave(self, number: int, ticks: int, frame: bytes) -> list[Item]:
        match self.what:
            case "timeout":
                return [(number, line.TIMEOUT, ticks, b"")]
            case "exits":
                return [
                    (number, line.STDERR, 0, b"last\x1e words"),
                    (number, line.EXITED, 5, (3).to_bytes(4, "big")),
                ]
            case "traps":
                return [(number, line.TRAPPED, 6, b"a division by zero, in choose")]
            case "overflows":
                return [(number, line.STACK, 7, b"calls go too deep: the stack is used up")]
            case "backstop":
                return [(number, line.BACKSTOP, 8, b"")]
            case "stands":
                while True:  # as the thread that watches does
                    time.sleep(0.05)
            case "spins":
                while True:
                    pass
            case "works":
                until = time.process_time() + WORKS_SECONDS
                while time.process_time() < until:
                    pass
                return self.ask(number, ticks, frame)
            case "ends":
                os._exit(9)
            case "text":
                return [(number, line.ANSWERED, 4, b"What now?")]
            case "short":
                return []
        return [(number, 99, 0, b"")]


def read(count: int) -> bytes:
    """Read exactly so many bytes, or end."""
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        os._exit(0)
    return data


class TickSeats:
    """The seats of a table, as far as a fork server knows them."""

    def __init__(self, _vm: object) -> None:
        self.loaded: dict[int, bytes] = {}

    def load(self, loads: list[Item]) -> None:
        self.loaded = {number: body for number, _, _, body in loads}


def serve(table: TickSeats) -> int:
    seats: dict[int, Seat] = {}
    refused: set[int] = set()
    while True:
        data = read(4)
        data += read(line.missing(data))
        if not line.items_of(data):
            does = {seat.what for seat in seats.values()}
            if "stays" in does:
                signal.pause()
            if "mumbles" in does:  # as no child can in a cell
                os.write(os.open(f"/proc/{os.getppid()}/fd/2", os.O_WRONLY), b"well\n")
            return 0
        out: list[Item] = []
        for number, kind, ticks, body in line.items_of(data):
            if kind == line.OPEN:
                seats[number] = Seat(table.loaded[number], body)
                refused |= {number} if seats[number].what == "refused" else set()
            if number not in seats:
                os._exit(8)
            if kind == line.OPEN and number in refused:
                out.append((number, line.REFUSED, 0, WHY))
            elif kind in (line.OPEN, line.END):
                out.append((number, line.ANSWERED, 0, b""))
            elif kind == line.ASK:
                out += (
                    [(number, line.REFUSED, 0, WHY)]
                    if number in refused
                    else seats[number].ask(number, ticks, body)
                )
        sys.stdout.buffer.write(line.batch(out))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    if sys.argv[1:] == ["forks"]:
        forks.serve, forks.TickSeats = serve, TickSeats  # type: ignore[assignment, misc]
        os._exit(forks.serve_tables(SimpleNamespace(declare_all=lambda: None), ""))  # type: ignore[arg-type]
    first = TickSeats(None)
    first.load(forks.read_batch())
    serve(first)
