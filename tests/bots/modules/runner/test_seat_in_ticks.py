"""A module that pays in ticks: what it is charged to the tick, when it stands still,
and how each of its ends is told.
"""

import subprocess
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import pytest
from modules import SeatAlone, compiled, digest, machine, start, wasm
from wording import sentence

from khiva_arena.arbiter.runners import Item
from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.runner import baton, line, seat_in_ticks, vm
from khiva_arena.bots.modules.runner.main import FAILED
from khiva_arena.bots.modules.runner.seat_in_ticks import TickSeat
from khiva_arena.bots.sandbox import seccomp, system
from khiva_arena.entrants import module_runner

pytestmark = pytest.mark.slow

PLENTY = 10**10
KEY, MOST = bytes(range(8)), 1 << 30
HELLO = b"\0\0\0\5hello"
WRITE = "(drop (call $fd_write (i32.const {to}) (i32.const {at}) (i32.const 1) (i32.const 64)))"
READ = "(drop (call $fd_read (i32.const 0) (i32.const {at}) (i32.const 1) (i32.const 64)))"
CALL = 4 + 8 + 20_000
"""Ticks of a call with four constants, before the runner takes its part."""
LOAD = 50
"""Ticks of a load where memory has no maximum of its own."""


def text(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def part(at: int, pointer: int, size: int) -> str:
    """A pair of pointer and length in memory."""
    return (
        f"(data (i32.const {at}) "
        f'"{text(pointer.to_bytes(4, "little") + size.to_bytes(4, "little"))}")'
    )


def bytes_at(at: int, data: bytes) -> str:
    return f'(data (i32.const {at}) "{text(data)}")'


def seat(
    code: str, *more: str, imports: tuple[str, ...] = ("fd_read", "fd_write"), key: bytes = KEY
) -> SeatAlone:
    return SeatAlone(
        machine(), compiled(wasm(" ".join((*more, start(code))), imports=imports)), key, MOST
    )


def says(data: bytes, to: int = 1) -> tuple[str, ...]:
    """The code that writes these bytes, and what it needs in memory."""
    return WRITE.format(to=to, at=0), part(0, 128, len(data)), bytes_at(128, data)


def test_an_answer_costs_what_the_page_says() -> None:
    code, *memory = says(HELLO)
    assert seat(code, *memory).ask(PLENTY) == (line.ANSWERED, CALL + 100 + len(HELLO), HELLO)


def test_a_run_may_take_a_second_and_the_time_of_the_ticks_that_it_has_used() -> None:
    code, *memory = says(HELLO)
    one = seat(code, *memory)
    _, used, _ = one.ask(PLENTY)
    assert (
        one.most_cpu()
        == seat_in_ticks.BACKSTOP_SECONDS + seat_in_ticks.BACKSTOP_A_TICK * used
        == 1 + 15e-9 * used
    )


def test_a_module_stands_still_behind_its_answer() -> None:
    code, *memory = says(HELLO)
    one = seat(f"(loop $again {code} (br $again))", *memory)
    first, *others = [one.ask(PLENTY) for _ in range(4)]
    assert first == (line.ANSWERED, CALL + 100 + len(HELLO), HELLO)
    # Behind the call is `drop` and `br`, then the next call's block.
    assert others == [(line.ANSWERED, 2 + CALL + 100 + len(HELLO), HELLO)] * 3


def test_a_time_out_is_exactly_at_the_limit_and_final() -> None:
    one = seat("(loop $again (br $again))")
    assert one.ask(12_345) == (line.TIMEOUT, 12_345, b"")
    assert one.ask(PLENTY) == (line.TIMEOUT, 0, b"")


def test_an_answer_that_just_fits_is_an_answer_and_a_tick_less_is_none() -> None:
    code, *memory = says(HELLO)
    price = CALL + 100 + len(HELLO)
    assert seat(code, *memory).ask(price) == (line.ANSWERED, price, HELLO)
    assert seat(code, *memory).ask(price - 1) == (line.TIMEOUT, price - 1, b"")


def test_what_is_written_behind_an_answer_answers_the_next_question_without_running() -> None:
    code, *memory = says(HELLO * 3 + HELLO[:2])
    one = seat(f"{code} unreachable", *memory)
    assert [one.ask(PLENTY)[0::2] for _ in range(3)] == [(line.ANSWERED, HELLO)] * 3
    assert one.ask(PLENTY)[0] == line.TRAPPED


def test_a_frame_may_come_in_pieces() -> None:
    one = seat(
        WRITE.format(to=1, at=0) + WRITE.format(to=1, at=8),
        *(part(0, 128, 3), part(8, 131, len(HELLO) - 3), bytes_at(128, HELLO)),
    )
    assert one.ask(PLENTY) == (line.ANSWERED, 2 * CALL + 1 + 200 + len(HELLO), HELLO)


@pytest.mark.parametrize(
    "data", [b"hello", b"\1", b"\0\0\0\0", b"\0\2\0\0rest", b"\0\1\0\1" + b"x" * 70]
)
def test_what_is_no_frame_is_handed_on_at_once(data: bytes) -> None:
    code, *memory = says(data)
    word, _, told = seat(f"{code} (loop $again (br $again))", *memory).ask(PLENTY)
    assert (word, told) == (line.ANSWERED, data)


def test_the_largest_frame_is_one() -> None:
    """It does not fit into one page with all else, so it is written from a second
    one.
    """
    size = seat_in_ticks.LARGEST_FRAME
    body = (
        f"(memory.fill (i32.const 132) (i32.const 7) (i32.const {size})) {WRITE.format(to=1, at=0)}"
    )
    memory = part(0, 128, size + 4) + bytes_at(128, size.to_bytes(4, "big"))
    one = SeatAlone(
        machine(), compiled(wasm(memory + start(body), imports=("fd_write",), pages="2")), KEY, MOST
    )
    assert one.ask(PLENTY)[::2] == (line.ANSWERED, size.to_bytes(4, "big") + b"\7" * size)


def test_a_read_gives_one_frame_at_the_most() -> None:
    """The module reads twice, up to 100 bytes each, and writes the sizes as a frame."""
    code = f"{READ.format(at=0)} (i32.store8 (i32.const 132) (i32.load8_u (i32.const 64)))"
    code += (
        f"{READ.format(at=0)} (i32.store8 (i32.const 133) (i32.load8_u (i32.const 64))) "
        f"{WRITE.format(to=1, at=8)}"
    )
    one = seat(code, part(0, 256, 100), part(8, 128, 6), bytes_at(128, b"\0\0\0\2"))
    one.say(b"x" * 40)
    one.say(b"y" * 60)
    assert one.ask(PLENTY)[2] == b"\0\0\0\2" + bytes([40, 60])


def test_a_frame_that_is_longer_than_the_room_comes_in_parts() -> None:
    code = (
        f"{READ.format(at=0)} {READ.format(at=0)} (i32.store8 (i32.const 132) (i32.load8_u "
        "(i32.const 64)))"
    )
    code += WRITE.format(to=1, at=8)
    one = seat(code, part(0, 256, 30), part(8, 128, 5), bytes_at(128, b"\0\0\0\1"))
    one.say(b"x" * 40)
    assert one.ask(PLENTY)[2] == b"\0\0\0\1" + bytes([10])


def test_who_waits_for_more_than_it_was_given_has_no_time_left() -> None:
    one = seat(READ.format(at=0), part(0, 256, 100))
    assert one.ask(1_000_000) == (line.TIMEOUT, 1_000_000, b"")


def test_the_end_of_input_is_read_as_nothing() -> None:
    one = seat(
        f"{READ.format(at=0)} (call $proc_exit (i32.load (i32.const 64)))",
        part(0, 256, 9),
        imports=("fd_read", "proc_exit"),
    )
    assert one.finish(PLENTY)[:2] == (line.ANSWERED, CALL + 100 + 1 + 1 + LOAD + 8 + 20_000)
    assert one.ask(PLENTY) == (line.EXITED, 0, bytes(4))


# --- ends ---


def test_an_exit_has_its_code() -> None:
    one = seat("(call $proc_exit (i32.const 77))", imports=("proc_exit",))
    assert one.ask(PLENTY) == (line.EXITED, 1 + 8 + 20_000, (77).to_bytes(4, "big"))
    assert seat("").ask(PLENTY)[::2] == (line.EXITED, bytes(4))


def test_a_trap_is_told_in_our_words() -> None:
    word, spent, told = seat("(drop (i32.rem_u (i32.const 1) (i32.const 0)))").ask(PLENTY)
    assert (word, told.decode()) == (line.TRAPPED, sentence("modules", "division-zero"))
    assert spent == 1 + 1 + 8 + 1  # the block has paid for its `drop`


def test_a_full_stack_is_at_the_same_height_each_time() -> None:
    body = "(func $f (call $f))"
    ends = {
        SeatAlone(machine(), compiled(wasm(body + start("(call $f)"))), KEY, MOST).ask(PLENTY)
        for _ in range(3)
    }
    ((word, spent, told),) = ends
    assert (word, told.decode()) == (line.STACK, sentence("modules", "calls-too-deep"))
    assert spent == 8 + 8 * (1_000_000 // 128 - 1)


@pytest.mark.parametrize(
    ("most_bytes", "pages"), [(MOST, 40), (30 * 65_536 + 65_535, 30), (65_536, 1)]
)
def test_growth_ends_at_the_module_s_own_maximum_or_at_the_limit(
    most_bytes: int, pages: int
) -> None:
    code = (
        "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (call "
        "$proc_exit (memory.size))"
    )
    one = SeatAlone(
        machine(),
        compiled(wasm(start(code), imports=("proc_exit",), pages="1 40")),
        KEY,
        most_bytes,
    )
    word, spent, told = one.ask(PLENTY)
    assert (word, told, spent > (pages - 1) * 10_000) == (
        line.EXITED,
        pages.to_bytes(4, "big"),
        True,
    )


def test_who_takes_too_much_of_the_processor_for_its_ticks_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("BACKSTOP_SECONDS", "BACKSTOP_A_TICK"):
        monkeypatch.setattr(seat_in_ticks, name, 0.0)
    monkeypatch.setattr(baton, "LOOK", 0.01)
    one = seat("(loop $again (br $again))")
    assert one.ask(2 * 10**9) == (line.BACKSTOP, 0, b"")
    assert one.ask(PLENTY) == (line.BACKSTOP, 0, b"")


def test_who_is_run_again_may_take_several_times_as_much_of_the_processor() -> None:
    code = compiled(wasm(start("")))
    one, patient = (TickSeat(machine(), code, MOST) for _ in range(2))
    one.open(KEY)
    patient.open(KEY, 10)
    assert patient.most_cpu() == 10 * one.most_cpu()


def test_the_backstop_goes_by_the_ticks_that_were_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module with ticks for hours is given up early in a call that takes the
    processor for nothing.
    """

    def spin(_seat: TickSeat, _view: memoryview) -> None:
        until = time.thread_time() + 1.0
        while time.thread_time() < until:
            pass

    monkeypatch.setattr(TickSeat, "random", spin)
    monkeypatch.setattr(seat_in_ticks, "BACKSTOP_SECONDS", 0.1)
    monkeypatch.setattr(seat_in_ticks, "BACKSTOP_A_TICK", 1e-9)
    monkeypatch.setattr(baton, "LOOK", 0.05)
    one = seat("(drop (call $random_get (i32.const 0) (i32.const 8)))", imports=("random_get",))
    assert one.ask(10**13) == (line.BACKSTOP, 0, b"")


# --- clock and chance ---


def test_the_clock_is_what_was_spent() -> None:
    """The module asks for the time in the second question, and writes it."""
    code, *memory = says(HELLO)
    code += (
        "(drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 132)))"
        + WRITE.format(to=1, at=8)
    )
    one = seat(
        code,
        *memory,
        part(8, 256, 12),
        bytes_at(256, b"\0\0\0\x08"),
        imports=("fd_write", "clock_time_get"),
    )
    before = one.ask(PLENTY)[1]
    one = seat(
        code.replace("(i32.const 132)", "(i32.const 260)"),
        *(*memory, part(8, 256, 12), bytes_at(256, b"\0\0\0\x08")),
        imports=("fd_write", "clock_time_get"),
    )
    one.ask(PLENTY)
    told = one.ask(PLENTY)[2]
    assert int.from_bytes(told[4:], "little") == (before + 1 + 3 + 8 + 20_000) // 10


def test_of_an_interpreter_it_is_told_which_function_of_its_bot_paid() -> None:
    """The module spends a tenth in a function of its bot, writes a frame, and spends
    the rest in another one.
    """
    code, *memory = says(HELLO)
    spends = (
        "(local.set $n (i32.const {})) (loop $on (br_if $on (local.tee $n (i32.sub (local.get "
        "$n) (i32.const 1)))))"
    )
    code = (
        f"(local $n i32) {spends.format(2_000_000)} {code} (global.set $at (i32.const 516)) "
        f"{spends.format(18_000_000)}"
    )
    tells = (
        '(global $at (mut i32) (i32.const 512)) (func (export "khiva_frame") (result i32) '
        "(global.get $at))"
    )
    whole = wasm(
        "".join((*memory, bytes_at(512, b"one\0two\0"), tells, start(code))), imports=("fd_write",)
    )
    told = []
    for by_function in (False, True):
        module = vm.compile_(machine(), rewritten(whole, by_function=by_function).wasm)[0]
        one = SeatAlone(machine(), module, KEY, MOST)
        told.append((one.ask(PLENTY), one.finish(PLENTY), one.ask(PLENTY)))
    assert told[0] == told[1]
    rows = {name.decode(): paid for paid, name in one.ticks_by_function()}
    assert rows.keys() == {"one", "two"}
    paid = sum(spent for _, spent, _ in told[0])
    assert paid - 1_500_000 < sum(rows.values()) <= paid
    assert rows["one"] / paid == pytest.approx(0.1, abs=0.02)


def test_waiting_is_spent() -> None:
    subscription = (
        bytes(16) + (1).to_bytes(8, "little") + (5_000_000).to_bytes(8, "little") + bytes(16)
    )
    code = "(drop (call $poll_oneoff (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512)))"
    asks = {"imports": ("poll_oneoff", "proc_exit")}
    module = compiled(
        wasm(bytes_at(0, subscription) + start(f"{code} (call $proc_exit (i32.const 0))"), **asks)
    )
    one = SeatAlone(machine(), module, KEY, MOST)
    began = time.perf_counter()
    word, spent, _ = one.ask(PLENTY)
    assert (word, spent) == (line.EXITED, CALL + 1_000 + 50_000_000 + 1 + 1 + 8 + 20_000)
    assert time.perf_counter() - began < 5
    late = SeatAlone(machine(), module, KEY, MOST)
    assert late.ask(10**7) == (line.TIMEOUT, 10**7, b"")


def test_chance_comes_from_the_key() -> None:
    def drawn(key: bytes) -> bytes:
        code = "".join(
            f"(drop (call $random_get (i32.const {132 + at}) (i32.const 25)))"
            for at in (0, 25, 50, 75)
        )
        one = seat(
            code + WRITE.format(to=1, at=0),
            part(0, 128, 104),
            bytes_at(128, b"\0\0\0\x64"),
            imports=("fd_write", "random_get"),
            key=key,
        )
        return one.ask(PLENTY)[2][4:]

    stream = b"".join(blake2b(number.to_bytes(8, "big"), key=KEY).digest() for number in (0, 1))
    assert drawn(KEY) == stream[:100]
    assert drawn(bytes(8)) != drawn(KEY)


# --- a table ---


def test_notes_are_kept_beside_the_answer_and_bounded() -> None:
    code, *memory = says(b"a word", to=2)
    one = seat(
        f"{code} {WRITE.format(to=1, at=8)}",
        *memory,
        part(8, 256, len(HELLO)),
        bytes_at(256, HELLO),
    )
    assert (one.ask(PLENTY)[2], bytes(one.notes)) == (HELLO, b"a word")
    flood = seat(f"(loop $again {WRITE.format(to=2, at=0)} (br $again))", part(0, 0, 60_000))
    assert flood.ask(10**8)[0] == line.TIMEOUT
    assert len(flood.notes) == seat_in_ticks.NOTES


def test_seats_of_one_table_do_not_notice_each_other() -> None:
    code, *memory = says(HELLO)
    alone = seat(f"(loop $again {code} (br $again))", *memory)
    expected = [alone.ask(PLENTY) for _ in range(5)]
    beside, other = (
        seat(f"(loop $again {code} (br $again))", *memory),
        seat("(loop $again (br $again))"),
    )
    told = []
    for _ in range(5):
        other.ask(1_000_000)
        told.append(beside.ask(PLENTY))
    assert told == expected


def test_an_opening_keeps_an_empty_payload_apart_from_none() -> None:
    opening = KEY, 10, b"\0payload"
    assert line.opening_of(line.opening(*opening)) == opening
    assert [line.opening_of(line.opening(KEY, 10, payload))[2] for payload in (b"", None)] == [
        b"",
        None,
    ]


def compiled_at(folder: Path, module: bytes) -> tuple[str, bytes]:
    """Compile a module by a process of the runner, and return the path of its code and
    the code's digest.
    """
    (folder / "bot.wasm").write_bytes(module)
    compiling = module_runner.runner(
        module_runner.COMPILE, str(folder / "bot.wasm"), str(folder / "code")
    )
    subprocess.run(compiling, check=True, timeout=120)
    return str(folder / "code"), bytes.fromhex(digest((folder / "code").read_bytes()))


def by_a_table(batches: Sequence[Sequence[Item]]) -> subprocess.CompletedProcess[bytes]:
    """Give batches to a process of the runner."""
    words = module_runner.runner(
        module_runner.TABLE,
        seccomp.of_a_table().hex() if seccomp.supported() and system.PROC else "",
    )
    return subprocess.run(
        words,
        input=b"".join(map(line.batch, batches)),
        capture_output=True,
        timeout=120,
        check=False,
    )


def batches_in(data: bytes) -> Iterator[list[Item]]:
    while data:
        size = line.LENGTH.size + line.LENGTH.unpack_from(data)[0]
        yield line.items_of(data[:size])
        data = data[size:]


def test_a_table_by_its_process(tmp_path: Path) -> None:
    code, *memory = says(HELLO)
    module = wasm(
        " ".join(memory) + start(f"(loop $again {code} (br $again))"), imports=("fd_write",)
    )
    path, name = compiled_at(tmp_path, module)
    batches = [
        [(0, line.LOAD, 0, line.LOADING.pack(MOST, name) + path.encode())],
        [(0, line.OPEN, 0, line.opening(KEY, 1)), (0, line.SAY, 0, b"x")],
        [(0, line.ASK, PLENTY, b"x")],
        [(0, line.END, PLENTY, b"")],
    ]
    done = by_a_table(batches)
    assert (done.returncode, done.stderr) == (0, b"")
    answers = list(batches_in(done.stdout))
    assert answers[0] == [(0, line.ANSWERED, 0, b"")]
    assert answers[1] == [(0, line.ANSWERED, CALL + 100 + len(HELLO), HELLO)]
    assert answers[2][0][:2] == (0, line.ANSWERED)
    batches[0] = [(0, line.LOAD, 0, line.LOADING.pack(MOST, bytes(32)) + path.encode())]
    done = by_a_table(batches)
    why = f"the runner failed: {sentence('modules', 'code-changed', what='the compiled code')}\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (FAILED, b"", why)


def test_a_table_hands_each_seat_its_own_payload(tmp_path: Path) -> None:
    """The module exits with the error number of its read, or answers with the frame
    that it has read, if it is whole.
    """
    read = (
        "(local.tee $error (call $fd_read (i32.const 3) (i32.const 64) (i32.const 1) "
        "(i32.const 68)))"
    )
    exits = "(call $proc_exit (local.get $error))"
    code = f"(local $error i32) (if {read} (then {exits})) {WRITE.format(to=1, at=64)} {exits}"
    module = wasm(part(64, 128, 64) + start(code), imports=("fd_read", "fd_write", "proc_exit"))
    path, name = compiled_at(tmp_path, module)
    payloads = (HELLO, b"\0\0\0\1.", b"", None)
    loaded = [
        (seat, line.LOAD, 0, line.LOADING.pack(MOST, name) + path.encode()) for seat in range(4)
    ]
    opened = [
        (seat, line.OPEN, 0, line.opening(KEY, 1, payload)) for seat, payload in enumerate(payloads)
    ]
    done = by_a_table([loaded, opened, [(seat, line.ASK, PLENTY, b"") for seat in range(4)]])
    assert (done.returncode, done.stderr) == (0, b"")
    told = {seat: (word, data) for seat, word, _, data in list(batches_in(done.stdout))[1]}
    assert told == {
        0: (line.ANSWERED, payloads[0]),
        1: (line.ANSWERED, payloads[1]),
        2: (line.EXITED, bytes(4)),
        3: (line.EXITED, (8).to_bytes(4, "big")),
    }
