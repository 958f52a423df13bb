"""What ran in the process of a game when it was ended for taking too long: it leaves its stack in a pipe, as its last words."""

import faulthandler
import os
import re
import signal
from typing import NamedTuple

from khiva_arena.games import base

MOST_BYTES = 2**16
"""Of last words: what a pipe holds."""
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_CUT = "\n  ...\n"
"""Stands in a stack that is too deep to be written as a whole: its outermost calls are missing."""


class Whereabouts(NamedTuple):
    """In a game's code.

    call: the method that the arena has called, "" if it is not known.
    line: as ", line 3 of game.py", "" if it is not known.
    """

    call: str
    line: str


def leave_last_words(pipe: int) -> None:
    """From now on the signal that ends this process for taking too long has it write its stack first, whatever it does."""
    os.set_blocking(pipe, False)  # what does not fit is left out
    faulthandler.register(signal.SIGXCPU, file=pipe, all_threads=False, chain=True)


def last_words(pipe: int) -> str:
    """Of a process that has ended, "" if there are none. Closes the pipe."""
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, MOST_BYTES).decode(errors="replace")
    except BlockingIOError:  # a process that the game has started still holds it
        return ""
    finally:
        os.close(pipe)


def place_in(words: str, folder: str) -> Whereabouts:
    """Where a game was. ``folder``: how the paths of its code begin, "" if they are not known."""
    frames = [(file, line, call) for file, line, call in _FRAME.findall(words) if _is_own(file, folder) or file == base.__file__]
    own = next(((file, line) for file, line, _ in frames if _is_own(file, folder)), None)
    call = frames[-1][2] if frames and _CUT not in words else ""
    return Whereabouts(call, f", line {own[1]} of {os.path.basename(own[0])}" if own else "")


def _is_own(file: str, folder: str) -> bool:
    return bool(folder) and file.startswith(folder)
