"""Rows on a terminal that are drawn over, and lines that stay above them. The cursor is neither hidden nor left inside: whoever
is killed whenever leaves a terminal that works."""

import os
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console, RenderableType

from khiva_arena.cli.watching.frame import drawn

USUAL = (80, 24)


class Painter:
    """Draws on the terminal of a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rows = 0
        self._size = (0, 0)
        self._console: Console

    def size(self) -> tuple[int, int]:
        """Columns and rows now; it may change at any time."""
        size = os.get_terminal_size(self._stream.fileno())
        found = (size.columns or USUAL[0], size.lines or USUAL[1])
        if found != self._size:
            self._size = found
            self._console = Console(
                file=self._stream,
                width=found[0],
                height=found[1],
                force_terminal=True,
                legacy_windows=False,
                markup=False,
                emoji=False,
                highlight=False,
            )
        return found

    def paint(self, rows: Sequence[RenderableType], above: Sequence[str] = ()) -> None:
        """Draw rows over the last ones, in one go. ``above``: lines, safe ones, that scroll away. ``size`` was asked before."""
        texts = drawn(self._console, list(rows)) if rows else []
        up = f"\x1b[{self._rows}A" if self._rows else ""
        lines = "".join(f"\x1b[2K{text}\r\n" for text in (*above, *texts))
        self._write(f"\r{up}{lines}\x1b[J")
        self._rows = len(texts)

    def forget(self) -> None:
        """Others have written meanwhile: what comes next is drawn below it."""
        self._rows = 0

    def _write(self, text: str) -> None:
        data = text.encode(self._stream.encoding or "utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._stream.fileno(), data) :]
