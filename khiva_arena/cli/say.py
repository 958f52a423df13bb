"""Lines for the user on stderr, and what to do when nobody can read what we write.

Whoever read our messages may have gone, as ``2>&1 | head -1`` has, or their disk may be full: no run ends over that.
"""

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO


def say(text: str, end: str = "\n") -> None:
    """Write to stderr; where that fails, this and all later messages are dropped."""
    if sys.stderr is None:  # started with it closed; print() would take stdout instead
        return
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


class Stdout(io.FileIO):
    """Standard output that remembers why it took no more, so that no other broken pipe can be mistaken for it."""

    failed: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failed = error
            raise


_stdout: Stdout | None = None


def watch_stdout() -> None:
    """From here on ``unwritten`` can tell."""
    global _stdout
    if sys.stdout is not None:
        _stdout = Stdout(sys.stdout.fileno(), "wb", closefd=False)
        old = sys.stdout
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_stdout), old.encoding, old.errors, line_buffering=old.isatty())


def unwritten() -> OSError | None:
    """Why stdout did not take all that was printed, None if it did. What it did not take is dropped."""
    if _stdout is None:
        return None
    with suppress(OSError):
        sys.stdout.flush()
    if _stdout.failed:
        silence(_stdout)
    return _stdout.failed


def silence(stream: TextIO | io.FileIO) -> None:
    """Let a stream that failed lead nowhere: else what it still holds is tried again, and fails, when Python exits."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
