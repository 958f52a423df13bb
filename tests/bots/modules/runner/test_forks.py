"""A fork server keeps modules and no trace of a match. Its child runs modules, and can
do nothing else to the machine or to its parent.
"""

import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from modules import digest, machine, wasm
from wording import sentence

from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.runner import line, vm
from khiva_arena.bots.modules.runner.main import FAILED
from khiva_arena.bots.sandbox import seccomp, system
from khiva_arena.entrants import module_runner
from khiva_arena.entrants.module_runner import FOLDER

ATTEMPTS = """
import _thread, ctypes, json, os, signal, socket, sys, time
sys.path.append(sys.argv[1])
from runner import forks
libc = ctypes.CDLL(None, use_errno=True)
parent, page = os.getpid(), ctypes.create_string_buffer(8)
address = bytes(ctypes.c_uint64(ctypes.addressof(page)))
vector = ctypes.create_string_buffer(address + bytes(ctypes.c_uint64(8)))

def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")

def forked():
    if not (pid := os.fork()):
        os._exit(0)
    os.waitpid(pid, 0)

DO = {
    "signal the parent": lambda: os.kill(parent, 0),
    "signal its group": lambda: os.killpg(0, 0),
    "read the parent": lambda: os.open(f"/proc/{parent}/status", os.O_RDONLY),
    "read its memory": lambda: call(libc.process_vm_readv, parent, vector, 1, vector, 1, 0),
    "trace it": lambda: call(libc.ptrace, 0x4206, parent, 0, 0) or call(libc.ptrace, 17, parent,
        0, 0),
    "open a file": lambda: os.open("/dev/null", os.O_RDONLY),
    "list a folder": lambda: os.listdir("/"),
    "see a file": lambda: os.stat("/"),
    "write a file": lambda: os.memfd_create("a"),
    "fork": forked,
    "start a program": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "open a socket": socket.socket,
    "make a pipe": os.pipe,
    "leave its session": os.setsid,
    "take another filter off": lambda: call(libc.prctl, 22, 0, 0, 0, 0),
}

def tried(names):
    out = {}
    for name in names:
        try:
            DO[name]()
            out[name] = 0
        except OSError as error:
            out[name] = error.errno
    return out

start, end = os.pipe()
child = os.fork()
if not child:
    free = tried(sorted({*DO} - {"take another filter off", "leave its session", "trace it"}))
    forks.lock(bytes.fromhex(sys.argv[2]))
    bound = tried(DO)
    ran = _thread.allocate_lock()
    ran.acquire()
    _thread.start_new_thread(ran.release, ())
    ran.acquire()
    bound["run a thread"], bound["read the time"] = 0, int(time.process_time() < 0)
    os.write(end, json.dumps([free, bound]).encode())
    os._exit(0)
os.waitpid(child, 0)
sys.stdout.write(os.read(start, 65536).decode())
"""


@pytest.mark.skipif(
    bool(system.why_no_levels()) or not seccomp.supported(), reason="filters of calls are Linux's"
)
def test_a_child_can_run_threads_and_nothing_else() -> None:
    """Each thing is also done before the filter is on, so that its refusal is the
    filter's.
    """
    words = [sys.executable, "-c", ATTEMPTS, str(FOLDER), seccomp.of_a_table().hex()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    free, bound = json.loads(done.stdout)
    may = {"run a thread": 0, "read the time": 0}
    assert {name: error for name, error in bound.items() if error != 1} == may
    assert set(free.values()) == {0}, free


KEY, MOST, PLENTY, TIMES = bytes(8), 1 << 26, 10**9, 3
COUNT = """
(data (i32.const 0) "\\08\\00\\00\\00\\05\\00\\00\\00\\00\\00\\00\\01")
(global $count (mut i32) (i32.const {first}))
(func (export "_start")
  (loop $again
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store8 (i32.const 12) (i32.add (i32.load8_u (i32.const 12)) (global.get $count)))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))
    (br $again)))
"""
"""Answers with a byte of memory, to which it adds a global that it counts up."""
Item = tuple[int, int, int, bytes]


class Server:
    """A fork server as a process of its own."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.process, self._orders, self._answers, self._told = (
            process,
            process.stdin,
            process.stdout,
            process.stderr,
        )

    def load(self, *loads: bytes) -> list[Item]:
        """Begin a table, and return what is told of its seats."""
        loading = line.batch((seat, line.LOAD, 0, load) for seat, load in enumerate(loads))
        opening = line.batch(
            [(seat, line.OPEN, 0, line.opening(KEY, 1)) for seat in range(len(loads))]
        )
        return self.answer_to(
            loading + opening
        )  # at once, since a server that a load ends takes nothing after it

    def table(self, *codes: Path) -> list[list[int]]:
        """Play a table of modules. Return what each has answered to three questions."""
        self.load(*(loading(code) for code in codes))
        seats = range(len(codes))
        rounds = [
            self.told_by([(seat, line.ASK, PLENTY, b"x") for seat in seats]) for _ in range(3)
        ]
        self._orders.write(line.batch([]))
        assert int(self._told.readline()) > 0
        answers = [{seat: data[-1] for seat, _, _, data in words} for words in rounds]
        return [[answer[seat] for answer in answers] for seat in seats]

    def told_by(self, items: list[Item]) -> list[Item]:
        """Give orders, and return the answers."""
        return self.answer_to(line.batch(items))

    def answer_to(self, sent: bytes) -> list[Item]:
        """Send bytes, and return the answers."""
        self._orders.write(sent)
        data = b""
        while missing := line.missing(data):
            data += self._answers.read(missing)
        return line.items_of(data)

    def memories(self) -> int:
        """How many memories of modules it has."""
        return Path(f"/proc/{self.process.pid}/maps").read_text().count("wasm-memory-image")


@contextmanager
def served() -> Iterator[Server]:
    words = module_runner.runner(
        module_runner.TABLES,
        seccomp.of_a_table().hex() if seccomp.supported() and system.PROC else "",
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


def code_of(folder: Path, first: int) -> Path:
    """The compiled code of a module that counts from ``first``."""
    path = folder / f"code{first}"
    path.write_bytes(
        vm.compile_(
            machine(), rewritten(wasm(COUNT.format(first=first), imports=("fd_write",))).wasm
        )[1]
    )
    return path


def loading(code: Path, name: str = "") -> bytes:
    """The bytes of a LOAD. ``name``: the digest of the code, if it is not its own."""
    return (
        line.LOADING.pack(MOST, bytes.fromhex(name or digest(code.read_bytes())))
        + str(code).encode()
    )


@pytest.mark.slow
@pytest.mark.skipif(not system.PROC, reason="/proc is Linux's")
def test_each_table_begins_with_modules_in_which_nothing_has_run(tmp_path: Path) -> None:
    """Whoever sat there before, and beside whom. Memories for which there is no seat
    are given back.
    """
    one, other, third = (code_of(tmp_path, first) for first in (0, 10, 20))
    expected = {one: [1, 3, 6], other: [11, 23, 36], third: [21, 43, 66]}
    with served() as server:
        for codes in (
            (one, other),
            (other, one),
            (one, one),
            (third, one),
            (other, third, third),
        ) * TIMES:
            assert server.table(*codes) == [expected[code] for code in codes]
            assert server.memories() == len(codes)


@pytest.mark.slow
def test_code_that_is_not_what_was_compiled_ends_a_fork_server_in_words(tmp_path: Path) -> None:
    code = code_of(tmp_path, 0)
    with served() as server:
        assert server.table(code) == [[1, 3, 6]]
        assert server.load(loading(code, "00" * 32)) == [
            (
                0,
                line.FAILED,
                0,
                sentence("modules", "code-changed", what="the compiled code").encode(),
            )
        ]
        assert server.process.wait(60) == FAILED


@pytest.mark.slow
def test_a_child_that_gets_bytes_that_are_no_batch_says_why(tmp_path: Path) -> None:
    with served() as server:
        server.load(loading(code_of(tmp_path, 0)))
        why = repr(ValueError(sentence("arbiter", "item-cut-off"))).encode()
        assert server.answer_to(line.LENGTH.pack(1) + b"x") == [(0, line.FAILED, 0, why)]
        assert server.process.wait(60) == FAILED


GROWTH = """
import _thread, sys
sys.path.append(sys.argv[1])
from runner import forks

def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * 4096

def work():
    kept.append(bytearray(100_000))
    done.release()

kept, done, before = [], _thread.allocate_lock(), size()
_thread.stack_size(1 << 20)
if sys.argv[2] == "shared":
    forks.share_heap()
done.acquire()
_thread.start_new_thread(work, ())
done.acquire()
print(size() - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc",
    reason="other C libraries reserve no space for a thread's heap",
)
def test_a_thread_has_no_heap_of_its_own() -> None:
    alone, shared = (
        int(
            subprocess.run(
                [sys.executable, "-c", GROWTH, str(FOLDER), word], capture_output=True, check=True
            ).stdout
        )
        for word in ("", "shared")
    )
    assert shared < 8 << 20
    assert alone > 64 << 20
