"""Rewrite a module so that each block pays before it runs."""

from typing import NamedTuple

from . import bounds
from .instructions import instructions
from .parse import CODE, EXPORT, GLOBAL, MEMORY, FunctionType, Module, parse
from .pieces import Pieces, leb, sleb
from .prices import FRAME, NUMBER, SLOT, prices
from .reader import ModuleRefused, refuse, unsigned
from .walk import Walk
from .walked import Walked

TICKS, HEIGHT, PAGES = "khiva:ticks", "khiva:height", "khiva:pages"
"""The exported globals that the meter adds: the ticks that are left (i64), the bytes of
stack in use (i32), and the pages that the runner allows (i32), which become -1 when the
machine refuses one of them.
"""
BY_FUNCTION = "khiva:in:"
NEXT, SAMPLED, STOP = "khiva:next", b"\x0bkhiva_frame\0", "fd_write"
"""Of an interpreter that tells which function of its bot runs: the global (i64) with
the ticks below which it stops, what is in its section of exports, and the import by
which it stops.
"""
_I64_GLOBAL, _I32_GLOBAL = b"\x7e\1\x42\0\x0b", b"\x7f\1\x41\0\x0b"
"""Mutable globals that begin as 0."""
_ORDER = (1, 2, 3, 4, 5, 6, 7, 9, 12, 10, 11)


class Metered(NamedTuple):
    """A module that pays.

    wasm: the rewritten module.
    prices: the number of its price list.
    pages: the most pages of memory that it can have.
    functions: the name of each function by its index; "" where the module does not name
        it.
    """

    wasm: bytes
    prices: int
    pages: int
    functions: tuple[str, ...]

    @property
    def named(self) -> bytes:
        """The rewritten module with a section of its functions' names behind it, by
        which a VM says where it trapped.
        """
        names = [(index, name.encode()) for index, name in enumerate(self.functions) if name]
        entries = leb(len(names)) + b"".join(
            leb(index) + leb(len(name)) + name for index, name in names
        )
        section = b"\4name\1" + leb(len(entries)) + entries
        return self.wasm + b"\0" + leb(len(section)) + section


def rewritten(module: bytes, *, by_function: bool = False) -> Metered:
    """Rewrite a module by the price list, or raise ``ModuleRefused``.

    by_function: also export a global (i64) for each function with the ticks that were
        paid in it, named by ``BY_FUNCTION``, its index, a colon and its name. An
        interpreter that exports khiva_frame has one global ``NEXT`` instead: when it
        has fewer ticks than that, it calls ``STOP`` with numbers of ones alone. Neither
        the ticks nor what the module does change.
    """
    parsed = parse(module)
    types = _Types(parsed.types)
    exports, first = [TICKS, HEIGHT, PAGES], len(parsed.imports)
    is_sampled = by_function and SAMPLED in parsed.sections[EXPORT] and STOP in parsed.imports
    if is_sampled:
        exports += [NEXT]
    elif by_function:
        exports += [
            f"{BY_FUNCTION}{index}:{parsed.names[index]}"
            for index in range(first, first + len(parsed.bodies))
        ]
    counters = [_I64_GLOBAL] * (len(exports) - 3)
    sections = parsed.sections | {
        CODE: _code(parsed, types, by_function=by_function, is_sampled=is_sampled),
        MEMORY: b"\1\1" + leb(parsed.pages[0]) + leb(parsed.pages[1]),
        GLOBAL: _longer(
            parsed.sections.get(GLOBAL, b"\0"), [_I64_GLOBAL, _I32_GLOBAL, _I32_GLOBAL, *counters]
        ),
        EXPORT: _longer(parsed.sections[EXPORT], _exports(len(parsed.globals), exports)),
    }
    sections[1] = _longer(sections[1], types.added)
    parts = (
        bytes([number]) + leb(len(sections[number])) + sections[number]
        for number in _ORDER
        if number in sections
    )
    return Metered(b"\0asm\1\0\0\0" + b"".join(parts), NUMBER, parsed.pages[1], tuple(parsed.names))


def _longer(section: bytes, entries: list[bytes]) -> bytes:
    """Return a section with entries behind its own."""
    length, pos = unsigned(section, 0)
    return leb(length + len(entries)) + section[pos:] + b"".join(entries)


def _exports(globals_: int, names: list[str]) -> list[bytes]:
    """Return the exports of the globals behind the module's own."""
    words = [name.encode() for name in names]
    return [
        leb(len(word)) + word + b"\3" + leb(globals_ + place) for place, word in enumerate(words)
    ]


class _Types:
    """The types of a module and those that are added for the blocks around functions of
    several results.
    """

    def __init__(self, types: list[FunctionType]) -> None:
        self._indices = {type_: index for index, type_ in reversed(list(enumerate(types)))}
        self._length = len(types)
        self.added: list[bytes] = []

    def block(self, results: bytes) -> bytes:
        """Return the type of a block that takes no operands and leaves those of the
        given types.
        """
        if len(results) < 2:
            return results or b"\x40"
        type_ = FunctionType(b"", results)
        if type_ not in self._indices:
            self._indices[type_] = self._length + len(self.added)
            self.added.append(b"\x60\0" + leb(len(results)) + results)
        return sleb(self._indices[type_])


def _code(module: Module, types: _Types, *, by_function: bool, is_sampled: bool) -> bytes:
    """Return the rewritten code section."""
    pieces = Pieces(len(module.globals))
    length = len(module.sections[CODE])
    held = prices(module.pages[1], length)
    walk = Walk(module, instructions(held), pieces, held.cold)
    bodies = []
    targets = effort = heavy = 0
    for index, body in enumerate(module.bodies, len(module.imports)):
        type_ = module.types[module.functions[index]]
        if is_sampled:
            pieces.stop_below(len(module.globals) + 3, module.imports.index(STOP))
        elif by_function:
            pieces.count_in(len(module.globals) + 3 + index - len(module.imports))
        try:
            walked = walk.run(body, type_)
        except ModuleRefused as error:
            name = f" ({module.names[index]})" if module.names[index] else ""
            raise ModuleRefused(f"function {index}{name}: {error}") from None
        targets += walked.targets
        if targets > bounds.TARGETS:
            refuse(f"more than {bounds.TARGETS:,} entries of br_tables", "make the module smaller")
        effort += walked.effort
        if effort > bounds.EFFORTS:
            refuse("more blocks and locals in all than can be compiled", "make the module smaller")
        heavy += walked.heavy
        if heavy > bounds.HEAVY + length // bounds.HEAVY_BYTES:
            refuse(
                "more heavy instructions than its bytes allow", "move some of this work into loops"
            )
        bodies.append(_body(body, walked, type_, pieces, types))
    return leb(len(bodies)) + b"".join(leb(len(body)) + body for body in bodies)


def _body(body: bytes, walked: Walked, type_: FunctionType, pieces: Pieces, types: _Types) -> bytes:
    """Return a rewritten body."""
    height = FRAME + SLOT * walked.slots
    groups, behind = unsigned(body, 0)
    parts = [leb(groups + len(walked.scratch)), body[behind : walked.first]]
    parts += [bytes([1, local]) for local in walked.scratch]
    parts.append(pieces.head(height, types.block(type_.results)))
    pos = walked.first
    for first, end, code in walked.edits:
        parts += (body[pos:first], code)
        pos = end
    parts += (body[pos : walked.end], pieces.tail(height))
    return b"".join(parts)
