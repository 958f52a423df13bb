"""``khiva-arena games``: the games and their rules."""

import click

from khiva_arena.interface.cli.completion import GAME
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option


@click.command("games", cls=Verb)
@click.argument("game", nargs=-1, shell_complete=GAME)
@json_option
@click.option(
    "--header",
    is_flag=True,
    help="Print the rules of the one GAME in C. Bots that search use this header.",
)
def command(game: tuple[str, ...], as_json: bool, header: bool) -> None:
    """List the games, or each GAME with its seats, its version, and every rule with its
    default and its values.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.games import games, print_header

    if header and as_json:
        raise click.UsageError("--header prints C: leave --json out")
    if header:
        print_header(game)
    else:
        games(game, as_json)
