"""The deals of trainers, drawn from the arena's streams. They are never those of a run: their keys have names of their own."""

import secrets
from hashlib import sha256

from khiva_arena.rng import SECRET_BYTES, Stream


class Deals:
    """The secrets of episodes, one after another."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(SECRET_BYTES)
        self._drawn = 0

    def seed(self, seed: int) -> None:
        """Begin again: equal seeds are followed by equal deals."""
        self._key = sha256(b"khiva-env-1\0" + str(seed).encode()).digest()
        self._drawn = 0

    def next(self) -> bytes:
        """The secret of the next episode."""
        self._drawn += 1
        stream = Stream(self._key, "env", str(self._drawn))
        return b"".join(stream.u64().to_bytes(8, "big") for _ in range(SECRET_BYTES // 8))


def numbered(number: int) -> bytes:
    """The secret of a deal of OpenSpiel's."""
    return sha256(b"khiva-spiel-1\0" + str(number).encode()).digest()
