"""``khiva-arena bots``: the bots that come with the arena."""

import json
from pathlib import Path

import click
from tabulate import tabulate

from khiva_arena.arbiter import bots as bot_files
from khiva_arena.arbiter.bots import Bot
from khiva_arena.cli.options import json_option
from khiva_arena.cli.say import say
from khiva_arena.cli.shipped import folder
from khiva_arena.games.registry import get


def shipped_bots() -> list[tuple[Path, Bot]]:
    """Each shipped bot with its folder, by language and name; those that misbehave on purpose are left out."""
    found = sorted(path.parent for path in folder("bots").glob("*/*/bot.toml") if path.parts[-3] != "broken")
    return [(path, bot_files.load(str(path))) for path in found]


def ready_bots(game: object) -> list[str]:
    """The shipped bots that play ``game`` and whose language is here, as --bot words; the others are named on stderr."""
    words = []
    for path, bot in shipped_bots():
        lacks = bot_files.missing_tool(bot)
        if bot.games and game not in bot.games:
            continue
        if lacks:
            say(f"{path}: left out, {lacks} is not on this machine")
        else:
            words.append(str(_short(path)))
    return words


@click.command("bots", short_help="List the bots that come with the arena.")
@click.option("--game", help="Only bots that play this game.")
@json_option
def command(game: str | None, as_json: bool) -> None:
    """List the bots that come with the arena: where each one is, what it plays, and what this machine lacks for it."""
    if game:
        get(game)  # a name that is none is the user's mistake
    rows = []
    for path, bot in shipped_bots():
        if game and bot.games and game not in bot.games:
            continue
        rows.append({"bot": str(_short(path)), "name": bot.name, "games": list(bot.games), "lacks": bot_files.missing_tool(bot)})
    if as_json:
        click.echo(json.dumps({"bots": rows}))
        return
    table = [[row["bot"], row["name"], ", ".join(row["games"]) or "any", row["lacks"] or "-"] for row in rows]
    click.echo(tabulate(table, headers=["bot", "name", "games", "lacks"], tablefmt="plain"))


def _short(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
