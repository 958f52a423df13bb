"""``khiva-arena standings``: the rating table of a store, and more about it on
request.
"""

from typing import Any

import click

from khiva_arena.interface.cli.completion import one_of
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import (
    among_options,
    extension_options,
    handed_games_option,
    json_option,
    store_argument,
)
from khiva_arena.rating.report.section_names import ALL, NAMES


@click.command("standings", cls=Verb)
@store_argument
@click.argument("event", nargs=-1)
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="BOT[=ELO[:SD]]",
    help="The bot at 0 [default: as stored with the event]. The stored one is random, or the "
    "first bot if random "
    "did not play. ELO puts the bot elsewhere, and SD is the error of ELO; repeat for each.",
)
@click.option(
    "--section",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=one_of(lambda: (*NAMES, ALL)),
    help=f"Also print a section, as crosstable or all. There are {', '.join(NAMES)}, or {ALL}; "
    "repeat for each.",
)
@click.option(
    "--effects",
    metavar="LIST",
    help="Fit only seats or neighbours in effects [default: both]. The section effects is printed.",
)
@click.option(
    "--contrast",
    "sets",
    multiple=True,
    metavar="BOT,BOT",
    help="Also print how far these bots are apart. Choose them before you see the results; "
    "repeat for each set.",
)
@click.option("--wide", is_flag=True, help="Print every column.")
@extension_options("standings")
@among_options
@handed_games_option
@json_option
def command(**flags: Any) -> None:
    """Print the rating table of STORE, a results folder, or of each EVENT in it, by
    number or id.

    Events with equal game, rules, time, policy, isolation, limits and pondering are
    pooled into one table; others get tables of their own. An event that was closed
    before it was over counts only if you name it, or if a cap ended it.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.standings import standings

    standings(**flags)
