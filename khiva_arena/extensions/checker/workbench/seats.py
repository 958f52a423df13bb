"""Seats over the modules of a page, and a person's.

Each takes frames, is asked, and raises HostFault if this machine cannot run its module.
Its notes are all of its stderr.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from khiva_arena.arbiter.continued_steps import ContinuedSteps
from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.match_steps import MatchSteps
from khiva_arena.arbiter.mixed_table import NO_ENDING, MixedTable, SeatedPerson
from khiva_arena.arbiter.person import NO_HINTS, FrameCutter, Person, PersonReply
from khiva_arena.arbiter.seat import Blame
from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.competition.audit.replayed_match import (
    ReplayedSeat,
    ReplayedTable,
    SeatOrder,
    SeatResult,
)
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.games.base import Plain
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import ANSWER_TICKS

_LEAVES = b""
"""In the place of a person's answer, which is never empty."""

_LEAVES = b""
"""In the place of a person's answer, which is never empty."""


class LiveModule:
    """A module that stands still between two questions, as a browser with JSPI can have
    it. ``seat``: JavaScript's.
    """

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

    run: JavaScript's function, which runs it over orders; returns why it could not, the
        results, and what it wrote on stderr
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


ModuleSeat = LiveModule | RerunModule


def module_in(page: Any, files: tuple[str, str], pages: int, key: bytes) -> ModuleSeat:
    """Return a seat over a module of a page. Raises HostFault if its browser has no
    room for one more.

    files: the hashes of the module and its payload, "" for none.
    pages: of memory that it may have.
    key: what its random numbers come from, 8 bytes.
    """
    if page.is_live():
        try:
            return LiveModule(page.live(*files, pages, key))
        except (
            Exception
        ) as error:  # of the browser, which may have no memory for one more, in its own words
            raise HostFault(str(error)) from None
    return RerunModule(lambda orders: page.run_noted(*files, pages, key, orders))


class LeftError(Exception):
    """A person has left a match, which ends with that."""


class PersonSeat:
    """A person, who hears and answers by messages of a page: a ``SeatedPerson``.

    tell: takes each message to the page
    """

    def __init__(self, person: Person, tell: Callable[[dict[str, Plain]], None]) -> None:
        self._person, self._tell, self._frames = person, tell, FrameCutter()
        self._answers: asyncio.Queue[bytes] = asyncio.Queue()

    def send(self, data: bytes) -> None:
        for raw, message in self._frames.feed(data):
            self._act(self._person.take(raw, message))

    async def reply(self) -> Reply:
        """Return the answer to the last question. Raises LeftError."""
        if not (answer := await self._answers.get()):
            raise LeftError
        return Reply(RunEnd.ANSWERED, ANSWER_TICKS, answer)

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take a message of the page: a choice, the wish for a hint, or that the person
        leaves.
        """
        try:
            if message.get("type") == "hint":
                raise RemoteProtocolError(NO_HINTS)
            if message.get("type") == "leave":
                return self._answers.put_nowait(_LEAVES)
            self._act(self._person.choose(message.get("req"), message.get("choice")))
        except RemoteProtocolError as error:
            self._tell({"type": "said", "text": error.detail, "open": True})

    def _act(self, reply: PersonReply) -> None:
        for message in reply.messages:
            self._tell(message)
        if reply.answer:
            self._answers.put_nowait(reply.answer)

    def stop(self) -> None:
        """Do nothing: a person's answers have no faults."""

    async def close(self, grace: float) -> Ending:
        return NO_ENDING


def _reply(result: SeatResult) -> Reply:
    kind = RunEnd(result.word)
    if kind is RunEnd.ANSWERED:
        return Reply(kind, result.used, result.answer)
    code = int.from_bytes(result.answer, "big")
    return Reply(
        kind, result.used, b"", f"exited with code {code}" if kind is RunEnd.EXITED else str(kind)
    )


def as_bytes(data: Any) -> bytes:
    """Return bytes that come from JavaScript."""
    return bytes(data.to_bytes() if hasattr(data, "to_bytes") else data)


class SeatsInPage(ReplayedTable):
    """The modules of a match in a page. All that are asked at once may run at once."""

    def __init__(self, modules: Sequence[ModuleSeat]) -> None:
        super().__init__(())
        self._modules = modules

    def send(self, seat: int, data: bytes) -> None:
        self._modules[seat].say(data)

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        replies = await asyncio.gather(
            *(self._modules[seat].ask(ask) for seat, ask in asks.items())
        )
        return dict(zip(asks, replies, strict=True))


class _Watched(MatchSteps):
    """The steps of a match of which all faults are told."""

    @property
    def faults(self) -> list[tuple[int, Blame]]:
        """The faults of each seat, strikes included."""
        return [(seat.number, blame) for seat in self._seats for blame in seat.faults]


class _WatchedOn(ContinuedSteps, _Watched):
    """Such steps after those of a record."""


class PlayedHere(NamedTuple):
    """A match that a page has played.

    record: its record.
    faults: each seat at fault with the fault, strikes included.
    notes: by seat, what the bot wrote on stderr.
    """

    record: Record
    faults: list[tuple[int, Blame]]
    notes: dict[int, bytes]


async def played(
    job: Job,
    module_at: Callable[[int], ModuleSeat],
    players: Mapping[int, SeatedPerson] = MappingProxyType({}),
) -> PlayedHere:
    """Play a match, from its past on if its job has one. Raises HostFault, GameFault.

    module_at: makes the module of a seat
    players: the persons, by seat
    """
    modules: dict[int, ModuleSeat] = {}
    try:
        for seat in range(len(job.header.seats)):
            if seat not in players:
                modules[seat] = module_at(seat)
        table = MixedTable(len(job.header.seats), players, SeatsInPage([*modules.values()]))
        steps = _WatchedOn(job, job.past, table) if job.past else _Watched(job, table)
        record = await steps.record()
        return PlayedHere(
            record, steps.faults, {seat: module.notes() for seat, module in modules.items()}
        )
    finally:
        for module in modules.values():
            module.end()
