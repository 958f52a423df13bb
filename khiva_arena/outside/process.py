"""The arena's side of the process that runs the code of a game; ``host.py`` is the other one."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from khiva_arena.errors import ArenaError, ConfigError, GameFault, IllegalChoice, RulesError
from khiva_arena.outside.calls import (
    CONFIG,
    CPU_SECONDS,
    DONE,
    FORK,
    HEADER,
    ILLEGAL,
    KILL,
    MOST_BYTES,
    NUMBER,
    RULES,
    WALL_SECONDS,
    Spec,
    framed,
)
from khiva_arena.outside.source import GameSource
from khiva_arena.sandbox.reap import MARK, end_helper

END_SECONDS = 2.0
ANSWER_SECONDS = 10.0
"""For what our own code there does."""
_read = msgspec.msgpack.Decoder(tuple[str, msgspec.Raw]).decode
_value = msgspec.msgpack.Decoder().decode
_lines = msgspec.msgpack.Decoder(list[str]).decode
_text = msgspec.msgpack.Decoder(str).decode


class GameProcess:
    """A process that has imported a game, and forks for each match. Raises GameFault if the import fails.

    shown: what people call the game's code.
    front: the constants of the game, still to be checked.
    """

    def __init__(self, source: GameSource, hash_seed: int) -> None:
        self.shown = source.shown
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair()
        words = [sys.executable, "-P", "-m", "khiva_arena.outside.host", str(theirs.fileno())]
        # Two processes of one game order sets of words differently: so it shows if its moves depend on that. Its mark differs
        # from that of strays that bots leave behind, and a later run ends it if we are dead. Ctrl-C is for us.
        environment = os.environ | {MARK: f"{os.getpid()}-game", "PYTHONHASHSEED": str(hash_seed)}
        try:
            with theirs:
                self._process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, pass_fds=(theirs.fileno(),), start_new_session=True, env=environment
                )
        except OSError as error:
            ours.close()
            raise ArenaError(f"no process can be started for the game {self.shown}: {error}") from None
        self._control = ours
        self.close = weakref.finalize(self, _end, self._process, ours)
        spec = Spec(source.module, source.path, source.content, source.attribute, source.folder)
        with suppress(OSError):  # it has died, which is told below
            ours.sendall(framed(spec))
        try:
            kind, value = _read(_payload(ours, time.monotonic() + WALL_SECONDS))
        except (EOFError, TimeoutError) as error:
            ended = isinstance(error, EOFError)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ANSWER_SECONDS if ended else 0)
            how = _how(self._process.returncode or 0, CPU_SECONDS) if ended else _too_long()
            self.close()
            raise GameFault(f"game {self.shown}: its import {how}") from None
        if kind != DONE:
            self.close()
            raise GameFault(f"game {self.shown}: its import {_text(value)}")
        self.front: Any = _value(value)

    def fork(self) -> "Fork":
        """A copy of it, for a match. Raises GameFault if it has died."""
        ours, theirs = socket.socketpair()
        try:
            with self._lock, theirs:
                self._control.settimeout(ANSWER_SECONDS)
                socket.send_fds(self._control, [FORK + NUMBER.pack(0)], [theirs.fileno()])
                pid = self._number()
        except OSError:
            ours.close()
            raise GameFault(f"game {self.shown}: its process has ended") from None
        return Fork(self, ours, pid)

    def kill(self, pid: int) -> int:
        """End a fork, if it has not ended yet; with which status it did."""
        try:
            with self._lock:
                self._control.settimeout(ANSWER_SECONDS)
                self._control.sendall(KILL + NUMBER.pack(pid))
                return self._number()
        except OSError:
            self.close()
            return signal.SIGKILL

    def _number(self) -> int:
        held = b""
        while len(held) < NUMBER.size:
            data = self._control.recv(NUMBER.size - len(held))
            if not data:
                raise ConnectionResetError
            held += data
        return int(NUMBER.unpack(held)[0])


class Fork:
    """A process that plays one match of a game, and ends when nobody holds this any more."""

    def __init__(self, process: GameProcess, calls: socket.socket, pid: int) -> None:
        self._process, self._calls, self._pid = process, calls, pid
        self._hang_up = weakref.finalize(self, calls.close)
        self._dead = ""

    def say(self, name: str, arguments: Sequence[Any], seconds: float | None = None) -> None:
        """Call one of its methods; ``hear`` has what comes of it. ``seconds``: of CPU that it may take, CPU_SECONDS for None."""
        if not self._dead:
            with suppress(OSError):  # it has died, which is told by ``hear``
                self._calls.settimeout(WALL_SECONDS)
                self._calls.sendall(framed([name, seconds or CPU_SECONDS, arguments]))

    def hear(self, name: str, seconds: float | None = None) -> bytes:
        """What came of the call, not yet read. Raises GameFault if it gives no answer."""
        seconds = seconds or CPU_SECONDS
        try:
            if not self._dead:
                return _payload(self._calls, time.monotonic() + max(WALL_SECONDS, 2 * seconds))
        except TimeoutError:
            self._process.kill(self._pid)
            self._dead = f"{_calling(name)} {_too_long()}"
        except (EOFError, OSError):
            self._dead = f"{_calling(name)} {_how(os.waitstatus_to_exitcode(self._process.kill(self._pid)), seconds)}"
        raise GameFault(f"game {self._process.shown}: {self._dead}")

    def close(self) -> None:
        """End it. Idempotent."""
        self._hang_up()
        self._dead = self._dead or "its match is over"


def value_of(payload: bytes, shown: str) -> msgspec.Raw:
    """The value of an answer. Raises GameFault, or what the contract lets a game raise."""
    kind, value = _read(payload)
    if kind == DONE:
        return value
    if kind == RULES:
        raise RulesError(_lines(value))
    if kind == CONFIG:
        raise ConfigError(_lines(value))
    if kind == ILLEGAL:
        raise IllegalChoice(_text(value))
    raise GameFault(f"game {shown}: {_text(value)}")


def _calling(name: str) -> str:
    """What is to blame if a call gives no answer: a method of the game, or any of it."""
    return "while it is checked it" if name == "vet" else f"{name}()"


def _too_long() -> str:
    return f"has not ended within {WALL_SECONDS:.0f} s"


def _how(code: int, seconds: float) -> str:
    if code == -signal.SIGXCPU:
        return f"takes more than {seconds:.0f} s of CPU"
    return f"ends its process, by signal {-code}" if code < 0 else f"ends its process, with exit code {code}"


def _payload(source: socket.socket, until: float) -> bytes:
    """Raises EOFError, TimeoutError."""
    size = HEADER.unpack(_exactly(source, HEADER.size, until))[0]
    if size > MOST_BYTES:
        raise EOFError
    return _exactly(source, size, until)


def _exactly(source: socket.socket, size: int, until: float) -> bytes:
    held = bytearray()
    while len(held) < size:
        source.settimeout(max(0.001, until - time.monotonic()))
        try:
            data = source.recv(min(size - len(held), 1 << 20))
        except ConnectionError:
            raise EOFError from None
        if not data:
            raise EOFError
        held += data
    return bytes(held)


def _end(process: "subprocess.Popen[bytes]", control: socket.socket) -> None:
    """End it with all its forks."""
    control.close()
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    end_helper(process, END_SECONDS)
