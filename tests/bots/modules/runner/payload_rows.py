"""Rows of a payload, which is read from descriptor 3: METER.md, sections 11 and 15."""

from golden import framed
from runner_rows import (
    ALL,
    BODY,
    FRAME,
    HOST,
    NOTE,
    OTHER,
    OTHER_FRAME,
    SIZE,
    WRITE,
    Row,
    ask,
    bot,
    call,
    descriptor,
    note,
    notes,
    pairs,
    time,
    write,
)

GUARD = b"\x5a"
RESULT = BODY + 28
"""Where calls of which only the error number is shown put their results."""
LONGEST = (1 << 64) - 1
READ = 5 + HOST + 100
"""The ticks of a read of one pair whose error number is dropped, before its bytes."""


def read(place: int, pointer: int = OTHER, *, of: int = 3) -> str:
    """Return the code that reads into one pair; the count of bytes is at ``place`` of
    the answer.
    """
    return call("fd_read", of, pointer, 1, BODY + place) + " drop\n"


PAYLOAD_ROWS = (
    Row(
        "a payload: in parts, without room, to its end, and descriptor 3 in each call",
        bot(
            notes(
                ("fd_fdstat_get", 3, BODY + 32),
                ("fd_prestat_get", 3, RESULT),
                ("fd_prestat_dir_name", 3, RESULT, 1),
                ("fd_read", 3, OTHER, 3, BODY + 16),
                ("fd_read", 3, OTHER + 8, 1, BODY + 20),
                ("fd_read", 3, OTHER + 24, 1, BODY + 24),
                ("fd_write", 3, OTHER + 24, 1, RESULT),
                ("fd_seek", 3, 0, 0, RESULT),
                ("fd_fdstat_set_flags", 3, 0),
                ("fd_fdstat_set_flags", 3, 1),
                ("fd_read", 3, OTHER + 24, 1, RESULT),
                ("fd_close", 3),
                ("fd_close", 3),
                ("fd_read", 3, OTHER + 24, 1, ALL),
                ("fd_seek", 3, 0, 0, ALL),
                ("fd_fdstat_get", 3, ALL),
            )
            + write(),
            {
                BODY + 16: GUARD * 84,
                OTHER: pairs((BODY + 56, 4), (0, 0), (BODY + 62, 3), (BODY + 68, 20)),
            },
            size=100,
        ),
        ask(ticks=2_000_000),
        (
            (
                "answered",
                16 * NOTE
                + (2 + 2 + 3 + 3 * 4 + 4 + 4 + 2 + 2 + 4 + 1 + 1 + 4 + 4 + 2)
                + 800
                + 10
                + WRITE
                + 104,
            ),
        ),
        payload=b"0123456789",
    ),
    Row(
        "a payload of two frames is read at once, and the input beside it, which may be empty",
        bot(
            f"loop {read(0)} {read(4, OTHER + 8, of=0)} {read(8)} {write()} br 0 end",
            {OTHER: pairs((BODY + 12, 30), (BODY + 42, 4))},
            size=60,
        ),
        ask(FRAME) + ask(framed(b"")),
        (
            ("answered", 3 * READ + len(FRAME + OTHER_FRAME) + 4 + WRITE + 64),
            ("answered", 2 + 3 * READ + 4 + WRITE + 64),
        ),
        payload=FRAME + OTHER_FRAME,
    ),
    Row(
        "a payload whose bytes are just paid, then a tick less",
        bot(f"loop {read(0)} {write()} br 0 end", {OTHER: pairs((BODY + 4, 20))}, size=24),
        ask(ticks=READ + 20 + WRITE + 28)
        + ask(ticks=2 + READ + 9 + WRITE + 28)
        + ask(ticks=2 + READ + 10),
        (
            ("answered", READ + 20 + WRITE + 28),
            ("answered", 2 + READ + 9 + WRITE + 28),
            ("timeout", 2 + READ + 10),
        ),
        payload=bytes(range(29)),
    ),
    Row(
        "a payload whose bytes cannot be paid",
        bot(read(0), {OTHER: pairs((BODY + 4, 20))}, size=24),
        ask(ticks=READ + 19),
        (("timeout", READ + 19),),
        payload=bytes(range(29)),
    ),
    Row(
        "a payload and the order of checks: what is refused reads nothing",
        bot(
            notes(
                ("fd_read", 3, ALL, 1_025, ALL),
                ("fd_read", 3, OTHER, 1, SIZE - 3),
                ("fd_read", 3, SIZE - 7, 1, RESULT),
                ("fd_read", 3, OTHER, 2, RESULT),
                ("fd_write", 3, OTHER, 2, RESULT),
                ("fd_write", 3, OTHER, 1, ALL),
                ("fd_fdstat_get", 3, SIZE - 23),
                ("fd_read", 3, OTHER, 1, BODY + 16),
            )
            + write(),
            {RESULT: GUARD * 4, OTHER: pairs((BODY + 32, 9), (SIZE - 1, 2))},
            size=48,
        ),
        ask(),
        (("answered", 8 * NOTE + 7 * 4 + 2 + 800 + 8 + WRITE + 52),),
        payload=b"a little",
    ),
    Row(
        "an empty payload",
        bot(
            notes(
                ("fd_fdstat_get", 3, BODY + 8), ("fd_read", 3, OTHER, 1, BODY + 4), ("fd_close", 3)
            )
            + write(),
            {BODY + 4: GUARD * 40, OTHER: pairs((BODY + 32, 9))},
            size=48,
        ),
        ask(),
        (("answered", 3 * NOTE + 2 + 4 + 1 + 100 + WRITE + 52),),
        payload=b"",
    ),
    Row(
        "poll for a payload: it is ready, at its end too, until it is closed",
        bot(
            read(0)
            + note(4, "poll_oneoff", OTHER + 8, BODY + 12, 4, BODY + 8)
            + note(5, "fd_close", 3)
            + note(6, "poll_oneoff", OTHER + 8, BODY + 112, 4, BODY + 108)
            + write(),
            {
                OTHER: pairs((BODY + 12, 9))
                + descriptor(1, 3)
                + time(2, LONGEST)
                + time(3, 0)
                + descriptor(4, 3, 2)
            },
            size=176,
        ),
        ask(),
        (("answered", READ + 2 + 3 * NOTE + 4 + 1 + 4 + 8_000 + WRITE + 180),),
        payload=b"ab",
    ),
    Row(
        "without a payload descriptor 3 is not open",
        bot(
            notes(
                ("fd_read", 3, OTHER, 1, ALL),
                ("fd_write", 3, OTHER, 1, ALL),
                ("fd_close", 3),
                ("fd_seek", 3, 0, 0, ALL),
                ("fd_fdstat_get", 3, ALL),
                ("fd_fdstat_set_flags", 3, 1),
                ("poll_oneoff", OTHER, BODY + 12, 2, BODY + 8),
            )
            + write(),
            {OTHER: descriptor(1, 3) + time(2, 0)},
            size=48,
        ),
        ask(),
        (("answered", 7 * NOTE + (4 + 4 + 1 + 4 + 2 + 2 + 4) + 200 + 2_000 + WRITE + 52),),
    ),
)
"""All of them."""
