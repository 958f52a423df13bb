"""Rows of questions with 0 ticks: they run nothing, end nothing, and lose no frame."""

from golden import framed
from runner_rows import (
    ASK,
    BODY,
    END,
    FRAME,
    HOST,
    OTHER,
    OTHER_FRAME,
    WRITE,
    Row,
    ask,
    bot,
    end,
    pairs,
    read,
    text,
    write,
)

ZERO_ROWS = (
    Row(
        "the frame of a question with 0 ticks is read in the next one",
        bot(
            read(0) + read(4, OTHER + 8) + write(),
            {OTHER: pairs((BODY + 8, 20), (BODY + 28, 20))},
            size=48,
        ),
        ((ASK, 0, framed(b"first")), *ask(framed(b"second"))),
        (("timeout", 0), ("answered", (5 + HOST + 100 + 9) + (5 + HOST + 100 + 10) + WRITE + 52)),
    ),
    Row(
        "with 0 ticks a frame that lies there and a module that has ended answer as with more",
        bot(write(OTHER), text(FRAME + OTHER_FRAME)),
        (*ask(), (ASK, 0, b""), (ASK, 0, b""), *ask(), (ASK, 0, b"")),
        (
            ("answered", WRITE + 9 + 7),
            ("answered", 0),
            ("timeout", 0),
            ("exited", 1),
            ("exited", 0),
        ),
    ),
    Row(
        "an end with 0 ticks runs nothing and ends nothing",
        bot(write(OTHER), text(FRAME)),
        ((END, 0, b""), *end(), *ask()),
        (("answered", 0), ("answered", WRITE + 9), ("answered", 0)),
    ),
)
"""All of them."""
