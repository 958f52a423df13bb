"""``khiva-arena new``: a new bot from a template, in a language that has a kit; a new
game; or a repository.
"""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.completion import GAME, LANGUAGE
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option

REPOSITORY = "repository"


@click.command(
    "new", cls=Verb, needs="[LANGUAGE FOLDER | game FOLDER | ladder FOLDER | repository FOLDER]"
)
@click.argument("language", required=False, shell_complete=LANGUAGE)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--module", "as_module", is_flag=True, help="Build the bot as a WebAssembly module, bot.wasm."
)
@click.option(
    "--search",
    "searches",
    is_flag=True,
    help="Make a bot that searches: the strongest start for Khiva.",
)
@click.option(
    "--language",
    "of_bot",
    metavar="LANGUAGE",
    shell_complete=LANGUAGE,
    help="Of a repository: its bot's [default: python].",
)
@click.option(
    "--game",
    metavar="GAME",
    shell_complete=GAME,
    help="The game that AGENTS.md is about, and the test of a repository [default: the bot's "
    "first, or khiva].",
)
@json_option
def command(language: str | None, folder: Path | None, as_json: bool, **flags: Any) -> None:
    """Create FOLDER, a new bot in LANGUAGE that plays random legal choices in every
    game. Without arguments, list the languages and what this machine lacks for each.
    FOLDER/AGENTS.md tells coding agents how to begin.

    FOLDER has the kit of the language, one short file to edit, a bot.toml, a README and
    AGENTS.md. Instead of LANGUAGE, name a bot of `khiva-arena bots`, such as
    shipped:python/llm, to begin with a copy of it; or write game: then FOLDER is a game
    of your own, small and for 2 to 5 seats, with its test and a bot. Write ladder, and
    FOLDER is a ladder, by which `khiva-arena grade` marks bots. Write repository, and
    FOLDER is the content of a git repository. It has a bot in the --language, test.sh,
    and the files by which GitHub and GitLab run test.sh. This script checks the bot,
    and tests it against the bot on the branch main.

    With --search, the new bot searches, in Khiva, in under 200 lines. It is about as
    strong as thinker. `khiva-arena new --search` lists languages.

    What --json prints is described by the schema protocol/schema/output/new.json, which
    is installed with the package.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.new import NewWish, new

    wish = NewWish(**flags)
    if language is None or language.casefold() != REPOSITORY:
        new(language, folder, wish, as_json)
        return
    # most users want a bot
    from khiva_arena.interface.commands.new_repository import new_repository

    new_repository(folder, wish, as_json)
