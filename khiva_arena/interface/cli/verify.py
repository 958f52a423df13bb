"""``khiva-arena verify``: a replay of every record of a store or bundle, compared with
all that is stored beside it.
"""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import (
    WholeNumber,
    handed_games_option,
    json_option,
    modules_option,
    store_argument,
)


@click.command("verify", cls=Verb)
@store_argument
@click.argument("event", nargs=-1)
@click.option(
    "--jobs",
    "-j",
    type=WholeNumber(1, 1_000),
    default=1,
    metavar="N",
    help="Replay with N processes [default: 1].",
)
@click.option(
    "--sample",
    type=WholeNumber(1),
    metavar="N",
    help="Replay only N random matches of each event. It says how much that proves about the "
    "others.",
)
@click.option(
    "--rerun-bots",
    is_flag=True,
    help="Run the bots of events in ticks again. Every answer, fault and tick is compared.",
)
@click.option(
    "--seen",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Compare the chain of a league with this file. It is a bundle of last month, a saved "
    "feed or page, or what `submit` was told. Repeat for each.",
)
@click.option(
    "--since",
    type=WholeNumber(0),
    metavar="LINK",
    help="Replay only batches of a league from this link on. For earlier ones, check only sums, "
    "hash chains and run digests.",
)
@click.option(
    "--beacon",
    default="",
    metavar="COMMAND",
    help="Compare a league's beacon with this command. A league mixed lines into its deals; the "
    "command prints those of their rounds, with the number of a round as its last word.",
)
@modules_option
@handed_games_option
@json_option
def command(**flags: Any) -> int:
    """Replay each match of STORE, a results folder or a bundle, and compare it with
    everything that is stored. To check only some events, name each EVENT by number or
    id.

    It checks hash chains, commitments, revealed secrets, seats, every choice, scores,
    ranks, faults and forfeits. It checks that matches and voids are those of the
    schedule, and that nothing is missing on a revealed seed. Once an event is over, it
    also checks its run digest. In a store it checks the sum of every row, that no row
    was lost or added, and the pages of the file; in a bundle, the standings.
    --rerun-bots says first how much of the processor it may take.

    \b
    Exit codes:
      0  everything is sound
      1  something is not: the first difference and the sound matches are printed;
         or --rerun-bots could not rerun a match on this machine, which accuses nobody;
         or --beacon has no line of a round; a line on stderr says which
      2  there is no match to verify
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.verify import verify

    return verify(**flags)
