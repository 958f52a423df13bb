"""The page khiva-arena.html beside a league: authors write bots in it. It is kept apart
from the pages of the league.
"""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.display.page.html import BEGINNING
from khiva_arena.display.page.released import whose_page
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.routes.markup import Markup, joined, link, tag

PATH = "/khiva-arena.html"
MOST_BYTES = 64 << 20
WORKER = b' id="worker.js">'
"""A part that this page alone has: one of results begins as it does."""
APART = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""The policy beside the page's own one: it has an origin of its own, so no cookie of an
author, and stands in no frame.
"""

UPLOAD = (
    "Without installing anything: write one in khiva-arena.html, and upload the file that it "
    "saves for a league when you are "
)


class BenchPage(NamedTuple):
    """The page as it is served.

    data: its bytes.
    digest: their SHA-256.
    """

    data: bytes
    digest: str


def read(path: Path) -> BenchPage:
    """Read the page before the server confines itself. Raises ConfigError if it cannot
    be read, or is another kind of file.
    """
    try:
        data = regular_files.read(path, MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"--page {path}: {error.strerror or error}") from None
    if not data.startswith(BEGINNING) or WORKER not in data:
        raise ConfigError(
            f"--page {path}: `khiva-arena page` did not make this; take khiva-arena.html "
            "from a release"
        )
    return BenchPage(data, sha256(data).hexdigest())


def pointer(page: BenchPage | None, *, by_form: bool) -> Markup:
    """Return a paragraph that leads to the page, or if there is none to the form, or
    nothing.

    by_form: whether authors may upload what it saves.
    """
    if page is None:
        return tag("p", UPLOAD, link("/author", "signed in"), ".") if by_form else joined()
    form = (
        (" and upload the file when you are ", link("/author", "signed in"), ". ")
        if by_form
        else (". ",)
    )
    return tag(
        "p",
        "Without installing anything: write one in ",
        link(PATH, "khiva-arena.html"),
        ", choose \u201cSave for a league\u201d",
        *form,
        "The page has the SHA-256 ",
        tag("code", page.digest),
        f", {whose_page(page.digest)}.",
    )
