"""Removal of handed values, such as an organiser's key, from a bot's output, so that no notes hold a key.

Only the plain values are found, not encodings that a bot makes of them: a bot that writes its key backwards or in base64 wants to
tell it. Short values are no secrets, and stand in other words, too.
"""

import re
from collections.abc import Iterator, Mapping

SHORTEST = 6
"""Least number of characters of a value that is redacted."""
BEGINNING = 16
"""Least number of characters of a value's beginning that is redacted, or half of a value that is not twice as long. A line that
quotes a bot's message may have been cut within a value."""


class Redactor:
    """A filter of a bot's output, piece by piece: the name of its variable stands in place of each value. A value may come in any
    number of pieces."""

    __slots__ = ("_names", "_pattern", "_pending", "_values")

    def __init__(self, handed: Mapping[str, str]) -> None:
        """Begin with nothing held back. ``handed``: values by the names of their variables."""
        self._names = {value.encode(): f"[{name}]".encode() for name, value in handed.items() if len(value) >= SHORTEST}
        self._values = sorted(self._names, key=len, reverse=True)
        # The longest first, or one that begins another would leave the other's rest.
        self._pattern = re.compile(b"|".join(map(re.escape, self._values)))
        self._pending = b""

    def take(self, data: bytes) -> bytes:
        """Take in more bytes. Return the bytes that can be shown; bytes that may be the beginning of a value are held back."""
        if not self._values:
            return data
        data, self._pending = self._pending + data, b""
        out: list[bytes] = []
        at = 0
        begin = self._begin_of_value(data, 0)
        while at < len(data):
            value = self._pattern.search(data, at)
            begin = begin if begin >= at else self._begin_of_value(data, at)
            if begin < (value.start() + 1 if value else len(data)):  # a longer value may begin where a shorter one stands
                self._pending = data[begin:]
                return b"".join([*out, data[at:begin]])
            end = value.end() if value else len(data)
            out += [data[at : value.start()], self._names[value[0]]] if value else [data[at:]]
            at = end
        return b"".join(out)

    def _begin_of_value(self, data: bytes, start: int) -> int:
        """Return where the first incomplete value begins, from ``start`` on; the length of the data if none does."""
        for at in range(max(start, len(data) - len(self._values[0]) + 1), len(data)):
            size = len(data) - at
            if any(len(value) > size and value.startswith(data[at:]) for value in self._values):
                return at
        return len(data)

    def rest(self) -> bytes:
        """Return the bytes held back, once the output has ended."""
        pending, self._pending = self._pending, b""
        return self.without_values(pending)

    def without_values(self, data: bytes) -> bytes:
        """Return whole bytes without the values."""
        return self._pattern.sub(lambda value: self._names[value[0]], data) if self._values else data

    def text(self, text: str) -> str:
        """Return a line without the values and their beginnings. The line may quote the bot's message as it is or in hex."""
        for value in self._values:
            for shape in (value.decode(), value.hex(), value.hex(" ")):
                text = "".join(_without(text, shape, self._names[value].decode()))
        return text


def _without(text: str, value: str, name: str) -> Iterator[str]:
    at = 0
    while (begin := text.find(value[: min(BEGINNING, -(-len(value) // 2))], at)) >= 0:
        length = next(
            (length for length, sign in enumerate(value) if text[begin + length : begin + length + 1] != sign), len(value)
        )
        yield text[at:begin] + name
        at = begin + length
    yield text[at:]
