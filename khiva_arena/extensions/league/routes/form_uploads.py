"""Bots that authors upload by a form: the file is taken as it is and shown, and is sent
once its author says so.

A browser can be made to send what its user never wanted. So the guard compares the
origin of each request, and each has the form token of its own session. The file is the
stream that `khiva-arena submit` sends, with the same bounds. Nothing in it is unpacked.
"""

import hmac
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from khiva_arena.entrants.archive import StreamFile, head_of_bot
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.routes.author_pages import (
    SIGNED_OUT,
    AuthorPages,
    fields_of,
    form,
)
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.guard import FORM_UPLOADS
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, table, tag
from khiva_arena.extensions.league.routes.pages import Page
from khiva_arena.extensions.league.routes.tokens import SecondsNow
from khiva_arena.extensions.league.routes.uploads import MOST_UPLOAD, Uploads
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.submissions.names import check_name
from khiva_arena.extensions.league.submissions.queue_rows import Author
from khiva_arena.words import count

SEND = f"{FORM_UPLOADS}/send"
KEPT_SECONDS = 600.0
"""The time in which an author may look at a file before it is dropped."""
MOST_KEPT = 2 * MOST_UPLOAD
"""The bytes of all files that wait for their authors."""
STREAM, FIELDS = "application/octet-stream", "application/x-www-form-urlencoded"
OTHER_TYPE = "Choose the file on the page of its author: no other form is taken here."
NOTHING_WAITS = (
    "No file of yours waits to be sent. If the page of your bots does not list it as sent, "
    "choose it again."
)
CHANGED = "Another file of yours came meanwhile. Look at that one before you send it."
NOT_AGREED = "This league publishes its bots: tick the box to agree, or do not send the bot."
AGREE = (
    "I agree that anybody may get the module of this bot from the bundles of this league, and "
    "all of its files if it is in "
)
SAME = "khiva-arena.html names this SHA-256 when it saves the file."


class Kept(NamedTuple):
    """A file that waits for its author to send it.

    name: of the bot, as the file's name proposes; "" if no bot can have that name.
    packed: the stream.
    files: that are in it.
    digest: the SHA-256 of the stream.
    ends: when it is dropped.
    """

    name: str
    packed: bytes
    files: Sequence[StreamFile]
    digest: str
    ends: float


class FormUploads:
    """The files that wait for their authors, one an author."""

    def __init__(
        self, desk: Desk, authors: AuthorPages, uploads: Uploads, clock: SecondsNow = time.monotonic
    ) -> None:
        self._desk, self._authors, self._uploads, self._clock = desk, authors, uploads, clock
        self._kept: dict[str, Kept] = {}

    async def take(self, request: Request) -> None:
        """Keep the file that a request brings, in place of an older one of its author.
        Raises HTTPException.
        """
        author = await self._authors.author_of_form(
            request, request.headers.get("x-form-token", "")
        )
        _check_type(request, STREAM)
        with self._uploads.place(author) as data:
            await self._uploads.receive(request, data)
            try:
                kept = await trio.to_thread.run_sync(
                    self._looked_at, request.query_params.get("name", ""), bytes(data)
                )
            except ConfigError as error:
                raise HTTPException(422, str(error)) from None
        if not self._authors.has_session(request):  # any more: a file may be on its way for minutes
            raise HTTPException(403, SIGNED_OUT)
        self._keep(author, kept)

    async def page(self, request: Request, *, publishes_bots: bool) -> Page | None:
        """Return the page that shows an author's file, None if there is
        none. ``publishes_bots``: bundles may hold it.
        """
        author = await self._authors.author(request)
        kept = self._of(author) if author else None
        if author is None or kept is None:
            return None
        return _page(author, kept, self._authors.form_token(request), publishes_bots=publishes_bots)

    async def send(
        self, request: Request, view: LeagueView | None, *, publishes_bots: bool
    ) -> None:
        """Let the file that was shown wait for its check. Raises HTTPException."""
        _check_type(request, FIELDS)
        fields = await fields_of(request)
        author = await self._authors.author_of_form(request, fields.get("token", ""))
        kept = self._of(author)
        if kept is None:
            raise HTTPException(409, NOTHING_WAITS)
        if not hmac.compare_digest(
            fields.get("digest", "").encode(errors="replace"), kept.digest.encode()
        ):
            raise HTTPException(409, CHANGED)
        agreed = fields.get("agreed") == "1"
        if publishes_bots and not agreed:
            raise HTTPException(422, NOT_AGREED)
        try:
            active = view.active_of(author.id) if view else ()
            await self._desk.add_upload(
                author, fields.get("name", ""), kept.packed, active, agreed=agreed
            )
        except ConfigError as error:
            raise HTTPException(422, str(error)) from None
        if (
            self._kept.get(author.id) is kept
        ):  # else another file came meanwhile, which has yet to be sent
            self.drop(author)

    def drop(self, author: Author) -> None:
        """Drop the file of an author, if there is one."""
        self._kept.pop(author.id, None)

    async def drop_old_again_and_again(self) -> None:
        """Drop files that waited too long, until this is cancelled."""
        while True:
            await trio.sleep(KEPT_SECONDS / 10)
            self._drop_old()

    def _drop_old(self) -> None:
        self._kept = {
            author: kept for author, kept in self._kept.items() if self._clock() < kept.ends
        }

    def _of(self, author: Author) -> Kept | None:
        self._drop_old()
        return self._kept.get(author.id)

    def _keep(self, author: Author, kept: Kept) -> None:
        """Keep a file. Where there is no room, the largest go first, so that a small
        one of an honest author stays.
        """
        self.drop(author)
        self._drop_old()
        while (
            sum(len(other.packed) for other in self._kept.values()) + len(kept.packed) > MOST_KEPT
        ):
            del self._kept[max(self._kept, key=lambda other: len(self._kept[other].packed))]
        self._kept[author.id] = kept

    def _looked_at(self, name: str, packed: bytes) -> Kept:
        """Return what is shown of a file. Raises ConfigError if it breaks a bound, or
        is no bot.
        """
        files, _ = head_of_bot(packed)
        try:
            check_name(name, "a bot")
        except ConfigError:
            name = ""
        return Kept(name, packed, files, sha256(packed).hexdigest(), self._clock() + KEPT_SECONDS)


def _check_type(request: Request, wanted: str) -> None:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
        raise HTTPException(415, OTHER_TYPE)


def _page(author: Author, kept: Kept, token: str, *, publishes_bots: bool) -> Page:
    size = sum(file.size for file in kept.files)
    files = table(
        f"{count(len(kept.files), 'file')}, {size:,} bytes",
        ["file", "bytes"],
        [[file.name, f"{file.size:,}"] for file in kept.files],
    )
    signed_in = tag("p", f"Signed in as {author.name}.")
    what = joined(
        signed_in,
        facts([("SHA-256", tag("code", kept.digest))]),
        tag("p", SAME, class_="dim"),
        files,
    )
    sends = form(
        SEND,
        tag("input", type="hidden", name="token", value=token),
        tag("input", type="hidden", name="digest", value=kept.digest),
        tag(
            "label",
            "Name in the league",
            tag("input", name="name", value=kept.name, maxlength=40, required=""),
        ),
        _agreement() if publishes_bots else joined(),
        tag("button", "Send", type="submit"),
    )
    return Page(
        "Send this bot?",
        joined(what, sends, tag("p", link("/author", "Do not send it"))),
        grows=False,
    )


def _agreement() -> Markup:
    box = tag("input", type="checkbox", name="agreed", value="1", required="")
    return tag("label", box, f"{AGREE}JavaScript or Python.", class_="agree")
