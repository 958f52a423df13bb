"""The work of ``khiva-arena standings``: the rating table of a store, and more about it on request."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from khiva_arena.events.selection import EVERYBODY, Among
from khiva_arena.events.tables import PooledTable, TableRequest, effects_named, sections_named, tables_of
from khiva_arena.report import contrasts, places, section_text
from khiva_arena.report.same_names import under_a_table
from khiva_arena.report.section_names import EFFECTS
from khiva_arena.report.table import to_text
from khiva_arena.report.text import paragraphs
from khiva_arena.terminal.console import say
from khiva_arena.terminal.tty import table_width
from khiva_arena.text import harmless

_AFTER_PLACES = (
    "The places are what the format decides. Elo, from the matches played, is an estimate of strength and decides nothing:"
)


def standings(
    store: Path,
    event: tuple[str, ...],
    anchors: tuple[str, ...],
    names: tuple[str, ...],
    effects: str | None,
    sets: tuple[str, ...],
    wide: bool,
    as_json: bool,
    only: tuple[str, ...],
    exclude: tuple[str, ...],
    events: tuple[str, ...],
) -> None:
    """Print the tables, as flags ask for them."""
    fitted = effects_named(EFFECTS if effects is None else [part.strip() for part in effects.split(",")])
    sections = sections_named((*names, *(("effects",) if effects else ())))
    among = Among(only, exclude)
    words = (*event, *events)
    print_standings(
        store,
        words,
        anchors=anchors,
        sections=sections,
        effects=fitted,
        sets=contrasts.named(sets),
        as_json=as_json,
        wide=wide,
        among=among,
    )


def print_standings(
    folder: Path,
    words: Sequence[str],
    *,
    anchors: Sequence[str] = (),
    sections: Sequence[str] = (),
    effects: Sequence[str] = EFFECTS,
    sets: Sequence[Sequence[str]] = (),
    as_json: bool = False,
    wide: bool = False,
    among: Among = EVERYBODY,
) -> None:
    """Print one table for each pool of events.

    All is read and worked out before the first line: a store that is damaged somewhere gives no table at all.
    """
    tables = tables_of(folder, words, TableRequest(anchors, sections, effects, among), say)
    tables = [one._replace(contrasts=tuple(contrasts.contrasts(one.standings, sets))) for one in tables]
    if as_json:
        click.echo(json.dumps({"standings": [one.to_json() for one in tables]}))
        return
    for one in tables:
        _print_table(one, sections, wide, table_width())
    if not tables:
        click.echo(harmless(f"no event to rate in {folder}"))


def _print_table(one: PooledTable, sections: Sequence[str], wide: bool, width: int) -> None:
    click.echo("\n".join(paragraphs([one.title], width)))
    for placed in one.places:
        click.echo(places.to_text(placed, width))
    if one.places:
        click.echo("\n".join(paragraphs([_AFTER_PLACES], width)))
    click.echo(to_text(one.standings, width, wide))
    if same := under_a_table([event.bots for event in one.events], {row.bot: row.name for row in one.standings.rows}):
        click.echo(same)
    click.echo(contrasts.to_text(one.standings, one.contrasts, width), nl=False)
    click.echo(section_text.to_text(one.standings, one.sections, sections, width), nl=False)
