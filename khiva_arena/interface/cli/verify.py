"""``khiva-arena verify``: a replay of every record of a store or bundle, compared with all that is stored beside it."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import handed_games_option, json_option, modules_option, store_argument


@click.command("verify", cls=Verb)
@store_argument
@click.argument("event", nargs=-1)
@click.option("--jobs", "-j", type=click.IntRange(1, 1_000), default=1, metavar="N", help="Replay with N processes [default: 1].")
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Replay only N matches of each event, drawn at random, and say how much that proves about the others.",
)
@click.option(
    "--rerun-bots", is_flag=True, help="Run the bots of events in ticks again, and compare every answer, fault and tick."
)
@click.option(
    "--seen",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Compare the chain of a league with what this file says of it: a bundle of last month, a saved feed or page, or what "
    "`submit` was told. Repeat for each.",
)
@click.option(
    "--since",
    type=click.IntRange(0),
    metavar="LINK",
    help="Replay only batches of a league that were drawn at this link or later; of earlier ones check sums, hash chains and run "
    "digests.",
)
@click.option(
    "--beacon",
    default="",
    metavar="COMMAND",
    help="Compare the lines that a league mixed into its deals with those that this command prints of their rounds; the number "
    "of a round is its last word.",
)
@modules_option
@handed_games_option
@json_option
def command(**flags: Any) -> int:
    """Replay each match of STORE (or of each EVENT in it, by number or id) through the rules; or of a file that
    `khiva-arena bundle` wrote. It checks hash chains, commitments and revealed secrets, every choice, scores, ranks, faults
    and forfeits, who sat where, that matches and voids are those of the schedule, that nothing is missing on a revealed seed,
    and, once an event is over, its run digest; in a store also the sum of every row, that none was lost or added, and the pages
    of the file; in a bundle also the standings. If anything is not sound, the exit code is 1, and the first difference and the
    sound matches are printed. It is also 1 if a match is unconfirmed: --rerun-bots could not run it again on this machine, and
    nobody is accused; or if --beacon has no line of a round. One line on stderr says which of these it is. --rerun-bots says
    first what it may take of the processor. It is 2 if there is no match to verify."""
    from khiva_arena.interface.commands.verify import verify  # when it is called, so that -h is quick

    return verify(**flags)
