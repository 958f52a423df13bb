"""The persons of a match: their links at the table, and a page in the browser for each."""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from khiva_arena.errors import RemoteProtocolError
from khiva_arena.games.base import Plain
from khiva_arena.report.html import seat_page
from khiva_arena.web import link_protocol, serving
from khiva_arena.web.hints import Hints
from khiva_arena.web.links import Link, Seated
from khiva_arena.web.orders import tell
from khiva_arena.web.person import Frames, Person, read

CLOSED_SECONDS = 3.0
"""After the match: with no page open for so long, since one that is loaded again is away for a moment, the command may end."""
TAKEN = "This seat is open in another page. Close that one, and load this one again."


class _Chair:
    """A person with what joins the seat to the table and to the page. One page at a time has it."""

    def __init__(self, person: Person, hints: Hints | None) -> None:
        self.person = person
        self.hints = hints
        self.key = secrets.token_urlsafe(12)
        self.link: Link | None = None
        self.page: WebSocket | None = None

    async def seated(self, link: Link) -> None:
        """A match, or the trial start before it."""
        self.link = link
        frames = Frames()
        while data := await link.receive():
            for raw, message in frames.feed(data):
                answer, told = self.person.take(raw, message)
                await self._tell(told)
                if answer:
                    await link.send(link_protocol.record(link_protocol.OUT, answer))
        await self._tell(self.person.gone())
        await link.send(link_protocol.exited(0))

    async def over(self, end: dict[str, Plain]) -> None:
        await self._tell(self.person.over(end))

    async def _tell(self, messages: list[dict[str, Plain]]) -> None:
        page = self.page
        for message in messages if page else ():
            try:
                await page.send_text(msgspec.json.encode(message).decode())  # type: ignore[union-attr]
            except (RuntimeError, WebSocketDisconnect, trio.BrokenResourceError):
                return  # it has gone; when it comes back it is told everything

    # --- the page ---

    async def talk(self, socket: WebSocket) -> None:
        """One page, from its opening to its end."""
        await socket.accept()
        if self.page is not None:
            await socket.send_text(msgspec.json.encode({"type": "refused", "text": TAKEN}).decode())
            await socket.close()
            return
        self.page = socket
        try:
            await self._tell([self.person.table()])
            while True:
                await self._asked(await socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # the latter for a message that is not text
            return
        finally:
            self.page = None

    async def _asked(self, text: str) -> None:
        try:
            message = read(text)
            if message.get("type") == "hint":
                await self._hint(message.get("req"))
            else:
                answer, told = self.person.choose(message.get("req"), message.get("choice"))
                await self._tell(told)  # first: once the arbiter has the answer, the next question may come at any moment
                if answer and self.link is not None:
                    await self.link.send(link_protocol.record(link_protocol.OUT, answer))
        except RemoteProtocolError as error:
            await self._tell([{"type": "said", "text": error.detail}])

    async def _hint(self, req: object) -> None:
        if self.hints is None:
            return
        choice = await self.hints.of(self.person.requests)
        if choice is None:
            await self._tell([{"type": "said", "text": "There is no hint: the bot that gives them did not answer."}])
        else:
            await self._tell([{"type": "hint", "req": req, "choice": choice, "by": self.hints.name}])


class Persons:
    """All persons of a match, as the command's first order says: ``persons`` with name and seat of each, the ``names`` of all
    seats, the ``port``, and under ``hints`` how a bot is started that gives them, or null."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._port: int = order["port"]
        self._token = serving.new_token()
        hints = order["hints"]
        self._chairs = [
            _Chair(Person(one["name"], one["seat"], order["names"], bool(hints)), Hints(**hints) if hints else None)
            for one in order["persons"]
        ]
        self._over = False
        self._page, self._policy = seat_page(order["game"], order["engine"])

    def seats(self) -> dict[str, Seated]:
        """Who seats each person, by name."""
        return {chair.person.name: chair.seated for chair in self._chairs}

    async def serve(self, *, task_status: trio.TaskStatus[dict[str, str]]) -> None:
        """Serve the pages until cancelled; reports the address of each person's by name."""
        routes = [route for chair in self._chairs for route in self._routes(chair)]
        async with trio.open_nursery() as nursery:
            port: int = await nursery.start(partial(serving.serve, routes, token=self._token, port=self._port))
            base = serving.address(port, self._token)
            task_status.started({chair.person.name: f"{base}{chair.key}/" for chair in self._chairs})
            await self._tell_when_closed()

    def _routes(self, chair: _Chair) -> list[BaseRoute]:
        async def page(_: Request) -> HTMLResponse:
            return HTMLResponse(self._page, headers={"content-security-policy": f"{self._policy}; frame-ancestors 'none'"})

        talk: Callable[[WebSocket], Awaitable[None]] = chair.talk
        return [Route(f"/{chair.key}/", page), WebSocketRoute(f"/{chair.key}/seat", talk)]

    async def _tell_when_closed(self) -> None:
        """When the match is over and nobody looks on any more, the command may end."""
        away = 0.0
        while away < CLOSED_SECONDS:
            await trio.sleep(0.25)
            away = away + 0.25 if self._over and not any(chair.page for chair in self._chairs) else 0.0
        tell({"closed": True})
        await trio.sleep_forever()

    async def order(self, order: dict[str, Any]) -> None:
        """The command says that the match is over, with its replay."""
        self._over = True
        for chair in self._chairs:
            await chair.over(order)
