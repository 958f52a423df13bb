"""Rows of an event's limit on memory, which is small in each of them: METER.md, sections 3 and 5."""

from runner_rows import HOST, SIZE, Row, ask, bot, end

GROWS_TO = 1 + 2_000 + 1
"""The ticks of one ``memory.grow`` and what stands around it, before its pages."""
REFUSED = ("refused", 0)

MEMORY_ROWS = (
    Row(
        "a first memory as large as the event's limit, which no growth passes",
        bot("i32.const 1 memory.grow drop memory.size $proc_exit", memory=b"\1\2\3"),
        ask(),
        (("exited", GROWS_TO + 10_000 + 1 + HOST),),
        most_bytes=3 * SIZE - 1,
    ),
    Row(
        "a first memory that is a page larger than the event's limit: no order makes the module run",
        bot("i32.const 0 $proc_exit", memory=b"\1\3\3"),
        ask(b"\0\0\0\1x", b"\0\0\0\1x") + ask(ticks=0) + ask() + end(),
        (REFUSED, REFUSED, REFUSED, REFUSED),
        most_bytes=3 * SIZE - 1,
    ),
    Row(
        "an event that leaves no page, and a first memory without one",
        bot("i32.const 1 memory.grow drop memory.size $proc_exit", memory=b"\1\0\2"),
        ask(),
        (("exited", GROWS_TO + 10_000 + 1 + HOST),),
        most_bytes=SIZE - 1,
    ),
    Row(
        "an event that leaves no page, and a first memory of one",
        bot("i32.const 0 $proc_exit"),
        ask() + end(),
        (REFUSED, REFUSED),
        most_bytes=0,
    ),
)
"""All of them."""
