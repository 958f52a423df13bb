"""What a terminal can do, and whose turn on it is. Imports next to nothing."""

import os
from typing import TextIO

DUMB = ("", "dumb", "unknown")


def can_draw(stream: TextIO | None) -> bool:
    """Whether this is a terminal that can move its cursor."""
    try:
        return stream is not None and stream.isatty() and os.environ.get("TERM", "") not in DUMB
    except ValueError:  # it is closed
        return False


def in_front(pid: int, stream: TextIO) -> bool:
    """Whether a process lives, and is not behind what else uses its terminal: one that is stopped, or went to the background, has
    left the screen to the shell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            state, _parent, group, _session, terminal, front, *_ = file.read().rpartition(")")[2].split()
    except (OSError, ValueError):
        return False
    if state in "tTZX":
        return False
    device, number = os.fstat(stream.fileno()).st_rdev, int(terminal)
    its = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
    return its != (os.major(device), os.minor(device)) or group == front
