"""An error at one player's part ends that part: the hub and a relay go on with the others."""

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from relaying import TOKEN

from khiva_arena.seats import links, relay_talk, relays
from khiva_arena.seats.links import Link
from khiva_arena.seats.relay_connecting import Ended
from khiva_arena.seats.relay_protocol import Frames, LinkBreach
from khiva_arena.seats.relay_talk import ArenaLink, Relay

OURS = "not one of theirs"


# --- the hub ---


def test_a_link_that_fails_ends_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def seated(link: Link) -> None:
        if await link.receive() == b"fails":
            raise IndexError(OURS)
        await link.send(b"served")

    async def ask(text: bytes) -> bytes:
        async with await trio.open_unix_socket(str(tmp_path / "hub")) as stream:
            await stream.send_all(b"ann\n" + text)
            return b"".join([piece async for piece in stream])

    async def main() -> list[bytes]:
        async with trio.open_nursery() as nursery:
            await nursery.start(links.listen, str(tmp_path / "hub"), {"ann": seated})
            answers = [await ask(b"fails"), await ask(b"plays")]
            nursery.cancel_scope.cancel()
        return answers

    assert trio.run(main) == [b"", b"served"]
    assert OURS in caplog.text


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_at_a_link_ends_the_hub(tmp_path: Path, error: type[BaseException]) -> None:
    async def seated(_link: Link) -> None:
        raise error

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(links.listen, str(tmp_path / "hub"), {"ann": seated})
            async with await trio.open_unix_socket(str(tmp_path / "hub")) as stream:
                await stream.send_all(b"ann\n")
                await stream.receive_some()
            await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as caught:
        trio.run(main)
    assert caught.group_contains(error, depth=None)


def test_a_relay_whose_token_cannot_be_compared_keeps_out_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    order = {
        "listen": ["127.0.0.1", 0],
        "tls": None,
        "reconnect_s": 1.0,
        "waits_s": 1.0,
        "socket": "hub",
        "relays": {"ann": {"token": TOKEN, "file": "token", "kept": False}},
    }
    proof, calls = relays.proof, list[str]()

    def fails_once(*parts: str) -> str:
        calls.append(parts[1])
        if len(calls) == 1:
            raise IndexError(OURS)
        return proof(*parts)

    monkeypatch.setattr(relays, "proof", fails_once)
    monkeypatch.setattr(relays, "tell", lambda _message: None)
    monkeypatch.setattr("khiva_arena.seats.relay_place.tell", lambda _message: None)

    def connects(port: int) -> bool:
        """Whether a relay is welcome."""
        one = a_relay(("127.0.0.1", port))
        try:
            one._connection().close()
        except (OSError, LinkBreach):
            return False
        finally:
            one._end_all()
        return True

    async def main() -> list[bool]:
        async with trio.open_nursery() as nursery:
            port = await nursery.start(relays.Relays(order).serve)
            welcome = [await trio.to_thread.run_sync(connects, port) for _ in range(2)]
            nursery.cancel_scope.cancel()
        return welcome

    assert trio.run(main) == [False, True]
    assert OURS in caplog.text


class MadeUpChair:
    """The chair of a person, who is told the end of the match, or cannot be."""

    def __init__(self, fails: bool) -> None:
        self.fails, self.told = fails, False

    async def over(self, _order: dict[str, Any]) -> None:
        if self.fails:
            raise IndexError(OURS)
        self.told = True


def test_a_person_who_cannot_be_told_the_end_keeps_it_from_no_other(caplog: pytest.LogCaptureFixture) -> None:
    from khiva_arena.seats.persons import Persons  # not above: Starlette comes with it

    persons: Any = object.__new__(Persons)
    persons._chairs = chairs = [MadeUpChair(fails=True), MadeUpChair(fails=False)]
    trio.run(persons.order, {})
    assert [chair.told for chair in chairs] == [False, True]
    assert OURS in caplog.text


# --- a relay ---


def a_relay(where: tuple[str, int] = ("127.0.0.1", 1), said: list[str] | None = None) -> Relay:
    """A relay of a program that reads its input to the end."""
    start = {"args": [sys.executable, "-c", "import sys; sys.stdin.read()"], "cwd": None, "env": None}
    return Relay(ArenaLink(where, "ann", TOKEN, None), start, False, [].append if said is None else said.append)


@pytest.fixture
def said() -> list[str]:
    """What the relay says."""
    return []


@pytest.fixture
def one(said: list[str]) -> Iterator[Any]:
    """A relay as it is while it is connected."""
    made: Any = a_relay(said=said)
    made._connected = True
    yield made
    made._end_all()


def frames(one: Any) -> list[tuple[bytes, int]]:
    """The kinds and sessions of what a relay is to send."""
    return [(kind, session) for kind, session, _ in Frames().feed(bytes(one._out)) if kind in (b"2", b"x")]


def test_a_match_at_which_a_relay_fails_ends_no_other(one: Any, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    start = one._start_program

    def fails_once() -> None:
        monkeypatch.setattr(one, "_start_program", start)
        raise RuntimeError(OURS)

    monkeypatch.setattr(one, "_start_program", fails_once)
    one._take(b"o", 1, b"")
    one._take(b"o", 2, b"")
    assert frames(one) == [(b"2", 1), (b"x", 1)]
    assert list(one._sessions) == [2]
    assert OURS in said[0]
    assert "Traceback" in said[0]


def test_an_event_at_which_a_relay_fails_ends_no_other_match(one: Any, said: list[str]) -> None:
    one._take(b"o", 1, b"")
    one._take(b"o", 2, b"")
    one._event("1", one._sessions[1], 5)  # bytes were expected
    assert frames(one) == [(b"2", 1), (b"x", 1)]
    assert list(one._sessions) == [2]
    assert "TypeError" in said[0]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, Ended(143, "stop"), LinkBreach("another size")])
def test_what_ends_a_relay_or_its_link_goes_through(
    one: Any, error: BaseException | type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends() -> None:
        raise error

    monkeypatch.setattr(one, "_start_program", ends)
    with pytest.raises(error if isinstance(error, type) else type(error)):
        one._take(b"o", 1, b"")


def test_a_relay_that_fails_outside_of_a_match_connects_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    one: Any = a_relay(said=said)
    connected: list[int] = []

    def connection() -> socket.socket:
        connected.append(1)
        return socket.socket()

    def talk(_connection: socket.socket) -> None:
        if len(connected) == 1:
            raise IndexError(OURS)
        raise Ended(0, "over")

    monkeypatch.setattr(one, "_connection", connection)
    monkeypatch.setattr(one, "_talk", talk)
    monkeypatch.setattr(relay_talk, "BACKOFF", (0.0, 0.0))
    with suppress(Ended):
        assert one.serve() == 0
    assert len(connected) == 2
    assert OURS in "".join(said)
