"""The sessions of a relay, and the programs of the bot that play in them."""

from __future__ import annotations

import errno
import queue
import socket
import struct
import time
import traceback
from contextlib import suppress
from typing import Any

from khiva_arena.extensions.seats.relay_connecting import Ended
from khiva_arena.extensions.seats.relay_program import Program, Watchdog
from khiva_arena.extensions.seats.relay_protocol import MOST, Channel, LinkBreach

AT_MOST = 16
"""The programs at a time, unless the user says otherwise."""


class RelaySessions:
    """The sessions of a relay, each a match of one program.

    Threads of programs queue what happens; the relay's own thread takes it from there.
    """

    def __init__(self, start: dict[str, Any], keep: bool, say: Any, at_most: int) -> None:
        self._start, self._keep, self._say, self._at_most = start, keep, say, at_most
        self._channel = Channel()
        self._out = bytearray()
        self._connected = False
        self._sessions: dict[int, Program] = {}
        self._idle: list[Program] = []
        self._programs = 0
        self._last = 0
        self._happened: queue.SimpleQueue[tuple[str, Program, Any]] = queue.SimpleQueue()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        self._watchdog = Watchdog()

    def _put(self, kind: bytes, session: int, data: bytes = b"") -> None:
        frame = self._channel.encode(kind, session, data)
        if self._connected:
            self._out += frame

    def _fail(self, session: int, error: Exception) -> None:
        """End a session, and tell its error with the trace to the user of this machine,
        and its kind to the arena.

        The arena takes the link as lost: the bot's program has not ended by itself.
        """
        self._say_trace(error)
        program = self._sessions.pop(session, None)
        if program:
            program.kill()
        self._put(b"2", session, f"relay: {type(error).__name__}\n".encode())
        self._put(b"x", session)

    def _say_trace(self, error: Exception) -> None:
        self._say(
            "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
        )
        self._say("this is a bug, please report it with the lines above; the relay goes on")

    def _begin(self, session: int) -> None:
        if session <= self._last:
            raise LinkBreach("a session that was there before")
        self._last = session
        self._idle = [program for program in self._idle if program.runs]
        try:
            program = self._idle.pop() if self._idle else self._start_program()
        except OSError as error:
            self._put(
                b"2",
                session,
                f"relay: {self._start['args'][0]}: {error.strerror}\n".encode()[:MOST],
            )
            self._put(b"x", session, b"127")
            return
        program.next_match(session)
        self._sessions[session] = program

    def _start_program(self) -> Program:
        """Start a program. Raises OSError, such as BlockingIOError if too many run."""
        # A program that was killed takes a moment to end, while the next one starts.
        if len(self._sessions) >= self._at_most or self._programs >= 2 * self._at_most:
            raise BlockingIOError(
                errno.EAGAIN, f"{self._at_most} run already; --at-most N of the relay allows more"
            )
        program = Program(self._start, self._tell, self._watchdog)
        self._programs += 1
        return program

    def _start_idle(self) -> None:
        try:
            self._idle.append(self._start_program())
        except BlockingIOError:
            return  # so many have been killed that the next match starts one
        except OSError as error:
            raise Ended(2, f"{self._start['args'][0]}: {error.strerror}") from None

    def _tell(self, word: str, program: Program, value: Any) -> None:
        """Queue an event of a program, and wake the main thread. Called in the
        program's threads.
        """
        self._happened.put((word, program, value))
        with suppress(OSError):  # it is awake already, or at its end
            self._waker.send(b".")

    def _take_events(self) -> None:
        try:
            while self._woken.recv(4096):
                pass
        except BlockingIOError:
            pass
        while not self._happened.empty():
            self._event(*self._happened.get())
        for session, program in list(self._sessions.items()):
            if program.closing_at and time.monotonic() >= program.closing_at:
                del self._sessions[session]
                program.session = 0
                self._idle.append(program)
                self._put(b"x", session, b"0")

    def _event(self, word: str, program: Program, value: Any) -> None:
        self._programs -= word == "x"
        session = program.session
        try:
            self._take_event(word, program, value)
        except (LinkBreach, Ended):
            raise
        except Exception as error:
            self._fail(session, error)

    def _take_event(self, word: str, program: Program, value: Any) -> None:
        session = program.session
        if self._sessions.get(session) is not program:
            if word in "12" and value:
                program.may_send(len(value))  # between two matches: nobody is to have it
            return
        if word == "wrote":
            program.unreported += value
            if count := program.granted():
                self._put(b"c", session, struct.pack(">I", count))
        elif word == "x":
            del self._sessions[session]
            program.kill()  # the rest of its group
            self._put(b"x", session, b"%d" % value)
        else:
            program.sent += len(value or b"")
            self._put(word.encode(), session, value or b"")

    def _end_sessions(self) -> None:
        programs = list(self._sessions.values())
        self._sessions.clear()
        for program in programs:
            program.kill()
            if self._keep:
                self._start_idle()

    def _end_all(self) -> None:
        for program in [*self._sessions.values(), *self._idle]:
            program.kill()
        self._sessions.clear()
        self._watchdog.close()
        self._woken.close()
        self._waker.close()
