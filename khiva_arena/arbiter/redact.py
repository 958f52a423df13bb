"""The values of variables that a bot was handed, struck out of what it says: an organiser's key stands in no notes.

Found are the values as they are, not what a bot makes of them: one that writes its key backwards or in base64 wants to tell it.
Short ones are no secrets, and stand in other words, too.
"""

import re
from collections.abc import Iterator, Mapping

SHORTEST = 6
"""Characters from which on a value is struck."""
BEGINNING = 16
"""Of a line that quotes what a bot sent, and may have been cut: from so many characters on, or half of a value that is not twice
as long, its beginning is struck."""


class Strike:
    """What a bot writes, piece by piece, without these values: the name of its variable stands in place of each. A value may come
    in any number of pieces."""

    __slots__ = ("_held", "_names", "_values", "_whole")

    def __init__(self, handed: Mapping[str, str]) -> None:
        """``handed``: values by the names of their variables."""
        self._names = {value.encode(): f"[{name}]".encode() for name, value in handed.items() if len(value) >= SHORTEST}
        self._values = sorted(self._names, key=len, reverse=True)
        # The longest first, or one that begins another would leave the other's rest.
        self._whole = re.compile(b"|".join(map(re.escape, self._values)))
        self._held = b""

    def take(self, data: bytes) -> bytes:
        """Take more in. Returns what of it, and of what was held, can be shown: not what may be the beginning of a value."""
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
        """Where the first value begins whose rest has not come, from ``least`` on; the length of the data if none does."""
        for at in range(max(least, len(data) - len(self._values[0]) + 1), len(data)):
            left = len(data) - at
            if any(len(value) > left and value.startswith(data[at:]) for value in self._values):
                return at
        return len(data)

    def rest(self) -> bytes:
        """What was held back, once the output has ended."""
        held, self._held = self._held, b""
        return self.struck(held)

    def struck(self, data: bytes) -> bytes:
        """Bytes that are whole, without the values."""
        return self._whole.sub(lambda found: self._names[found[0]], data) if self._values else data

    def text(self, text: str) -> str:
        """A line that may quote what the bot sent, as it is or in hex, without the values and their beginnings."""
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
