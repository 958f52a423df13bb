"""``khiva-arena init``: a commented settings file to begin with."""

import json
import shlex
from pathlib import Path

import click

from khiva_arena.cli.help import Verb
from khiva_arena.cli.newfile import new_file
from khiva_arena.cli.options import is_text
from khiva_arena.cli.say import say
from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.text import harmless

OUT = 'out = "results/competition"'
"""As it stands in competition.toml."""


@click.command("init", cls=Verb, short_help="Write a commented settings file for a competition.")
@click.argument("file", default="competition.toml", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write FILE [default: competition.toml], a new settings file for `khiva-arena run`: every setting with its default and what
    it means, bots that come with the arena, and a store of the same name in results/, so that it plays as it is."""
    if not is_text(file.name):
        raise ConfigError(f"{file.name!r}: name a file in text that a settings file can hold")
    with new_file(file) as out:
        out.write(settings_text(file.stem).encode())
    say(harmless(f"{file} is written; next: khiva-arena run {shlex.quote(str(file))}"))


def settings_text(name: str = "competition") -> str:
    """The text of a settings file. ``name``: of its store."""
    text = Path(__file__).with_name("competition.toml").read_text(encoding="utf-8")
    if OUT not in text:
        raise InternalError("competition.toml has not the store that it should have")
    return text.replace(OUT, f"out = {json.dumps(f'results/{name}', ensure_ascii=False)}")
