"""``khiva-arena export``: results for other programs."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import among_options, handed_games_option, store_argument
from khiva_arena.interface.commands.choices import EXPORT_FORMATS


@click.command("export", cls=Verb)
@store_argument
@click.argument("event", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(EXPORT_FORMATS),
    required=True,
    metavar="|".join(EXPORT_FORMATS),
    help="The format.",
)
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="A new file [default: stdout]."
)
@click.option(
    "--points",
    is_flag=True,
    help="Add where the points of each seat come from. For csv or jsonl; each match is replayed.",
)
@among_options
@handed_games_option
def command(**flags: Any) -> None:
    """Write the results of STORE, or of each EVENT in it (by number or id).

    csv: a row for each seat of each match. jsonl: a JSON object a line for each
        match. pgn: a game without moves for each pair of seats of each match of a
        complete table, as Ordo and BayesElo read it; their errors are too small, since,
        unlike `khiva-arena standings`, they do not know that one deal was played many
        times. payoffs: CSV, what each bot gained against each other one, with standard
        errors over deals.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.export import export

    export(**flags)
