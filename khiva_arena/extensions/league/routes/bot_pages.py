"""The public pages of a league that show bots: one bot, and the bots of one family."""

import itertools
from urllib.parse import quote

from khiva_arena.extensions.league.public_state import PublicBot
from khiva_arena.extensions.league.routes import charts, intervals
from khiva_arena.extensions.league.routes.intervals import DrawnInterval
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, table, tag
from khiva_arena.extensions.league.routes.pages import Page, bot_link, match_link
from khiva_arena.extensions.league.routes.view import (
    LOOK_BACK,
    LeagueView,
    elo_text,
    faults_text,
    number,
    ranks_text,
)
from khiva_arena.words import count

MATCHES_MOST = 20
"""The newest matches that the page of a bot lists."""


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
        (
            "Version",
            joined(
                f"{one.version} of ",
                link(f"/families/{quote(one.family, safe='')}", count(versions, "version")),
            ),
        ),
        (
            "Sat in",
            (
                f"{count(one.batches, 'batch', 'batches')}, {count(one.tables, 'table')}, "
                f"{one.left_out} of them set aside"
            ),
        ),
        ("Rating", f"{elo_text(row)}, ranks {ranks_text(row)}" if row else "none yet"),
        ("Faults", (faults_text(row) or "none") if row else "none yet"),
        ("Identity", tag("code", one.identity)),
        *([("Runs in", one.runs_in)] if one.runs_in else []),
        (
            "Badge",
            tag(
                "img",
                src=f"/bots/{quote(one.name, safe='')}/badge.svg",
                alt=f"The badge of {one.name}",
            ),
        ),
    ]
    over_time = joined(
        tag("h2", "Over time"), charts.line(one.name, view.line_of([one]), _days(view))
    )
    return Page(
        one.name, joined(facts(rows), over_time, _head_to_head(view, one), _matches(view, one))
    )


def _days(view: LeagueView) -> charts.Days:
    return charts.Days(view.history[-1].batch if view.history else 0, view.over_at)


def _matches(view: LeagueView, one: PublicBot) -> Markup:
    """Return the newest matches of a bot, each with the way to its replay."""
    rows = []
    for own in itertools.islice(view.newest_matches(one), MATCHES_MOST):
        names = [
            view.bots[identity].name if identity in view.bots else "?"
            for identity in own.identities
        ]
        others = [
            f"{name} {score}"
            for name, score in zip(names, own.match.scores, strict=True)
            if name != one.name
        ]
        all_of_it = link(
            f"/batches/{own.batch}.html#matches=all&bot={one.identity}", f"batch {own.batch}"
        )
        place, points = f"{own.rank} of {len(names)}", str(own.match.scores[own.seat])
        rows.append(
            [
                match_link(own),
                all_of_it,
                ", ".join(others),
                place,
                points,
                str(own.match.faults[own.seat]),
            ]
        )
    if not rows:
        return joined(
            tag("h2", "Matches"),
            tag(
                "p",
                f"No match is listed in its last {LOOK_BACK} batches that are public.",
                class_="dim",
            ),
        )
    words = (
        "Its newest matches that are public. A match leads to its drawing, step by step; a "
        "batch leads to all of the bot's."
    )
    head = ["match", "batch", "others", "place", "points", "faults"]
    return joined(
        tag("h2", "Matches"),
        tag("p", words),
        table(f"The newest matches of {one.name}", head, rows, left=3),
    )


def _head_to_head(view: LeagueView, one: PublicBot) -> Markup:
    """Return the scores against each other bot, if the table has them."""
    identities = list(view.rows)
    matrix = view.pool["sections"].get("crosstable") if view.pool else None
    if not matrix or one.identity not in identities:
        return joined()
    rows = [
        [
            bot_link(view.rows[other]["name"]),
            *_score(pair),
            str(pair["matches"]),
            "yes" if pair["certain"] else "no",
        ]
        for other, pair in zip(identities, matrix[identities.index(one.identity)], strict=True)
        if pair
    ]
    words = (
        "The share of points against each other bot in percent, with its 95 % interval; "
        "whether ranks tell the two apart."
    )
    heads = ["against", "score", "interval", "matches", "apart"]
    return joined(
        tag("h2", "Head to head"),
        tag("p", words),
        table(f"{one.name} against each other bot", heads, rows),
    )


def _score(pair: dict[str, float | None]) -> tuple[str, Markup]:
    """Return a score in percent with its interval, as text and drawn."""
    score = DrawnInterval(pair["score"], pair["low"], pair["high"])
    ends = (
        "n/a"
        if score.low is None or score.high is None
        else f"{number(score.low)}-{number(score.high)}"
    )
    return f"{number(score.value)} ({ends})", intervals.beside(score, (0.0, 100.0), middle=50.0)


def family(view: LeagueView, identity: str) -> Page | None:
    """Return the page of a family: its line over time, with a mark a version. None if
    there is none.
    """
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
        "One line over all versions: after each batch, the rating of the newest version "
        "that sat in it, in the table of its "
        "season, so that errors are wide where a season begins. No doubt is reset."
    )
    chart = joined(
        tag("h2", "Over time"),
        tag("p", words),
        charts.line(name, view.line_of(versions), _days(view)),
    )
    listed = table(f"The versions of {name}", ["bot", "version", "state", "Elo", "batches"], rows)
    return Page(
        name, joined(facts([("Author", view.author(newest))]), chart, tag("h2", "Versions"), listed)
    )
