"""The deals of trainers, drawn from the arena's streams. Their keys have names of their
own, so no run has the same deals.
"""

import secrets
from hashlib import sha256
from operator import index
from typing import SupportsIndex

from khiva_arena.errors import ConfigError
from khiva_arena.rng import SECRET_BYTES, Stream

Seed = int | str
"""A number or a text: 7 and "7" are one seed, here and in a run."""


class Deals:
    """The secrets of episodes, one after another. Without a seed they come from the
    system.
    """

    def __init__(self, seed: Seed | None = None) -> None:
        self._key = secrets.token_bytes(SECRET_BYTES)
        self._deals_drawn = 0
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: Seed) -> None:
        """Begin again: equal seeds are followed by equal deals. Raises ConfigError for
        a value that is neither a whole number nor a text.
        """
        if isinstance(seed, bool) or not isinstance(seed, str | SupportsIndex):
            raise ConfigError(f"seed: {seed!r:.200} is neither a whole number nor a text")
        self._key = sha256(
            b"khiva-env-1\0" + (seed if isinstance(seed, str) else str(index(seed))).encode()
        ).digest()
        self._deals_drawn = 0

    def next(self) -> bytes:
        """Return the secret of the next episode, 32 bytes."""
        self._deals_drawn += 1
        stream = Stream(self._key, "env", str(self._deals_drawn))
        return b"".join(stream.u64().to_bytes(8, "big") for _ in range(SECRET_BYTES // 8))


def numbered(number: int) -> bytes:
    """Return the secret of a numbered deal of OpenSpiel."""
    return sha256(b"khiva-spiel-1\0" + str(number).encode()).digest()
