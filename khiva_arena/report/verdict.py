"""The sentences on top of a page of results: who won, whether that could be luck, and how many more seeds would tell."""

import shlex
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.ratings.compare import together
from khiva_arena.ratings.looks import ONE_LOOK, Looks
from khiva_arena.ratings.planning import MOST_SEEDS, Need, for_order
from khiva_arena.report.columns import Standing
from khiva_arena.report.places import Places
from khiva_arena.report.text import short
from khiva_arena.report.values import Standings

_MOST_NAMED = 6
_TOO_FEW = ", but there are too few deals to say whether that is more than luck"
_LUCK = ", but that could be luck"


class MoreSeeds(NamedTuple):
    """The way to more seeds of a table.

    seeds: played so far, as --seeds counts them; 0 if they are of several events that do not extend one another.
    looks: of the table once there are more.
    settings: the name of the file with the settings; "" if that is not known.
    store: whether the reader has a store, for which commands are.
    command: returns the command that plays so many more seeds without a settings file, "" if it takes several; None if the reader
        must not see the words by which bots were named. With it, the command stands on a line of its own.
    """

    seeds: int
    looks: Looks = ONE_LOOK
    settings: str = ""
    store: bool = True
    command: Callable[[int], str] | None = None


def verdict(standings: Standings, places: Places | None = None, more: MoreSeeds | None = None, *, so_far: bool = False) -> str:
    """Return who won, and whether that could be luck, in a sentence or two; "" if nobody is rated and there are no places. A line
    with a command may follow, if ``more`` has one.

    places: of the last event, if its format has them.
    more: None if no more seeds can be played.
    so_far: whether an event is not over.
    """
    rows = [row for row in standings.rows if row.elo is not None and row.rank is not None]
    place = _of_places(standings, places) if places else ""
    if len(rows) < 2:
        return f"{place}." if place else ""
    leads = [row for row in rows if row.rank == rows[0].rank]
    rivals = [row for row in rows if row not in leads and row.rank_interval is not None and row.rank_interval[0] == 1]
    is_known = rows[0].rank_interval is not None and standings.blocks > 1
    is_certain = is_known and len(leads) == 1 and rows[0].rank_interval == (1, 1)
    one_leads = "is ahead" if place else "won" if is_certain and not so_far else "leads"
    verb = one_leads if len(leads) == 1 else "share the first place"
    tail = ", and by more than luck explains" if is_certain else _LUCK + _why(rows, rivals) if is_known else _TOO_FEW
    said = f"{_and([short(row.name) for row in leads])} {verb}{' so far' if so_far else ''}{tail}."
    said = f"{place}; by ratings {said}" if place else said
    if more is None or so_far or len(leads) > 1 or not is_known or is_certain:
        return said
    return f"{said} {_seeds_that_tell(standings, rows[0], rivals, more)}".rstrip()


def _of_places(standings: Standings, places: Places) -> str:
    """Return who has the first place of an event in rounds, without a full stop."""
    names = {row.bot: short(row.name) for row in standings.rows}
    first = [names.get(row.bot, short(row.name)) for row in places.rows if row.place == 1]
    is_over = places.rounds == places.of
    verb = "share the first place of" if len(first) > 1 else "won" if is_over else "is first in"
    return f"{_and(first)} {verb} the {places.format}{'' if is_over else f' after round {places.rounds} of {places.of}'}"


def _why(rows: Sequence[Standing], rivals: Sequence[Standing]) -> str:
    """Return who else may be first, "" if that is nobody."""
    if len(rivals) == len(rows) - 1 > 1:
        return ": the results don't tell the bots apart yet"
    return f": {_and([short(row.name) for row in rivals], 'or')} may be as good or better" if rivals else ""


def _seeds_that_tell(standings: Standings, first: Standing, rivals: Sequence[Standing], more: MoreSeeds) -> str:
    """Return how many more seeds would make the first bot's place certain, and the command; "" if that is not known."""
    at, ratings = standings.order.index, standings.ratings
    widening, level = replace(ratings.widening, looks=more.looks), together(1 + len(rivals)) if rivals else 0.0
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
    said = f"{gap}; some {about} more seeds would tell, if the difference stays"
    if not more.store:
        return f"{said}."
    command = f"khiva-arena run {shlex.quote(more.settings)} --seeds {more.seeds + about}" if more.settings and more.seeds else ""
    if more.command is not None and (command := command or more.command(about)):
        return f"{said}:\n{command}"
    if command:
        return f"{said}: {command}"
    return f"{said}; khiva-arena plan STORE --gap {max(1, round(elo))} --power 0.5 prints the command."


def _two_digits(value: int) -> int:
    """Round up to two digits: no more of an estimate is known."""
    unit = int(10 ** max(0, len(str(value)) - 2))
    return ceil(value / unit) * unit


def _and(names: Sequence[str], word: str = "and") -> str:
    """Return names as a list in a sentence, "ann, bob and carl"; of many the first ones."""
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} {word} {len(names) - _MOST_NAMED} others"
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
