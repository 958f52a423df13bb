"""Removal of handed values, such as an organiser's key, from a bot's output, so that no notes hold a key.

Only the plain values are found, not encodings that a bot makes of them: a bot that writes its key backwards or in base64 wants to
tell it. Short values are no secrets, and stand in other words, too.
"""

import re
from collections.abc import Iterator, Mapping

SHORTEST = 6
"""Least number of characters of a value that is struck."""
BEGINNING = 16
"""Least number of characters of a value's beginning that is struck, or half of a value that is not twice as long. A line that
quotes a bot's message may have been cut within a value."""


class Strike:
    """A filter of a bot's output, piece by piece: the name of its variable stands in place of each value. A value may come in any
    number of pieces."""

    __slots__ = ("_held", "_names", "_values", "_whole")

    def __init__(self, handed: Mapping[str, str]) -> None:
        """Begin with nothing held back. ``handed``: values by the names of their variables."""
        self._names = {value.encode(): f"[{name}]".encode() for name, value in handed.items() if len(value) >= SHORTEST}
        self._values = sorted(self._names, key=len, reverse=True)
        # The longest first, or one that begins another would leave the other's rest.
        self._whole = re.compile(b"|".join(map(re.escape, self._values)))
        self._held = b""

    def take(self, data: bytes) -> bytes:
        """Take in more bytes. Return the bytes that can be shown; bytes that may be the beginning of a value are held back."""
        if not self._values:
            return data
        data, self._held = self._held + data, b""
        out: list[bytes] = []
        at = 0
        begun = self._begun(data, 0)
        while at < len(data):
            found = self._whole.search(data, at)
            begun = begun if begun >= at else self._begun(data, at)
            if begun < (found.start() + 1 if found else len(data)):  # a longer value may begin where a shorter one stands
                self._held = data[begun:]
                return b"".join([*out, data[at:begun]])
            end = found.end() if found else len(data)
            out += [data[at : found.start()], self._names[found[0]]] if found else [data[at:]]
            at = end
        return b"".join(out)

    def _begun(self, data: bytes, least: int) -> int:
        """Return where the first incomplete value begins, from ``least`` on; the length of the data if none does."""
        for at in range(max(least, len(data) - len(self._values[0]) + 1), len(data)):
            left = len(data) - at
            if any(len(value) > left and value.startswith(data[at:]) for value in self._values):
                return at
        return len(data)

    def rest(self) -> bytes:
        """Return the bytes held back, once the output has ended."""
        held, self._held = self._held, b""
        return self.struck(held)

    def struck(self, data: bytes) -> bytes:
        """Return whole bytes without the values."""
        return self._whole.sub(lambda found: self._names[found[0]], data) if self._values else data

    def text(self, text: str) -> str:
        """Return a line without the values and their beginnings. The line may quote the bot's message as it is or in hex."""
        for value in self._values:
            for shape in (value.decode(), value.hex(), value.hex(" ")):
                text = "".join(_without(text, shape, self._names[value].decode()))
        return text


def _without(text: str, value: str, name: str) -> Iterator[str]:
    at = 0
    while (found := text.find(value[: min(BEGINNING, -(-len(value) // 2))], at)) >= 0:
        length = next(
            (length for length, sign in enumerate(value) if text[found + length : found + length + 1] != sign), len(value)
        )
        yield text[at:found] + name
        at = found + length
    yield text[at:]
