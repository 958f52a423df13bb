"""A terminal to run a command on, and what it shows: enough of one for what the live
screen writes.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from forked_command import Forked

SECONDS = 120.0
MOST_QUESTIONS = 500
"""More than a match asks one person: a line that answers no question is asked for again
and again.
"""
_TOKEN = re.compile(r"\x1b\[(\d*)([AJKm])|\x1b\[[\d;]*m|\r|\n|[^\x1b\r\n]+|\x1b")

_CUT = re.compile(r"\x1b(\[[\d;]*)?\Z")


class Shown:
    """Lines as they stand on a terminal that has ``rows`` rows, all that scrolled away
    included. Raises ValueError on an escape sequence that no screen of ours writes.
    """

    def __init__(self, rows: int = 24) -> None:
        self._rows = rows
        self.lines = [""]
        self._row = self._column = 0
        self._begun = ""

    def feed(self, text: str) -> None:
        """Take what was written; the beginning of an escape sequence waits for the rest
        of it.
        """
        text = self._begun + text
        self._begun = cut[0] if (cut := _CUT.search(text)) else ""
        for token in _TOKEN.finditer(text.removesuffix(self._begun)):
            self._take(token)

    def _take(self, token: re.Match[str]) -> None:
        text = token[0]
        if text == "\r":
            self._column = 0
        elif text == "\n":
            self._row += 1
            self.lines += [""] * (self._row + 1 - len(self.lines))
        elif text.endswith("m") and text.startswith("\x1b["):
            return
        elif token[2] == "A":
            self._row = max(0, len(self.lines) - self._rows, self._row - int(token[1] or 1))
        elif token[2] == "K" and token[1] == "2":
            self.lines[self._row] = ""
        elif token[2] == "J" and not token[1]:
            self.lines[self._row] = self.lines[self._row][: self._column]
            del self.lines[self._row + 1 :]
        elif text.startswith("\x1b"):
            raise ValueError(f"{text!r} came to the terminal")
        else:
            line = self.lines[self._row].ljust(self._column)
            self.lines[self._row] = line[: self._column] + text + line[self._column + len(text) :]
            self._column += len(text)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)


class Terminal:
    """A command on a terminal of its own.

    stdout: on it, too, else apart.
    apart: in an interpreter of its own, which a user starts, and not in a child of this
        one.
    """

    def __init__(
        self,
        words: list[str],
        cwd: Path,
        *,
        rows: int = 24,
        columns: int = 80,
        term: str = "xterm-256color",
        stdout: bool = False,
        apart: bool = False,
    ) -> None:
        self._ours, theirs = pty.openpty()
        self.size(rows, columns)
        start = subprocess.Popen if apart else Forked
        self.process = start(
            [sys.executable, "-m", "khiva_arena", *words] if apart else words,
            cwd=cwd,
            stdin=theirs,
            stdout=theirs if stdout else subprocess.DEVNULL,
            stderr=theirs,
            env={**os.environ, "TERM": term},
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(theirs)
        self.shown = Shown(rows)
        self.raw = b""

    def size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def until(self, what: Callable[[str], object], seconds: float = SECONDS) -> bool:
        """Read until the text on the terminal is so; False if the command ended before,
        and also if it goes on and on.
        """
        deadline = time.monotonic() + seconds
        while not what(self.shown.text):
            if not select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
            try:
                data = os.read(self._ours, 65_536)
            except OSError:  # the other side has gone
                return False
            self.raw += data
            self.shown.feed(data.decode(errors="replace"))
        return True

    def end(self) -> int:
        """Read to the end, which comes in time or is brought about. Returns the exit
        code.
        """
        self.until(lambda _: False)
        os.close(self._ours)
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def take_terminal() -> None:
    """Make stdin the terminal that rules this session: its Ctrl-C and Ctrl-Z are
    ours.
    """
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def answered(run: Terminal, line: bytes, last: str) -> int:
    """Type the same at each question, until the last words stand there and the command
    has ended. Returns how often.
    """
    asked = 0
    while (
        run.until(lambda text, n=asked: text.count("and Enter:") > n or last in text)
        and last not in run.shown.text
    ):
        asked += 1
        assert asked <= MOST_QUESTIONS, f"{line!r} answers no question any more"
        run.type(line)
    assert run.end() == 0
    return asked
