"""Strangers at the door: broken, slow and huge requests, many connections, and names
that are scripts.
"""

import re
import socket
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import pytest
import trio
from league_serving import LeagueServer, league_server
from public_league import BEN, HOSTILE, league_folder, write_public
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from khiva_arena.extensions.league.routes.guard import IN_THE_OPEN, PublicGuard, is_private
from khiva_arena.extensions.league.routes.markup import joined, tag
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.serve import serving

IDLE = serving.IDLE_SECONDS


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeagueServer]:
    """A league in which a bot, its reasons and the league itself have a script for a
    name.
    """
    folder = league_folder(tmp_path_factory.mktemp("league") / "spring")
    write_public(folder, extra=HOSTILE)
    with Queue(folder) as queue:
        queue.add_author("ben")
        queue._connection.execute("UPDATE authors SET id = ?, name = ?", (BEN, HOSTILE))
        queue.add_entry(BEN, "wren", "f" * 64, b"files")
        queue._connection.execute("UPDATE families SET name = ?", (HOSTILE,))
    with league_server(folder) as one:
        yield one


NAME = "/bots/%3Cscript%3Eran=true%3C%2Fscript%3E"


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/",
        NAME,
        f"/families/{BEN}e",
        "/batches",
        "/queue",
        "/seasons",
        "/feed.xml",
        "/badge.svg",
        f"/nothing/{HOSTILE}",
    ],
)
def test_names_are_never_markup(server: LeagueServer, path: str) -> None:
    answer = server.ask(path.replace("<", "%3C").replace(">", "%3E"))
    assert "ran=true" not in re.sub(r"&lt;/?script&gt;ran=true&lt;/script&gt;", "", answer.text)
    assert path.startswith("/nothing") or "&lt;script&gt;" in answer.text
    if path.endswith((".xml", ".svg")):
        ElementTree.fromstring(answer.text)


def test_every_word_is_escaped_wherever_it_stands() -> None:
    evil = "\"'><&\u202e\x1b[2J"
    made = tag("p", evil, title=evil)
    assert made.count("<") == 2
    assert made.count(">") == 2
    assert "\u202e" not in made
    assert "\x1b" not in made
    assert joined(made, evil).startswith(made)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x00" * 100, b"400"),
        (b"\x16\x03\x01\x02\x00\x01", b"400"),
        (b"GET\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.0\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: <script>\r\n\r\n", b"400"),
        (b"GET /" + b"x" * 2_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000, b"431"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Length: 3\r\n\r\nabc", b"405"),
        (
            (
                b"POST /author HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Length: "
                b"99999999999999\r\n\r\n"
            ),
            b"413",
        ),
        (b"DELETE /api/submit HTTP/1.1\r\nHost: a\r\n\r\n", b"405"),
        (
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: "
            b"Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: " + b"a" * 22 + b"==\r\n\r\n",
            b"403",
        ),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"400"),
        (
            (
                b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: "
                b"h2c\r\nHTTP2-Settings: AA\r\n\r\n"
            ),
            b"200",
        ),
        (
            (
                b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: "
                b"chunked\r\n\r\n0\r\n\r\n"
            ),
            b"400",
        ),
    ],
)
def test_broken_requests_end_their_connection_alone(
    server: LeagueServer, data: bytes, status: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=4 * IDLE) as connection:
        connection.sendall(data)
        try:
            answer = connection.recv(65_536)
        except ConnectionResetError:
            answer = b""
    assert answer.split(b" ")[1:2] == ([status] if status else [])
    assert server.ask("/").status == 200


@pytest.mark.slow
def test_slow_heads_and_silence_end_by_themselves(server: LeagueServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=4 * IDLE) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        with socket.create_connection(("127.0.0.1", server.port), timeout=4 * IDLE) as silent:
            assert server.ask("/").status == 200
            assert silent.recv(100) == b""
        assert b"HTTP/1.1 200" not in slow.recv(100)


@pytest.mark.slow
def test_a_form_that_never_ends_is_given_up(server: LeagueServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as slow:
        host = f"127.0.0.1:{server.port}"
        slow.sendall(
            f"POST /author HTTP/1.1\r\nHost: {host}\r\nOrigin: "
            f"http://{host}\r\nContent-Length: 50\r\n\r\ntok".encode()
        )
        assert slow.recv(100).split(b" ")[1] == b"408"


@pytest.mark.soak
def test_more_connections_than_there_may_be_keep_nobody_out(server: LeagueServer) -> None:
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1_500)]
    try:
        assert server.ask("/").status == 200
        assert server.ask("/batches").status == 200
    finally:
        for connection in silent:
            connection.close()
    assert server.ask("/").status == 200


# --- who asks, behind a proxy and without one ---


def guarded(
    *, behind_proxy: bool, client: str = "127.0.0.1", method: str = "GET", **headers: str
) -> dict[str, Any]:
    """Send a request through the guard; return the status of its answer, and the
    address and scheme behind the guard.
    """
    seen: dict[str, Any] = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.update(client=scope["client"][0], scheme=scope["scheme"], private=is_private(scope))
        await PlainTextResponse("")(scope, receive, send)

    async def send(message: Any) -> None:
        seen.setdefault("status", message.get("status"))

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    given = [
        (name.replace("_", "-").lower().encode(), value.encode())
        for name, value in {"Host": "arena", **headers}.items()
    ]
    scope = {
        "type": "http",
        "method": method,
        "path": "/author",
        "raw_path": b"/author",
        "query_string": b"",
        "headers": given,
    }
    scope |= {"client": (client, 1), "scheme": "http"}
    trio.run(PublicGuard(app, behind_proxy), scope, receive, send)
    return seen


FORWARDED = {"X_Forwarded_For": "203.0.113.9, 198.51.100.7", "X_Forwarded_Proto": "https"}


def test_a_proxy_is_believed_if_it_was_announced_and_is_here() -> None:
    through = guarded(behind_proxy=True, **FORWARDED)
    assert (through["client"], through["scheme"], through["private"]) == (
        "198.51.100.7",
        "https",
        True,
    )
    for behind, client in ((False, "127.0.0.1"), (True, "192.0.2.5")):
        seen = guarded(behind_proxy=behind, client=client, **FORWARDED)
        assert (seen["client"], seen["scheme"]) == (client, "http")


def test_a_proxy_that_does_not_say_https_is_not_private() -> None:
    assert not guarded(behind_proxy=True, X_Forwarded_For="198.51.100.7")["private"]
    assert not guarded(behind_proxy=True, X_Forwarded_For="198.51.100.7", X_Forwarded_Proto="http")[
        "private"
    ]
    assert not guarded(
        behind_proxy=True, X_Forwarded_For="198.51.100.7", X_Forwarded_Proto="gopher"
    )["private"]
    assert guarded(behind_proxy=True)["private"]
    assert "X-Forwarded-Proto" in IN_THE_OPEN


def test_the_origin_of_a_form_is_that_of_the_page_by_its_proxy() -> None:
    for origin, status in (
        ("https://arena", 200),
        ("http://arena", 403),
        ("https://arena.evil", 403),
        ("https://arena:443", 403),
    ):
        assert (
            guarded(behind_proxy=True, method="POST", Origin=origin, **FORWARDED)["status"]
            == status
        )
