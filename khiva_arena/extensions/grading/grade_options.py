"""``khiva-arena grade``: marks for a bot by the rungs of a ladder."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.completion import BOT
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option, setting_options

_FILE = click.Path(path_type=Path)


@click.command("grade", cls=Verb, needs="LADDER --bot DIR")
@click.argument("ladder", type=_FILE)
@click.option(
    "--bot",
    "-b",
    metavar="DIR",
    shell_complete=BOT,
    help="The bot to mark: a folder with a bot.toml, or an archive of it.",
)
@click.option(
    "--seed-file",
    metavar="FILE",
    type=_FILE,
    help="A file with the secret of all deals, 16 bytes or more. Only you may read it. Without "
    "it a random secret is drawn.",
)
@setting_options("jobs")
@click.option(
    "--results",
    metavar="FILE",
    type=_FILE,
    help="Write the marks as Gradescope reads them: results.json.",
)
@click.option("--junit", metavar="FILE", type=_FILE, help="Write the marks as JUnit XML.")
@click.option(
    "--out",
    metavar="DIR",
    type=_FILE,
    help="Keep the matches here, one folder a rung; the same command then resumes. Take a "
    "separate folder for each bot.",
)
@setting_options("trust_bots", "runtimes", "unreleased_interpreters")
@click.option(
    "--seal", is_flag=True, help="Seal a ladder that you changed on purpose, and mark nobody."
)
@json_option
def command(ladder: Path, bot: str | None, seal: bool, **flags: Any) -> int:
    """Mark a bot: it plays each rung of LADDER, a folder that `khiva-arena new ladder`
    makes. A rung gives its points if the lower end of the 95 % interval of Elo is above
    its threshold.

    A ladder whose files differ from its seal is refused. A bot that cannot play has no
    points, and the exit code is 0: the files say why. If this machine is to blame, the
    exit code is 1, and no mark is written.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.grading import grade_command

    if seal:
        if bot is not None:
            raise click.UsageError("--seal marks nobody: leave --bot out.")
        return grade_command.seal(ladder)
    if bot is None:
        raise click.UsageError("--bot DIR is missing: name the folder of the bot to mark.")
    as_json = flags.pop("as_json")
    files = grade_command.GradeFiles(
        **{name: flags.pop(name) for name in grade_command.GradeFiles._fields}
    )
    return grade_command.grade(ladder, bot, files, as_json, **flags)
