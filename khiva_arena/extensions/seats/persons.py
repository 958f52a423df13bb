"""The persons of a match: their links at the table, and a page in the browser for
each.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from khiva_arena.arbiter.person import Person, read
from khiva_arena.display.page.html import seat_page
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.extensions.seats.contained import contained
from khiva_arena.extensions.seats.hints import Hints
from khiva_arena.extensions.seats.hub_messages import tell
from khiva_arena.extensions.seats.links import Seated
from khiva_arena.extensions.seats.seat_link import Chair
from khiva_arena.extensions.serve import serving
from khiva_arena.extensions.serve.once import OnceOnly
from khiva_arena.games.base import Plain

CLOSED_SECONDS = 3.0
"""The time with no page open after which the command may end, once the match is over: a
page that loads again is briefly away.
"""
TAKEN = "This seat is open in another page. Close that one, and load this one again."


class _Seat(Chair):
    """A person's seat with a page. One page at a time has it."""

    def __init__(self, person: Person, hints: Hints | None) -> None:
        super().__init__(person, hints)
        self.key = secrets.token_urlsafe(12)
        self.page: WebSocket | None = None

    async def tell(self, messages: Sequence[dict[str, Plain]]) -> None:
        page = self.page
        for message in messages if page else ():
            try:
                await page.send_text(msgspec.json.encode(message).decode())  # type: ignore[union-attr]
            except (RuntimeError, WebSocketDisconnect, trio.BrokenResourceError):
                return  # it has gone; when it comes back it is told everything

    async def talk(self, socket: WebSocket) -> None:
        """Serve one page, from its opening to its end."""
        await socket.accept()
        if self.page is not None:
            await socket.send_text(msgspec.json.encode({"type": "refused", "text": TAKEN}).decode())
            await socket.close()
            return
        self.page = socket
        try:
            await self.tell([self.table()])
            while True:
                await self._take_text(await socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # the latter for a message that is not text
            return
        finally:
            self.page = None

    async def _take_text(self, text: str) -> None:
        try:
            message = read(text)
            if message.get("type") == "hint":
                await self.advise()
            else:
                await self.choose(message.get("req"), message.get("choice"))
        except RemoteProtocolError as error:
            await self.tell([{"type": "said", "text": error.detail}])


class Persons:
    """The persons of a match, from the command's first order.

    The order has ``persons`` with name and seat of each, ``names`` and ``marks`` of all
    seats, and the ``port``. Under ``hints`` it has how the bot that gives hints is
    started, or null.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self._port: int = order["port"]
        self._token = serving.new_token()
        hints = order["hints"]
        table = order["names"], order["marks"], bool(hints)
        self._chairs = [
            _Seat(Person(row["name"], row["seat"], *table), Hints(**hints) if hints else None)
            for row in order["persons"]
        ]
        self._over = False
        self._page, self._policy = seat_page(order["game"], order["engine"])

    def seats(self) -> dict[str, Seated]:
        """Return the functions that seat each person, by name."""
        return {chair.person.name: chair.seated for chair in self._chairs}

    async def serve(self, *, task_status: trio.TaskStatus[dict[str, Any]]) -> None:
        """Serve the pages until cancelled. Reports each person's address ``by_name``,
        and one that leads ``once`` to the first.
        """
        routes = [route for chair in self._chairs for route in self._routes(chair)]
        once = OnceOnly()
        once.leads_to = f"/{self._token}/{self._chairs[0].key}/"
        async with trio.open_nursery() as nursery:
            port: int = await nursery.start(
                partial(serving.serve, routes, token=self._token, port=self._port, once=once)
            )
            base = serving.address(port, self._token)
            by_name = {chair.person.name: f"{base}{chair.key}/" for chair in self._chairs}
            task_status.started(
                {"by_name": by_name, "once": serving.address(port, once.path.strip("/"))}
            )
            await self._tell_when_closed()

    def _routes(self, chair: _Seat) -> list[BaseRoute]:
        async def page(_: Request) -> HTMLResponse:
            return HTMLResponse(
                self._page,
                headers={"content-security-policy": f"{self._policy}; frame-ancestors 'none'"},
            )

        talk: Callable[[WebSocket], Awaitable[None]] = chair.talk
        return [Route(f"/{chair.key}/", page), WebSocketRoute(f"/{chair.key}/seat", talk)]

    async def _tell_when_closed(self) -> None:
        """Tell the command that it may end, once the match is over and no page is open
        any more.
        """
        away = 0.0
        while away < CLOSED_SECONDS:
            await trio.sleep(0.25)
            away = (
                away + 0.25 if self._over and not any(chair.page for chair in self._chairs) else 0.0
            )
        tell({"closed": True})
        await trio.sleep_forever()

    async def order(self, order: dict[str, Any]) -> None:
        """Take the command's order, which says that the match is over, with its
        replay.
        """
        self._over = True
        for chair in self._chairs:
            await contained(chair.over, order)
