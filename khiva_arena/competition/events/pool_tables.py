"""Rating tables of a store: one for each pool of its events, with their sections and
places.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs, to_builtins

from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.events.conditions import settings_of
from khiva_arena.competition.events.extending import can_go_on, chain_of, extends_one, length_of
from khiva_arena.competition.events.find import rated_events, uncollected
from khiva_arena.competition.events.league_order import LeagueOrder
from khiva_arena.competition.events.looks import looks_of
from khiva_arena.competition.events.points import (
    MOST_MATCHES,
    NONE_KNOWN,
    OF_A_SENTENCE,
    KnownPoints,
    points_sample,
)
from khiva_arena.competition.events.pools import pools_of, standings_of, titles
from khiva_arena.competition.events.round_places import places_of
from khiva_arena.competition.events.selection import EVERYBODY, Among, check_among
from khiva_arena.competition.events.source import ResultSource, StoredResults
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.errors import ConfigError
from khiva_arena.rating.report import places, points, section_shapes, shapes
from khiva_arena.rating.report.capped import ended_by
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.report.reported import SHOWS_SPENT
from khiva_arena.rating.report.section_names import ALL, EFFECTS, NAMES, POINTS
from khiva_arena.rating.report.sections import SectionRequest, sections
from khiva_arena.rating.report.standings import in_league_order
from khiva_arena.rating.report.values import Apart, Standings
from khiva_arena.rating.report.verdict import MoreSeeds, verdict
from khiva_arena.records.store import not_played
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.rows import NotPlayed


class PooledTable(NamedTuple):
    """A table with all that goes with it.

    heading: the game and the conditions; tells the table from others that are shown
        with it.
    events: the events that it is made from.
    standings: the ratings.
    sections: those that were named.
    places: of those events whose format has them.
    among: the bots that count.
    partial: those events that are not over.
    contrasts: differences of the sets of bots that were named.
    cells: the levels at which runners of modules were kept, by name.
    by_source: which source of points the first bot is ahead by, in a sentence; "" if
        nobody asked, or nothing can be said.
    not_played: the bots that were left out of these events.
    apart: the bots that are printed below a line.
    """

    heading: str
    events: list[EventRow]
    standings: Standings
    sections: section_shapes.Sections
    places: list[places.Places]
    among: Among = EVERYBODY
    partial: tuple[shapes.Partial, ...] = ()
    contrasts: tuple[shapes.Contrasts, ...] = ()
    cells: tuple[str, ...] = ()
    by_source: str = ""
    not_played: tuple[shapes.NotPlayedBot, ...] = ()
    apart: Apart | None = None

    @property
    def title(self) -> str:
        """The heading, the cells of modules, and how much of each unfinished event the
        table has.
        """
        numbers = {event.id: event.number for event in self.events}
        parts = [
            f"{part.recorded} of {part.planned} matches of event {numbers[part.event]}"
            + (f", {ended_by(part.capped)}" if part.capped else "")
            for part in self.partial
        ]
        kept = f"; runners kept at {', '.join(self.cells)}" if self.cells else ""
        return self.heading + kept + (f"; partial: {', '.join(parts)}" if parts else "")

    def caps(self) -> list[str]:
        """Return a sentence for each event that a cap ended."""
        numbers = {event.id: event.number for event in self.events}
        ends = [(numbers[part.event], part.capped) for part in self.partial]
        return [f"Event {number} was {ended_by(capped)}." for number, capped in ends if capped]

    def verdict(
        self, settings: str = "", *, store: bool = True, command: Callable[[int], str] | None = None
    ) -> str:
        """Return who won, whether that could be luck, and how many more seeds would
        tell, as ``rating.report.verdict`` says it.

        settings: the name of the file with the settings; "" if that is not known.
        store: whether the reader has the store.
        command: as of ``report.verdict.MoreSeeds``.
        """
        more = self._more_seeds(settings)
        return self._said(more and more._replace(store=store, command=command))

    def headline(self) -> str:
        """Return who won, and whether that could be luck: ``verdict`` without what
        follows it.
        """
        return self._said(None)

    def _said(self, more: MoreSeeds | None) -> str:
        newest = max(event.number for event in self.events)
        placed = next((one for one in self.places if one.number == newest), None)
        return verdict(self.standings, placed, more, so_far=bool(self.partial))

    def _more_seeds(self, settings: str) -> MoreSeeds | None:
        """Return the way to more seeds of the events; None if none of them can be
        extended, or not all of their bots count.
        """
        able = [event for event in self.events if can_go_on(event) and not event.definition.batch]
        if not able or self.among.words:
            return None
        chain = max(
            (chain_of({event.id: event for event in self.events}, event) for event in able), key=len
        )
        seeds = length_of(chain) if len(chain) == len(self.events) else 0
        extends = bool(seeds and settings) or extends_one(self.events)
        return MoreSeeds(seeds, looks_of(self.events, extended=extends), settings)

    def to_json(self) -> dict[str, Any]:
        """Return the table as ``standings --json`` prints it."""
        selection = (
            {"only": [*self.among.only], "exclude": [*self.among.exclude]}
            if self.among.words
            else {}
        )
        table = to_json(self.standings, self.sections)
        contrasts = {"contrasts": to_builtins(self.contrasts)} if self.contrasts else {}
        more = {
            **selection,
            **self.partial_json(),
            **contrasts,
            **({"cells": [*self.cells]} if self.cells else {}),
        }
        more |= {"not_played": to_builtins(self.not_played)} if self.not_played else {}
        return {**settings_of(self.events), **table, **self.places_json(), **more}

    def partial_json(self) -> dict[str, Any]:
        """Return the events that are not over under their key, {} if there are none."""
        return {"partial": to_builtins(self.partial)} if self.partial else {}

    def places_json(self) -> dict[str, Any]:
        """Return the places under their key, {} if there are none."""
        return (
            {"places": [places.to_json(of_event) for of_event in self.places]}
            if self.places
            else {}
        )


class TableRequest(NamedTuple):
    """The parts of a table that a user wants to see.

    anchors: BOT, or BOT=ELO, or BOT=ELO:SD.
    names: of sections, in the order of ``section_names.NAMES``.
    effects: those that the section effects fits.
    among: the bots that count.
    by_source: whether the sentence on the sources of points is wanted, for which some
        matches are replayed.
    most_lots: the percentage of lots above which a bot stands below a line in print;
        None for no line.
    """

    anchors: Sequence[str] = ()
    names: Sequence[str] = ()
    effects: Sequence[str] = EFFECTS
    among: Among = EVERYBODY
    by_source: bool = False
    most_lots: str | None = None


PLAIN = TableRequest()


def tables_of(
    folder: Path,
    words: Sequence[str],
    request: TableRequest = PLAIN,
    say: Say = say_nothing,
    watch: MatchWatch = UNWATCHED,
) -> list[PooledTable]:
    """Return the tables of a store, all read and worked out: any damage in the store
    means no table at all.

    words: the events, by number or the beginning of their ids; () for all that were not
        closed before they were over.
    say: gets a line on each event that is left out, and before a long wait.
    watch: sees how far the reading has come.

    Raises ConfigError for an event or bot that is not there, StoreError for a store
    that cannot be read or is damaged.
    """
    with Store.read(folder) as store:
        watch.watch(store)
        tables = tables_in(
            StoredResults(store), rated_events(store, tuple(words), say), request, say
        )
        left_out = not_played.read(folder)
        return [
            table._replace(
                cells=store.cells(event.id for event in table.events),
                not_played=_not_played(left_out, table.events),
            )
            for table in tables
        ]


def _not_played(
    left_out: Mapping[str, Sequence[NotPlayed]], events: Sequence[EventRow]
) -> tuple[shapes.NotPlayedBot, ...]:
    return tuple(
        shapes.NotPlayedBot(event.id, bot.name, bot.why, bot.line)
        for event in events
        for bot in left_out.get(event.id, ())
    )


def tables_in(
    source: ResultSource,
    events: Sequence[EventRow],
    request: TableRequest = PLAIN,
    say: Say = say_nothing,
) -> list[PooledTable]:
    """Return the tables of events of a store or a bundle; ``request`` and ``say`` are
    as in ``tables_of``.
    """
    check_among(request.among, events)
    with uncollected():
        pools = pools_of(events, request.among)
        headings = titles(pools, request.among)
        order = source.league_order() if any(event.definition.batch for event in events) else None
        tables = zip(headings, pools, strict=True)
        return [
            _table(source, order, heading, members, request, say) for heading, members in tables
        ]


def league_table(
    table: Standings, order: LeagueOrder | None, events: Sequence[EventRow]
) -> Standings:
    """Return the table of events of a league in its order; without one as it is."""
    if order is None:
        return table
    return in_league_order(
        table, order.batches([row.bot for row in table.rows], {event.id for event in events})
    )


def _table(
    source: ResultSource,
    order: LeagueOrder | None,
    heading: str,
    events: list[EventRow],
    request: TableRequest,
    say: Say,
) -> PooledTable:
    placed = [of_event for event in events if (of_event := places_of(source, event))]
    partial = tuple(
        shapes.Partial(event.id, source.recorded(event), bare_timetable(event).matches, capped)
        for event in events
        if (capped := source.capped(event)) or source.digest(event) is None
    )
    fitted = standings_of(events, source.results(*events), request.anchors, request.among, say)
    standings = league_table(fitted, order, events)
    standings = replace(standings, remarks=tuple(_remarks(source, events)))
    numbered = [
        (event, number) for number, event in sorted((event.number, event.id) for event in events)
    ]
    names = tuple(name for name in request.names if name != POINTS)
    made = sections(standings, SectionRequest(names, numbered, tuple(request.effects)))
    apart = (
        None
        if request.most_lots is None
        else SHOWS_SPENT.get("--most-lots").apart(standings.rows, request.most_lots)
    )
    table = PooledTable(
        heading, events, standings, made, placed, request.among, partial, apart=apart
    )
    return with_points(source, table, request)


def _remarks(source: ResultSource, events: Sequence[EventRow]) -> list[str]:
    taken = [source.room_of_transcripts(event) for event in events]
    if not any(taken):
        return []
    # not above: most events keep no transcripts
    from khiva_arena.competition.events.transcripts import remarks

    return remarks(events, taken)


def with_points(
    source: ResultSource, table: PooledTable, request: TableRequest, known: KnownPoints = NONE_KNOWN
) -> PooledTable:
    """Return a table with what a request wants to know of where points come from.

    known: of matches that were replayed before.
    """
    most = MOST_MATCHES if POINTS in request.names else OF_A_SENTENCE if request.by_source else 0
    if not most:
        return table
    section = points.section(
        table.standings,
        points_sample(source, table.events, table.standings.evidence.matches, most, known),
    )
    made = (
        structs.replace(table.sections, points=section)
        if POINTS in request.names
        else table.sections
    )
    return table._replace(sections=made, by_source=points.sentence(table.standings, section))


def sections_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named sections in the order they are printed. Raises ConfigError for a
    name that is not one.
    """
    unknown = [name for name in names if name not in (*NAMES, ALL)]
    if unknown:
        raise ConfigError(
            [
                f"there is no section {name!r}; there are {', '.join(NAMES)}, or {ALL}"
                for name in unknown
            ]
        )
    return tuple(name for name in NAMES if name in names or ALL in names)


def effects_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named effects. Raises ConfigError for a name that is not one."""
    if unknown := [name for name in names if name not in EFFECTS]:
        raise ConfigError(
            [
                f"--effects: {name!r} is not an effect; there are {' and '.join(EFFECTS)}"
                for name in unknown
            ]
        )
    return tuple(names)
