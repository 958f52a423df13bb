"""The child of a fork server: it runs modules, and can do nothing else to the machine or to its parent."""

import json
import subprocess
import sys

import pytest
from wording import sentence

from khiva_arena.entrants.modules import FOLDER, TABLES, runner
from khiva_arena.modules.runner import line
from khiva_arena.modules.runner.main import FAILED
from khiva_arena.sandbox import seccomp, system

ATTEMPTS = """
import _thread, ctypes, json, os, signal, socket, sys, time
sys.path.append(sys.argv[1])
from runner import forks
libc = ctypes.CDLL(None, use_errno=True)
parent, page = os.getpid(), ctypes.create_string_buffer(8)
vector = ctypes.create_string_buffer(bytes(ctypes.c_uint64(ctypes.addressof(page))) + bytes(ctypes.c_uint64(8)))

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
    "trace it": lambda: call(libc.ptrace, 0x4206, parent, 0, 0) or call(libc.ptrace, 17, parent, 0, 0),
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


@pytest.mark.skipif(bool(system.why_no_levels()) or not seccomp.supported(), reason="filters of calls are Linux's")
def test_a_child_can_run_threads_and_nothing_else() -> None:
    """Each thing is also done before the filter is on, so that its refusal is the filter's."""
    words = [sys.executable, "-c", ATTEMPTS, str(FOLDER), seccomp.of_a_table().hex()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    free, bound = json.loads(done.stdout)
    may = {"run a thread": 0, "read the time": 0}
    assert {name: error for name, error in bound.items() if error != 1} == may
    assert set(free.values()) == {0}, free


@pytest.mark.skipif(bool(system.why_no_levels()), reason="fork servers are Linux's")
@pytest.mark.parametrize(
    ("batch", "why"),
    [
        (
            line.batch([(0, line.OPEN, 0, line.opening(bytes(8), 0, 1, bytes(32), "/nowhere"))]),
            sentence("modules", "code-changed"),
        ),
        (line.LENGTH.pack(1) + b"x", repr(ValueError("an item is cut off"))),
    ],
    ids=["code that is gone", "bytes that are no batch"],
)
def test_a_child_that_fails_says_why_on_its_own_output(batch: bytes, why: str) -> None:
    done = subprocess.run(runner(TABLES, ""), input=batch, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (FAILED, b"")
    assert line.items_of(done.stdout) == [(0, line.FAILED, 0, why.encode())]
