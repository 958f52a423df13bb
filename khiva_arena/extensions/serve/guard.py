"""The guard around the pages: checks of each request before the application sees it,
and headers for each answer.
"""

import hmac
from contextlib import suppress
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khiva_arena.extensions.serve.once import REFUSED, OnceOnly

MOST_BYTES = 64 << 10
"""The most bytes of the head of a request, of its body, and of a message of a
WebSocket.
"""
NO_TOKEN = (
    "The address lacks its token, or has a wrong one. khiva-arena prints the whole address "
    "when it begins to serve."
)
WRONG_HOST = "Nothing is served under this name; open the address that khiva-arena printed."
WRONG_ORIGIN = "Only pages served here may send requests."
TOO_LONG = "The request is too long."
TWO_LENGTHS = "The request has two lengths: leave out Content-Length, or Transfer-Encoding."
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NOTHING_ALLOWED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of an answer that has none of its own."""


class Refusal(NamedTuple):
    """The refusal of a request.

    status: of the response.
    sentence: its text.
    """

    status: int
    sentence: str


class Guard:
    """An ASGI application around another one.

    app: the other application
    token: the beginning of the path of each request
    port: the port that is listened to
    once: an address without the token that leads to a page
    """

    def __init__(self, app: ASGIApp, token: str, port: int, once: OnceOnly | None = None) -> None:
        self._app, self._token, self._port, self._once = app, token.encode(), port, once
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if refusal := self.refusal(scope):
            await answer(scope, send, *refusal)
            return
        if self._once and scope["path"] == self._once.path:
            if scope["type"] == "http" and self._once.take(scope["client"], self._port):
                await answer(scope, send, 303, "", (b"location", self._once.leads_to.encode()))
            else:
                await answer(scope, send, 403, REFUSED)
            return
        with suppress(ClientDisconnect):  # in the middle of a body
            await self._app(
                scope, Bounded(receive) if scope["type"] == "http" else receive, with_headers(send)
            )

    def refusal(self, scope: Scope) -> Refusal | None:
        """Return why a request is refused, None if it is answered."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return Refusal(403, WRONG_HOST)
        if origins != [f"http://{hosts[0]}"] and (origins or scope["type"] == "websocket"):
            return Refusal(403, WRONG_ORIGIN)
        if self._once and scope["path"] == self._once.path:
            return None
        parts = scope["path"].split("/", 2)[1:2] or [""]
        if not hmac.compare_digest(parts[0].encode(errors="replace"), self._token):
            return Refusal(403, NO_TOKEN)
        return length_refusal(headers, MOST_BYTES)


def length_refusal(headers: Headers, most: float) -> Refusal | None:
    """Return why a request is refused for what it says of the length of its body, None
    if it is answered.

    A proxy that believes one of two lengths would take the end of one request for the
    beginning of somebody else's.

    most: bytes of a body.
    """
    length = headers.get("content-length", "0")
    if "content-length" in headers and "transfer-encoding" in headers:
        return Refusal(400, TWO_LENGTHS)
    if not length.isdecimal() or len(length) > 12 or int(length) > most:
        return Refusal(413, TOO_LONG)
    return None


class Bounded:
    """A receiver of a request's body, which raises HTTPException for a body that is
    longer than MOST_BYTES.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive, self._bytes_left = receive, MOST_BYTES

    async def __call__(self) -> Message:
        message = await self._receive()
        self._bytes_left -= len(message.get("body", b""))
        if self._bytes_left < 0:
            raise HTTPException(413, TOO_LONG)
        return message


def with_headers(send: Send) -> Send:
    """Return a sender that adds ``HEADERS`` and a policy to an answer that has none of
    its own.
    """

    async def send_secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**HEADERS, "content-security-policy": NOTHING_ALLOWED}.items():
                headers.setdefault(name, value)
        await send(message)

    return send_secured


async def answer(
    scope: Scope, send: Send, status: int, sentence: str, *extra: tuple[bytes, bytes]
) -> None:
    """Answer a request with a sentence, and close its connection. ``extra``:
    headers.
    """
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    body = sentence.encode() + b"\n"
    length, text = (
        (b"content-length", str(len(body)).encode()),
        (b"content-type", b"text/plain; charset=utf-8"),
    )
    headers = [length, text, (b"connection", b"close"), *extra]
    guarded = with_headers(send) if kind == "http.response" else send
    await guarded({"type": f"{kind}.start", "status": status, "headers": headers})
    await guarded({"type": f"{kind}.body", "body": body})
