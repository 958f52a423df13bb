"""Answers of a league's server that are files, or refusals of a body."""

from collections.abc import Callable
from typing import Any, BinaryIO

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from khiva_arena.extensions.league.routes.pages import Page
from khiva_arena.extensions.league.routes.public_folder import Stamp
from khiva_arena.extensions.league.routes.uploads import drain
from khiva_arena.extensions.league.routes.view import LeagueView

PIECE = 1 << 16
Make = Callable[[LeagueView], "Page | None"]


class FileAnswer(Response):
    """A file, sent in pieces, as long as it was: lines may be added meanwhile.

    file: open, and closed at the end.
    size: in bytes.
    """

    def __init__(self, file: BinaryIO, size: int, headers: dict[str, str]) -> None:
        super().__init__(headers={**headers, "content-length": str(size)})
        self._file, self._left = file, size

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        with self._file:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while scope["method"] != "HEAD" and (piece := self._file.read(min(PIECE, self._left))):
                self._left -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


class RefusedBody(Response):
    """The answer to a body that is not wanted: it is sent first, and the rest of the
    body is read away before the end.
    """

    def __init__(self, request: Request, answer: Response) -> None:
        super().__init__(answer.body, answer.status_code, dict(answer.headers))
        self._request = request

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await drain(self._request)
        await send({"type": "http.response.body", "body": b""})


def etag(stamp: Stamp) -> str:
    return f'"{stamp.inode:x}-{stamp.changed_ns:x}-{stamp.size:x}"'


def of_the_path(
    make: Callable[[LeagueView, Any], "Page | None"],
    name: str,
) -> Callable[[Request], Make]:
    """Return what makes a page of something that the path of a request names."""
    return lambda request: lambda view: make(view, request.path_params[name])


def before(request: Request) -> int:
    """Return the number below which batches are listed."""
    word = request.query_params.get("before", "")
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else 10**9
