"""Find the line of the author's own files in which a bot's trace ends."""

import re
from collections.abc import Mapping

from khiva_arena.extensions.checker.plain_values import shown
from khiva_arena.extensions.checker.workbench.refused import PlainEvent

_FRAME = re.compile(r'^[ \t]*File "([^"\n]+)", line (\d+)|^([^\s:]+):(\d+)$', re.MULTILINE)
"""The line of a file in a trace of Python, and the first line of one in JavaScript."""
_KIT = re.compile(r"khiva_kit\.\w+")


def trace_in(notes: str, files: Mapping[str, str]) -> PlainEvent | None:
    """Return the last line of the author's own files that a trace names, and what was
    said at its end; None without a trace.
    """
    frames = [(found[1] or found[3], int(found[2] or found[4])) for found in _FRAME.finditer(notes)]
    frames = [(file, line) for file, line in frames if file in files]
    own = [(file, line) for file, line in frames if not _KIT.fullmatch(file)] or frames
    if not own:
        return None
    said = [
        line
        for line in notes.splitlines()
        if re.match(r"\w+(Error|Exception|Exit|Interrupt)\b", line)
    ]
    return {
        "file": own[-1][0],
        "line": own[-1][1],
        "text": shown((said or notes.rstrip().splitlines())[-1]),
    }
