"""The persons of a match in ticks who are asked now: the processes that stand for them,
and their time by the wall clock.
"""

from collections.abc import Sequence

import trio
from msgspec.structs import replace

from khiva_arena.arbiter import runners
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.mixed_table import NO_ENDING, MixedTable, SeatedPerson, recorded_players
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.tick_batches import Reply, RunEnd
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER
from khiva_arena.records.replay.ticks import ANSWER_TICKS


class _Links:
    """The processes that stand for persons, and what came from each."""

    def __init__(self, wire: Processes, persons: int) -> None:
        self.wire = wire
        self._came = [bytearray() for _ in range(persons)]
        self._ended: set[int] = set()
        self._endings: list[Ending] | None = None

    async def frame(self, at: int, deadline: float) -> bytes | None:
        """Return the next whole frame of a person; b"" if there will be none, None if
        there is none at the deadline.
        """
        while True:
            came = self._came[at]
            size = HEADER + int.from_bytes(came[:HEADER], "big") if len(came) >= HEADER else 0
            if size > FRAME_MOST_TO_ARBITER:
                raise HostFault("the link of a person sent bytes that are no frame")
            if size and len(came) >= size:
                frame = bytes(came[:size])
                del came[:size]
                return frame
            if at in self._ended:
                return b""
            arrivals = await self.wire.receive(deadline)
            if not arrivals and trio.current_time() >= deadline:
                return None
            for arrival in arrivals:
                self._came[arrival.seat] += arrival.data
                if not arrival.data:
                    self._ended.add(arrival.seat)

    async def close(self, at: int, grace: float) -> Ending:
        """End all of them with the first, and return the end of one."""
        if self._endings is None:
            self._endings = await self.wire.close(grace)
        return self._endings[at] if at < len(self._endings) else NO_ENDING


class _LivePlayer:
    """A person who is asked by a process. ``starts``, ``decides``: seconds up to the
    hello, and for each decision.
    """

    def __init__(self, links: _Links, at: int, starts: float, decides: float) -> None:
        self._links, self._at, self._decides = links, at, decides
        self._until, self._next = trio.current_time() + starts, starts

    def send(self, data: bytes) -> None:
        self._until, self._next = trio.current_time() + self._next, self._decides
        self._links.wire.send(self._at, data)

    async def reply(self) -> Reply:
        frame = await self._links.frame(self._at, self._until)
        if frame is None:
            return Reply(RunEnd.TIMEOUT, ANSWER_TICKS)
        if frame:
            return Reply(RunEnd.ANSWERED, ANSWER_TICKS, frame)
        return Reply(
            RunEnd.EXITED, ANSWER_TICKS, b"", await self._links.wire.describe_end(self._at)
        )

    def stop(self) -> None:
        self._links.wire.stop(self._at)

    async def close(self, grace: float) -> Ending:
        return await self._links.close(self._at, grace)


async def start(
    job: Job, servers: ForkServers, *, alone: bool, on_stderr: runners.OnStderr | None = None
) -> MixedTable:
    """Start the table of a job in ticks with persons. Raises HostFault if the host
    cannot start it.
    """
    persons, seats = job.header.persons, len(job.header.seats)
    modules = await _modules(
        job, [seat for seat in range(seats) if seat not in persons], servers, alone, on_stderr
    )
    players: dict[int, SeatedPerson] = {}
    if job.answers is not None:
        players |= recorded_players(job.answers)
    else:
        try:
            links = _Links(Processes([job.commands[seat] for seat in persons]), len(persons))
        except BaseException:
            if modules:
                with trio.CancelScope(shield=True):
                    await modules.close(0.0)
            raise
        time = job.header.time
        decides = ((job.person_turn_ms or time["turn_ms"]) + time["bank_ms"]) / 1000
        players |= {
            seat: _LivePlayer(links, at, time["startup_ms"] / 1000, decides)
            for at, seat in enumerate(persons)
        }
    return MixedTable(seats, players, modules)


async def _modules(
    job: Job,
    seats: Sequence[int],
    servers: ForkServers,
    alone: bool,
    on_stderr: runners.OnStderr | None,
) -> runners.Runners | None:
    """Start the modules of these seats, as a table of their own; None if there are
    none.
    """
    if not seats:
        return None
    header = replace(job.header, seats=tuple(job.header.seats[seat] for seat in seats))
    only = replace(job, header=header, commands=tuple(job.commands[seat] for seat in seats))
    told = None if on_stderr is None else lambda at, data: on_stderr(seats[at], data)
    return await runners.start(only, servers, alone=alone, on_stderr=told)
