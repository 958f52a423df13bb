"""As much of MessagePack as the protocol needs, by hand: the zoo runs with any python3 and nothing installed."""

import struct

Value = None | bool | int | str | list | dict


class Raw(bytes):
    """Bytes that stand for a value as they are: how what no sender may send gets into a message."""


def pack(value: object) -> bytes:
    """A value as MessagePack, in forms that are right and not always the shortest."""
    if isinstance(value, Raw):
        return bytes(value)
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return bytes([value]) if 0 <= value < 128 else b"\xd3" + struct.pack(">q", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        return (bytes([0xA0 + len(data)]) if len(data) < 32 else b"\xdb" + struct.pack(">I", len(data))) + data
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    if isinstance(value, dict):
        return b"\xdf" + struct.pack(">I", len(value)) + b"".join(pack(key) + pack(item) for key, item in value.items())
    raise TypeError(f"no {type(value).__name__} here")


def unpack(data: bytes) -> Value:
    """The one value in ``data``."""
    return _take(data, 0)[0]


def _take(data: bytes, at: int) -> tuple[Value, int]:
    first, at = data[at], at + 1
    if first < 0x80:
        return first, at
    if first < 0x90:
        return _map(data, at, first & 15)
    if first < 0xA0:
        return _list(data, at, first & 15)
    if first < 0xC0:
        return _text(data, at, first & 31)
    if first >= 0xE0:
        return first - 256, at
    if first in _FIXED:
        return _FIXED[first], at
    layout, make = _SIZED[first]
    (number,) = struct.unpack_from(layout, data, at)
    return make(data, at + struct.calcsize(layout), number)


def _map(data: bytes, at: int, count: int) -> tuple[Value, int]:
    out = {}
    for _ in range(count):
        key, at = _take(data, at)
        out[key], at = _take(data, at)
    return out, at


def _list(data: bytes, at: int, count: int) -> tuple[Value, int]:
    out = []
    for _ in range(count):
        value, at = _take(data, at)
        out.append(value)
    return out, at


def _text(data: bytes, at: int, size: int) -> tuple[Value, int]:
    return data[at : at + size].decode(), at + size


def _number(_data: bytes, at: int, number: int) -> tuple[Value, int]:
    return number, at


_FIXED = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
_SIZED = {first: (layout, _number) for first, layout in _NUMBERS.items()}
_SIZED |= {0xD9: (">B", _text), 0xDA: (">H", _text), 0xDB: (">I", _text)}
_SIZED |= {0xDC: (">H", _list), 0xDD: (">I", _list), 0xDE: (">H", _map), 0xDF: (">I", _map)}
