"""The page of an author who has signed in: checks, faults and notes of the author's own bots, which nobody else sees."""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse

from khiva_arena.extensions.league.public_state import PublicBot
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.guard import IN_THE_OPEN, is_private
from khiva_arena.extensions.league.routes.markup import Markup, joined, table, tag
from khiva_arena.extensions.league.routes.pages import Page, bot_link, match_link
from khiva_arena.extensions.league.routes.tokens import Sessions
from khiva_arena.extensions.league.routes.view import LOOK_BACK, LeagueView, elo_text, faults_text, when
from khiva_arena.extensions.league.submissions.queue import Author, QueueEntry

COOKIE = "__Host-author"
"""The name of the cookie: browsers take it from this very host, by TLS, alone."""
FORM_SECONDS = 10.0
TOO_SLOW = "The form came too slowly."
BotNotes = Mapping[str, Sequence[tuple[int, str]]]
"""What bots wrote, by identity: batch and text, the newest first."""
SHOWN_MOST = 50
"""The newest entries whose reports are shown."""


class AuthorPages:
    """The pages behind a token."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions = Sessions()

    async def page(self, request: Request, view: LeagueView | None) -> Page:
        """Return the author's page, or the form to sign in."""
        token = self._sessions.token(request.cookies.get(COOKIE, ""))
        author = await self._desk.author_still(token) if token else None
        if author is None:
            return Page("Authors", _FORM, grows=False)
        return _own_page(author, await self._desk.entries_of(author), await self._desk.notes_of(author), view)

    async def sign_in(self, request: Request) -> RedirectResponse:
        """Begin a session. Raises HTTPException for a wrong token."""
        if not is_private(request.scope):
            raise HTTPException(403, IN_THE_OPEN)
        token = (await _field(request, "token")).strip()
        await self._desk.author_of(token)
        answer = RedirectResponse("/author", 303)
        answer.set_cookie(COOKIE, self._sessions.begin(token), secure=True, httponly=True, samesite="strict")
        return answer

    async def sign_out(self, request: Request) -> RedirectResponse:
        """End a session."""
        self._sessions.end(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/author", 303)
        answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
        return answer


async def _field(request: Request, name: str) -> str:
    """Return a field of a form. Raises HTTPException if the form is no form, or comes too slowly."""
    try:
        with trio.fail_after(FORM_SECONDS):
            fields = parse_qs((await request.body()).decode(), max_num_fields=5)
    except trio.TooSlowError:
        raise HTTPException(408, TOO_SLOW) from None
    except ValueError:
        return ""
    return fields.get(name, [""])[0]


def _form(action: str, *parts: Markup) -> Markup:
    return tag("form", *parts, action=action, method="post")


_FORM = joined(
    tag("p", "Sign in with the token that the organiser gave you. You see checks, faults and notes of your own bots."),
    _form(
        "/author",
        tag("input", type="text", name="user", value="author", autocomplete="username", hidden=""),  # for keepers of passwords
        tag("label", "Token", tag("input", type="password", name="token", autocomplete="current-password", required="")),
        tag("button", "Sign in", type="submit"),
    ),
)


def _own_page(
    author: Author,
    entries: list[QueueEntry],
    notes: BotNotes,
    view: LeagueView | None,
) -> Page:
    own = [bot for bot in view.league.bots if bot.author == author.id] if view else []
    rows = [_own_row(bot, view) for bot in own] if view else []
    bots = (
        table("Your bots in the league", ["bot", "state", "Elo", "faults", "lost last"], rows, left=2)
        if rows
        else tag("p", "None is in yet.")
    )
    newest = list(reversed(entries))
    checks = [_check(entry) for entry in newest[:SHOWN_MOST]] or [tag("p", "You have sent no bot yet.")]
    leave = _form("/author/leave", tag("button", "Sign out", type="submit"))
    written = [_notes(bot.name, batch, text) for bot in own for batch, text in notes.get(bot.identity, ())]
    parts = [tag("h2", "Bots"), bots, tag("h2", "What you sent"), *checks]
    parts += [tag("h2", "What your bots wrote"), *written] if written else []
    main = joined(tag("p", f"Signed in as {author.name}."), leave, *parts)
    return Page("Your bots", main, grows=False)


def _own_row(bot: PublicBot, view: LeagueView) -> list[str]:
    """Return the row of one of an author's bots, with the way to the newest match in which another was ahead of it."""
    row = view.rows.get(bot.identity)
    state = f"{bot.state}: {bot.why}" if bot.why else bot.state
    lost = next((own for own in view.newest_matches(bot) if own.rank > 1), None)
    way = joined(match_link(lost), f", batch {lost.batch}") if lost else joined(f"none in its last {LOOK_BACK} batches")
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
    report = tag("pre", entry.report) if entry.report else tag("p", "Its check comes between two batches.", class_="dim")
    return joined(head, tag("p", f"Sent {when(entry.at)}", class_="dim"), report)
