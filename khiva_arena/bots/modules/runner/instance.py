"""One seat: a fresh instance of a module, which calls the functions of wasi.py until it
ends.

A seat has a store of the VM's own, so that seats of one process share compiled code and
nothing else.
"""

from _struct import Struct, pack_into, unpack_from

from . import vm as machine
from . import wasi
from .caller import Caller, Exit
from .line import PAGE
from .vm import (
    BOXED,
    FUNCTION,
    GLOBAL,
    HANDLE,
    I32,
    I64,
    MEMORY,
    Import,
    Unfit,
    Vm,
    VmFailed,
    at,
    buffer,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .caller import System

START, MEMORY_NAME = "_start", "memory"
TICKS, HEIGHT, PAGES = "khiva:ticks", "khiva:height", "khiva:pages"
"""The globals that hold the ticks that are left, the height of the stack in use, and
the pages that the module may have; see METER.md.
"""
REFUSED_GROWTH = "the machine refused memory that the event allows its bot"
BY_FUNCTION = "khiva:in:"
"""The names of the globals with the ticks of each function begin with it, if the meter
was asked to count them.
"""
NEXT, FRAME, STOP = "khiva:next", "khiva_frame", ("fd_write", (0xFFFF_FFFF,) * 4)
"""Of an interpreter whose ticks are counted by the functions of its bot: the global
with the ticks below which it stops, what tells which function runs, and the call by
which it stops.
"""
SAMPLE, FRAME_BYTES = 1_000_000, 240
"""Ticks from one stop to the next one, and most bytes of what is told then."""
MOST_TICKS, HEIGHT_LIMIT = (1 << 63) - 1, 1_000_000
"""More ticks than anything can use, and the height above which the stack is full."""
RAW = {"i": "I12x", "I": "Q8x"}
"""How a value of a call lies in memory."""
# Our words for the VM's codes of traps, which other VMs word otherwise. Codes that are
# missing cannot come up: they belong to proposals that are switched off.
TOO_DEEP = "calls go too deep: the stack is used up"
TRAPS = {
    0: TOO_DEEP,
    1: "an access to memory that it does not have",
    2: "an access to memory that it does not have",
    3: "an access to a table beyond its end",
    4: "a call through an empty pointer to a function",
    5: "a call through a pointer to a function of another type",
    6: "a division of which the result does not fit",
    7: "a division by zero",
    8: "a number that fits no integer is made one",
    9: "a place that it says is never reached, as abort and failed checks do",
}
OTHERWISE = "the VM's trap {}"


class Trapped(Exception):
    """Signal that a module did what ends it. The text says what, and in which
    function.
    """


class StackFull(Trapped):
    """Signal that a module's calls went too deep."""


class OutOfTicks(Exception):
    """Signal that a module has used more ticks than it had."""


class Instance:
    """An instance of a module. ``run`` may be called once."""

    def __init__(self, vm: Vm, module: int, system: "System", most_bytes: int) -> None:
        """Make the instance.

        most_bytes: how far its memory may grow

        Raises Unfit if it asks for more at once, or for a function that is not ours,
        Trapped, and VmFailed.
        """
        self._vm, self._module = vm, module
        self._wasi = Caller(system, self._memory)
        self._problem: BaseException | None = None
        self._place: bytes = b""
        self._view, self._size = memoryview(b""), 0
        self._box = buffer(BOXED)
        self._words = memoryview(self._box).cast("B").cast("q")
        self._left: int | None = None
        self._next: bytes = b""
        self._since, self._paid_in = MOST_TICKS, dict[bytes, int]()
        self._store = vm.wasmtime_store_new(vm.engine, None, None)
        vm.wasmtime_store_limiter(self._store, most_bytes, machine.TABLE_ENTRIES, 1, 8, 1)
        self._context = vm.wasmtime_store_context(self._store)
        try:
            self._link(module, most_bytes)
        except BaseException:
            self.drop()
            raise

    def _link(self, module: int, most_bytes: int) -> None:
        vm, asked = self._vm, machine.imports(self._vm, module)
        self._callbacks = [
            self._callback(one) for one in asked
        ]  # the VM keeps their addresses alone
        handles = [
            self._handle(one, callback)
            for one, callback in zip(asked, self._callbacks, strict=True)
        ]
        self._instance, trap = buffer(16), buffer(8)
        error = vm.wasmtime_instance_new(
            self._context, module, b"".join(handles), len(handles), self._instance, trap
        )
        if error and 0 <= most_bytes < (first := machine.memory_of(vm, module)[0] * PAGE):
            raise Unfit(
                f"it asks for {first:,} bytes of memory at its start, and may have "
                f"{most_bytes:,}: declare less"
            )
        if address := unpack_from("<Q", trap)[
            0
        ]:  # its data or its table's entries lie outside: nothing of it has run
            raise Trapped(_in_words(vm, address))
        vm.check(error)
        self._ticks, self._height, self._pages = (
            self._export(name, GLOBAL) for name in (TICKS, HEIGHT, PAGES)
        )
        self.ticks = MOST_TICKS  # by the wall clock nobody is charged
        if self._offered(NEXT, GLOBAL):
            self._next, self._frame = self._export(NEXT, GLOBAL), self._export(FRAME, FUNCTION)

    def allow(self, most_bytes: int) -> None:
        """Let no refusal of the machine be seen by the module: up to so many bytes,
        growing works, or VmFailed is raised.
        """
        most = machine.memory_of(self._vm, self._module)[1]
        self._set(self._pages, "<QI", I32, min(most, most_bytes // PAGE))

    def add_payload(self, payload: bytes) -> None:
        """Give the module bytes to read from descriptor 3."""
        self._wasi.add_payload(payload)

    def drop(self) -> None:
        """Give the instance back to the VM: it is not used any more."""
        self._vm.wasmtime_store_delete(self._store)

    @property
    def ticks(self) -> int:
        """The ticks that are left, negative if the module has used more than there
        were.
        """
        left = self._left
        return self._value(self._ticks, "<q") if left is None else left

    @ticks.setter
    def ticks(self, left: int) -> None:
        if self._left is None:
            self._set_ticks(left)
        else:
            self._left = left

    def grant(self, ticks: int) -> None:
        """Let the module have so many ticks, whatever it had."""
        paid = self._since - self.ticks
        self.ticks = ticks
        if self._next:
            self._stop_after(ticks + paid)

    def take_all_ticks(self) -> None:
        """Leave less than none, seen from another thread. A call of ours that goes on
        there may put back what there were.
        """
        if self._left is not None:
            self._left = -1
        self._set_ticks(-1)

    def _set_ticks(self, left: int) -> None:
        self._set(self._ticks, "<Qq", I64, left)

    def _set(self, handle: bytes, layout: str, kind: int, value: int) -> None:
        box = buffer(BOXED)
        pack_into(layout, box, 0, kind, value)
        self._vm.check(self._vm.wasmtime_global_set(self._context, handle, box))

    def _value(self, handle: bytes, layout: str) -> int:
        box = buffer(BOXED)  # of this call alone, since the backstop looks from another thread
        self._vm.wasmtime_global_get(self._context, handle, box)
        value: int = unpack_from(layout, box, HANDLE)[0]
        return value

    def run(self) -> int:
        """Run the module to its end and return its exit code. Raises Trapped, and
        whatever its system raises but OSError.
        """
        start, trap = self._export(START, FUNCTION), buffer(8)
        try:
            self._end(
                self._vm.wasmtime_func_call(self._context, start, None, 0, None, 0, trap), trap
            )
        except Exit as end:
            return end.code
        return 0

    def ticks_by_function(self, exports: "Iterable[str]") -> "Iterator[tuple[str, int]]":
        """Yield the name of each function with the ticks that were paid in it, of a
        module that counts them.

        exports: the names of all that the module offers
        """
        for told, paid in self._paid_in.items():
            yield machine.line_of(told.decode(errors="replace")) or "no function of the bot", paid
        for name in exports:
            if name.startswith(BY_FUNCTION):
                index, _, function = name.removeprefix(BY_FUNCTION).partition(":")
                yield function or f"function {index}", self._value(self._export(name, GLOBAL), "<q")

    def _stop_after(self, since: int) -> None:
        """Let the module stop when it has paid what a sample takes. ``since``: the
        ticks that it had at the stop before.
        """
        self._since = since
        self._set(self._next, "<Qq", I64, since - SAMPLE)

    def _ask_where(self) -> None:
        """Add what was paid since the last stop to the function that the interpreter
        tells. The module does not notice.
        """
        left, height = self._value(self._ticks, "<q"), self._value(self._height, "<I")
        self._set_ticks(MOST_TICKS)
        self._set(self._height, "<QI", I32, 0)
        box, trap = buffer(BOXED), buffer(8)
        error = self._vm.wasmtime_func_call(self._context, self._frame, None, 0, box, 1, trap)
        self._set(self._height, "<QI", I32, height)
        self._set_ticks(left)
        self._vm.check(error)
        if unpack_from("<Q", trap)[0]:
            raise Unfit(f"its {FRAME} does what ends a module")
        place = unpack_from("<I", box, HANDLE)[0]
        told = bytes(self._memory()[place : place + FRAME_BYTES]).partition(b"\0")[0]
        self._paid_in[told] = self._paid_in.get(told, 0) + self._since - left
        self._stop_after(left)

    def _export(self, name: str, kind: int) -> bytes:
        """Return the handle of an export. Raises Unfit if there is none of that
        kind.
        """
        if handle := self._offered(name, kind):
            return handle
        raise Unfit(f"it offers no {name}")

    def _offered(self, name: str, kind: int) -> bytes:
        """Return the handle of an export, b"" if there is none of that kind."""
        place, word = buffer(machine.EXTERN), name.encode()
        offered = self._vm.wasmtime_instance_export_get(
            self._context, self._instance, word, len(word), place
        )
        return bytes(place)[HANDLE:] if offered and place[0] == kind else b""

    def _handle(self, asked: Import, callback: "machine.Callback") -> bytes:
        handle = buffer(16)
        self._vm.wasmtime_func_new_unchecked(
            self._context, asked.type, callback, None, None, handle
        )
        return machine.extern(FUNCTION, bytes(handle))

    def _callback(self, asked: Import) -> "machine.Callback":
        """Return the function that the VM calls for an import. Raises Unfit for one
        that is not ours.
        """
        if asked.module != wasi.NAME or asked.name not in wasi.FUNCTIONS:
            raise Unfit(f"it asks for {asked.module}.{asked.name}, which no bot has")
        name, layout = (
            asked.name,
            Struct("<" + "".join(RAW[letter] for letter in asked.signature.partition(":")[0])),
        )
        words_at = (machine.Octet * max(layout.size, machine.VALUE)).from_address
        stop = STOP[1] if name == STOP[0] else None

        def called(_nothing: int, caller: int, values: int, _count: int) -> int:
            # Nothing may be raised here: the VM's frames lie between this function and
            # those that could catch it.
            try:
                if not self._place:
                    self._place = self._memory_of(caller)
                words = words_at(values)
                given = layout.unpack_from(words)
                if given == stop and self._next:
                    self._ask_where()
                else:
                    pack_into("<Q", words, 0, self._answer(name, given))
            except BaseException as problem:
                self._problem = problem
                return self._vm.wasmtime_trap_new(b"host", 4)
            return 0

        return machine.Callback(called)

    def _answer(self, name: str, words: tuple[int, ...]) -> int:
        """Call a function of wasi.py. Meanwhile the ticks are kept here: the VM's
        global is read once, and written once.
        """
        vm, box, values = self._vm, self._box, self._words
        vm.wasmtime_global_get(self._context, self._ticks, box)
        self._left = before = values[1]
        try:
            return wasi.answer(self._wasi, name, words)
        finally:
            left, self._left = self._left, None
            if left != before:
                values[1] = left
                vm.check(vm.wasmtime_global_set(self._context, self._ticks, box))

    def _memory_of(self, caller: int) -> bytes:
        place, word = buffer(machine.EXTERN), MEMORY_NAME.encode()
        if (
            not self._vm.wasmtime_caller_export_get(caller, word, len(word), place)
            or place[0] != MEMORY
        ):
            raise Unfit(f"it offers no {MEMORY_NAME}")
        return bytes(place)[HANDLE:]

    def _memory(self) -> memoryview:
        """Return the module's memory as it is now: a growth may have moved it."""
        vm, context, place = self._vm, self._context, self._place
        size = vm.wasmtime_memory_data_size(context, place)
        if size != self._size:  # else it has not moved
            self._size, self._view = (
                size,
                memoryview(at(vm.wasmtime_memory_data(context, place), size)).cast("B"),
            )
        return self._view

    def _end(self, error: int | None, trap: "machine.Bytes") -> None:
        """Raise what ended a call of the VM, if anything did: our own function's
        exception, or VmFailed, or Trapped.

        It is VmFailed, too, if the machine has refused memory that ``allow`` lets the
        module have: nothing has run behind that.
        """
        address = unpack_from("<Q", trap)[0]
        if self._problem is not None:
            raise self._problem
        if address:
            # The meter ends a module by a trap of another kind.
            if self._value(self._pages, "<i") < 0:
                raise VmFailed(REFUSED_GROWTH)
            if self.ticks < 0:
                raise OutOfTicks
            if self._value(self._height, "<I") > HEIGHT_LIMIT:
                raise StackFull(_in_words(self._vm, address, TOO_DEEP))
            raise Trapped(_in_words(self._vm, address))
        self._vm.check(error)


def _in_words(vm: Vm, trap: int, reason: str = "") -> str:
    """Return a line of a trap with its function, if that has a name. ``reason``: known
    otherwise, "" if the VM knows it.
    """
    code, vector = buffer(1), buffer(16)
    known = vm.wasmtime_trap_code(trap, code)
    reason = reason or (
        TRAPS.get(code[0], OTHERWISE.format(code[0])) if known else OTHERWISE.format("")
    )
    vm.wasm_trap_trace(trap, vector)
    names = [vm.wasmtime_frame_func_name(frame) for frame in machine.pointers(vector)[:1]]
    return (
        f"{reason}, in {machine.line_of(machine.text_of(names[0]))}"
        if names and names[0]
        else reason
    )
