"""One wait for all pipes of a match: by epoll, which is a descriptor itself, or by poll if there is no epoll.

Events are those of poll, which epoll's are equal to. All is level-triggered.
"""

import select
from collections.abc import Awaitable, Callable
from typing import Protocol

import trio

from khiva_arena.sandbox import system

IN, OUT, NOTHING = select.POLLIN, select.POLLOUT, 0


class Poller(Protocol):
    """Descriptors, and what is waited for on each."""

    def register(self, descriptor: int, events: int, /) -> None:
        """Wait for this, too."""

    def modify(self, descriptor: int, events: int, /) -> None:
        """Wait for something else on it."""

    def unregister(self, descriptor: int, /) -> None:
        """Stop waiting for it."""

    def poll(self, seconds: float, /) -> list[tuple[int, int]]:
        """What has come, or comes in so many seconds: descriptors, and what on each."""

    async def wait(self) -> None:
        """Wait until there is something to poll. Cancel it to end it before."""

    def close(self) -> None:
        """Free it. A second time does nothing."""


class EpollPoller:
    """trio waits for the one descriptor."""

    def __init__(self) -> None:
        self._epoll = epoll = select.epoll()
        # As they are: a call between would cost every answer of a bot something.
        self.register, self.modify, self.unregister = epoll.register, epoll.modify, epoll.unregister
        self.poll, self.close = epoll.poll, epoll.close

    async def wait(self) -> None:
        await trio.lowlevel.wait_readable(self._epoll.fileno())


class PollPoller:
    """trio waits for each descriptor by a task of its own."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._wanted: dict[int, int] = {}

    def register(self, descriptor: int, events: int, /) -> None:
        self._wanted[descriptor] = events
        if events:
            self._poll.register(descriptor, events)

    def modify(self, descriptor: int, events: int, /) -> None:
        self.unregister(descriptor)
        self.register(descriptor, events)

    def unregister(self, descriptor: int, /) -> None:
        if self._wanted.pop(descriptor):
            self._poll.unregister(descriptor)

    def poll(self, seconds: float, /) -> list[tuple[int, int]]:
        return self._poll.poll(seconds * 1000)

    async def wait(self) -> None:
        async with trio.open_nursery() as nursery:

            async def one(ready: Callable[[int], Awaitable[None]], descriptor: int) -> None:
                await ready(descriptor)
                nursery.cancel_scope.cancel()

            for descriptor, events in self._wanted.items():
                if events:
                    ready = trio.lowlevel.wait_readable if events & IN else trio.lowlevel.wait_writable
                    nursery.start_soon(one, ready, descriptor)
            await trio.sleep_forever()

    def close(self) -> None:
        self._wanted.clear()


def poller() -> Poller:
    """One for a match. Raises OSError if the system has no descriptor left."""
    return EpollPoller() if system.EPOLL else PollPoller()
