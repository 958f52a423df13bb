"""The guard of the public pages: checks of each request before the application sees it,
and headers for each answer.

Anybody may read, so there is no token and no rule on ``Host``. What comes with a cookie
must come from a page of ours.
"""

import re
from contextlib import suppress
from math import inf

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from khiva_arena.extensions.serve.connections import is_loopback
from khiva_arena.extensions.serve.guard import (
    MOST_BYTES,
    TOO_LONG,
    WRONG_ORIGIN,
    Bounded,
    Refusal,
    answer,
    length_refusal,
    with_headers,
)

UPLOADS, FORM_UPLOADS = "/api/submit", "/author/entry"
"""The paths whose requests have bodies of a bound of their own."""
API = "/api/"
NO_HOST = "The request does not say which host it is for."
MOST_ADDRESS = 1_000  # characters of a path and its query
_HOST = re.compile(r"[A-Za-z0-9._\[\]:-]{1,255}")
_HTTP = ("http", "https")


class PublicGuard:
    """An ASGI application around another one.

    app: the other application.
    behind_proxy: whether a proxy on this machine tells who its requests come from.
    """

    def __init__(self, app: ASGIApp, behind_proxy: bool) -> None:
        self._app, self._behind_proxy = app, behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        if self._behind_proxy:
            _take_forwarded(scope)
        if refusal := _refusal(scope):
            await answer(scope, send, *refusal)
            return
        with suppress(ClientDisconnect):  # in the middle of a body
            await self._app(
                scope, receive if _is_upload(scope) else Bounded(receive), with_headers(send)
            )


def _take_forwarded(scope: Scope) -> None:
    """Take the address and the scheme of a request from headers of a proxy on this
    machine, which adds to the end of lists.
    """
    if not is_loopback(scope["client"][0]):
        return
    headers = Headers(scope=scope)
    if forwarded := headers.getlist("x-forwarded-for"):
        scope["client"] = forwarded[-1].rpartition(",")[2].strip(), 0
    schemes = headers.getlist("x-forwarded-proto")
    if schemes and (scheme := schemes[-1].rpartition(",")[2].strip().lower()) in _HTTP:
        scope["scheme"] = scheme


def _is_upload(scope: Scope) -> bool:
    return scope["path"] in (UPLOADS, FORM_UPLOADS)


def _refusal(scope: Scope) -> Refusal | None:
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        return Refusal(400, NO_HOST)
    if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_ADDRESS:
        return Refusal(414, TOO_LONG)
    if scope["method"] not in ("GET", "HEAD"):
        may_lack = scope["path"].startswith(
            API
        )  # what is asked there needs the token itself, which no browser adds
        if origins != [f"{scope['scheme']}://{hosts[0]}"] and (origins or not may_lack):
            return Refusal(403, WRONG_ORIGIN)
    return length_refusal(headers, inf if _is_upload(scope) else MOST_BYTES)


IN_THE_OPEN = (
    "A token goes only over https: the proxy has to send X-Forwarded-Proto, and this "
    "request did not come by https. Somebody "
    "may have read the token on its way; ask the organiser for another one."
)
"""The refusal of a token that did not come privately."""


def is_private(scope: Scope) -> bool:
    """Tell whether nobody on the way could have read a request: it came by TLS, or from
    this machine and nowhere else.
    """
    return scope["scheme"] == "https" or is_loopback(scope["client"][0])
