"""A league's pages point at the page that checks bundles."""

from khiva_arena.extensions.league.routes.markup import joined
from khiva_arena.extensions.league.routes.pages import Page, document


def test_they_do_so_once_there_is_something_to_check() -> None:
    page = Page("Standings", joined("a table"))
    assert "khiva-arena.html" in document(page, "spring", "receipt 1")
    assert "khiva-arena.html" not in document(page, "spring", "")
