"""Calls that start bots run in a process of their own, the host, and never in the
caller's.

A notebook therefore keeps its signals, its event loop and its children to itself, and
its code never holds up the arbiter's clock. However the caller ends, the host notices
and ends every bot; recorded matches stay. The caller reads a run as the stream of
events, from a file without a name: the host waits for no reader.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import khiva_arena
from khiva_arena import errors
from khiva_arena.errors import ArenaError, ConfigError, InternalError

LOOK_SECONDS = 0.05
GRACE_SECONDS = 20.0
"""The time that a host has to record whole matches and reap its bots."""
PIECE = 1 << 16
# What it needs besides the standard library may be where only the caller looks; what
# the caller has in its folder comes last.
START = """
import sys
if sys.argv[1] not in sys.path:
    sys.path.insert(0, sys.argv[1])
sys.path += [path for path in sys.argv[2:] if path not in sys.path]
from khiva_arena.interface.api.hosted import main
main()
"""


class HostCall(msgspec.Struct, frozen=True):
    """A request to a host.

    call: the name of a function of hosted.py.
    arguments: its arguments, by name.
    """

    call: str
    arguments: dict[str, Any]


class HostReply(msgspec.Struct, frozen=True):
    """The answer of a host.

    value: the value that the call returned.
    error: the name of the class of errors.py that the call raised, "" for none.
    problems: the text of the error, a line a mistake.
    interrupted: whether the host was interrupted, by the caller or by somebody else.
    """

    value: Any = None
    error: str = ""
    problems: list[str] = []
    interrupted: bool = False


class Host:
    """A process that carries out one call. Raises ArenaError if it cannot be started.

    interrupted: whether ``interrupt`` has ended it.
    """

    def __init__(
        self, call: str, *, listens: bool = False, aloud: bool = False, **arguments: Any
    ) -> None:
        """Start the host. ``aloud``: while the caller waits, print the host's messages
        for people on stderr, such as commands to type on another machine.
        """
        self.interrupted = False
        self._aloud = aloud
        self._chars_printed = 0
        self._at = 0
        with contextlib.ExitStack() as stack:
            try:
                self._events, self._out, self._stderr = (
                    stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)
                )
                events = self._events.fileno()
                request = msgspec.json.encode(
                    HostCall(call, arguments | ({"listener": events} if listens else {}))
                )
                self._process = _start(events, self._out.fileno(), self._stderr.fileno())
            except (OSError, TypeError, ValueError) as error:  # no descriptor, no folder, no Python
                raise ArenaError(f"no process can be started to play in: {error}") from None
            self._files = stack.pop_all()
        self._end = weakref.finalize(self, _end, self._process, self._files)
        _LIVING.add(self)
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # it died at once, and ``value`` says how
            self._process.stdin.write(request + b"\n")
            self._process.stdin.flush()  # it stays open: its end is how the host hears of ours
        if listens:
            _hold(self)

    @property
    def running(self) -> bool:
        """True while the process runs."""
        return self._process.poll() is None

    def wait(self, ready: Callable[[], bool] = lambda: False) -> None:
        """Wait until the host ends or ``ready`` returns True. An interrupt of the
        caller interrupts the host, too.
        """
        try:
            while not ready() and self.running:
                try:
                    self._process.wait(LOOK_SECONDS)
                except subprocess.TimeoutExpired:
                    self._print_more()
        except KeyboardInterrupt:
            self.interrupt()
            raise

    def interrupt(self) -> None:
        """End the host as Ctrl-C would, and wait until it has ended. Kill it after
        GRACE_SECONDS.
        """
        if self.running:
            self.interrupted = True
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def more_events(self) -> bytes:
        """Return the bytes added to the stream of events since the last call."""
        return b"".join(iter(self._piece, b""))

    def _piece(self) -> bytes:
        # pread: the host writes where the descriptor that we share stands
        piece = os.pread(self._events.fileno(), PIECE, self._at)
        self._at += len(piece)
        return piece

    def said(self) -> str:
        """Return the messages for people so far, a line each."""
        size = os.fstat(self._stderr.fileno()).st_size
        return os.pread(self._stderr.fileno(), size, 0).decode(errors="replace")

    def _print_more(self) -> None:
        """Print the whole lines of messages that are new, if the host is to be
        heard.
        """
        if self._aloud:
            text = self.said()
            new = text[self._chars_printed : text.rfind("\n") + 1]
            self._chars_printed += len(new)
            sys.stderr.write(new)

    def reply(self) -> HostReply:
        """Return the answer of the host, once it has ended. Raises InternalError if the
        host ended without an answer.
        """
        self.wait()
        size = os.fstat(self._out.fileno()).st_size
        try:
            return msgspec.json.decode(os.pread(self._out.fileno(), size, 0), type=HostReply)
        except msgspec.DecodeError:
            code = self._process.returncode
            ending = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            tail = "\n".join(self.said().splitlines()[-20:])
            message = (
                f"the process that plays {ending}; what was recorded is safe, and the same "
                f"call resumes\n{tail}"
            )
            raise InternalError(message) from None

    def value(self) -> Any:
        """Return the value of the call, once the host has ended. Raises the error that
        the call raised.
        """
        reply = self.reply()
        if reply.interrupted:
            raise ArenaError("interrupted: what was recorded is safe, and the same call resumes")
        if reply.error:
            raise _error(reply)
        return reply.value


def is_remote(words: object) -> bool:
    """Tell whether somebody has to start a relay before the bots of these words can
    play.
    """
    return isinstance(words, list | tuple) and any(
        str(word).startswith("remote:") for word in words
    )


_LIVING: weakref.WeakSet[Host] = weakref.WeakSet()
_HELD: set[Host] = set()
"""The hosts that play on even if no object of the caller refers to them."""


def _hold(host: Host) -> None:
    """Keep a host alive until it has ended, and release the hosts that have ended."""
    _HELD.difference_update([held for held in _HELD if not held.running])
    _HELD.add(host)


def _let_go() -> None:
    """Forget all hosts in a forked child. Hosts belong to the parent alone and must
    notice its end, so the child closes its copies of their input.
    """
    for host in list(_LIVING):
        host._end.detach()
        if host._process.stdin:
            host._process.stdin.close()
    _HELD.clear()


os.register_at_fork(after_in_child=_let_go)


def _start(events: int, out: int, err: int) -> subprocess.Popen[bytes]:
    # -P: a json.py in the folder of a notebook is not ours
    words = [
        sys.executable,
        "-P",
        "-c",
        START,
        str(Path(khiva_arena.__file__).parent.parent),
        *map(os.path.abspath, sys.path),
    ]
    return subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=err,
        pass_fds=(events,),
        start_new_session=True,
    )


def _error(reply: HostReply) -> ArenaError:
    """Return the error that a host met, as an object of its class."""
    kind = getattr(errors, reply.error, InternalError)
    if issubclass(kind, ConfigError):
        return kind(reply.problems)
    error: ArenaError = kind("\n".join(reply.problems))
    error.problems = tuple(reply.problems)
    return error


def _end(process: subprocess.Popen[bytes], files: contextlib.ExitStack) -> None:
    """Close the input of a host, which ends it, and wait; kill it after GRACE_SECONDS.
    Called when no reference to the host is left, or Python ends.
    """
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):  # it has ended before it read all
        process.stdin.close()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    files.close()
