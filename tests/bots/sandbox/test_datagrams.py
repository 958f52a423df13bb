"""Two bots of one match cannot talk by a Unix datagram socket that has a name, nor can
a bot write to one of the host's: one of a pair of datagram sockets could take a name,
and send to any.
"""

import os
import socket
from pathlib import Path

import pytest
import trio
from levels import KEEPING, python_at

from khiva_arena.arbiter.process import Processes
from khiva_arena.bots.sandbox import basic
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.native import build

pytestmark = pytest.mark.slow

HEARS = """
import ctypes, socket, sys
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
# no longer joined to the other
ctypes.CDLL(None).connect(one.fileno(), (ctypes.c_ushort * 1)(0), 2)
one.bind(sys.argv[1].replace("@", chr(0)))
one.settimeout(10)
print("heard", one.recv(100), file=sys.stderr)
"""
SAYS = """
import socket, sys, time
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
for _ in range(50):
    try:
        one.sendto(b"I hold a five", sys.argv[1].replace("@", chr(0)))
        print("said", file=sys.stderr)
        break
    except (ConnectionRefusedError, FileNotFoundError):
        time.sleep(0.1)
"""


def tried(level: Level, name: str, *scripts: str) -> str:
    """What bots say that try to talk by a socket of this name."""
    commands = [Command((python_at(level), "-I", "-c", script, name), "/") for script in scripts]

    async def play() -> str:
        wire = Processes(commands, Sandbox(level))
        return "".join([ending.notes for ending in await wire.close(20)])

    return trio.run(play)


@KEEPING
@pytest.mark.parametrize(
    "name",
    ["@khiva-arena-test-talk", "/tmp/khiva-arena-test-talk", "/dev/shm/khiva-arena-test-talk"],
)
def test_two_bots_of_a_match_do_not_hear_each_other(level: Level, name: str) -> None:
    said = tried(level, name, HEARS, SAYS)
    assert "heard" not in said
    assert said.count("Error") == 2  # neither has such a pair


@pytest.mark.usefixtures("basic")
def test_nor_with_a_landlock_that_knows_no_scopes(
    monkeypatch: pytest.MonkeyPatch, open_folder: Path
) -> None:
    """As on Linux before 6.12, where nothing else would hold them."""
    text = (Path(basic.HERE) / "launcher.py").read_text()
    assert text.count("return max(0, int(syscall(") == 1
    (open_folder / "launcher.py").write_text(
        text.replace("return max(0, int(syscall(", "return min(5, int(syscall(")
    )
    monkeypatch.setattr(basic, "HERE", str(open_folder))
    monkeypatch.setattr(build, "program", lambda name: "")
    said = tried(Level.BASIC, "@khiva-arena-test-talk", HEARS, SAYS)
    assert "heard" not in said
    assert "said" not in said


def test_where_nothing_holds_them_they_do() -> None:
    """Or the others would prove nothing."""
    assert "heard b'I hold a five'" in tried(Level.TRUSTED, "@khiva-arena-test-talk", HEARS, SAYS)


@KEEPING
def test_a_bot_writes_to_no_socket_of_the_host(level: Level, open_folder: Path) -> None:
    """Such as the system's log, which lets everybody write."""
    path = str(open_folder / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(path)
        os.chmod(path, 0o777)
        log.setblocking(False)
        assert "said" not in tried(level, path, SAYS)
        with pytest.raises(BlockingIOError):
            log.recv(100)
