"""Bots that are uploaded: taken, or refused in words, within bounds of bytes, of time
and of how many come at once.
"""

import json
import re
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import trio
from arena import arena
from hostile_uploads import HOSTILE
from league_serving import LeagueServer, league_server
from public_league import league_folder, write_public
from starlette.exceptions import HTTPException
from starlette.requests import Request
from waiting import until

from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.packing import pack
from khiva_arena.extensions.league.routes import uploads
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.uploads import Uploads
from khiva_arena.extensions.league.submissions.limits import UploadLimits
from khiva_arena.extensions.league.submissions.queue import Queue

LIMITS = UploadLimits(100, 100, 0.0, 100)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot, as an author has it."""
    arena("new", "python", "crow", cwd=tmp_path)
    return tmp_path / "crow"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = league_folder(tmp_path / "spring")
    write_public(made)
    return made


@pytest.fixture
def server(folder: Path) -> Iterator[LeagueServer]:
    with league_server(folder, is_forked=True) as one:
        yield one


@pytest.fixture
def queue(folder: Path) -> Iterator[Queue]:
    with Queue(folder) as opened:
        yield opened


def token_of(queue: Queue, name: str = "ann") -> str:
    return queue.rotate((queue.author(name) or queue.add_author(name)).id)


@pytest.mark.slow
def test_a_bot_comes_in_and_its_author_asks_after_it(
    server: LeagueServer, queue: Queue, bot: Path, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text(token_of(queue))
    (tmp_path / "token").chmod(0o600)
    how = ("--to", server.origin, "--token-file", str(tmp_path / "token"))
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    sent = json.loads(arena("submit", str(bot), *how, "--json", cwd=tmp_path, env=state).stdout)
    assert (sent["entry"], sent["league"]) == (1, "Spring league")
    assert f"link 40 e{40:063x}" in Path(sent["receipts"]).read_text()
    claimed = queue.claim()
    assert claimed
    assert (claimed[0].family_name, claimed[1]) == ("crow", pack(bot_files.load(str(bot))))
    queue.settle(1, "refused", "too slow")
    listed = json.loads(arena("submit", "--status", *how, "--json", cwd=tmp_path, env=state).stdout)
    assert [(one["state"], one["report"]) for one in listed["entries"]] == [("refused", "too slow")]


@pytest.mark.slow
def test_what_is_not_taken_is_said_in_words(server: LeagueServer, queue: Queue, bot: Path) -> None:
    packed = pack(bot_files.load(str(bot)))
    bearer = {"Authorization": f"Bearer {token_of(queue)}"}
    assert server.ask("/api/submit?name=crow", "POST", packed).status == 401
    assert (
        server.ask(
            "/api/submit?name=crow", "POST", packed, **bearer, Origin="http://evil.example"
        ).status
        == 403
    )
    assert (
        server.ask("/api/submit", "POST", packed, **bearer).data["error"]
        == "Name the bot: POST /api/submit?name=NAME"
    )
    for name, body in (
        ("crow", b""),
        ("crow", b"x" * 1000),
        ("crow", packed[:-1]),
        ("%00", packed),
        ("<b>", packed),
    ):
        answer = server.ask(f"/api/submit?name={name}", "POST", body, **bearer)
        assert answer.status == 422
        assert list(answer.data) == ["error", "league", "link", "digest", "commitment"]
        assert answer.data["link"] == 40
    taken = server.ask("/api/submit?name=crow", "POST", packed, **bearer)
    assert taken.status == 202
    newest = f"c{12:063x}"
    told = {"league": "Spring league", "link": 40, "digest": f"e{40:063x}", "commitment": newest}
    assert taken.data == {"entry": 1, "state": "waiting", **told}
    assert (
        server.ask("/api/submit?name=crow", "POST", packed, **bearer).data == taken.data
    )  # as after a kill of its sender
    assert server.ask("/api/submit?name=other", "POST", packed, **bearer).status == 422
    assert [entry.number for entry in queue.entries()] == [1]


@pytest.mark.slow
def test_more_than_64_mib_is_refused_before_and_while_it_comes(
    server: LeagueServer, queue: Queue
) -> None:
    bearer = {"Authorization": f"Bearer {token_of(queue)}"}
    with socket.create_connection(("127.0.0.1", server.port)) as declared:
        declared.sendall(head(server, bearer, f"Content-Length: {uploads.MOST_UPLOAD + 1}"))
        assert b"413" in declared.recv(65_536).split(b"\r\n")[0]
    piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as chunked:
        chunked.sendall(head(server, bearer, "Transfer-Encoding: chunked"))
        for _ in range(66):
            chunked.sendall(piece)
        assert b"413" in chunked.recv(65_536).split(b"\r\n")[0]
    assert server.ask("/").status == 200
    assert queue.entries() == []


def head(server: LeagueServer, headers: dict[str, str], *more: str) -> bytes:
    lines = ["POST /api/submit?name=crow HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *more]
    return "\r\n".join(
        [*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    ).encode()


@pytest.mark.slow
def test_nobody_waits_for_a_slow_upload_and_an_author_has_one(
    server: LeagueServer, queue: Queue, bot: Path
) -> None:
    ann, ben = ({"Authorization": f"Bearer {token_of(queue, name)}"} for name in ("ann", "ben"))
    packed = pack(bot_files.load(str(bot)))
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(head(server, ann, f"Content-Length: {len(packed)}") + packed[:100])
        assert server.ask("/").status == 200  # the upload came before, and so has its place
        assert until(lambda: server.ask("/api/submit?name=other", "POST", b"", **ann).status == 429)
        assert server.ask("/api/submit?name=heron", "POST", packed, **ben).status == 202
        slow.sendall(packed[100:])
        assert b"422" in slow.recv(65_536).split(b"\r\n")[0]  # ben's was the very same


@pytest.mark.slow
def test_large_uploads_hold_up_no_reader(server: LeagueServer, queue: Queue) -> None:
    done: list[int] = []

    def send() -> None:
        done.append(server.ask("/api/submit?name=crow", "POST", b"x" * (60 << 20), **bearer).status)

    bearer = {"Authorization": f"Bearer {token_of(queue)}"}
    thread = threading.Thread(target=send)
    thread.start()
    seconds = []
    while thread.is_alive():
        begun = time.monotonic()
        assert server.ask("/").status == 200
        seconds.append(time.monotonic() - begun)
    thread.join()
    assert done == [422]
    assert max(seconds) < 2


# --- bounds of time and of all uploads together, without a network ---


class Sender:
    """The other end of a request whose body comes in pieces.

    pieces: of the body, each with the seconds before it.
    """

    def __init__(self, pieces: Sequence[tuple[float, bytes]], token: str) -> None:
        self._pieces = self._coming(pieces)
        self.request = Request(
            {
                "type": "http",
                "method": "POST",
                "path": "/api/submit",
                "query_string": b"name=crow",
                "headers": [(b"authorization", f"Bearer {token}".encode())],
                "scheme": "https",
                "client": ("192.0.2.1", 1),
            },
            self._receive,
        )

    async def _coming(self, pieces: Sequence[tuple[float, bytes]]) -> AsyncIterator[dict[str, Any]]:
        for seconds, piece in pieces:
            await trio.sleep(seconds)
            yield {"type": "http.request", "body": piece, "more_body": True}
        yield {"type": "http.request", "body": b"", "more_body": False}

    async def _receive(self) -> dict[str, Any]:
        return await anext(self._pieces)


def refusals(queue: Queue, *senders: Sender) -> list[int]:
    """Let senders send at once; return the status of each refusal, in the order in
    which they came.
    """
    statuses: list[int] = []
    waiting, desk = Uploads(), Desk(queue, LIMITS)

    async def one(sender: Sender) -> None:
        try:
            await waiting.submit(sender.request, desk, None)
        except HTTPException as error:
            statuses.append(error.status_code)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for sender in senders:
                nursery.start_soon(one, sender)
                await trio.sleep(0.05)

    trio.run(main)
    return statuses


def test_each_piece_has_its_time(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "PIECE_SECONDS", 0.3)
    monkeypatch.setattr(uploads, "PIECE_BYTES", 10)
    steady = Sender([(0.2, b"x" * 10)] * 4, token_of(queue))
    assert refusals(queue, steady) == [422]
    trickle = Sender([(0.1, b"x")] * 40, token_of(queue))
    assert refusals(queue, trickle) == [408]


def test_all_uploads_together_are_bounded(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "IN_FLIGHT_MOST", 100)
    slow, quick, later = ([(at, b"x" * 60)] for at in (0.0, 0.1, 1.0))
    senders = [
        Sender(pieces, token_of(queue, name))
        for pieces, name in (([*slow, (0.6, b"")], "ann"), (quick, "ben"), (later, "eve"))
    ]
    assert refusals(queue, *senders) == [503, 422, 422]


def test_so_many_uploads_come_at_once(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "AT_ONCE_MOST", 2)
    senders = [Sender([(0.5, b"x")], token_of(queue, name)) for name in ("ann", "ben", "eve")]
    assert refusals(queue, *senders) == [503, 422, 422]


def test_a_token_that_came_in_the_open_is_refused(queue: Queue) -> None:
    sender = Sender([], token_of(queue))
    sender.request.scope["scheme"] = "http"
    assert refusals(queue, sender) == [403]


@pytest.mark.slow
def test_hostile_folders_hold_up_nobody(folder: Path, queue: Queue) -> None:
    settings = folder / "league.toml"
    settings.write_text(
        re.sub(r"(?m)^(uploads_\w+) = \d+", r"\1 = 100", settings.read_text()).replace(
            "a_day = 100", "a_day = 1000"
        )
    )
    bearer = {"Authorization": f"Bearer {token_of(queue)}"}
    with league_server(folder) as server:
        for at, upload in enumerate(HOSTILE):
            if at % 50 == 0:
                queue._connection.execute(
                    "DELETE FROM entries"
                )  # so that no limit of its author answers in place of the checks
            name = upload.name if upload.about.startswith("name:") else f"bot {at}"
            answer = server.ask(
                f"/api/submit?name={quote(name, safe='')}", "POST", upload.make(), **bearer
            )
            assert answer.status in (400, 413, 422, 202), upload.about
            assert answer.status == 202 or answer.data["error"].isprintable(), upload.about
            assert server.ask("/").status == 200
    assert not queue.entries("accepted", "entered")
