"""The work of ``khiva-arena export``: results for other programs."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, assert_never

import click

from khiva_arena.common.result import Result
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.conditions import entrants_of, marks_of
from khiva_arena.competition.events.find import check_matches, in_order, rated_events
from khiva_arena.competition.events.league_batches import public_words_of
from khiva_arena.competition.events.pools import results_of
from khiva_arena.competition.events.selection import Among, StoreSelection, check_among, of_those
from khiva_arena.competition.events.source import StoredResults
from khiva_arena.competition.settings.flags import take_fields
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import SeatPoints
from khiva_arena.interface.commands.choices import ExportFormat
from khiva_arena.rating.report.exports import (
    EventResults,
    pgn_names,
    points_columns,
    to_csv,
    to_jsonl,
    to_payoffs,
    to_pgn,
)
from khiva_arena.rating.report.standings import Entrant
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.new_file import new_file

LINE_ENDS = "\n"


def export(store: Path, form: ExportFormat, out: Path | None, points: bool, **flags: Any) -> None:
    """Write or print the results, with ``points`` by source if they are
    wanted. ``flags``: those of ``StoreSelection``.
    """
    if points and form not in ("csv", "jsonl"):
        raise ConfigError(f"--points goes with --format csv or jsonl, not with {form}")
    selection = take_fields(flags, StoreSelection)
    assert not flags, flags
    among = selection.among
    with Store.read(store) as db:
        events = in_order(rated_events(db, public_words_of(store, selection, say), say))
        check_among(among, events)
        for event in events:
            check_matches(db, event)  # before anything is written
        texts = (
            harmless(text, keep=LINE_ENDS)
            for text in _texts(db, events, form, among, points=points)
        )
        if out is None:
            for text in texts:
                # as bytes, since names may hold more than a terminal's code page
                click.echo(text.encode(), nl=False)
            return
        with new_file(out) as file:
            for text in texts:
                file.write(text.encode())


def _texts(
    store: Store, events: Sequence[EventRow], form: ExportFormat, among: Among, *, points: bool
) -> Iterator[str]:
    results = (_results(store, event, among, points=points) for event in events)
    match form:
        case "csv":
            sources = (
                dict.fromkeys(source for event in events for source in _sources(store, event))
                if points
                else ()
            )
            return to_csv(results, list(sources))
        case "jsonl":
            return to_jsonl(results)
        case "payoffs":
            return to_payoffs(results)
        case "pgn":
            return to_pgn(results, pgn_names(entrants_of(events)))
    assert_never(form)


def _results(store: Store, event: EventRow, among: Among, *, points: bool) -> EventResults:
    """Return the results of an event. Raises StoreError if the store is damaged."""
    marks = marks_of([event])
    bots = tuple(Entrant(bot.identity, bot.name, marks.get(bot.identity, ())) for bot in event.bots)
    results = of_those([event], among, results_of(store, event))
    definition = event.definition
    by_source = _by_source(store, event) if points else None
    return EventResults(
        event.id, event.number, definition.extends, definition.game, bots, results, by_source
    )


def _by_source(store: Store, event: EventRow) -> Callable[[Result], list[SeatPoints] | None]:
    """Return a function that replays a match to see where points come from, if its deal
    is over.

    It raises RecordError if the record is damaged, GameFault if the game cannot be
    played.
    """
    source = StoredResults(store)
    secrets = source.secrets(event)

    def replayed(match: Result) -> list[SeatPoints] | None:
        if match.seed not in secrets:
            return None
        return verify(
            source.records(event, [match.ordinal])[match.ordinal], secrets[match.seed]
        ).points_by_source

    return replayed


def _sources(store: Store, event: EventRow) -> list[str]:
    """Return the columns of an event's points by source, as its first match has them
    whose deal is over.
    """
    by_source, secrets = _by_source(store, event), store.reveals(event.id)
    first = next(
        (
            match
            for match in results_of(store, event)
            if match.seed in secrets and not match.set_aside
        ),
        None,
    )
    points = by_source(first) if first else None
    return list(points_columns(points[0])) if points else []
