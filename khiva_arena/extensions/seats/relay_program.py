"""The relay's side of a bot's program: its start, its pipes and its end, even if the
relay is killed.

Each program has four threads, which only read, write and wait, since only threads can
read pipes on every system.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from khiva_arena.extensions.seats.relay_protocol import GRANT, POSIX, WINDOW, LinkBreach

DRAIN_SECONDS = 0.1
CHUNK = 65_536
WATCHDOG = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""
"""The watchdog's program: it reads the process groups of programs, and at the end of
its input kills those that are left.
"""


class Watchdog:
    """A process that outlives the relay by a moment: if the relay is killed, none of
    its bots runs on.

    Windows has no groups to kill; there a bot finds the end of its input and nothing
    else.
    """

    def __init__(self) -> None:
        self._process = None
        if POSIX:
            # In a session of its own: what kills the relay's group must not kill the
            # watchdog.
            words = [sys.executable, "-I", "-S", "-c", WATCHDOG]
            null = subprocess.DEVNULL
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True
            )

    def watch(self, pid: int) -> None:
        """Watch the group of a program that was just started."""
        self._say(f"+{pid}\n")

    def leave(self, pid: int) -> None:
        """Forget the group of a program that was killed."""
        self._say(f"-{pid}\n")

    def _say(self, line: str) -> None:
        if self._process and self._process.stdin:
            with suppress(
                OSError
            ):  # somebody has killed it: then bots that lose the relay find the end of their input
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()

    def close(self) -> None:
        """End the watchdog: the relay ends."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
            self._process.wait()


class Program:
    """A run of the command. Its threads report events by ``tell``, as (word, program,
    value).

    session: the one that it plays in; 0 between two.
    sent: bytes that the arena has not taken yet.
    unreported: bytes that were written to its stdin since the arena was told.
    may_come: bytes that the arena may still send for its stdin.
    input_over: whether the arena has ended its stdin.
    closing_at: when the session of a kept one ends; 0 until its input has ended.
    """

    def __init__(self, start: dict[str, Any], tell: Any, watchdog: Watchdog) -> None:
        """Start the program and its threads. Raises OSError."""
        self.session = 0
        self.killed = False
        self.sent = 0
        self.unreported = 0
        self.may_come = WINDOW
        self.input_over = False
        self.closing_at = 0.0
        self._tell = tell
        self._watchdog = watchdog
        self._room = WINDOW
        self._changed = threading.Condition()
        self._waits = 0
        self._read = 0
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        group: dict[str, Any] = (
            {"start_new_session": True} if POSIX else {"creationflags": 0x200}
        )  # a new process group
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            **start, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **group
        )
        watchdog.watch(self._process.pid)
        try:
            self._thread(self._writes)
            self._readers = [
                self._thread(self._reads, "1", self._process.stdout),
                self._thread(self._reads, "2", self._process.stderr),
            ]
            self._thread(self._waits_for_end)
        except RuntimeError as error:  # this system has no thread left
            self.kill()
            self._process.wait()
            raise OSError(0, str(error)) from None

    @staticmethod
    def _thread(target: Any, *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def give(self, data: bytes | None) -> None:
        """Queue bytes for the program's stdin; None: the end. Raises LinkBreach if the
        arena may not send so much.
        """
        if self.input_over:
            raise LinkBreach("bytes behind an end")
        self.may_come -= len(data or b"")
        if self.may_come < 0:
            raise LinkBreach("more than it may")
        self.input_over = data is None
        self._input.put(data)

    def end_input_of_session(self) -> None:
        """End the match of a bot that is kept, whose stdin stays open. Raises
        LinkBreach.
        """
        if self.input_over:
            raise LinkBreach("an end twice")
        self.input_over = True

    def granted(self) -> int:
        """Return how many more bytes the arena may send now, after those that were
        written to stdin; 0 if they are few.
        """
        count = min(self.unreported, WINDOW - self.may_come)
        if count < GRANT:
            return 0
        self.unreported = 0
        self.may_come += count
        return count

    def note_taken(self, count: int) -> None:
        """Note that the arena has taken so many bytes. Raises LinkBreach if it never
        got so many.
        """
        if not 0 < count <= self.sent:
            raise LinkBreach("an impossible window")
        self.sent -= count
        self.may_send(count)

    def may_send(self, count: int) -> None:
        """Read so many more bytes from the program."""
        with self._changed:
            self._room += count
            self._changed.notify_all()

    def next_match(self, session: int) -> None:
        """Play in this session, which begins with whole windows."""
        # The arena drops the bytes of a session that is over, and never grants them
        # back.
        self.may_send(self.sent)
        self.session, self.sent, self.unreported, self.closing_at = session, 0, 0, 0.0
        self.may_come, self.input_over = WINDOW, False

    def kill(self) -> None:
        """Kill the program and its group."""
        self.killed = True
        with self._changed:
            self._changed.notify_all()
        self._input.put(None)
        try:
            if POSIX:
                os.killpg(self._process.pid, signal.SIGKILL)
            elif self.runs:
                subprocess.run(
                    ["taskkill", "/T", "/F", "/PID", str(self._process.pid)],
                    capture_output=True,
                    check=False,
                )
                self._process.kill()
        except (
            ProcessLookupError,
            PermissionError,
        ):  # it has ended; macOS says the latter of a zombie
            pass
        self._watchdog.leave(self._process.pid)

    def _writes(self) -> None:
        stdin, open_ = self._process.stdin, True
        assert stdin
        while (data := self._input.get()) is not None:
            view = memoryview(data)
            try:
                while view and open_:
                    view = view[stdin.write(view) or 0 :]
            except OSError:
                open_ = False
                self._tell("i", self, None)
            self._tell("wrote", self, len(data))
        with suppress(OSError):  # bytes that it did not read are dropped
            stdin.close()

    def _reads(self, kind: str, pipe: Any) -> None:
        while True:
            with self._changed:
                self._waits += 1
                self._changed.wait_for(lambda: self._room > 0 or self.killed)
                self._waits -= 1
                room = min(max(self._room, 0), CHUNK)
                self._room -= room
            try:
                data = pipe.read(room or CHUNK)
            except OSError:
                data = b""
            with self._changed:
                # Room was taken for the largest read: both readers share it.
                self._room += room - len(data)
                self._read += 1
                self._changed.notify_all()
            if not self.killed and (data or kind == "1"):
                self._tell(kind, self, data)
            if not data:
                break
        pipe.close()

    def _waits_for_end(self) -> None:
        status = self._process.wait()
        read_before = -1
        while any(reader.is_alive() for reader in self._readers) and not self.killed:
            # A child of it may keep the output open: nothing new for a while is the
            # end, unless the arena has to take some first.
            if read_before == self._read and not self._waits:
                break
            read_before = self._read
            for reader in self._readers:
                reader.join(DRAIN_SECONDS / 2)
        self._tell("x", self, status)
