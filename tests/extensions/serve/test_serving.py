"""Whom the server answers, with what, and how it ends: plain sockets, in and out of
what browsers do.
"""

import base64
import logging
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import trio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from khiva_arena.extensions.serve import connections, guard, serving

TOKEN = "a-token"
PIECE = b"x" * 65_536


async def hello(_request: Request) -> Response:
    return PlainTextResponse("hello")


async def echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def wrong(_request: Request) -> Response:
    raise RuntimeError("a secret of ours")


class Endless(Response):
    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send, send)
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})


async def endless(_request: Request) -> Response:
    return Endless()


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text.upper())


ROUTES = [
    Route("/", hello),
    Route("/echo", echo, methods=["POST"]),
    Route("/wrong", wrong),
    Route("/endless", endless),
    WebSocketRoute("/talk", talk),
]


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    async with trio.open_nursery() as nursery:
        port: int = await nursery.start(
            lambda task_status: serving.serve(ROUTES, token=TOKEN, task_status=task_status)
        )
        yield port
        nursery.cancel_scope.cancel()


def run(check: Callable[[int], Coroutine[Any, Any, None]], seconds: float = 20) -> None:
    async def main() -> None:
        with trio.fail_after(seconds):
            async with served() as port:
                await check(port)

    trio.run(main)


async def answer(port: int, data: bytes) -> bytes:
    """All that the server says to some bytes before it closes the connection."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        await stream.send_all(data)
        return b"".join([piece async for piece in stream])


def request(port: int, path: str = f"/{TOKEN}/", method: str = "GET", **headers: str) -> bytes:
    given = {
        "Host": f"127.0.0.1:{port}",
        "Connection": "close",
        **{name.replace("_", "-"): text for name, text in headers.items()},
    }
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name}: {text}" for name, text in given.items() if text),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def upgrade(port: int, **headers: str) -> bytes:
    words = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    key = base64.b64encode(os.urandom(16)).decode()
    return request(port, f"/{TOKEN}/talk", Sec_WebSocket_Key=key, **{**words, **headers})


def status(data: bytes) -> int:
    return int(data.split(b" ", 2)[1])


def test_the_page_is_answered_with_headers_that_keep_it_here() -> None:
    async def check(port: int) -> None:
        for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
            data = await answer(port, request(port, Host=host, Origin=f"http://{host}"))
            head, _, body = data.partition(b"\r\n\r\n")
            assert (status(data), body) == (200, b"hello")
            for name, value in guard.HEADERS.items():
                assert f"\r\n{name}: {value}".encode() in head
            assert b"default-src 'none'" in head
            assert b"\r\nserver:" not in head
            assert b"cookie" not in head

    run(check)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"path": "/"}, guard.NO_TOKEN),
        ({"path": "/wrong/"}, guard.NO_TOKEN),
        ({"path": f"/{TOKEN}x/"}, guard.NO_TOKEN),
        ({"path": f"/?token={TOKEN}"}, guard.NO_TOKEN),
        ({"path": "/%ff%c3%a9/"}, guard.NO_TOKEN),
        ({"path": f"http://127.0.0.1/{TOKEN}/"}, guard.NO_TOKEN),
        ({"Host": "evil.example"}, guard.WRONG_HOST),
        ({"Host": "127.0.0.1:1"}, guard.WRONG_HOST),
        ({"Host": "127.0.0.1"}, guard.WRONG_HOST),
        ({"Origin": "http://evil.example"}, guard.WRONG_ORIGIN),
        ({"Origin": "null"}, guard.WRONG_ORIGIN),
    ],
)
def test_what_is_not_for_us_gets_one_sentence(how: dict[str, str], sentence: str) -> None:
    async def check(port: int) -> None:
        data = await answer(port, request(port, **how))
        assert status(data) == 403
        assert data.endswith(b"\r\n\r\n" + sentence.encode() + b"\n")
        assert TOKEN.encode() not in data

    run(check)


def test_a_request_without_a_host_is_refused() -> None:
    async def check(port: int) -> None:
        assert status(await answer(port, f"GET /{TOKEN}/ HTTP/1.0\r\n\r\n".encode())) == 403

    run(check)


def test_a_socket_opens_for_our_own_page_alone() -> None:
    async def check(port: int) -> None:
        for origin in (
            "",
            "null",
            "http://evil.example",
            f"https://127.0.0.1:{port}",
            f"http://localhost:{port}",
        ):
            data = await answer(port, upgrade(port, Origin=origin))
            assert status(data) == 403, origin
            assert guard.WRONG_ORIGIN.encode() in data
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with stream:
            await stream.send_all(upgrade(port, Origin=f"http://127.0.0.1:{port}"))
            assert status(await stream.receive_some()) == 101

    run(check)


def test_requests_that_are_too_long_are_refused() -> None:
    async def check(port: int) -> None:
        long = guard.MOST_BYTES + 1
        head = {"path": f"/{TOKEN}/echo", "method": "POST"}
        assert (await answer(port, request(port, **head, Content_Length="3") + b"abc")).endswith(
            b"\r\n\r\n3"
        )
        assert status(await answer(port, request(port, **head, Content_Length=str(long)))) == 413
        chunk = b"%x\r\n%s\r\n" % (1000, b"x" * 1000)
        data = await answer(
            port, request(port, **head, Transfer_Encoding="chunked") + chunk * 66 + b"0\r\n\r\n"
        )
        assert status(data) == 413
        assert (
            status(await answer(port, request(port, X="x" * long)[:long])) == 431
        )  # and no end of it in sight

    run(check)


def test_a_request_of_two_lengths_is_refused_and_ends_its_connection() -> None:
    async def check(port: int) -> None:
        head = {
            "path": f"/{TOKEN}/echo",
            "method": "POST",
            "Transfer_Encoding": "chunked",
            "Connection": "keep-alive",
        }
        data = await answer(
            port,
            request(port, **head, Content_Length="3") + b"3\r\nabc\r\n0\r\n\r\n" + request(port),
        )
        assert status(data) == 400
        assert data.endswith(b"\r\n\r\n" + guard.TWO_LENGTHS.encode() + b"\n")
        assert data.count(b"HTTP/1.1") == 1

    run(check)


@pytest.mark.parametrize(
    "how",
    [{"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings, close", "HTTP2_Settings": ""}],
)
def test_an_upgrade_to_http_2_is_an_ordinary_request(how: dict[str, str]) -> None:
    async def check(port: int) -> None:
        data = await answer(port, request(port, **how))
        assert (status(data), data.count(b"HTTP/1.1")) == (200, 1)
        assert data.endswith(b"\r\n\r\nhello")

    run(check)


def test_a_connection_ends_after_so_many_requests() -> None:
    async def check(port: int) -> None:
        data = await answer(port, request(port, Connection="") * 100)
        assert data.count(b"HTTP/1.1 200 ") == serving.MOST_REQUESTS
        assert data.count(b"connection: close") == 1

    run(check)


def test_requests_of_a_peer_that_is_gone_are_not_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And nothing is written of them: a stranger could fill the disk with lines."""
    answered = []

    async def counted(_request: Request) -> Response:
        answered.append(1)
        return PlainTextResponse("hello" * 10_000)

    async def check(port: int) -> None:
        for _ in range(5):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await stream.send_all(request(port, f"/{TOKEN}/counted", Connection="") * 500)
            await stream.aclose()
        assert status(await answer(port, request(port))) == 200

    monkeypatch.setattr(serving, "MOST_REQUESTS", 1_000)
    monkeypatch.setitem(globals(), "ROUTES", [*ROUTES, Route("/counted", counted)])
    with caplog.at_level(logging.WARNING):
        run(check)
    assert len(answered) <= 10
    assert not caplog.records


HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [b"\x00" * 100, b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"", HTTP2, HTTP2 + b"\xff" * 99],
)
def test_bytes_that_are_no_request_end_their_connection_alone(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.3)

    async def check(port: int) -> None:
        await answer(port, data)
        assert status(await answer(port, request(port))) == 200

    run(check)


def test_an_error_of_ours_tells_a_client_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def check(port: int) -> None:
        data = await answer(port, request(port, f"/{TOKEN}/wrong"))
        assert status(data) == 500
        assert b"secret" not in data
        assert b"Traceback" not in data

    with caplog.at_level(logging.ERROR):
        run(check)
    assert "a secret of ours" in caplog.text


def test_readers_that_never_read_hold_up_neither_others_nor_the_end() -> None:
    async def main() -> None:
        streams = []
        with trio.fail_after(10):
            async with served() as port:
                for _ in range(5):
                    streams.append(await trio.open_tcp_stream("127.0.0.1", port))
                    await streams[-1].send_all(request(port, f"/{TOKEN}/endless"))
                await trio.sleep(0.3)
                assert status(await answer(port, request(port))) == 200
        for stream in streams:
            await stream.aclose()

    trio.run(main)


def test_a_reader_that_takes_too_long_loses_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.2)

    async def check(port: int) -> None:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(request(port, f"/{TOKEN}/endless"))
        await trio.sleep(1)
        async with stream:
            with (
                trio.fail_after(5),
                suppress(trio.BrokenResourceError),
            ):  # it does not go on without end
                while await stream.receive_some():
                    pass

    run(check)


def test_more_connections_than_there_may_be_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(serving, "IDLE_SECONDS", 1.0)

    async def check(port: int) -> None:
        streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(4)]
        assert await streams[0].receive_some() == b""  # the oldest, at once
        for stream in streams:
            assert await stream.receive_some() == b""  # it has said nothing for too long
            await stream.aclose()
        assert status(await answer(port, request(port))) == 200

    run(check)


def test_silent_connections_keep_the_owner_s_page_neither_out_nor_end_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 60.0)

    async def check(port: int) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as page:
            await page.send_all(upgrade(port, Origin=f"http://127.0.0.1:{port}"))
            assert status(await page.receive_some()) == 101
            silent = [
                await trio.open_tcp_stream("127.0.0.1", port)
                for _ in range(serving.MOST_CONNECTIONS + 20)
            ]
            assert status(await answer(port, request(port))) == 200
            wrong = request(port, "/wrong-token/").replace(
                b"Connection: close", b"Connection: keep-alive"
            )
            for stream in silent[-20:]:
                await stream.send_all(wrong)
            silent += [
                await trio.open_tcp_stream("127.0.0.1", port)
                for _ in range(serving.MOST_CONNECTIONS)
            ]
            assert status(await answer(port, request(port))) == 200
            await page.send_all(masked_text(b"hello"))
            assert await page.receive_some() == b"\x81\x05HELLO"
            for stream in silent:
                await stream.aclose()

    run(check, 60)


def masked_text(text: bytes) -> bytes:
    """A message of a WebSocket as a client sends it."""
    return bytes([0x81, 0x80 + len(text), 0, 0, 0, 0]) + text


def test_connections_of_the_owner_s_are_never_closed_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 3)

    async def check(port: int) -> None:
        pages = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(3)]
        for page in pages:
            await page.send_all(upgrade(port, Origin=f"http://127.0.0.1:{port}"))
            assert status(await page.receive_some()) == 101
        async with await trio.open_tcp_stream("127.0.0.1", port) as more:
            assert await more.receive_some() == b""
        for page in pages:
            await page.send_all(masked_text(b"on"))
            assert await page.receive_some() == b"\x81\x02ON"
            await page.aclose()

    run(check, 60)


def test_the_port_closes_when_it_ends_and_every_socket_with_it() -> None:
    async def main() -> None:
        with trio.fail_after(10):
            async with served() as port:
                stream = await trio.open_tcp_stream("127.0.0.1", port)
                await stream.send_all(upgrade(port, Origin=f"http://127.0.0.1:{port}"))
                assert status(await stream.receive_some()) == 101
            assert await stream.receive_some() == b""
            await stream.aclose()
            with pytest.raises(OSError):
                await trio.open_tcp_stream("127.0.0.1", port)

    trio.run(main)


def test_a_port_that_is_taken_is_an_error() -> None:
    async def check(port: int) -> None:
        with pytest.raises(OSError):
            await serving.serve(ROUTES, token=TOKEN, port=port)

    run(check)


def test_tokens_differ_and_stand_in_an_address_as_they_are() -> None:
    tokens = {serving.new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(
        len(token) >= 32 and token.replace("-", "").replace("_", "").isalnum() for token in tokens
    )
    assert serving.address(81, "t") == "http://127.0.0.1:81/t/"


def test_one_network_of_another_machine_takes_no_more_than_its_share() -> None:
    there = connections.Connections(connections.ConnectionBounds(most=3, of_an_address=2))
    kept: list[connections.PeerConnection] = []

    def comes(address: str, stays: bool = False) -> bool:
        network = connections.network_of(address)
        if not there.has_place(network):
            return False
        ours, theirs = socket.socketpair()
        theirs.close()
        kept.append(connections.PeerConnection(None, ours, network, trio.CancelScope(), stays))  # type: ignore[arg-type]
        there.add(kept[-1])
        return True

    assert [comes(f"2001:db8::{at}", stays=True) for at in range(3)] == [True, True, False]
    assert [comes("127.0.0.1"), comes("127.0.0.1"), comes("192.0.2.2")] == [
        True
    ] * 3  # each in place of one that is idle
    assert [one.socket.fileno() != -1 for one in kept] == [True, True, False, False, True]
    assert comes("2001:db8:0:1::3", stays=True)
    assert not comes("192.0.2.4")
    for _ in range(2):
        there.remove(kept[0])  # once more, when its task ends
    assert comes("2001:db8::4")
    assert not comes("2001:db8::5")
    for one in kept:
        one.socket.close()


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("::1", "::1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("unknown", "unknown"),
        ("x" * 99, "x" * 64),
    ],
)
def test_all_addresses_of_a_customer_are_one(address: str, network: str) -> None:
    assert connections.network_of(address) == network
    assert connections.is_loopback(network) == (network in ("::1", "127.0.0.1"))
