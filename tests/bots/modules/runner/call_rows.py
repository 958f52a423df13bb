"""Rows of the calls of METER.md, section 11: results, errors and prices. Those of
``poll_oneoff`` are in ``poll_rows.py``.
"""

from typing import Any

from golden import framed
from runner_rows import (
    ALL,
    BODY,
    HEAD,
    HOST,
    NOTE,
    OTHER,
    PAIR,
    PLENTY,
    SIZE,
    WRITE,
    Row,
    ask,
    bot,
    descriptor,
    note,
    notes,
    pairs,
    read,
    time,
    write,
)

RESULT = BODY + 40
"""Where calls of which only the error number is shown put their results."""
GUARD = b"\x5a"
FAULTS: tuple[tuple[Any, ...], ...] = (
    ("args_sizes_get", SIZE - 3, RESULT),
    ("args_sizes_get", RESULT, ALL),
    ("args_get", SIZE - 3, RESULT),
    ("args_get", RESULT, SIZE - 3),
    ("environ_sizes_get", SIZE, RESULT),
    ("environ_sizes_get", RESULT, SIZE),
    ("clock_time_get", 0, 0, SIZE - 7),
    ("clock_res_get", 0, SIZE - 7),
    ("fd_fdstat_get", 0, SIZE - 23),
    ("random_get", SIZE - 7, 8),
    ("fd_read", 0, SIZE - 7, 1, RESULT),
    ("fd_read", 0, OTHER, 1, SIZE - 3),
    ("fd_read", 0, OTHER, 2, RESULT),
    ("fd_write", 1, ALL, 1, RESULT),
    ("fd_write", 1, OTHER, 1, SIZE - 3),
    ("fd_write", 2, OTHER, 2, RESULT),
    ("poll_oneoff", SIZE - 47, RESULT, 1, RESULT),
    ("poll_oneoff", OTHER + 16, SIZE - 31, 1, RESULT),
    ("poll_oneoff", OTHER + 16, RESULT, 1, SIZE - 3),
)
"""Calls with a place that does not lie within memory wholly, by a byte or by far."""
FIRST_CHECKS: tuple[tuple[Any, ...], ...] = (
    ("fd_read", 3, ALL, 1_025, ALL),
    ("fd_write", 3, ALL, ALL, ALL),
    ("fd_read", 3, ALL, 5, ALL),
    ("fd_read", 1, OTHER, 1, ALL),
    ("fd_read", 1, OTHER, 1, RESULT),
    ("fd_write", 0, ALL, 1, RESULT),
    ("fd_write", 0, OTHER, 1, RESULT),
    ("fd_seek", 3, 0, 0, ALL),
    ("fd_seek", 0, 0, 0, ALL),
    ("fd_fdstat_get", 3, ALL),
    ("fd_fdstat_set_flags", 3, 4),
    ("clock_time_get", 4, 0, ALL),
    ("clock_res_get", 4, ALL),
    ("poll_oneoff", ALL, ALL, 0, ALL),
    ("poll_oneoff", ALL, ALL, 1_025, ALL),
    ("poll_oneoff", OTHER + 8, ALL, 1, RESULT),
    ("poll_oneoff", OTHER + 8, RESULT, 2, RESULT),
)
"""Calls that are wrong in several ways, or in another one than a bad place."""
ERRORS: tuple[tuple[Any, ...], ...] = (
    ("fd_seek", 2, -1, 2, RESULT),
    ("fd_fdstat_set_flags", 1, 0),
    ("fd_fdstat_set_flags", 1, 4),
    ("fd_prestat_get", 3, RESULT),
    ("fd_prestat_dir_name", 3, RESULT, 1),
    ("clock_time_get", 4, 0, RESULT),
    ("clock_res_get", ALL, RESULT),
    ("poll_oneoff", OTHER, RESULT, 1, RESULT),
    ("poll_oneoff", OTHER + 48, RESULT, 1, RESULT),
    ("fd_close", 3),
    ("fd_close", 2),
    ("fd_close", 2),
    ("fd_close", 0),
    ("fd_write", 2, PAIR, 1, RESULT),
    ("fd_read", 0, PAIR, 1, RESULT),
    ("fd_seek", 0, 0, 0, RESULT),
    ("fd_fdstat_get", 2, RESULT),
    ("fd_fdstat_set_flags", 2, 0),
)
"""Calls with a known place and one thing that is wrong, and calls on descriptors that
are closed.
"""
CALL_ROWS = (
    Row(
        "arguments, variables, descriptors, and what does nothing",
        bot(
            notes(
                ("args_sizes_get", BODY + 16, BODY + 20),
                ("args_get", BODY + 24, BODY + 28),
                ("environ_sizes_get", BODY + 32, BODY + 36),
                ("environ_get", ALL, ALL),
                ("fd_fdstat_get", 0, BODY + 40),
                ("fd_fdstat_get", 1, BODY + 64),
                ("fd_fdstat_get", 2, BODY + 88),
                ("sched_yield",),
                ("random_get", SIZE, 0),
            )
            + write(),
            {BODY + 16: GUARD * 96},
            size=112,
        ),
        ask(),
        (("answered", 9 * NOTE + 16 + WRITE + 116),),
    ),
    Row(
        "a place beyond the end of memory: 21, and nothing is read or written",
        bot(
            notes(*FAULTS) + read(60, OTHER + 64) + write(),
            {
                RESULT: GUARD * 20,
                OTHER: pairs((RESULT, 20), (SIZE - 1, 2)) + time(1, 0) + pairs((BODY + 64, 9)),
            },
            size=80,
        ),
        ask(framed(b"whole")),
        (
            (
                "answered",
                19 * NOTE
                + (6 * 2 + 3 + 2 + 2 + 2 + 9 * 4)
                + 4 * 8
                + 8 * 100
                + 3_000
                + (5 + HOST + 100 + 9)
                + WRITE
                + 84,
            ),
        ),
    ),
    Row(
        "the order of checks: what is wrong first decides",
        bot(
            notes(*FIRST_CHECKS) + write(),
            {OTHER: pairs((SIZE, 0)) + descriptor(1, 7) + descriptor(2, 0, 3)},
            size=60,
        ),
        ask(),
        (
            (
                "answered",
                17 * NOTE + (7 * 4 + 2 * 4 + 2 * 2 + 3 + 2 + 4 * 4) + 900 + 3_000 + WRITE + 64,
            ),
        ),
    ),
    Row(
        "errors: 8, 28, 58 and 70",
        bot(
            notes(*ERRORS) + write(),
            {OTHER: time(1, 0, clock=4) + descriptor(1, 0, 3), RESULT: GUARD * 20},
            size=60,
        ),
        ask(framed(b"unread")),
        (
            (
                "answered",
                18 * NOTE
                + (4 + 2 + 2 + 2 + 3 + 3 + 2 + 8 + 4 + 8 + 4 + 2 + 2)
                + 2_000
                + 200
                + WRITE
                + 64,
            ),
        ),
    ),
    Row(
        "1,024 pairs and 1,024 subscriptions",
        bot(
            notes(("fd_read", 0, SIZE, 1_024, BODY + 4), ("fd_write", 1, SIZE, 1_024, BODY + 8))
            + note(2, "poll_oneoff", SIZE, OTHER, 1_024, BODY + 12)
            + write(),
            memory=b"\1\2\2",
            size=16,
        ),
        ask(ticks=2 * PLENTY),
        (("answered", 3 * (NOTE + 4) + 2 * 102_400 + 1_024_000 + WRITE + 20),),
        most_bytes=2 * SIZE,
    ),
    Row(
        "places that overlap",
        bot(
            notes(
                ("fd_read", 0, OTHER, 4, BODY + 28),
                ("args_get", BODY + 40, BODY + 42),
                ("args_sizes_get", BODY + 48, BODY + 49),
                ("poll_oneoff", BODY + 60, BODY + 56, 2, BODY + 84),
            )
            + write(),
            {
                OTHER: pairs((OTHER + 8, 8), (BODY + 20, 6), (BODY + 22, 4), (BODY + 26, 4)),
                BODY + 60: time(1, 0) + time(2, 0),
            },
            size=160,
        ),
        ask(framed(b"0123456789abcdefghij")),
        (("answered", 4 * NOTE + (4 + 2 + 2 + 4) + 400 + 22 + 2_000 + WRITE + 164),),
    ),
    Row(
        "random bytes over the borders of blocks",
        bot(
            notes(
                *(
                    ("random_get", BODY + 8 + at, size)
                    for at, size in ((0, 60), (60, 10), (70, 0), (70, 130))
                )
            )
            + write(),
            size=208,
        ),
        ask(),
        (("answered", 4 * (NOTE + 2) + 4 * 200 + WRITE + 212),),
        key=b"\xff" * 7 + b"\xfe",
    ),
    Row(
        "a place that there is once memory has grown",
        bot(
            note(0, "random_get", SIZE, 4)
            + " i32.const 1 memory.grow drop "
            + note(1, "args_sizes_get", SIZE, SIZE + 4)
            + note(2, "fd_write", 2, PAIR, 1, 2 * SIZE - 4)
            + write(OTHER, count=3),
            {OTHER: pairs((HEAD, 7), (SIZE, 8), (2 * SIZE - 4, 4))},
            memory=b"\1\1\2",
            size=15,
        ),
        ask(),
        (("answered", 3 * NOTE + 8 + 4 * 4 + 12_002 + 100 + 19 + WRITE + 200 + 19),),
        most_bytes=2 * SIZE,
    ),
)
"""All of them."""
