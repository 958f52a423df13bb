"""A wire that keeps the beginning of each bot's stdout, shown for a bot that fails to
start.
"""

from collections.abc import Callable, Sequence

import msgspec
import trio

from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr import incomplete_size
from khiva_arena.arbiter.wire import Arrival, Ending, PassingWire, Wire
from khiva_arena.common.text import printable
from khiva_arena.words import count

KEPT = 2_048
FLOOD = 1 << 20
"""Bytes of output after which a bot that is out is stopped."""
LAST_SECONDS, MOMENT = 0.3, 0.005
HEX_SHOWN = 256
HEX_ROW = 16
LINES_MOST = 40
READABLE = 0.8
"""Least share of readable characters in bytes that are shown as text."""


class BotOutput(msgspec.Struct):
    """The output of one bot on stdout.

    head: the beginning
    total: bytes in all
    """

    head: bytearray = msgspec.field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        """Take in more bytes; only the beginning is kept."""
        self.head += data[: KEPT - len(self.head)]
        self.total += len(data)

    def text(self, redactor: Redactor) -> str:
        """Format the beginning for people: as text if it is text, else in hex. Several
        lines, "" for nothing.

        The text is safe on a terminal and lacks the values that ``redactor`` takes out.
        """
        if not self.head:
            return ""
        # Bytes that may be the beginning of a value are held back where more was cut
        # off.
        head = redactor.take(bytes(self.head))
        head += redactor.rest() if self.total == len(self.head) else b""
        text = head[: len(head) - incomplete_size(head)].decode("utf-8", "replace")
        letters = sum(
            (letter.isprintable() and letter != "\ufffd") or letter in "\t\r\n" for letter in text
        )
        lines, size = _as_text(head) if letters >= READABLE * len(text) and text else _as_hex(head)
        hidden = self.total - size
        return "\n".join([*lines, *([f"... and {count(hidden, 'byte')} more"] if hidden else [])])


def _as_text(head: bytes) -> tuple[list[str], int]:
    """Return the lines, and the number of bytes that they show."""
    lines = head.splitlines(keepends=True)[:LINES_MOST]
    return [printable(line.rstrip(b"\r\n")) for line in lines], sum(map(len, lines))


def _as_hex(head: bytes) -> tuple[list[str], int]:
    data = head[:HEX_SHOWN]
    rows = [data[at : at + HEX_ROW] for at in range(0, len(data), HEX_ROW)]
    lines = [
        f"{row.hex(' '):<{3 * HEX_ROW}} {''.join(chr(b) if 32 <= b < 127 else '.' for b in row)}"
        for row in rows
    ]
    return lines, len(data)


class OutputKeeper(PassingWire):
    """A wire that passes everything on and keeps the output. ``outputs``: by seat.

    Before a bot is stopped, it gets a moment to end or to write more, which only
    ``keep`` gets. So its last output and its exit code are known.
    """

    def __init__(
        self, wire: Wire, seats: int, keep: Callable[[int, bytes], None] | None = None
    ) -> None:
        super().__init__(wire)
        self.outputs = [BotOutput() for _ in range(seats)]
        self._keep = keep
        self._out: set[int] = set()
        self.send = wire.send

    def look(self) -> Sequence[Arrival]:
        return self._keep_output(self._wire.look())

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        return self._keep_output(await self._wire.receive(deadline))

    def stop(self, seat: int) -> None:
        self._out.add(seat)

    async def close(self, grace: float) -> list[Ending]:
        until = trio.current_time() + LAST_SECONDS
        while (
            not all(self._wire.describe_exit(seat) for seat in self._out)
            and trio.current_time() < until
        ):
            self._keep_output(self._wire.look())
            await trio.sleep(MOMENT)
        self._keep_output(self._wire.look())
        for seat in self._out:
            self._wire.stop(seat)
        return await self._wire.close(grace)

    def _keep_output(self, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        for arrival in arrivals:
            output = self.outputs[arrival.seat]
            output.add(arrival.data)
            if arrival.seat in self._out:
                if self._keep is not None:
                    self._keep(arrival.seat, arrival.data)
                if output.total > FLOOD:
                    self._wire.stop(arrival.seat)
        return (
            [arrival for arrival in arrivals if arrival.seat not in self._out]
            if self._out
            else arrivals
        )
