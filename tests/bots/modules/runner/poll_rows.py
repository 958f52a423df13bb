"""Rows of ``poll_oneoff``, and of time that is up within a call."""

from golden import framed
from runner_rows import (
    ALL,
    BODY,
    HOST,
    NOTE,
    OTHER,
    PLENTY,
    WRITE,
    Row,
    ask,
    bot,
    call,
    descriptor,
    note,
    notes,
    pairs,
    read,
    time,
    write,
)

LONGEST = (1 << 64) - 1


def poll(place: int, count: int, *, of: int = OTHER) -> tuple[int, str, int, int, int, int]:
    """Return the words of a ``note`` of a poll: its count of events is 4 bytes behind
    its error number, the events are 8.
    """
    return place, "poll_oneoff", of, BODY + place + 8, count, BODY + place + 4


POLL_ROWS = (
    Row(
        "poll for times: the earliest is waited for",
        bot(
            note(*poll(0, 3)) + note(120, "clock_time_get", 0, 0, BODY + 124) + write(),
            {OTHER: time(1, 5_000) + time(2, 1_000, clock=0) + time(3, 1_000, clock=3)},
            size=132,
        ),
        ask(),
        (("answered", NOTE + 4 + 3_000 + 10_000 + NOTE + 3 + WRITE + 136),),
    ),
    Row(
        "poll for absolute times, ahead and past",
        bot(
            note(*poll(0, 1)) + note(*poll(40, 2, of=OTHER + 48)) + write(),
            {OTHER: time(1, 100_000, absolute=True) + time(2, LONGEST) + time(3, 1, absolute=True)},
            size=80,
        ),
        ask(ticks=2 * PLENTY),
        # The first poll pays 1 + 4 + HOST + 1,000 = 21,013 ticks, so it waits from
        # 2,101 on.
        (("answered", 2 * (NOTE + 4) + 3_000 + (100_000 - 2_101) * 10 + WRITE + 84),),
    ),
    Row(
        "poll for descriptors and times: nothing is waited for",
        bot(
            note(*poll(0, 5)) + note(*poll(140, 2, of=OTHER + 4 * 48)) + write(),
            {
                OTHER: b"".join(
                    (
                        descriptor(1, 2),
                        time(2, 0),
                        time(3, LONGEST),
                        descriptor(4, 1, 2),
                        descriptor(5, 0, 2),
                    )
                )
                + time(6, LONGEST)
            },
            size=182,
        ),
        ask(),
        (("answered", 2 * (NOTE + 4) + 7_000 + WRITE + 186),),
    ),
    Row(
        "poll for descriptors that are not open: their events are all",
        bot(
            call("fd_close", 2) + " drop " + note(*poll(0, 4)) + write(),
            {
                OTHER: descriptor(1, 0)
                + descriptor(2, 2, 2)
                + time(3, 0)
                + descriptor(4, 0xFFFF_FFFF)
            },
            size=80,
        ),
        ask(),
        (("answered", 1 + HOST + 1 + NOTE + 4 + 4_000 + WRITE + 84),),
    ),
    Row(
        "time up in poll, for a time",
        bot(note(*poll(0, 1)) + write(), {OTHER: time(1, LONGEST)}, size=40),
        ask(ticks=1 << 50) + ask(),
        (("timeout", 1 << 50), ("timeout", 0)),
    ),
    Row(
        "time up in poll, for subscriptions in no place",
        bot(notes(("poll_oneoff", ALL, ALL, 1_000, ALL)) + write(), size=1),
        ask(ticks=PLENTY),
        (("timeout", PLENTY),),
    ),
    Row(
        "time up in random_get, in no place",
        bot(notes(("random_get", ALL, ALL)) + write(), size=1),
        ask(),
        (("timeout", PLENTY),),
    ),
    Row(
        "time up in fd_write, for pairs of a descriptor that is not open",
        bot(notes(("fd_write", 7, ALL, 1_000, ALL)) + write(), size=1),
        ask(ticks=100_000),
        (("timeout", 100_000),),
    ),
    Row(
        "time up in fd_write, for bytes on stderr",
        bot(write(OTHER, to=2) * 2, {OTHER: pairs((OTHER, 100))}),
        ask(ticks=2 * (WRITE + 100)),
        (("timeout", 2 * (WRITE + 100)),),
    ),
    Row(
        "time up in fd_read, for bytes",
        bot(read(0) + write(), {OTHER: pairs((BODY, 1_000))}, size=1),
        ask(framed(bytes(10_000)), ticks=21_111),
        (("timeout", 21_111),),
    ),
)
"""All of them."""
