"""The replays of one page, as the page has them."""

from typing import Any

from khiva_arena.replay.frames import Film, block
from khiva_arena.report import html


class Box:
    """The replays of one page, those of a deal in one block.

    made: compressed blocks.
    legal: lists of choices, which all of them share.
    size: bytes that the blocks take in a page.
    """

    def __init__(self) -> None:
        self.made: list[bytes] = []
        self.legal: list[Any] = []
        self.size = 0
        self._numbers: dict[str, int] = {}
        self._films: list[Film] = []
        self._notes: list[list[str]] = []

    def add(self, made: Film, notes: list[str]) -> list[int]:
        """Add a match; returns its block and its place in that. ``notes``: by seat, or none."""
        self._films.append(made)
        self._notes.append(notes)
        return [len(self.made), len(self._films) - 1]

    def close(self) -> None:
        """End the block."""
        if self._films:
            notes = {"notes": self._notes} if any(self._notes) else {}
            self.made.append(html.compressed(block(self._films, self._shared) | notes))
            self.size += len(self.made[-1]) * 4 // 3
            self._films, self._notes = [], []

    def _shared(self, choices: Any) -> int:
        number = self._numbers.setdefault(repr(choices), len(self.legal))
        if number == len(self.legal):
            self.legal.append(choices)
        return number
