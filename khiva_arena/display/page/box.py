"""The replays of one page, as the page has them."""

import zlib
from collections import defaultdict
from typing import Any

from khiva_arena.display.page import html
from khiva_arena.display.page.data import Took
from khiva_arena.records.replay.frames import Film, block

NO_LIMIT = 2**63
AT_ONCE = 2**20
"""Bytes of JSON that a block reaches before it is compressed: longer blocks are hardly
smaller, and take memory.
"""
_TAG = 80  # bytes around a block in a page
_OPTIONAL = ("notes", "times")  # columns that a block has only if they hold something


class Box:
    """The replays of one page, in compressed blocks of some matches each. They are
    compressed as they come.

    most: the bytes that all of them may take in the page.
    blocks: compressed blocks.
    legal: lists of choices, which all blocks share.
    """

    def __init__(self, most: int = NO_LIMIT) -> None:
        self.blocks: list[bytes] = []
        self.legal: list[Any] = []
        self._most = most
        self._size = 0  # of the blocks that are closed, and of the lists of choices
        self._numbers: dict[str, int] = {}
        self._waiting: defaultdict[str, list[bytes]] = defaultdict(list)  # by column, by match
        self._waiting_length = 0
        self._waiting_most = (
            0  # bytes in the page: a bound, since a block is smaller than its matches one by one
        )

    def add(
        self, reel: Film, notes: list[str], times: list[dict[int, Took]], *, must: bool = False
    ) -> list[int] | None:
        """Add a match and return its block and its place in the block; None if the page
        has no room for it.

        notes: by seat; [] for none.
        times: by seat by step; [] for none.
        must: whether the match is added if there is no room, too.
        """
        known = len(self.legal)
        steps = enumerate(reel.asked) if times else ()
        of_steps = [
            [times[seats[0]].get(step) for seats in seats_asked] for step, seats_asked in steps
        ]
        columns = {
            name: html.as_json(column[0]) for name, column in block([reel], self._shared).items()
        }
        columns |= {"notes": html.as_json(notes), "times": html.as_json(of_steps)}
        own, choices = (
            _taken(b"".join(columns.values())),
            _taken(html.as_json(self.legal[known:])) if self.legal[known:] else 0,
        )
        if not must and not self._has_room(own + choices):
            self.close()  # now the room that the matches take is known, and no bound
            if not self._has_room(own + choices):
                self._forget(known)
                return None
        for name, text in columns.items():
            self._waiting[name].append(text)
        place = [len(self.blocks), len(self._waiting["notes"]) - 1]
        self._size += choices
        self._waiting_most += own
        self._waiting_length += sum(map(len, columns.values()))
        if self._waiting_length >= AT_ONCE:
            self.close()
        return place

    def close(self) -> None:
        """End the block, if it has a match."""
        parts = [
            b'"%b":[%b]' % (name.encode(), b",".join(texts))
            for name, texts in self._waiting.items()
            if name not in _OPTIONAL or any(text != b"[]" for text in texts)
        ]
        if parts:
            self.blocks.append(zlib.compress(b"{%b}" % b",".join(parts), 9))
            self._size += _in_page(self.blocks[-1])
            self._waiting.clear()
            self._waiting_length = self._waiting_most = 0

    def _has_room(self, more: int) -> bool:
        return self._size + self._waiting_most + more <= self._most

    def _shared(self, choices: Any) -> int:
        number = self._numbers.setdefault(repr(choices), len(self.legal))
        if number == len(self.legal):
            self.legal.append(choices)
        return number

    def _forget(self, known: int) -> None:
        """Forget the lists of choices beyond the first ``known``, those of a match that
        has no room.
        """
        for choices in self.legal[known:]:
            del self._numbers[repr(choices)]
        del self.legal[known:]


def _taken(text: bytes) -> int:
    """Return how many bytes a text takes in a page if it is compressed by itself, at
    most.
    """
    return _in_page(zlib.compress(text, 1))


def _in_page(data: bytes) -> int:
    """Return how many bytes a block takes in a page."""
    return len(data) * 4 // 3 + _TAG
