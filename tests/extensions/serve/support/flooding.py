"""Machines that flood a server: `python flooding.py WORK ...` is the work of one of
them, in a network namespace of its own.

A trial is itself in a namespace of its own (``apart``), so that it changes no network
of the machine.
"""

import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import NamedTuple

NETWORK = "fd91:0:0:{}"
"""The network of a neighbour, whose addresses are all its own: the last number of the
others is 1, of the server 2.
"""
LONG = 60_000
MANY, ADDRESSES = 200, 1_190
SECONDS, FIRST_SECONDS = 120.0, 3.0
TIMES = 3
"""The honest questions beside each flood."""
REQUEST = "GET {} HTTP/1.1\r\nHost: {}\r\n\r\n"


def apart(*words: str) -> list[str]:
    """Return a command in a network namespace of its own, for root and for others."""
    return [
        "unshare",
        *([] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]),
        "--net",
        *words,
    ]


def ip(*words: str) -> None:
    """Change the network of this namespace."""
    subprocess.run(["ip", *words], check=True)


class Used(NamedTuple):
    """The resources that a process uses.

    cpu: seconds until now.
    memory: MiB.
    files: descriptors.
    """

    cpu: float
    memory: float
    files: int


def used(pid: int) -> Used:
    """Return the resources that a process uses."""
    place = Path("/proc") / str(pid)
    times = (place / "stat").read_text().rpartition(")")[2].split()[11:13]
    pages = int((place / "statm").read_text().split()[1])
    cpu = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return Used(cpu, pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20), len(os.listdir(place / "fd")))


class Machine:
    """A machine beside the server's.

    process: its work.
    """

    def __init__(self, *work: str, is_apart: bool) -> None:
        command = [sys.executable, "-u", __file__, *work]
        self.process = subprocess.Popen(
            apart(*command) if is_apart else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            self.hear()
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()

    def tell(self) -> None:
        """Let it go on."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        """Wait for its next line."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "it has ended"
        return line


@contextmanager
def neighbour(number: int, *work: str) -> Iterator[Machine]:
    """Start a machine that is connected to this namespace by a wire, until the end of
    the block.
    """
    machine = Machine("neighbour", str(number), *work, is_apart=True)
    network, wire = NETWORK.format(number), f"wire{number}"
    try:
        ip(
            "link",
            "add",
            wire,
            "type",
            "veth",
            "peer",
            "name",
            "wire",
            "netns",
            str(machine.process.pid),
        )
        ip("addr", "add", f"{network}::2/64", "dev", wire, "nodad")
        ip("link", "set", wire, "up")
        ip("route", "add", f"{network}:1::/80", "via", f"{network}::1")
        machine.tell()
        machine.hear()
        yield machine
    finally:
        machine.end()


@contextmanager
def flood(*work: str) -> Iterator[Machine]:
    """Start a flood from this machine itself, until the end of the block."""
    machine = Machine(*work, is_apart=False)
    try:
        yield machine
    finally:
        machine.end()


# --- the work of a machine ---


class Target(NamedTuple):
    """The server.

    host, port: where it listens.
    path: that a flood asks for.
    """

    host: str
    port: int
    path: str = "/"

    @property
    def request(self) -> bytes:
        """A request."""
        return REQUEST.format(
            self.path, f"{self.host}:{self.port}" if ":" not in self.host else "arena"
        ).encode()

    def connect(self, address: str = "") -> socket.socket:
        """Connect, from one address of the many of this machine."""
        connection = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
        connection.settimeout(SECONDS)
        if address:
            connection.setsockopt(socket.IPPROTO_IPV6, 75, 1)  # IPV6_TRANSPARENT: any address
            connection.bind((address, 0))
        connection.connect((self.host, self.port))
        return connection


def ask(target: Target) -> bytes:
    """Ask once, as an honest reader does, and return the whole answer."""
    with target.connect() as connection:
        connection.sendall(target.request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def pipelined(target: Target, *, addresses: str = "", is_reset: bool = False) -> None:
    """Send thousands of requests on each of many connections, and be gone."""
    there = []
    for number in range(1, ADDRESSES + 1) if addresses else range(MANY):
        connection = target.connect(f"{addresses}:1::{number:x}" if addresses else "")
        connection.setblocking(False)
        with suppress(OSError):  # it is full, or closed at once
            connection.send((target.request * LONG)[:LONG])
        there.append(connection)
    for connection in there:
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def silent(target: Target, text: bytes = b"") -> None:
    """Open many connections, say at most the beginning of a request, and stay until the
    server ends the last one.
    """
    there = [target.connect() for _ in range(2 * MANY)]
    for connection in there:
        connection.sendall(text)
    while there.pop().recv(1):
        pass


def busy(target: Target) -> None:
    """Ask, and ask again as soon as the answer comes."""
    with target.connect() as connection:
        while True:
            connection.sendall(target.request)
            if not connection.recv(65_536):
                return


def deaf(target: Target) -> None:
    """Ask many times and read nothing."""
    there = [target.connect() for _ in range(MANY)]
    for connection in there:
        connection.sendall(target.request * 15)
    there[0].recv(1)


FLOODS: dict[str, tuple[int, Callable[[Target], None]]] = {
    "gone": (4, pipelined),
    "reset": (4, lambda target: pipelined(target, is_reset=True)),
    "one /64": (1, lambda target: pipelined(target, addresses=target.host.removesuffix("::2"))),
    "storm": (8, lambda target: target.connect().close()),
    "busy": (MANY, busy),
    "silent": (1, silent),
    "half a head": (1, lambda target: silent(target, target.request[:-2] + b"X: " + b"x" * LONG)),
    "deaf": (1, deaf),
}
"""The floods: in how many threads, and what is done there again and again."""


def main() -> None:
    """Do the work that the command line names."""
    work = sys.argv[1:]
    print("here")
    if work[0] == "neighbour":
        _, number, *work = work
        network = NETWORK.format(number)
        sys.stdin.readline()
        ip("link", "set", "lo", "up")
        ip("addr", "add", f"{network}::1/64", "dev", "wire", "nodad")
        ip("link", "set", "wire", "up")
        ip("route", "add", "local", f"{network}:1::/80", "dev", "lo")
        print("connected")
    kind, host, port, *path = work
    target = Target(host, int(port), *path)
    if kind == "honest":
        for _ in sys.stdin:
            begins = monotonic()
            answer = ask(target)
            print(
                json.dumps(
                    {
                        "status": answer[9:12].decode(),
                        "bytes": len(answer),
                        "seconds": monotonic() - begins,
                    }
                )
            )
        return
    os.nice(10)  # its processor would be that of another machine
    (threads, round_), told = FLOODS[kind], Event()

    def again_and_again() -> None:
        try:
            while True:
                with suppress(OSError):  # the server has ended a connection
                    round_(target)
                told.set()
        finally:
            os._exit(1)

    for _ in range(threads):
        Thread(target=again_and_again, daemon=True).start()
    told.wait(FIRST_SECONDS)  # some rounds last as long as the server lets them
    print("goes on")
    sys.stdin.read()


if __name__ == "__main__":
    main()
