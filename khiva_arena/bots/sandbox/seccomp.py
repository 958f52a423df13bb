"""The system calls that a bot may make, as a filter program for the kernel (classic
BPF, seccomp(2)).

A call is allowed if calls.py has a row for it. Calls that are refused with an error of
their own stand here: they would get around the other barriers, to other bots or the
host's kernel. Such are sockets, other processes' memory, locks and kernel keys through
which two bots could communicate, and memory that no limit counts. All other calls fail
as on a kernel that lacks them, so that runtimes fall back. Numbers: the kernel's tables
for each machine.
"""

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache

from khiva_arena.bots.sandbox.calls import ABSENT, Row, ranges, rows
from khiva_arena.bots.sandbox.refused_calls import (
    A_THREAD,
    ABOUT_ITSELF,
    ADVICE,
    ATTRIBUTES,
    CHANGES_OF_OWNERS,
    CLONE,
    DATAGRAMS,
    FAMILIES,
    FAST_OPEN,
    FCNTL,
    FILE_FLAGS,
    IOCTL,
    IOCTLS,
    KILLS,
    LEAVING_THE_GROUP,
    LOCKS,
    MADVISE,
    MMAP,
    MODES,
    NEW_NAMESPACES,
    NOT_A_SERVER_S,
    OF_A_DESCRIPTOR,
    OF_A_SOCKET,
    OF_A_STREAM,
    OF_A_TABLE,
    ONLY_SELF,
    OTHER_KILLS,
    OWNERS,
    PAGE_OUT,
    PRCTL,
    REFUSED,
    SENT_BY,
    SET_DEATH_SIGNAL,
    SHARED_AND_ANONYMOUS,
    SIGCONT,
    SIGNAL_OF_CLONE,
    SIGNALLED_BY,
    SOCKET,
    SOCKETPAIR,
    TIMES,
    TYPE,
    WAITING,
    Call,
)

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OWN_PID = 0x7FFFFFFD
"""A placeholder in a program for the number of the process that the program will hold;
see ``KILLS``.
"""

PASTE = 0x541C  # TIOCLINUX: the same at a console

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32 = 0x40000000


def supported() -> bool:
    """Tell whether the call numbers of this machine are known."""
    return platform.machine() in ARCHITECTURES


def number(call: Call | Row, machine: str = "") -> int:
    """Return a call's number on a machine, by default on this one."""
    return int(getattr(call, machine or platform.machine()))


def refused_here() -> dict[str, tuple[int, int]]:
    """Return the calls that every program refuses whatever their arguments: by name,
    the number here and the error.

    Empty on a machine whose numbers are not known.
    """
    calls = {name: call for name, call in REFUSED.items() if supported() and number(call) != ABSENT}
    return {name: (number(call), int(call.error)) for name, call in calls.items()}


def program(
    *,
    may_leave_group: bool = False,
    hold_files: bool = False,
    hold_signals: bool = False,
    network: bool = False,
) -> bytes:
    """Return the filter program for this machine.

    may_leave_group: for builds, whose tools start sessions of their own and lock
        folders
    hold_files: refuse changes of files that are not open for writing; a build may set
        modes and times
    hold_signals: refuse signals to others, OWN_PID to be replaced by the number of the
        bot's first process
    network: allow sockets of the internet's families
    """
    return _program(platform.machine(), may_leave_group, hold_files, hold_signals, network)


@cache
def _program(
    machine: str, build: bool, hold_files: bool, hold_signals: bool, network: bool
) -> bytes:
    refusals = dict(REFUSED)
    for_builds = LEAVING_THE_GROUP | TIMES | CHANGES_OF_OWNERS | WAITING
    if build:
        del refusals[
            "flock"
        ]  # cargo and go build nothing without; when a build runs no deal is known yet
        for_builds["flock"] = REFUSED["flock"]
    else:
        refusals |= for_builds
    if hold_files:
        refusals |= ATTRIBUTES | CHANGES_OF_OWNERS | ({} if build else MODES)
    if hold_signals:
        refusals |= OTHER_KILLS
    if network:
        del refusals["socket"]
    steps = _beginning(machine)
    if machine == "x86_64":
        steps += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _FAIL | errno.ENOSYS)]
    for call in _known_calls(refusals.values(), machine):
        steps += [_step(_EQUAL, number(call, machine), 0, 1), _step(_RETURN, _FAIL | call.error)]
    steps += _if(
        CLONE,
        machine,
        [_argument(0), _step(_ANY_BIT, NEW_NAMESPACES, 0, 1), _step(_RETURN, _FAIL | errno.EPERM)],
    )
    if not build:
        steps += _holding_still(machine)
    steps += _if(
        FCNTL,
        machine,
        [
            _argument(1),
            *_refuse_each((*LOCKS, *OWNERS)),
            *_allow_only(OF_A_DESCRIPTOR, errno.EINVAL),
        ],
    )
    steps += _if(
        IOCTL,
        machine,
        [_argument(1), *_refuse_each((*IOCTLS, *(FILE_FLAGS if hold_files else ())))],
    )
    if not build:
        streams = (*OF_A_STREAM, *(OF_A_SOCKET if network else ()))
        steps += _if(IOCTL, machine, [_argument(1), *_allow_only(streams, errno.ENOTTY)])
    steps += _if(SOCKETPAIR, machine, [_argument(1), _step(_AND, TYPE), *_refuse_each(DATAGRAMS)])
    if network:
        steps += _if(SOCKET, machine, [_argument(0), *_allow_only(FAMILIES, SOCKET.error)])
    for call in ONLY_SELF.values():
        steps += _if(
            call,
            machine,
            [_argument(0), _step(_EQUAL, 0, 1, 0), _step(_RETURN, _FAIL | errno.EPERM)],
        )
    if hold_signals:
        for call in KILLS.values():
            steps += _if(call, machine, [_argument(0), *_allow_only((0, OWN_PID))])
    for call in _known_calls(for_builds.values(), machine) if build else ():
        steps += [_step(_EQUAL, number(call, machine), 0, 1), _step(_RETURN, _ALLOW)]
    return b"".join([*steps, *_allow_ranges(machine)])


@cache
def of_a_table() -> bytes:
    """Return the filter program of a process that runs modules and nothing else, for
    this machine.
    """
    machine = platform.machine()
    numbers = [number(call, machine) for name, call in rows().items() if name in OF_A_TABLE]
    steps = _beginning(machine)
    for allowed in (*numbers, number(WAITING["sched_yield"], machine)):
        steps += [_step(_EQUAL, allowed, 0, 1), _step(_RETURN, _ALLOW)]
    return b"".join([*steps, *_only_threads(machine), _step(_RETURN, _FAIL | errno.EPERM)])


@cache
def of_a_server() -> bytes:
    """Return the filter program of a server of ours that has opened what it needs, for
    this machine.
    """
    machine = platform.machine()
    steps = _beginning(machine)
    refusals = (
        {name: call for name, call in REFUSED.items() if name != "clone3"}
        | NOT_A_SERVER_S
        | KILLS
        | OTHER_KILLS
    )
    for call in _known_calls(refusals.values(), machine):
        steps += [_step(_EQUAL, number(call, machine), 0, 1), _step(_RETURN, _FAIL | call.error)]
    for call, flags in SENT_BY.values():
        steps += _if(
            call,
            machine,
            [
                _argument(flags),
                _step(_ANY_BIT, FAST_OPEN, 0, 1),
                _step(_RETURN, _FAIL | errno.EPERM),
            ],
        )
    steps += _if(SOCKETPAIR, machine, [_argument(1), _step(_AND, TYPE), *_refuse_each(DATAGRAMS)])
    steps += _if(FCNTL, machine, [_argument(1), *_refuse_each(OWNERS)])
    steps += _if(IOCTL, machine, [_argument(1), *_refuse_each((*IOCTLS, PASTE))])
    return b"".join([*steps, *_only_threads(machine), *_allow_ranges(machine)])


def _beginning(machine: str) -> list[bytes]:
    """Return the steps that end a program of another machine, and load the number of
    the call.
    """
    return [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]


def _only_threads(machine: str) -> list[bytes]:
    """Return the steps for a process that may begin threads, and no process."""
    refused = _step(_RETURN, _FAIL | errno.EPERM)
    steps = _if(
        CLONE,
        machine,
        [_argument(0), _step(_ANY_BIT, A_THREAD, 0, 1), _step(_RETURN, _ALLOW), refused],
    )
    clone3 = REFUSED["clone3"]
    return [
        *steps,
        _step(_EQUAL, number(clone3, machine), 0, 1),
        _step(_RETURN, _FAIL | clone3.error),
    ]


def _known_calls(calls: Iterable[Call], machine: str) -> list[Call]:
    return [call for call in calls if number(call, machine) != ABSENT]


def _allow_ranges(machine: str) -> list[bytes]:
    """Return steps that allow the calls of calls.py, and let every other one fail as on
    a kernel that lacks it.
    """
    missing = _step(_RETURN, _FAIL | errno.ENOSYS)
    steps: list[bytes] = []
    for first, last in ranges(machine):
        steps += [
            _step(_AT_LEAST, last + 1, 3, 0),
            _step(_AT_LEAST, first, 0, 1),
            _step(_RETURN, _ALLOW),
            missing,
        ]
    return [*steps, missing]


def _holding_still(machine: str) -> list[bytes]:
    """Return steps for a bot but not a build: it may not wake itself, outlive the
    arbiter, or have memory that nobody counts.
    """
    calls = KILLS | OTHER_KILLS
    steps = _if(
        CLONE, machine, [_argument(0), _step(_AND, SIGNAL_OF_CLONE), *_refuse_each((SIGCONT,))]
    )
    for name, index in SIGNALLED_BY.items():
        steps += _if(calls[name], machine, [_argument(index), *_refuse_each((SIGCONT,))])
    steps += _if(
        PRCTL,
        machine,
        [
            _argument(0),
            *_refuse_each((SET_DEATH_SIGNAL,)),
            *_allow_only(ABOUT_ITSELF, errno.EINVAL),
        ],
    )
    steps += _if(
        MADVISE,
        machine,
        [_argument(2), *_refuse_each((PAGE_OUT,)), *_allow_only(ADVICE, errno.EINVAL)],
    )
    shared = [
        _argument(3),
        _step(_AND, SHARED_AND_ANONYMOUS),
        *_refuse_each((SHARED_AND_ANONYMOUS,), errno.ENOMEM),
    ]
    return steps + _if(MMAP, machine, shared)


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)


def _argument(index: int) -> bytes:
    """Return the step that loads the low half of an argument, the only half that these
    calls look at. Both machines keep it first.
    """
    return _step(_LOAD, _ARGUMENTS + 8 * index)


def _if(call: Call, machine: str, body: list[bytes]) -> list[bytes]:
    """Return ``body`` for this call alone; behind it the call's number is loaded
    again.
    """
    return [_step(_EQUAL, number(call, machine), 0, len(body) + 1), *body, _step(_LOAD, _NUMBER)]


def _refuse_each(values: Iterable[int], error: int = errno.EPERM) -> list[bytes]:
    steps: list[bytes] = []
    for value in values:
        steps += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _FAIL | error)]
    return steps


def _allow_only(values: Iterable[int], error: int = errno.EPERM) -> list[bytes]:
    steps: list[bytes] = []
    for value in values:
        steps += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW)]
    return [*steps, _step(_RETURN, _FAIL | error)]
