"""The VM, wasmtime, by its C interface: as much of it as runs a module, declared here.

Each start of a bot waits for this file, so it takes the module in C below ctypes, which
loads in a third of the time. The package of the VM is never imported, which would take
longer than Python itself: only its library is loaded.
"""

import _ctypes
import posix
from _struct import pack, unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Bytes: TypeAlias = "_ctypes.Array[Octet]"

KIB, MIB = 1 << 10, 1 << 20
STACK = 1_800_000
"""Bytes of the machine's stack that calls within a module may use: more than METER.md
lets a module fill, so that the VM's own limit is never met. The host's own frames come
on top, within 8 MiB in all.
"""
RESERVED, GUARD = 256 * MIB, 64 * KIB
"""Bytes of address space for a module's memory, and before and behind it. METER.md lets
no module have more memory, so a growth moves nothing, memory is never there twice, and
no growth fails for want of address space. With less, memory would be moved, and bots in
Go take a fifth to a half more of the processor. With 4 GiB, the VM's own choice,
accesses need no check, which saves a tenth to a fifth, but so much cannot be had where
address space is limited.
"""
TABLE_ENTRIES = 1 << 20
OF_THE_SYSTEM = "(os error "
"""What the VM says of an error that it has from the system, such as too little
memory.
"""
EXTERN = 32
"""Bytes of the VM's struct for an import or an export: a kind, then its handle at
``HANDLE``.
"""
HANDLE = 8
FUNCTION, GLOBAL, MEMORY = 0, 1, 3
LONGEST = 300
"""Characters of the VM's words, or of a function's name, in a line of ours."""
VALUE = 16
"""Bytes of an argument or a result of a call by the host."""
BOXED, I32, I64 = 64, 0, 1
"""Bytes that hold the VM's struct of a value with its kind, at least; and the kinds of
integers of 32 and 64 bits. The value lies at ``HANDLE``.
"""
LETTERS = {0: "i", 1: "I", 2: "f", 3: "F"}
"""The letter of a type of values by its kind: integers of 32 and 64 bits, floats of 32
and 64 bits.
"""
# Of the proposals these only: what the meter knows, and what no other VM counts
# otherwise.
SWITCHED_OFF = (
    "threads",
    "relaxed_simd",
    "memory64",
    "multi_memory",
    "tail_call",
    "gc",
    "function_references",
    "exceptions",
)
# Each function's result, then its arguments: P a pointer, L a size, q a number of 64
# bits, B a byte or a truth, - nothing.
SIGNATURES = {
    "wasm_config_new": "P",
    "wasm_engine_new_with_config": "PP",
    "wasmtime_config_max_wasm_stack_set": "-PL",
    "wasmtime_config_memory_reservation_set": "-PL",
    "wasmtime_config_memory_guard_size_set": "-PL",
    "wasmtime_config_memory_reservation_for_growth_set": "-PL",
    "wasmtime_module_new": "PPPLP",
    "wasmtime_module_serialize": "PPP",
    "wasmtime_module_deserialize": "PPPLP",
    "wasmtime_module_delete": "-P",
    "wasmtime_module_imports": "-PP",
    "wasmtime_module_exports": "-PP",
    "wasm_exporttype_name": "PP",
    "wasm_exporttype_type": "PP",
    "wasm_externtype_as_memorytype_const": "PP",
    "wasmtime_memorytype_minimum": "PP",
    "wasmtime_memorytype_maximum": "BPP",
    "wasm_importtype_module": "PP",
    "wasm_importtype_name": "PP",
    "wasm_importtype_type": "PP",
    "wasm_externtype_as_functype_const": "PP",
    "wasm_functype_params": "PP",
    "wasm_functype_results": "PP",
    "wasm_valtype_kind": "BP",
    "wasmtime_store_new": "PPPP",
    "wasmtime_store_delete": "-P",
    "wasmtime_store_context": "PP",
    "wasmtime_store_limiter": "-Pqqqqq",
    "wasmtime_func_new_unchecked": "-PPPPPP",
    "wasmtime_instance_new": "PPPPLPP",
    "wasmtime_instance_export_get": "BPPPLP",
    "wasmtime_caller_export_get": "BPPLP",
    "wasmtime_func_call": "PPPPLPLP",
    "wasmtime_global_get": "-PPP",
    "wasmtime_global_set": "PPPP",
    "wasmtime_memory_data": "PPP",
    "wasmtime_memory_data_size": "LPP",
    "wasmtime_error_message": "-PP",
    "wasmtime_trap_new": "PPL",
    "wasmtime_trap_code": "BPP",
    "wasm_trap_message": "-PP",
    "wasm_trap_trace": "-PP",
    "wasmtime_frame_func_name": "PP",
}


class Pointer(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """An address, or None."""

    _type_ = "P"


class Size(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """A count without a sign, as wide as a register."""

    _type_ = "L"


class Word64(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """A whole number of 64 bits."""

    _type_ = "q"


class Octet(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """A byte."""

    _type_ = "B"


TYPES = {"P": Pointer, "L": Size, "q": Word64, "B": Octet, "-": None}


class VmFunction(_ctypes.CFuncPtr):
    """A function of the VM."""

    _flags_ = _ctypes.FUNCFLAG_CDECL


class Callback(_ctypes.CFuncPtr):
    """A function of the host's that a module calls: takes nothing of ours, the caller,
    the values and their count; returns a trap or 0.
    """

    _flags_ = _ctypes.FUNCFLAG_CDECL
    _restype_ = Size
    _argtypes_ = (Pointer, Pointer, Pointer, Size)


class Unfit(Exception):
    """Signal that a module cannot be a bot, by its own imports, exports or first
    memory. The text says why.
    """


class VmFailed(Exception):
    """Signal that the VM or the machine does not do its work, for which no module is to
    blame. The text says what.
    """


class Vm:
    """The VM's library with one engine.

    engine: its address; each module and store belongs to it
    imports: what each module that was looked at asks of its host, by the module's
        address
    """

    def __init__(self, path: str) -> None:
        """Load the library at ``path``. Raises OSError."""
        self.imports: dict[int, list[Import]] = {}
        self._handle = _ctypes.dlopen(path, posix.RTLD_NOW)
        config = self.wasm_config_new()
        self.wasmtime_config_max_wasm_stack_set(config, STACK)
        self.wasmtime_config_memory_reservation_set(config, RESERVED)
        self.wasmtime_config_memory_reservation_for_growth_set(config, 0)
        self.wasmtime_config_memory_guard_size_set(config, GUARD)
        for name in SWITCHED_OFF:
            self._function(f"wasmtime_config_wasm_{name}_set", "-PB")(config, 0)
        self.engine: int = self.wasm_engine_new_with_config(config)

    def declare_all(self) -> None:
        """Declare every function, for all processes that are forked from this one."""
        for name in SIGNATURES:
            getattr(self, name)

    def __getattr__(self, name: str) -> "Callable[..., int]":
        """Return a function of the VM, declared at its first use."""
        function = self._function(name, SIGNATURES[name])
        setattr(self, name, function)
        return function

    def _function(self, name: str, signature: str) -> "Callable[..., int]":
        function = VmFunction(_ctypes.dlsym(self._handle, name))
        function.restype = TYPES[signature[0]]
        function.argtypes = tuple(TYPES[letter] for letter in signature[1:])  # type: ignore[misc]
        return function

    def check(self, error: int | None) -> None:
        """Raise VmFailed with the VM's own words, in a line, if ``error`` is one."""
        if error:
            raise VmFailed(self.words_of(error))

    def words_of(self, error: int) -> str:
        """Return the VM's own words on an error, in a line."""
        vector = buffer(16)
        self.wasmtime_error_message(error, vector)
        return line_of(" ".join(text_of(vector).split()))


def buffer(size: int) -> "Bytes":
    """Return ``size`` zeroed bytes that C may write to."""
    return (Octet * size)()


def at(address: int, size: int) -> "Bytes":
    """Return the ``size`` bytes of memory at an address; the caller knows that they are
    there.
    """
    return (Octet * size).from_address(address)


def items(vector: "int | Bytes", each: int = 8) -> bytes:
    """Return a copy of the items, of ``each`` bytes, of a vector of the C interface: a
    count and an address.
    """
    size, address = unpack_from("<QQ", at(vector, 16) if isinstance(vector, int) else vector)
    return bytes(at(address, size * each)) if size else b""


def pointers(vector: "int | Bytes") -> tuple[int, ...]:
    """Return the addresses in a vector of addresses."""
    data = items(vector)
    return unpack_from(f"<{len(data) // 8}Q", data)


def text_of(vector: "int | Bytes") -> str:
    """Return the text in a vector of bytes."""
    return items(vector, 1).decode(errors="replace")


def line_of(text: str) -> str:
    """Return a text of a stranger's as a part of a line: cut, and without control
    characters.
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST])


def compile_(vm: Vm, data: bytes) -> tuple[int, bytes]:
    """Compile a module. Return its address, and code that ``load`` takes. Raises Unfit
    if the VM does not take it; VmFailed.
    """
    address, vector = buffer(8), buffer(16)
    if error := vm.wasmtime_module_new(vm.engine, data, len(data), address):
        words = vm.words_of(error)
        raise (VmFailed if OF_THE_SYSTEM in words else Unfit)(words)
    module: int = unpack_from("<Q", address)[0]
    vm.check(vm.wasmtime_module_serialize(module, vector))
    return module, items(vector, 1)


def load(vm: Vm, code: bytes) -> int:
    """Return the address of a module that ``compile_`` made into code. Raises VmFailed
    for another version or machine.

    Code runs as it is: nobody but us may have written it.
    """
    address = buffer(8)
    vm.check(vm.wasmtime_module_deserialize(vm.engine, code, len(code), address))
    module: int = unpack_from("<Q", address)[0]
    return module


def unload(vm: Vm, module: int) -> None:
    """Give a module back to the VM. Instances of it go on."""
    vm.imports.pop(module, None)
    vm.wasmtime_module_delete(module)


class Import:
    """A function that a module asks of its host.

    module, name: its words
    type: the address of its type
    signature: a letter of ``LETTERS`` for each argument, ":" and a letter for each
        result; "" if it is no function
    """

    __slots__ = ("module", "name", "signature", "type")

    def __init__(self, vm: Vm, address: int) -> None:
        self.module = text_of(vm.wasm_importtype_module(address))
        self.name = text_of(vm.wasm_importtype_name(address))
        self.type = vm.wasm_externtype_as_functype_const(vm.wasm_importtype_type(address))
        self.signature = _signature(vm, self.type) if self.type else ""


def _signature(vm: Vm, function: int) -> str:
    both = (vm.wasm_functype_params(function), vm.wasm_functype_results(function))
    return ":".join(
        "".join(LETTERS.get(vm.wasm_valtype_kind(kind), "?") for kind in pointers(vector))
        for vector in both
    )


def imports(vm: Vm, module: int) -> list[Import]:
    """Return what a module asks of its host, in its order. Seats with the same module
    wait for that once.
    """
    if module not in vm.imports:
        vector = buffer(16)
        vm.wasmtime_module_imports(module, vector)
        vm.imports[module] = [Import(vm, address) for address in pointers(vector)]
    return vm.imports[module]


def exports(vm: Vm, module: int) -> list[str]:
    """Return the names of what a module offers, in its order."""
    vector = buffer(16)
    vm.wasmtime_module_exports(module, vector)
    return [text_of(vm.wasm_exporttype_name(address)) for address in pointers(vector)]


def memory_of(vm: Vm, module: int) -> tuple[int, int]:
    """Return the pages of memory that a module asks for at once, and its maximum: 0
    where it has no memory, or says none.
    """
    vector, most = buffer(16), buffer(8)
    vm.wasmtime_module_exports(module, vector)
    for address in pointers(vector):
        if type_ := vm.wasm_externtype_as_memorytype_const(vm.wasm_exporttype_type(address)):
            has_most = vm.wasmtime_memorytype_maximum(type_, most)
            return vm.wasmtime_memorytype_minimum(type_) or 0, unpack_from("<Q", most)[
                0
            ] if has_most else 0
    return 0, 0


def extern(kind: int, handle: bytes) -> bytes:
    """Return the VM's struct of an import."""
    return (pack("<Q", kind) + handle).ljust(EXTERN, b"\0")
