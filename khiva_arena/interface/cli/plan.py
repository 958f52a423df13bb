"""``khiva-arena plan``: how many seeds an error or a gap takes, from a store's own
variance.
"""

from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option, store_argument
from khiva_arena.interface.commands.choices import POWER


@click.command("plan", cls=Verb, needs="STORE [EVENT]... --error ELO | --gap ELO")
@store_argument
@click.argument("event", nargs=-1)
@click.option(
    "--error", type=float, metavar="ELO", help="The largest 95 % error that a bot may have."
)
@click.option(
    "--gap", type=float, metavar="ELO", help="The smallest gap between two bots that has to show."
)
@click.option(
    "--power",
    type=float,
    metavar="SHARE",
    help=f"How often that gap has to show [default: {POWER:g}].",
)
@click.option(
    "--anchor",
    metavar="BOT[=ELO]",
    help="The bot that errors are relative to. [default: as stored with the event]",
)
@json_option
def command(**flags: Any) -> None:
    """Estimate how many seeds are needed for an error of ELO, or to show a gap of ELO.

    Every bot of STORE then has such an error, or results show such a gap between two
    bots. The estimate follows from how much the results in STORE, or of each EVENT in
    it, vary.
    """
    from khiva_arena.interface.commands.plan import plan  # when it is called, so that -h is quick

    plan(**flags)
