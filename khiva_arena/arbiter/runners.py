"""The runners of a match in ticks: one process for the table, a fork server's child
where there is one; at strict one a seat.

A runner is started, watched, killed and reaped as any bot is (process.py); what its
modules do reaches the arbiter only as items of a batch (line.py). A runner that fails
is no seat's doing: the match is void.
"""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

import trio

from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.lifetimes import describe_status
from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.memory_limits import room_of
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.stderr import Notes, last_line
from khiva_arena.arbiter.tick_batches import Reply, RunEnd, TickAsk
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.modules.runner import line
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import TICKS_A_MS, Measured
from khiva_arena.records.replay.ticks import TICKS_A_SECOND

SLOWEST, GRACE = 60, 60.0
"""A runner has SLOWEST times the seconds that its ticks stand for, and GRACE more. From
then on it is given up if it stands still for GRACE seconds, or uses SPINS times all
that as CPU. A module that uses too much is the runner's to stop, long before that.
"""
IDLE, SPINS = 0.01, 10
"""IDLE is the part of its time that a runner which stands still may use: it looks
around now and then.
"""
ENDLESS = 10**9
"""Seconds of CPU that no match takes: what modules may use is counted in ticks."""
ENDS = {
    line.ANSWERED: RunEnd.ANSWERED,
    line.TIMEOUT: RunEnd.TIMEOUT,
    line.EXITED: RunEnd.EXITED,
    line.TRAPPED: RunEnd.TRAPPED,
    line.STACK: RunEnd.STACK,
    line.BACKSTOP: RunEnd.BACKSTOP,
    line.REFUSED: RunEnd.REFUSED,
}

Item = tuple[int, int, int, bytes]
"""An item of a batch: seat, kind, ticks and bytes."""
OnStderr = Callable[[int, bytes], None]
"""Gets the seat and the bytes that a module wrote on stderr."""
Close = Callable[[float], Awaitable[list[Ending]]]
"""Ends a table within so many seconds, or by a kill, and returns the end of each
runner.
"""


class Runners:
    """A ``ModuleTable`` of real processes."""

    def __init__(
        self,
        job: Job,
        payloads: Sequence[bytes | None],
        wire: Processes,
        close: Close,
        on_stderr: OnStderr | None = None,
    ) -> None:
        """Begin without an order.

        payloads: what each seat's module reads from descriptor 3; None without one
        wire: the runners, one or one for each seat
        close: ends the table
        on_stderr: gets what modules write there
        """
        seats = range(len(job.commands))
        self._runner = list(seats) if job.sandbox.level is Level.STRICT else [0 for _ in seats]
        self._turn = (
            job.header.time["turn_ms"] * TICKS_A_MS if job.granted is None else 0
        )  # no question, so nothing is granted
        self._patience = job.patience
        self._pending: list[list[Item]] = [
            [(seat, line.OPEN, 0, _opening(job, seat, payloads[seat]))] for seat in seats
        ]
        self._loads = {seat: (seat, line.LOAD, 0, _loading(job, seat)) for seat in seats}
        self._notes = [Notes() for _ in seats]
        self._functions: list[list[tuple[int, str]]] = [[] for _ in seats]
        self._gone: set[int] = set()
        self._spent = [0 for _ in seats]
        self._wire, self._close, self._on_stderr = wire, close, on_stderr

    def announce(self, seat: int, step: int, kind: str) -> None:
        self._notes[seat].begin_turn(step, kind)

    def remark(self, seat: int, line: str) -> None:
        self._notes[seat].remark(line)

    def round_trip(self, seat: int) -> float | None:
        return None

    def send(self, seat: int, data: bytes) -> None:
        if seat not in self._gone:
            self._pending[seat].append((seat, line.SAY, 0, data))

    def stop(self, seat: int) -> None:
        if seat not in self._gone:
            self._gone.add(seat)
            is_open = not any(order == line.OPEN for _, order, _, _ in self._pending[seat])
            self._pending[seat] = [(seat, line.END, 0, b"")] if is_open else []

    async def ask(self, asks: Mapping[int, TickAsk]) -> Mapping[int, Reply]:
        orders = {}
        for seat, (frame, ticks) in asks.items():
            orders[seat] = (seat, line.ASK, ticks, frame)
        replies = {
            item[0]: _reply(item) for item in await self._exchange(orders) if item[0] in asks
        }
        if replies.keys() != asks.keys():
            raise HostFault("the runner did not answer for every seat")
        return replies

    async def close(self, grace: float) -> list[Ending]:
        ends = {}
        for seat in range(len(self._runner)):
            if grace and seat not in self._gone:
                ends[seat] = (seat, line.END, self._turn, b"")
        try:
            if ends or (grace and self._gone):
                await self._exchange(ends)
        except HostFault:
            grace = 0.0  # what a module does after the end is no part of the match
        endings = await self._close(grace)
        return [
            self._ending(seat, endings[runner])
            for seat, runner in enumerate(self._runner)
            if runner < len(endings)
        ]

    async def _exchange(self, orders: Mapping[int, Item]) -> list[Item]:
        """Send the orders of these seats, with all that is pending, and return the
        items that come back, notes kept aside.
        """
        batches: dict[int, list[Item]] = {}
        for seat, runner in enumerate(self._runner):
            if seat in orders or seat in self._gone:
                batches.setdefault(runner, []).extend(self._pending[seat])
                self._pending[seat] = []
        for seat, order in orders.items():
            batches[self._runner[seat]].append(order)
        patience = self._patience * (
            GRACE + SLOWEST * sum(order[2] for order in orders.values()) / TICKS_A_SECOND
        )
        waiting = {runner: bytearray() for runner, items in batches.items() if items}
        for runner in waiting:
            loads = [
                self._loads.pop(seat)
                for seat, at in enumerate(self._runner)
                if at == runner and seat in self._loads
            ]
            self._wire.send(
                runner, (line.batch(loads) if loads else b"") + line.batch(batches[runner])
            )
        out = []
        while waiting:
            for runner, data in await self._arrivals(waiting, patience):
                out += _items(data)
                del waiting[runner]
        return [item for item in out if not self._is_aside(item)]

    async def _arrivals(
        self, waiting: Mapping[int, bytearray], patience: float
    ) -> list[tuple[int, bytearray]]:
        """Wait for bytes, and return the runners whose batch is whole by now, with
        it.
        """
        deadline = trio.current_time() + patience
        looks: list[float] = []
        while not (arrivals := await self._wire.receive(deadline)):
            uses = self._wire.uses()
            looks.append(sum(uses[runner].cpu for runner in waiting))
            if looks[1:] and looks[-1] - looks[-2] < IDLE * GRACE:
                raise HostFault(
                    f"the runner did not answer in time, and stood still for {GRACE:.0f} s"
                )
            if looks[-1] - looks[0] > SPINS * patience:
                raise HostFault(
                    "the runner did not answer in time, and used more than "
                    f"{SPINS * patience:,.0f} s of CPU"
                )
            deadline = trio.current_time() + GRACE
        for arrival in arrivals:
            if not arrival.data or arrival.seat not in waiting:
                raise HostFault(await self._why_failed(arrival.seat))
            waiting[arrival.seat].extend(arrival.data)
        return [(runner, data) for runner, data in waiting.items() if _is_whole(data)]

    async def _why_failed(self, runner: int) -> str:
        """Return how a runner ended, in its own words if it has left some. These are
        its last: it can say nothing more.
        """
        how = await self._wire.describe_end(runner)
        words = last_line((await self._wire.close(0.0))[runner].notes)
        return words if words.startswith(line.FAILS) else f"{line.FAILS}{how}"

    def _is_aside(self, item: Item) -> bool:
        """Keep what a module wrote on stderr, and its ticks by function. Raises
        HostFault for a seat that is not at the table.
        """
        seat, word, ticks, data = item
        if seat >= len(self._notes):
            raise HostFault(f"the runner spoke of a seat {seat}")
        if word == line.FAILED:
            raise HostFault(line.FAILS + data.decode(errors="replace"))
        if word == line.FUNCTION:
            self._functions[seat].append((ticks, data.decode(errors="replace")))
            return True
        if word != line.STDERR:
            self._spent[seat] += ticks
            return False
        self._notes[seat].add(data)
        if self._on_stderr:
            self._on_stderr(seat, data)
        return True

    def _ending(self, seat: int, runner: Ending) -> Ending:
        """Return the end of a seat. A runner's CPU time is shared out by its seats'
        ticks; its page faults are no seat's.
        """
        notes = self._notes[seat]
        together = [other for other, at in enumerate(self._runner) if at == self._runner[seat]]
        ticks = sum(self._spent[other] for other in together)
        share = self._spent[seat] / ticks if ticks else 1 / len(together)
        measured = Measured(runner.cpu * share)
        functions = tuple(self._functions[seat])
        return Ending(
            runner.status,
            seat in self._gone,
            measured,
            notes.text(),
            notes.total,
            functions=functions,
        )


async def start(
    job: Job, servers: ForkServers, *, alone: bool = False, on_stderr: OnStderr | None = None
) -> Runners:
    """Start the runners of a match. The words of a table's runner are the same in all
    of its commands.

    servers: the fork servers of this process
    alone: nothing else is played in this process
    on_stderr: gets what modules write there

    Raises HostFault if the host cannot start them.
    """
    commands = [_of_a_table(command) for command in job.commands]
    payloads = [_payload(one) for one in commands]
    each = replace(
        job.sandbox.resources, cpu=ENDLESS, memory=job.sandbox.resources.memory + room_of(commands)
    )
    sandbox = replace(job.sandbox, resources=each)
    if sandbox.level is Level.STRICT:
        wire = Processes(commands, sandbox, alone=alone)
        return Runners(job, payloads, wire, wire.close, on_stderr)
    seats = len(commands)
    resources = replace(each, memory=each.memory * seats, processes=each.processes * seats)
    one, for_all = _of_all(commands), replace(sandbox, resources=resources)
    if one.forks:
        server = await servers.take(one, for_all, alone=alone)
        return Runners(
            job,
            payloads,
            server.wire,
            partial(servers.give_back, server, line.batch(())),
            on_stderr,
        )
    wire = Processes([one], for_all, alone=alone)
    return Runners(job, payloads, wire, wire.close, on_stderr)


def _of_a_table(command: Command) -> Command:
    """Return the command of a module's runner in ticks. Its payload comes with its
    OPEN, and lies nowhere in the cell.
    """
    folder = os.path.dirname(command.module[0]) if command.payload else command.folder
    return replace(command, argv=command.module[2:], folder=folder)


def _loading(job: Job, seat: int) -> bytes:
    path, digest = job.commands[seat].module[:2]
    most_bytes = line.module_pages(job.sandbox.resources.memory) * line.PAGE
    return line.LOADING.pack(most_bytes, bytes.fromhex(digest)) + path.encode()


def _opening(job: Job, seat: int, payload: bytes | None) -> bytes:
    return line.opening(job.header.seats[seat].number.to_bytes(8, "big"), job.patience, payload)


def _payload(command: Command) -> bytes | None:
    """Return the bytes that a module reads beside its messages. Raises HostFault if
    they are not those that were staged.
    """
    if not command.payload:
        return None
    path, digest = command.payload
    try:
        data = regular_files.read(path, line.LARGEST, follow=False)
    except OSError:
        data = b""
    if blake2b(data, digest_size=32).hexdigest() != digest:
        raise HostFault(
            "the payload of a module has changed, or is gone, since the arena staged it; a "
            "new run stages it again"
        )
    return data


def _of_all(commands: Sequence[Command]) -> Command:
    """Return the command of one runner that may read the modules of all seats."""
    readable = {path: None for command in commands for path in (*command.readable, *command.own)}
    return replace(commands[0], readable=tuple(readable))


def _is_whole(data: bytearray) -> bool:
    try:
        lack = line.missing(data)
    except ValueError as error:
        raise HostFault(f"{line.FAILS}{error}") from None
    if lack < 0:
        raise HostFault("the runner spoke unasked")
    return lack == 0


def _items(data: bytearray) -> list[Item]:
    try:
        return line.items_of(data)
    except ValueError as error:
        raise HostFault(f"{line.FAILS}{error}") from None


def _reply(item: Item) -> Reply:
    _, word, ticks, data = item
    if word not in ENDS:
        raise HostFault(f"the runner gave a word {word}")
    if word == line.ANSWERED:
        return Reply(RunEnd.ANSWERED, ticks, data)
    text = (
        describe_status(int.from_bytes(data, "big"))
        if word == line.EXITED
        else data.decode(errors="replace")
    )
    return Reply(ENDS[word], ticks, b"", text)
