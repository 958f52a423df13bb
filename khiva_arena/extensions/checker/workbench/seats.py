"""Seats over the modules of a page, in the order in which a match asks them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.competition.audit.replayed_match import ReplayedSeat, SeatOrder, SeatResult


class PageSeat(Protocol):
    """A module at a table."""

    def say(self, data: bytes) -> None:
        """Give it a frame that it may read when it runs again."""

    async def ask(self, ask: TickAsk) -> Reply:
        """Let it run. Raises HostFault if this machine cannot."""

    def notes(self) -> bytes:
        """Return what it wrote on stderr."""

    def end(self) -> None:
        """Free it: it is never asked again."""


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


def _reply(result: SeatResult) -> Reply:
    kind = RunEnd(result.word)
    if kind is RunEnd.ANSWERED:
        return Reply(kind, result.used, result.answer)
    code = int.from_bytes(result.answer, "big")
    return Reply(kind, result.used, b"", f"exited with code {code}" if kind is RunEnd.EXITED else str(kind))


def as_bytes(data: Any) -> bytes:
    """Return bytes that come from JavaScript."""
    return bytes(data.to_bytes() if hasattr(data, "to_bytes") else data)


class SeatsInPage:
    """The modules of a match in a page: a ``ModuleTable``."""

    def __init__(self, seats: Sequence[PageSeat]) -> None:
        self._seats = seats

    def announce(self, seat: int, step: int, kind: str) -> None:
        """Do nothing: notes have no marks."""

    def remark(self, seat: int, line: str) -> None:
        """Do nothing."""

    def send(self, seat: int, data: bytes) -> None:
        self._seats[seat].say(data)

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        replies = await asyncio.gather(*(self._seats[seat].ask(ask) for seat, ask in asks.items()))
        return dict(zip(asks, replies, strict=True))

    def round_trip(self, seat: int) -> float | None:
        return None

    def stop(self, seat: int) -> None:
        """Do nothing: a seat that is out is not asked."""

    async def close(self, grace: float) -> list[Ending]:
        return []
