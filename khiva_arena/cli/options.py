"""Options that several commands share, said once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from khiva_arena.cli.completion import BOT, GAME, LEVEL, POLICY

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON with stable keys instead of text.")
runtime_option = click.option(
    "--runtime",
    "runtime",
    multiple=True,
    metavar="NAME=DIR",
    help="What {NAME} stands for in the run line of a bot.toml: a virtual environment or another folder that has a bin, or a "
    "program; bots that name it may read it whole. Repeat for each.",
)
store_argument = click.argument("store", metavar="STORE", type=click.Path(path_type=Path))


def is_text(word: str) -> bool:
    """Whether a word of the command line or the environment is Unicode text that a path, a hash or a file can take."""
    return "\0" not in word and not any("\ud800" <= letter <= "\udfff" for letter in word)


def match_options(command: F) -> F:
    """What one match is played with, and by whom, whether alone or in a competition. Unset ones are None."""
    return _bots(conditions(command))


_bots = click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="BOT",
    shell_complete=BOT,
    allow_from_autoenv=False,
    help="A folder with bot.toml, a command, or a bot of `khiva-arena bots` as shipped:python/greedy; repeat for each. Not read "
    "from the environment.",
)


def conditions(command: F) -> F:
    """What one match is played with. Unset ones are None."""
    options = [
        click.option("--game", metavar="NAME", shell_complete=GAME, help="The game [default: khiva]; see `khiva-arena games`."),
        click.option(
            "--rule",
            "rule",
            multiple=True,
            metavar="KEY=VALUE",
            help="A rule variant, or @FILE for a table in a TOML file; repeat for each.",
        ),
        click.option(
            "--seed",
            metavar="TEXT",
            help="Fixes every deal: any text, or 64 hex digits that are the secret itself. A seed that a bot can guess lets it "
            "work out all hands: leave it out where that matters, and a random one is drawn.",
        ),
        click.option("--turn", metavar="TIME", help="Time for each decision, as 1s or 500ms [default: 1s]."),
        click.option("--bank", metavar="TIME", help="Time for a whole match beyond its turns [default: 10s]."),
        click.option("--start", metavar="TIME", help="Time to the bot's hello [default: 10s]."),
        click.option(
            "--isolation",
            metavar="LEVEL",
            shell_complete=LEVEL,
            help="How far bots are kept from this machine: strict, standard, basic, trusted (not at all), or auto, the best that "
            "works here [default: auto]; see `khiva-arena doctor`.",
        ),
        click.option("--trust-bots", is_flag=True, default=None, help="With auto: play at trusted where nothing better works."),
        click.option(
            "--limit",
            "limit",
            multiple=True,
            metavar="KEY=VALUE",
            help="What a bot may use, as memory=512M, and how large it may be; repeat for each. Keys and defaults: "
            "`khiva-arena doctor`.",
        ),
        runtime_option,
        click.option(
            "--ponder/--no-ponder",
            default=None,
            help="Whether a bot may think while it is not its turn; else its processes are stopped then [default: ponder].",
        ),
        click.option(
            "--policy",
            metavar="POLICY",
            shell_complete=POLICY,
            help="lenient: a timeout or illegal choice plays the default, the third one forfeits; strict: the first fault "
            "forfeits [default: lenient].",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command
