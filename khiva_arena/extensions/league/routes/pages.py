"""The public pages of a league: functions from what is known of it to HTML."""

import itertools
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from khiva_arena.common.version import shown
from khiva_arena.display.page.html import hash_of, in_palette
from khiva_arena.display.page.released import check_it_yourself
from khiva_arena.extensions.league.public_state import PublicBatch, PublicBot
from khiva_arena.extensions.league.routes import charts, entering, intervals, rules
from khiva_arena.extensions.league.routes.intervals import DrawnInterval
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, table, tag
from khiva_arena.extensions.league.routes.view import (
    LOOK_BACK,
    LeagueView,
    OwnMatch,
    elo_text,
    faults_text,
    number,
    ranks_text,
    when,
)
from khiva_arena.words import count

BATCHES_MOST = 200
"""The batches that one page lists."""
MATCHES_MOST = 20
"""The newest matches that the page of a bot lists."""
FIRST_PLACE = (
    "A table that is looked at day by day names somebody first by luck again and again: each look is one more chance. The "
    "intervals here are those of one table looked at once, so \u201cfirst since Tuesday\u201d says nothing; of two bots whose "
    "ranks overlap, neither is ahead yet. The table to quote is the last one of a season, if that was named before."
)
FINAL = (
    "Who is best is decided by the final: an event of its own on new deals among the best of the table, whose line-up and "
    "commitment are a link of the chain before its first match. It never counts in this table, and this table never counts in it."
)
ORDER = "The order is by the lower end of each bot's 95 % interval against the other bots, so nobody is ahead by being new."
KEEP = joined(
    "This page is a receipt. Keep it, and ",
    tag("code", "khiva-arena verify --seen"),
    " compares it with the chain: a batch that was thrown away and played again shows, as long as one receipt of it is outside.",
)
OWN_WORD = "the organiser's word: no text from outside is mixed into them"
NOT_FOUNDED = "This league has not begun: its first batch founds it."
NO_TABLE = "The table is here as soon as the first batch is over."
_NAVIGATION = (("/", "Standings"), ("/batches", "Batches"), ("/queue", "Queue"), ("/seasons", "Seasons"), ("/author", "Authors"))


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
SCRIPT, UPLOAD = (Markup((files(__package__) / name).read_text("utf-8")) for name in ("grow.js", "upload.js"))
POLICY = (
    f"default-src 'none'; script-src '{hash_of(SCRIPT)}' '{hash_of(UPLOAD)}'; style-src '{hash_of(STYLE)}'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The policy of every page: it may run the scripts of this folder and wear its style, by their hashes, and no more."""


def document(page: Page, name: str, receipt: str) -> str:
    """Return a whole page. ``name``: of the league. ``receipt``: of its newest link, "" before there is one."""
    navigation = tag("nav", *(link(to, word) for to, word in _NAVIGATION), aria_label="Pages of the league")
    chain = tag("p", tag("code", receipt), class_="receipt") if receipt else joined()
    ways = tag("p", link("/chain.jsonl", "chain"), " ", link("/feed.xml", "feed"), " ", link("/api/league.json", "data"))
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
        ("Commitment", joined(tag("code", view.commitment), f", published before the first match of {_of(view)}")),
        ("Deals", _whose_deals(league.beacon)),
        ("Terms", entering.terms_in_brief(league)),
        ("Take part", link("/queue#submit", "how to submit a bot")),
    ]
    meaning = tag("section", tag("h2", "What first place means", id="first"), _paragraphs(FIRST_PLACE, FINAL), _finals(view))
    one_look = joined(" That is said of one look at the table: ", link("#first", "what first place means"), ".")
    lead = tag("p", view.lead, one_look, class_="lead") if view.lead else joined()
    main = joined(lead, facts(rows), _table(view), entering.terms(league), meaning)
    return Page("Standings", main)


def _whose_deals(beacon: str) -> Markup:
    """Return by whose chance the deals of a league are. ``beacon``: its name, "" for none."""
    if not beacon:
        return joined(f"{OWN_WORD}, so an organiser may choose them, or know them beforehand")
    come = f"each batch's follow from a line of {beacon} that comes after its commitment"
    witness = tag("code", "khiva-arena league receipt https://THIS-ADDRESS")
    return joined(come, ". Nobody chose them or knew them, if a witness had its link before that: be one with ", witness)


def _of(view: LeagueView) -> str:
    return f"batch {view.newest.number}" if view.newest else "the first batch"


def _now(view: LeagueView) -> Markup:
    if not view.newest:
        return joined("the first batch is not drawn yet")
    if batch := view.open:
        words = (
            f" is played since {when(batch.drawn_at)}: {count(batch.matches, 'match', 'matches')} of {count(batch.bots, 'bot')}"
        )
        return joined(_batch_link(batch), words)
    coming = f"begins at {when(view.league.next_begin)}" if view.league.next_begin else "is not drawn yet"
    return joined(_batch_link(view.newest), f" is over since {when(view.newest.over_at)}; the next one {coming}")


def _batch_link(batch: PublicBatch) -> Markup:
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
        rows.append([name, ranks_text(row), elo_text(row), whisker, author, str(row["matches"]), faults])
    head = ["bot", "ranks", "Elo", "interval", "author", "matches", "faults"]
    _draw_line(rows, view.pool)
    caption = f"The table of {view.league.table_season} after batch {view.league.table_batch}"
    return joined(table(caption, head, rows), tag("p", ORDER, " ", view.pool["meaning"], class_="dim"))


def _draw_line(rows: list[Any], pool: dict[str, Any]) -> None:
    """Add a line to the rows of a league's table, below which bots have no place, if there are such bots."""
    placed = sum(row["rank"] is not None for row in pool["rows"])
    if placed < len(rows):
        batches = count(pool["fewest_batches"], "batch", "batches")
        rows.insert(placed, [f"Still finding their place, which takes {batches}, or retired:"])


def _finals(view: LeagueView) -> Markup:
    """Return what is to be said of each final, the newest first."""
    rows = []
    for final in reversed(view.league.finals):
        matches = link(f"/finals/{final.number}.html", "table and matches") if final.over else joined("it is played")
        bots = joined(*(joined(", " if at else "", bot_link(name)) for at, name in enumerate(final.bots)))
        parts = (matches, "; decided on ", when(final.at), ", among ", bots, "; commitment ", tag("code", final.commitment))
        rows.append((f"Final {final.number}", joined(*parts)))
    return facts(rows) if rows else joined()


def _paragraphs(*texts: str) -> Markup:
    return joined(*(tag("p", text) for text in texts))


# --- batches ---


def batches(view: LeagueView, before: int) -> Page:
    """Return the list of batches, the newest first. ``before``: list those with lower numbers."""
    last = min(view.newest.number if view.newest else 0, max(0, before - 1))
    shown = [one for at in range(last, max(0, last - BATCHES_MOST), -1) if (one := view.batch(at))]
    rows = [
        [
            _batch_link(batch),
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
    older = tag("p", link(f"/batches?before={shown[-1].number}", "older ones")) if last > BATCHES_MOST else joined()
    words = "Each batch is a small event with a secret of its own. Its commitment is published before its first match."
    listed = table("Batches, the newest first", head, rows) if rows else tag("p", NOT_FOUNDED, class_="dim")
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
    page = link(f"/batches/{one.number}.html", "all matches, with replays") if one.revealed else joined(_revealed(one))
    rows = [
        ("Drawn", when(one.drawn_at)),
        ("Over", when(one.over_at) or "it is played"),
        ("Bots", str(one.bots)),
        ("Matches", joined(f"{one.matches}; ", page)),
        ("Event", joined(tag("code", one.event), f", number {one.event_number} in the store")),
        ("Drawn by", tag("code", f"link {one.link} {one.link_digest}")),
        ("Commitment", tag("code", one.commitment)),
        ("Deals", _deals(view.league.beacon, one)),
        ("Run digest", tag("code", one.run_digest) if one.run_digest else joined("when it is over")),
    ]
    return Page(f"Batch {one.number}", joined(facts(rows), _set_aside(one)))


def _deals(beacon: str, one: PublicBatch) -> Markup:
    """Return whose word the deals of a batch are."""
    if one.round is None:
        return joined(OWN_WORD)
    line = joined(": ", tag("code", one.line)) if one.line else joined(", which is here when the batch is over")
    return joined(f"follow from the secret and from the line of round {one.round} of {beacon or 'the beacon'}", line)


def _set_aside(one: PublicBatch) -> Markup:
    if not one.set_aside:
        return tag(
            "p",
            "No table was set aside." if one.over_at else "No table is set aside so far.",
        )
    counts = Counter(name for names in one.set_aside for name in names)
    words = (
        f"{count(len(one.set_aside), 'table')} could not be played by the organiser's machine, were tried twice more and are not "
        "rated. Compare how often each bot sat there: who is set aside often where the table would have been lost is favoured."
    )
    rows = [[bot_link(name), str(often)] for name, often in counts.most_common()]
    return joined(tag("h2", "Set aside"), tag("p", words), table("Tables set aside, by bot", ["bot", "tables"], rows))


# --- bots and families ---


def bot(view: LeagueView, name: str) -> Page | None:
    """Return the page of a bot, None if there is none."""
    one = view.bot(name)
    if one is None:
        return None
    row = view.rows.get(one.identity)
    versions = len(view.family(one.family))
    rows = [
        ("Author", view.author(one)),
        ("State", f"{one.state}{f': {one.why}' if one.why else ''}"),
        ("Version", joined(f"{one.version} of ", link(f"/families/{quote(one.family, safe='')}", count(versions, "version")))),
        ("Sat in", f"{count(one.batches, 'batch', 'batches')}, {count(one.tables, 'table')}, {one.left_out} of them set aside"),
        ("Rating", f"{elo_text(row)}, ranks {ranks_text(row)}" if row else "none yet"),
        ("Faults", (faults_text(row) or "none") if row else "none yet"),
        ("Identity", tag("code", one.identity)),
        *([("Runs in", one.runs_in)] if one.runs_in else []),
        ("Badge", tag("img", src=f"/bots/{quote(one.name, safe='')}/badge.svg", alt=f"The badge of {one.name}")),
    ]
    over_time = joined(tag("h2", "Over time"), charts.line(one.name, view.line_of([one]), _days(view)))
    return Page(one.name, joined(facts(rows), over_time, _head_to_head(view, one), _matches(view, one)))


def _days(view: LeagueView) -> charts.Days:
    return charts.Days(view.history[-1].batch if view.history else 0, view.over_at)


def _matches(view: LeagueView, one: PublicBot) -> Markup:
    """Return the newest matches of a bot, each with the way to its replay."""
    rows = []
    for own in itertools.islice(view.newest_matches(one), MATCHES_MOST):
        names = [view.bots[identity].name if identity in view.bots else "?" for identity in own.identities]
        others = [f"{name} {score}" for name, score in zip(names, own.match.scores, strict=True) if name != one.name]
        all_of_it = link(f"/batches/{own.batch}.html#matches=all&bot={one.identity}", f"batch {own.batch}")
        place, points = f"{own.rank} of {len(names)}", str(own.match.scores[own.seat])
        rows.append([match_link(own), all_of_it, ", ".join(others), place, points, str(own.match.faults[own.seat])])
    if not rows:
        return joined(
            tag("h2", "Matches"), tag("p", f"No match is listed in its last {LOOK_BACK} batches that are public.", class_="dim")
        )
    words = "Its newest matches that are public. A match leads to its drawing, step by step; a batch leads to all of the bot's."
    head = ["match", "batch", "others", "place", "points", "faults"]
    return joined(tag("h2", "Matches"), tag("p", words), table(f"The newest matches of {one.name}", head, rows, left=3))


def match_link(own: OwnMatch) -> Markup:
    """Return a link to the drawing of a match."""
    return link(f"/batches/{own.batch}.html#match={own.match.key}&step=0", f"match {own.match.key}")


def _head_to_head(view: LeagueView, one: PublicBot) -> Markup:
    """Return the scores against each other bot, if the table has them."""
    identities = list(view.rows)
    matrix = view.pool["sections"].get("crosstable") if view.pool else None
    if not matrix or one.identity not in identities:
        return joined()
    rows = [
        [bot_link(view.rows[other]["name"]), *_score(pair), str(pair["matches"]), "yes" if pair["certain"] else "no"]
        for other, pair in zip(identities, matrix[identities.index(one.identity)], strict=True)
        if pair
    ]
    words = "The share of points against each other bot in percent, with its 95 % interval; whether ranks tell the two apart."
    heads = ["against", "score", "interval", "matches", "apart"]
    return joined(tag("h2", "Head to head"), tag("p", words), table(f"{one.name} against each other bot", heads, rows))


def _score(pair: dict[str, float | None]) -> tuple[str, Markup]:
    """Return a score in percent with its interval, as text and drawn."""
    score = DrawnInterval(pair["score"], pair["low"], pair["high"])
    ends = "n/a" if score.low is None or score.high is None else f"{number(score.low)}-{number(score.high)}"
    return f"{number(score.value)} ({ends})", intervals.beside(score, (0.0, 100.0), middle=50.0)


def family(view: LeagueView, identity: str) -> Page | None:
    """Return the page of a family: its line over time, with a mark a version. None if there is none."""
    versions = view.family(identity)
    if not versions:
        return None
    newest = versions[-1]
    rows = [
        [
            bot_link(one.name),
            str(one.version),
            one.state,
            elo_text(view.rows[one.identity]) if one.identity in view.rows else "none yet",
            str(one.batches),
        ]
        for one in versions
    ]
    name = newest.name.removesuffix(f" v{newest.version}")
    words = (
        "One line over all versions: after each batch, the rating of the newest version that sat in it, in the table of its "
        "season, so that errors are wide where a season begins. No doubt is reset."
    )
    chart = joined(tag("h2", "Over time"), tag("p", words), charts.line(name, view.line_of(versions), _days(view)))
    listed = table(f"The versions of {name}", ["bot", "version", "state", "Elo", "batches"], rows)
    return Page(name, joined(facts([("Author", view.author(newest))]), chart, tag("h2", "Versions"), listed))


# --- queue and seasons ---


def queue(view: LeagueView, workbench: Markup) -> Page:
    """Return the page of what waits: names and states alone. ``workbench``: the way to a page in which bots are written."""
    rows = [[one.name, one.state] for one in view.waiting]
    listed = table("Bots that wait, in order of arrival", ["bot", "state"], rows, left=2) if rows else tag("p", "No bot waits.")
    return Page(
        "Queue", joined(listed, tag("h2", "How to submit a bot", id="submit"), *entering.how_to_submit(view.league), workbench)
    )


def seasons(view: LeagueView) -> Page:
    """Return the page of the seasons, with the table of each, that of the one that is played first."""
    starts = [first for _, first in view.league.seasons]
    ends = [*(f"{first - 1}" for first in starts[1:]), "open"]
    rows = [[name, str(first), end] for (name, first), end in zip(view.league.seasons, ends, strict=False)]
    parts = [table("Seasons", ["season", "from batch", "to batch"], rows)]
    for at, (name, _) in reversed([*enumerate(view.league.seasons, 1)]):
        is_over = at < len(view.league.seasons)
        caption = f"The table of {name}, {'which is over' if is_over else 'so far'}"
        parts += [tag("h2", name), _season(caption, view.season_table(at))]
    return Page("Seasons", joined(*parts, _paragraphs(FIRST_PLACE)))


def _season(caption: str, pool: dict[str, Any] | None) -> Markup:
    if pool is None:
        return tag("p", NO_TABLE, class_="dim")
    cells = [[row["name"], ranks_text(row), elo_text(row), str(row["matches"])] for row in pool["rows"]]
    head = ["bot", "ranks", "Elo", "matches"]
    _draw_line(cells, pool)
    return table(caption, head, cells)


def rules_of(view: LeagueView) -> Page | None:
    """Return the page of the rules of the league's game, None if they did not come with the arena."""
    text = rules.TEXTS.get(view.league.game)
    return Page(f"The rules of {view.league.game}", rules.rendered(text), grows=False) if text else None


def message(title: str, sentences: Sequence[str]) -> Page:
    """Return a page that says something and has nothing else."""
    return Page(title, _paragraphs(*sentences), grows=False)
