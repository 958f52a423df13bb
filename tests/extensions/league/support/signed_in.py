"""An author who has signed in to a league, by plain requests, and sends bots by the
form.
"""

import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlencode

from league_serving import Answered, LeagueServer
from public_league import league_folder, write_public

from khiva_arena.extensions.league.submissions.queue import Queue

FIELDS = {"Content_Type": "application/x-www-form-urlencoded"}
STREAM = {"Content_Type": "application/octet-stream"}
TOKEN = re.compile('data-token="([0-9a-f]{64})"')


class Session:
    """A browser in which an author has signed in.

    cookie: that it sends with each request.
    token: of its forms.
    """

    def __init__(self, server: LeagueServer, cookie: str) -> None:
        self.server, self.cookie = server, cookie
        found = TOKEN.search(self.get("/author").text)
        assert found
        self.token = found[1]

    def get(self, path: str) -> Answered:
        """Open a page."""
        return self.server.ask(path, Cookie=self.cookie)

    def choose(self, packed: bytes, name: str = "crow", **headers: str) -> Answered:
        """Choose a file, as the script of the page does. ``headers``: in place of those
        that it sends; "" for none.
        """
        given = {
            "Origin": self.server.origin,
            "Cookie": self.cookie,
            "X_Form_Token": self.token,
            **STREAM,
            **headers,
        }
        words = {key: value for key, value in given.items() if value}
        return self.server.ask(
            f"/author/entry?name={quote(name, safe='')}", "POST", packed, **words
        )

    def send(
        self, packed: bytes, name: str = "crow", *, origin: str = "", **fields: str
    ) -> Answered:
        """Press "Send". ``fields``: in place of those of the page."""
        given = {"token": self.token, "digest": sha256(packed).hexdigest(), "name": name, **fields}
        headers = {"Origin": origin or self.server.origin, "Cookie": self.cookie, **FIELDS}
        return self.server.ask("/author/entry/send", "POST", urlencode(given), **headers)


def league_with_form(folder: Path) -> Path:
    """Make a public league whose authors' pages take bots, and return its folder."""
    made = league_folder(folder)
    settings = made / "league.toml"
    settings.write_text(
        settings.read_text().replace("uploads_by_form = false", "uploads_by_form = true")
    )
    write_public(made)
    return made


def signed_in(server: LeagueServer, queue: Queue, name: str) -> Session:
    """Begin a session of an author, who gets a new token for it."""
    author = queue.author(name) or queue.add_author(name)
    body = urlencode({"token": queue.rotate(author.id)})
    answer = server.ask("/author", "POST", body, Origin=server.origin, **FIELDS)
    return Session(server, answer.headers["set-cookie"].partition(";")[0])
