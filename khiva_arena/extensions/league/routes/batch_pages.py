"""The public pages of a league that show its batches: all, and one with its deals."""

from collections import Counter

from khiva_arena.extensions.league.public_state import PublicBatch
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, table, tag
from khiva_arena.extensions.league.routes.pages import OWN_WORD, Page, batch_link, bot_link
from khiva_arena.extensions.league.routes.view import LeagueView, when
from khiva_arena.words import count

BATCHES_MOST = 200
"""The batches that one page lists."""
NOT_FOUNDED = "This league has not begun: its first batch founds it."


def batches(view: LeagueView, before: int) -> Page:
    """Return the list of batches, the newest first. ``before``: list those with lower
    numbers.
    """
    last = min(view.newest.number if view.newest else 0, max(0, before - 1))
    shown = [one for at in range(last, max(0, last - BATCHES_MOST), -1) if (one := view.batch(at))]
    rows = [
        [
            batch_link(batch),
            when(batch.drawn_at),
            when(batch.over_at) or "is played",
            str(batch.bots),
            str(batch.matches),
            str(len(batch.set_aside)),
            _revealed(batch),
        ]
        for batch in shown
    ]
    head = ["batch", "drawn", "over", "bots", "matches", "set aside", "secrets"]
    older = (
        tag("p", link(f"/batches?before={shown[-1].number}", "older ones"))
        if last > BATCHES_MOST
        else joined()
    )
    words = (
        "Each batch is a small event with a secret of its own. Its commitment is published "
        "before its first match."
    )
    listed = (
        table("Batches, the newest first", head, rows)
        if rows
        else tag("p", NOT_FOUNDED, class_="dim")
    )
    return Page("Batches", joined(tag("p", words), listed, older))


def _revealed(batch: PublicBatch) -> str:
    if batch.revealed:
        return "public"
    return "public later" if batch.over_at else "secret while it is played"


def batch(view: LeagueView, number_: int) -> Page | None:
    """Return the page of a batch, None if there is none."""
    one = view.batch(number_)
    if one is None:
        return None
    page = (
        link(f"/batches/{one.number}.html", "all matches, with replays")
        if one.revealed
        else joined(_revealed(one))
    )
    rows = [
        ("Drawn", when(one.drawn_at)),
        ("Over", when(one.over_at) or "it is played"),
        ("Bots", str(one.bots)),
        ("Matches", joined(f"{one.matches}; ", page)),
        ("Event", joined(tag("code", one.event), f", number {one.event_number} in the store")),
        ("Drawn by", tag("code", f"link {one.link} {one.link_digest}")),
        ("Commitment", tag("code", one.commitment)),
        ("Deals", _deals(view.league.beacon, one)),
        (
            "Run digest",
            tag("code", one.run_digest) if one.run_digest else joined("when it is over"),
        ),
    ]
    return Page(f"Batch {one.number}", joined(facts(rows), _set_aside(one)))


def _deals(beacon: str, one: PublicBatch) -> Markup:
    """Return whose word the deals of a batch are."""
    if one.round is None:
        return joined(OWN_WORD)
    line = (
        joined(": ", tag("code", one.line))
        if one.line
        else joined(", which is here when the batch is over")
    )
    return joined(
        f"follow from the secret and from the line of round {one.round} of "
        f"{beacon or 'the beacon'}",
        line,
    )


def _set_aside(one: PublicBatch) -> Markup:
    if not one.set_aside:
        return tag(
            "p",
            "No table was set aside." if one.over_at else "No table is set aside so far.",
        )
    counts = Counter(name for names in one.set_aside for name in names)
    words = (
        f"{count(len(one.set_aside), 'table')} could not be played by the organiser's machine, "
        "were tried twice more and are not rated. Compare how often each bot sat there: who is set "
        "aside often where the table would have been lost is favoured."
    )
    rows = [[bot_link(name), str(often)] for name, often in counts.most_common()]
    return joined(
        tag("h2", "Set aside"),
        tag("p", words),
        table("Tables set aside, by bot", ["bot", "tables"], rows),
    )
