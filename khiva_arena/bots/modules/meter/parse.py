"""Parse the sections of a module, with every index bounded and everything refused that
has no price.

The bodies of functions are left to ``walk.py``.
"""

from collections.abc import Sequence
from typing import NamedTuple

from . import bounds, imports
from .function_names import names_of
from .instructions import TYPES
from .prices import PAGES
from .reader import PADDING, Bytes, invalid, refuse, unsigned
from .sections import announced, read_sections, reader_of

MEMORY, GLOBAL, EXPORT, CODE = 5, 6, 7, 10
_NUMBERS = frozenset(TYPES.values())
_OWN = "khiva:"
"""The beginning of the names of exports that the meter adds."""


class FunctionType(NamedTuple):
    """The types of parameters and of results, as bytes of the binary format."""

    params: bytes
    results: bytes


class Global(NamedTuple):
    """A global: its type, as a byte of the binary format, and whether it may be set."""

    type: int
    mutable: bool


class Module(NamedTuple):
    """A module whose sections are sound. Indices are those of the binary format.

    sections: the bytes of each section by its number, custom ones left out.
    types: of functions and blocks.
    imports: the names of the functions that are imported.
    functions: the index of the type of each function, imported ones first.
    table: the entries of the table; None without one.
    pages: of memory, at the start and at the most.
    globals: all of them.
    datas: how many segments the section of data counts says there are; None without
        this section.
    bodies: of the functions that are not imported.
    names: of functions by index, as the name section has them; "" where it has none.
    """

    sections: dict[int, bytes]
    types: list[FunctionType]
    imports: list[str]
    functions: list[int]
    table: int | None
    pages: tuple[int, int]
    globals: list[Global]
    datas: int | None
    bodies: list[bytes]
    names: Sequence[str]


def parse(data: bytes) -> Module:
    """Parse a module, or raise ``ModuleRefused``."""
    if len(data) > bounds.MODULE_BYTES:
        refuse(
            f"{len(data):,} bytes, above the bound of {bounds.MODULE_BYTES:,}",
            "make the module smaller",
        )
    sections, names = read_sections(data)
    types = _types(reader_of(sections, 1))
    imported = _imports(reader_of(sections, 2), types)
    own = _functions(reader_of(sections, 3), len(types))
    functions = [index for _, index in imported] + own
    table = _table(reader_of(sections, 4))
    pages = memory_of(reader_of(sections, MEMORY))
    globals_ = _globals(reader_of(sections, GLOBAL))
    _exports(
        reader_of(sections, EXPORT),
        (len(functions), 0 if table is None else 1, 1, len(globals_)),
        _entries(imported, own, types),
    )
    if 8 in sections:
        refuse("a start function", "do its work in _start")
    _elements(reader_of(sections, 9), 0 if table is None else 1, len(imported), len(functions))
    datas = announced(reader_of(sections, 12)) if 12 in sections else None
    bodies = _bodies(reader_of(sections, CODE))
    if len(bodies) != len(own):
        invalid(f"{len(own)} functions with {len(bodies)} bodies")
    segments = _data(reader_of(sections, 11))
    if datas not in (None, segments):
        invalid(f"{segments} data segments, where {datas} are announced")
    imports_ = [name for name, _ in imported]
    return Module(
        sections,
        types,
        imports_,
        functions,
        table,
        pages,
        globals_,
        datas,
        bodies,
        names_of(names, len(functions)),
    )


def _value_type(reader: Bytes) -> int:
    """Read a type of values that has a price."""
    byte = reader.byte()
    if byte not in _NUMBERS:
        refuse(
            "SIMD" if byte == 0x7B else f"values of the type 0x{byte:02x}",
            "use numbers: build without SIMD and references",
        )
    return byte


def _types(reader: Bytes) -> list[FunctionType]:
    types = []
    for _ in range(reader.count("types", bounds.TYPES)):
        if reader.byte() != 0x60:
            refuse(
                "types that are not of functions",
                "build for linear memory, without garbage collection",
            )
        params, results = (
            bytes(_value_type(reader) for _ in range(reader.count(what, most)))
            for what, most in (
                ("parameters of a function", bounds.PARAMS),
                ("results of a function", bounds.RESULTS),
            )
        )
        types.append(FunctionType(params, results))
    reader.finish("the types")
    return types


def _imports(reader: Bytes, types: list[FunctionType]) -> list[tuple[str, int]]:
    """Read the imports; return the name of each with the index of its type."""
    imported = []
    for _ in range(reader.count("imports", bounds.IMPORTS)):
        place, name = reader.name(), reader.name()
        shown = f"the import {place}.{name}"[: bounds.NAME]
        shown = shown if shown.isprintable() else "an import"
        if reader.byte() != 0 or place != imports.MODULE or name not in imports.TYPES:
            refuse(shown, f"the arena offers {imports.MODULE} {', '.join(imports.TYPES)}")
        index = reader.index("type", len(types))
        if types[index] != imports.TYPES[name]:
            refuse(
                f"{shown} with types that WASI preview 1 does not give it",
                "build the module for wasm32-wasip1",
            )
        imported.append((name, index))
    reader.finish("the imports")
    return imported


def _functions(reader: Bytes, types: int) -> list[int]:
    indices = [
        reader.index("type", types) for _ in range(reader.count("functions", bounds.FUNCTIONS))
    ]
    reader.finish("the functions")
    return indices


def _limits(reader: Bytes, most: int) -> tuple[int, int | None]:
    """Read a minimum and perhaps a maximum of pages or entries, both at most
    ``most``.
    """
    flags = reader.byte()
    if flags > 1:
        refuse("shared memory, or limits of 64 bits", "build without threads, for wasm32")
    least = reader.number()
    highest = reader.number() if flags else None
    if least > most or (highest is not None and not least <= highest <= most):
        invalid(f"limits of {least} and {highest}")
    return least, highest


def _table(reader: Bytes) -> int | None:
    """Read how many entries the table has, None without a table."""
    if not (tables := reader.number()):
        reader.finish("the tables")
        return None
    if tables > 1 or reader.byte() != 0x70:
        refuse(
            "several tables, or a table of other things than functions",
            "use one table of functions",
        )
    least, _ = _limits(reader, 2**32 - 1)
    if least > bounds.TABLE:
        refuse(
            f"{least:,} entries of a table, above the bound of {bounds.TABLE:,}",
            "make the table smaller",
        )
    reader.finish("the tables")
    return least


def memory_of(reader: Bytes) -> tuple[int, int]:
    """Read the pages of the memory at the start and at the most."""
    if (memories := reader.number()) != 1:
        refuse(
            "several memories" if memories else "no memory of its own",
            "use one memory that the module defines",
        )
    least, most = _limits(reader, 2**16)
    reader.finish("the memories")
    if least > PAGES:
        refuse(f"{least:,} pages of memory, above the bound of {PAGES:,}", "use less memory")
    return least, PAGES if most is None else min(most, PAGES)


def _constant(reader: Bytes, type_: int) -> None:
    """Read an expression that has to be one constant of a type."""
    opcode = reader.byte()
    if opcode not in (0x41, 0x42, 0x43, 0x44):
        refuse(
            "a constant expression of other instructions than one constant", "build without -fPIC"
        )
    if opcode + type_ != 0x41 + TYPES["i32"]:
        invalid("a constant of the wrong type")
    if opcode < 0x43:
        reader.signed(32 if opcode == 0x41 else 64)
    else:
        reader.take(4 if opcode == 0x43 else 8)
    if reader.byte() != 0x0B:
        refuse("a constant expression of several instructions", "build without -fPIC")


def _globals(reader: Bytes) -> list[Global]:
    globals_ = []
    for _ in range(reader.count("globals", bounds.GLOBALS)):
        type_, mutable = _value_type(reader), reader.byte()
        if mutable > 1:
            refuse("shared globals", "build without threads")
        _constant(reader, type_)
        globals_.append(Global(type_, mutable == 1))
    reader.finish("the globals")
    return globals_


def _entries(
    imported: list[tuple[str, int]], own: list[int], types: list[FunctionType]
) -> set[int]:
    """Return the indices of the functions that can be ``_start``: of the module's own,
    without parameters and results.
    """
    return {index for index, type_ in enumerate(own, len(imported)) if types[type_] == (b"", b"")}


def _exports(reader: Bytes, lengths: tuple[int, ...], entries: set[int]) -> None:
    """Check the exports. ``lengths``: how many functions, tables, memories and globals
    there are.
    """
    exports = {}
    for _ in range(reader.count("exports", bounds.EXPORTS)):
        name, kind = reader.name(), reader.byte()
        if kind >= len(lengths):
            refuse(
                "an export that is no function, table, memory or global", "build without exceptions"
            )
        index = reader.index("an exported index", lengths[kind])
        if name in exports:
            invalid("an export twice")
        if name.startswith(_OWN):
            refuse(
                f"an export whose name begins with {_OWN}, as those of the meter do",
                "give it another name",
            )
        exports[name] = kind, index
    reader.finish("the exports")
    if exports.get("memory") != (2, 0):
        refuse(
            "no memory that is exported as memory", "export it, as programs for wasm32-wasip1 do"
        )
    kind, index = exports.get("_start", (-1, -1))
    if kind != 0 or index not in entries:
        refuse(
            "no function _start without parameters and results",
            "build a program for wasm32-wasip1, not a library",
        )


def _elements(reader: Bytes, tables: int, imported: int, functions: int) -> None:
    """Check the element segments, which fill the table. An import among them would be
    called without paying.
    """
    entries = 0
    for _ in range(reader.count("element segments", bounds.SEGMENTS)):
        flags = reader.number()
        if flags not in (0, 2):
            refuse(
                "element segments that are passive, declared, or expressions",
                "build without references",
            )
        if flags == 2:
            reader.index("table", tables)
        elif not tables:
            invalid("an element segment without a table")
        _constant(reader, TYPES["i32"])
        if flags == 2 and reader.byte() != 0:
            refuse("element segments of other things than functions", "build without references")
        length = reader.count("entries of an element segment", bounds.TABLE)
        entries += length
        if entries > bounds.TABLE:
            refuse(
                f"more than {bounds.TABLE:,} entries of element segments", "make the module smaller"
            )
        if any(reader.index("function", functions) < imported for _ in range(length)):
            refuse("an imported function in the table", "call it by a function of the module")
    reader.finish("the elements")


def _bodies(reader: Bytes) -> list[bytes]:
    bodies = []
    for _ in range(reader.count("bodies", bounds.FUNCTIONS)):
        length = reader.count("bytes of a function", bounds.BODY_BYTES)
        bodies.append(reader.take(length))
    reader.finish("the code")
    return bodies


def local_types(body: bytes, params: bytes) -> tuple[bytes, int]:
    """Return the types of a function's parameters and locals, and the offset behind the
    declarations of its locals.
    """
    data = body + PADDING
    groups, pos = unsigned(data, 0)
    if groups > bounds.LOCALS:
        refuse(f"more than {bounds.LOCALS:,} groups of locals", "divide the function")
    types = bytearray(params)
    for _ in range(groups):
        length, pos = unsigned(data, pos)
        if pos >= len(body):
            invalid("the bytes of a function end too early")
        if data[pos] not in TYPES.values():
            refuse("locals that are no numbers", "build without SIMD and references")
        if len(types) + length > bounds.LOCALS:
            refuse(f"more than {bounds.LOCALS:,} locals and parameters", "divide the function")
        types += bytes([data[pos]]) * length
        pos += 1
    return bytes(types), pos


def _data(reader: Bytes) -> int:
    """Check the data segments and return their number."""
    segments = reader.count("data segments", bounds.SEGMENTS)
    for _ in range(segments):
        flags = reader.number()
        if flags > 2:
            invalid(f"a data segment of kind {flags}")
        if flags == 2 and reader.number() != 0:
            refuse("several memories", "use one memory")
        if flags != 1:
            _constant(reader, TYPES["i32"])
        reader.take(reader.number())
    reader.finish("the data")
    return segments
