"""The functions of WASI preview 1 that a module may call: each checks what it is
handed, and answers with an error number.

A module has descriptors 0, 1 and 2, a clock and random numbers: no files, sockets or
environment. Every number comes from the module, so it may be anything: none is used as
a place in memory before ``span`` has compared it with the memory's end. What lies
behind the descriptors and the clock is a ``System``, so that another clock needs no
other functions.

Descriptor 3 is the payload of a bot that has one. It is answered here from bytes, by
any clock. No ``System`` is ever asked for it, since this process may have a file of its
own behind that number.
"""

import errno
from _struct import Struct, pack_into, unpack_from

from .caller import (
    BADF,
    EVENT,
    INVAL,
    IO,
    NOTSUP,
    PAYLOAD,
    SPIPE,
    STATE,
    SUBSCRIPTION,
    SUCCESS,
    Caller,
    Errno,
    Exit,
    span,
    vectors_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Of the system's errors those that reading or writing a pipe or a file meets.
ERRORS = {
    errno.EAGAIN: 6,
    errno.EBADF: BADF,
    errno.EFBIG: 22,
    errno.EINVAL: INVAL,
    errno.ENOSPC: 51,
    errno.EPIPE: 64,
}
REAL, STEADY, SPENT, SPENT_HERE = 0, 1, 2, 3
ARGUMENT = b"bot\0"
"""The only argument: some languages name themselves by it when they complain."""
MOST_VECTORS = MOST_EVENTS = 1024
PRICE_PAIR, PRICE_SUBSCRIPTION, PRICE_RANDOM_BYTE = 100, 1_000, 4
"""Ticks of a pair of pointer and length, of a subscription, and of a random byte."""
IS_TIME, IS_READ, IS_WRITE = 0, 1, 2
ABSOLUTE = 1
UNKNOWN, FILE = 0, 4
"""Types of a descriptor."""
MAY_READ, MAY_WRITE, MAY_WAIT = 1 << 1, 1 << 6, 1 << 27
LONGEST_WAIT = 86_400 * 1_000_000_000
"""Nanoseconds of one wait at most; a longer one is several."""
_u32, _u64, _event = Struct("<I"), Struct("<Q"), Struct("<QHB5x16x")


# --- descriptors ---


def fd_read(caller: Caller, descriptor: int, vectors: int, count: int, result: int) -> None:
    """Read what there is, and store its size in bytes at ``result``."""
    read = caller.system.read if descriptor != PAYLOAD else caller.read_payload
    _transfer(caller, read, descriptor, vectors, count, result)


def fd_write(caller: Caller, descriptor: int, vectors: int, count: int, result: int) -> None:
    """Write, and store the size that was taken in bytes at ``result``."""
    write = caller.system.write if descriptor != PAYLOAD else _refuse
    _transfer(caller, write, descriptor, vectors, count, result)


def _refuse(_descriptor: int, _views: "Sequence[memoryview]") -> int:
    raise Errno(BADF)


def _transfer(
    caller: Caller,
    do: "Callable[[int, Sequence[memoryview]], int]",
    descriptor: int,
    vectors: int,
    count: int,
    result: int,
) -> None:
    if count > MOST_VECTORS:
        raise Errno(INVAL)
    caller.system.pay(PRICE_PAIR * count)
    caller.must_have(descriptor)
    memory = caller.memory()
    size = span(memory, result, _u32.size)  # before anything is read: what is read must not be lost
    _u32.pack_into(size, 0, do(descriptor, vectors_of(memory, vectors, count)))


def fd_close(caller: Caller, descriptor: int) -> None:
    """Close a descriptor."""
    caller.must_have(descriptor)
    caller.open.remove(descriptor)
    if descriptor != PAYLOAD:
        caller.system.close(descriptor)


def fd_seek(caller: Caller, descriptor: int, _offset: int, _whence: int, _result: int) -> None:
    """Refuse: a pipe has no place to go to, and a payload is read once."""
    caller.must_have(descriptor)
    raise Errno(SPIPE)


def fd_fdstat_get(caller: Caller, descriptor: int, result: int) -> None:
    """Store that a descriptor is of no known type, or a file, without flags, and may be
    read or written, and waited for.
    """
    caller.must_have(descriptor)
    rights = MAY_WAIT | (MAY_READ if descriptor in (0, PAYLOAD) else MAY_WRITE)
    type_ = FILE if descriptor == PAYLOAD else UNKNOWN
    pack_into("<BxH4xQQ", span(caller.memory(), result, STATE), 0, type_, 0, rights, 0)


def fd_fdstat_set_flags(caller: Caller, descriptor: int, flags: int) -> None:
    """Accept that there are no flags, and refuse any."""
    caller.must_have(descriptor)
    if flags:
        raise Errno(NOTSUP)


def fd_prestat_get(_caller: Caller, _descriptor: int, _result: int) -> None:
    """Refuse: there are no folders."""
    raise Errno(BADF)


def fd_prestat_dir_name(_caller: Caller, _descriptor: int, _path: int, _size: int) -> None:
    """Refuse: there are no folders."""
    raise Errno(BADF)


# --- arguments, clocks, chance ---


def args_sizes_get(caller: Caller, count: int, size: int) -> None:
    """Store that there is one argument, and its bytes."""
    _sizes(caller, count, size, 1, len(ARGUMENT))


def args_get(caller: Caller, pointers: int, text: int) -> None:
    """Store the argument at ``text``, and where it is at ``pointers``."""
    memory = caller.memory()
    where, place = span(memory, pointers, _u32.size), span(memory, text, len(ARGUMENT))
    _u32.pack_into(where, 0, text)
    pack_into(f"{len(ARGUMENT)}s", place, 0, ARGUMENT)


def environ_sizes_get(caller: Caller, count: int, size: int) -> None:
    """Store that there are no variables."""
    _sizes(caller, count, size, 0, 0)


def environ_get(_caller: Caller, _pointers: int, _text: int) -> None:
    """Store nothing: there are no variables."""


def _sizes(caller: Caller, count: int, size: int, number: int, length: int) -> None:
    memory = caller.memory()
    places = span(memory, count, _u32.size), span(memory, size, _u32.size)
    for place, value in zip(places, (number, length), strict=True):
        _u32.pack_into(place, 0, value)


def clock_time_get(caller: Caller, clock: int, _precision: int, result: int) -> None:
    """Store the nanoseconds of a clock."""
    _u64.pack_into(span(caller.memory(), result, _u64.size), 0, caller.system.now(_known(clock)))


def clock_res_get(caller: Caller, clock: int, result: int) -> None:
    """Store the nanoseconds of a clock's smallest step."""
    _u64.pack_into(
        span(caller.memory(), result, _u64.size), 0, caller.system.resolution(_known(clock))
    )


def _known(clock: int) -> int:
    if clock > SPENT_HERE:
        raise Errno(INVAL)
    return clock


def random_get(caller: Caller, pointer: int, size: int) -> None:
    """Fill a part of memory with random bytes."""
    caller.system.pay(PRICE_RANDOM_BYTE * size)
    caller.system.random(span(caller.memory(), pointer, size))


def sched_yield(_caller: Caller) -> None:
    """Do nothing: a module has one thread."""


def proc_exit(_caller: Caller, code: int) -> None:
    """End the module."""
    raise Exit(code)


# --- waiting ---


def poll_oneoff(caller: Caller, subscriptions: int, events: int, count: int, result: int) -> None:
    """Wait until a descriptor is ready or a time is over. Store an event for each of
    the ``count`` subscriptions that it ends, in their order, and at ``result`` how
    many.
    """
    if not 0 < count <= MOST_EVENTS:
        raise Errno(INVAL)
    caller.system.pay(PRICE_SUBSCRIPTION * count)
    memory = caller.memory()
    asked = span(memory, subscriptions, count * SUBSCRIPTION)
    answers, number = span(memory, events, count * EVENT), span(memory, result, _u32.size)
    waits = [
        _Wait(caller, asked[at : at + SUBSCRIPTION]) for at in range(0, len(asked), SUBSCRIPTION)
    ]
    reported = _wait(caller, waits)
    for index, wait in enumerate(reported):
        _event.pack_into(answers, index * EVENT, wait.word, wait.error, wait.kind)
    _u32.pack_into(number, 0, len(reported))


class _Wait:
    """A subscription.

    word: the module's own word for it
    kind: ``IS_TIME``, ``IS_READ`` or ``IS_WRITE``
    error: the number that its event carries
    descriptor: what is waited for, None for a time
    until: nanoseconds by the steady clock when it is over, None for a descriptor
    """

    def __init__(self, caller: Caller, data: memoryview) -> None:
        self.word, self.kind = unpack_from("<QB", data)
        self.error, self.descriptor, self.until = SUCCESS, None, None
        if self.kind == IS_TIME:
            clock, time, _precision, flags = unpack_from("<I4xQQH", data, 16)
            begin = caller.system.now(_known(clock))
            self.until = caller.system.now(STEADY) + (
                max(0, time - begin) if flags & ABSOLUTE else time
            )
        elif self.kind in (IS_READ, IS_WRITE):
            self.descriptor = unpack_from("<I", data, 16)[0]
            self.error = SUCCESS if self.descriptor in caller.open else BADF
        else:
            raise Errno(INVAL)


def _wait(caller: Caller, waits: list[_Wait]) -> list[_Wait]:
    """Wait until one or more of the subscriptions are over, and return these."""
    if wrong := [wait for wait in waits if wait.error]:
        return wrong
    descriptors = [wait.descriptor for wait in waits if wait.descriptor not in (None, PAYLOAD)]
    ends = [wait.until for wait in waits if wait.until is not None]
    if any(wait.descriptor == PAYLOAD for wait in waits):
        ends.append(0)  # it is ready, so nothing is waited for
    while True:
        rest = max(0, min(ends) - caller.system.now(STEADY)) if ends else None
        ready = {
            PAYLOAD,
            *caller.system.wait(descriptors, None if rest is None else min(rest, LONGEST_WAIT)),
        }
        now = caller.system.now(STEADY)
        over = [
            wait
            for wait in waits
            if (wait.descriptor in ready if wait.until is None else wait.until <= now)
        ]
        if over:
            return over


# --- the table ---

NAME = "wasi_snapshot_preview1"
FUNCTIONS: "dict[str, Callable[..., None]]" = {
    function.__name__: function
    for function in (
        *(
            args_get,
            args_sizes_get,
            clock_res_get,
            clock_time_get,
            environ_get,
            environ_sizes_get,
            fd_close,
            fd_fdstat_get,
        ),
        *(
            fd_fdstat_set_flags,
            fd_prestat_dir_name,
            fd_prestat_get,
            fd_read,
            fd_seek,
            fd_write,
            poll_oneoff,
            proc_exit,
        ),
        *(random_get, sched_yield),
    )
}


def answer(caller: Caller, name: str, words: "tuple[int, ...]") -> int:
    """Call a function and return its error number. Raises Exit.

    words: its arguments, each a whole number that is not negative
    """
    try:
        FUNCTIONS[name](caller, *words)
    except Errno as refusal:
        return refusal.number
    except OSError as problem:
        return ERRORS.get(problem.errno or 0, IO)
    return SUCCESS
