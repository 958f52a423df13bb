"""Bots by the form of an author's page: shown before they are sent, and none that
another page, author or session sends.
"""

import socket
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
import trio
from hostile_uploads import HEADS, PATHS, STREAMS
from league_serving import LeagueServer, league_server
from public_league import TICKS, league_folder, write_public
from signed_in import STREAM, Session, league_with_form, signed_in
from starlette.requests import Request
from uploads import folder_of_files, one_of_its_own
from waiting import until
from wording import sentence

from khiva_arena.extensions.league.routes import form_uploads
from khiva_arena.extensions.league.routes.form_uploads import FormUploads, Kept
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import Author


class Place:
    """A league whose authors' pages take bots.

    folder: its folder.
    server: it.
    queue: as the organiser has it.
    """

    def __init__(self, folder: Path, server: LeagueServer, queue: Queue) -> None:
        self.folder, self.server, self.queue = folder, server, queue

    def sign_in(self, name: str) -> Session:
        """Begin a session of an author."""
        return signed_in(self.server, self.queue, name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the league."""
    return league_with_form(tmp_path / "spring")


@pytest.fixture
def place(folder: Path) -> Iterator[Place]:
    with Queue(folder) as queue, league_server(folder, is_forked=True) as server:
        yield Place(folder, server, queue)


def test_a_league_takes_none_unless_it_is_told(tmp_path: Path) -> None:
    folder = league_folder(tmp_path / "spring")
    write_public(folder)
    with Queue(folder) as queue, league_server(folder, is_forked=True) as server:
        with pytest.raises(AssertionError):
            Place(folder, server, queue).sign_in("ann")  # there is no form in the page
        answer = server.ask(
            "/author/entry", "POST", one_of_its_own(), Origin=server.origin, **STREAM
        )
        assert answer.status == 404
        assert queue.entries() == []


@pytest.mark.slow
def test_a_bot_is_shown_before_it_is_sent(place: Place) -> None:
    ann, packed = place.sign_in("ann"), folder_of_files({"lib/a.py": "x" * 1234})
    assert ann.get("/author/entry").headers["location"] == "/author"
    assert ann.choose(packed).status == 204
    shown = ann.get("/author/entry")
    seen = ("lib/a.py", "1,234", 'value="crow"', sha256(packed).hexdigest(), "Signed in as ann.")
    assert all(word in shown.text for word in seen)
    assert (
        "upload the file that it saves for a league when you are" in ann.get("/queue").text
    )  # this league serves no page
    assert place.queue.entries() == []
    assert ann.choose(packed, "my bot (1)").status == 204
    assert (
        'name="name" value=""' in ann.get("/author/entry").text
    )  # no bot can have the name of this file
    assert ann.send(packed, "a_").status == 422
    assert ann.send(packed).headers["location"] == "/author"
    claimed = place.queue.claim()
    assert claimed
    assert (claimed[0].family_name, claimed[1]) == ("crow", packed)
    assert ann.send(packed).status == 409  # it is not there any more
    assert "crow, waiting" in ann.get("/author").text


@pytest.mark.slow
def test_what_comes_from_elsewhere_does_nothing(place: Place) -> None:
    """The cookie is a good one each time: a browser may send it without its author's
    will.
    """
    ann, ben, packed = place.sign_in("ann"), place.sign_in("ben"), one_of_its_own()
    other = place.sign_in("ann")  # whose first token was replaced
    assert ann.choose(packed).status == 403
    ann = other
    for origin in ("", "null", "http://evil.example", "https://127.0.0.1"):
        assert ann.choose(packed, Origin=origin).status == 403
    for token in ("", "x", "0" * 64, ben.token, "\xff"):
        refused = ann.choose(packed, X_Form_Token=token)
        assert (refused.status, sentence("league_serve", "other-session") in refused.text) == (
            403,
            True,
        )
    assert ann.choose(packed, Cookie="").status == 403
    for kind in (
        "",
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
    ):
        assert ann.choose(packed, Content_Type=kind).status == 415
    assert ann.get("/author/entry").status == 303
    assert ann.choose(packed).status == 204
    for origin in ("null", "http://evil.example"):
        assert ann.send(packed, origin=origin).status == 403
    for token in ("", ben.token):
        assert ann.send(packed, token=token).status == 403
    assert ben.send(packed).status == 409
    assert ann.send(packed, digest="0" * 64).status == 409
    assert ann.server.ask("/author/entry/send", Cookie=ann.cookie).status == 405
    assert place.queue.entries() == []


@pytest.mark.slow
def test_nothing_is_left_of_a_session(place: Place) -> None:
    ann, packed = place.sign_in("ann"), one_of_its_own()
    assert ann.choose(packed).status == 204
    assert (
        ann.server.ask(
            "/author/leave", "POST", "", Cookie=ann.cookie, Origin=ann.server.origin
        ).status
        == 303
    )
    assert (
        ann.choose(packed).status,
        ann.send(packed).status,
        ann.get("/author/entry").status,
    ) == (403, 403, 303)
    again = place.sign_in("ann")
    assert again.get("/author/entry").status == 303
    assert again.send(packed, token=ann.token).status == 403
    assert place.queue.entries() == []


@pytest.mark.slow
def test_a_file_that_is_on_its_way_as_its_author_signs_out_is_not_kept(place: Place) -> None:
    ann, packed = place.sign_in("ann"), folder_of_files({"main.py": "#" * 1000})
    with socket.create_connection(("127.0.0.1", ann.server.port)) as slow:
        slow.sendall(_head(ann, len(packed)) + packed[:100])
        assert ann.server.ask("/").status == 200  # as below
        assert until(lambda: ann.choose(b"").status == 429)
        assert (
            ann.server.ask(
                "/author/leave", "POST", "", Cookie=ann.cookie, Origin=ann.server.origin
            ).status
            == 303
        )
        slow.sendall(packed[100:])
        assert b"403" in slow.recv(65_536).split(b"\r\n")[0]
    assert place.sign_in("ann").get("/author/entry").status == 303


def test_a_file_that_comes_while_another_is_sent_stays() -> None:
    ann, (first, second) = (
        Author("ann", "ann", True),
        (Kept("crow", word, [], word.hex(), inf) for word in (b"1", b"2")),
    )
    body = urlencode({"token": "", "digest": first.digest, "name": "crow"}).encode()
    sent = []

    async def add_upload(
        _author: Author, _name: str, packed: bytes, *_: object, agreed: bool
    ) -> None:
        sent.append((packed, agreed))
        forms._keep(ann, second)

    async def author_of_form(*_: object) -> Author:
        return ann

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body}

    desk, authors = (
        SimpleNamespace(add_upload=add_upload),
        SimpleNamespace(author_of_form=author_of_form),
    )
    forms = FormUploads(desk, authors, None)  # type: ignore[arg-type]
    forms._keep(ann, first)
    request = Request(
        {"type": "http", "headers": [(b"content-type", form_uploads.FIELDS.encode())]}, receive
    )
    trio.run(partial(forms.send, request, None, publishes_bots=False))
    assert (sent, forms._of(ann)) == ([(b"1", False)], second)


@pytest.mark.slow
def test_forged_files_and_bombs_are_refused_in_words(place: Place) -> None:
    ann = place.sign_in("ann")
    for upload in (*STREAMS, *HEADS, *PATHS):
        refused = ann.choose(upload.make())
        assert refused.status in (413, 422), upload.about
        assert "<script>" not in refused.text.partition("<main")[2].partition("</main>")[0], (
            upload.about
        )
        assert refused.headers["content-security-policy"].startswith("default-src 'none'")
    assert ann.get("/author/entry").status == 303
    assert place.server.ask("/").status == 200
    shown = ann.choose(one_of_its_own(), "<script>alert(1)</script>")
    assert (shown.status, "alert(1)" in ann.get("/author/entry").text) == (204, False)


@pytest.mark.slow
def test_a_file_has_a_length_and_an_author_one_at_a_time(place: Place) -> None:
    ann, packed = place.sign_in("ann"), folder_of_files({"main.py": "#" * 1000})
    with socket.create_connection(("127.0.0.1", ann.server.port)) as declared:
        declared.sendall(_head(ann, 1 << 40))
        assert b"413" in declared.recv(65_536).split(b"\r\n")[0]
    with socket.create_connection(("127.0.0.1", ann.server.port)) as longer:
        longer.sendall(
            _head(ann, len(packed) - 1) + packed
        )  # what is beyond its length belongs to no request
        assert b"422" in longer.recv(65_536).split(b"\r\n")[0]
    with socket.create_connection(("127.0.0.1", ann.server.port)) as slow:
        slow.sendall(_head(ann, len(packed)) + packed[:100])
        assert ann.server.ask("/").status == 200  # the file came before, and so has its place
        assert until(lambda: ann.choose(b"").status == 429)
        slow.sendall(packed[100:])
        assert b"204" in slow.recv(65_536).split(b"\r\n")[0]
    assert place.queue.entries() == []


def _head(session: Session, length: int) -> bytes:
    words = [
        "POST /author/entry?name=crow HTTP/1.1",
        f"Host: 127.0.0.1:{session.server.port}",
        f"Content-Length: {length}",
    ]
    words += [
        f"Origin: {session.server.origin}",
        f"Cookie: {session.cookie}",
        f"X-Form-Token: {session.token}",
    ]
    return "\r\n".join([*words, "Content-Type: application/octet-stream", "", ""]).encode()


@pytest.mark.slow
def test_a_league_that_publishes_bots_and_the_limits_of_an_author_hold_here_too(
    place: Place,
) -> None:
    write_public(place.folder, terms=TICKS)
    ann, packed = place.sign_in("ann"), one_of_its_own()
    assert ann.choose(packed).status == 204
    assert 'name="agreed"' in ann.get("/author/entry").text
    assert ann.send(packed).status == 422
    assert ann.send(packed, agreed="1").status == 303
    assert place.queue.entries()[0].agreed
    for _ in range(3):
        more = one_of_its_own()
        ann.choose(more)
        last = ann.send(more, agreed="1")
    assert (last.status, len(place.queue.entries())) == (422, 3)  # `uploads_waiting`


def test_what_is_kept_is_bounded_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(form_uploads, "MOST_KEPT", 100)
    forms = FormUploads(None, None, None, lambda: now)  # type: ignore[arg-type]
    ann, ben, eve = (Author(name, name, True) for name in ("ann", "ben", "eve"))

    def keep(author: Author, size: int) -> None:
        forms._keep(author, Kept("", bytes(size), [], "", now + form_uploads.KEPT_SECONDS))

    def kept() -> list[int]:
        return [
            len(found.packed) if (found := forms._of(author)) else 0 for author in (ann, ben, eve)
        ]

    keep(ann, 30)
    keep(ben, 70)
    assert kept() == [30, 70, 0]
    keep(eve, 1)  # the largest goes
    keep(ann, 99)  # in place of the first one
    assert kept() == [99, 0, 1]
    now = form_uploads.KEPT_SECONDS
    assert kept() == [0, 0, 0]
    assert not forms._kept
