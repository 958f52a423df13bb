"""Fork servers: runners of tables in ticks that this process keeps from one match to
the next.

A fork server forks a child for each table (bots/modules/runner/forks.py), and is in a
cell as any bot is. It serves one table at a time, and is kept only once it has said
that the child of the last table has ended: then nobody else can read what it is sent.
It loads modules before it forks, and keeps those of the last table. After any failure
it is killed, with whatever it has started, and the next match gets another one.
"""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Self

import trio

from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Measured

GRACE = 1.0
"""Seconds in which an idle fork server may end by itself. One that is killed with its
namespace is in no sum of the system's.
"""
_TOLD = re.compile(rb"[0-9]{1,15}\n")
"""What it says on stderr once a table has ended: the microseconds of CPU that it and
the child took since it last said so.
"""


class ForkServer:
    """A fork server.

    wire: its process, as that of seat 0
    command, sandbox: what it was started with
    """

    def __init__(self, command: Command, sandbox: Sandbox, *, alone: bool) -> None:
        """Start it. Raises HostFault if the host cannot."""
        self.command, self.sandbox = command, sandbox
        self._told = bytearray()
        self.wire = Processes(
            [command], sandbox, alone=alone, on_stderr=lambda _, data: self._told.extend(data)
        )

    def suits(self, command: Command, sandbox: Sandbox) -> bool:
        """Tell whether it can serve a table that asks for this, and still lives."""
        own = {*self.command.readable}
        same = self.command.argv == command.argv and self.sandbox == sandbox
        return same and own >= {*command.readable} and not self.wire.describe_exit(0)

    async def end_table(self, order: bytes, seconds: float) -> float:
        """Give the order that ends the table, and return the seconds of CPU that it has
        taken.

        Raises HostFault if the child has not ended so soon.
        """
        self._told.clear()
        self.wire.send(0, order)
        arrivals = await self.wire.receive(trio.current_time() + seconds, self._has_told)
        if arrivals or not _TOLD.fullmatch(self._told):
            raise HostFault("the runner did not end the table")
        return int(self._told) / 1e6

    def _has_told(self) -> bool:
        return self._told.endswith(b"\n")


class ForkServers:
    """All fork servers of this process: a context, which ends and reaps them."""

    def __init__(self) -> None:
        self._idle: list[ForkServer] = []
        self._readable: dict[str, None] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with trio.CancelScope(shield=True):
            while self._idle:
                with suppress(HostFault):  # no match has need of it any more
                    await self._idle.pop().wire.close(GRACE)

    async def take(self, command: Command, sandbox: Sandbox, *, alone: bool) -> ForkServer:
        """Return a fork server for one table, that nobody else has. Raises HostFault if
        the host cannot start one.

        A new one may read the modules of all tables so far: those that play come again.
        """
        self._readable.update(dict.fromkeys(command.readable))
        while self._idle:
            server = self._idle.pop()
            if server.suits(command, sandbox):
                return server
            await server.wire.close(GRACE)
        return ForkServer(replace(command, readable=tuple(self._readable)), sandbox, alone=alone)

    async def give_back(self, server: ForkServer, order: bytes, grace: float) -> list[Ending]:
        """End a table by an order within ``grace`` seconds, or by a kill. Return its
        one end. Keep a server that can go on.
        """
        cpu = None
        if grace:
            with suppress(HostFault):  # then its process says how it ended
                cpu = await server.end_table(order, grace)
        if cpu is None:
            return await server.wire.close(0.0)
        self._idle.append(server)
        return [Ending(0, False, Measured(cpu), "", 0)]
