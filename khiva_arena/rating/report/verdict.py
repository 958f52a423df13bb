"""The sentences on top of a page of results: who won, whether that could be luck, and
how many more seeds would tell.
"""

import shlex
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.rating.ratings.compare import together
from khiva_arena.rating.ratings.looks import ONE_LOOK, Looks
from khiva_arena.rating.ratings.planning import MOST_SEEDS, Need, for_order
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.first_place import first_place, listed, may_be_first
from khiva_arena.rating.report.places import Places
from khiva_arena.rating.report.reported import shows_spent
from khiva_arena.rating.report.text import short
from khiva_arena.rating.report.values import Standings


class MoreSeeds(NamedTuple):
    """The way to more seeds of a table.

    seeds: played so far, as --seeds counts them; 0 if they are of several events that
        do not extend one another.
    looks: of the table once there are more.
    settings: the name of the file with the settings; "" if that is not known.
    store: whether the reader has a store, for which commands are.
    command: returns the command that plays so many more seeds without a settings file,
        "" if it takes several; None if the reader must not see the words by which bots
        were named. With it, the command stands on a line of its own.
    """

    seeds: int
    looks: Looks = ONE_LOOK
    settings: str = ""
    store: bool = True
    command: Callable[[int], str] | None = None


def verdict(
    standings: Standings,
    places: Places | None = None,
    more: MoreSeeds | None = None,
    *,
    so_far: bool = False,
) -> str:
    """Return who won, and whether that could be luck, in a sentence or two; "" if
    nobody is rated and there are no places. A warning of random choices comes before
    it. A line with a command may follow, if ``more`` has one.

    places: of the last event, if its format has them.
    more: None if no more seeds can be played.
    so_far: whether an event is not over.
    """
    rows = [row for row in standings.rows if row.elo is not None and row.rank is not None]
    place = _of_places(standings, places) if places else ""
    warning = shows.sentence(standings.rows) if (shows := shows_spent(standings.rows)) else ""
    if len(rows) < 2:
        return f"{warning} {place}{'.' if place else ''}".strip()
    lead = first_place(rows, standings.blocks)
    alone = "is ahead" if place else "won" if lead.is_certain and not so_far else "leads"
    said = lead.sentence(alone, so_far=so_far)
    said = f"{place}; by ratings {said}" if place else said
    said = f"{warning} {said}".strip()
    if more is None or so_far or lead.leaders > 1 or not lead.is_known or lead.is_certain:
        return said
    return f"{said} {_seeds_that_tell(standings, rows[0], may_be_first(rows), more)}".rstrip()


def _of_places(standings: Standings, places: Places) -> str:
    """Return who has the first place of an event in rounds, without a full stop."""
    names = {row.bot: short(row.name) for row in standings.rows}
    first = [names.get(row.bot, short(row.name)) for row in places.rows if row.place == 1]
    is_over = places.rounds == places.of
    verb = "share the first place of" if len(first) > 1 else "won" if is_over else "is first in"
    return (
        f"{listed(first)} {verb} the "
        f"{places.format}{'' if is_over else f' after round {places.rounds} of {places.of}'}"
    )


def _seeds_that_tell(
    standings: Standings, first: Standing, rivals: Sequence[Standing], more: MoreSeeds
) -> str:
    """Return how many more seeds would make the first bot's place certain, and the
    command; "" if that is not known.
    """
    at, ratings = standings.order.index, standings.ratings
    widening, level = (
        replace(ratings.widening, looks=more.looks),
        together(1 + len(rivals)) if rivals else 0.0,
    )
    needs: list[tuple[Need, Standing]] = []
    for rival in rivals:
        need = for_order(ratings, at(first.bot), at(rival.bot), level, widening)
        if need is None or need.seeds >= MOST_SEEDS:
            return ""
        needs.append((need, rival))
    if not needs:
        return ""
    need, rival = max(needs, key=lambda one: one[0].seeds)
    missing = need.seeds - standings.blocks
    elo, error = ratings.between(at(first.bot), at(rival.bot))
    if missing <= 0 or elo is None or error is None:
        return ""
    about = _two_digits(missing)
    gap = f"It is {elo:.0f} +/- {error:.0f} Elo above {short(rival.name)}"
    said = f"{gap}; about {about} more seeds would tell, if the difference stays"
    if not more.store:
        return f"{said}."
    command = (
        f"khiva-arena run {shlex.quote(more.settings)} --seeds {more.seeds + about}"
        if more.settings and more.seeds
        else ""
    )
    if more.command is not None and (command := command or more.command(about)):
        return f"{said}:\n{command}"
    if command:
        return f"{said}: {command}"
    return (
        f"{said}; khiva-arena plan STORE --gap {max(1, round(elo))} --power 0.5 prints the command."
    )


def _two_digits(value: int) -> int:
    """Round up to two digits: no more of an estimate is known."""
    unit = int(10 ** max(0, len(str(value)) - 2))
    return ceil(value / unit) * unit
