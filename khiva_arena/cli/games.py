"""``khiva-arena games``: the games and their rules."""

import click

from khiva_arena.cli.completion import GAME
from khiva_arena.cli.help import Verb
from khiva_arena.cli.options import json_option


@click.command("games", cls=Verb)
@click.argument("game", nargs=-1, shell_complete=GAME)
@json_option
def command(game: tuple[str, ...], as_json: bool) -> None:
    """List the games, or each GAME named: seat counts, rules version, and every rule with its default and what it can be."""
    from khiva_arena.commands.games import games  # when it is called, so that -h is quick

    games(game, as_json)
