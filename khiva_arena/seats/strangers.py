"""Connections of relays that have not yet shown that they know a token.

If they are too many, the oldest goes first, so that strangers do not keep out a relay that knows its token.
"""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager

import trio

MOST = 256
OF_AN_ADDRESS = 64
"""The most strangers of one address. A relay shows its token within two round trips, so to keep it out somebody has to connect as
often in that time."""


class Strangers:
    """The strangers that wait, from the oldest on."""

    def __init__(self) -> None:
        self._waiting: dict[trio.CancelScope, str] = {}

    @contextmanager
    def arrived(self, host: str, seconds: float) -> Iterator[trio.CancelScope]:
        """Give a stranger its time. The scope ends early if others need the place, unless ``keep`` was called for it."""
        address = _network(host)
        same = [scope for scope, other in self._waiting.items() if other == address]
        if len(same) >= OF_AN_ADDRESS:
            self._end(same[0])
        elif len(self._waiting) >= MOST:
            self._end(next(iter(self._waiting)))
        with trio.move_on_after(seconds) as scope:
            self._waiting[scope] = address
            try:
                yield scope
            finally:
                self._waiting.pop(scope, None)

    def _end(self, scope: trio.CancelScope) -> None:
        del self._waiting[scope]
        scope.cancel()

    def keep(self, scope: trio.CancelScope) -> None:
        """Let a connection that has shown its token keep its place."""
        self._waiting.pop(scope, None)


def _network(host: str) -> str:
    """Return the network that counts as one address: of IPv6 the half that a provider gives to each customer."""
    address = ipaddress.ip_address(host.partition("%")[0])
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 and not address.ipv4_mapped else host
