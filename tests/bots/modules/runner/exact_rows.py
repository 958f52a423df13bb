"""Rows that a runner gets wrong which has misread one sentence of METER.md, section 11
or 12.
"""

import struct

from golden import framed
from runner_rows import (
    ALL,
    ASK,
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
    descriptor,
    end,
    note,
    notes,
    pairs,
    read,
    text,
    time,
    write,
)

RESULT = BODY + 40
GUARD = b"\x5a"
ANSWER = WRITE + len(FRAME)


def timed(word: int, nanoseconds: int, flags: int) -> bytes:
    """Return a subscription to a time, with all bits of its flags and with bytes of
    chance in its gaps.
    """
    return struct.pack(
        "<QB7sI4sQQH6s", word, 0, b"\xff" * 7, 1, b"\xff" * 4, nanoseconds, 999, flags, b"\xff" * 6
    )


def polled(place: int, of: int) -> str:
    """Return the code of a poll for one subscription: its count of events is 4 bytes
    behind its error number, the event is 8.
    """
    return note(place, "poll_oneoff", of, BODY + place + 8, 1, BODY + place + 4)


def ended(name: str, code: str, word: str, used: int, ticks: int = PLENTY) -> Row:
    """Return a row in which input ends after its module has, and another question
    comes.
    """
    return Row(
        f"input that ends after {name}",
        bot(code),
        (*ask(ticks=ticks), *end(), *ask()),
        ((word, used), ("answered", 0), (word, 0)),
    )


EXACT_ROWS = (
    Row(
        "reading from 1 and 2, and writing to 0: first the parts are checked, and no bytes "
        "are paid",
        bot(
            notes(
                ("fd_read", 1, OTHER, 1, RESULT),
                ("fd_read", 2, OTHER, 1, RESULT),
                ("fd_write", 0, OTHER, 1, RESULT),
                ("fd_read", 1, OTHER + 8, 1, RESULT),
                ("fd_read", 2, OTHER + 8, 1, RESULT),
                ("fd_write", 0, OTHER + 8, 1, RESULT),
            )
            + read(8, OTHER + 16)
            + write(),
            {OTHER: pairs((SIZE - 1, 2), (BODY, 50), (BODY + 12, 20)), RESULT: GUARD * 8},
            size=60,
        ),
        ask(framed(b"hello")),
        (("answered", 6 * (NOTE + 4 + 100) + (5 + HOST + 100 + 9) + WRITE + 64),),
    ),
    Row(
        "flags beyond 16 bits, and places that are not looked at",
        bot(
            notes(
                ("fd_fdstat_set_flags", 1, 0x10000),
                ("fd_fdstat_set_flags", 1, -(1 << 31)),
                ("fd_prestat_get", 0, ALL),
                ("fd_prestat_get", 3, ALL),
                ("fd_prestat_dir_name", 0, ALL, ALL),
                ("fd_seek", 0, 0, 9, ALL),
                ("fd_close", ALL),
            )
            + write(),
            size=8,
        ),
        ask(),
        (("answered", 7 * NOTE + 2 + 2 + 2 + 2 + 3 + 4 + 1 + WRITE + 12),),
    ),
    Row(
        "of a time's flags only bit 0 is looked at, and gaps hold anything",
        bot(
            polled(0, OTHER)
            + polled(40, OTHER + 48)
            + polled(80, OTHER + 96)
            + note(120, "clock_time_get", 0, -1, BODY + 124)
            + write(),
            {
                OTHER: timed(1, 1_000, 2) + timed(2, 1, 3) + timed(3, 1_000, 0x8000),
                BODY + 8: GUARD * 32,
            },
            size=132,
        ),
        ask(),
        (("answered", 3 * (NOTE + 4 + 1_000) + 2 * 10_000 + NOTE + 3 + WRITE + 136),),
    ),
    Row(
        "places that just end with memory",
        bot(
            notes(
                ("fd_read", 0, SIZE - 8, 1, BODY + 16),
                ("poll_oneoff", SIZE - 48, BODY + 24, 1, BODY + 20),
                ("clock_time_get", 0, 0, SIZE - 8),
                ("clock_res_get", 0, SIZE - 16),
                ("clock_res_get", 0, SIZE - 8),
                ("args_sizes_get", SIZE - 4, SIZE - 8),
                ("environ_sizes_get", SIZE - 8, SIZE - 4),
                ("args_get", SIZE - 8, SIZE - 4),
                ("args_get", SIZE - 4, SIZE - 8),
                ("fd_fdstat_get", 2, SIZE - 24),
                ("random_get", SIZE - 8, 8),
                ("fd_read", 0, OTHER, 1, SIZE - 4),
                ("fd_write", 2, OTHER, 1, SIZE - 4),
                ("poll_oneoff", OTHER + 8, SIZE - 32, 1, SIZE - 4),
            )
            + write(),
            {
                OTHER: pairs((SIZE - 2, 2)) + descriptor(9, 0),
                SIZE - 48: descriptor(8, 0)[:40] + pairs((BODY + 14, 2)),
            },
            size=56,
        ),
        ask(framed(b"hello")),
        (
            (
                "answered",
                14 * NOTE
                + (3 * 2 + 1)
                + 4 * 2
                + 2
                + 2
                + 3 * 4
                + 2 * 4
                + 300
                + 6
                + 32
                + 2_000
                + WRITE
                + 60,
            ),
        ),
    ),
    Row(
        "a list of subscriptions that does not lie in memory wholly, the first of another kind",
        bot(
            notes(("poll_oneoff", SIZE - 48, RESULT, 2, RESULT)) + write(),
            {SIZE - 48: descriptor(1, 0, 3)},
            size=4,
        ),
        ask(),
        (("answered", NOTE + 4 + 2_000 + WRITE + 8),),
    ),
    Row(
        "an event is 32 bytes, zeros among them",
        bot(
            note(0, "poll_oneoff", OTHER, BODY + 8, 2, BODY + 4) + write(),
            {OTHER: descriptor(1, 0) + descriptor(2, 1, 2), BODY + 8: GUARD * 72},
            size=80,
        ),
        ask(),
        (("answered", NOTE + 4 + 2_000 + WRITE + 84),),
    ),
    Row(
        "a time that is over at once, beside a longer one",
        bot(
            note(0, "poll_oneoff", OTHER, BODY + 8, 2, BODY + 4) + write(),
            {OTHER: time(1, 5) + time(2, 0)},
            size=80,
        ),
        ask(),
        (("answered", NOTE + 4 + 2_000 + WRITE + 84),),
    ),
    Row(
        "an answer whose length is written by itself",
        bot(write(OTHER) + write(OTHER + 8), text(FRAME[:4], FRAME[4:])),
        ask() + ask(),
        (("answered", 2 * WRITE + 1 + len(FRAME)), ("exited", 1)),
    ),
    Row(
        "a frame of one byte and the largest one, with another behind each",
        bot(
            write(OTHER) + write(OTHER + 8, count=3),
            {
                OTHER: pairs((OTHER + 32, 12), (OTHER + 44, 4), (0, 65_536), (OTHER + 48, 9))
                + b"\0\0\0\1x"
                + OTHER_FRAME
                + b"\0\1\0\0"
                + FRAME
            },
        ),
        ask() * 5,
        (
            ("answered", WRITE + 12),
            ("answered", 0),
            ("answered", 1 + WRITE + 200 + 4 + 65_536 + 9),
            ("answered", 0),
            ("exited", 1),
        ),
    ),
    Row(
        "stderr of just 65,536 bytes, and then more",
        bot(
            write(OTHER, to=2) + write(OTHER + 8, to=2) + write(OTHER + 8),
            {OTHER: pairs((0, 65_536), (OTHER + 16, len(FRAME))) + FRAME},
        ),
        ask(),
        (("answered", 2 * (WRITE + 1) + 65_536 + 9 + ANSWER),),
    ),
    Row(
        "more than 1,024 random bytes",
        bot(
            notes(("random_get", BODY + 8, 1_000), ("random_get", BODY + 1_008, 100)) + write(),
            size=1_112,
        ),
        ask(),
        (("answered", 2 * (NOTE + 2) + 4_400 + WRITE + 1_116),),
    ),
    Row(
        "two bytes of a length that is too large, and two more",
        bot(write(OTHER) + write(OTHER + 8), text(b"\0\2", b"\0\0")),
        ask() + ask(),
        (("answered", 2 * (WRITE + 2) + 1), ("exited", 1)),
    ),
    Row(
        "three bytes of a length that is too large, and no more",
        bot(write(OTHER), text(b"\0\2\0")),
        ask() + ask(),
        (("exited", WRITE + 3 + 1), ("exited", 0)),
    ),
    Row(
        "a question with 0 ticks runs nothing and ends nothing",
        bot(write(OTHER), text(FRAME)),
        ((ASK, 0, b""), *ask(), *ask()),
        (("timeout", 0), ("answered", ANSWER), ("exited", 1)),
    ),
    Row(
        "a frame that still lies there when the module has ended",
        bot(write(OTHER), text(FRAME + OTHER_FRAME + FRAME)),
        (*ask(), *end(), *ask(), *ask(), *ask()),
        (
            ("answered", WRITE + 9 + 7 + 9),
            ("answered", 1),
            ("answered", 0),
            ("answered", 0),
            ("exited", 0),
        ),
    ),
    Row(
        "frames that are said after others lie there are read in their order",
        bot(
            read(0) + read(4, OTHER + 8) + write(),
            {OTHER: pairs((BODY + 8, 20), (BODY + 28, 20))},
            size=48,
        ),
        ask(framed(b"first"), framed(b"second")),
        (("answered", (5 + HOST + 100 + 9) + (5 + HOST + 100 + 10) + WRITE + 52),),
    ),
    Row(
        "memory.fill of 2^31 bytes pays for them, and traps",
        bot("i32.const 0 i32.const 0 i32.const -2147483648 memory.fill"),
        ask(ticks=10**9),
        (("trapped", 3 + 200 + (1 << 31) // 8),),
    ),
    ended("a trap", "unreachable", "trapped", 1),
    ended("an exit", "i32.const 7 $proc_exit", "exited", 1 + HOST),
    ended("a full stack", "call 0", "stack", 8 * 7_812),
    ended("a time-out", "loop br 0 end", "timeout", 500, 500),
)
"""All of them."""
