"""The honest half of the zoo: frames, the conversation, and the table that rows are entered in."""

import os
import select
import sys
import time
from collections import namedtuple
from collections.abc import Callable

from pack import pack, unpack

LONG = 60.0  # what no match of the zoo waits for


# One way to misbehave. No dataclass: a bot of the zoo is started a thousand times, and is to start fast.
Row = namedtuple("Row", "when do")
ROWS: dict[str, Row] = {}


def row(when: str) -> Callable[[Callable], Callable]:
    """Enter a function into the table; the row has its name, with dashes.

    start: called before anything is read, ``(bot)``; the hello follows unless it returns True.
    turn: called instead of the answer at the chosen decision, ``(bot, decide)``.
    probe: called before the answer; it returns what it reached, or raises OSError, and plays on.
    end: called when the match is over, ``(bot, message)``.
    """

    def enter(function: Callable) -> Callable:
        ROWS[function.__name__.rstrip("_").replace("_", "-")] = Row(when, function)
        return function

    return enter


class Bot:
    """A conversation over descriptors 0 and 1. ``longest`` is the longest wait for a message after the start, in seconds."""

    def __init__(self) -> None:
        self.hello: dict = {}
        self.longest = 0.0
        self.start = 0.0
        self._began = started()
        self._buffer = bytearray()

    def read(self) -> dict | None:
        """The next message, None at the end of the input. Works whatever flags the pipe has."""
        asked = time.monotonic()
        while (end := 4 + int.from_bytes(self._buffer[:4], "big")) > len(self._buffer) or end == 4:
            select.select([0], [], [])
            try:
                data = os.read(0, 1 << 20)
            except BlockingIOError:
                continue
            if not data:
                return None
            self._buffer += data
        message = unpack(bytes(self._buffer[4:end]))
        del self._buffer[:end]
        now = time.monotonic()
        if self.start:
            self.longest = max(self.longest, now - asked)
        elif message["type"] != "hello":
            self.start = now - self._began
        return message

    def raw(self, data: bytes) -> None:
        """Write bytes as they are, all of them."""
        while data:
            try:
                data = data[os.write(1, data) :]
            except BlockingIOError:
                select.select([], [1], [])

    def payload(self, data: bytes) -> None:
        """Write a frame with this payload."""
        self.raw(len(data).to_bytes(4, "big") + data)

    def send(self, message: dict) -> None:
        """Write a message."""
        self.raw(framed(message))

    def greet(self, **fields: object) -> None:
        """Say hello; ``fields`` are laid over an honest one."""
        self.send({"type": "hello", "proto": 1, "name": "zoo"} | fields)

    def answer(self, decide: dict, **fields: object) -> None:
        """Answer with the last legal choice; ``fields`` are laid over that."""
        self.send(last_legal(decide) | fields)


def framed(message: dict) -> bytes:
    """A message as it stands on the wire."""
    data = pack(message)
    return len(data).to_bytes(4, "big") + data


def last_legal(decide: dict) -> dict:
    """The answer with the last legal choice."""
    return {"type": "act", "req": decide["req"], "choice": len(decide["legal"]) - 1}


def say(text: str) -> None:
    """A line on stderr, in one write."""
    os.write(2, f"ZOO {text}\n".encode())


def started() -> float:
    """When this process was started, in seconds of the monotonic clock: to 10 ms by the system's books, else now."""
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return time.monotonic()
    asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    return min(time.monotonic(), ticks / os.sysconf("SC_CLK_TCK") - asleep)


def hang() -> None:
    """Do nothing for longer than anybody waits, and be gone some time later if nobody ends us."""
    time.sleep(LONG)
    sys.exit(0)
