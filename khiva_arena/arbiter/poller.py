"""The one wait for all pipes of a match: by epoll, or by poll where there is no epoll.

An epoll is a descriptor itself. Events are those of poll, which epoll's are equal to.
All is level-triggered.
"""

import select
from collections.abc import Awaitable, Callable
from typing import Protocol

import trio

from khiva_arena.bots.sandbox import system

IN, OUT, NOTHING = select.POLLIN, select.POLLOUT, 0


class Poller(Protocol):
    """A set of descriptors, each with the events that are waited for."""

    def register(self, descriptor: int, events: int, /) -> None:
        """Wait for ``events`` on a further descriptor."""

    def modify(self, descriptor: int, events: int, /) -> None:
        """Change the events that are waited for on a descriptor."""

    def unregister(self, descriptor: int, /) -> None:
        """Stop waiting for a descriptor."""

    def poll(self, seconds: float, /) -> list[tuple[int, int]]:
        """Return the descriptors with events that have come, or come within
        ``seconds``, each with its events.
        """

    async def wait(self) -> None:
        """Wait until there is something to poll. Cancel the wait to end it earlier."""

    def close(self) -> None:
        """Free the poller. A second call does nothing."""


class EpollPoller:
    """A poller by epoll: trio waits for its one descriptor."""

    def __init__(self) -> None:
        self._epoll = epoll = select.epoll()
        # epoll's own methods: a wrapping call would cost every answer of a bot
        # something.
        self.register, self.modify, self.unregister = epoll.register, epoll.modify, epoll.unregister
        self.poll, self.close = epoll.poll, epoll.close

    async def wait(self) -> None:
        await trio.lowlevel.wait_readable(self._epoll.fileno())


class PollPoller:
    """A poller by poll: trio waits for each descriptor by a task of its own."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._events: dict[int, int] = {}

    def register(self, descriptor: int, events: int, /) -> None:
        self._events[descriptor] = events
        if events:
            self._poll.register(descriptor, events)

    def modify(self, descriptor: int, events: int, /) -> None:
        self.unregister(descriptor)
        self.register(descriptor, events)

    def unregister(self, descriptor: int, /) -> None:
        if self._events.pop(descriptor):
            self._poll.unregister(descriptor)

    def poll(self, seconds: float, /) -> list[tuple[int, int]]:
        return self._poll.poll(seconds * 1000)

    async def wait(self) -> None:
        async with trio.open_nursery() as nursery:

            async def wait_for_one(
                ready: Callable[[int], Awaitable[None]], descriptor: int
            ) -> None:
                await ready(descriptor)
                nursery.cancel_scope.cancel()

            for descriptor, events in self._events.items():
                if events:
                    ready = (
                        trio.lowlevel.wait_readable if events & IN else trio.lowlevel.wait_writable
                    )
                    nursery.start_soon(wait_for_one, ready, descriptor)
            await trio.sleep_forever()

    def close(self) -> None:
        self._events.clear()


def poller() -> Poller:
    """Make a poller for a match. Raises OSError if the system has no descriptor
    left.
    """
    return EpollPoller() if system.EPOLL else PollPoller()
