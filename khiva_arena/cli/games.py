"""``khiva-arena games``: what can be played."""

import json

import click

from khiva_arena.cli.options import json_option
from khiva_arena.games.registry import GAMES


@click.command("games", short_help="List the games, their seats and rules.")
@json_option
def command(as_json: bool) -> None:
    """List the games with their seat counts, rules version, and every rule variant with its default."""
    rules = {name: game.rules({}) for name, game in GAMES.items()}
    if as_json:
        listed = [
            {
                "name": name,
                "title": game.title,
                "seats": list(game.seats),
                "rules_version": game.rules_version,
                "rules": rules[name],
            }
            for name, game in GAMES.items()
        ]
        click.echo(json.dumps({"games": listed}))
        return
    for name, game in GAMES.items():
        click.echo(f"{name}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats, rules version {game.rules_version}")
        for key, value in rules[name].items():
            click.echo(f"  {key} = {json.dumps(value)}")
