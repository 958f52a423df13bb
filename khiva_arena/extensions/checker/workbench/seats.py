"""Seats over the modules of a page.

Each takes frames, is asked, and raises HostFault if this machine cannot run its module. Its notes are all of its stderr.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.competition.audit.replayed_match import ReplayedSeat, ReplayedTable, SeatOrder, SeatResult


class LiveModule:
    """A module that stands still between two questions, as a browser with JSPI can have it. ``seat``: JavaScript's."""

    def __init__(self, seat: Any) -> None:
        self._seat = seat

    def say(self, data: bytes) -> None:
        self._seat.say(data)

    async def ask(self, ask: TickAsk) -> Reply:
        try:
            word, used, answer = await self._seat.ask(ask.ticks, ask.frame)
        except Exception as error:  # of the browser's own VM, which names its errors as it likes
            raise HostFault(str(error)) from None
        return _reply(SeatResult(word, int(used), as_bytes(answer)))

    def notes(self) -> bytes:
        return as_bytes(self._seat.notes())

    def end(self) -> None:
        self._seat.end()


class RerunModule:
    """A module that is run from its start at each question, where there is no JSPI.

    run: JavaScript's function, which runs it over orders; returns why it could not, the results, and what it wrote on stderr
    """

    def __init__(self, run: Any) -> None:
        self._run, self._notes = run, b""
        self._seat = ReplayedSeat(self._results, [])

    def _results(self, orders: Sequence[SeatOrder]) -> list[SeatResult]:
        why, results, notes = self._run([[*order] for order in orders])
        if why:
            raise HostFault(why)
        self._notes = as_bytes(notes)
        return [SeatResult(word, int(used), as_bytes(answer)) for word, used, answer in results]

    def say(self, data: bytes) -> None:
        self._seat.add(SeatOrder("say", 0, data))

    async def ask(self, ask: TickAsk) -> Reply:
        self._seat.add(SeatOrder("ask", ask.ticks, ask.frame))
        return _reply(self._seat.result())

    def notes(self) -> bytes:
        return self._notes

    def end(self) -> None:
        """Do nothing: it is kept nowhere."""


def module_in(page: Any, files: tuple[str, str], pages: int, key: bytes) -> LiveModule | RerunModule:
    """Return a seat over a module of a page. Raises HostFault if its browser has no room for one more.

    files: the hashes of the module and its payload, "" for none.
    pages: of memory that it may have.
    key: what its random numbers come from, 8 bytes.
    """
    if page.is_live():
        try:
            return LiveModule(page.live(*files, pages, key))
        except Exception as error:  # of the browser, which may have no memory for one more, in its own words
            raise HostFault(str(error)) from None
    return RerunModule(lambda orders: page.run_noted(*files, pages, key, orders))


def _reply(result: SeatResult) -> Reply:
    kind = RunEnd(result.word)
    if kind is RunEnd.ANSWERED:
        return Reply(kind, result.used, result.answer)
    code = int.from_bytes(result.answer, "big")
    return Reply(kind, result.used, b"", f"exited with code {code}" if kind is RunEnd.EXITED else str(kind))


def as_bytes(data: Any) -> bytes:
    """Return bytes that come from JavaScript."""
    return bytes(data.to_bytes() if hasattr(data, "to_bytes") else data)


class SeatsInPage(ReplayedTable):
    """The modules of a match in a page. All that are asked at once may run at once."""

    def __init__(self, modules: Sequence[LiveModule | RerunModule]) -> None:
        super().__init__(())
        self._modules = modules

    def send(self, seat: int, data: bytes) -> None:
        self._modules[seat].say(data)

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        replies = await asyncio.gather(*(self._modules[seat].ask(ask) for seat, ask in asks.items()))
        return dict(zip(asks, replies, strict=True))
