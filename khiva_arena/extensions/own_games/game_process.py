"""The arena's side of the process that runs the code of a game; ``game_host.py`` is the
other side.

Code from outside may hang, crash, leak memory or depend on the order of a set. In a
process of its own it can be ended, limited and compared with a second process, and
blamed with the line where it was.
"""

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
from typing import Any, NamedTuple

import msgspec

from khiva_arena.bots.sandbox.reap import MARK, end_helper
from khiva_arena.bots.sandbox.stops import block
from khiva_arena.common.handed import GameSource
from khiva_arena.errors import (
    ArenaError,
    ConfigError,
    GameFault,
    GameSlow,
    IllegalChoice,
    RulesError,
)
from khiva_arena.extensions.own_games.calls import (
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
    STOP,
    STOP_SECONDS,
    WALL_SECONDS,
    Spec,
    frame_of,
)
from khiva_arena.extensions.own_games.game_source import source_of
from khiva_arena.extensions.own_games.running import Whereabouts, last_words, place_in

END_SECONDS = 2.0
ANSWER_SECONDS = 10.0
"""Seconds that our own code in the process may take to answer."""
_read = msgspec.msgpack.Decoder(tuple[str, msgspec.Raw]).decode
_value = msgspec.msgpack.Decoder().decode
_lines = msgspec.msgpack.Decoder(list[str]).decode
_decode_end = msgspec.msgpack.Decoder(tuple[int, str]).decode
_text = msgspec.msgpack.Decoder(str).decode


class ForkEnd(NamedTuple):
    """The end of a fork.

    status: its exit status
    place: where the game was, if it took too long
    """

    status: int
    place: Whereabouts


class GameProcess:
    """A process that has imported a game, and forks for each match.

    Raises GameFault if the import fails, or if files of the game have changed since
    they were hashed.

    shown: the name of the game's code, for people.
    folder: the beginning of the code's paths.
    front: the constants of the game, still to be checked.
    """

    def __init__(self, source: GameSource, hash_seed: int) -> None:
        self.shown, self.folder = source.shown, source.folder
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair()
        stderr, leave = os.pipe()
        words = [
            sys.executable,
            "-P",
            "-m",
            f"{__package__}.game_host",
            str(theirs.fileno()),
            str(leave),
        ]
        # Two processes of one game order sets of words differently, which shows moves
        # that depend on the order. The mark differs from that of strays that bots leave
        # behind, and lets a later run end the process if we die. Ctrl-C is for us.
        environment = os.environ | {MARK: f"{os.getpid()}-game", "PYTHONHASHSEED": str(hash_seed)}
        try:
            with theirs:
                with block((signal.SIGINT,)):
                    self._process = subprocess.Popen(
                        words,
                        stdin=subprocess.PIPE,
                        pass_fds=(theirs.fileno(), leave),
                        start_new_session=True,
                        env=environment,
                    )
        except OSError as error:
            ours.close()
            os.close(stderr)
            raise ArenaError(
                f"no process can be started for the game {self.shown}: {error}"
            ) from None
        finally:
            os.close(leave)
        self._control = ours
        self.close = weakref.finalize(self, _end, self._process, ours)
        files = {path: content for path, content in source.files.items() if path.endswith(".py")}
        spec = Spec(
            source.module, source.path, source.content, source.attribute, source.folder, files
        )
        with suppress(OSError):  # the process has died, which the read below reports
            ours.sendall(frame_of(spec))
        try:
            kind, value = _read(_payload(ours, time.monotonic() + WALL_SECONDS))
        except (EOFError, TimeoutError) as error:
            has_ended = isinstance(error, EOFError)
            if not has_ended:
                self._process.send_signal(signal.SIGXCPU)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ANSWER_SECONDS if has_ended else STOP_SECONDS)
            reason = (
                _end_in_words(self._process.returncode or 0, CPU_SECONDS)
                if has_ended
                else _too_long()
            )
            self.close()
            raise GameFault(
                f"game {self.shown}: its import "
                f"{reason}{place_in(last_words(stderr), self.folder).line}"
            ) from None
        os.close(stderr)
        if kind != DONE:
            self.close()
            raise GameFault(f"game {self.shown}: its import {_text(value)}")
        # Its source is run from the bytes that were hashed; tables and libraries it has
        # read by itself while it was imported.
        if source.content is None and source_of(source.word).code != source.code:
            self.close()
            raise GameFault(f"game {self.shown}: its files were changed since this command began")
        self.front: Any = _value(value)

    @property
    def has_ended(self) -> bool:
        """True if the process was killed, or has ended in any other way."""
        return not self.close.alive or self._process.poll() is not None

    def fork(self) -> "Fork":
        """Return a copy of the process, for a match. Raises GameFault if the process
        has died.
        """
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

    def end(self, pid: int, word: bytes = KILL) -> ForkEnd:
        """End a fork, if it has not ended yet."""
        try:
            with self._lock:
                self._control.settimeout(ANSWER_SECONDS)
                self._control.sendall(word + NUMBER.pack(pid))
                status, words = _decode_end(
                    _payload(self._control, time.monotonic() + ANSWER_SECONDS)
                )
                return ForkEnd(status, place_in(words, self.folder))
        except (EOFError, OSError):
            self.close()
            return ForkEnd(signal.SIGKILL, place_in("", ""))

    def _number(self) -> int:
        number = b""
        while len(number) < NUMBER.size:
            data = self._control.recv(NUMBER.size - len(number))
            if not data:
                raise ConnectionResetError
            number += data
        return int(NUMBER.unpack(number)[0])


class Fork:
    """A process that plays one match of a game, and ends when nobody holds this object
    any more.
    """

    def __init__(self, process: GameProcess, calls: socket.socket, pid: int) -> None:
        self._process, self._calls, self._pid = process, calls, pid
        self._hang_up = weakref.finalize(self, calls.close)
        self._dead = ""
        self._fault: type[GameFault] = GameFault

    def say(self, name: str, arguments: Sequence[Any], seconds: float | None = None) -> None:
        """Call a method of the game; ``hear`` returns its result.

        seconds: of CPU that it may take, CPU_SECONDS for None.
        """
        if not self._dead:
            with suppress(OSError):  # the process has died, which ``hear`` reports
                self._calls.settimeout(WALL_SECONDS)
                self._calls.sendall(frame_of([name, seconds or CPU_SECONDS, arguments]))

    def hear(self, name: str, seconds: float | None = None) -> bytes:
        """Return the result of the call, not yet read. Raises GameFault if there is no
        answer, GameSlow if it takes too long.
        """
        seconds = seconds or CPU_SECONDS
        try:
            if not self._dead:
                return _payload(self._calls, time.monotonic() + max(WALL_SECONDS, 2 * seconds))
        except TimeoutError:
            _, place = self._process.end(self._pid, STOP)
            self._dead, self._fault = _blame(name, _too_long(), place), GameSlow
        except (EOFError, OSError):
            status, place = self._process.end(self._pid)
            code = os.waitstatus_to_exitcode(status)
            self._dead = _blame(name, _end_in_words(code, seconds), place)
            self._fault = GameSlow if code == -signal.SIGXCPU else GameFault
        raise self._fault(f"game {self._process.shown}: {self._dead}")

    def close(self) -> None:
        """End the process. Idempotent."""
        self._hang_up()
        self._dead = self._dead or "its match is over"


def value_of(payload: bytes, game_name: str) -> msgspec.Raw:
    """Return the value of an answer. Raises GameFault, or an error that the contract
    lets a game raise.
    """
    kind, value = _read(payload)
    if kind == DONE:
        return value
    if kind == RULES:
        raise RulesError(_lines(value))
    if kind == CONFIG:
        raise ConfigError(_lines(value))
    if kind == ILLEGAL:
        raise IllegalChoice(_text(value))
    raise GameFault(f"game {game_name}: {_text(value)}")


def _blame(name: str, reason: str, place: Whereabouts) -> str:
    """Return the blame for a call that gives no answer: a method of the game, and the
    line if it is known.

    A check (``vet``) calls many methods, so that none of them took all of its time.
    """
    if name != "vet":
        return f"{place.call or name}() {reason}{place.line}"
    return (
        "while it is checked it "
        f"{reason}{f', at last in {place.call}()' if place.call else ''}{place.line}"
    )


def _too_long() -> str:
    return f"has not ended within {WALL_SECONDS:.0f} s"


def _end_in_words(code: int, seconds: float) -> str:
    if code == -signal.SIGXCPU:
        return f"takes more than {seconds:.0f} s of CPU"
    return (
        f"ends its process, by signal {-code}"
        if code < 0
        else f"ends its process, with exit code {code}"
    )


def _payload(source: socket.socket, until: float) -> bytes:
    """Return the payload of the next frame. Raises EOFError if there is none,
    TimeoutError if it is not there by ``until``.
    """
    size = HEADER.unpack(_exactly(source, HEADER.size, until))[0]
    if size > MOST_BYTES:
        raise EOFError
    return _exactly(source, size, until)


def _exactly(source: socket.socket, size: int, until: float) -> bytes:
    received = bytearray()
    while len(received) < size:
        source.settimeout(max(0.001, until - time.monotonic()))
        try:
            data = source.recv(min(size - len(received), 1 << 20))
        except ConnectionError:
            raise EOFError from None
        if not data:
            raise EOFError
        received += data
    return bytes(received)


def _end(process: "subprocess.Popen[bytes]", control: socket.socket) -> None:
    """End the process with all its forks."""
    control.close()
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    end_helper(process, END_SECONDS)
