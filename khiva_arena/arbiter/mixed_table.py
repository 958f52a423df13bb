"""A table in ticks at which persons sit beside modules.

All of a step are asked at once. The modules run while the persons think, and nothing is
opened before each has its reply. A person pays one tick for an answer, however long it
takes: with none it would count as written before its question (tick_batches.py). A
person whose own time is up has used all ticks that the seat had.

Nothing here reads a clock, starts a process or waits, so that a page can have such a
table, too.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from khiva_arena.arbiter.tick_batches import ModuleTable, Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import Act, BotHello
from khiva_arena.common.result import NOT_MEASURED, Verdict
from khiva_arena.records.replay.record import Choice, Record

NO_ENDING = Ending(None, False, NOT_MEASURED, "", 0)


class SeatedPerson(Protocol):
    """A person at the table."""

    def send(self, data: bytes) -> None:
        """Take a frame."""

    async def reply(self) -> Reply:
        """Return the answer to the last question, or its end. Raises HostFault if no
        person is to blame for it.
        """

    def stop(self) -> None:
        """End the seat, which is out."""

    async def close(self, grace: float) -> Ending:
        """End the seat, at the end of the match."""


class MixedTable:
    """A ``ModuleTable`` with persons.

    players: by seat.
    modules: those of the other seats, which are numbered without the persons there;
        None if there are none.
    """

    def __init__(
        self, seats: int, players: Mapping[int, SeatedPerson], modules: ModuleTable | None
    ) -> None:
        self._players, self._modules = players, modules
        self._others = [seat for seat in range(seats) if seat not in players]
        self._at = {seat: at for at, seat in enumerate(self._others)}

    def announce(self, seat: int, step: int, kind: str) -> None:
        if self._modules and seat in self._at:
            self._modules.announce(self._at[seat], step, kind)

    def remark(self, seat: int, line: str) -> None:
        if self._modules and seat in self._at:
            self._modules.remark(self._at[seat], line)

    def send(self, seat: int, data: bytes) -> None:
        if seat in self._players:
            self._players[seat].send(data)
        elif self._modules:
            self._modules.send(self._at[seat], data)

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        replies: dict[int, Reply] = {}
        persons = [seat for seat in asks if seat in self._players]
        for seat in persons:
            if asks[seat].frame:
                self._players[seat].send(asks[seat].frame)
        of_modules = {self._at[seat]: ask for seat, ask in asks.items() if seat in self._at}
        if self._modules and of_modules:
            replies |= {
                self._others[at]: reply
                for at, reply in (await self._modules.ask(of_modules)).items()
            }
        for seat in persons:
            replies[seat] = await self._players[seat].reply()
        return replies

    def round_trip(self, seat: int) -> float | None:
        return None

    def stop(self, seat: int) -> None:
        if seat in self._players:
            self._players[seat].stop()
        elif self._modules:
            self._modules.stop(self._at[seat])

    async def close(self, grace: float) -> list[Ending]:
        try:
            endings = await self._modules.close(grace) if self._modules else []
        finally:
            of_persons = {seat: await player.close(grace) for seat, player in self._players.items()}
        by_seat = dict(zip(self._others, endings, strict=False)) | of_persons
        return [by_seat.get(seat, NO_ENDING) for seat in range(len(self._others) + len(of_persons))]


class RecordedPlayer:
    """A person of a match that is played again, who answers as its record says. What
    the record says of a person nobody can check here, but for what the rules make of
    it.
    """

    def __init__(self, record: Record, seat: int) -> None:
        self._seat, self._frame = seat, b""
        rows = (record.ticks or ((),))[1:]
        self._choices = iter(
            [
                (one, took)
                for step, row in zip(record.steps, rows, strict=True)
                for one, took in zip(step, row, strict=True)
                if one.seat == seat
            ]
        )
        self._start = (
            (record.verdicts[seat] if record.forfeited_at[seat] == 0 else ""),
            (record.ticks or ((),))[0][seat],
        )

    def send(self, data: bytes) -> None:
        self._frame = data

    async def reply(self) -> Reply:
        asked = msgspec.msgpack.decode(self._frame[codec.HEADER :])
        if asked["type"] == "hello":
            why, took = self._start
            answer: BotHello | Act = BotHello("hello", 1, "person")
        else:
            (_, choice, why), took = next(
                self._choices, (Choice(self._seat, 0, Verdict.TIMEOUT), 0)
            )
            answer = Act(
                "act", asked["req"], len(asked["legal"]) if why == Verdict.ILLEGAL else choice
            )
        if why in ("", Verdict.ILLEGAL):
            return Reply(RunEnd.ANSWERED, took, codec.encode(answer))
        # A table gives a person no other end: a record with one differs from what comes
        # out here.
        return Reply(_ENDS.get(why, RunEnd.EXITED), took)

    def stop(self) -> None:
        """Do nothing: the record says how the seat goes on."""

    async def close(self, grace: float) -> Ending:
        return NO_ENDING


_ENDS: Mapping[str, RunEnd] = {
    Verdict.TIMEOUT: RunEnd.TIMEOUT,
    Verdict.START_FAILED: RunEnd.REFUSED,
}


def recorded_players(record: Record) -> dict[int, RecordedPlayer]:
    """Return the persons of a record by seat, who answer as it says."""
    return {seat: RecordedPlayer(record, seat) for seat in record.header.persons}
