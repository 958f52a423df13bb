"""Run a module of Python while it is built: ``freeze`` lets it compile its library,
``snapshot`` starts it and keeps its memory.

It needs ``wasmtime``. What the module asks of its host has one answer everywhere: no
time passes, and chance is zeros.
"""

import json
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import wasmtime

ANSWERS = {"environ_get": 0, "sched_yield": 0, "fd_prestat_get": 8, "fd_seek": 70}
ZEROS = {
    "environ_sizes_get": ((0, 4), (1, 4)),
    "clock_res_get": ((1, 8),),
    "clock_time_get": ((2, 8),),
    "fd_fdstat_get": ((1, 24),),
}
"""Calls that write zeros alone: which of the parameters are places, and how many bytes
there.
"""
NOT_THERE = 52
MEMORY, CODE, DATA, DATA_COUNT, CUSTOM = 5, 10, 11, 12, 0
PAGE_BITS = 16
ZEROS_BETWEEN = re.compile(rb"\0{32,}")
"""So many zeros are no part of a data segment: a segment has a head of some bytes."""


class Host:
    """A module that runs, whose calls are answered alike everywhere.

    module: as the engine has compiled it
    """

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module) -> None:
        self.store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        for one in module.imports:
            assert isinstance(one.type, wasmtime.FuncType)
            linker.define(
                self.store,
                one.module,
                one.name,
                wasmtime.Func(self.store, one.type, self._answer(one.name or "")),
            )
        self.exports = linker.instantiate(self.store, module).exports(self.store)

    def _answer(self, name: str) -> Callable[..., int]:
        def answer(*words: int) -> int:
            if name == "fd_write":
                return self._write(*words)
            if name == "random_get":
                self.write(words[0], bytes(words[1]))
            for at, size in ZEROS.get(name, ()):
                self.write(words[at], bytes(size))
            return ANSWERS.get(name, 0 if name in ZEROS or name == "random_get" else NOT_THERE)

        return answer

    def _write(self, descriptor: int, pairs: int, count: int, result: int) -> int:
        spans = struct.iter_unpack("<II", self.read(pairs, 8 * count))
        text = b"".join(self.read(at, size) for at, size in spans)
        sys.stderr.write(text.decode(errors="replace"))
        self.write(result, len(text).to_bytes(4, "little"))
        return 0

    def call(self, name: str, *words: int) -> int:
        """Call an exported function. Raises ``wasmtime.Trap``."""
        return int(self.exports[name](self.store, *words) or 0)  # type: ignore[operator]

    def read(self, at: int, size: int) -> bytes:
        """Return bytes of its memory."""
        return bytes(self.exports["memory"].read(self.store, at, at + size))  # type: ignore[union-attr]

    def write(self, at: int, data: bytes) -> None:
        """Write bytes into its memory."""
        self.exports["memory"].write(self.store, data, at)  # type: ignore[union-attr]

    def put(self, data: bytes) -> int:
        """Return a place with these bytes, and a zero behind them."""
        at = self.call("khiva_room", len(data) + 1)
        self.write(at, data)
        return at

    def pages(self) -> int:
        """Return how many pages its memory has."""
        return int(self.exports["memory"].size(self.store))  # type: ignore[union-attr]


def compiled(module: bytes) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return a module that can run, with the stack that METER.md asks for."""
    config = wasmtime.Config()
    config.max_wasm_stack = 1_800_000
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module(engine, module)


def freeze(module: bytes, files: dict[str, str]) -> dict[str, bytes]:
    """Return what files become when an interpreter without a library compiles
    them. ``files``: paths by the names of modules.
    """
    frozen, ready = {}, compiled(module)
    for name, path in files.items():
        host = Host(
            *ready
        )  # a fresh one for each: what is marshalled depends on what else refers to it
        host.call("khiva_init")
        size = host.call("khiva_room", 4)
        at = host.call(
            "khiva_freeze",
            host.put(f"<frozen {name}>".encode()),
            host.put(Path(path).read_bytes()),
            size,
        )
        frozen[name] = host.read(at, int.from_bytes(host.read(size, 4), "little"))
    return frozen


def snapshot(module: bytes, library: bytes) -> bytes:
    """Return the module that begins with the memory which it has after ``khiva_init``.

    library: what becomes its first segment of data, which is in no memory until main.c
        takes a part of it
    """
    sections = dict(_sections(module))
    count, first = _number(sections[DATA], 0)
    passive = b"\1" + _leb(len(library)) + library
    host = Host(*compiled(_module(sections, count + 1, passive + sections[DATA][first:])))
    host.call("khiva_init")
    parts = list(_parts(host.read(0, host.pages() << PAGE_BITS)))
    most = _number(sections[MEMORY], _number(sections[MEMORY], 2)[1])[0]
    sections[MEMORY] = b"\1\1" + _leb(host.pages()) + _leb(most)
    active = (b"\0\x41" + _signed(at) + b"\x0b" + _leb(len(data)) + data for at, data in parts)
    return _module(sections, len(parts) + 1, passive + b"".join(active))


def _module(sections: Mapping[int, bytes], count: int, segments: bytes) -> bytes:
    """Return the module of these sections, with so many segments of data, whose number
    stands before the code.
    """
    written = [b"\0asm\1\0\0\0"]
    for number, body in (sections | {DATA: _leb(count) + segments}).items():
        if number == CODE:
            written += [bytes([DATA_COUNT]), _leb(len(_leb(count))), _leb(count)]
        if number not in (CUSTOM, DATA_COUNT):
            written += [bytes([number]), _leb(len(body)), body]
    return b"".join(written)


def _parts(image: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield where memory has other bytes than zeros, and these."""
    at = 0
    for gap in (*ZEROS_BETWEEN.finditer(image), None):
        end = gap.start() if gap else len(image)
        if end > at:
            yield at, image[at:end]
        at = gap.end() if gap else end


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        size, first = _number(module, at + 1)
        yield module[at], module[first : first + size]
        at = first + size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return an unsigned number, and the place behind it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def _leb(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _leb(rest) if rest else bytes([low])


def _signed(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low]) if not rest and low < 0x40 else bytes([low | 0x80]) + _signed(rest)


def main(task: str, source: str, library: str, made: str = "") -> None:
    """Write what a module becomes. A freezer reads paths by names, as JSON, from its
    input, and prints the bytes of each.
    """
    module = Path(source).read_bytes()
    if task == "snapshot":
        Path(made).write_bytes(snapshot(module, Path(library).read_bytes()))
        return
    frozen = freeze(module, json.load(sys.stdin))
    Path(library).write_bytes(b"".join(frozen.values()))
    print(json.dumps({name: len(code) for name, code in frozen.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
