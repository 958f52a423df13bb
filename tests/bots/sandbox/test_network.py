"""A bot whose cell is open to the network reaches a server, one whose cell is not
reaches none, and nothing else is different.
"""

import json
from collections.abc import Iterator

import pytest
import trio
from greeter import greeting
from levels import EVERY_LEVEL, KEEPING, python_at

from khiva_arena.arbiter.process import Processes
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox

pytestmark = pytest.mark.slow

SECRET = "sk-not-for-anybody-else"
TRIES = """
import json, os, socket, ssl, sys
found = {}
def tried(name, what):
    try:
        what()
        found[name] = "yes"
    except OSError as error:
        found[name] = "no"
address = ("localhost", int(sys.argv[1]))
tried("server", lambda: socket.create_connection(address, 5).recv(5).decode("ascii"))
datagrams = socket.AF_INET, socket.SOCK_DGRAM
tried("datagrams", lambda: socket.socket(*datagrams).sendto(b"x", ("127.0.0.1", 9)))
tried("pair", lambda: socket.socketpair())
tried("certificates", lambda: os.listdir("/etc/ssl/certs"))
tried("resolver", lambda: open("/etc/resolv.conf").read())
tried("unix", lambda: socket.socket(socket.AF_UNIX))
tried("netlink", lambda: socket.socket(16, socket.SOCK_RAW, 0))
tried("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
tried("named datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
tried("users", lambda: open("/etc/passwd").read())
print(json.dumps(found), file=sys.stderr)
print(os.environ.get("API_KEY"), file=sys.stderr)
"""
NETWORK = {"server": "yes", "datagrams": "yes", "certificates": "yes", "resolver": "yes"}
CLOSED = dict.fromkeys(NETWORK, "no")
NEVER = dict.fromkeys(("unix", "netlink", "raw", "named datagrams", "users"), "no")


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server on loopback that greets everybody."""
    with greeting(b"hello") as port:
        yield port


def said(
    level: Level, port: int, *, network: bool, handed: dict[str, str] | None = None
) -> tuple[dict[str, str], str]:
    """What a bot could do, and what it said of its key."""
    words = (python_at(level), "-I", "-c", TRIES, str(port))

    async def play() -> str:
        wire = Processes(
            [Command(words, "/", network=network, handed=handed or {})], Sandbox(level)
        )
        (ending,) = await wire.close(20)
        return ending.notes

    *rest, found, key = trio.run(play).splitlines()
    assert not rest, rest
    return json.loads(found), key


@KEEPING
def test_one_bot_has_a_network_and_the_others_have_none(level: Level, port: int) -> None:
    found, _ = said(level, port, network=True)
    assert found == {**NETWORK, "pair": "yes", **NEVER}
    found, _ = said(level, port, network=False)
    assert found == {**CLOSED, "pair": "yes", **NEVER}


def test_at_trusted_everybody_has_it(port: int) -> None:
    assert said(Level.TRUSTED, port, network=False)[0]["server"] == "yes"


@EVERY_LEVEL
def test_a_bot_has_its_variable_and_its_value_is_struck(level: Level, port: int) -> None:
    assert said(level, port, network=False, handed={"API_KEY": SECRET})[1] == "[API_KEY]"
    assert said(level, port, network=False)[1] == "None"


@EVERY_LEVEL
def test_no_word_that_starts_a_bot_has_the_value_in_it(level: Level) -> None:
    """The words of a process can be read by everybody on the machine."""
    command = Command((python_at(level), "-c", ""), "/", handed={"API_KEY": SECRET})
    made = cell(command, Sandbox(level), "test")
    try:
        assert made.environment["API_KEY"] == SECRET
        for text in (" ".join(made.argv), repr(command)):
            assert SECRET not in text
            assert SECRET.encode().hex() not in text
    finally:
        made.clean()
