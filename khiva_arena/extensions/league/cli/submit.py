"""``khiva-arena submit``: a bot is sent to a league elsewhere."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option, setting_options

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("submit", cls=Verb, needs="BOT --to URL | --status --to URL")
@click.argument("bot", required=False, metavar="[BOT]")
@click.option(
    "--to", required=True, metavar="URL", help="The address of the league, https://HOST[:PORT]."
)
@click.option(
    "--token-file",
    type=FILE,
    help="The file with your token [default: $KHIVA_ARENA_TOKEN]. Nobody else can read it.",
)
@click.option(
    "--name", metavar="NAME", help="The name of the bot in the league [default: its own]."
)
@setting_options("allow_include")
@click.option(
    "--agree",
    is_flag=True,
    help="Agree that the league publishes the bot. Without a terminal to ask on.",
)
@click.option(
    "--status", is_flag=True, help="Print the state of everything that you have sent. Send nothing."
)
@click.option(
    "--wait",
    is_flag=True,
    help="Wait until the bot is accepted or refused. The exit code is 1 if it is refused.",
)
@click.option("--ca", type=FILE, help="Trust this certificate instead of the system's.")
@json_option
def command(**flags: Any) -> int:
    """Send BOT to the league at URL, as a new bot or as the next version of yours. It
    is a folder with a bot.toml, a module, or the file that khiva-arena.html saves for a
    league.

    BOT is checked there and plays a trial table; what failed comes back in the words of
    `khiva-arena check`. A league in ticks may publish its bots, so that anybody can run
    them again: `submit` asks before it sends yours there.

    The organiser gives you a token, which no command line shows. What the league says
    of its newest link is kept below ~/.local/state/khiva-arena/receipts: `khiva-arena
    verify BUNDLE --seen FILE` finds out later whether it threw an end of its chain
    away.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.league.commands.submit import submit

    return submit(**flags)
