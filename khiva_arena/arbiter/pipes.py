"""Bytes to and from the bots of one match: raw pipes that never block, and one wait for
all.
"""

import fcntl
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import trio

from khiva_arena.arbiter import poller
from khiva_arena.arbiter.child import NOTES_PER_WINDOW, Child
from khiva_arena.arbiter.wire import Arrival, HostFault

CHUNK = 65_536
NOTES_WINDOW = 0.02
_NOTHING: tuple[Arrival, ...] = ()


class Pipes:
    """The arbiter's ends of all pipes of a match. Bots are added in the order of their
    seats.

    poller: waits until there is something to poll
    resumes_at: when reading the stderr of bots that flooded it continues; infinite if
        none did
    pending_eof: ends of output that no pipe reports: handed out by the next poll
    """

    def __init__(self, on_stderr: Callable[[int, bytes], None] | None) -> None:
        """Begin without bots. ``on_stderr`` gets the bytes that a seat's bot writes on
        stderr, as they come. Raises HostFault.
        """
        try:
            self.poller = poller.poller()
        except OSError as error:
            raise HostFault(f"the host cannot start a match: {error}") from None
        self.resumes_at = math.inf
        self.pending_eof: list[Arrival] = []
        self._on_stderr = on_stderr
        self._children: list[Child] = []
        self._reads: dict[int, tuple[Child, bool]] = {}
        self._writes: dict[int, Child] = {}
        self._throttled: list[Child] = []

    def add(self, child: Child) -> None:
        """Read the output of a bot from now on. A bot that never started gets the end
        of its output at the next poll.
        """
        self._children.append(child)
        if child.started is None:
            self.end_output(child, trio.current_time())
            return
        for descriptor, is_stderr in ((child.stdout, False), (child.stderr, True)):
            self.poller.register(descriptor, poller.IN)
            self._reads[descriptor] = (child, is_stderr)

    def send(self, seat: int, data: bytes) -> None:
        """Write to a bot; bytes that the pipe does not take are kept and written later.
        A bot whose input is closed gets nothing.
        """
        child = self._children[seat]
        if child.stdin < 0:
            return
        if child.backlog:
            child.backlog += data
            return
        try:
            written = os.write(child.stdin, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self._input_closed(child)
            return
        if written < len(data):
            child.backlog += data[written:]
            self.poller.register(child.stdin, poller.OUT)
            self._writes[child.stdin] = child

    def end_input(self, seat: int) -> bool:
        """End the bot's input unless something is still to be written there. Return
        True if the input has ended.
        """
        child = self._children[seat]
        if not child.backlog:
            child.stdin = self._forget(child.stdin)
        return child.stdin < 0

    def end_output(self, child: Child, at: float) -> None:
        """Report the end of a bot's output at the next poll."""
        self.pending_eof.append(Arrival(child.seat, at, b""))

    def poll(self, patience: float) -> Sequence[Arrival]:
        """Read everything that is there now, or comes within ``patience`` seconds, and
        write what waits to be written.
        """
        if self._throttled and trio.current_time() >= self.resumes_at:
            self._unthrottle()
        ready = self.poller.poll(0.0 if self.pending_eof else patience)
        if not ready and not self.pending_eof:
            return _NOTHING
        now = trio.current_time()
        out, self.pending_eof = self.pending_eof, []
        for descriptor, _mask in ready:
            reader = self._reads.get(descriptor)
            if reader is None:
                if descriptor in self._writes:
                    self._write_more(self._writes[descriptor])
            elif reader[1]:
                self._read_stderr(reader[0], now)
            else:
                child = reader[0]
                data = _read(descriptor)
                if data:
                    out.append(Arrival(child.seat, now, data))
                elif data is not None:
                    child.stdout = self._forget(descriptor)
                    out.append(Arrival(child.seat, now, b""))
        out += self.pending_eof  # a write may have found an input closed
        self.pending_eof = []
        return out

    def _write_more(self, child: Child) -> None:
        try:
            written = os.write(child.stdin, child.backlog)
        except BlockingIOError:
            return
        except OSError:
            self._input_closed(child)
            return
        del child.backlog[:written]
        if not child.backlog:
            self.poller.unregister(child.stdin)
            del self._writes[child.stdin]

    def _input_closed(self, child: Child) -> None:
        """Note that the bot closed its input or is dead, and report the end of its
        output.
        """
        child.input_lost = True
        child.stdin = self._forget(child.stdin)
        child.backlog.clear()
        self.end_output(child, trio.current_time())

    # --- stderr ---

    def _read_stderr(self, child: Child, now: float) -> None:
        data = _read(child.stderr)
        if data:
            self._add_stderr(child, data)
            child.notes_allowed -= len(data)
            if child.notes_allowed <= 0:
                # A flood of notes is never a fault, but it may not eat the arbiter's
                # time: read on a little later.
                self.poller.modify(child.stderr, poller.NOTHING)
                self._throttled.append(child)
                if len(self._throttled) == 1:
                    self.resumes_at = now + NOTES_WINDOW
        elif data is not None:
            child.stderr = self._forget(child.stderr)

    def look_at_stderr(self, child: Child) -> None:
        """Read what a bot wrote on stderr before it is sent a request: a full pipe at
        most, and nothing of a flood.
        """
        if child.stderr >= 0 and child.notes_allowed > 0:
            self._read_stderr(child, trio.current_time())

    def _unthrottle(self) -> None:
        for child in self._throttled:
            child.notes_allowed = NOTES_PER_WINDOW
            if child.stderr >= 0:
                self.poller.modify(child.stderr, poller.IN)
        self._throttled.clear()
        self.resumes_at = math.inf

    def drain_stderr(self, child: Child) -> None:
        """Read the rest of a dead bot's stderr into its notes."""
        while child.stderr >= 0 and (data := _read(child.stderr)):
            self._add_stderr(child, data)
        if data := child.redactor.take(child.quiet.rest()) + child.redactor.rest():
            self._keep_notes(child, data)

    def _add_stderr(self, child: Child, data: bytes) -> None:
        if data := child.redactor.take(child.quiet.take(data)):
            self._keep_notes(child, data)

    def _keep_notes(self, child: Child, data: bytes) -> None:
        child.notes.add(data)
        if child.transcript is not None:
            child.transcript.add(data)
        if self._on_stderr is not None:
            self._on_stderr(child.seat, data)

    # --- ending ---

    @contextmanager
    def woken_by(self, descriptor: int | None) -> Iterator[None]:
        """Let a wait within the context end when ``descriptor`` is readable, too:
        level-triggered, so no wait misses that.
        """
        if descriptor is None:
            yield
            return
        self.poller.register(descriptor, poller.IN)
        try:
            yield
        finally:
            self.poller.unregister(descriptor)

    def cut(self, child: Child) -> None:
        """Send the bot nothing more, and read nothing more of it except its stderr."""
        child.stdin = self._forget(child.stdin)
        child.stdout = self._forget(child.stdout)
        child.backlog.clear()

    def close(self, child: Child) -> None:
        """Close every descriptor of the bot that is open."""
        self.cut(child)
        child.stderr = self._forget(child.stderr)

    def _forget(self, descriptor: int) -> int:
        if descriptor >= 0:
            if (
                self._reads.pop(descriptor, None) is not None
                or self._writes.pop(descriptor, None) is not None
            ):
                self.poller.unregister(descriptor)
            os.close(descriptor)
        return -1


class Ends(NamedTuple):
    """One side's descriptors of the three pipes of a bot."""

    stdin: int
    stdout: int
    stderr: int


class PipeEnds(NamedTuple):
    """Both ends of the three pipes of a bot.

    arbiter: these do not block
    bot: these are handed to the bot's process
    """

    arbiter: Ends
    bot: Ends


def pipes() -> PipeEnds:
    """Make the three pipes of a bot. Each end is a file description of its own.

    Raises HostFault if the host has no pipes left.
    """
    descriptors: list[int] = []
    try:
        for _ in range(3):
            descriptors += os.pipe()
    except OSError as error:
        close(*descriptors)
        raise HostFault(f"the host has no pipes left: {error}") from None
    ours = Ends(descriptors[1], descriptors[2], descriptors[4])
    for descriptor in ours:
        fcntl.fcntl(
            descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_NONBLOCK
        )
    return PipeEnds(ours, Ends(descriptors[0], descriptors[3], descriptors[5]))


def close(*descriptors: int) -> None:
    """Close all descriptors."""
    for descriptor in descriptors:
        os.close(descriptor)


def _read(descriptor: int) -> bytes | None:
    """Read up to CHUNK bytes: b"" at the end, None when nothing is there now."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
