"""Bots that come as one stream of bytes, and their authors' questions: what programs
ask, and are answered in JSON.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from khiva_arena.entrants.archive import LENGTH_BYTES, MAGIC, MOST_BYTES, MOST_HEAD
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.guard import IN_THE_OPEN, is_private
from khiva_arena.extensions.league.routes.tokens import bearer
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.submissions.queue_rows import Author, QueueEntry
from khiva_arena.extensions.league.submissions.sending import AGREED

MOST_UPLOAD = len(MAGIC) + LENGTH_BYTES + MOST_HEAD + MOST_BYTES
"""The bytes of an upload."""
IN_FLIGHT_MOST = 3 * MOST_UPLOAD
"""The bytes of all uploads that are on their way at a time."""
AT_ONCE_MOST = 8
"""The uploads at a time, one an author."""
PIECE_BYTES, PIECE_SECONDS = 1 << 20, 20.0
"""The time that each piece of an upload may take."""
DRAIN_SECONDS = 5.0
"""The time that a refused upload may go on, so that its sender comes to read why."""
TOO_LARGE = f"An upload has at most {MOST_BYTES >> 20} MiB."
TOO_SLOW = "The upload came too slowly; try again over a better line."
BUSY = "Too much is being uploaded; try again in a minute."
ONE_AT_A_TIME = "Another upload with this token is still on its way; wait for it."
NO_NAME = "Name the bot: POST /api/submit?name=NAME"
NOT_AGREED = (
    "This league publishes its bots: send it with `khiva-arena submit --agree`, or POST "
    "/api/submit?name=NAME&agreed=1"
)


class Uploads:
    """The uploads that are on their way."""

    def __init__(self) -> None:
        self._authors: set[str] = set()
        self._bytes = 0

    @contextmanager
    def place(self, author: Author) -> Iterator[bytearray]:
        """Yield the buffer of one more upload. Raises HTTPException if there is no
        place.
        """
        if author.id in self._authors:
            raise HTTPException(429, ONE_AT_A_TIME, {"retry-after": "60"})
        if len(self._authors) >= AT_ONCE_MOST:
            raise HTTPException(503, BUSY, {"retry-after": "60"})
        self._authors.add(author.id)
        data = bytearray()
        try:
            yield data
        finally:
            self._authors.remove(author.id)
            self._bytes -= len(data)

    async def submit(
        self,
        request: Request,
        desk: Desk,
        view: LeagueView | None,
        *,
        publishes_bots: bool = False,
    ) -> JSONResponse:
        """Answer an upload: it waits in the queue, or came before, or the answer says
        why not. Raises HTTPException.

        publishes_bots: whether bundles of the league may hold its bots, to which the
            author has to agree.
        """
        author = await author_of(request, desk)
        name = request.query_params.get("name", "")
        if not name:
            raise HTTPException(400, NO_NAME)
        agreed = request.query_params.get(AGREED) == "1"
        if publishes_bots and not agreed:
            raise HTTPException(422, NOT_AGREED)
        with self.place(author) as data:
            await self.receive(request, data)
            try:
                active = view.active_of(author.id) if view else ()
                entry = await desk.add_upload(author, name, bytes(data), active, agreed=agreed)
            except ConfigError as error:
                raise HTTPException(422, str(error)) from None
        return JSONResponse({"entry": entry.number, "state": entry.state, **receipt(view)}, 202)

    async def receive(self, request: Request, data: bytearray) -> None:
        """Add the body of a request to a buffer. Raises HTTPException if it is too
        large or too slow, ClientDisconnect.
        """
        if int(request.headers.get("content-length", "0")) > MOST_UPLOAD:
            raise HTTPException(413, TOO_LARGE)
        more = True
        while more:
            ends = len(data) + PIECE_BYTES
            with trio.move_on_after(PIECE_SECONDS) as scope:
                while more and len(data) < ends:
                    message = await request.receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    self._take(message.get("body", b""), data)
                    more = message.get("more_body", False)
            if scope.cancelled_caught:
                raise HTTPException(408, TOO_SLOW)

    def _take(self, piece: bytes, data: bytearray) -> None:
        if len(data) + len(piece) > MOST_UPLOAD:
            raise HTTPException(413, TOO_LARGE)
        if self._bytes + len(piece) > IN_FLIGHT_MOST:
            raise HTTPException(503, BUSY, {"retry-after": "60"})
        data += piece
        self._bytes += len(piece)


async def author_of(request: Request, desk: Desk) -> Author:
    """Return the author whose token a request has in its header. Raises
    HTTPException.
    """
    if not is_private(request.scope):
        raise HTTPException(403, IN_THE_OPEN)
    return await desk.author_of(bearer(request.headers.get("authorization", "")))


async def entries(request: Request, desk: Desk, view: LeagueView | None) -> JSONResponse:
    """Answer with an author's own entries. Raises HTTPException."""
    author = await author_of(request, desk)
    return JSONResponse(
        {"entries": [_plain(entry) for entry in await desk.entries_of(author)], **receipt(view)}
    )


def _plain(entry: QueueEntry) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "bot": entry.family_name,
        "identity": entry.identity,
        "state": entry.state,
        "report": entry.report,
        "at": entry.at,
    }


def terms(view: LeagueView | None, *, publishes_bots: bool) -> JSONResponse:
    """Answer with what an author has to agree to."""
    return JSONResponse({"publish_bots": publishes_bots, **receipt(view)})


def receipt(view: LeagueView | None) -> dict[str, Any]:
    """Return the newest link and commitment, as every answer has them; None before
    there is one.
    """
    if view is None:
        return {"league": "", "link": None, "digest": None, "commitment": None}
    commitment = view.newest.commitment if view.newest else None
    return {
        "league": view.league.name,
        "link": view.league.link,
        "digest": view.league.digest,
        "commitment": commitment,
    }


async def drain(request: Request) -> None:
    """Read what a refused sender still sends, for a while: else the answer would be
    lost with the connection.
    """
    with trio.move_on_after(DRAIN_SECONDS):
        while (message := await request.receive())["type"] == "http.request" and message.get(
            "more_body", False
        ):
            pass
