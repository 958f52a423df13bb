"""HTML of which every word is escaped, unless it is markup that was made here."""

import html
from collections.abc import Iterable, Sequence

from khiva_arena.common.text import isolated

_LONGEST = 20_000  # characters of a text
_EMPTY = ("img", "input", "link", "meta")
_EMPTY_IN_SVG = ("circle", "line", "polygon", "polyline", "rect")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(word: str) -> Markup:
    """Return a word as HTML: no mark in it is markup, and none turns or hides its
    neighbours.
    """
    return (
        word
        if isinstance(word, Markup)
        else Markup(html.escape(isolated(word, _LONGEST, keep="\t\n")))
    )


def joined(*parts: str) -> Markup:
    """Return parts one after another."""
    return Markup("".join(map(escaped, parts)))


def tag(name: str, /, *parts: str, **attributes: str | int | float) -> Markup:
    """Return an element with its parts. ``attributes``: ``class_`` stands for "class",
    other underscores for dashes.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(str(value))}"'
        for key, value in attributes.items()
    )
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    if name in _EMPTY_IN_SVG:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{joined(*parts)}</{name}>")


def link(to: str, word: str) -> Markup:
    """Return a link. ``to``: a path of this server, or of its own page."""
    return tag("a", word, href=to)


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: int = 1,
) -> Markup:
    """Return a table whose first column heads its rows. Its roles are named, since its
    rows are blocks where a screen is narrow; each cell has its head before it there.

    rows: a row of one cell stands across all columns.
    left: how many columns, from the first on, are words.
    """

    kinds = [{"class_": "left"} if at < left else {} for at in range(len(head))]

    def cells(row: Sequence[str]) -> Markup:
        across = {"colspan": len(head)} if len(row) < len(head) else {}
        first = tag("th", row[0], scope="row", role="rowheader", **kinds[0], **across)
        others = zip(row[1:], head[1:], kinds[1:], strict=not across)
        return tag(
            "tr",
            first,
            *(tag("td", cell, role="cell", data_head=word, **kind) for cell, word, kind in others),
            role="row",
        )

    heads = tag(
        "tr",
        *(
            tag("th", word, scope="col", role="columnheader", **kind)
            for word, kind in zip(head, kinds, strict=True)
        ),
    )
    body = tag("tbody", *map(cells, rows), role="rowgroup")
    made = tag(
        "table", tag("caption", caption), tag("thead", heads, role="rowgroup"), body, role="table"
    )
    return tag("div", made, class_="scrolls", tabindex=0, role="region", aria_label=caption)


def facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return a list of terms, each with what is to be said of it."""
    return tag("dl", *(joined(tag("dt", term), tag("dd", text)) for term, text in rows))
