"""``khiva-arena merge``: one store out of those of the machines that played a shard
each.
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
)


@click.command("merge", cls=Verb)
@click.argument(
    "stores", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder for all shards. If it holds some of them, it gets the others.",
)
@click.option(
    "--jobs",
    "-j",
    type=WholeNumber(1, 1_000),
    default=1,
    metavar="N",
    help="Replay with N processes [default: 1].",
)
@click.option(
    "--event",
    metavar="ID",
    help="The event to merge, by its id. The beginning of it does; it is needed if the stores "
    "share several.",
)
@click.option(
    "--any-engine",
    is_flag=True,
    help="Also join shards of other versions of khiva-arena. The event is marked.",
)
@click.option(
    "--rerun-bots",
    metavar="SHARE",
    help="Rerun the bots in this share of matches, as 5%. The matches of each STORE of an event "
    "in ticks are drawn now, "
    "so nobody knew them before. It prints the probability that forged ones are found.",
)
@click.option(
    "--take-unconfirmed",
    is_flag=True,
    help="Also take a STORE that --rerun-bots cannot confirm. More than one in twenty of its "
    "drawn matches could not be rerun.",
)
@modules_option
@handed_games_option
@json_option
def command(**flags: Any) -> int:
    """Join the results folders of machines that each played a shard of one event. Each
    STORE is the --out of a machine.

    First every record of every store is replayed and checked as `khiva-arena verify`
    does it. Stores of other events, bots, engines or isolation are refused, as are
    matches that were played twice and differ. With --rerun-bots, if a drawn match
    cannot be confirmed on this machine, it is counted, and another one is drawn
    instead. If more than one in twenty cannot be confirmed, the store is refused. All
    data beside a record comes along. If seeds are still missing, it prints the command
    that plays them, and the exit code is 1. The same command again changes nothing, or
    resumes if it was interrupted.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.shards.merge_command import merge

    return merge(**flags)
