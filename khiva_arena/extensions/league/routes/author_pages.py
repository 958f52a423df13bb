"""The page of an author who has signed in: checks, faults and notes of the author's own
bots, which nobody else sees.
"""

import hmac
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse

from khiva_arena.entrants.archive import ENTRY
from khiva_arena.extensions.league.public_state import PublicBot
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.guard import FORM_UPLOADS, IN_THE_OPEN, is_private
from khiva_arena.extensions.league.routes.markup import Markup, joined, table, tag
from khiva_arena.extensions.league.routes.pages import Page, bot_link, match_link
from khiva_arena.extensions.league.routes.tokens import Sessions
from khiva_arena.extensions.league.routes.view import (
    LOOK_BACK,
    LeagueView,
    elo_text,
    faults_text,
    when,
)
from khiva_arena.extensions.league.submissions.queue_rows import Author, QueueEntry

COOKIE = "__Host-author"
"""The name of the cookie: browsers take it from this very host, by TLS, alone."""
FORM_SECONDS = 10.0
TOO_SLOW = "The form came too slowly."
SIGNED_OUT = "Your session is over; sign in again."
NO_FORM_TOKEN = "This form is of another session; load the page of your bots again."
BotNotes = Mapping[str, Sequence[tuple[int, str]]]
"""What bots wrote, by identity: batch and text, the newest first."""
SHOWN_MOST = 50
"""The newest entries whose reports are shown."""


class AuthorPages:
    """The pages behind a token. ``by_form``: they have a form that takes bots."""

    def __init__(self, desk: Desk, *, by_form: bool = False) -> None:
        self._desk, self._by_form = desk, by_form
        self._sessions = Sessions()

    async def page(self, request: Request, view: LeagueView | None) -> Page:
        """Return the author's page, or the form to sign in."""
        author = await self.author(request)
        if author is None:
            return Page("Authors", _FORM, grows=False)
        takes = _upload(self.form_token(request)) if self._by_form else joined()
        page = _own_page(
            author,
            await self._desk.entries_of(author),
            await self._desk.notes_of(author),
            view,
            takes,
        )
        return page._replace(uploads=self._by_form)

    async def author(self, request: Request) -> Author | None:
        """Return the author who has signed in, None if nobody has."""
        token = self._sessions.token(request.cookies.get(COOKIE, ""))
        return await self._desk.author_still(token) if token else None

    def has_session(self, request: Request) -> bool:
        """Tell whether the session of a request goes on."""
        return self._sessions.token(request.cookies.get(COOKIE, "")) is not None

    def form_token(self, request: Request) -> str:
        """Return the form token of the session of a request."""
        return self._sessions.form_token(request.cookies.get(COOKIE, ""))

    async def author_of_form(self, request: Request, given: str) -> Author:
        """Return the author whose own page sent a form. Raises
        HTTPException. ``given``: the form token that came with it.
        """
        author = await self.author(request)
        if author is None:
            raise HTTPException(403, SIGNED_OUT)
        if not hmac.compare_digest(
            given.encode(errors="replace"), self.form_token(request).encode()
        ):
            raise HTTPException(403, NO_FORM_TOKEN)
        return author

    async def sign_in(self, request: Request) -> RedirectResponse:
        """Begin a session. Raises HTTPException for a wrong token."""
        if not is_private(request.scope):
            raise HTTPException(403, IN_THE_OPEN)
        token = (await fields_of(request)).get("token", "").strip()
        await self._desk.author_of(token)
        answer = RedirectResponse("/author", 303)
        answer.set_cookie(
            COOKIE, self._sessions.begin(token), secure=True, httponly=True, samesite="strict"
        )
        return answer

    async def sign_out(self, request: Request) -> RedirectResponse:
        """End a session."""
        self._sessions.end(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/author", 303)
        answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
        return answer


async def fields_of(request: Request) -> dict[str, str]:
    """Return the fields of a form, {} if it is none. Raises HTTPException if it comes
    too slowly.
    """
    try:
        with trio.fail_after(FORM_SECONDS):
            fields = parse_qs((await request.body()).decode(), max_num_fields=5)
    except trio.TooSlowError:
        raise HTTPException(408, TOO_SLOW) from None
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def form(action: str, *parts: Markup) -> Markup:
    """Return a form with its parts. ``action``: the path that it is sent to."""
    return tag("form", *parts, action=action, method="post")


_FORM = joined(
    tag(
        "p",
        "Sign in with the token that the organiser gave you. You see checks, faults and "
        "notes of your own bots.",
    ),
    form(
        "/author",
        tag(
            "input", type="text", name="user", value="author", autocomplete="username", hidden=""
        ),  # for keepers of passwords
        tag(
            "label",
            "Token",
            tag(
                "input", type="password", name="token", autocomplete="current-password", required=""
            ),
        ),
        tag("button", "Sign in", type="submit"),
    ),
)


def _upload(token: str) -> Markup:
    """Return the form that takes a bot. ``token``: of the session."""
    parts = (
        tag(
            "label",
            "The file that khiva-arena.html saved for a league",
            tag("input", type="file", accept=ENTRY, required=""),
        ),
        tag("button", "Look at it", type="submit"),
        tag("output", role="status"),
    )
    shown = tag(
        "p",
        "The next page shows what came. The bot is in the queue once you press Send there.",
        class_="dim",
    )
    without = tag(
        "noscript",
        tag(
            "p",
            "This needs scripts. ",
            tag("code", "khiva-arena submit FILE"),
            " sends the file, too.",
        ),
    )
    sends = tag("form", *parts, action=FORM_UPLOADS, method="post", id="upload", data_token=token)
    return joined(tag("h2", "Send a bot"), shown, without, sends)


def _own_page(
    author: Author,
    entries: list[QueueEntry],
    notes: BotNotes,
    view: LeagueView | None,
    takes: Markup,
) -> Page:
    own = [bot for bot in view.league.bots if bot.author == author.id] if view else []
    rows = [_own_row(bot, view) for bot in own] if view else []
    bots = (
        table(
            "Your bots in the league", ["bot", "state", "Elo", "faults", "lost last"], rows, left=2
        )
        if rows
        else tag("p", "None is in yet.")
    )
    newest = list(reversed(entries))
    checks = [_check(entry) for entry in newest[:SHOWN_MOST]] or [
        tag("p", "You have sent no bot yet.")
    ]
    leave = form("/author/leave", tag("button", "Sign out", type="submit"))
    written = [
        _notes(bot.name, batch, text) for bot in own for batch, text in notes.get(bot.identity, ())
    ]
    parts = [tag("h2", "Bots"), bots, takes, tag("h2", "What you sent"), *checks]
    parts += [tag("h2", "What your bots wrote"), *written] if written else []
    main = joined(tag("p", f"Signed in as {author.name}."), leave, *parts)
    return Page("Your bots", main, grows=False)


def _own_row(bot: PublicBot, view: LeagueView) -> list[str]:
    """Return the row of one of an author's bots, with the way to the newest match in
    which another was ahead of it.
    """
    row = view.rows.get(bot.identity)
    state = f"{bot.state}: {bot.why}" if bot.why else bot.state
    lost = next((own for own in view.newest_matches(bot) if own.rank > 1), None)
    way = (
        joined(match_link(lost), f", batch {lost.batch}")
        if lost
        else joined(f"none in its last {LOOK_BACK} batches")
    )
    return [
        bot_link(bot.name),
        state,
        elo_text(row) if row else "none yet",
        (faults_text(row) or "none") if row else "none yet",
        way,
    ]


def _notes(name: str, batch: int, text: str) -> Markup:
    return tag("details", tag("summary", f"{name} in batch {batch}"), tag("pre", text))


def _check(entry: QueueEntry) -> Markup:
    head = tag("h3", f"{entry.number}: {entry.family_name}, {entry.state}")
    report = (
        tag("pre", entry.report)
        if entry.report
        else tag("p", "Its check comes between two batches.", class_="dim")
    )
    identity = tag("p", "Identity ", tag("code", entry.played_as)) if entry.played_as else joined()
    return joined(head, tag("p", f"Sent {when(entry.at)}", class_="dim"), identity, report)
