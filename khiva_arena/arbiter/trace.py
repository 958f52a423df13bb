"""A wire that prints the traffic of a match, or keeps its raw bytes, while it is
played.

It keeps to the rule of sealed answers: bytes from bots are decoded only when the step
is closed, which the next look or request of the arbiter shows. So answers appear late,
with the time at which they came. A bot's stderr appears at once, up to a limit for each
second, since tracing must take no time for which others are charged.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
import trio

from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr import incomplete_size
from khiva_arena.arbiter.transcript import (
    Cutter,
    Piece,
    breach,
    compact,
    in_hex,
    message_of,
    type_of,
)
from khiva_arena.arbiter.wire import Arrival, Ending, PassingWire, Wire
from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER
from khiva_arena.common.text import printable
from khiva_arena.errors import ConfigError, RemoteProtocolError

JSON_SHOWN = 400
LINE_KEPT = 1_000
OPENED_MOST = 8_192
"""Largest frame of a bot, in bytes, that is decoded to be shown: a hostile one takes
long.
"""
STDERR_SECONDS, STDERR_LINES, STDERR_BYTES = 1.0, 200, 32_768
TO_BOT, FROM_BOT = "to-bot", "from-bot"


class Trace:
    """The place where a trace goes.

    names: by seat, the text before each of its lines
    write: gets a line or several at a time, without the last line end, and must not
        block; None for none
    folder: gets a file of raw bytes for each seat and direction; None for none
    first: the number of the first seat, for the names of the files
    redactors: by seat, the values taken out of written lines, not out of the raw bytes
    failure: why not all bytes were kept, "" if they were
    shown: the characters of a message that a line has at most, None for all

    A match that is played again after a void is traced again: its bytes replace those
    of the first time. Raises ConfigError if the folder cannot be written, or holds such
    files.
    """

    def __init__(
        self,
        names: Sequence[str],
        write: Callable[[str], None] | None,
        folder: Path | None = None,
        redactors: Sequence[Redactor] = (),
        first: int = 0,
    ) -> None:
        self.names = names
        self._first = first
        self._redactors = redactors
        self.write = write
        self._folder = folder
        self._files: dict[tuple[int, str], BinaryIO] = {}
        self._began = 0.0
        self._stderr = [_Stderr() for _ in names]
        self.failure = ""
        self.shown: int | None = JSON_SHOWN
        self._new_folder: Path | None = None
        if folder is not None:
            self._open(folder)

    def _open(self, folder: Path) -> None:
        try:
            self._new_folder = None if folder.exists() else folder
            folder.mkdir(parents=True, exist_ok=True)
            for seat in range(len(self.names)):
                for way in (TO_BOT, FROM_BOT):
                    self._files[seat, way] = (folder / f"seat-{self._first + seat}.{way}").open(
                        "xb"
                    )
        except FileExistsError as error:
            self.undo()
            raise ConfigError(
                f"{error.filename}: exists already, and is not changed; name another folder"
            ) from None
        except OSError as error:
            self.undo()
            raise ConfigError(f"{folder}: cannot be written: {error.strerror or error}") from None

    def undo(self) -> None:
        """Remove the files and the folder just made, so that they are not in the way
        the next time.
        """
        for file in self._files.values():
            Path(file.name).unlink(missing_ok=True)
        self.close()
        if self._new_folder is not None:
            with suppress(OSError):  # somebody has put something there since
                self._new_folder.rmdir()

    def close(self) -> None:
        """Close the files."""
        files, self._files = self._files, {}
        for file in files.values():
            with suppress(OSError):  # the bytes that it still holds were tried before
                file.close()

    def around(self, wire: Wire) -> "TracingWire":
        """Return ``wire`` traced from now on."""
        self.begin()
        return TracingWire(wire, self)

    def begin(self) -> None:
        """Begin to trace a match, from the start of the files."""
        self._began = trio.current_time()
        self._stderr = [_Stderr() for _ in self.names]
        try:
            for file in self._files.values():
                file.seek(0)
                file.truncate()
        except OSError as error:
            self._fail(0, error)

    def sent(self, seat: int, frame: bytes) -> None:
        """Keep and show a frame that a bot is sent."""
        self.keep(seat, TO_BOT, frame)
        if self.write is not None:
            message = msgspec.msgpack.decode(frame[HEADER:])
            self.say(
                seat, trio.current_time(), ">", f"{type_of(message)} {compact(message, self.shown)}"
            )

    def show(self, seat: int, at: float, piece: Piece, tail: str = "") -> None:
        """Show what a bot wrote, a frame or what can be none. ``tail``: follows it in
        the line.
        """
        try:
            if piece.wrong:
                raise RemoteProtocolError(piece.wrong)
            if len(piece.data) > OPENED_MOST:
                self.say(
                    seat,
                    at,
                    "<",
                    f"{len(piece.data)} bytes, not opened here: {in_hex(piece)}{tail}",
                )
                return
            message = message_of(piece.data)
        except RemoteProtocolError as error:
            self.say(seat, at, "<", f"? {in_hex(piece)} ({error.detail}){tail}")
            return
        wrong = breach(piece.data, message, from_bot=True)
        self.say(
            seat,
            at,
            "<",
            f"{type_of(message)} {compact(message, self.shown)}"
            + (f" ({wrong})" if wrong else "")
            + tail,
        )

    def keep(self, seat: int, way: str, data: bytes) -> None:
        """Keep raw bytes of a seat. If the disk is full, the files end, but not the
        match.
        """
        if (seat, way) in self._files:
            try:
                self._files[seat, way].write(data)
                self._files[seat, way].flush()
            except OSError as error:
                self._fail(seat, error)

    def keep_output(self, seat: int, data: bytes) -> None:
        """Keep raw bytes of a bot that is no longer read."""
        self.keep(seat, FROM_BOT, data)

    def _fail(self, seat: int, error: OSError) -> None:
        self.failure = error.strerror or str(error)
        self.close()
        self.say(seat, trio.current_time(), "!", f"no more raw bytes are kept: {self.failure}")

    def say(self, seat: int, at: float, sign: str, text: str) -> None:
        """Write one line. ``at``: seconds of the monotonic clock."""
        if self.write is not None:
            self.write(self._line(seat, at, sign, text))

    def _line(self, seat: int, at: float, sign: str, text: str) -> str:
        text = self._redactors[seat].text(text) if self._redactors else text
        return f"{max(0.0, at - self._began) * 1000:10.1f} ms  {self.names[seat]} {sign} {text}"

    def on_stderr(self, seat: int, data: bytes) -> None:
        """Write the lines of a bot's stderr, as they come."""
        if self.write is not None:
            now = trio.current_time()
            self._write_lines(seat, now, self._stderr[seat].take(data, now))

    def end_stderr(self) -> None:
        """Write the last incomplete lines: no more will come on any stderr."""
        for seat, stderr in enumerate(self._stderr):
            self._write_lines(seat, trio.current_time(), stderr.end())

    def _write_lines(self, seat: int, at: float, lines: list[tuple[str, str]]) -> None:
        if self.write is not None and lines:
            self.write("\n".join(self._line(seat, at, sign, text) for sign, text in lines))


class _Stderr:
    """A cutter of one bot's stderr into lines: sign and text of each.

    Bytes beyond the limit of a second are only counted, since a flood is not a fault
    and would take the time of all others.
    """

    def __init__(self) -> None:
        self._incomplete = b""
        self._ends = -math.inf
        self._lines = self._bytes = 0
        self._hidden_lines = self._hidden_bytes = 0

    def take(self, data: bytes, now: float) -> list[tuple[str, str]]:
        hidden = []
        if now >= self._ends:
            hidden = self._hidden()
            self._ends, self._lines, self._bytes = now + STDERR_SECONDS, STDERR_LINES, STDERR_BYTES
        visible, rest = data[: self._bytes], data[self._bytes :]
        self._bytes -= len(visible)
        *lines, incomplete = (self._incomplete + visible).split(b"\n", self._lines)
        self._lines -= len(lines)
        if not self._lines:
            incomplete, rest = b"", incomplete + rest
        elif rest:
            lines.append(incomplete)
            incomplete = b""
        elif len(incomplete) > LINE_KEPT:
            cut = len(incomplete) - incomplete_size(incomplete)
            lines.append(incomplete[:cut])
            incomplete = incomplete[cut:]
        self._incomplete = incomplete
        if rest:
            self._lines = self._bytes = 0
            self._hidden_lines += rest.count(b"\n")
            self._hidden_bytes += len(rest)
        return [*hidden, *(("|", printable(line)) for line in lines)]

    def end(self) -> list[tuple[str, str]]:
        incomplete, self._incomplete = self._incomplete, b""
        return [("|", printable(incomplete))] * bool(incomplete) + self._hidden()

    def _hidden(self) -> list[tuple[str, str]]:
        lines, size = self._hidden_lines, self._hidden_bytes
        self._hidden_lines = self._hidden_bytes = 0
        return [("!", f"... {size} bytes of its stderr not shown, with {lines} line ends")] * bool(
            size
        )


class TracingWire(PassingWire):
    """A wire that passes everything on, and shows it."""

    def __init__(self, wire: Wire, trace: Trace) -> None:
        super().__init__(wire)
        self._trace = trace
        self._cutters = [Cutter(FRAME_MOST_TO_ARBITER) for _ in trace.names]
        self._ends: set[int] = set()
        self._stopped_seats: set[int] = set()
        # Arrivals and stops while a step is open; as much as a session takes in before
        # it ends a bot.
        self._sealed_entries: list[Arrival | tuple[int, float]] = []

    def send(self, seat: int, data: bytes) -> None:
        self._unseal()
        self._trace.sent(seat, data)
        self._wire.send(seat, data)

    def look(self) -> Sequence[Arrival]:
        self._unseal()
        arrivals = self._wire.look()
        self._seal(arrivals)
        return arrivals

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        arrivals = await self._wire.receive(deadline)
        self._seal(arrivals)
        return arrivals

    def stop(self, seat: int) -> None:
        self._wire.stop(seat)
        if seat not in self._stopped_seats:
            self._stopped_seats.add(seat)
            self._sealed_entries.append((seat, trio.current_time()))

    async def close(self, grace: float) -> list[Ending]:
        endings = await self._wire.close(grace)
        self._unseal()
        for seat, cutter in enumerate(self._cutters):
            for piece in cutter.end():
                self._trace.show(seat, trio.current_time(), piece)
        self._trace.end_stderr()
        return endings

    def _seal(self, arrivals: Sequence[Arrival]) -> None:
        for arrival in arrivals:
            self._trace.keep(arrival.seat, FROM_BOT, arrival.data)
        if self._trace.write is not None:
            self._sealed_entries += arrivals

    def _unseal(self) -> None:
        entries, self._sealed_entries = self._sealed_entries, []
        for entry in entries:
            if not isinstance(entry, Arrival):
                self._trace.say(*entry, "x", "is out: killed with all of its processes")
            elif entry.data:
                for piece in self._cutters[entry.seat].feed(entry.data):
                    self._trace.show(entry.seat, entry.at, piece)
            elif entry.seat not in self._ends:
                self._ends.add(entry.seat)
                self._trace.say(entry.seat, entry.at, "<", "end of output")
