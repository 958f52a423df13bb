"""What a page is to Python, over the arena's own meter and runner in place of a
browser's.
"""

from collections.abc import Sequence
from typing import Any

from javascript import interpreter, released
from modules import WORDS, SeatAlone, compiled, machine

from khiva_arena.bots.modules.runner.line import PAGE


class NativeSeat:
    """A module that stands still between two questions."""

    def __init__(self, seat: SeatAlone) -> None:
        self._seat = seat

    def say(self, data: bytes) -> None:
        self._seat.say(data)

    async def ask(self, ticks: int, frame: bytes) -> tuple[str, int, bytes]:
        self._seat.say(frame)
        word, used, told = self._seat.ask(ticks)
        return WORDS[word], used, told

    def notes(self) -> bytes:
        return bytes(self._seat.notes)

    def end(self) -> None:
        self._seat.drop()


class NativePage:
    """The object ``khiva_page``. ``live``: whether a module can stand still. ``told``:
    what was told.
    """

    def __init__(self, *, live: bool = True) -> None:
        self._live = live
        self._files = {released(word): interpreter(word) for word in ("python", "javascript")}

    def take(self, digest: str, data: bytes) -> None:
        self._files[digest] = data

    def drop(self, digest: str) -> None:
        del self._files[digest]

    def is_live(self) -> bool:
        return self._live

    def live(self, module: str, payload: str, pages: int, key: bytes) -> NativeSeat:
        return NativeSeat(
            SeatAlone(
                machine(), compiled(self._files[module]), key, pages * PAGE, self._files[payload]
            )
        )

    def run_noted(
        self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[Sequence[Any]]
    ) -> Any:
        seat = self.live(module, payload, pages, key)._seat
        results = []
        for word, ticks, frame in orders:
            seat.say(frame)
            if word == "ask":
                number, used, told = seat.ask(ticks)
                results.append((WORDS[number], used, told))
        seat.drop()
        return "", results, bytes(seat.notes)
