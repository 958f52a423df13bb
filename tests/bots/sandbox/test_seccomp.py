"""The filter program, run by an interpreter of classic BPF for both machines, against a
model written from the other side; and by the kernel itself.
"""

import errno
import json
import platform
import re
import struct
import subprocess
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from levels import KEEPING, python_at
from tools import lacks, need

from khiva_arena.bots.sandbox import calls, refused_calls, seccomp
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.slow

ALLOW, KILL = "allow", "kill"
MACHINES = pytest.mark.parametrize("machine", list(seccomp.ARCHITECTURES))
OWN = 4242
Answer = str | int


def answer(
    program: bytes, number: int, arguments: Sequence[int] = (), architecture: int = 0
) -> Answer:
    """What the kernel does with a call: ``ALLOW``, ``KILL``, or the error it fails
    with.
    """
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(word & (1 << 64) - 1 for word in words))
    steps = _steps(program)
    loaded = at = 0
    while True:
        code, if_so, if_not, value = steps[at]
        at += 1
        if code == 0x20:  # load a word
            loaded = struct.unpack_from("=I", data, value)[0]
        elif code == 0x15:  # jump if equal
            at += if_so if loaded == value else if_not
        elif code == 0x35:  # jump if at least
            at += if_so if loaded >= value else if_not
        elif code == 0x45:  # jump if any of these bits
            at += if_so if loaded & value else if_not
        elif code == 0x54:  # and
            loaded &= value
        elif code == 0x06:  # return
            return ALLOW if value == 0x7FFF0000 else KILL if value == 0x80000000 else _error(value)
        else:
            raise AssertionError(f"no such step: {code:#x}")


@cache
def _steps(program: bytes) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("=HBBI", program))


def _error(value: int) -> int:
    assert value & 0xFFFF0000 == 0x00050000, hex(value)
    return value & 0xFFFF


def made(monkeypatch: pytest.MonkeyPatch, machine: str, **how: bool) -> bytes:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    program = seccomp.program(**how)
    return program.replace(struct.pack("=I", seccomp.OWN_PID), struct.pack("=I", OWN))


HELD = refused_calls.MODES | refused_calls.ATTRIBUTES
NOTES = refused_calls.TIMES | refused_calls.CHANGES_OF_OWNERS
NEVER = (
    refused_calls.REFUSED | refused_calls.LEAVING_THE_GROUP | refused_calls.WAITING | NOTES | HELD
)


@MACHINES
def test_each_refused_call_fails_with_its_error(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    program = made(monkeypatch, machine)
    architecture = seccomp.ARCHITECTURES[machine]
    refused = {
        name: call
        for name, call in NEVER.items()
        if name not in HELD and getattr(call, machine) != seccomp.ABSENT
    }
    found = {
        name: answer(program, getattr(call, machine), (1,), architecture)
        for name, call in refused.items()
    }
    assert found == {name: call.error for name, call in refused.items()}
    assert len({getattr(call, machine) for call in refused.values()}) == len(refused)


@MACHINES
def test_builds_may_leave_their_group_and_lock_files(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    architecture = seccomp.ARCHITECTURES[machine]
    bot, build = made(monkeypatch, machine), made(monkeypatch, machine, may_leave_group=True)
    for call in (
        *refused_calls.LEAVING_THE_GROUP.values(),
        *refused_calls.WAITING.values(),
        refused_calls.REFUSED["flock"],
    ):
        assert answer(bot, getattr(call, machine), (), architecture) != ALLOW
        assert answer(build, getattr(call, machine), (), architecture) == ALLOW


@MACHINES
def test_files_are_held_where_nothing_else_does_it(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    architecture = seccomp.ARCHITECTURES[machine]
    free, held = made(monkeypatch, machine), made(monkeypatch, machine, hold_files=True)
    build = made(monkeypatch, machine, hold_files=True, may_leave_group=True)
    free_build = made(monkeypatch, machine, may_leave_group=True)
    for name, call in (HELD | NOTES).items():
        if (number := getattr(call, machine)) == seccomp.ABSENT:
            continue
        assert answer(free, number, (), architecture) == (errno.EPERM if name in NOTES else ALLOW)
        assert answer(held, number, (), architecture) == errno.EPERM
        by_build = name not in refused_calls.ATTRIBUTES | refused_calls.CHANGES_OF_OWNERS
        assert answer(build, number, (), architecture) == (ALLOW if by_build else errno.EPERM)
        assert answer(free_build, number, (), architecture) == ALLOW
    ioctl = getattr(refused_calls.IOCTL, machine)
    for command in refused_calls.FILE_FLAGS:
        assert answer(free, ioctl, (3, command), architecture) == errno.ENOTTY
        assert answer(free_build, ioctl, (3, command), architecture) == ALLOW
        assert (
            answer(held, ioctl, (3, command), architecture)
            == answer(build, ioctl, (3, command), architecture)
            == errno.EPERM
        )


@MACHINES
@pytest.mark.parametrize("architecture", [0x40000003, 0x40000028, 0, 0xC00000F3])
def test_calls_of_another_architecture_kill(
    monkeypatch: pytest.MonkeyPatch, machine: str, architecture: int
) -> None:
    assert answer(made(monkeypatch, machine), 1, (), architecture) == KILL


def test_the_other_numbering_of_x86_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    program, architecture = made(monkeypatch, "x86_64"), seccomp.ARCHITECTURES["x86_64"]
    for number in (0x40000000, 0x40000000 + 41, 0xFFFFFFFF):
        assert answer(program, number, (), architecture) == errno.ENOSYS
    assert answer(program, 0, (), architecture) == ALLOW


@MACHINES
def test_a_call_is_refused_for_what_it_is_asked(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    program, architecture = made(monkeypatch, machine), seccomp.ARCHITECTURES[machine]

    def ask(call: refused_calls.Call, *arguments: int) -> Answer:
        return answer(program, getattr(call, machine), arguments, architecture)

    namespaces = (
        0x80,
        0x20000,
        0x02000000,
        0x04000000,
        0x08000000,
        0x10000000,
        0x20000000,
        0x40000000,
    )
    assert [ask(refused_calls.CLONE, flag | 17) for flag in namespaces] == [errno.EPERM] * len(
        namespaces
    )
    threads_of_glibc = 0x3D0F00
    assert (
        ask(refused_calls.CLONE, threads_of_glibc) == ask(refused_calls.CLONE, 0x01200011) == ALLOW
    )
    assert [
        ask(refused_calls.FCNTL, 0, command) for command in (6, 7, 8, 15, 37, 38, 1024, 1026)
    ] == [errno.EPERM] * 8
    assert [ask(refused_calls.FCNTL, 6, command) for command in (0, 1, 2, 3, 4, 9, 1030, 1031)] == [
        ALLOW
    ] * 8
    hint = 1036  # of how long a file lives: whoever opens it may read it
    assert [
        ask(refused_calls.FCNTL, 6, command) for command in (5, 36, 1025, hint - 1, hint, 1 << 20)
    ] == [errno.EINVAL] * 6
    assert [ask(refused_calls.IOCTL, 0, command) for command in refused_calls.IOCTLS] == [
        errno.EPERM
    ] * 3
    assert [ask(refused_calls.IOCTL, 0x8901, command) for command in (0x5401, 0x5413, 0x541B)] == [
        ALLOW
    ] * 3
    add_a_key, clone_a_file, unlock_a_terminal = 0xC0506617, 0x40049409, 0x40045431
    assert [
        ask(refused_calls.IOCTL, 3, command)
        for command in (add_a_key, clone_a_file, unlock_a_terminal)
    ] == [errno.ENOTTY] * 3
    assert [ask(refused_calls.PRCTL, what) for what in (15, 38, 0x53564D41)] == [ALLOW] * 3
    assert [ask(refused_calls.PRCTL, what) for what in (35, 62, 67, 1000)] == [
        errno.EINVAL
    ] * 4  # 62: who may share a core with it
    assert [ask(refused_calls.MADVISE, 0, 4096, advice) for advice in (4, 8, 14)] == [ALLOW] * 3
    assert [ask(refused_calls.MADVISE, 0, 4096, advice) for advice in (12, 20, 100, 1000)] == [
        errno.EINVAL
    ] * 4  # 12: merged with others'
    for name, call in refused_calls.ONLY_SELF.items():
        if name in refused_calls.WAITING:
            continue
        assert ask(call, 0, OWN) == ALLOW
        assert ask(call, OWN) == ask(call, 1) == errno.EPERM
        assert ask(call, 1 << 32) == ALLOW  # the kernel looks at the low half alone


@MACHINES
def test_a_bot_may_not_wake_itself_outlive_the_arbiter_or_take_what_nobody_counts(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    architecture = seccomp.ARCHITECTURES[machine]
    bot, build = made(monkeypatch, machine), made(monkeypatch, machine, may_leave_group=True)
    asked = [
        (refused_calls.KILLS["kill"], (0, 18), errno.EPERM),
        (refused_calls.KILLS["tgkill"], (OWN, OWN, 18), errno.EPERM),
        (refused_calls.OTHER_KILLS["tkill"], (OWN, 18), errno.EPERM),
        (refused_calls.OTHER_KILLS["rt_sigqueueinfo"], (OWN, 18), errno.EPERM),
        (refused_calls.OTHER_KILLS["rt_tgsigqueueinfo"], (OWN, OWN, 18), errno.EPERM),
        (refused_calls.CLONE, (18,), errno.EPERM),
        (refused_calls.PRCTL, (1, 0), errno.EPERM),
        (refused_calls.MADVISE, (0, 4096, 21), errno.EPERM),
        (refused_calls.MMAP, (0, 4096, 3, 0x21), errno.ENOMEM),
    ]
    for call, words, error in asked:
        number = getattr(call, machine)
        assert answer(bot, number, words, architecture) == error
        assert answer(build, number, words, architecture) == ALLOW
    assert (
        answer(bot, getattr(refused_calls.MMAP, machine), (0, 4096, 3, 0x22), architecture) == ALLOW
    )
    assert answer(bot, getattr(refused_calls.KILLS["kill"], machine), (0, 9), architecture) == ALLOW


@MACHINES
def test_where_nothing_else_does_it_holds_signals_in(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    held, free = made(monkeypatch, machine, hold_signals=True), made(monkeypatch, machine)
    architecture = seccomp.ARCHITECTURES[machine]
    for call in refused_calls.KILLS.values():
        number = getattr(call, machine)
        assert [answer(held, number, (pid,), architecture) for pid in (0, OWN)] == [ALLOW, ALLOW]
        assert [answer(held, number, (pid,), architecture) for pid in (1, OWN + 1, -1, -OWN)] == [
            errno.EPERM
        ] * 4
        assert answer(free, number, (1,), architecture) == ALLOW
    for call in refused_calls.OTHER_KILLS.values():
        assert answer(held, getattr(call, machine), (OWN,), architecture) == errno.EPERM
        assert answer(free, getattr(call, machine), (1,), architecture) == ALLOW


@MACHINES
def test_a_network_is_the_internets_sockets_and_no_others(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    program, closed = made(monkeypatch, machine, network=True), made(monkeypatch, machine)
    architecture = seccomp.ARCHITECTURES[machine]
    number = getattr(refused_calls.SOCKET, machine)
    families = {family: answer(program, number, (family, 1), architecture) for family in range(64)}
    assert {family for family, found in families.items() if found == ALLOW} == {2, 10}
    assert {found for found in families.values() if found != ALLOW} == {errno.EAFNOSUPPORT}
    assert answer(closed, number, (2, 1), architecture) == errno.EAFNOSUPPORT
    pair = getattr(refused_calls.SOCKETPAIR, machine)
    for one in (program, closed):
        types = [answer(one, pair, (1, kind | 0o2000000), architecture) for kind in (1, 2, 3, 5)]
        assert types == [ALLOW, errno.EPERM, errno.EPERM, ALLOW]
    every = [call for name, call in NEVER.items() if name not in HELD and name != "socket"]
    every = [call for call in every if getattr(call, machine) != seccomp.ABSENT]
    assert [answer(program, getattr(call, machine), (1,), architecture) for call in every] == [
        call.error for call in every
    ]


def model(machine: str, number: int, words: Sequence[int], hold: bool, files: bool) -> Answer:
    """The decision, call by call, as one would say it."""
    first, second, third, fourth = words
    by_number = {getattr(call, machine): (name, call) for name, call in every_call().items()}
    if machine == "x86_64" and number >= 1 << 30:
        return errno.ENOSYS
    name, call = by_number.get(number, ("", None))
    if name in HELD:
        return errno.EPERM if files else ALLOW
    if name in NEVER:
        return call.error if call else ALLOW
    if name == "mmap":
        return errno.ENOMEM if fourth & 1 and fourth & 32 else ALLOW
    if number not in {getattr(row, machine) for row in calls.rows().values()}:
        return errno.ENOSYS
    unknown = {
        "fcntl": (
            errno.EINVAL,
            second not in (*refused_calls.OF_A_DESCRIPTOR, 6, 7, 8, 15, 37, 38, 1024, 1026),
        ),
        "ioctl": (
            errno.ENOTTY,
            second
            not in (
                *refused_calls.OF_A_STREAM,
                0x8901,
                0x8902,
                0x5412,
                *(refused_calls.FILE_FLAGS if files else ()),
            ),
        ),
        "prctl": (errno.EINVAL, first not in (1, *refused_calls.ABOUT_ITSELF)),
        "madvise": (errno.EINVAL, third not in (21, *refused_calls.ADVICE)),
    }
    if unknown.get(name, (0, False))[1]:
        return unknown[name][0]
    refused = {
        "prctl": first == 1,
        "madvise": third == 21,
        "clone": any(first >> bit & 1 for bit in (7, 17, 25, 26, 27, 28, 29, 30))
        or first & 0xFF == 18,
        "socketpair": second & 0xF in (2, 3),
        "fcntl": second in (6, 7, 8, 15, 37, 38, 1024, 1026),
        "ioctl": second in (0x8901, 0x8902, 0x5412)
        or (files and second in refused_calls.FILE_FLAGS),
        "prlimit64": first != 0,
        "kill": second == 18 or (hold and first not in (0, OWN)),
        "tgkill": third == 18 or (hold and first not in (0, OWN)),
        "tkill": second == 18 or hold,
        "rt_sigqueueinfo": second == 18 or hold,
        "rt_tgsigqueueinfo": third == 18 or hold,
    }
    return errno.EPERM if refused.get(name, False) else ALLOW


def every_call() -> dict[str, refused_calls.Call]:
    alone = {
        "clone": refused_calls.CLONE,
        "fcntl": refused_calls.FCNTL,
        "ioctl": refused_calls.IOCTL,
        "prctl": refused_calls.PRCTL,
    }
    alone |= {
        "mmap": refused_calls.MMAP,
        "madvise": refused_calls.MADVISE,
        "socketpair": refused_calls.SOCKETPAIR,
    }
    return NEVER | refused_calls.ONLY_SELF | refused_calls.KILLS | refused_calls.OTHER_KILLS | alone


@MACHINES
@given(data=st.data())
def test_every_decision_equals_the_model(machine: str, data: st.DataObject) -> None:
    known = sorted({getattr(call, machine) for call in every_call().values()} - {seccomp.ABSENT})
    number = data.draw(st.sampled_from(known) | st.integers(0, 600) | st.integers(0, (1 << 32) - 1))
    telling = [
        0,
        1,
        2,
        OWN,
        OWN + 1,
        6,
        8,
        18,
        21,
        0x21,
        0x22,
        1024,
        0x8901,
        0x5412,
        0x40086602,
        0x10000011,
        0x3D0F00,
        0x40087602,
    ]
    words = [data.draw(st.sampled_from(telling) | st.integers(0, (1 << 32) - 1)) for _ in range(4)]
    hold, files = data.draw(st.booleans()), data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as monkeypatch:
        program = made(monkeypatch, machine, hold_signals=hold, hold_files=files)
    found = answer(program, number, words, seccomp.ARCHITECTURES[machine])
    assert found == model(machine, number, words, hold, files)


@MACHINES
@pytest.mark.parametrize("network", [False, True])
def test_what_is_allowed_has_a_row_and_what_has_a_row_is_allowed(
    monkeypatch: pytest.MonkeyPatch, machine: str, network: bool
) -> None:
    """Of each number, with any of these arguments: whether a bot may make the call at
    one level at least.
    """
    told = {(), (0, 0, 0, 2), (2, 0, 0, 2), (3, 0x5401), (15, 0, 4), (OWN, 1)}
    programs = [
        made(monkeypatch, machine, hold_files=held, network=network) for held in (False, True)
    ]
    architecture = seccomp.ARCHITECTURES[machine]

    def allowed(number: int) -> bool:
        return any(
            answer(program, number, words, architecture) == ALLOW
            for program in programs
            for words in told
        )

    with_a_row = {getattr(row, machine) for row in calls.rows().values()} - {calls.ABSENT}
    with_a_row |= {getattr(refused_calls.SOCKET, machine)} if network else set()
    assert {
        number for number in range(600) if allowed(number)
    } == with_a_row  # the newest kernels have less than 500
    assert len(with_a_row) >= 170
    assert all(row.outside for row in calls.rows().values())


@pytest.mark.parametrize(
    "name",
    [
        "ustat",
        "sync",
        "syncfs",
        "sysfs",
        "quotactl",
        "adjtimex",
        "shmctl",
        "semctl",
        "msgctl",
        "mq_unlink",
    ],
)
def test_no_call_knows_the_whole_machine(name: str) -> None:
    assert name not in calls.rows()


def test_an_unknown_machine_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert not seccomp.supported()
    assert seccomp.refused_here() == {}
    code, _, why = run_at(Level.BASIC, ("/bin/true",))
    assert (code, "are not known to the arena" in why) == (None, True)


CALLS = """
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
out = {}
for name, number in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    out[name] = [libc.syscall(number, 1, 0, 0, 0, 0, 0), ctypes.get_errno()]
print(json.dumps(out))
"""


@KEEPING
def test_the_kernel_decides_likewise(level: Level) -> None:
    here = seccomp.refused_here() | {
        name: (seccomp.number(call), call.error)
        for name, call in refused_calls.LEAVING_THE_GROUP.items()
    }
    words = (
        python_at(level),
        "-I",
        "-S",
        "-c",
        CALLS,
        json.dumps({name: number for name, (number, _) in here.items()}),
    )
    code, out, said = run_at(level, words)
    assert code == 0, said
    assert json.loads(out) == {name: [-1, error] for name, (_, error) in here.items()}


YOUNG = (
    "cachestat",
    "fchmodat2",
    "setxattrat",
    "removexattrat",
    "file_setattr",
    "mseal",
    "map_shadow_stack",
)  # younger than many a compiler's headers
WANTED = ("-D__ARCH_WANT_SYS_CLONE3", "-D__ARCH_WANT_MEMFD_SECRET", "-D__ARCH_WANT_SET_GET_RLIMIT")
WANTED = (*WANTED, "-D__ARCH_WANT_NEW_STAT", "-D__ARCH_WANT_RENAMEAT")
RENAMED = {"newfstatat": "fstatat"}  # in the generic table
HEADERS = {"x86_64": "asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}


@MACHINES
def test_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    """The compiler's own headers, where they know a machine; aarch64 is numbered by the
    generic table.
    """
    need("cc")
    words = ["cc", "-E", "-dM", *WANTED, "-include", HEADERS[machine], "-x", "c", "/dev/null"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lacks(f"no {HEADERS[machine]} on this machine", may=True)
    numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", done.stdout))
    numbers |= {name: numbers[old] for name, old in RENAMED.items() if old in numbers}
    rows: dict[str, refused_calls.Call | calls.Row] = {**every_call(), **calls.rows()}
    known = {
        name: getattr(call, machine)
        for name, call in rows.items()
        if name not in YOUNG or name in numbers
    }
    assert {name: int(numbers.get(name, seccomp.ABSENT)) for name in known} == known
