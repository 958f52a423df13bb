"""Modules that call the runner for ever, each in a way of its own: what a tick of a
call lasts.
"""

import time
from collections.abc import Iterator
from functools import partial

from modules import SeatAlone, compiled, machine, start, wasm

FRAME = b"\0\x0f\xff\xfc" + bytes(0xFFFFC)
"""The largest frame that a bot may get."""
FRAMES = 20
PAYLOAD = bytes(4 << 20)
"""What each module may read from descriptor 3."""
PAGES = 256
HALF = PAGES * 32_768
MOST = 1 << 30


def loop(call: str, *imports: str, before: str = "") -> bytes:
    body = f"{before} (loop $again (drop {call}) (br $again))"
    return wasm(start(body), imports=imports, pages=f"{PAGES} {PAGES}")


def pairs(count: int, size: int) -> str:
    """The code that writes pairs of pointer and length to the beginning of memory."""
    return (
        f"(local $at i32) (loop $more (i32.store (local.get $at) (i32.const {HALF}))"
        f" (i32.store (i32.add (local.get $at) (i32.const 4)) (i32.const {size}))"
        " (br_if $more (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) "
        f"(i32.const {8 * count}))))"
    )


def subscriptions(kind: int) -> str:
    """The code that writes 1,024 subscriptions of a kind: 0 of a time, which is over at
    once, 1 of a descriptor.
    """
    return (
        "(local $at i32) (loop $more (i32.store8 (i32.add (local.get $at) (i32.const 8)) "
        f"(i32.const {kind}))"
        " (br_if $more (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 48))) "
        f"(i32.const {48 * 1_024}))))"
    )


def transfer(name: str, descriptor: int, count: int) -> str:
    return (
        f"(call ${name} (i32.const {descriptor}) (i32.const 0) (i32.const {count}) (i32.const "
        f"{HALF - 8}))"
    )


def calls() -> Iterator[tuple[str, bytes]]:
    """Yield a name and a module for each class of calls."""
    write, read = partial(transfer, "fd_write"), partial(transfer, "fd_read")
    poll = (
        f"(call $poll_oneoff (i32.const 0) (i32.const {HALF}) (i32.const 1024) (i32.const "
        f"{HALF - 8}))"
    )
    random = f"(call $random_get (i32.const {HALF}) (i32.const {{}}))"
    yield "sched_yield", loop("(call $sched_yield)", "sched_yield")
    yield (
        "clock_time_get",
        loop("(call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 8))", "clock_time_get"),
    )
    yield "args_get", loop("(call $args_get (i32.const 8) (i32.const 16))", "args_get")
    yield (
        "fd_fdstat_get",
        loop("(call $fd_fdstat_get (i32.const 1) (i32.const 8))", "fd_fdstat_get"),
    )
    yield "fd_write, bad descriptor", loop(write(9, 1), "fd_write")
    yield "fd_write, bad place", loop(write(1, 1).replace(f"{HALF - 8}", "-8"), "fd_write")
    yield "fd_write of 100,000 pairs", loop(write(2, 100_000), "fd_write", before=pairs(100_000, 1))
    for count, size in ((1_024, 0), (1_024, 1), (1_024, 8_000), (1, 1), (1, HALF)):
        yield (
            f"fd_write of {count:,} pairs of {size:,} bytes",
            loop(write(2, count), "fd_write", before=pairs(count, size)),
        )
    for count, size in ((1, 1), (1_024, 1), (1, len(FRAME))):
        yield (
            f"fd_read of {count:,} pairs of {size:,} bytes",
            loop(read(0, count), "fd_read", before=pairs(count, size)),
        )
        yield (
            f"the same of a payload, {count:,} of {size:,}",
            loop(read(3, count), "fd_read", before=pairs(count, size)),
        )
    yield "poll_oneoff of 1,024 times", loop(poll, "poll_oneoff", before=subscriptions(0))
    yield "poll_oneoff of 1,024 descriptors", loop(poll, "poll_oneoff", before=subscriptions(1))
    for size in (0, 1, 64, 4_096, HALF):
        yield f"random_get of {size:,} bytes", loop(random.format(size), "random_get")


def nanoseconds(module: bytes, ticks: int) -> float:
    """Return how long a tick lasts, in CPU time of a seat that spends so many ticks, or
    has read all its frames.
    """
    seat = SeatAlone(machine(), compiled(module), bytes(8), MOST, payload=PAYLOAD)
    for _ in range(FRAMES):
        seat.say(FRAME)
    began = time.process_time()
    _, spent, _ = seat.ask(ticks)
    return (time.process_time() - began) / spent * 1e9
