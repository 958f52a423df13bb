"""Seats a bot of this machine at a table of Khiva Arena elsewhere.

Standard-library Python, 3.9 or newer, for any system. For a machine without the arena ``khiva-arena relay --copy relay.py``
writes it and relay_protocol.py as one file:

    python3 relay.py HOST:PORT NAME -- COMMAND

``khiva-arena relay`` does the same: it connects to the arena, starts COMMAND for each match, and passes bytes. What the bot gets
on stdin and gives on stdout is wire protocol 1, unchanged. docs/remote.md is its page.

One thread has the connection and all that is known. Each program has four more, which do nothing but read, write and wait, since
only so can pipes be read on every system; they report to the first.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import queue
import secrets
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Iterator, NoReturn, Sequence  # noqa: UP035 - for Python 3.9

from khiva_arena.web.relay_protocol import (
    COUNTED_OF_ARENA,
    DEAD_SECONDS,
    GRANT,
    GREET_SECONDS,
    HEAD,
    LIFE_BYTES,
    MOST,
    POSIX,
    VERSION,
    WINDOW,
    Channel,
    Frames,
    LinkBreach,
    address,
    is_loopback,
    number,
    packed,
    packed_json,
    proof,
    read_token,
    token_folder,
)

BACKOFF = (0.1, 5.0)
DRAIN_SECONDS = 0.1
KEPT_SECONDS = 0.02
"""After the end of a kept bot's match: for what it still says on stderr."""
CHUNK = 65_536


# --- the bot's program ---


class Program:
    """One run of the command. Its threads tell ``tell`` what happens, as (word, program, value).

    session: the one that it plays in; 0 between two.
    sent: bytes that the arena has not taken yet.
    unreported: bytes that were written to its stdin since the arena was told.
    closing_at: when the session of a kept one ends; 0 until its input has ended.
    """

    def __init__(self, start: dict[str, Any], tell: Any) -> None:
        self.session = 0
        self.killed = False
        self.sent = 0
        self.unreported = 0
        self.closing_at = 0.0
        self._tell = tell
        self._room = WINDOW
        self._changed = threading.Condition()
        self._waits = 0
        self._read = 0
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        group: dict[str, Any] = {"start_new_session": True} if POSIX else {"creationflags": 0x200}  # a new process group
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(**start, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **group)
        self._readers = [
            self._thread(self._reads, "1", self._process.stdout),
            self._thread(self._reads, "2", self._process.stderr),
        ]
        self._thread(self._writes)
        self._thread(self._waits_for_end)

    @staticmethod
    def _thread(what: Any, *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=what, args=arguments, daemon=True)
        thread.start()
        return thread

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def give(self, data: bytes | None) -> None:
        """For its stdin; None: the end."""
        self._input.put(data)

    def may_send(self, count: int) -> None:
        """The arena takes so many bytes more."""
        with self._changed:
            self._room += count
            self._changed.notify_all()

    def next_match(self, session: int) -> None:
        """Play in this session, which begins with whole windows."""
        self.may_send(self.sent)
        self.session, self.sent, self.unreported, self.closing_at = session, 0, 0, 0.0

    def kill(self) -> None:
        """End it and its group."""
        self.killed = True
        with self._changed:
            self._changed.notify_all()
        self._input.put(None)
        try:
            if POSIX:
                os.killpg(self._process.pid, signal.SIGKILL)
            elif self.runs:
                subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._process.pid)], capture_output=True, check=False)
                self._process.kill()
        except (ProcessLookupError, PermissionError):  # it has ended; macOS says the latter of a zombie
            pass

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
        with suppress(OSError):  # what it did not read is nobody's any more
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
        seen = -1
        while any(reader.is_alive() for reader in self._readers) and not self.killed:
            # A child of it may keep the output open: nothing new for a while is the end, unless the arena has to take some first.
            if seen == self._read and not self._waits:
                break
            seen = self._read
            for reader in self._readers:
                reader.join(DRAIN_SECONDS / 2)
        self._tell("x", self, status)


# --- the relay ---


class Ended(Exception):
    """The relay has nothing left to do: with this exit code, having said why."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Relay:
    """``start`` are arguments of Popen; ``say`` takes lines for people."""

    def __init__(
        self,
        where: tuple[str, int],
        name: str,
        token: str,
        start: dict[str, Any],
        tls: ssl.SSLContext | None,
        keep: bool,
        say: Any,
    ) -> None:
        self._where, self._name, self._token, self._start, self._tls, self._keep = where, name, token, start, tls, keep
        self._say = say
        self._life = secrets.token_hex(LIFE_BYTES)
        self._run = ""
        self._channel = Channel()
        self._sessions: dict[int, Program] = {}
        self._idle: list[Program] = []
        self._out = bytearray()
        self._connected = False
        self._give_up_at = float("inf")
        self._reconnect = 30.0
        self._happened: queue.SimpleQueue[tuple[str, Program, Any]] = queue.SimpleQueue()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        self._last_said = ""

    def serve(self) -> int:
        """Until the run is over. Returns the exit code."""
        pause = BACKOFF[0]
        try:
            if self._keep:
                self._start_idle()
            while True:
                try:
                    with self._connection() as connection:
                        pause = BACKOFF[0]
                        self._talk(connection)
                except (OSError, LinkBreach) as error:
                    self._lost(error)
                self._wait(pause)
                pause = min(BACKOFF[1], pause * 1.6)
        except Ended as end:
            self._say(str(end))
            return end.code
        finally:
            self._end_all()

    def _lost(self, error: Exception) -> None:
        self._out.clear()
        if self._connected:
            self._give_up_at = time.monotonic() + self._reconnect
        self._connected = False
        text = f"no link to {_shown(self._where)}: {_why(error)}; trying again"
        if text != self._last_said:
            self._say(text)
        self._last_said = text

    def _wait(self, seconds: float) -> None:
        """Between two connections; what the bot says meanwhile is kept."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            select.select([self._woken], [], [], left)
            self._take_events()
        if self._sessions and time.monotonic() > self._give_up_at:
            self._say(f"the link was away for {self._reconnect:.0f} s: the match is given up")
            self._end_sessions()

    # --- a connection ---

    def _connection(self) -> socket.socket:
        """A connection on which both sides have shown that they know the token. Raises OSError, LinkBreach and Ended."""
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
        frames, until = _received(connection), time.monotonic() + GREET_SECONDS
        greeting = _object(frames, b"G", until)
        theirs, mine = str(greeting.get("nonce")), secrets.token_hex(LIFE_BYTES)
        connection.sendall(
            packed_json(
                b"H",
                relay=VERSION,
                name=self._name,
                life=self._life,
                run=self._run,
                got=self._channel.got,
                kept=self._keep,
                nonce=mine,
                proof=proof(self._token, "relay", self._name, theirs, mine),
            )
        )
        welcome = _object(frames, b"W", until)
        if not hmac.compare_digest(str(welcome.get("proof")), proof(self._token, "arena", self._name, theirs, mine)):
            raise Ended(2, f"who listens at {_shown(self._where)} does not know the token; nothing is played there")
        if not welcome.get("resumed"):
            self._end_sessions()
            self._channel = Channel()
        self._run, self._reconnect = str(welcome.get("run")), float(welcome.get("reconnect", 30.0))
        self._out[:] = self._channel.again(int(welcome.get("got", 0)))
        self._connected, self._give_up_at, self._last_said = True, float("inf"), ""
        self._say(f"connected to {_shown(self._where)} as {self._name}")

    def _talk(self, connection: socket.socket) -> None:
        """Pass bytes until the connection is lost, which raises OSError."""
        frames = Frames()
        heard = time.monotonic()
        while True:
            self._send(connection)
            left = heard + DEAD_SECONDS - time.monotonic()
            if left <= 0:
                raise ConnectionError("nothing was heard for too long")
            readable, _, _ = select.select([connection, self._woken], [connection] if self._out else [], [], self._patience(left))
            if connection in readable:
                while (data := _read(connection)) is not None:
                    if not data:
                        raise ConnectionError("the other side closed it")
                    heard = time.monotonic()
                    for kind, session, content in frames.feed(data):
                        self._take(kind, session, content)
            self._take_events()

    def _patience(self, most: float) -> float:
        closing = [program.closing_at for program in self._sessions.values() if program.closing_at]
        return max(0.0, min([most, *(at - time.monotonic() for at in closing)]))

    def _send(self, connection: socket.socket) -> None:
        try:
            while self._out:
                del self._out[: connection.send(self._out)]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return

    def _put(self, kind: bytes, session: int, data: bytes = b"") -> None:
        frame = self._channel.made(kind, session, data)
        if self._connected:
            self._out += frame

    # --- what the arena says ---

    def _take(self, kind: bytes, session: int, data: bytes) -> None:
        if kind in COUNTED_OF_ARENA:
            self._out += self._channel.came()
            self._take_counted(kind, session, data)
        elif kind == b"p":
            self._out += packed(b"q", 0, data)
        elif kind == b"a":
            self._channel.acknowledged(number(data, ">Q"))
        elif kind == b"R":
            raise ConnectionError(_harmless(str(json.loads(data).get("text"))))
        elif kind == b"b":
            if json.loads(data).get("over"):
                raise Ended(0, "the arena needs this bot no more")
            self._run = ""
            self._end_sessions()
            raise ConnectionError("the arena has ended")
        else:
            raise LinkBreach(f"a frame of kind {kind!r}")

    def _take_counted(self, kind: bytes, session: int, data: bytes) -> None:
        program = self._sessions.get(session)
        if kind == b"o":
            self._begin(session)
        elif program is None:
            return  # it ended before the arena knew
        elif kind == b"d":
            program.give(data)
        elif kind == b"n" and self._keep:
            program.closing_at = time.monotonic() + KEPT_SECONDS
        elif kind == b"n":
            program.give(None)
        elif kind == b"c":
            program.may_send(count := number(data, ">I"))
            program.sent -= count
        else:
            del self._sessions[session]
            program.kill()
            if self._keep:
                self._start_idle()

    def _begin(self, session: int) -> None:
        self._idle = [program for program in self._idle if program.runs]
        try:
            program = self._idle.pop() if self._idle else Program(self._start, self._tell)
        except OSError as error:
            self._put(b"2", session, f"relay: {self._start['args'][0]}: {error.strerror}\n".encode()[:MOST])
            self._put(b"x", session, b"127")
            return
        program.next_match(session)
        self._sessions[session] = program

    def _start_idle(self) -> None:
        try:
            self._idle.append(Program(self._start, self._tell))
        except OSError as error:
            raise Ended(2, f"{self._start['args'][0]}: {error.strerror}") from None

    # --- what programs do ---

    def _tell(self, word: str, program: Program, value: Any) -> None:
        """Called in their threads."""
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
        session = program.session
        if self._sessions.get(session) is not program:
            if word in "12" and value:
                program.may_send(len(value))  # between two matches: nobody is to have it
            return
        if word == "wrote":
            program.unreported += value
            if program.unreported >= GRANT:
                self._put(b"c", session, struct.pack(">I", program.unreported))
                program.unreported = 0
        elif word == "x":
            del self._sessions[session]
            program.kill()  # what is left of its group
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
        self._woken.close()
        self._waker.close()


def _read(connection: socket.socket) -> bytes | None:
    """None if nothing is there now."""
    try:
        return connection.recv(CHUNK)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None


def _received(connection: socket.socket) -> Iterator[tuple[bytes, int, bytes]]:
    """Frames, of a connection that blocks; bytes after the last one that is asked for are not read."""
    while True:
        head = _exactly(connection, HEAD.size)
        kind, session, size = HEAD.unpack(head)
        if size > MOST:
            raise LinkBreach("it speaks another protocol")
        yield kind, session, _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError("the other side closed it")
        data += more
    return data


def _object(frames: Iterator[tuple[bytes, int, bytes]], expected: bytes, until: float) -> dict[str, Any]:
    kind, _, data = next(frames)
    if kind not in (expected, b"R") or time.monotonic() > until:
        raise LinkBreach("it speaks another protocol")
    try:
        values = dict(json.loads(data))
    except (ValueError, TypeError):
        raise LinkBreach("it speaks another protocol") from None
    if kind == b"R":
        if values.get("final"):
            raise Ended(2, _harmless(str(values.get("text"))))
        raise ConnectionError(_harmless(str(values.get("text"))))
    return values


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}); name it with --ca FILE"
    if isinstance(error, ssl.SSLError):
        return "it speaks no TLS, which this address needs"
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "no answer; an arena that expects TLS needs --tls or --ca here"
    return _harmless(str(getattr(error, "strerror", None) or error))


def _harmless(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _shown(where: tuple[str, int]) -> str:
    return f"[{where[0]}]:{where[1]}" if ":" in where[0] else f"{where[0]}:{where[1]}"


# --- the command line ---


def relay(
    where: str,
    name: str,
    command: Sequence[str],
    *,
    token: Path | None = None,
    ca: Path | None = None,
    tls: bool = False,
    keep: bool = False,
    folder: str | None = None,
    environment: dict[str, str] | None = None,
) -> int:
    """Serve a bot until the arena needs it no more. Returns the exit code; raises ValueError and OSError if it cannot begin."""
    host, port = address(where)
    secret = read_token(token or token_folder() / name)
    context = None
    if tls or ca or not is_loopback(host):
        context = ssl.create_default_context(cafile=str(ca) if ca else None)
    start = {"args": list(command), "cwd": folder, "env": environment}
    signal.signal(signal.SIGTERM, _terminated)
    return Relay((host, port), name, secret, start, context, keep, _say).serve()


def _terminated(*_: object) -> NoReturn:
    sys.exit(143)


def _say(text: str) -> None:
    print(f"relay: {text}", file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """The command line where the arena is not installed."""
    parser = argparse.ArgumentParser(
        prog="relay.py",
        description="Seats a bot of this machine at a table of Khiva Arena elsewhere, until that needs it no more.",
        usage="%(prog)s [OPTIONS] HOST:PORT NAME -- COMMAND",
    )
    parser.add_argument("where", metavar="HOST:PORT", help="where the arena listens; TLS unless that is this machine")
    parser.add_argument("name", metavar="NAME", help="as in --bot remote:NAME")
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="starts the bot, once for each match")
    parser.add_argument("--token", type=Path, help="the file with the token [default: NAME in khiva-arena/tokens of ~/.config]")
    parser.add_argument("--ca", type=Path, help="trust this certificate in place of the system's")
    parser.add_argument("--tls", action="store_true", help="TLS even to this machine, as through a tunnel")
    parser.add_argument("--keep", action="store_true", help="let one process play one match after another")
    given = parser.parse_args(words)
    try:
        return relay(given.where, given.name, given.command, token=given.token, ca=given.ca, tls=given.tls, keep=given.keep)
    except (OSError, ValueError) as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
