"""Each function of WASI is called by a module with hostile numbers: it answers with an
error, and writes only its result.
"""

import errno
import struct
from collections.abc import Sequence

import pytest
from cases import cases
from modules import SIZE, compiled, machine, start, wasm

from khiva_arena.bots.modules.meter.imports import PARAMS
from khiva_arena.bots.modules.runner import caller, instance, wasi
from khiva_arena.bots.modules.runner.wall import Wall

MOST = 0xFFFF_FFFF
GUARD = 0x5A
PART = 1024  # bytes that are compared at once
BAD = (SIZE, SIZE - 1, SIZE - 3, MOST, MOST - 3, 0x8000_0000, 0x7FFF_FFFF)
"""Pointers behind which the smallest result has no room."""


class Pipes:
    """A system whose input is a text, and whose output is kept."""

    def __init__(self, data: bytes = b"", ready: Sequence[int] = ()) -> None:
        self.data = data
        self.ready = ready
        self.output: list[tuple[int, bytes]] = []
        self.closed: list[int] = []
        self.waits: list[int | None] = []
        self.waited_for: list[int] = []
        self.paid: list[int] = []
        self.time = 1_000

    def read(self, descriptor: int, views: Sequence[memoryview]) -> int:
        total = 0
        for view in views:
            piece, self.data = self.data[: len(view)], self.data[len(view) :]
            view[: len(piece)] = piece
            total += len(piece)
        return total

    def write(self, descriptor: int, views: Sequence[memoryview]) -> int:
        self.output += [(descriptor, bytes(view)) for view in views]
        return sum(map(len, views))

    def close(self, descriptor: int) -> None:
        self.closed.append(descriptor)

    def now(self, clock: int) -> int:
        return self.time + clock

    def resolution(self, clock: int) -> int:
        return 1 + clock

    def random(self, view: memoryview) -> None:
        view[:] = b"\7" * len(view)

    def pay(self, ticks: int) -> None:
        self.paid.append(ticks)

    def wait(self, descriptors: Sequence[int], nanoseconds: int | None) -> Sequence[int]:
        self.waits.append(nanoseconds)
        self.waited_for += descriptors
        self.time += nanoseconds or 0
        return [one for one in descriptors if one in self.ready]


class Called:
    """A call of one function by a module: its error number, and the memory behind it,
    which began as ``GUARD`` but for data.
    """

    def __init__(
        self,
        name: str,
        *words: int,
        data: dict[int, bytes] | None = None,
        system: Pipes | None = None,
        payload: bytes | None = None,
    ) -> None:
        letters = PARAMS[name]
        numbers = [
            f"({'i64' if letter == 'I' else 'i32'}.const {word})"
            for letter, word in zip(letters, words, strict=True)
        ]
        segments = [f'(data ${at} "{_escaped(piece)}")' for at, piece in (data or {}).items()]
        fill = f"(memory.fill (i32.const 0) (i32.const {GUARD}) (i32.const {SIZE}))"
        copies = [
            f"(memory.init ${at} (i32.const {at}) (i32.const 0) (i32.const {len(piece)}))"
            for at, piece in (data or {}).items()
        ]
        body = f"{fill} {' '.join(copies)} (call $proc_exit (call ${name} {' '.join(numbers)}))"
        code = wasm(
            " ".join(segments) + start(body), imports=list(dict.fromkeys((name, "proc_exit")))
        )
        self.system = system or Pipes()
        self.instance = instance.Instance(machine(), compiled(code), self.system, SIZE)
        if payload is not None:
            self.instance.add_payload(payload)
        self.number = self.instance.run()
        self.memory = bytes(self.instance._memory())
        self.data = data or {}

    def written(self) -> dict[int, int]:
        """The bytes that the call has changed, by their place."""
        before = bytearray([GUARD]) * SIZE
        for at, piece in self.data.items():
            before[at : at + len(piece)] = piece
        assert len(self.memory) == SIZE
        return {
            at: self.memory[at]
            for part in range(0, SIZE, PART)
            if before[part : part + PART] != self.memory[part : part + PART]
            for at in range(part, part + PART)
            if before[at] != self.memory[at]
        }

    def number_at(self, place: int, form: str = "<I") -> int:
        value: int = struct.unpack_from(form, self.memory, place)[0]
        return value


def _escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def vectors(*pairs: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<II", *pair) for pair in pairs)


@cases("pointer", BAD)
@cases(
    ("name", "words"),
    [
        ("args_get", (None, 0)),
        ("args_get", (0, None)),
        ("args_sizes_get", (None, 0)),
        ("args_sizes_get", (0, None)),
        ("environ_sizes_get", (None, 0)),
        ("environ_sizes_get", (0, None)),
        ("clock_time_get", (0, 0, None)),
        ("clock_res_get", (0, None)),
        ("fd_fdstat_get", (0, None)),
        ("fd_read", (0, None, 1, 0)),
        ("fd_read", (0, 64, 1, None)),
        ("fd_write", (1, None, 1, 0)),
        ("fd_write", (1, 64, 1, None)),
        ("random_get", (None, 8)),
        ("poll_oneoff", (None, 0, 1, 0)),
        ("poll_oneoff", (0, None, 1, 0)),
        ("poll_oneoff", (0, 0, 1, None)),
    ],
)
def test_a_place_out_of_memory_is_a_fault(
    name: str, words: tuple[int | None, ...], pointer: int
) -> None:
    system = Pipes(b"input")
    called = Called(
        name,
        *(pointer if word is None else word for word in words),
        data={64: vectors((128, 4))},
        system=system,
    )
    assert (called.number, called.written()) == (caller.FAULT, {})
    assert (system.data, system.output, system.waits) == (b"input", [], [])


@cases(
    "pair",
    [
        (SIZE, 1),
        (0, SIZE + 1),
        (1, SIZE),
        (MOST, MOST),
        (SIZE - 1, 2),
        (MOST, 1),
        (1, MOST),
        (0x8000_0000, 0x8000_0000),
    ],
)
@cases("place", [0, 1])
def test_a_part_out_of_memory_is_a_fault_and_nothing_is_read_or_written(
    pair: tuple[int, int], place: int
) -> None:
    parts = [(256, 2), (256, 2)]
    parts[place] = pair
    for name, descriptor in (("fd_read", 0), ("fd_write", 1)):
        system = Pipes(b"input")
        called = Called(name, descriptor, 64, 2, 0, data={64: vectors(*parts)}, system=system)
        assert (called.number, called.written(), system.data, system.output) == (
            caller.FAULT,
            {},
            b"input",
            [],
        )


@pytest.mark.parametrize("count", [wasi.MOST_VECTORS + 1, 100_000, MOST])
def test_too_many_parts_are_refused_before_any_is_looked_at(count: int) -> None:
    assert Called("fd_write", 1, 0, count, 8).number == caller.INVAL
    assert Called("poll_oneoff", 0, 0, count, 8).number == caller.INVAL


@pytest.mark.parametrize("size", [SIZE - 7, SIZE, MOST])
def test_random_bytes_have_to_fit(size: int) -> None:
    assert Called("random_get", 8, size).number == caller.FAULT


def test_the_last_bytes_of_memory_are_within() -> None:
    called = Called("clock_time_get", 2, 0, SIZE - 8)
    assert (called.number, called.number_at(SIZE - 8, "<Q")) == (0, 1_002)
    assert min(called.written()) >= SIZE - 8
    assert Called("random_get", 8, SIZE - 8).number == 0
    assert Called("fd_write", 1, 64, 1, 0, data={64: vectors((SIZE, 0))}).number == 0


@cases("descriptor", [3, 4, 100, MOST])
@cases(
    "name", ["fd_read", "fd_write", "fd_close", "fd_seek", "fd_fdstat_get", "fd_fdstat_set_flags"]
)
def test_there_are_three_descriptors(name: str, descriptor: int) -> None:
    words = [0] * (len(PARAMS[name]) - 1)
    assert Called(name, descriptor, *words).number == caller.BADF


def test_reading_fills_the_parts_in_their_order() -> None:
    called = Called(
        "fd_read",
        0,
        64,
        3,
        8,
        data={64: vectors((200, 2), (300, 0), (100, 8))},
        system=Pipes(b"abcde"),
    )
    assert (called.number, called.number_at(8), called.memory[200:202], called.memory[100:103]) == (
        0,
        5,
        b"ab",
        b"cde",
    )
    assert set(called.written()) == {8, 9, 10, 11, 100, 101, 102, 200, 201}


class Refusing(Pipes):
    """A system that refuses to write, by one of the system's errors."""

    def __init__(self, error: int) -> None:
        super().__init__()
        self.error = error

    def write(self, descriptor: int, views: Sequence[memoryview]) -> int:
        raise OSError(self.error, "refused")


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (errno.EAGAIN, 6),
        (errno.EBADF, 8),
        (errno.EFBIG, 22),
        (errno.EINVAL, 28),
        (errno.EIO, 29),
        (errno.ENOSPC, 51),
        (errno.EPIPE, 64),
        (errno.EISDIR, 29),
    ],
)
def test_an_error_of_the_system_has_its_number_in_wasi(error: int, number: int) -> None:
    called = Called("fd_write", 1, 64, 1, 8, data={64: vectors((200, 2))}, system=Refusing(error))
    assert (called.number, called.written()) == (number, {})


def test_writing_takes_the_parts_in_their_order() -> None:
    called = Called(
        "fd_write", 2, 64, 2, 8, data={64: vectors((200, 2), (100, 3)), 200: b"ab", 100: b"cde"}
    )
    assert (called.number, called.number_at(8), called.system.output) == (
        0,
        5,
        [(2, b"ab"), (2, b"cde")],
    )


def test_what_is_closed_is_closed() -> None:
    called = Called("fd_close", 2)
    assert (called.number, called.system.closed) == (0, [2])
    with pytest.raises(caller.Errno):
        wasi.fd_close(called.instance._wasi, 2)


def test_arguments_environment_and_kinds() -> None:
    assert (
        Called("args_sizes_get", 8, 16).number_at(8),
        Called("args_sizes_get", 8, 16).number_at(16),
    ) == (1, 4)
    called = Called("args_get", 8, 16)
    assert (called.number_at(8), called.memory[16:20]) == (16, b"bot\0")
    assert (
        Called("environ_sizes_get", 8, 16).number_at(8),
        Called("environ_get", MOST, MOST).written(),
    ) == (0, {})
    assert Called("fd_seek", 0, 0, 0, 8).number == caller.SPIPE
    assert (
        Called("fd_prestat_get", 3, 8).number
        == Called("fd_prestat_dir_name", 3, 8, 4).number
        == caller.BADF
    )
    assert (
        Called("fd_fdstat_set_flags", 0, 0).number,
        Called("fd_fdstat_set_flags", 0, 4).number,
    ) == (0, caller.NOTSUP)
    assert Called("fd_fdstat_get", 0, 8).number_at(16, "<Q") == wasi.MAY_READ | wasi.MAY_WAIT
    assert Called("fd_fdstat_get", 1, 8).number_at(16, "<Q") == wasi.MAY_WRITE | wasi.MAY_WAIT
    assert Called("sched_yield").number == 0


@pytest.mark.parametrize("clock", [4, 100, MOST])
def test_there_are_four_clocks(clock: int) -> None:
    assert (
        Called("clock_time_get", clock, 0, 8).number,
        Called("clock_res_get", clock, 8).number,
    ) == (caller.INVAL, caller.INVAL)


# --- waiting ---


def until(word: int, nanoseconds: int, *, clock: int = 1, absolute: bool = False) -> bytes:
    return struct.pack("<QB7xI4xQQH6x", word, wasi.IS_TIME, clock, nanoseconds, 0, absolute)


def ready(word: int, kind: int, descriptor: int) -> bytes:
    return struct.pack("<QB7xI28x", word, kind, descriptor)


def events(called: Called) -> list[tuple[int, ...]]:
    return [
        struct.unpack_from("<QHB", called.memory, 4096 + 32 * index)
        for index in range(called.number_at(8))
    ]


def test_a_time_ends_a_wait() -> None:
    called = Called(
        "poll_oneoff", 64, 4096, 2, 8, data={64: until(7, 5_000_000_000) + until(8, 1_000_000_000)}
    )
    assert (called.number, events(called), called.system.waits) == (0, [(8, 0, 0)], [1_000_000_000])
    called = Called("poll_oneoff", 64, 4096, 1, 8, data={64: until(7, 3, clock=0, absolute=True)})
    assert (events(called), called.system.waits) == ([(7, 0, 0)], [0])


def test_the_longest_time_is_waited_for_in_days() -> None:
    system = Pipes(ready=[0])
    called = Called(
        "poll_oneoff",
        64,
        4096,
        2,
        8,
        data={64: until(7, (1 << 64) - 1) + ready(9, wasi.IS_READ, 0)},
        system=system,
    )
    assert (called.number, events(called), system.waits) == (0, [(9, 0, 1)], [wasi.LONGEST_WAIT])


def test_a_descriptor_that_is_not_there_is_an_event() -> None:
    called = Called(
        "poll_oneoff",
        64,
        4096,
        2,
        8,
        data={64: ready(1, wasi.IS_READ, 5) + ready(2, wasi.IS_WRITE, MOST)},
    )
    assert (called.number, events(called)) == (0, [(1, caller.BADF, 1), (2, caller.BADF, 2)])


@pytest.mark.parametrize("subscription", [ready(1, 3, 0), ready(1, 255, 0), until(1, 1, clock=4)])
def test_a_wait_for_nothing_known_is_refused(subscription: bytes) -> None:
    assert Called("poll_oneoff", 64, 4096, 1, 8, data={64: subscription}).number == caller.INVAL


def test_no_wait_at_all_is_refused() -> None:
    assert Called("poll_oneoff", 64, 4096, 0, 8).number == caller.INVAL


# --- a payload ---


def test_a_payload_is_read_in_parts_and_paid_by_the_byte() -> None:
    called = Called(
        "fd_read",
        3,
        64,
        2,
        8,
        data={64: vectors((200, 2), (300, 3))},
        payload=b"payload",
        system=Pipes(b"input"),
    )
    assert (called.number, called.number_at(8), called.memory[200:202], called.memory[300:303]) == (
        0,
        5,
        b"pa",
        b"ylo",
    )
    assert (called.system.paid, called.system.data) == ([2 * wasi.PRICE_PAIR, 5], b"input")


@pytest.mark.parametrize("payload", [b"", b"payload"])
def test_no_call_on_a_payload_reaches_the_system(payload: bytes) -> None:
    """Behind its descriptor this process may have a file, by whichever clock it
    plays.
    """
    data = {
        64: vectors((300, 100)),
        128: ready(1, wasi.IS_READ, 3) + ready(2, wasi.IS_WRITE, 3) + until(3, 5_000),
        300: b"x" * 100,
    }
    calls = {
        "fd_read": (64, 1, 8),
        "fd_write": (64, 1, 8),
        "fd_close": (),
        "fd_fdstat_get": (8,),
        "fd_seek": (0, 0, 8),
    }
    numbers = {
        "fd_read": 0,
        "fd_write": caller.BADF,
        "fd_close": 0,
        "fd_fdstat_get": 0,
        "fd_seek": caller.SPIPE,
    }
    for name, words in calls.items():
        called = Called(name, 3, *words, data=data, system=Pipes(b"input"), payload=payload)
        assert called.number == numbers[name]
        assert (called.system.data, called.system.output, called.system.closed) == (
            b"input",
            [],
            [],
        )
    called = Called("poll_oneoff", 128, 4096, 3, 8, data=data, payload=payload)
    assert (called.number, events(called)) == (0, [(1, 0, 1), (2, 0, 2)])
    assert (called.system.waits, called.system.waited_for) == ([0], [])


def test_a_payload_is_ready_beside_what_the_system_finds_ready() -> None:
    data = {64: ready(1, wasi.IS_READ, 0) + ready(2, wasi.IS_READ, 3) + ready(3, wasi.IS_WRITE, 1)}
    system = Pipes(ready=[1])
    called = Called("poll_oneoff", 64, 4096, 3, 8, data=data, system=system, payload=b"")
    assert (events(called), system.waits, system.waited_for) == (
        [(2, 0, 1), (3, 0, 2)],
        [0],
        [0, 1],
    )


def test_a_payload_is_read_by_the_wall_clock() -> None:
    body = "(drop (call $fd_read (i32.const 3) (i32.const 64) (i32.const 1) (i32.const 8)))"
    exits = "(call $proc_exit (i32.add (i32.load (i32.const 8)) (i32.load8_u (i32.const 100))))"
    pair = '(data (i32.const 64) "\\64\\00\\00\\00\\09\\00\\00\\00")'
    module = compiled(wasm(pair + start(body + exits), imports=["fd_read", "proc_exit"]))
    payloads = (b"\x40ab", b"", None)
    instances = [instance.Instance(machine(), module, Wall(), SIZE) for _ in payloads]
    for one, payload in zip(instances, payloads, strict=True):
        if payload is not None:
            one.add_payload(payload)
    codes = [one.run() for one in instances]
    assert codes == [0x43, 0, 0]


def test_the_wall_s_clocks_go_on_and_its_chance_is_not_the_same_twice() -> None:
    wall = Wall()
    assert all(wall.now(clock) <= wall.now(clock) for clock in range(4))
    assert all(wall.resolution(clock) >= 1 for clock in range(4))
    one, two = bytearray(200_000), bytearray(200_000)
    wall.random(memoryview(one))
    wall.random(memoryview(two))
    assert one != two
    assert one[-100:] != bytes(100)
