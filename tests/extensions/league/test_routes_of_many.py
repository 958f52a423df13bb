"""A request at which the server fails, and a row of the queue that it cannot show, end
nothing of anybody else's.
"""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from public_league import league_folder, write_public

from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.routes import desk as desk_module
from khiva_arena.extensions.league.routes.app import LeagueSite
from khiva_arena.extensions.league.routes.desk import Desk, Known
from khiva_arena.extensions.league.routes.guard import PublicGuard
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.submissions.limits import limits_of
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.serve import serving
from khiva_arena.extensions.serve.connections import ConnectionBounds, PeerConnection

OURS = "not one of theirs"


class FailsOnce:
    """A function that fails at its first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.calls, self._function = 0, function

    def __call__(self, *parts: Any, **more: Any) -> Any:
        self.calls += 1
        if self.calls == 1:
            raise IndexError(OURS)
        return self._function(*parts, **more)


def ask_twice(
    folder: Path,
    path: str,
    header: str = "",
    before: Callable[[LeagueSite], None] = lambda _site: None,
) -> list[int]:
    """Return the statuses of two answers, each on a connection of its own, of one
    server.
    """

    async def main() -> list[int]:
        with Queue(folder) as queue:
            site = LeagueSite(
                PublicFolder(folder / PUBLIC), Desk(queue, limits_of(LeagueOptions()))
            )
            before(site)
            guard = PublicGuard(site.application(), behind_proxy=False)
            listener = serving.listening("127.0.0.1", 0)
            port = listener.getsockname()[1]

            async def answer(_connection: PeerConnection, *parts: Any) -> None:
                await guard(*parts)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(serving.answer_all, listener, answer, ConnectionBounds(9, 9))
                statuses = [await _status(port, path, header) for _ in range(2)]
                nursery.cancel_scope.cancel()
        return statuses

    return trio.run(main)


async def _status(port: int, path: str, header: str) -> int:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{header}\r\n".encode()
        )
        data = b"".join([piece async for piece in stream])
    return int(data.split(b" ", 2)[1]) if data else 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A league whose pages are public."""
    made = league_folder(tmp_path / "spring")
    write_public(made)
    return made


def test_a_page_that_fails_fails_for_one_request(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(site: LeagueSite) -> None:
        site.folder.state = FailsOnce(site.folder.state)  # type: ignore[method-assign]

    assert ask_twice(folder, "/batches", before=fails) == [500, 200]
    assert OURS in caplog.text


def test_a_token_that_fails_fails_for_one_request(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Queue(folder) as queue:
        token = queue.rotate(queue.add_author("ann").id)
    fails = FailsOnce(Queue.author_of_token)
    monkeypatch.setattr(Queue, "author_of_token", lambda *parts: fails(*parts))
    assert ask_twice(folder, "/api/entries", f"Authorization: Bearer {token}\r\n") == [500, 200]
    assert OURS in caplog.text


def test_a_connection_that_cannot_be_taken_keeps_out_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving, "connection_of", FailsOnce(serving.connection_of))
    assert ask_twice(folder, "/") == [0, 200]
    assert OURS in caplog.text


def test_a_network_that_fails_for_a_moment_is_no_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    newcomers = serving._newcomers

    def unreachable(*parts: Any) -> Any:
        monkeypatch.setattr(serving, "_newcomers", newcomers)
        raise OSError(113, OURS)

    monkeypatch.setattr(serving, "_newcomers", unreachable)
    assert ask_twice(folder, "/") == [200, 200]
    assert OURS in caplog.text


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_ends_the_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(serving, "connection_of", interrupted)
    with pytest.raises(BaseExceptionGroup) as caught:
        ask_twice(folder, "/")
    assert caught.group_contains(error, depth=None)


def test_a_queue_that_cannot_be_shown_is_shown_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(desk_module, "REFRESH_SECONDS", 0.0)
    with Queue(folder) as queue:
        queue.add_author("ann")
        desk = Desk(queue, limits_of(LeagueOptions()))
        desk._know = FailsOnce(desk._know)  # type: ignore[method-assign]

        async def main() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(desk.refresh_again_and_again)
                await _until(lambda: desk.known != Known())
                nursery.cancel_scope.cancel()

        trio.run(main)
    assert list(desk.known.names.values()) == ["ann"]
    with caplog.at_level(logging.ERROR):
        assert caplog.text.count(OURS) == 1


async def _until(look: Callable[[], bool]) -> None:
    wait: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint
    with trio.fail_after(60):
        while not look():
            await wait()
