"""The relay itself: one thread has the connection and all state, and programs' threads
report to it.

The arena is trusted with nothing but bytes for the bot's input. Any other message is a
``LinkBreach``, which ends this connection and its matches, and the relay connects
again. Nothing is final before both sides have shown that they know the token.
"""

from __future__ import annotations

import secrets
import select
import socket
import ssl
import time
from typing import Any

from khiva_arena.extensions.seats.arena_link import ArenaLink, number_of
from khiva_arena.extensions.seats.relay_connecting import (
    OTHER,
    Ended,
    address_text,
    explain,
    harmless,
    object_of,
    read_now,
    receive_frames,
)
from khiva_arena.extensions.seats.relay_protocol import (
    COUNTED_OF_ARENA,
    DEAD_SECONDS,
    GREET_SECONDS,
    LIFE_BYTES,
    VERSION,
    WINDOW,
    Channel,
    Frames,
    LinkBreach,
    number,
    packed,
    packed_json,
    proof,
    same,
    values_of,
)
from khiva_arena.extensions.seats.relay_sessions import AT_MOST, RelaySessions

BACKOFF = (0.1, 5.0)
KEPT_SECONDS = 0.02
"""The time after the end of a kept bot's match for the rest of its stderr."""
PING_MOST = 64
UNREAD_MOST = 4 << 20
"""Bytes, beside the windows of the sessions, that the arena may leave unread or not
acknowledged.
"""
LONGEST_AWAY = 86_400.0


class Relay(RelaySessions):
    """A bot of this machine at a table elsewhere, from the first connection to the end
    of the run.

    link: where the arena listens, and by which name and token it knows this relay
    start: arguments of Popen
    keep: whether one process plays one match after another
    say: takes a line for people
    at_most: programs at a time
    """

    def __init__(
        self, link: ArenaLink, start: dict[str, Any], keep: bool, say: Any, at_most: int = AT_MOST
    ) -> None:
        super().__init__(start, keep, say, at_most)
        self._where, self._name, self._token, self._tls = link
        self._life = secrets.token_hex(LIFE_BYTES)
        self._run = ""
        self._give_up_at = float("inf")
        self._reconnect = 30.0
        self._last_said = ""

    def serve(self) -> int:
        """Serve until the run is over. Returns the exit code."""
        pause = BACKOFF[0]
        try:
            if self._keep:
                self._start_idle()
            while True:
                try:
                    with self._connection() as connection:
                        pause = BACKOFF[0]
                        try:
                            self._talk(connection)
                        except LinkBreach:
                            self._begin_anew()
                            raise
                except (OSError, LinkBreach) as error:
                    self._say_lost(error)
                except Ended:
                    raise
                except Exception as error:
                    self._say_trace(error)
                    self._begin_anew()
                    self._say_lost(error)
                self._wait(pause)
                pause = min(BACKOFF[1], pause * 1.6)
        except Ended as end:
            self._say(str(end))
            return end.code
        finally:
            self._end_all()

    def _say_lost(self, error: Exception) -> None:
        self._out.clear()
        if self._connected:
            self._give_up_at = time.monotonic() + self._reconnect
        self._connected = False
        text = f"no link to {address_text(self._where)}: {explain(error)}; trying again"
        if text != self._last_said:
            self._say(text)
        self._last_said = text

    def _wait(self, seconds: float) -> None:
        """Wait between two connections; the output of the bot meanwhile is kept."""
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0:
            select.select([self._woken], [], [], rest)
            self._take_events()
        if self._sessions and time.monotonic() > self._give_up_at:
            self._say(f"the link was away for {self._reconnect:.0f} s: the match is given up")
            self._end_sessions()

    # --- a connection ---

    def _connection(self) -> socket.socket:
        """Return a connection on which both sides have shown that they know the token.
        Raises OSError, LinkBreach and Ended.
        """
        connection = socket.create_connection(self._where, GREET_SECONDS)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_hostname=self._where[0])
            self._greet(connection)
            connection.setblocking(False)
        except BaseException:
            connection.close()
            raise
        return connection

    def _greet(self, connection: socket.socket) -> None:
        frames = receive_frames(connection, time.monotonic() + GREET_SECONDS)
        greeting = object_of(frames, b"G")
        their_nonce, own_nonce = greeting.get("nonce"), secrets.token_hex(LIFE_BYTES)
        if (
            not isinstance(their_nonce, str)
            or not their_nonce.isascii()
            or len(their_nonce) > 4 * LIFE_BYTES
        ):
            raise LinkBreach(OTHER)
        connection.sendall(
            packed_json(
                b"H",
                relay=VERSION,
                name=self._name,
                life=self._life,
                run=self._run,
                got=self._channel.got,
                kept=self._keep,
                nonce=own_nonce,
                proof=proof(self._token, "relay", self._name, their_nonce, own_nonce),
            )
        )
        expected_proof = proof(self._token, "arena", self._name, their_nonce, own_nonce)
        welcome = object_of(frames, b"W", expected_proof)
        if not same(welcome.get("proof"), expected_proof):
            raise LinkBreach(
                "the program at this address does not know the token, so nothing is played there"
            )
        if not welcome.get("resumed"):
            self._begin_anew()
        self._run, self._reconnect = (
            str(welcome.get("run"))[: 4 * LIFE_BYTES],
            number_of(welcome, "reconnect", 30.0, LONGEST_AWAY),
        )
        self._out[:] = self._channel.again(int(number_of(welcome, "got", 0, 2**53)))
        self._connected, self._give_up_at, self._last_said = True, float("inf"), ""
        self._say(f"connected to {address_text(self._where)} as {self._name}")

    def _begin_anew(self) -> None:
        """End all sessions, and count frames from 0 again: nothing is left of the life
        so far.
        """
        self._end_sessions()
        self._channel, self._run, self._last = Channel(), "", 0

    def _talk(self, connection: socket.socket) -> None:
        """Pass bytes until the connection is lost, which raises OSError, or
        LinkBreach.
        """
        frames = Frames()
        heard_at = time.monotonic()
        while True:
            self._send(connection)
            rest = heard_at + DEAD_SECONDS - time.monotonic()
            if rest <= 0:
                raise ConnectionError("nothing was heard for too long")
            readable, _, _ = select.select(
                [connection, self._woken],
                [connection] if self._out else [],
                [],
                self._patience(rest),
            )
            if connection in readable:
                while (data := read_now(connection)) is not None:
                    if not data:
                        raise ConnectionError("the other side closed it")
                    heard_at = time.monotonic()
                    for kind, session, content in frames.feed(data):
                        self._take(kind, session, content)
            self._take_events()
            self._check_unread()

    def _check_unread(self) -> None:
        """Raise LinkBreach if the arena lets bytes for it pile up."""
        limit = UNREAD_MOST + self._at_most * 2 * WINDOW
        if len(self._out) > limit or self._channel.kept_bytes > limit:
            raise LinkBreach("it takes nothing")

    def _patience(self, seconds: float) -> float:
        closing = [program.closing_at for program in self._sessions.values() if program.closing_at]
        return max(0.0, min([seconds, *(at - time.monotonic() for at in closing)]))

    def _send(self, connection: socket.socket) -> None:
        try:
            while self._out:
                del self._out[: connection.send(self._out)]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return

    # --- the arena's frames ---

    def _take(self, kind: bytes, session: int, data: bytes) -> None:
        if kind in COUNTED_OF_ARENA:
            self._out += self._channel.count_frame()
            self._take_counted(kind, session, data)
        elif kind == b"p":
            if len(data) > PING_MOST:
                raise LinkBreach("a ping of another size")
            self._out += packed(b"q", 0, data)
        elif kind == b"a":
            self._channel.acknowledged(number(data, ">Q"))
        elif kind == b"R":
            raise ConnectionError(harmless(str(values_of(data).get("text"))))
        elif kind == b"b":
            if values_of(data).get("over"):
                raise Ended(0, "the run is over")
            self._begin_anew()
            raise ConnectionError("the arena has ended")
        else:
            raise LinkBreach(f"a frame of kind {kind!r}")

    def _take_counted(self, kind: bytes, session: int, data: bytes) -> None:
        """Take a frame of one session. An error of this relay in it ends that session,
        and the others go on.
        """
        try:
            self._take_of_session(kind, session, data)
        except (LinkBreach, Ended):
            raise
        except Exception as error:
            self._fail(session, error)

    def _take_of_session(self, kind: bytes, session: int, data: bytes) -> None:
        program = self._sessions.get(session)
        if kind == b"o":
            self._begin(session)
        elif program is None:
            return  # it ended before the arena knew
        elif kind == b"d":
            program.give(data)
        elif kind == b"n" and self._keep:
            program.end_input_of_session()
            program.closing_at = time.monotonic() + KEPT_SECONDS
        elif kind == b"n":
            program.give(None)
        elif kind == b"c":
            program.note_taken(number(data, ">I"))
        else:
            del self._sessions[session]
            program.kill()
            if self._keep:
                self._start_idle()
