"""The output of a build: its end, and before that the first error of a compiler, which
is the one to look at.
"""

import re

from khiva_arena.common.text import printable

SHOWN = 2_000
"""Characters of the end."""
SEARCHED = 1 << 20
"""Bytes of the beginning in which the first error is looked for."""
_LINE = 400
# As in "main.c:3:5: error: ...", "error[E0425]: ...", "main.ts(3,1): error
# TS2304: ...", "Error: Unbound value x" of OCaml and "undefined reference to" of
# linkers; Go writes no such word, only the place.
_ERROR = re.compile(
    r"^(?:.*[\s:)])?error(?:\[\w+\]| [A-Z]+\d+)?:|undefined reference "
    r"to|^\S+\.\w+:\d+:\d+: (?!warning|note|remark|info|In )",
    re.IGNORECASE,
)


class BuildOutput:
    """The output of a build in progress, of which the beginning and the end are
    kept.
    """

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Take in more bytes."""
        self._head += data[: SEARCHED - len(self._head)]
        self._tail += data
        del self._tail[:-SHOWN]

    def text(self) -> str:
        """Return the end for people, after the first error if that is not in it."""
        end = printable(self._tail)[-SHOWN:].strip()
        error = first_error(printable(self._head))
        return end if not error or error in end else f"{error}\n...\n{end}"


def first_error(text: str) -> str:
    """Return the first line in which a compiler says what is wrong, "" if there is
    none.

    Where a compiler says it on the line below, as GHC does, that line is added.
    """
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if _ERROR.search(line[:_LINE]):
            below = lines[at + 1 : at + 2] if line.rstrip().endswith(":") else []
            return " ".join(part.strip() for part in (line, *below))[:_LINE]
    return ""
