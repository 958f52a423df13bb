"""``khiva-arena new``: a new bot from a template, in a language that has a kit; or a new game."""

from pathlib import Path

import click

from khiva_arena.interface.cli.completion import LANGUAGE
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option


@click.command("new", cls=Verb, needs="[LANGUAGE FOLDER | game FOLDER | ladder FOLDER]")
@click.argument("language", required=False, shell_complete=LANGUAGE)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--module", "as_module", is_flag=True, help="Build the bot as a WebAssembly module, bot.wasm.")
@click.option("--search", "searches", is_flag=True, help="Make a bot that searches, in Khiva.")
@json_option
def command(language: str | None, folder: Path | None, as_module: bool, searches: bool, as_json: bool) -> None:
    """Create FOLDER, a new bot in LANGUAGE that plays random legal choices in every game. Without arguments, list the languages
    and what this machine lacks for each.

    FOLDER has the kit of the language, one short file to edit, a bot.toml and a README. Instead of LANGUAGE, name a bot of
    `khiva-arena bots`, such as shipped:python/llm, to begin with a copy of it; or write game: then FOLDER is a game of your own,
    a small one for 2 to 5 seats, with its test and a bot; or write ladder: then FOLDER is a ladder, by which `khiva-arena grade`
    marks bots.

    --search: the new bot searches, in Khiva, in under 200 lines; `khiva-arena new --search` lists languages.

    --json: folder, language, files, lacks; of a game folder, game, files; of a ladder folder, files; or languages, each with
    language, title, aliases, lacks, with --module or --search also needs."""
    from khiva_arena.interface.commands.new import new  # when it is called, so that -h is quick

    new(language, folder, as_json, as_module, searches)
