"""``khiva-arena init``: a commented settings file to begin with."""

from pathlib import Path

import click

from khiva_arena.interface.cli.help import Verb


@click.command("init", cls=Verb)
@click.argument("file", default="competition.toml", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write FILE, a new settings file for `khiva-arena run` [default:
    competition.toml]. It explains every setting.

    It names bots that come with the arena and a folder of the same name in results/, so
    that it plays as it is.
    """
    from khiva_arena.interface.commands.init import init  # when it is called, so that -h is quick

    init(file)
