"""The Atom feed of a league and its badges. What is kept of them is a receipt of the
newest link.
"""

import uuid

from khiva_arena.common.text import harmless
from khiva_arena.extensions.league.public_state import PublicBatch, PublicBot
from khiva_arena.extensions.league.routes.markup import Markup, tag
from khiva_arena.extensions.league.routes.view import BEFORE_THE_FIRST, LeagueView, elo_text
from khiva_arena.words import count

ENTRIES_MOST = 60
_LETTER = 6.6
"""The width of a letter of a badge, about."""
_NAMES = uuid.UUID("7d9ce8a0-5c0e-5b0e-9d63-7c4cc5b0a6f1")
"""The name space of ids in feeds: any number that stays the same."""
ICON = tag(
    "svg",
    tag("rect", width=16, height=16, rx=3, fill="#0f7480"),
    tag("polyline", points="3,12 6,7 9,9 13,4", fill="none", stroke="#fff", stroke_width=2),
    xmlns="http://www.w3.org/2000/svg",
    viewBox="0 0 16 16",
)
"""The icon of all pages: a line over time."""


def atom(view: LeagueView) -> str:
    """Return the feed: an entry a batch, which is updated when the batch is over."""
    batches = view.league.batches
    founded = batches[0].event if batches else view.league.name
    parts = [
        tag("title", view.league.name),
        tag("id", f"urn:uuid:{uuid.uuid5(_NAMES, founded)}"),
        tag("updated", view.league.updated),
        tag("subtitle", view.receipt),
        tag("author", tag("name", view.league.name)),
        Markup('<link rel="self" href="/feed.xml"/><link href="/"/>'),
        *(_entry(batch) for batch in list(reversed(batches))[:ENTRIES_MOST]),
    ]
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tag(
        "feed", *parts, xmlns="http://www.w3.org/2005/Atom"
    )


def _entry(batch: PublicBatch) -> Markup:
    state = f"is over; run digest {batch.run_digest}" if batch.over_at else "is drawn"
    words = f"Batch {batch.number} {state}; {receipt_of(batch)}"
    return tag(
        "entry",
        tag("title", f"Batch {batch.number} {'is over' if batch.over_at else 'is drawn'}"),
        tag("id", f"urn:uuid:{uuid.uuid5(_NAMES, batch.event)}"),
        tag("updated", batch.over_at or batch.drawn_at),
        tag("published", batch.drawn_at),
        Markup(f'<link href="/batches/{batch.number}"/>'),
        tag(
            "content",
            f"{words}; {count(batch.bots, 'bot')}, {count(batch.matches, 'match', 'matches')}",
            type="text",
        ),
    )


def receipt_of(batch: PublicBatch) -> str:
    """Return the link that drew a batch, and its commitment."""
    return f"link {batch.link} {batch.link_digest}; commitment {batch.commitment}"


def league_badge(view: LeagueView) -> str:
    """Return the badge of the league."""
    active = sum(bot.state == "active" for bot in view.league.bots)
    newest = f"batch {view.newest.number}" if view.newest else BEFORE_THE_FIRST
    return _badge(view.league.name, f"{newest}, {count(active, 'bot')}", view.receipt)


def bot_badge(view: LeagueView, bot: PublicBot) -> str:
    """Return the badge of a bot: its rating with the interval."""
    row = view.rows.get(bot.identity)
    return _badge(
        bot.name,
        f"Elo {elo_text(row)}" if row and row["elo"] is not None else bot.state,
        view.receipt,
    )


def _badge(name: str, says: str, receipt: str) -> str:
    name, says = harmless(name, 40), harmless(says, 40)
    left, right = round(14 + _LETTER * len(name)), round(14 + _LETTER * len(says))
    font: dict[str, str | int] = {
        "font_family": "Verdana, DejaVu Sans, sans-serif",
        "font_size": 11,
        "fill": "#fff",
        "text_anchor": "middle",
    }
    return tag(
        "svg",
        tag("title", f"{name}: {says}"),
        tag("desc", receipt),
        tag("rect", width=left, height=20, fill="#3a4149"),
        tag("rect", x=left, width=right, height=20, fill="#0f7480"),
        tag("text", name, **font, x=left // 2, y=14, textLength=left - 14),
        tag("text", says, **font, x=left + right // 2, y=14, textLength=right - 14),
        xmlns="http://www.w3.org/2000/svg",
        width=left + right,
        height=20,
        viewBox=f"0 0 {left + right} 20",
        role="img",
        aria_label=f"{name}: {says}",
    )
