"""The last words of a game's process: its stack, left in a pipe when its time is up."""

import faulthandler
import os
import re
import signal
from typing import NamedTuple

from khiva_arena.games import base

MOST_BYTES = 2**16
"""Bytes of last words, at most: the capacity of a pipe."""
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_CUT = "\n  ...\n"
"""The mark in a stack that is too deep to be written as a whole: its outermost calls
are missing.
"""


class Whereabouts(NamedTuple):
    """A place in a game's code.

    call: the method that the arena has called, "" if it is not known.
    line: as ", line 3 of game.py", "" if it is not known.
    """

    call: str
    line: str


def leave_last_words(pipe: int) -> None:
    """Make the signal that ends this process for taking too long write its stack first,
    whatever the process does.
    """
    os.set_blocking(pipe, False)  # words that do not fit are dropped
    faulthandler.register(signal.SIGXCPU, file=pipe, all_threads=False, chain=True)


def last_words(pipe: int) -> str:
    """Return the last words of a process that has ended, "" if there are none. Closes
    the pipe.
    """
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, MOST_BYTES).decode(errors="replace")
    except BlockingIOError:  # a process that the game has started still holds it
        return ""
    finally:
        os.close(pipe)


def place_in(words: str, folder: str) -> Whereabouts:
    """Return where a game was, from its last words.

    folder: the beginning of the paths of its code, "" if they are not known.
    """
    frames = [
        (file, line, call)
        for file, line, call in _FRAME.findall(words)
        if _is_own(file, folder) or file == base.__file__
    ]
    own_frame = next(((file, line) for file, line, _ in frames if _is_own(file, folder)), None)
    call = frames[-1][2] if frames and _CUT not in words else ""
    return Whereabouts(
        call, f", line {own_frame[1]} of {os.path.basename(own_frame[0])}" if own_frame else ""
    )


def _is_own(file: str, folder: str) -> bool:
    return bool(folder) and file.startswith(folder)
