"""The link of a relay to its arena."""

from __future__ import annotations

import ssl
from typing import Any, NamedTuple

from khiva_arena.extensions.seats.relay_protocol import LinkBreach


class ArenaLink(NamedTuple):
    """How a relay connects: the host and port of the arena, the name and token of the
    relay, and TLS, None for none.
    """

    where: tuple[str, int]
    name: str
    token: str
    tls: ssl.SSLContext | None


def number_of(values: dict[str, Any], key: str, default: float, maximum: float) -> float:
    """Return a number of a greeting. Raises LinkBreach."""
    value = values.get(key, default)
    if type(value) not in (int, float) or not 0 <= value <= maximum:
        raise LinkBreach(f"{key} is no number that can be")
    return float(value)
