"""``khiva-arena show``: the events and matches of a store, or one match."""

from pathlib import Path

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import (
    extension_options,
    handed_games_option,
    json_option,
    store_argument,
)


@click.command("show", cls=Verb)
@store_argument
@click.argument("match", required=False)
@handed_games_option
@click.option(
    "--notes",
    is_flag=True,
    help="Also print each bot's stderr. It is marked with the requests that came before.",
)
@extension_options("show")
@json_option
def command(
    store: Path, match: str | None, notes: bool, as_json: bool, transcript: bool = False
) -> None:
    """List the events and matches of STORE, or print MATCH turn by turn. MATCH is
    EVENT/ORDINAL, as 1/0, or the beginning of its id.

    Hidden cards are printed, and the command that plays the match again. In JSON a line
    of a seat's notes that begins with U+001E is the arbiter's own, such as "[step 12:
    boost]"; "times" has, by seat, the step and the microseconds of each decision, of a
    remote bot also those of the round trip to it, and is null if an older version
    recorded the match.
    """
    from khiva_arena.interface.commands.show import show  # when it is called, so that -h is quick

    show(store, match, notes, as_json, transcript=transcript)
