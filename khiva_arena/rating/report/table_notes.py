"""Write the notes below the rating table, each a caution that its numbers call for."""

from collections.abc import Sequence

from khiva_arena.rating.ratings.compare import fewest_for_ranks
from khiva_arena.rating.ratings.elo import FEWEST_SEEDS, LEVEL
from khiva_arena.rating.ratings.looks import ONE_LOOK
from khiva_arena.rating.report import shared_deals
from khiva_arena.rating.report.columns import MARKS, OF_RUNTIMES, UNMET, Standing, many_page_faults
from khiva_arena.rating.report.reported import shows_spent
from khiva_arena.rating.report.text import ROUGH, elo, number, short
from khiva_arena.rating.report.values import Standings
from khiva_arena.words import count

_MOST_NAMED = 6
WIDENED = {
    "replayed": "as replays of this draw say",
    "shape": "as equal bots need at as many bots, seats, rounds and seeds",
}
"""The origin of a table's widening, by its kind."""
UNDER_THE_PRIOR = "under the prior that each bot drew one game with an average bot"
"""The words for the prior of the ratings, and of every likelihood made from them:
``ratings.elo.PRIOR_GAMES`` in words.
"""
WITHOUT_PLACE = "still finding their place, or retired"
"""The words for bots of a league that have no place in its table."""


def meaning(standings: Standings) -> str:
    """Return the meaning of the numbers in one line."""
    names = _names(standings)
    relation = f"relative to the anchor {names[standings.anchor]}"
    if standings.anchors:
        at = [
            f"{names[one.bot]} at {one.given:g}" + (f" (sd {one.sd:g})" if one.sd else "")
            for one in standings.anchors
        ]
        relation = f"with {', '.join(at)}"
    return (
        f"P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is {100 * LEVEL:.0f} %, "
        f"{relation}, clustered on {count(standings.blocks, 'seed')}."
    )


def times_one_look(standings: Standings) -> float:
    """Return how many times as wide an error is as for one look."""
    seeds = max(2, standings.blocks)
    return float(
        standings.ratings.widening.looks.critical(seeds, 1 - LEVEL)
        / ONE_LOOK.critical(seeds, 1 - LEVEL)
    )


def notes(standings: Standings) -> list[str]:
    """Return the lines below the table: the meaning of the numbers, and the matches
    that are not in them.
    """
    rows = standings.rows
    lines = [meaning(standings)]
    lines += [
        f"{mark}: {says}." for mark, says in MARKS.items() if any(mark in row.marks for row in rows)
    ]
    if shows := shows_spent(rows):
        lines += shows.notes(rows)
    lines += standings.remarks
    if standings.fewest_batches is not None:
        below = (
            f" Below the line: bots {WITHOUT_PLACE}; a place takes "
            f"{count(standings.fewest_batches, 'batch', 'batches')}."
        )
        lines.append(
            "least: the lower end of the 95 % interval against the other bots, which "
            "orders the table." + below * any(row.rank is None for row in rows)
        )
    if standings.blocks < (fewest := fewest_for_ranks(standings.ratings)):
        lines.append(f"ranks are n/a: at two seats they need {fewest} seeds or more.")
    elif any(row.rank_interval for row in rows):
        lines.append(
            "ranks: the places still possible, 95 % for all bots at once; los%: how likely a bot "
            f"is stronger than the next, {UNDER_THE_PRIOR}."
        )
    if any(row.met_next is False for row in rows):
        lines.append(
            f"{UNMET}: this bot and the next never met, so games with others decide their "
            "order; all bots meet in a "
            "round-robin of all line-ups or, if they are 32 at most, with --lineups auto."
        )
    if any(row.rough for row in rows):
        lines.append(
            f"{ROUGH}: fewer than {FEWEST_SEEDS} seeds, so the error is rough, and ranks "
            "and los% with it."
        )
    if standings.blocks < 2:
        lines.append("Errors are n/a: they need two seeds or more, and seeds whose results differ.")
    if alike := _alike(standings):
        lines.append(
            f"No variance seen, +/- or los% n/a ({_some(alike)}): every seed came out "
            "alike, which says nothing about the next."
        )
    if any(row.bound in (">=", "<=") for row in rows):
        lines.append(
            "Behind >= or <=, all points between bot and anchor went one way: elo is the "
            "prior's, +/- the 95 % bound of the "
            "results, or n/a. Give another --anchor to see errors between the others."
        )
    lines += _notes_on_bounds(standings)
    if any(row.bound == "?" for row in rows):
        lines.append("Behind ?, no points link bot and anchor at all: the number is the prior's.")
    for word, names in (
        ("incomplete", standings.incomplete),
        ("set aside as void", standings.set_aside),
    ):
        if names:
            lines.append(
                f"Not rated: {count(len(names), 'table')} {word} "
                f"({_some([name for _, name in names])})."
            )
    if standings.left_out:
        lines.append(
            f"Not rated in all: {count(standings.left_out, 'recorded match', 'recorded matches')}."
        )
    lines += (
        _notes_on_looks(standings)
        + _notes_on_widening(standings)
        + shared_deals.to_notes(standings.shared_deals)
    )
    return lines + _notes_on_anchors(standings) + _notes_on_faults(standings)


def _notes_on_bounds(standings: Standings) -> list[str]:
    """Return the line on the weight of the matches on one seed, where one bot took all
    points.
    """
    oneway = standings.ratings.oneway
    if oneway is None or not (oneway.met > 1).any():
        return []
    return [
        (
            "Where one bot took all points of another, each seed counts as one match: nothing "
            "shows how alike a seed's are."
        )
    ]


def _notes_on_looks(standings: Standings) -> list[str]:
    """Return the line that says how errors allow for looks."""
    looks = standings.ratings.widening.looks
    if not looks or standings.blocks < 2:
        return []
    why = (
        "Extended, or short of its planned end, so results may have decided when to stop: errors, "
        "ranks and los% hold however often one looks"
        if looks.rho
        else "Looks were planned, and errors, ranks and los% hold for all of them together"
    )
    if standings.ratings.widening.says_nothing(standings.blocks):
        return [f"{why}; after so few of the planned seeds that says nothing yet."]
    return [f"{why}; they are {times_one_look(standings):.2f} times as wide as for one look."]


def _notes_on_widening(standings: Standings) -> list[str]:
    """Return the line that says by how much errors are wider than if pairings followed
    no results.
    """
    kind, factor = standings.ratings.widening.kind, f"{standings.widened:.2f}"
    if not kind:
        return []
    if factor == "1.00":
        return [f"Pairings followed results: errors need not be wider here, {WIDENED[kind]}."]
    return [f"Pairings followed results: errors are about {factor} times as wide, {WIDENED[kind]}."]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")


def _alike(standings: Standings) -> list[str]:
    """Return bots whose error, or likelihood against the next bot, is n/a only because
    no seed differed from another.
    """
    ratings, rows = standings.ratings, standings.rows
    at = [standings.order.index(row.bot) for row in rows]
    names = []
    for place, (row, i) in enumerate(zip(rows, at, strict=True)):
        j = at[place + 1] if place + 1 < len(rows) else i
        no_error = row.error is None and not row.bound and ratings.no_variance_seen[i, i]
        no_los = (
            i != j and ratings.groups[i] == ratings.groups[j] and ratings.no_variance_seen[i, j]
        )
        if row.elo is not None and (no_error or no_los):
            names.append(short(row.name))
    return names


def _notes_on_anchors(standings: Standings) -> list[str]:
    names = _names(standings)
    return [
        f"Anchor {names[anchor.bot]} is given as {number(anchor.given, 1)}; the results place it "
        f"at {number(anchor.found, 1)}, {number(anchor.z, 1, '+')} standard errors away."
        for anchor in standings.anchors
        if anchor.contradicts
    ]


def _notes_on_faults(standings: Standings) -> list[str]:
    rows = standings.rows
    notes = [f"Faults of {short(row.name)}: {_faults(row)}." for row in rows if row.fault_counts]
    if caused := [f"{short(row.name)} {row.caused}" for row in rows if row.caused]:
        notes.append(
            f"Void since a bot had no core when it was to answer: {', '.join(caused)}. The host "
            "was short of processor time, which honest bots suffer alike: leave cores free, as by "
            "fewer --jobs, before you blame a bot."
        )
    if pauses := [f"{short(row.name)} {row.paused}" for row in rows if row.paused]:
        notes.append(
            "These bots kept a seat that was asked, or the arbiter, from a core, and were stopped "
            f"until their turn: {', '.join(pauses)}."
        )
    if faults := [
        f"{short(row.name)} {_page_faults(row)}" for row in many_page_faults(standings.rows)
    ]:
        notes.append(
            "These bots had far more page faults from disk (disk) than others: "
            f"{', '.join(faults)}. If memory is short, each "
            f"start reads its runtime again, which is {OF_RUNTIMES}."
        )
    notes += [
        f"{short(row.name)}: {number(row.fault_free_elo, 1)} Elo over the "
        f"{standings.fault_free_matches} fault-free matches, "
        f"further from {number(row.elo, 1)} than the error."
        for row in rows
        if row.differs
    ]
    notes += [
        f"{short(row.name)}: {elo(row.fault_free_bound, row.fault_free_elo)} Elo over the "
        f"{standings.fault_free_matches} fault-free matches: only a bound."
        for row in rows
        if row.fault_counts and row.fault_free_bound and not row.bound
    ]
    untold = [short(row.name) for row in rows if row.elo is not None and row.fault_free_elo is None]
    if untold:
        notes.append(f"No fault-free Elo, since too few matches had no fault: {', '.join(untold)}.")
    return notes


def _page_faults(row: Standing) -> str:
    assert row.page_faults is not None
    return f"{row.page_faults}, {number(row.page_faults / row.matches, 1)} a match"


def _faults(row: Standing) -> str:
    return ", ".join(f"{often} {kind}" for kind, often in row.fault_counts)


def _names(standings: Standings) -> dict[str, str]:
    return {row.bot: short(row.name) for row in standings.rows}
