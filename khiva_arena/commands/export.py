"""The work of ``khiva-arena export``: results for other programs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from khiva_arena.events.find import check_event, in_order, rated_events
from khiva_arena.events.pools import entrants_of, marks_of, results_of
from khiva_arena.events.selection import Among, StoreSelection, check_among, of_those
from khiva_arena.league.seasons import public_words_of
from khiva_arena.report.exports import EventResults, pgn_names, to_csv, to_jsonl, to_payoffs, to_pgn
from khiva_arena.report.standings import Entrant
from khiva_arena.settings.flags import take_fields
from khiva_arena.store.db import EventRow, Store
from khiva_arena.store.new_file import new_file
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless

LINE_ENDS = "\n"


def export(store: Path, form: str, out: Path | None, **flags: Any) -> None:
    """Write or print the results. ``flags``: those of ``StoreSelection``."""
    selection = take_fields(flags, StoreSelection)
    assert not flags, flags
    among = selection.among
    with Store.read(store) as db:
        events = in_order(rated_events(db, public_words_of(store, selection, say), say))
        check_among(among, events)
        for event in events:
            check_event(db, event)  # before anything is written
        texts = (harmless(text, keep=LINE_ENDS) for text in _texts(db, events, form, among))
        if out is None:
            for text in texts:
                # as bytes, since names may hold more than a terminal's code page
                click.echo(text.encode(), nl=False)
            return
        with new_file(out) as file:
            for text in texts:
                file.write(text.encode())


def _texts(store: Store, events: Sequence[EventRow], form: str, among: Among) -> Iterator[str]:
    results = (_results(store, event, among) for event in events)
    if form == "pgn":
        return to_pgn(results, pgn_names(entrants_of(events)))
    return {"csv": to_csv, "jsonl": to_jsonl, "payoffs": to_payoffs}[form](results)


def _results(store: Store, event: EventRow, among: Among) -> EventResults:
    """Return the results of an event. Raises StoreError if the store is damaged."""
    marks = marks_of([event])
    bots = tuple(Entrant(bot.identity, bot.name, marks.get(bot.identity, ())) for bot in event.bots)
    results = of_those([event], among, results_of(store, event))
    definition = event.definition
    return EventResults(event.id, event.number, definition.extends, definition.game, bots, results)
