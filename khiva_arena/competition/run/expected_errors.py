"""Estimate the errors to expect of a rating table from the seeds that a time allows."""

from math import inf, log, sqrt
from typing import NamedTuple

from khiva_arena.competition.events.conditions import conditions, pooled
from khiva_arena.competition.events.find import events_of
from khiva_arena.competition.events.pools import results_of, standings_of
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.rating.ratings import planning
from khiva_arena.rating.ratings.elo import half_width
from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.rating.report.values import Standings
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store

_ELO_A_POINT = 1600 / log(10)  # the slope of Elo over the score at one half


class BudgetTable(NamedTuple):
    """The table of just the bots of a definition, and its events."""

    standings: Standings
    events: list[EventRow]


def table_of(first: Settings, definition: Definition) -> BudgetTable | None:
    """Return the table that new matches of a definition would be in; None if the store
    has no table of just these bots.
    """
    playing = {bot.identity for bot in definition.bots}
    with Store.read(first.out) as store:
        for events in pooled([event for event in events_of(store, ()) if not event.closed]):
            identities = {bot.identity for event in events for bot in event.bots}
            if identities == playing and conditions(events[0].definition) == conditions(definition):
                return BudgetTable(standings_of(events, results_of(store, *events)), events)
    return None


def errors_to_expect(
    table: BudgetTable | None, definition: Definition, seeds: int, line_ups: int
) -> str:
    """Return in a line the errors to expect after so many more seeds. ``table``: that
    they are added to, None for none.
    """
    errors = _errors_by(table, definition, seeds, line_ups) if table else []
    seats = definition.seats
    return (
        errors[0]
        if errors
        else _rule_of_thumb(len(definition.bots), seeds * line_ups * seats, seats)
    )


def _errors_by(table: BudgetTable, definition: Definition, seeds: int, line_ups: int) -> list[str]:
    """Return a line with the errors to expect after so many more seeds of so many
    line-ups, by plan's arithmetic.

    [] means that a bot has too few seeds to tell.
    """
    rated, events = table
    deals = rated.shared_deals
    as_before = (
        seeds
        if deals is None
        else seeds * deals.variance(deals.tables) / deals.variance(_each(definition, line_ups))
    )
    after = [
        width
        for width in planning.errors_after(rated.ratings, rated.blocks + round(as_before))
        if width is not None
    ]
    if len(after) < len(definition.bots) - 1:  # of all but the anchor
        return []
    errors = " to ".join(dict.fromkeys(f"{error:.0f}" for error in (min(after), max(after))))
    numbers = (
        f"event{'s' if len(events) > 1 else ''} {', '.join(str(event.number) for event in events)}"
    )
    at = ", at the line-ups played so far" if deals is None else ""
    return [
        (
            f"errors to expect with {rated.blocks} seeds of {numbers} and these: +/- {errors} "
            f"Elo against the anchor{at}"
        )
    ]


def width_of(deals: SharedDeals, definition: Definition, line_ups: int, seeds: int) -> float:
    """Return how wide errors get with so many seeds of so many line-ups, to compare
    with other choices.
    """
    return (half_width(1.0, seeds) or inf) * sqrt(
        deals.variance(_each(definition, line_ups)) / seeds
    )


def _each(definition: Definition, line_ups: int) -> float:
    """Return how many tables a bot plays on a seed, in the mean."""
    return max(1.0, line_ups * definition.seats / len(definition.bots))


def _rule_of_thumb(bots: int, matches: int, seats: int) -> str:
    each = matches * seats / bots
    spread_of_one = (seats + 1) / (
        12 * (seats - 1)
    )  # of a seat's mean score against the others, if all orders are equally likely
    error = planning.NORMAL * _ELO_A_POINT * sqrt(2 * spread_of_one / each)
    return (
        f"errors to expect: about +/- {error:.0f} Elo between two bots if they are equally strong "
        "and matches independent; too little is recorded here to know better"
    )
