"""The runner of a table in ticks: it takes orders by the batch, lets one module after
another run, and tells what each did.
"""

import posix

from . import line
from .baton import run
from .instance import Trapped
from .main import load
from .seat_in_ticks import TickSeat
from .vm import Unfit, Vm, unload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from .line import Item

    Work = Generator[TickSeat, None, "list[Item]"]


def serve(table: "TickSeats") -> int:
    """Answer batches until stdin ends, or one is empty; return the exit code. Raises
    ValueError for bytes that are no batch.
    """
    code: int = run(_batches(table))
    return code


def _batches(table: "TickSeats") -> "Generator[TickSeat, None, int]":
    last = 0
    while items := read_batch():
        items.sort(
            key=lambda item: item[1] != line.OPEN and item[0] != last
        )  # whose thread this is goes on in it
        last, words = items[-1][0], []
        for item in items:
            words += yield from table.done(item)
        answer = memoryview(line.batch(words))
        while answer:
            answer = answer[posix.write(1, answer) :]
    return 0


class TickSeats:
    """The seats of a table. TickSeats with the same code share it."""

    def __init__(self, vm: Vm) -> None:
        """Begin without a seat."""
        self._vm = vm
        self._codes: dict[
            bytes, tuple[int, int]
        ] = {}  # the address and the bytes of each, the longest unused first
        self._seats: dict[int, tuple[bytes, TickSeat]] = {}
        self._refusals: dict[int, bytes] = {}

    def load(self, loads: "list[Item]") -> None:
        """Make an instance for each seat, or keep that of the table before if it is of
        the same module. Raises VmFailed.

        Code that this table lacks is kept for a later one, up to ``KEPT_CODE`` of it:
        an interpreter takes 10 ms to load. Called again before anything has run here: a
        fork server runs nothing, only its children do.
        """
        before, self._seats, self._refusals = self._seats, {}, {}
        for number, _, _, data in loads:
            same = [at for at, (made_of, _) in before.items() if made_of == data]
            if same:
                self._seats[number] = before.pop(same[0])
        for _, seat in before.values():
            seat.drop()
        self._forget({line.LOADING.unpack_from(data)[1] for *_, data in loads})
        for number, _, _, data in loads:
            if number not in self._seats:
                self._make(number, data)

    def _forget(self, digests: "set[bytes]") -> None:
        """Unload code that no seat has, the longest unused first, until ``KEPT_CODE``
        is left. ``digests``: of the seats.
        """
        self._codes |= {digest: self._codes.pop(digest) for digest in digests & self._codes.keys()}
        unused = [digest for digest in self._codes if digest not in digests]
        kept = sum(self._codes[digest][1] for digest in unused)
        for digest in unused:
            if kept <= line.KEPT_CODE:
                return
            code, size = self._codes.pop(digest)
            unload(self._vm, code)
            kept -= size

    def _make(self, number: int, data: bytes) -> None:
        most_bytes, digest = line.LOADING.unpack_from(data)
        if digest not in self._codes:
            path = data[line.LOADING.size :].decode()
            self._codes[digest] = load(self._vm, path, digest.hex()), posix.stat(path).st_size
        try:
            self._seats[number] = data, TickSeat(self._vm, self._codes[digest][0], most_bytes)
        except (Unfit, Trapped) as problem:
            self._refusals[number] = str(problem).encode()

    def done(self, item: "Item") -> "Work":
        """Carry out an order, yield the seat that is to run for that, and return what
        is to be told.
        """
        number, order, ticks, data = item
        if number in self._refusals:
            return [] if order == line.SAY else [(number, line.REFUSED, 0, self._refusals[number])]
        _, seat = self._seats[number]
        if order == line.OPEN:
            seat.open(*line.opening_of(data))
            return [(number, line.ANSWERED, 0, b"")]
        seat.say(data)
        if order == line.SAY:
            return []
        word, spent, told = yield from seat.finish(ticks) if order == line.END else seat.ask(ticks)
        notes = [(number, line.STDERR, 0, bytes(seat.notes))] if seat.notes else []
        seat.notes.clear()
        functions = seat.ticks_by_function() if order == line.END else ()
        return [
            *notes,
            *((number, line.FUNCTION, *row) for row in functions),
            (number, word, spent, told),
        ]


def read_batch() -> "list[Item]":
    """Read a whole batch, and no byte behind it. Return its items; [] at the end of
    input. Raises ValueError.
    """
    data = bytearray()  # which grows in place: a batch of payloads comes in hundreds of pieces
    while missing := line.missing(data):
        piece = posix.read(0, missing)
        if not piece:
            return []
        data += piece
    return line.items_of(data)
