"""``khiva-arena run``: a whole tournament, from bots to a rating table."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Rare, Verb
from khiva_arena.interface.cli.options import (
    ALL,
    draw_options,
    extension_options,
    fault_option,
    json_option,
    setting_options,
    yes_option,
)


def _settings_file(
    _context: click.Context, _parameter: click.Parameter, config: Path | None
) -> Path | None:
    """Return the settings file, if it is there."""
    if config is None or (config.exists() and not config.is_dir()):
        return config
    if config.is_dir():
        raise click.UsageError(
            f"{config} is a folder; CONFIG is a settings file, and `--bot {config}` names a bot."
        )
    from khiva_arena.words import meant  # not above: few files are mistaken

    near = meant(config.name, [path.name for path in config.parent.glob("*.toml")])
    raise click.UsageError(
        f"{config}: there is no such settings file{near}; `khiva-arena init {config}` writes one."
    )


@click.command("run", cls=Verb, needs="--bot A --bot B ... | --shipped | CONFIG")
@click.argument("config", required=False, type=click.Path(path_type=Path), callback=_settings_file)
@setting_options(*ALL)
@click.option(
    "--shipped",
    is_flag=True,
    help="Add bots that come with the arena. These are the ones in Python except slow ones, and "
    "the random ones in C and JavaScript if they can run here.",
)
@click.option(
    "--any-engine",
    cls=Rare,
    is_flag=True,
    help="Continue an event that another version of khiva-arena began; it is marked.",
)
@click.option(
    "--new-event",
    cls=Rare,
    is_flag=True,
    help="Begin another event if all events of these settings are over, or beside an unfinished "
    "one whose bots or settings have "
    "changed since. An unfinished event of these settings is continued.",
)
@click.option(
    "--budget",
    metavar="TIME",
    help="Choose line-ups and seeds for about this time, as 4m. It knows how long matches take "
    "from this store, from one beside it or from a short try. It says what errors to expect, and "
    "asks before it plays for more than half an hour.",
)
@yes_option
@extension_options("run")
@draw_options
@fault_option
@json_option
def command(**flags: Any) -> int:
    """Play a tournament and print its rating table. The same command again resumes.

    By default it is a round-robin: every line-up of the bots, on every seed, in every
    rotation of the seats.

    CONFIG is a TOML file with the same settings by their long names (bots = [...],
    seats = 3, turn = "1s", a [rules] table), and with [[stage]] tables for events one
    after another; `khiva-arena init` writes one. Flags win over KHIVA_ARENA_RUN_*
    variables (one for each setting except --bot), and these win over the file. If
    everything is over, the command says so, prints the table and plays nothing.
    """
    from khiva_arena.interface.commands.run import run  # when it is called, so that -h is quick

    return run(**flags)
