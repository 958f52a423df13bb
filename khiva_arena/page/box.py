"""The replays of one page, as the page has them."""

from typing import Any

from khiva_arena.page import html
from khiva_arena.page.data import Took
from khiva_arena.replay.frames import Film, block


class Box:
    """The replays of one page, those of a deal in one block.

    blocks: compressed blocks.
    legal: lists of choices, which all blocks share.
    size: bytes that the blocks take in a page.
    """

    def __init__(self) -> None:
        self.blocks: list[bytes] = []
        self.legal: list[Any] = []
        self.size = 0
        self._numbers: dict[str, int] = {}
        self._films: list[Film] = []
        self._notes: list[list[str]] = []
        self._times: list[list[list[Took | None]]] = []

    def add(self, reel: Film, notes: list[str], times: list[dict[int, Took]]) -> list[int]:
        """Add a match and return its block and its place in the block.

        notes: by seat; [] for none.
        times: by seat by step; [] for none.
        """
        self._films.append(reel)
        self._notes.append(notes)
        steps = enumerate(reel.asked) if times else ()
        self._times.append([[times[seats[0]].get(step) for seats in seats_asked] for step, seats_asked in steps])
        return [len(self.blocks), len(self._films) - 1]

    def close(self) -> None:
        """End the block."""
        if self._films:
            beside = {name: of_films for name, of_films in (("notes", self._notes), ("times", self._times)) if any(of_films)}
            self.blocks.append(html.compressed(block(self._films, self._shared) | beside))
            self.size += len(self.blocks[-1]) * 4 // 3
            self._films, self._notes, self._times = [], [], []

    def _shared(self, choices: Any) -> int:
        number = self._numbers.setdefault(repr(choices), len(self.legal))
        if number == len(self.legal):
            self.legal.append(choices)
        return number
