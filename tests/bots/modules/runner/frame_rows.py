"""Rows of reads, writes, standstills and ends."""

from golden import framed
from runner_rows import (
    BODY,
    FRAME,
    HOST,
    NOTE,
    OTHER,
    OTHER_FRAME,
    PLENTY,
    SIZE,
    WRITE,
    Row,
    ask,
    bot,
    call,
    end,
    note,
    notes,
    pairs,
    read,
    text,
    write,
)

ANSWER = WRITE + len(FRAME)
LARGEST = 65_536
FRAME_ROWS = (
    Row(
        "an answer, and the standstill behind it",
        bot(f"loop {write(OTHER)} br 0 end", text(FRAME)),
        ask() + ask() + ask(ticks=50_000),
        (("answered", ANSWER), ("answered", 2 + ANSWER), ("answered", 2 + ANSWER)),
    ),
    Row(
        "an answer that just fits, then a tick less",
        bot(f"{write(OTHER)} {write(OTHER)}", text(FRAME)),
        ask(ticks=ANSWER) + ask(ticks=ANSWER) + ask(),
        (("answered", ANSWER), ("timeout", ANSWER), ("timeout", 0)),
    ),
    Row(
        "an answer in parts",
        bot(
            write(OTHER, count=2) + write(OTHER + 16, count=3),
            text(FRAME[:2], FRAME[2:3], FRAME[3:4], b"", FRAME[4:]),
        ),
        ask() + ask() + ask(),
        (("answered", 2 * WRITE + 1 + 300 + len(FRAME)), ("exited", 1), ("exited", 0)),
    ),
    Row(
        "what lies behind an answer answers without running",
        bot(
            write(OTHER) + write(OTHER + 8),
            text(FRAME + OTHER_FRAME + FRAME[:6], FRAME[6:] + b"text"),
        ),
        ask() + ask() + ask() + ask() + ask(),
        (
            ("answered", WRITE + 9 + 7 + 6),
            ("answered", 0),
            ("answered", 1 + WRITE + 3 + 4),
            ("answered", 0),
            ("exited", 1),
        ),
    ),
    Row(
        "bytes that can be no frame",
        bot(
            " ".join(write(OTHER + 8 * at) for at in range(4)),
            text(b"\1", bytes(4), b"\0\1\0\1rest", b"\n\0\0\0\1xtext"),
        ),
        ask() + ask() + ask() + ask(),
        (
            ("answered", WRITE + 1),
            ("answered", 1 + WRITE + 4),
            ("answered", 1 + WRITE + 8),
            ("answered", 1 + WRITE + 10),
        ),
    ),
    Row(
        "the largest frame, its last byte by itself",
        bot(
            write(OTHER, count=2) + write(OTHER + 16),
            {OTHER: pairs((OTHER + 24, 4), (0, LARGEST - 1), (OTHER, 1)) + b"\0\1\0\0"},
        ),
        ask(),
        (("answered", 2 * WRITE + 1 + 100 + 4 + LARGEST),),
    ),
    Row(
        "output beyond 20 largest frames",
        bot(
            write(OTHER, count=42) + " i32.const 9 $proc_exit",
            {OTHER: pairs((OTHER - 4, 4), (0, LARGEST - 4)) * 21, OTHER - 4: b"\0\0\xff\xfc"},
        ),
        ask(ticks=10 * PLENTY) + ask() * 20,
        (
            ("answered", WRITE + 41 * 100 + 21 * LARGEST),
            *[("answered", 0)] * 19,
            ("exited", 1 + 1 + HOST),
        ),
    ),
    Row(
        "output beyond 20 largest frames that can be no frame",
        bot(write(OTHER, count=21), {OTHER: pairs((OTHER, 1), *[(0, LARGEST)] * 20) + b"x"}),
        ask(ticks=10 * PLENTY),
        (("answered", WRITE + 20 * 100 + 1 + 20 * LARGEST),),
    ),
    Row(
        "stderr beyond 65,536 bytes in one run",
        bot(
            write(OTHER, to=2)
            + write(OTHER + 8, to=2)
            + write(OTHER + 16)
            + write(OTHER + 8, to=2),
            {
                OTHER: pairs((4, 65_530), (OTHER + 24, 10), (OTHER + 34, len(FRAME)))
                + b"0123456789"
                + FRAME
            },
        ),
        ask() + ask(),
        (("answered", 2 * (WRITE + 1) + 65_530 + 10 + ANSWER), ("exited", 1 + WRITE + 10 + 1)),
    ),
    Row(
        "a read gives one frame at the most",
        bot(
            read(0) + read(4, OTHER + 8, 3) + read(8) + write(),
            {OTHER: pairs((BODY + 12, 30), (BODY + 42, 2), (BODY + 63, 0), (BODY + 50, 20))},
            size=70,
        ),
        ask(framed(b"one"), framed(b"two and more"), framed(b"three")),
        (
            (
                "answered",
                (5 + HOST + 100 + 7) + (5 + HOST + 300 + 16) + (5 + HOST + 100 + 9) + WRITE + 74,
            ),
        ),
    ),
    Row(
        "a frame is read in parts, the last one in the next question",
        bot(
            read(0) + read(4, OTHER + 8) + write() + read(0) + read(4, OTHER + 8) + write(),
            {OTHER: pairs((BODY + 8, 2), (BODY + 10, 9))},
            size=19,
        ),
        ask(framed(b"0123456789abcdef")) + ask(framed(b"?")),
        (
            ("answered", (5 + HOST + 100 + 2) + (5 + HOST + 100 + 9) + WRITE + 23),
            ("answered", 1 + (5 + HOST + 100 + 2) + (5 + HOST + 100 + 7) + WRITE + 23),
        ),
    ),
    Row(
        "a read without room gives nothing, even if no frame is left",
        bot(
            notes(("fd_read", 0, OTHER, 2, BODY + 3), ("fd_read", 0, OTHER, 0, BODY + 7))
            + read(11, OTHER + 16)
            + write(),
            {OTHER: pairs((-1 & 0xFFFF_FFFF, 0), (SIZE, 0), (BODY + 15, 9))},
            size=24,
        ),
        ask(framed(b"hello")) + ask(),
        (("answered", 2 * (NOTE + 4) + 200 + (5 + HOST + 100 + 9) + WRITE + 28), ("exited", 1)),
    ),
    Row(
        "a read when no frame is left takes all ticks",
        bot(
            read(0) + write() + read(0) + read(0) + write(), {OTHER: pairs((BODY + 4, 9))}, size=13
        ),
        ask(framed(b"hello")) + ask(framed(b"hello")) + ask(framed(b"hello")),
        (("answered", 5 + HOST + 100 + 9 + WRITE + 17), ("timeout", PLENTY), ("timeout", 0)),
    ),
    Row(
        "behind all frames an ended input is read as nothing",
        bot(
            read(0) + write() + read(0) + write(to=2) + (read(0) + write(to=2)) * 2,
            {OTHER: pairs((BODY + 4, 9))},
            size=13,
        ),
        ask(framed(b"hello"), framed(b"more")) + end() + ask(),
        (
            ("answered", 5 + HOST + 100 + 9 + WRITE + 17),
            (
                "answered",
                1 + (5 + HOST + 100 + 8 + WRITE + 17 + 1) + 2 * (5 + HOST + 100 + WRITE + 17 + 1),
            ),
            ("exited", 0),
        ),
    ),
    Row(
        "time up once input has ended",
        bot("loop br 0 end"),
        end(12_345) + ask(),
        (("answered", 12_345), ("timeout", 0)),
    ),
    Row(
        "once input has ended a module runs behind an answer, up to its next write",
        bot(
            write(OTHER) + write(OTHER + 8, to=2) + write(OTHER + 8) + write(OTHER + 8, to=2),
            text(FRAME + OTHER_FRAME, b"!"),
        ),
        ask() + end(),
        (("answered", WRITE + 16), ("answered", 1 + 2 * (WRITE + 1) + 1)),
    ),
    Row(
        "the clock in the second question",
        bot(
            write(OTHER)
            + notes(*[("clock_time_get", clock, 0, BODY + 16 + 8 * clock) for clock in range(4)])
            + note(4, "clock_res_get", 0, BODY + 8)
            + note(5, "clock_res_get", 3, BODY + 48)
            + write(),
            text(FRAME),
            size=56,
        ),
        ask(ticks=30_000) + ask(),
        (("answered", ANSWER), ("answered", 1 + 4 * (NOTE + 3) + 2 * (NOTE + 2) + WRITE + 60)),
    ),
    Row(
        "an exit with a code, behind half a frame",
        bot(write(OTHER) + " i32.const -2 $proc_exit i32.const 1 drop", text(FRAME[:-1])),
        ask() + ask(),
        (("exited", WRITE + 8 + 1 + 1 + HOST), ("exited", 0)),
    ),
    Row(
        "a trap of the module's own",
        bot(f"{call('sched_yield')} i32.const 0 i32.div_u drop i32.const 1 drop"),
        ask() + ask(),
        (("trapped", HOST + 1 + 8 + 1 + 1 + 1), ("trapped", 0)),
    ),
    Row("a full stack", bot("call 0"), ask() + ask(), (("stack", 8 * 7_812), ("stack", 0))),
    Row(
        "time up in a loop",
        bot("loop br 0 end"),
        ask(ticks=12_345) + ask(),
        (("timeout", 12_345), ("timeout", 0)),
    ),
    Row(
        "growth up to the event's limit; beyond it is paid for, beyond the module's maximum is not",
        bot(
            "loop i32.const 1 memory.grow i32.const -1 i32.ne br_if 0 end"
            " i32.const 40 memory.grow drop i32.const 41 memory.grow drop memory.size $proc_exit",
            memory=b"\1\1\x28",
        ),
        ask(),
        (("exited", 30 * (1 + 2_000 + 10_000 + 3) + 2 * (1 + 2_000 + 1) + 400_000 + 1 + HOST),),
        most_bytes=30 * SIZE + SIZE - 1,
    ),
)
"""All of them."""
