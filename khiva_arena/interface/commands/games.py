"""The work of ``khiva-arena games``: the games and their rules."""

import json
from typing import Any

import click

from khiva_arena.competition.settings.given_rules import game_named
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game
from khiva_arena.games.registry import GAMES
from khiva_arena.native import build

LONGEST = 200
"""The most characters of a rule's value in the list for people."""


def games(game: tuple[str, ...], as_json: bool) -> None:
    """Print the named games, or all."""
    named_games = [game_named(word) for word in game] if game else list(GAMES.values())
    if as_json:
        click.echo(json.dumps({"games": [_row(each) for each in named_games]}))
        return
    for each in named_games:
        low, high = each.seats[0], each.seats[-1]
        click.echo(
            f"{each.name}: {each.title}, {low} to {high} seats, rules version {each.rules_version}"
        )
        for key, value in each.every_rule(each.rules({})).items():
            text = json.dumps(value)
            if len(text) > LONGEST:
                text = f"a table of {len(text):,} characters; --json has it"
            click.echo(f"  {key} = {text}")
            click.echo(f"      {each.variants[key]}")


def print_header(game: tuple[str, ...]) -> None:
    """Print the rules of the one named game in C. Raises ConfigError for none, several,
    or one whose rules are Python's alone.
    """
    if len(game) != 1 or game_named(game[0]).name not in build.GAMES:
        raise ConfigError(f"--header takes one game that has rules in C: {', '.join(build.GAMES)}")
    click.echo(build.join(game_named(game[0]).name), nl=False)


def _row(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "rules_version": game.rules_version,
        "rules": game.every_rule(game.rules({})),
        "variants": dict(game.variants),
    }
