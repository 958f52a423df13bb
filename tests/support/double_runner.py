"""A runner without a VM: speaks line.py on its stdin and stdout; the path of a module's code is the name of what it does.

``honest`` answers with the last legal choice; ``WORD:N`` does the thing in its N-th decision, ``WORD:0`` at its start.
"""

import os
import sys

import msgpack

from khiva_arena.arbiter import line
from khiva_arena.arbiter.line import Item, TickOrder, Word

TICKS_A_BYTE = 1_000


class Seat:
    """A module: what it does and when, and how often it was asked."""

    def __init__(self, opening: bytes) -> None:
        self.number = int.from_bytes(opening[:8], "big")
        self.what, _, at = opening[40:].decode().partition(":")
        self.at = int(at) if at else -1
        self.asked = -1

    def ask(self, number: int, ticks: int, frame: bytes) -> list[Item]:
        self.asked += 1
        if self.asked == self.at:
            return self.misbehave(number, ticks)
        spent = TICKS_A_BYTE * len(frame) + self.number % 1_000
        message = msgpack.unpackb(frame[4:])
        if message["type"] == "hello":
            payload = msgpack.packb({"type": "hello", "proto": 1, "name": "double"})
        else:
            payload = msgpack.packb({"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1})
        return [Item(number, Word.ANSWERED, spent, len(payload).to_bytes(4, "big") + payload)]

    def misbehave(self, number: int, ticks: int) -> list[Item]:
        match self.what:
            case "timeout":
                return [Item(number, Word.TIMEOUT, ticks)]
            case "exits":
                return [Item(number, Word.STDERR, 0, b"last words"), Item(number, Word.EXITED, 5, (3).to_bytes(4, "big"))]
            case "traps":
                return [Item(number, Word.TRAPPED, 6, b"divided by zero\0choose")]
            case "overflows":
                return [Item(number, Word.STACK, 7)]
            case "backstop":
                return [Item(number, Word.BACKSTOP, 8)]
            case "ends":
                os._exit(9)
            case "short":
                return []
        return [Item(number, 99)]


def read(count: int) -> bytes:
    """Read exactly so many bytes, or end."""
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        os._exit(0)
    return data


def main() -> None:
    seats: dict[int, Seat] = {}
    refused: set[int] = set()
    while True:
        data = read(4)
        data += read(line.missing(data))
        out: list[Item] = []
        for number, kind, ticks, body in line.items_of(data):
            if kind == TickOrder.OPEN:
                seats[number] = Seat(body)
                refused |= {number} if seats[number].what == "refused" else set()
            if kind == TickOrder.OPEN and number in refused:
                out.append(Item(number, Word.REFUSED, 0, b"it imports what there is not"))
            elif kind in (TickOrder.OPEN, TickOrder.END):
                out.append(Item(number, Word.ANSWERED))
            elif kind == TickOrder.ASK:
                out += [Item(number, Word.TIMEOUT)] if number in refused else seats[number].ask(number, ticks, body)
        sys.stdout.buffer.write(line.batch(out))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
