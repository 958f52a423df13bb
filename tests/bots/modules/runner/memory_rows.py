"""Rows of an event's limit on memory, which is small in each of them: METER.md,
sections 3 and 5.
"""

from runner_rows import HOST, SIZE, Row, ask, bot, end
from wasm import assemble, sized, start, uleb, vector

GROWS_TO = 1 + 2_000 + 1
"""The ticks of one ``memory.grow`` and what stands around it, before its pages."""
REFUSED = ("refused", 0)
AT_ONE = assemble("i32.const 1") + b"\x0b"

MEMORY_ROWS = (
    Row(
        "a first memory as large as the event's limit, which no growth passes",
        bot("i32.const 1 memory.grow drop memory.size $proc_exit", memory=b"\1\2\3"),
        ask(),
        (("exited", GROWS_TO + 10_000 + 1 + HOST),),
        most_bytes=3 * SIZE - 1,
    ),
    Row(
        "a first memory that is a page larger than the event's limit: no order makes the "
        "module run",
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
    Row(
        "data that ends a byte behind the first memory",
        start(
            "",
            sections={
                11: vector([b"\0" + assemble(f"i32.const {SIZE - 1}") + b"\x0b" + sized(b"ab")])
            },
        ),
        ask() + end(),
        (REFUSED, REFUSED),
    ),
    Row(
        "elements that end behind the table",
        start(
            "", sections={4: vector([b"\x70\0\1"]), 9: vector([b"\0" + AT_ONE + vector([uleb(0)])])}
        ),
        ask() + end(),
        (REFUSED, REFUSED),
    ),
)
"""All of them."""
