"""The runner of a table in ticks: it takes orders by the batch, lets one module after another run, and tells what each did."""

import posix

from . import line
from .baton import run
from .instance import Trapped
from .main import load
from .ticks import TickSeat
from .vm import Unfit, Vm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .line import Item

    Work = Generator[TickSeat, None, "list[Item]"]


def serve(vm: Vm, lock: "Callable[[], None]") -> int:
    """Answer batches until stdin ends, or one is empty; return the exit code. Raises ValueError for bytes that are no batch.

    lock: called between the last OPEN and the first run of a module
    """
    code: int = run(_batches(vm, lock))
    return code


def _batches(vm: Vm, lock: "Callable[[], None]") -> "Generator[TickSeat, None, int]":
    table, last = _Table(vm, lock), 0
    while items := line.items_of(_read_batch()):
        items.sort(key=lambda item: item[1] != line.OPEN and item[0] != last)  # whose thread this is goes on in it
        last, words = items[-1][0], []
        for item in items:
            words += yield from table.done(item)
        answer = memoryview(line.batch(words))
        while answer:
            answer = answer[posix.write(1, answer) :]
    return 0


class _Table:
    """The seats of a table. Seats with the same code share it."""

    def __init__(self, vm: Vm, lock: "Callable[[], None]") -> None:
        self._vm = vm
        self._lock: Callable[[], None] | None = lock
        self._codes: dict[bytes, int] = {}
        self._seats: dict[int, TickSeat] = {}
        self._refusals: dict[int, bytes] = {}

    def done(self, item: "Item") -> "Work":
        """Carry out an order, yield the seat that is to run for that, and return what is to be told."""
        number, order, ticks, data = item
        if order == line.OPEN:
            self._open(number, data)
        elif self._lock:
            self._lock()
            self._lock = None
        if number in self._refusals:
            return [] if order == line.SAY else [(number, line.REFUSED, 0, self._refusals[number])]
        if order == line.OPEN:
            return [(number, line.ANSWERED, 0, b"")]
        seat = self._seats[number]
        seat.say(data)
        if order == line.SAY:
            return []
        word, spent, told = yield from seat.finish(ticks) if order == line.END else seat.ask(ticks)
        notes = [(number, line.STDERR, 0, bytes(seat.notes))] if seat.notes else []
        seat.notes.clear()
        functions = seat.ticks_by_function() if order == line.END else ()
        return [*notes, *((number, line.FUNCTION, *row) for row in functions), (number, word, spent, told)]

    def _open(self, number: int, data: bytes) -> None:
        key, most_bytes, patience, digest, path, payload = line.opening_of(data)
        try:
            if digest not in self._codes:
                self._codes[digest] = load(self._vm, path, digest.hex())
            self._seats[number] = TickSeat(self._vm, self._codes[digest], key, most_bytes, payload=payload, patience=patience)
        except (Unfit, Trapped) as problem:
            self._refusals[number] = str(problem).encode()


def _read_batch() -> bytes | bytearray:
    """Read a whole batch; b"" at the end of input."""
    data = bytearray()  # which grows in place: a batch of payloads comes in hundreds of pieces
    while missing := line.missing(data):
        piece = posix.read(0, missing)
        if not piece:
            return b""
        data += piece
    return data
