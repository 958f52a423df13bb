"""An error at one player's part ends that part: the hub and a relay go on with the
others.
"""

import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from relaying import TOKEN, blamed, match
from wording import sentence

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.pool import play_one
from khiva_arena.entrants.guests import HUB, LINK, REMOTE, seat_of
from khiva_arena.extensions.seats import links, relay_talk, relays
from khiva_arena.extensions.seats.arena_link import ArenaLink
from khiva_arena.extensions.seats.contained import contained
from khiva_arena.extensions.seats.hub_process import LINK_PROGRAM
from khiva_arena.extensions.seats.link_protocol import FAILED, OUT, record
from khiva_arena.extensions.seats.links import Link, Seated
from khiva_arena.extensions.seats.relay_connecting import Ended
from khiva_arena.extensions.seats.relay_life import Life
from khiva_arena.extensions.seats.relay_place import RelayPlace
from khiva_arena.extensions.seats.relay_protocol import Frames, LinkBreach
from khiva_arena.extensions.seats.relay_talk import Relay
from khiva_arena.extensions.seats.seat_link import Chair

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

    assert trio.run(main) == [record(FAILED, b""), b"served"]
    assert OURS in caplog.text


def test_a_link_is_told_of_a_failure_behind_a_record_that_was_cut() -> None:
    async def main() -> None:
        ends = trio.socket.socketpair()
        hub, other = map(trio.SocketStream, ends)
        async with hub, other:
            link, data = Link(hub, b""), record(OUT, bytes(10**7))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.send, data)
                await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.fail)
                expected, came = data + record(FAILED, b""), bytearray()
                while len(came) < len(expected):
                    came += await other.receive_some()
            assert came == expected

    trio.run(main)


# --- whole matches ---


async def at_once(_link: Link) -> None:
    raise IndexError(OURS)


async def at_the_first_bytes(link: Link) -> None:
    await link.receive()
    raise ExceptionGroup("tasks", [IndexError(OURS)])


def at_a_frame(kind: bytes, data: Any) -> Seated:
    """Of the relay that plays the seat."""

    class Unheard:
        def send(self, _data: bytes) -> None: ...

    async def seated(link: Link) -> None:
        place = RelayPlace("ann", TOKEN, kept=False, trips="trips", waits=1.0)
        life = place.life = Life("word", keeps=False)
        life.connection = Unheard()  # type: ignore[assignment]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(place.seated, link)
            await trio.testing.wait_all_tasks_blocked()
            life.take(kind, 1, data)

    return seated


class BrokenConnection:
    """The connection of a relay, at which the hub fails."""

    def __init__(self, *_: object) -> None: ...

    def send(self, _data: bytes) -> None: ...

    async def serve(self) -> str:
        await trio.testing.wait_all_tasks_blocked()
        raise IndexError(OURS)


async def at_a_connection(link: Link) -> None:
    """Of the relay that plays the seat."""
    hub: Any = relays.Relays(
        {
            "listen": ["127.0.0.1", 0],
            "tls": None,
            "reconnect_s": 1.0,
            "waits_s": 1.0,
            "socket": "hub",
            "relays": {},
        }
    )
    stream: Any = object()
    place = RelayPlace("ann", TOKEN, kept=False, trips="trips", waits=1.0)
    life = place.life = Life("word", keeps=False)
    life.arriving = stream
    async with trio.open_nursery() as nursery:
        hub._nursery = nursery
        nursery.start_soon(place.seated, link)
        nursery.start_soon(contained, hub._serve_relay, stream, place, life, 0, False)


async def at_a_choice(link: Link) -> None:
    """Of a person."""

    class MadeUpPerson:
        def take(self, *_: object) -> tuple[bytes, list[Any]]:
            return b"", []

        def choose(self, *_: object) -> object:
            raise IndexError(OURS)

        def close_decision(self) -> list[Any]:
            return []

    class QuietChair(Chair):
        async def tell(self, messages: Sequence[dict[str, Any]]) -> None:
            pass

    chair = QuietChair(MadeUpPerson(), None)  # type: ignore[arg-type]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(chair.seated, link)
        await trio.testing.wait_all_tasks_blocked()
        with suppress(IndexError):
            await chair.choose(1, 0)
        await trio.sleep_forever()


@contextmanager
def hub_of(seated: Seated, path: Path) -> Iterator[None]:
    """A hub in a thread, in which ann is seated so."""
    ready, ends = threading.Event(), list[Callable[[], None]]()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(links.listen, str(path), {seat_of(REMOTE, "ann"): seated})
            token = trio.lowlevel.current_trio_token()
            ends.append(lambda: token.run_sync_soon(nursery.cancel_scope.cancel))
            ready.set()

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        ends[0]()
        thread.join()


@pytest.mark.parametrize(
    "seated", [at_once, at_the_first_bytes, at_a_frame(b"1", 5), at_a_connection, at_a_choice]
)
def test_a_failure_of_the_hub_at_a_seat_is_nobody_s(
    seated: Seated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    monkeypatch.setenv(HUB, str(tmp_path / "hub"))
    monkeypatch.setenv(LINK, LINK_PROGRAM)
    monkeypatch.setattr(relays, "Connection", BrokenConnection)
    monkeypatch.setattr("khiva_arena.extensions.seats.relay_place.tell", lambda _message: None)
    with hub_of(seated, tmp_path / "hub"):
        outcome = play_one(match(startup_ms=20_000))
    assert outcome.record is None, outcome.seats[1].faults
    assert (outcome.host, outcome.causes) == (True, ())
    assert outcome.void == sentence("arbiter", "process-players-arrive-ended")


def test_a_relay_that_fails_at_a_match_has_lost_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to the bot's author."""
    monkeypatch.setenv(HUB, str(tmp_path / "hub"))
    monkeypatch.setenv(LINK, LINK_PROGRAM)
    with hub_of(at_a_frame(b"x", b""), tmp_path / "hub"):
        assert blamed(play_one(match(startup_ms=20_000))) == ("start_failed", "crashed: link lost")


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
    monkeypatch.setattr("khiva_arena.extensions.seats.relay_place.tell", lambda _message: None)

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


def test_a_person_who_cannot_be_told_the_end_keeps_it_from_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from khiva_arena.extensions.seats.persons import Persons  # not above: Starlette comes with it

    persons: Any = object.__new__(Persons)
    persons._chairs = chairs = [MadeUpChair(fails=True), MadeUpChair(fails=False)]
    trio.run(persons.order, {})
    assert [chair.told for chair in chairs] == [False, True]
    assert OURS in caplog.text


# --- a relay ---


def a_relay(where: tuple[str, int] = ("127.0.0.1", 1), said: list[str] | None = None) -> Relay:
    """A relay of a program that reads its input to the end."""
    start = {
        "args": [sys.executable, "-c", "import sys; sys.stdin.read()"],
        "cwd": None,
        "env": None,
    }
    return Relay(
        ArenaLink(where, "ann", TOKEN, None),
        start,
        False,
        [].append if said is None else said.append,
    )


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
    return [
        (kind, session)
        for kind, session, _ in Frames().feed(bytes(one._out))
        if kind in (b"2", b"x")
    ]


def test_a_match_at_which_a_relay_fails_ends_no_other(
    one: Any, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = one._start_program

    def fails_once() -> None:
        monkeypatch.setattr(one, "_start_program", start)
        raise RuntimeError(OURS)

    monkeypatch.setattr(one, "_start_program", fails_once)
    one._take(b"o", 1, b"")
    one._take(b"o", 2, b"")
    assert frames(one) == [(b"2", 1), (b"x", 1)]
    assert [content for kind, _, content in Frames().feed(bytes(one._out)) if kind == b"x"] == [
        b""
    ]  # its bot has not ended
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


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, Ended(143, "stop"), LinkBreach("another size")]
)
def test_what_ends_a_relay_or_its_link_goes_through(
    one: Any, error: BaseException | type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends() -> None:
        raise error

    monkeypatch.setattr(one, "_start_program", ends)
    with pytest.raises(error if isinstance(error, type) else type(error)):
        one._take(b"o", 1, b"")


def test_a_relay_that_fails_outside_of_a_match_connects_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
