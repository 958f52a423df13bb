"""The text of a bundle: its lines, inflated within bounds, and refusals of other
formats.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from khiva_arena.errors import RecordError
from khiva_arena.records.replay import league_format
from khiva_arena.records.replay.record import canonical

LONGEST_LINE = 16 * 2**20
# Records come to a tenth of their size; a file that grows a hundredfold was made to
# fill the memory or the day of a reader.
MOST_GROWTH, FREE_GROWTH = 100, 2**20
GZIP = 31  # zlib's word for a gzip header and trailer; zlib writes no name and no time into them
_CHUNK, _PIECE = 2**16, 2**20
SHOWN = 200


class Readable(Protocol):
    """A file to read from."""

    def read(self, size: int, /) -> bytes: ...


def refuse_other_formats(values: Any) -> None:
    """Raise OtherFormat for the plain values of a line that code of another version
    wrote. Their shapes are checked later.
    """
    match values:
        case {"kind": "link", "link": link}:
            league_format.check_link(link)
        case {"kind": "event", "definition": definition}:
            league_format.check_definition(definition)
        case {"kind": "module", "wasm": _}:  # of code before 0.3.0 that knew no payloads
            raise league_format.OtherFormat(league_format.OLD)


def texts(file: Readable) -> Iterator[bytes]:
    """Yield each line with its newline. Raises RecordError."""
    rest = b""
    for piece in _inflate(file):
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(rest) > LONGEST_LINE:
            raise RecordError(f"it has a line of more than {LONGEST_LINE:,} bytes")
    if rest:
        raise RecordError("its last line is cut short")


def _inflate(file: Readable) -> Iterator[bytes]:
    inflate = zlib.decompressobj(GZIP)
    size_in = size_out = 0
    while data := file.read(_CHUNK):
        if inflate.eof:
            raise RecordError("more bytes follow its end")
        size_in += len(data)
        piece = bytes(_PIECE)
        while data or len(piece) == _PIECE:  # a full piece may not be all
            try:
                piece = inflate.decompress(data, _PIECE)
            except zlib.error as error:
                raise RecordError(f"the file is damaged ({error})") from None
            data = inflate.unconsumed_tail
            size_out += len(piece)
            if size_out > MOST_GROWTH * size_in + FREE_GROWTH:
                raise RecordError(
                    f"it grows more than {MOST_GROWTH} times when it is unpacked, which no "
                    "bundle does"
                )
            yield piece
        if inflate.unused_data:
            raise RecordError("more bytes follow its end")
    if not inflate.eof:
        raise RecordError("the file is cut short")


def parse(text: bytes) -> Any:
    """Return the value of a line. Raises ValueError."""
    if len(text) > LONGEST_LINE:
        raise ValueError(f"it is longer than {LONGEST_LINE:,} bytes")
    try:
        value = json.loads(text)
        if canonical(value) + b"\n" != text:
            raise ValueError("not canonical text")
        if b"\\ud" in text:  # half a character that no output can take
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return value
