"""The public pages of a league: functions from what is known of it to HTML."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from khiva_arena.common.version import shown
from khiva_arena.display.page.html import hash_of, in_palette
from khiva_arena.display.page.released import check_it_yourself
from khiva_arena.extensions.league.public_state import PublicBatch
from khiva_arena.extensions.league.routes import entering, intervals, rules
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, table, tag
from khiva_arena.extensions.league.routes.view import (
    LeagueView,
    OwnMatch,
    elo_text,
    faults_text,
    ranks_text,
    when,
)
from khiva_arena.words import count

FIRST_PLACE = (
    "A table that is looked at day by day names somebody first by luck again and again: each look "
    "is one more chance. The intervals here are those of one table looked at once, so \u201cfirst "
    "since Tuesday\u201d says nothing; of two bots whose ranks overlap, neither is ahead yet. The "
    "table to quote is the last one of a season, if that was named before."
)
FINAL = (
    "Who is best is decided by the final: an event of its own on new deals among the best of the "
    "table, whose line-up and commitment are a link of the chain before its first match. It never "
    "counts in this table, and this table never counts in it."
)
ORDER = (
    "The order is by the lower end of each bot's 95 % interval against the other bots, so "
    "nobody is ahead by being new."
)
KEEP = joined(
    "This page is a receipt. Keep it, and ",
    tag("code", "khiva-arena verify --seen"),
    " compares it with the chain: a batch that was thrown away and played again shows, as "
    "long as one receipt of it is outside.",
)
OWN_WORD = "the organiser's word: no text from outside is mixed into them"
NO_TABLE = "The table is here as soon as the first batch is over."
_NAVIGATION = (
    ("/", "Standings"),
    ("/batches", "Batches"),
    ("/queue", "Queue"),
    ("/seasons", "Seasons"),
    ("/author", "Authors"),
)


class Page(NamedTuple):
    """A page.

    title: of the page, and its heading.
    main: all else in it.
    grows: whether it is kept up to date while somebody reads it.
    uploads: whether it has a form that takes a file.
    """

    title: str
    main: Markup
    grows: bool = True
    uploads: bool = False


STYLE = Markup(in_palette(files(__package__) / "league.css"))
SCRIPT, UPLOAD = (
    Markup((files(__package__) / name).read_text("utf-8")) for name in ("grow.js", "upload.js")
)
POLICY = (
    f"default-src 'none'; script-src '{hash_of(SCRIPT)}' '{hash_of(UPLOAD)}'; style-src "
    f"'{hash_of(STYLE)}'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The policy of every page: it may run the scripts of this folder and wear its style,
by their hashes, and no more.
"""


def document(page: Page, name: str, receipt: str) -> str:
    """Return a whole page. ``name``: of the league. ``receipt``: of its newest link, ""
    before there is one.
    """
    navigation = tag(
        "nav", *(link(to, word) for to, word in _NAVIGATION), aria_label="Pages of the league"
    )
    chain = tag("p", tag("code", receipt), class_="receipt") if receipt else joined()
    ways = tag(
        "p",
        link("/chain.jsonl", "chain"),
        " ",
        link("/feed.xml", "feed"),
        " ",
        link("/api/league.json", "data"),
    )
    check = joined(tag("p", KEEP), tag("p", check_it_yourself())) if receipt else joined()
    foot = tag("footer", chain, check, ways, tag("p", f"Khiva Arena {shown()}"))
    head = joined(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", page.title if page.title == name else f"{page.title} \u00b7 {name}"),
        tag("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
        tag("link", rel="alternate", type="application/atom+xml", href="/feed.xml", title=name),
        tag("style", STYLE),
    )
    body = tag(
        "body",
        tag("a", "Skip to the page", href="#main", class_="skip"),
        tag("header", tag("p", link("/", name), class_="league"), navigation),
        tag("main", tag("h1", page.title), page.main, id="main", tabindex=-1),
        foot,
        tag("script", SCRIPT) if page.grows else joined(),
        tag("script", UPLOAD) if page.uploads else joined(),
    )
    return "<!doctype html>\n" + tag("html", tag("head", head), body, lang="en")


def bot_link(name: str) -> Markup:
    """Return a link to the page of a bot."""
    return link(f"/bots/{quote(name, safe='')}", name)


# --- standings ---


def standings(view: LeagueView) -> Page:
    """Return the page of the newest table, and of the batch that is played."""
    league = view.league
    active = sum(bot.state == "active" for bot in league.bots)
    rows = [
        ("Game", joined(entering.rules_link(league.game), f", {league.seats} at a table")),
        ("Bots", f"{active} active"),
        ("Batches", f"{view.over} over"),
        ("Now", _now(view)),
        (
            "Commitment",
            joined(
                tag("code", view.commitment), f", published before the first match of {_of(view)}"
            ),
        ),
        ("Deals", _whose_deals(league.beacon)),
        ("Terms", entering.terms_in_brief(league)),
        ("Take part", link("/queue#submit", "how to submit a bot")),
    ]
    meaning = tag(
        "section",
        tag("h2", "What first place means", id="first"),
        _paragraphs(FIRST_PLACE, FINAL),
        _finals(view),
    )
    one_look = joined(
        " That is said of one look at the table: ", link("#first", "what first place means"), "."
    )
    lead = tag("p", view.lead, one_look, class_="lead") if view.lead else joined()
    main = joined(lead, facts(rows), _table(view), entering.terms(league), meaning)
    return Page("Standings", main)


def _whose_deals(beacon: str) -> Markup:
    """Return by whose chance the deals of a league are. ``beacon``: its name, "" for
    none.
    """
    if not beacon:
        return joined(f"{OWN_WORD}, so an organiser may choose them, or know them beforehand")
    come = f"each batch's follow from a line of {beacon} that comes after its commitment"
    witness = tag("code", "khiva-arena league receipt https://THIS-ADDRESS")
    return joined(
        come,
        ". Nobody chose them or knew them, if a witness had its link before that: be one with ",
        witness,
    )


def _of(view: LeagueView) -> str:
    return f"batch {view.newest.number}" if view.newest else "the first batch"


def _now(view: LeagueView) -> Markup:
    if not view.newest:
        return joined("the first batch is not drawn yet")
    if batch := view.open:
        words = (
            f" is played since {when(batch.drawn_at)}: "
            f"{count(batch.matches, 'match', 'matches')} of {count(batch.bots, 'bot')}"
        )
        return joined(batch_link(batch), words)
    coming = (
        f"begins at {when(view.league.next_begin)}"
        if view.league.next_begin
        else "is not drawn yet"
    )
    return joined(
        batch_link(view.newest),
        f" is over since {when(view.newest.over_at)}; the next one {coming}",
    )


def batch_link(batch: PublicBatch) -> Markup:
    return link(f"/batches/{batch.number}", f"batch {batch.number}")


def _table(view: LeagueView) -> Markup:
    if not view.pool:
        return tag("p", NO_TABLE, class_="dim")
    ends = intervals.range_of(map(intervals.interval_of, view.rows.values()))
    rows = []
    for identity, row in view.rows.items():
        bot = view.bots.get(identity)
        whisker = intervals.beside(intervals.interval_of(row), ends)
        state = "" if bot is None or bot.state == "active" else f" ({bot.state})"
        name = joined(bot_link(row["name"]), state) if bot else joined(row["name"])
        author = view.author(bot) if bot else ""
        faults = faults_text(row) or "none"
        rows.append(
            [name, ranks_text(row), elo_text(row), whisker, author, str(row["matches"]), faults]
        )
    head = ["bot", "ranks", "Elo", "interval", "author", "matches", "faults"]
    _draw_line(rows, view.pool)
    caption = f"The table of {view.league.table_season} after batch {view.league.table_batch}"
    return joined(
        table(caption, head, rows), tag("p", ORDER, " ", view.pool["meaning"], class_="dim")
    )


def _draw_line(rows: list[Any], pool: dict[str, Any]) -> None:
    """Add a line to the rows of a league's table, below which bots have no place, if
    there are such bots.
    """
    placed = sum(row["rank"] is not None for row in pool["rows"])
    if placed < len(rows):
        batches = count(pool["fewest_batches"], "batch", "batches")
        rows.insert(placed, [f"Still finding their place, which takes {batches}, or retired:"])


def _finals(view: LeagueView) -> Markup:
    """Return what is to be said of each final, the newest first."""
    rows = []
    for final in reversed(view.league.finals):
        matches = (
            link(f"/finals/{final.number}.html", "table and matches")
            if final.over
            else joined("it is played")
        )
        bots = joined(
            *(joined(", " if at else "", bot_link(name)) for at, name in enumerate(final.bots))
        )
        parts = (
            matches,
            "; decided on ",
            when(final.at),
            ", among ",
            bots,
            "; commitment ",
            tag("code", final.commitment),
        )
        rows.append((f"Final {final.number}", joined(*parts)))
    return facts(rows) if rows else joined()


def _paragraphs(*texts: str) -> Markup:
    return joined(*(tag("p", text) for text in texts))


# --- bots and families ---


def match_link(own: OwnMatch) -> Markup:
    """Return a link to the drawing of a match."""
    return link(f"/batches/{own.batch}.html#match={own.match.key}&step=0", f"match {own.match.key}")


# --- queue and seasons ---


def queue(view: LeagueView, workbench: Markup) -> Page:
    """Return the page of what waits: names and states alone. ``workbench``: the way to
    a page in which bots are written.
    """
    rows = [[one.name, one.state] for one in view.waiting]
    listed = (
        table("Bots that wait, in order of arrival", ["bot", "state"], rows, left=2)
        if rows
        else tag("p", "No bot waits.")
    )
    return Page(
        "Queue",
        joined(
            listed,
            tag("h2", "How to submit a bot", id="submit"),
            *entering.how_to_submit(view.league),
            workbench,
        ),
    )


def seasons(view: LeagueView) -> Page:
    """Return the page of the seasons, with the table of each, that of the one that is
    played first.
    """
    starts = [first for _, first in view.league.seasons]
    ends = [*(f"{first - 1}" for first in starts[1:]), "open"]
    rows = [
        [name, str(first), end]
        for (name, first), end in zip(view.league.seasons, ends, strict=False)
    ]
    parts = [table("Seasons", ["season", "from batch", "to batch"], rows)]
    for at, (name, _) in reversed([*enumerate(view.league.seasons, 1)]):
        is_over = at < len(view.league.seasons)
        caption = f"The table of {name}, {'which is over' if is_over else 'so far'}"
        parts += [tag("h2", name), _season(caption, view.season_table(at))]
    return Page("Seasons", joined(*parts, _paragraphs(FIRST_PLACE)))


def _season(caption: str, pool: dict[str, Any] | None) -> Markup:
    if pool is None:
        return tag("p", NO_TABLE, class_="dim")
    cells = [
        [row["name"], ranks_text(row), elo_text(row), str(row["matches"])] for row in pool["rows"]
    ]
    head = ["bot", "ranks", "Elo", "matches"]
    _draw_line(cells, pool)
    return table(caption, head, cells)


def rules_of(view: LeagueView) -> Page | None:
    """Return the page of the rules of the league's game, None if they did not come with
    the arena.
    """
    text = rules.TEXTS.get(view.league.game)
    return (
        Page(f"The rules of {view.league.game}", rules.rendered(text), grows=False)
        if text
        else None
    )


def message(title: str, sentences: Sequence[str]) -> Page:
    """Return a page that says something and has nothing else."""
    return Page(title, _paragraphs(*sentences), grows=False)
