"""The work of ``khiva-arena standings``: the rating table of a store, and more about it
on request.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import to_builtins
from msgspec.structs import replace

from khiva_arena.common.text import harmless
from khiva_arena.competition.events.league_batches import public_words_of, words_of
from khiva_arena.competition.events.pool_tables import (
    PLAIN,
    PooledTable,
    TableRequest,
    effects_named,
    sections_named,
    tables_of,
)
from khiva_arena.competition.events.selection import StoreSelection
from khiva_arena.competition.settings.flags import take_fields
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.passing import progress
from khiva_arena.display.terminal.tty import table_width
from khiva_arena.interface.commands.more_seeds import commands
from khiva_arena.rating.report import contrasts, places, section_text
from khiva_arena.rating.report.rating_table import to_text
from khiva_arena.rating.report.reported import shows_spent
from khiva_arena.rating.report.same_names import under_a_table
from khiva_arena.rating.report.section_names import EFFECTS
from khiva_arena.rating.report.shapes import NotPlayedBot
from khiva_arena.rating.report.standings import set_apart
from khiva_arena.rating.report.text import paragraphs

WITH_SOURCES = PLAIN._replace(by_source=True)
_AFTER_PLACES = (
    "The format decides the places. Elo, from the matches played, only estimates strength:"
)


class SectionFlags(NamedTuple):
    """What is printed of a table besides its rows, as the flags say.

    anchors: BOT, or BOT=ELO, or BOT=ELO:SD.
    names: sections.
    effects: which effects are fitted, in words between commas; None for all.
    sets: bots between commas, whose differences were named in advance.
    """

    anchors: tuple[str, ...]
    names: tuple[str, ...]
    effects: str | None
    sets: tuple[str, ...]


def standings(store: Path, wide: bool, as_json: bool, **flags: Any) -> None:
    """Print the tables. ``flags``: those of ``StoreSelection``, ``SectionFlags`` and
    what extensions add.
    """
    most_lots = flags.pop("most_lots", None)  # of an extension
    selection, section_flags = take_fields(flags, StoreSelection), take_fields(flags, SectionFlags)
    assert not flags, flags
    effects = section_flags.effects
    fitted = effects_named(
        EFFECTS if effects is None else [part.strip() for part in effects.split(",")]
    )
    sections = sections_named((*section_flags.names, *(("effects",) if effects else ())))
    request = TableRequest(
        section_flags.anchors, sections, fitted, selection.among, most_lots=most_lots
    )
    # Where points come from tells of hands, so the deals of a league's batch are looked
    # at once its secret is public.
    words = (
        public_words_of(store, selection, say, of_season=True)
        if "points" in sections
        else words_of(store, selection, say)
    )
    print_standings(
        store, words, request, contrasts.sets_of(section_flags.sets), as_json=as_json, wide=wide
    )


def print_standings(
    folder: Path,
    words: Sequence[str],
    request: TableRequest = PLAIN,
    sets: Sequence[Sequence[str]] = (),
    *,
    as_json: bool = False,
    wide: bool = False,
) -> None:
    """Print one table for each pool of events. All is read and worked out before the
    first line: a store that is damaged somewhere gives no table at all.
    """
    with progress() as far:
        tables = tables_of(folder, words, request, far.say, far)
    tables = [
        table._replace(contrasts=tuple(contrasts.contrasts(table.standings, sets)))
        for table in tables
    ]
    if as_json:
        click.echo(json.dumps(_to_json(folder, tables)))
        return
    _print_tables(folder, tables, request.names, wide=wide)
    _print_not_played([bot for table in tables for bot in table.not_played])
    if not tables:
        click.echo(harmless(f"no event to rate in {folder}"))


def _to_json(folder: Path, tables: Sequence[PooledTable]) -> dict[str, Any]:
    """Return the tables, each with the sentence on who won and the command that plays
    more seeds, as ``--json`` prints them.
    """
    rows = []
    for table in tables:
        said, _, command = table.verdict(command=_more_seeds(folder, table)).partition("\n")
        said = harmless(" ".join(filter(None, (said, *table.caps()))))
        rows.append(
            {
                **table.to_json(),
                **_reported(table),
                "sentence": said,
                "next": [command] if command else [],
            }
        )
    said = " ".join(row["sentence"] for row in rows if row["sentence"])
    return {
        "v": 1,
        "sentence": said if tables else harmless(f"no event to rate in {folder}"),
        "standings": rows,
    }


def _reported(table: PooledTable) -> dict[str, Any]:
    """Return the shares that bots report under their key, and which bots are listed
    below a line; {} if none could report.
    """
    shows = shows_spent(table.standings.rows)
    if shows is None:
        return {}
    shares = shows.shares(table.standings.rows)
    if table.apart is not None:
        shares = [replace(share, below=share.bot in table.apart.bots) for share in shares]
    return {"reported": to_builtins(shares)}


def _print_not_played(bots: Sequence[NotPlayedBot]) -> None:
    """Print which bots were left out of the events, and why."""
    if bots:
        lines = dict.fromkeys(
            f"{bot.name}: {bot.why}: {bot.line}" for bot in bots
        )  # in several events, told once
        click.echo(
            "\n".join(
                [
                    "Not played, and why:",
                    *paragraphs([harmless(line) for line in lines], table_width()),
                ]
            )
        )


def print_run(
    folder: Path, events: Sequence[str], settings: str = "", *, so_far: bool = False
) -> None:
    """Print the tables of the events that a run has played, by id.

    settings: the file with all settings of the newest event; "" if there is none.
    so_far: whether the run was interrupted; then a table without a rated match is left
        out.
    """
    with progress() as far:
        found = tables_of(folder, events, WITH_SOURCES, far.say, far)
    tables = [table for table in found if table.standings.matches or not so_far]
    _print_tables(folder, tables, settings=settings)


def _print_tables(
    folder: Path,
    tables: Sequence[PooledTable],
    sections: Sequence[str] = (),
    settings: str = "",
    *,
    wide: bool = False,
) -> None:
    for table in tables:
        _print_table(
            table,
            sections,
            wide,
            table_width(),
            table.verdict(settings, command=_more_seeds(folder, table)),
        )


def _more_seeds(folder: Path, table: PooledTable) -> Callable[[int], str]:
    """Return a function that returns the one command which plays so many more seeds, ""
    if it takes several.
    """

    def command(seeds: int) -> str:
        blocks = table.standings.blocks
        lines = commands(folder, table.events, (blocks + seeds) / blocks)
        return harmless(lines[0]) if len(lines) == 1 else ""

    return command


def _print_table(
    table: PooledTable, sections: Sequence[str], wide: bool, width: int, verdict: str
) -> None:
    click.echo("\n".join(paragraphs([table.title], width)))
    for placed in table.places:
        click.echo(places.to_text(placed, width))
    if table.places:
        click.echo("\n".join(paragraphs([_AFTER_PLACES], width)))
    shown = set_apart(table.standings, table.apart) if table.apart else table.standings
    click.echo(to_text(shown, width, wide))
    said, _, command = verdict.partition("\n")
    if said:
        click.echo("\n".join([*paragraphs([harmless(said)], width), *filter(None, [command]), ""]))
    if table.by_source and "points" not in sections:
        click.echo("\n".join(paragraphs([table.by_source], width)))
    if same := under_a_table(
        [event.bots for event in table.events], {row.bot: row.name for row in table.standings.rows}
    ):
        click.echo(same)
    click.echo(contrasts.to_text(table.standings, table.contrasts, width), nl=False)
    click.echo(section_text.to_text(table.standings, table.sections, sections, width), nl=False)
