"""The addresses of a league's server, and what each is answered with."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.folder import CHAIN
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    BATCHES,
    FINALS,
    SEASONS,
    STATE,
    season_file,
)
from khiva_arena.extensions.league.routes import batch_pages, bot_pages, feed, pages, served_page
from khiva_arena.extensions.league.routes.author_pages import AuthorPages
from khiva_arena.extensions.league.routes.batch_pages import NOT_FOUNDED
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.file_answers import (
    FileAnswer,
    Make,
    RefusedBody,
    before,
    etag,
    of_the_path,
)
from khiva_arena.extensions.league.routes.form_uploads import SEND, FormUploads
from khiva_arena.extensions.league.routes.guard import API, FORM_UPLOADS, UPLOADS
from khiva_arena.extensions.league.routes.pages import POLICY, Page
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.served_page import BenchPage
from khiva_arena.extensions.league.routes.uploads import Uploads, entries, receipt, terms
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.submissions.sending import TERMS

KEPT_MOST = 500
"""The pages that are kept until anything in them changes."""
POLICY_WITHIN = 4_096
"""The first bytes of a page of results, where its policy stands."""
NOTHING_SAID = HTTPException(404).detail
NAMELESS = "A league"
NO_PAGE = "There is no such page."
NOT_YET = (
    "These matches have no page: their deals are not public, or the player has yet to make the "
    "page."
)
WISHED = (
    "Pages of older matches are made on demand: the player makes this one soon, if it is at "
    "work. Come back in a minute."
)
UNREADABLE = "The state of the league cannot be read now; try again in a minute."
FRESH = {"cache-control": "no-cache"}
"""Pages may be kept, and are asked for again: a league goes on."""
ATOM = "application/atom+xml"
HTML = "text/html; charset=utf-8"
SVG = "image/svg+xml"
LINES = "application/jsonl"
ANYWHERE = {"cross-origin-resource-policy": "cross-origin"}
"""Badges stand on pages of others."""
OF_PAGES = {"content-security-policy": POLICY, "referrer-policy": "same-origin"}
"""A page that sent no referrer at all would send no origin with its forms either."""
_HASH = "'sha256-[A-Za-z0-9+/=]{44}'"
_POLICY = re.compile(
    f"default-src 'none'; script-src {_HASH}; style-src {_HASH}; base-uri 'none'; "
    "form-action 'none'"
)
_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


class SiteOptions(NamedTuple):
    """What a site has beside its pages.

    publishes_bots: whether bundles may hold the league's bots, by its settings: they
        count until it is founded.
    by_form: whether the page of an author takes bots.
    page: the page in which bots are written; None for none.
    """

    publishes_bots: bool = False
    by_form: bool = False
    page: BenchPage | None = None


NOTHING_MORE = SiteOptions()


class LeagueSite:
    """The answers to readers.

    folder: what the player has made public.
    desk: the queue.
    options: what the site has beside its pages.
    """

    def __init__(
        self, folder: PublicFolder, desk: Desk, options: SiteOptions = NOTHING_MORE
    ) -> None:
        self.folder, self.desk, self._options = folder, desk, options
        self._authors, self._uploads = AuthorPages(desk, by_form=options.by_form), Uploads()
        self.forms = FormUploads(desk, self._authors, self._uploads)
        self._workbench = served_page.pointer(options.page, by_form=options.by_form)
        self._version: object = None
        self._kept: dict[str, Response] = {}

    def application(self) -> Starlette:
        """Return the application, which its guard stands around."""
        routes = [
            Route("/", self._pages(lambda _: pages.standings)),
            Route(
                "/batches",
                self._pages(
                    lambda request: lambda view: batch_pages.batches(view, before(request))
                ),
            ),
            Route("/batches/{number:int}.html", self._results),
            Route("/finals/{number:int}.html", self._final),
            Route("/batches/{number:int}", self._pages(of_the_path(batch_pages.batch, "number"))),
            Route("/bots/{name:path}/badge.svg", self._bot_badge),
            Route("/bots/{name:path}", self._pages(of_the_path(bot_pages.bot, "name"))),
            Route("/families/{family}", self._pages(of_the_path(bot_pages.family, "family"))),
            Route("/queue", self._pages(lambda _: lambda view: pages.queue(view, self._workbench))),
            Route("/seasons", self._pages(lambda _: pages.seasons)),
            Route("/rules", self._pages(lambda _: pages.rules_of)),
            Route("/feed.xml", self._feed),
            Route("/badge.svg", self._badge),
            Route("/icon.svg", self._icon),
            Route("/chain.jsonl", self._chain),
            Route("/author", self._author),
            Route("/author", self._sign_in, methods=["POST"]),
            Route("/author/leave", self._sign_out, methods=["POST"]),
            Route(f"{API}league.json", self._state),
            Route(f"{API}{BATCH_LOG}", self._log),
            Route(f"{API}{SEASONS}/{{number:int}}.json", self._season),
            Route(f"{API}entries", self._entries),
            Route(TERMS, self._terms),
            Route(UPLOADS, self._submit, methods=["POST"]),
        ]
        if self._options.by_form:
            routes += [
                Route(FORM_UPLOADS, self._shown_entry),
                Route(FORM_UPLOADS, self._take_entry, methods=["POST"]),
                Route(SEND, self._send_entry, methods=["POST"]),
            ]
        if self._options.page:
            routes.append(Route(served_page.PATH, self._served_page))
        handlers = {HTTPException: self._refused, StoreError: self._unreadable}
        return Starlette(routes=routes, exception_handlers=handlers)

    def view(self) -> LeagueView | None:
        """Return the league as it stands, None before its first batch is drawn. Raises
        StoreError.
        """
        league = self.folder.state()
        return LeagueView(league, self.folder, *self.desk.known) if league else None

    # --- pages ---

    def _pages(self, make_for: Callable[[Request], Make]) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            return self._kept_answer(request, lambda: self._page(make_for(request)))

        return answer

    def _page(self, make: Make) -> Response:
        view = self.view()
        page = make(view) if view else pages.message("Not founded", [NOT_FOUNDED])
        if page is None:
            raise HTTPException(404)
        return self._html(page, view)

    def _html(self, page: Page, view: LeagueView | None, status: int = 200) -> HTMLResponse:
        name, receipt = (view.league.name, view.receipt) if view else (NAMELESS, "")
        return HTMLResponse(pages.document(page, name, receipt), status, OF_PAGES)

    def _kept_answer(self, request: Request, make: Callable[[], Response]) -> Response:
        """Return an answer that stays the same until anything public changes; 304 if
        the reader has it already.
        """
        version = self.folder.stamps(), self.desk.known
        if version != self._version:
            self._version = version
            self._kept.clear()
        # no page looks at anything else
        key = f"{request.url.path}?{request.query_params.get('before', '')}"
        kept = self._kept.get(key)
        if kept is None:
            kept = make()
            kept.headers["etag"] = f'"{sha256(kept.body).hexdigest()[:32]}"'
            kept.headers.update(FRESH)
            if len(self._kept) >= KEPT_MOST:
                self._kept.clear()
            self._kept[key] = kept
        if request.headers.get("if-none-match") == kept.headers["etag"]:
            same = ("etag", "cache-control", "content-security-policy")
            headers = {name: kept.headers[name] for name in same if name in kept.headers}
            return Response(status_code=304, headers=headers)
        return kept

    # --- other kinds ---

    async def _feed(self, request: Request) -> Response:
        return self._kept_answer(
            request, lambda: Response(feed.atom(self._founded()), media_type=ATOM)
        )

    async def _badge(self, request: Request) -> Response:
        return self._kept_answer(
            request,
            lambda: Response(feed.league_badge(self._founded()), headers=ANYWHERE, media_type=SVG),
        )

    async def _icon(self, request: Request) -> Response:
        return self._kept_answer(request, lambda: Response(feed.ICON, media_type=SVG))

    async def _bot_badge(self, request: Request) -> Response:
        def make() -> Response:
            view = self._founded()
            bot = view.bot(request.path_params["name"])
            if bot is None:
                raise HTTPException(404)
            return Response(feed.bot_badge(view, bot), headers=ANYWHERE, media_type=SVG)

        return self._kept_answer(request, make)

    def _founded(self) -> LeagueView:
        view = self.view()
        if view is None:
            raise HTTPException(404)
        return view

    async def _chain(self, request: Request) -> Response:
        return self._file(request, CHAIN, LINES)

    async def _state(self, request: Request) -> Response:
        return self._file(request, STATE, "application/json")

    async def _log(self, request: Request) -> Response:
        return self._file(request, BATCH_LOG, LINES)

    async def _season(self, request: Request) -> Response:
        return self._file(request, season_file(request.path_params["number"]), "application/json")

    async def _results(self, request: Request) -> Response:
        number, league = request.path_params["number"], self.folder.state()
        name = f"{BATCHES}/{number}.html"
        if league and 1 <= number <= league.revealed and self.folder.stamp(name) is None:
            await self.desk.wish(number)
            return self._sentence(request, 503, WISHED, {"retry-after": "60"})
        return self._file(request, name, HTML, is_page=True, otherwise=NOT_YET)

    async def _final(self, request: Request) -> Response:
        name = f"{FINALS}/{request.path_params['number']}.html"
        return self._file(request, name, HTML, is_page=True, otherwise=NOT_YET)

    def _file(
        self,
        request: Request,
        name: str,
        media_type: str,
        *,
        is_page: bool = False,
        otherwise: str = NO_PAGE,
    ) -> Response:
        """Return a file of the public folder. Raises HTTPException if it is not there.

        is_page: whether it is a page of results, which brings its policy. One with
            another kind of policy is not served: it could run any script here.
        otherwise: what is said if there is none.
        """
        try:
            file, stamp = self.folder.open(name)
        except OSError:
            raise HTTPException(404, otherwise) from None
        headers = {**FRESH, "etag": etag(stamp), "content-type": media_type}
        if is_page:
            found = _META.search(file.read(POLICY_WITHIN).decode(errors="replace"))
            if not found or not _POLICY.fullmatch(policy := found[1].replace("&#x27;", "'")):
                file.close()
                raise HTTPException(404, otherwise)
            file.seek(0)
            headers["content-security-policy"] = f"{policy}; frame-ancestors 'none'"
        if request.headers.get("if-none-match") == headers["etag"]:
            file.close()
            return Response(status_code=304, headers=headers)
        return FileAnswer(file, stamp.size, headers)

    async def _served_page(self, request: Request) -> Response:
        assert self._options.page
        data, digest = self._options.page
        headers = {
            **FRESH,
            "etag": f'"{digest[:32]}"',
            "content-type": HTML,
            "content-security-policy": served_page.APART,
        }
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return FileAnswer(BytesIO(data), len(data), headers)

    # --- authors ---

    async def _author(self, request: Request) -> Response:
        view = self.view()
        return self._html(await self._authors.page(request, view), view)

    async def _sign_in(self, request: Request) -> Response:
        return await self._authors.sign_in(request)

    async def _sign_out(self, request: Request) -> Response:
        if author := await self._authors.author(request):
            self.forms.drop(author)
        return await self._authors.sign_out(request)

    async def _take_entry(self, request: Request) -> Response:
        try:
            await self.forms.take(request)
        except HTTPException as error:
            return RefusedBody(
                request,
                self._sentence(request, error.status_code, str(error.detail), error.headers),
            )
        return Response(status_code=204)

    async def _shown_entry(self, request: Request) -> Response:
        view = self.view()
        page = await self.forms.page(request, publishes_bots=self._publishes_bots(view))
        return self._html(page, view) if page else RedirectResponse("/author", 303)

    async def _send_entry(self, request: Request) -> Response:
        view = self.view()
        await self.forms.send(request, view, publishes_bots=self._publishes_bots(view))
        return RedirectResponse("/author", 303)

    async def _entries(self, request: Request) -> Response:
        return await entries(request, self.desk, self.view())

    async def _terms(self, request: Request) -> Response:
        view = self.view()
        return terms(view, publishes_bots=self._publishes_bots(view))

    def _publishes_bots(self, view: LeagueView | None) -> bool:
        known = view.league.terms if view else None
        return known.publish_bots if known else self._options.publishes_bots

    async def _submit(self, request: Request) -> Response:
        try:
            view = self.view()
            return await self._uploads.submit(
                request, self.desk, view, publishes_bots=self._publishes_bots(view)
            )
        except HTTPException as error:
            return RefusedBody(
                request,
                self._sentence(request, error.status_code, str(error.detail), error.headers),
            )

    # --- errors ---

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        sentence = NO_PAGE if error.detail == NOTHING_SAID else str(error.detail)
        return self._sentence(request, error.status_code, sentence, error.headers)

    async def _unreadable(self, request: Request, _error: Exception) -> Response:
        return self._sentence(request, 503, UNREADABLE, {"retry-after": "60"})

    def _sentence(
        self,
        request: Request,
        status: int,
        sentence: str,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return a sentence as JSON or as a page, by who asks, with the newest link if
        that can be read.
        """
        view = None
        with suppress(StoreError):
            view = self.view()
        if request.url.path.startswith(API):
            answer: Response = JSONResponse({"error": sentence, **receipt(view)}, status)
        else:
            title = "Not found" if status == 404 else "Refused" if status < 500 else "Not now"
            answer = self._html(pages.message(title, [sentence]), view, status)
        answer.headers.update(headers or {})
        return answer
