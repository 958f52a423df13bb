"""Batches between the arbiter and a runner of modules, over the runner's stdin and
stdout: items behind one length.

A batch is a u32 length and as many bytes of items. An item is its seat and its kind (a
byte each), ticks (u64), a u32 length and as many bytes. All numbers are big-endian.

The first batch of a table has its LOADs and no answer: a fork server itself carries it
out, before it forks. The runner gives one batch for each of the others. An empty batch
ends the table; it has no answer. The arbiter orders, and ticks are those that a module
may take at most:

    LOAD   make an instance of a module, in which nothing runs; bytes: how many bytes
           its memory may have (u64), the digest of its compiled code (32 bytes), the
           code's path
    OPEN   let a seat begin; bytes: its key of random numbers (u64), how many times as
           much of the processor as in play its ticks may take (u32), whether it has a
           payload (u8), and the payload
    SAY    keep a frame to be read; nothing runs
    ASK    keep a frame, or go on if there are no bytes, and run until a whole frame is
           written
    END    end the input, run to the module's end, and drop it

The runner answers each OPEN, ASK and END with one word, and ticks are those that were
spent. STDERR comes before it, if there is something to tell, and FUNCTION before the
answer to END, if the module counts ticks by function:

    FUNCTION   ticks that were paid in a function; bytes: its name
    ANSWERED   bytes: the frame that was written, if one was asked for
    TIMEOUT    the ticks are used up
    EXITED     bytes: the exit code (u32)
    TRAPPED    bytes: what it did, in a line
    STACK      its calls went too deep; bytes: a line of it
    BACKSTOP   its ticks took too much of the processor
    REFUSED    bytes: why the module cannot be played, in a line

FAILED, of any seat, says that the runner cannot go on; bytes: why.
"""

from _struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Item: TypeAlias = tuple[int, int, int, bytes]

LENGTH, HEAD = Struct(">I"), Struct(">BBQI")
LOADING, _OPENING = Struct(">Q32s"), Struct(">8sI?")
"""What the bytes of a LOAD and of an OPEN begin with."""
LARGEST = 1 << 28
"""Most bytes of a batch."""
PAGE = 65_536
"""Bytes of a page of a module's memory."""
OWN_MEMORY = 40 << 20
"""Bytes that the runner itself takes of the limit on memory, so that a module meets its
own limit first: growing fails, and nothing is killed.
"""
KEPT_CODE = 32 << 20
"""Bytes of compiled code that a fork server keeps beside that of the table's seats."""
OWN_SPACE, SEAT_SPACE = (48 << 20) + KEPT_CODE, 268 << 20
"""Bytes of address space that a runner takes by itself, and for each seat: the module's
memory, its thread's stack, and its messages. Compiled code of the seats comes on top.
"""
FAILED_STATUS, FAILS = 103, "the runner failed: "
"""The exit code of a runner that cannot do its work, and the beginning of its last
line. No module can bring that about.
"""
OPEN, SAY, ASK, END, LOAD = range(5)
STDERR, ANSWERED, TIMEOUT, EXITED, TRAPPED, STACK, BACKSTOP, REFUSED, FUNCTION, FAILED = range(10)


def module_pages(memory: int) -> int:
    """Return how many pages of memory a module may have in an event in ticks, wherever
    it runs: METER.md, section 5.

    memory: the limit of the event, in bytes, by which alone this goes: so growth fails
        at the same page everywhere
    """
    return max(0, memory - OWN_MEMORY) // PAGE


def batch(items: "Iterable[Item]") -> bytes:
    """Return the bytes of a batch of items, each a seat, a kind, ticks and bytes."""
    parts: list[bytes] = []
    for seat, kind, ticks, data in items:
        parts += HEAD.pack(seat, kind, ticks, len(data)), data
    body = b"".join(parts)
    return LENGTH.pack(len(body)) + body


def opening(key: bytes, patience: int, payload: bytes | None = None) -> bytes:
    """Return the bytes of an OPEN. ``payload``: None if the module has none, which b""
    is not.
    """
    return _OPENING.pack(key, patience, payload is not None) + (payload or b"")


def opening_of(data: bytes) -> tuple[bytes, int, bytes | None]:
    """Return what ``opening`` was handed."""
    key, patience, has_payload = _OPENING.unpack_from(data)
    return key, patience, data[_OPENING.size :] if has_payload else None


def missing(data: bytes | bytearray) -> int:
    """Return how many bytes a batch still lacks, negative if there are too many. Raises
    ValueError if it is too large.
    """
    if len(data) < LENGTH.size:
        return LENGTH.size - len(data)
    length: int = LENGTH.unpack_from(data)[0]
    if length > LARGEST:
        raise ValueError(f"a batch of {length:,} bytes")
    return LENGTH.size + length - len(data)


def items_of(data: bytes | bytearray) -> "list[Item]":
    """Return the items of a whole batch. Raises ValueError if they do not fill it."""
    items, at = [], LENGTH.size
    while at < len(data):
        if at + HEAD.size > len(data):
            raise ValueError("an item is cut off")
        seat, kind, ticks, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > len(data):
            raise ValueError("an item is cut off")
        items.append((seat, kind, ticks, bytes(data[at : at + length])))
        at += length
    return items
