"""``khiva-arena merge``: one store out of those of the machines that played a shard each."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import handed_games_option, json_option, modules_option


@click.command("merge", cls=Verb)
@click.argument("stores", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The store for all shards; one that holds some of them gets the others.",
)
@click.option("--jobs", "-j", type=click.IntRange(1, 1_000), default=1, metavar="N", help="Replay with N processes [default: 1].")
@click.option(
    "--event", metavar="ID", help="The event to merge, by the beginning of its id, if the stores have several in common."
)
@click.option(
    "--any-engine", is_flag=True, help="Also join shards that different versions of khiva-arena played; the event is marked."
)
@click.option(
    "--rerun-bots",
    metavar="SHARE",
    help="In a share of the matches of each STORE, such as 5%, run the bots again (of an event in ticks). The matches are drawn "
    "now, so nobody knew them before; it says with what chance forged ones are found.",
)
@click.option(
    "--take-unconfirmed",
    is_flag=True,
    help="Also take a STORE of which --rerun-bots cannot confirm more than one in twenty of the drawn matches on this machine.",
)
@modules_option
@handed_games_option
@json_option
def command(**flags: Any) -> int:
    """Join the stores of one event, each STORE the --out of a machine that played a shard of it. First every record of every
    store is replayed and checked as `khiva-arena verify` does it. Stores of other events, bots, engines or isolation are
    refused, as are matches that were played twice and differ. With --rerun-bots a drawn match that cannot be confirmed on this
    machine has another one drawn in its place, and is counted; if more than one in twenty cannot be, the store is refused. All
    that lies beside a record comes along. For seeds that are still missing it prints the command that plays them, and the exit
    code is 1. The same command again changes nothing, and goes on if it was ended."""
    from khiva_arena.extensions.shards.merge_command import merge  # when it is called, so that -h is quick

    return merge(**flags)
