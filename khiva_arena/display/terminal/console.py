"""Lines for the user on stderr, harmless output, and the answer to an output that
nobody can read.

The reader of our messages may have ended, as ``2>&1 | head -1`` does, or their disk may
be full: no run ends because of that.
"""

import codecs
import io
import os
import re
import select
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self, TextIO, cast

from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.tty import ALARM, PLAIN

HELD_MOST = 4 << 20
LAST_SECONDS = 1.0
OURS = "\n\t"
"""Control characters that the arena's own text has."""
_COMMAND, _NO_BREAK = re.compile(r"khiva-arena [^,;`]*"), "\0"
_COLOURS = re.compile(f"({re.escape(ALARM)}|{re.escape(PLAIN)})")
"""The colours of ``tty.alarm``; no other colour is let through, since it could hide a
word.
"""


class HarmlessStream:
    """A text stream that makes all text harmless, whoever wrote the text and whichever
    command prints it.

    On a terminal our own colours are kept; elsewhere there are none.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._colours = stream.isatty()

    def write(self, text: str) -> int:
        parts = _COLOURS.split(text) if self._colours and "\x1b" in text else [text]
        parts[::2] = [harmless(part, keep=OURS) for part in parts[::2]]
        self._stream.write("".join(parts))
        return len(text)

    def draw(self, text: str) -> None:
        """Write text of ours as it is, with what moves the cursor of a terminal."""
        self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Let only harmless text get to stdout and stderr during this context."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast(TextIO, HarmlessStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def say(text: str, end: str = "\n", *, warning: bool = False, whole: bool = False) -> None:
    """Write a line to stderr, behind "warning: " if it is one; if that fails, this and
    all later messages are dropped.

    whole: whether it is never broken between words, as it is on a terminal, since a
        program reads it.
    """
    if sys.stderr is None:  # started with it closed; print() would take stdout instead
        return
    text = f"warning: {text}" if warning else text
    try:
        if not whole and (columns := _columns()):
            text = "\n".join(in_columns(text, columns))
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def _columns() -> int:
    """Return the columns of the terminal that shows stderr, 0 if none does."""
    return os.get_terminal_size(sys.stderr.fileno()).columns if sys.stderr.isatty() else 0


def in_columns(text: str, width: int) -> list[str]:
    """Return the lines of a message for a terminal, broken between words. Commands stay
    whole, so that they can be copied, and so do indented lines, which others wrote.
    """
    if len(text) <= width:
        return text.split("\n")
    # not above: most messages are short, or go to no terminal
    from khiva_arena.rating.report.text import paragraphs

    lines: list[str] = []
    for line in text.split("\n"):
        whole = _COMMAND.sub(lambda found: found[0].replace(" ", _NO_BREAK), line)
        lines += [line] if line.startswith(" ") or not line else paragraphs([whole], width)
    return [line.replace(_NO_BREAK, " ") for line in lines]


class BufferedStderr:
    """A buffer of lines for stderr that never waits for its reader, which may be a
    pager.

    Call it with a line or several, without the last line end. Lines that are not taken
    at once are held, up to ``HELD_MOST`` bytes. Lines beyond that are dropped, and one
    line says how many.

    The end of the ``with`` waits until all is taken. An interrupt ends that wait; if
    nobody reads then, stderr is given up.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._lines_lost = 0
        self._descriptor = -1
        self._room = select.poll()

    def __enter__(self) -> Self:
        if sys.stderr is not None:
            self._descriptor = _unblocking(sys.stderr.fileno())
            self._room.register(self._descriptor, select.POLLOUT)
        return self

    def __call__(self, text: str) -> None:
        self._write(time.monotonic())
        if len(self._buffer) < HELD_MOST:
            self._hold(text)
            self._write(time.monotonic())
        else:
            self._lines_lost += 1 + text.count("\n")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._lines_lost:
                self._hold()
            interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
            self._write(time.monotonic() + LAST_SECONDS if interrupted else None)
        finally:
            if self._buffer:
                self._give_up()
            self._close()

    def _hold(self, *texts: str) -> None:
        if self._descriptor >= 0:
            notes = [f"... {self._lines_lost} lines not shown: stderr was not read in time"] * bool(
                self._lines_lost
            )
            self._lines_lost = 0
            lines = "".join(
                f"{harmless(text.expandtabs(), keep=OURS)}\n" for text in (*notes, *texts)
            )
            self._buffer += lines.encode(sys.stderr.encoding, "backslashreplace")

    def _write(self, until: float | None) -> None:
        """Write until a time of the monotonic clock; None: until all is written."""
        try:
            while self._buffer and self._room.poll(
                None if until is None else max(0.0, until - time.monotonic()) * 1000
            ):
                try:
                    # As much as a pipe with any room takes whole.
                    del self._buffer[: os.write(self._descriptor, self._buffer[: select.PIPE_BUF])]
                except BlockingIOError:  # a terminal may have room and take nothing
                    if until is not None and time.monotonic() >= until:
                        return
                    time.sleep(0.01)
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        self._buffer.clear()
        silence(sys.stderr)
        self._close()

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _unblocking(descriptor: int) -> int:
    """Return another descriptor of the same pipe or terminal, on which no write blocks.

    The given descriptor stays without that flag, which would count for all processes
    that share it. If the system has no other descriptor, a copy is returned, whose
    writes may block.
    """
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(kind) or stat.S_ISCHR(kind):
        with suppress(OSError):
            return os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    return os.dup(descriptor)


class Stdout(io.FileIO):
    """Standard output that remembers why it failed, so that no other broken pipe can be
    mistaken for that failure.
    """

    failed: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failed = error
            raise


_stdout: Stdout | None = None


def watch_stdout() -> None:
    """Replace stdout, so that ``unwritten`` knows from now on why it failed."""
    global _stdout
    if sys.stdout is not None:
        _stdout = Stdout(sys.stdout.fileno(), "wb", closefd=False)
        old = sys.stdout
        # click would write UTF-8 past us if it finds ASCII
        encoding = "utf-8" if codecs.lookup(old.encoding).name == "ascii" else old.encoding
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_stdout), encoding, old.errors, line_buffering=old.isatty()
        )


def unwritten() -> OSError | None:
    """Return the error for which stdout did not take all that was printed, None if it
    did. The rest of the output is dropped.
    """
    if _stdout is None:
        return None
    with suppress(OSError):
        sys.stdout.flush()
    if _stdout.failed:
        silence(_stdout)
    return _stdout.failed


def silence(stream: TextIO | io.FileIO) -> None:
    """Let a stream that failed lead nowhere: else its buffer is tried again, and fails,
    when Python exits.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
