"""``khiva-arena report``: a page of results, in one file."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import among_options, handed_games_option
from khiva_arena.interface.commands.choices import ALL, NONE, SOME


@click.command("report", cls=Verb, needs="STORE|BUNDLE [EVENT]... --out FILE")
@click.argument("source", metavar="STORE|BUNDLE", type=click.Path(path_type=Path))
@click.argument("event", nargs=-1)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page to write; an older one is replaced.",
)
@click.option(
    "--title", metavar="TEXT", default="", help="The title of the page [default: the game]."
)
@click.option(
    "--replays",
    type=click.Choice((SOME, ALL, NONE)),
    metavar="WHICH",
    default=SOME,
    show_default=True,
    help="all, some or none. some: the first matches, 2 MiB at most; all: a folder beside the "
    "page has the rest.",
)
@click.option(
    "--matches",
    metavar="EVENT/MATCH",
    multiple=True,
    help="Put this match into the page. It replaces the first matches; repeat for each.",
)
@click.option(
    "--names",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help='Other names for bots, TOML or JSON: old = "new".',
)
@click.option("--notes", is_flag=True, help="Show the stderr of bots beside their matches.")
@click.option(
    "--for-authors",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write a page for each bot. It has the notes of that bot only.",
)
@click.option(
    "--settings-file", hidden=True, default=""
)  # of the run that keeps the page up to date
@among_options
@handed_games_option
def command(**flags: Any) -> None:
    """Write a page of results, which any browser opens. It has standings, charts and
    every match on a drawn table.

    Of a store, name each EVENT by number or id to show no others. A bundle is checked
    before it is shown. Hands are in the page only once the last match on their deal is
    recorded. What bots wrote on stderr is not in it unless you ask for it; folders and
    names of machines never are, except in what bots wrote.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.report import report

    report(**flags)
