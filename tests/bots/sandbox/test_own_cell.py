"""A process of ours that has confined itself: what it can still do, and what no more,
whatever a stranger makes of it.
"""

import json
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest
from tools import lacks

from khiva_arena.bots.sandbox import own_cell, seccomp, system

TRIES = """
import fcntl, json, os, signal, socket, sys, termios, threading
from khiva_arena.bots.sandbox.own_cell import confine
allowed, refused, port, user = sys.argv[1:]
listener = socket.create_server(("127.0.0.1", 0))
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
visitor = socket.create_connection(listener.getsockname())
kept = open(refused)
import pwd
confine([allowed], pwd.getpwnam(user) if user else None)
there = ("127.0.0.1", int(port))

def fast_open():
    listeners[0].shutdown(socket.SHUT_RD)
    listeners[0].sendto(b"secret", socket.MSG_FASTOPEN, there)

def fast_open_of_many():
    listeners[1].shutdown(socket.SHUT_RD)
    listeners[1].sendmsg([b"secret"], [], socket.MSG_FASTOPEN, there)

def answer():
    served, _ = listener.accept()
    served.sendall(b"hello")
    return visitor.recv(5).decode()

def thread():
    done = []
    one = threading.Thread(target=lambda: done.append(1))
    one.start()
    one.join()
    return str(done)

TRIES = {
    "answer": answer,
    "thread": thread,
    "read": lambda: open(allowed).read(),
    "read again": kept.read,
    "open": lambda: open(refused).read(),
    "write": lambda: open(allowed, "w"),
    "make": lambda: open(allowed + "x", "w"),
    "proc": lambda: open(f"/proc/{os.getppid()}/environ").read(),
    "socket": lambda: socket.socket(),
    "unix": lambda: socket.socket(socket.AF_UNIX),
    "unix pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "connect": lambda: visitor.connect(there),
    "fast open": fast_open,
    "fast open of many": fast_open_of_many,
    "fork": os.fork,
    "program": lambda: os.execv("/bin/true", ["true"]),
    "signal": lambda: os.kill(os.getppid(), 0),
    "typing": lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"),
    "owner": lambda: fcntl.fcntl(visitor, fcntl.F_SETOWN, os.getppid()),
}
said = {}
for name, one in TRIES.items():
    try:
        said[name] = str(one())
    except OSError as error:
        said[name] = type(error).__name__
print(json.dumps(said))
"""
STILL = {"answer": "hello", "thread": "[1]", "read": "public", "read again": "secret"}


def tried(folder: Path, user: str) -> dict[str, str]:
    (folder / "public").write_text("public")
    (folder / "secret").write_text("secret")
    words = [sys.executable, "-c", TRIES, str(folder / "public"), str(folder / "secret"), "9", user]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, str] = json.loads(done.stdout)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("user", ["", "nobody"])
def test_it_answers_and_does_nothing_else(user: str, open_folder: Path) -> None:
    if user and os.geteuid() != 0:
        lacks("only root becomes another user", may=True)
    if own_cell.missing():
        lacks("; ".join(own_cell.missing()))
    said = tried(open_folder, user)
    done = {name: word for name, word in said.items() if not word.endswith("Error")}
    assert done == STILL, said


def test_what_a_system_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "supported", lambda: False)
    monkeypatch.setattr(own_cell.launcher, "landlock_version", lambda _: 0)
    if system.why_no_levels():
        lacks("this system has nothing of it", may=True)
    assert len(own_cell.missing()) == 2
    monkeypatch.setattr(system, "why_no_levels", lambda: "elsewhere")
    assert len(own_cell.missing()) == 1


def test_the_owner_of_a_file_acts_and_then_root_again(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        lacks("only root acts as another user", may=True)
    nobody = pwd.getpwnam("nobody")
    os.chown(tmp_path, nobody.pw_uid, nobody.pw_gid)
    for folder in tmp_path.parents:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o711)
    groups = os.getgroups()
    with own_cell.as_owner(tmp_path):
        (tmp_path / "made").write_text("")
        with pytest.raises(PermissionError):
            (tmp_path.parent / "other").write_text("")
    status = (tmp_path / "made").stat()
    assert (status.st_uid, status.st_gid) == (nobody.pw_uid, nobody.pw_gid)
    assert (os.geteuid(), os.getegid(), os.getgroups()) == (0, 0, groups)
