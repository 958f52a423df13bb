"""The abilities of a terminal, its width, and whether a process is in its foreground.
Imports very little.
"""

import os
import sys
from typing import TextIO

from khiva_arena.common.text import WIDTH

DUMB = ("", "dumb", "unknown")
NARROWEST = 40
"""The columns of the narrowest terminal; no table fits in fewer."""
ALARM, PLAIN = "\x1b[31m\x1b[1m", "\x1b[0m"
"""The only colour of printed text, and its end."""


def can_draw(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal that can move its cursor."""
    try:
        return stream is not None and stream.isatty() and os.environ.get("TERM", "") not in DUMB
    except ValueError:  # it is closed
        return False


def in_front(pid: int, stream: TextIO) -> bool:
    """Tell whether a process lives and is in the foreground of its terminal.

    If the process is stopped or in the background, the screen belongs to the shell.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            state, _parent, group, _session, terminal, front, *_ = (
                file.read().rpartition(")")[2].split()
            )
    except (OSError, ValueError):
        return False
    if state in "tTZX":
        return False
    device, number = os.fstat(stream.fileno()).st_rdev, int(terminal)
    its = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
    return its != (os.major(device), os.minor(device)) or group == front


def table_width() -> int:
    """Return the columns that tables have to fit: 100 if output does not go to a
    terminal, so that files do not differ.
    """
    return _width() or WIDTH


def list_width() -> int:
    """Return the columns that lists have to fit: no limit if output does not go to a
    terminal, so one thing a line, for grep.
    """
    return _width() or sys.maxsize


def _width() -> int:
    """Return COLUMNS, else the width of the terminal; 0 if there is neither."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(NARROWEST, int(columns))
    if sys.stdout is None or not sys.stdout.isatty():
        return 0
    import shutil  # not above: most commands print no table

    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def alarm(word: str) -> str:
    """Return a word that must not be overlooked: coloured on a terminal, unless its
    user has switched colours off.
    """
    terminal = (
        sys.stdout is not None
        and sys.stdout.isatty()
        and os.environ.get("TERM") not in (None, "", "dumb")
    )
    return f"{ALARM}{word}{PLAIN}" if terminal and not os.environ.get("NO_COLOR") else word
