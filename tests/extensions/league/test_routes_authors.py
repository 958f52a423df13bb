"""Signing in, by plain requests: whose cookie it is, where it comes from and what it
opens.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from league_serving import Answered, LeagueServer, league_server
from public_league import ANN, BEN, league_folder, write_public
from wording import sentence

from khiva_arena.extensions.league.routes import tokens
from khiva_arena.extensions.league.submissions.beside_entries import NOTES_OF_BATCHES
from khiva_arena.extensions.league.submissions.queue import Queue

FORM = {"Content_Type": "application/x-www-form-urlencoded"}
ANNS, BENS = "a check that ann alone may read <b>", "a check that ben alone may read"


class Place:
    """A server with two authors, each with a bot that was refused.

    server: it.
    queue: its queue, as the organiser has it.
    ann, ben: their tokens.
    """

    def __init__(self, server: LeagueServer, queue: Queue) -> None:
        self.server, self.queue = server, queue
        self.ann, self.ben = self._author("ann", ANNS), self._author("ben", BENS)

    def _author(self, name: str, report: str) -> str:
        author = self.queue.add_author(name)
        number = self.queue.add_entry(
            author.id, f"{name}'s crow".replace("'", ""), name * 16, name.encode()
        )
        self.queue.settle(number, "refused", report, f"sha256:{name}")
        return self.queue.rotate(author.id)

    def sign_in(self, token: str, **headers: str) -> Answered:
        """Send the form, as a page of ours does."""
        given = {"Origin": self.server.origin, **FORM, **headers}
        return self.server.ask("/author", "POST", urlencode({"token": token}), **given)

    def cookie(self, token: str) -> str:
        """Return the cookie of a new session."""
        return self.cookie_of(self.server, token)

    @staticmethod
    def cookie_of(server: LeagueServer, token: str) -> str:
        """Return the cookie of a new session with a server."""
        answer = server.ask(
            "/author", "POST", urlencode({"token": token}), Origin=server.origin, **FORM
        )
        assert (answer.status, answer.headers["location"]) == (303, "/author")
        return answer.headers["set-cookie"].partition(";")[0]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    folder = league_folder(tmp_path / "spring")
    write_public(folder)
    with Queue(folder) as queue, league_server(folder, is_forked=True) as server:
        yield Place(server, queue)


@pytest.mark.slow
def test_an_author_sees_the_own_checks_and_nobody_else_does(place: Place) -> None:
    answer = place.sign_in(place.ann)
    said = answer.headers["set-cookie"].lower()
    assert said.startswith("__host-author=")
    assert all(f"; {word}" in said for word in ("secure", "httponly", "samesite=strict", "path=/"))
    assert "domain" not in said
    assert place.ann not in answer.headers["set-cookie"]
    page = place.server.ask("/author", Cookie=place.cookie(place.ann))
    assert "a check that ann alone may read &lt;b&gt;" in page.text
    assert "<code>sha256:ann</code>" in page.text  # the identity of the bot
    assert BENS not in page.text
    assert "sha256:ben" not in page.text
    assert page.headers["cache-control"] == "no-store"
    others = [
        place.server.ask(path).text
        for path in ("/", "/queue", "/author", "/api/league.json", "/feed.xml")
    ]
    assert not [text for text in others if "alone may read" in text]


@pytest.mark.slow
def test_programs_get_the_entries_of_their_author_alone(place: Place) -> None:
    answer = place.server.ask("/api/entries", Authorization=f"Bearer {place.ben}")
    assert answer.status == 200
    assert [(one["bot"], one["state"], one["report"]) for one in answer.data["entries"]] == [
        ("bens crow", "refused", BENS)
    ]
    assert answer.data["link"] == 40
    for header in (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {place.ben}",
        "Bearer \xff",
        f"Bearer {place.ben}x",
    ):
        wrong = place.server.ask("/api/entries", Authorization=header)
        assert (wrong.status, wrong.data["error"]) == (401, sentence("league_serve", "wrong-token"))
        assert wrong.data["link"] == 40


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "https://127.0.0.1"])
def test_a_form_of_another_page_does_nothing(place: Place, origin: str) -> None:
    given = {"Origin": origin} if origin else {}
    body = urlencode({"token": place.ann})
    for path in ("/author", "/author/leave"):
        answer = place.server.ask(
            path, "POST", body, Cookie=place.cookie(place.ann), **FORM, **given
        )
        assert answer.status == 403
        assert "set-cookie" not in answer.headers


@pytest.mark.slow
def test_a_session_ends_when_its_author_leaves_or_loses_the_token(place: Place) -> None:
    one, other = place.cookie(place.ann), place.cookie(place.ann)
    answer = place.server.ask("/author/leave", "POST", "", Cookie=one, Origin=place.server.origin)
    assert answer.status == 303
    assert "signed in" not in place.server.ask("/author", Cookie=one).text.lower()
    assert "Signed in as ann" in place.server.ask("/author", Cookie=other).text
    author = place.queue.author("ann")
    assert author
    place.queue.rotate(author.id)
    assert "Signed in" not in place.server.ask("/author", Cookie=other).text
    assert place.sign_in(place.ann).status == 401


@pytest.mark.slow
def test_a_right_token_always_enters_however_many_wrong_ones_came(place: Place) -> None:
    assert {place.sign_in(f"guess-{at}").status for at in range(30)} == {401}
    assert place.sign_in(place.ann).status == 303
    assert place.server.ask("/api/entries", Authorization=f"Bearer {place.ann}").status == 200


@pytest.mark.slow
def test_forms_that_are_none_are_wrong_tokens(place: Place) -> None:
    for body in (
        b"",
        b"\xff\xfe",
        b"token",
        b"a=1&b=2&c=3&d=4&e=5&f=6&g=7",
        b"token=" + b"x" * 60_000,
    ):
        assert (
            place.server.ask("/author", "POST", body, Origin=place.server.origin, **FORM).status
            == 401
        )
    assert (
        place.server.ask(
            "/author", "POST", b"x" * 70_000, Origin=place.server.origin, **FORM
        ).status
        == 413
    )


def test_sessions_end_by_themselves_and_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(tokens, "SESSIONS_MOST", 2)
    sessions = tokens.Sessions(lambda: now)
    first, second, third = (sessions.begin(name) for name in ("a", "b", "c"))
    assert [sessions.token(word) for word in (first, second, third, "", "\ud800")] == [
        None,
        "b",
        "c",
        None,
        None,
    ]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", word) for word in (first, second))
    now = tokens.SESSION_SECONDS
    assert sessions.token(second) is None


def test_no_author_ends_the_sessions_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "SESSIONS_MOST", 4)
    monkeypatch.setattr(tokens, "OF_A_TOKEN_MOST", 2)
    sessions = tokens.Sessions()
    words = [sessions.begin(token) for token in ("ben", *["ann"] * 9)]
    assert [sessions.token(word) for word in words] == ["ben", *[None] * 7, "ann", "ann"]


@pytest.mark.slow
def test_an_author_sees_what_the_own_bots_wrote_and_nobody_else_does(tmp_path: Path) -> None:
    folder = league_folder(tmp_path / "spring")
    with Queue(folder) as queue:
        authors = {name: queue.add_author(name) for name in ("ann", "ben")}
        bots = write_public(folder).bots
        ids = {ANN: authors["ann"].id, BEN: authors["ben"].id}
        write_public(folder, authors=ids)
        own = {
            name: next(bot for bot in bots if ids.get(bot.author) == authors[name].id)
            for name in authors
        }
        for name, bot in own.items():
            number = queue.add_entry(
                authors[name].id, f"{name} bird", bot.identity, bot.identity.encode()
            )
            queue.settle(number, "accepted", "", bot.identity)
        queue.keep_notes(7, {bot.identity: f"a song of {name} <b>" for name, bot in own.items()})
        token = queue.rotate(authors["ann"].id)
        with league_server(folder) as server:
            page = server.ask("/author", Cookie=Place.cookie_of(server, token)).text
            assert "a song of ann &lt;b&gt;" in page
            assert f"{own['ann'].name} in batch 7" in page
            assert "a song of ben" not in page
            assert not [
                path
                for path in ("/", "/queue", f"/bots/{own['ann'].name.replace(' ', '%20')}")
                if "a song" in server.ask(path).text
            ]
        queue.keep_notes(7 + NOTES_OF_BATCHES, {own["ben"].identity: "later"})
        assert queue.notes_of(authors["ann"].id) == {}
