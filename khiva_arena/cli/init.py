"""``khiva-arena init``: a commented settings file to begin with."""

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from khiva_arena.cli.newfile import new_file
from khiva_arena.cli.options import is_text
from khiva_arena.cli.say import say
from khiva_arena.cli.shipped import folder
from khiva_arena.errors import ConfigError, InternalError

BOTS = ("random", "naive", "greedy")
LINE = "bots = " + json.dumps([f"bots/python/{name}" for name in BOTS])
OUT = 'out = "results/competition"'
"""As they stand in competition.toml."""


@click.command("init", short_help="Write a commented settings file for a competition.")
@click.argument("file", default="competition.toml", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write FILE [default: competition.toml], a new settings file for `khiva-arena run`: every setting with its default and what
    it means, bots that come with the arena, and a store of the same name in results/, so that it plays as it is."""
    if not is_text(file.name):
        raise ConfigError(f"{file.name!r}: name a file in text that a settings file can hold")
    bots = [_word(file.parent, path) for name in BOTS if (path := folder("bots") / "python" / name).is_dir()]
    text = settings_text(bots, file.stem)
    with new_file(file) as out:
        out.write(text.encode())
    say(f"{file} is written; next: {'' if bots else 'name your bots in it, and '}khiva-arena run {shlex.quote(str(file))}")


def settings_text(bots: Sequence[str], name: str = "competition") -> str:
    """The text of a settings file with these bots; without any it has examples in their place. ``name``: of its store."""
    text = Path(__file__).with_name("competition.toml").read_text(encoding="utf-8")
    if LINE not in text or OUT not in text:
        raise InternalError("competition.toml has not the bots or the store that it should have")
    text = text.replace(OUT, f"out = {json.dumps(f'results/{name}', ensure_ascii=False)}")
    return text.replace(LINE, "bots = " + json.dumps(bots, ensure_ascii=False)) if bots else text


def _word(beside: Path, path: Path) -> str:
    """A folder as it is named in a file that lies in another one. Raises ConfigError where that cannot be written."""
    home = beside.absolute()
    word = os.path.relpath(path, home) if path.is_relative_to(home) else str(path)
    if not is_text(word):
        raise ConfigError(f"the shipped bots lie in {word!r}, which no settings file can hold")
    return word
