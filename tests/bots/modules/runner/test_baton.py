"""The host of a table goes from thread to thread: whatever fails on whichever thread
ends the table, and blames no seat.
"""

import _thread
import threading
import time
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

import pytest
from modules import SeatAlone, compiled, machine, start, wasm

from khiva_arena.bots.modules.runner import baton, line, seat_in_ticks
from khiva_arena.bots.modules.runner.seat_in_ticks import TickSeat

pytestmark = pytest.mark.slow

KEY, MOST, PLENTY = bytes(8), 1 << 30, 10**9
HELLO = b"\0\0\0\5hello"
WRITE = "(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))"
DATA = "".join(
    f"\\{byte:02x}" for byte in (8).to_bytes(4, "little") + len(HELLO).to_bytes(4, "little") + HELLO
)
TALKS = wasm(
    f'(data (i32.const 0) "{DATA}")' + start(f"(loop $again {WRITE} (br $again))"),
    imports=("fd_write",),
)
SPINS = wasm(start("(loop $again (br $again))"))
Asked = Generator[TickSeat, None, Any]


def seat(module: bytes = TALKS) -> TickSeat:
    one = TickSeat(machine(), compiled(module), MOST)
    one.open(KEY)
    return one


def in_turn(*seats: TickSeat, ticks: int = PLENTY) -> Asked:
    words: list[int] = []
    for one in seats:
        word, *_ = yield from one.ask(ticks)
        words += [word]
    return words


def test_seats_answer_in_any_order() -> None:
    one, other, third = seat(), seat(), seat()
    assert baton.run(in_turn(one, other, other, third, one, one, other)) == [line.ANSWERED] * 7
    assert baton.run(in_turn(third, one)) == [line.ANSWERED] * 2


@pytest.mark.parametrize("asked", [0, 1, 2])
def test_an_error_of_the_host_is_raised_where_the_table_began(asked: int) -> None:
    """Whichever thread the host is on by then."""

    def work(*seats: TickSeat) -> Asked:
        yield from in_turn(*seats[:asked])
        raise BrokenPipeError("the arbiter has gone")

    with pytest.raises(BrokenPipeError):
        baton.run(work(seat(), seat()))


@pytest.mark.parametrize("which", [1, 2])
def test_a_thread_that_cannot_be_started_is_no_seat_s_doing(
    which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def start_thread(play: Callable[..., object], words: tuple[()]) -> int:
        started.append(play)
        if len(started) == which:
            raise RuntimeError("can't start new thread")
        return _thread.start_new_thread(play, words)

    monkeypatch.setattr(
        seat_in_ticks,
        "_thread",
        SimpleNamespace(**vars(_thread) | {"start_new_thread": start_thread}),
    )
    with pytest.raises(RuntimeError, match="new thread"):
        baton.run(in_turn(seat(), seat()))


@pytest.mark.parametrize("grant", [1 << 63, 1 << 70])
def test_more_ticks_than_there_can_be_are_an_error(grant: int) -> None:
    with pytest.raises(Exception, match=r"int|argument"):
        baton.run(in_turn(seat(), ticks=grant))


def test_a_mistake_in_a_call_of_the_runner_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> int:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(TickSeat, "write", write)
    with pytest.raises(ZeroDivisionError):
        baton.run(in_turn(seat(), seat()))


def test_a_thread_that_begins_late_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has used none of its ticks, and none of the processor."""
    play, cpu, looks, looked = TickSeat._play, TickSeat.cpu, [], threading.Event()

    def late(self: TickSeat) -> None:
        assert looked.wait(30)
        play(self)

    def look(self: TickSeat) -> float | None:
        looks.append(self)
        if len(looks) == 3:
            looked.set()
        return cpu(self)

    monkeypatch.setattr(TickSeat, "_play", late)
    monkeypatch.setattr(TickSeat, "cpu", look)
    monkeypatch.setattr(seat_in_ticks, "BACKSTOP_SECONDS", 0.0)
    monkeypatch.setattr(baton, "LOOK", 0.01)
    assert baton.run(in_turn(seat())) == [line.ANSWERED]


def test_a_seat_that_was_given_up_lets_the_others_play_and_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("BACKSTOP_SECONDS", "BACKSTOP_A_TICK"):
        monkeypatch.setattr(seat_in_ticks, name, 0.0)
    monkeypatch.setattr(baton, "LOOK", 0.02)
    hostile, other = seat(SPINS), seat()

    def work() -> Asked:
        word, *_ = yield from hostile.ask(10**15)
        monkeypatch.setattr(seat_in_ticks, "BACKSTOP_SECONDS", 60.0)
        words = yield from in_turn(*[other] * 3)
        until = time.monotonic() + 30
        while hostile.cpu() is not None and time.monotonic() < until:
            words += yield from in_turn(other)
        return word, {*words}, hostile.cpu()

    assert baton.run(work()) == (line.BACKSTOP, {line.ANSWERED}, None)


def test_a_frame_of_a_run_that_was_given_up_is_no_answer() -> None:
    """The backstop may come between the last byte of an answer and the standstill."""
    one = SeatAlone(machine(), compiled(TALKS), KEY, MOST)
    work = TickSeat.ask(one, PLENTY)
    assert next(work) is one
    one._out += HELLO
    one.give_up()
    with pytest.raises(StopIteration) as end:
        next(work)
    assert end.value.value == (line.BACKSTOP, 0, b"")
