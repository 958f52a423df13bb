"""Chance for the rules in C: the arena's own stream, and a quick one."""

from khiva_arena.crules.door import BITS, checked, checked_secret
from khiva_arena.crules.library import library, memory, word


class StreamInC:
    """The stream khiva-stream-1 of a secret of 32 bytes and one label, as
    ``khiva_arena.rng.Stream`` has it: equal draws.
    """

    quick = False

    def __init__(self, secret: bytes, label: str) -> None:
        if "\0" in checked("label", label, str):
            raise ValueError("the label of a stream in C has no zero")
        self._memory = memory(library().arena_lib_stream_size())
        library().arena_lib_stream(
            self._memory, checked_secret(secret), label.encode(), int(self.quick)
        )

    def u64(self) -> int:
        """Return the next number, 0 to 2**64 - 1."""
        return int(library().arena_lib_u64(self._memory))

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely. Raises ValueError if
        there is none, or beyond 2**64.
        """
        return int(library().arena_lib_below(self._memory, word(checked("n", n, BITS[1:]))))


class QuickStreamInC(StreamInC):
    """A stream of the quick generator: other draws, as even, forty times as fast.
    Worlds drawn from it go on with it.
    """

    quick = True
