"""A relay trusts the arena with bytes for the bot's input, and a stranger who answers
in its place with nothing.
"""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from arena import descendants, living
from relaying import SECONDS, TOKEN, ended, relay
from waiting import until

from khiva_arena.extensions.seats.relay_protocol import (
    HEAD,
    MOST,
    Frames,
    packed,
    packed_json,
    proof,
)

DEEP = b"[" * 60_000
CAT = ("-c", "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, open('/dev/null', 'wb'))")
ASLEEP = ("-c", "import time; time.sleep(600)")

pytestmark = pytest.mark.soak


class Arena:
    """One that says whatever a test wants. ``port``: where it listens."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.port = int(listener.getsockname()[1])
        self.link = listener
        self.hello: dict[str, Any] = {}
        self._frames = Frames()
        self.came: list[tuple[bytes, int, bytes]] = []

    def met(self) -> None:
        """The next connection, up to the relay's hello."""
        self.hang_up()
        self.link, _ = self._listener.accept()
        self.link.settimeout(SECONDS)
        self._frames, self.came = Frames(), []
        self.link.sendall(packed_json(b"G", arena=1, nonce="00"))
        self.hello = json.loads(self.frame(b"H"))

    def greeted(self) -> None:
        """The next connection, up to where both have shown the token."""
        self.met()
        shown = proof(TOKEN, "arena", "ann", "00", self.hello["nonce"])
        self.link.sendall(
            packed_json(b"W", proof=shown, run="run", got=0, resumed=False, reconnect=30.0)
        )

    def frame(self, kind: bytes) -> bytes:
        """What the next frame of this kind says; those before it are in ``came``."""
        while True:
            data = self.link.recv(65_536)
            assert data, f"the link is gone, and no {kind!r} came"
            for one in self._frames.feed(data):
                self.came.append(one)
            if of_kind := [content for came, _, content in self.came if came == kind]:
                return of_kind[0]

    def is_left(self) -> bool:
        """Whether the relay hangs up within a while."""
        try:
            while self.link.recv(65_536):
                pass
        except ConnectionError:
            pass  # it had not read all
        except TimeoutError:
            return False
        return True

    def hang_up(self) -> None:
        if self.link is not self._listener:
            self.link.close()


@contextmanager
def an_arena() -> Iterator[Arena]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(SECONDS)
        arena = Arena(listener)
        try:
            yield arena
        finally:
            arena.hang_up()


def is_there(arena: Arena, process: "subprocess.Popen[str]") -> None:
    """The relay comes back and plays."""
    arena.greeted()
    arena.link.sendall(packed(b"o", 1) + packed(b"p", 0, b"a ping.."))
    assert arena.frame(b"q") == b"a ping.."
    assert process.poll() is None


BEFORE_THE_PROOF = {
    "a final refusal": packed_json(b"R", final=True, text="go"),
    "a final refusal with some proof": packed_json(b"R", final=True, text="go", proof="0" * 64),
    "deep brackets": packed(b"R", 0, DEEP),
    "a welcome with deep brackets": packed(b"W", 0, DEEP),
    "a welcome of another token": packed_json(b"W", proof="0" * 64, run="x", got=0, resumed=False),
    "a welcome with a proof that is no text": packed_json(
        b"W", proof=["\ud800"], run="x", got=0, resumed=False
    ),
    "no object": packed(b"W", 0, b"3"),
    "the end": packed_json(b"b", over=True),
}


@pytest.mark.parametrize("what", BEFORE_THE_PROOF)
def test_nothing_is_final_before_the_proof(what: str, script: Path) -> None:
    with an_arena() as arena, relay(script, arena.port, *CAT) as process:
        arena.met()
        arena.link.sendall(BEFORE_THE_PROOF[what])
        assert arena.is_left()
        is_there(arena, process)


AFTER_IT = {
    "deep brackets in an end": packed(b"b", 0, DEEP),
    "an end that is no object": packed(b"b", 0, b"3"),
    "a refusal that is no object": packed(b"R", 0, b"[]"),
    "a number of two bytes": packed(b"o", 1) + packed(b"c", 1, b"12"),
    "more than was said": packed(b"o", 1) + packed(b"c", 1, b"\xff\xff\xff\xff"),
    "no more": packed(b"o", 1) + packed(b"c", 1, bytes(4)),
    "a session again": packed(b"o", 1) + packed(b"o", 1),
    "bytes behind the end": packed(b"o", 1) + packed(b"n", 1) + packed(b"d", 1, b"x"),
    "a long ping": packed(b"p", 0, b"x" * 1_000),
    "an unknown frame": packed(b"z", 0),
    "a long frame": HEAD.pack(b"d", 1, MOST + 1),
    "more than the window": packed(b"o", 1) + packed(b"d", 1, b"x" * MOST) * 5,
}


@pytest.mark.parametrize("what", AFTER_IT)
def test_what_an_arena_may_not_send_ends_the_link_and_its_matches_alone(
    what: str, script: Path
) -> None:
    with an_arena() as arena, relay(script, arena.port, *ASLEEP) as process:
        arena.greeted()
        arena.link.sendall(AFTER_IT[what])
        assert arena.is_left()
        arena.met()
        assert arena.hello["run"] == ""  # nothing is gone on with
        assert not bots_of(process)
        is_there(arena, process)
        process.terminate()
        said = ended(process)[1]
        assert "Traceback" not in said
        assert "trying again" in said


def bots_of(process: "subprocess.Popen[str]") -> set[int]:
    """Its programs, once those that were killed have ended."""

    def bots() -> set[int]:
        return living({pid for pid in descendants(process.pid) if b"sleep(600)" in _words(pid)})

    until(lambda: not bots())
    return bots()


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_no_more_programs_than_allowed(script: Path) -> None:
    with (
        an_arena() as arena,
        relay(script, arena.port, *ASLEEP, options=("--at-most", "3")) as process,
    ):
        arena.greeted()
        arena.link.sendall(b"".join(packed(b"o", number) for number in range(1, 501)))
        while len([kind for kind, _, _ in arena.came if kind == b"x"]) < 497:
            arena.came.extend(arena._frames.feed(arena.link.recv(65_536)))
        # a program has its words only once it has been started
        assert until(
            lambda: (
                len([pid for pid in descendants(process.pid) if b"sleep(600)" in _words(pid)]) == 3
            )
        )
        assert len(list(Path(f"/proc/{process.pid}/task").iterdir())) <= 3 * 4 + 1
        (why,) = {content for kind, _, content in arena.came if kind == b"2"}
        assert b"3 run already; --at-most N of the relay allows more" in why
