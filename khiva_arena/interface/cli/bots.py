"""``khiva-arena bots``: the bots that come with the arena."""

import click

from khiva_arena.interface.cli.completion import GAME
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option


@click.command("bots", cls=Verb)
@click.option("--game", shell_complete=GAME, help="Only bots that play this game.")
@json_option
def command(game: str | None, as_json: bool) -> None:
    """List the bots that come with the arena: the word to type after --bot, its games,
    and what this machine lacks for it.

    --json: bots, each with bot, name, games, lacks.
    """
    from khiva_arena.interface.commands.bots import bots  # when it is called, so that -h is quick

    bots(game, as_json)
