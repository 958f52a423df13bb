"""Removal of handed values, such as an organiser's key, from a bot's output, so that no
notes hold a key.

Only the plain values are found, not encodings that a bot makes of them: a bot that
writes its key backwards or in base64 wants to tell it. Short values are no secrets, and
stand in other words, too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy

SHORTEST = 6
"""Least number of characters of a value that is redacted."""
BEGINNING = 16
"""Least number of characters of a value's beginning that is redacted, or half of a
value that is not twice as long. A line that quotes a bot's message may have been cut
within a value.
"""


class Redactor:
    """A filter of a bot's output, piece by piece: the name of its variable stands in
    place of each value. A value may come in any number of pieces.
    """

    __slots__ = ("_names", "_pattern", "_pending", "_struck", "_values")

    def __init__(self, handed: Mapping[str, str]) -> None:
        """Begin with nothing held back. ``handed``: values by the names of their
        variables.
        """
        self._names = {
            value.encode(): f"[{name}]".encode()
            for name, value in handed.items()
            if len(value) >= SHORTEST
        }
        self._values = sorted(self._names, key=len, reverse=True)
        # The longest first, or one that begins another would leave the other's rest.
        self._pattern = re.compile(b"|".join(map(re.escape, self._values)))
        self._pending = b""
        self._struck = (
            0  # bytes at the beginning of what is held back for which a name stands already
        )

    def take(self, data: bytes) -> bytes:
        """Take in more bytes. Return the bytes that can be shown; bytes that may be the
        beginning of a value are held back.
        """
        if not self._values:
            return data
        data = self._pending + data
        begin = self._begin_of_value(data)
        shown, struck = self._without(data, begin)
        self._pending, self._struck = data[begin:], max(0, struck - begin)
        return shown

    def rest(self) -> bytes:
        """Return the bytes held back, once the output has ended. A value may have been
        cut off there: the name stands in place of a beginning that would tell much of
        it.
        """
        end = self._begin_of_value(self._pending, least=_telling)
        shown, struck = self._without(self._pending, end)
        cut_off, self._pending, self._struck = self._pending[end:], b"", 0
        if not cut_off or struck >= end + len(cut_off):
            return shown
        begun = next(value for value in self._values if value.startswith(cut_off))
        return shown + self._names.get(cut_off, self._names[begun])

    def without_values(self, data: bytes) -> bytes:
        """Return whole bytes without the values."""
        redactor = copy(self)
        redactor._pending, redactor._struck = b"", 0
        return redactor.take(data) + redactor.rest()

    def _without(self, data: bytes, stop: int) -> tuple[bytes, int]:
        """Return the bytes before ``stop`` without values that begin there, and where
        the last of these ends. Values may overlap: no part of any is left.
        """
        out: list[bytes] = []
        struck = self._struck
        value = self._pattern.search(data)
        while value and value.start() < stop:
            if value.end() > struck:
                out += [data[struck : value.start()], self._names[value[0]]]
                struck = value.end()
            value = self._pattern.search(data, value.start() + 1)
        return b"".join([*out, data[struck:stop]]), struck

    def _begin_of_value(self, data: bytes, least: Callable[[bytes], int] = lambda _: 1) -> int:
        """Return where the first incomplete value begins of which ``least`` bytes are
        there; the length of the data if none does.
        """
        longest = len(self._values[0]) if self._values else 1
        for at in range(max(0, len(data) - longest + 1), len(data)):
            size, rest = len(data) - at, data[at:]
            if any(len(one) > size >= least(one) and one.startswith(rest) for one in self._values):
                return at
        return len(data)

    def text(self, text: str) -> str:
        """Return a line without the values and their beginnings. The line may quote the
        bot's message as it is or in hex.
        """
        for value in self._values:
            for shape in (value.decode(), value.hex(), value.hex(" ")):
                text = "".join(_without(text, shape, self._names[value].decode()))
        return text


def _telling(value: "str | bytes") -> int:
    """Return the least length of a value's beginning that is redacted."""
    return min(BEGINNING, -(-len(value) // 2))


def _without(text: str, value: str, name: str) -> Iterator[str]:
    at = 0
    while (begin := text.find(value[: _telling(value)], at)) >= 0:
        length = next(
            (
                length
                for length, sign in enumerate(value)
                if text[begin + length : begin + length + 1] != sign
            ),
            len(value),
        )
        yield text[at:begin] + name
        at = begin + length
    yield text[at:]
