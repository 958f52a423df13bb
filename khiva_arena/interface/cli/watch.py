"""``khiva-arena watch``: the live screen over a stream of events that another process
writes, or has written.
"""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import extension_options


@click.command("watch", cls=Verb)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@extension_options("watch")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --web: also show this page of the run. The run writes it by its own --report; it "
    "is shown as it grows.",
)
def command(file: Path, report: Path | None, **flags: Any) -> int:
    """Watch a run until it ends. The run writes FILE by its option --events-file.

    If it has ended, the command prints how it stood. Without a terminal, print a line
    for each thing that happens. Ctrl-C leaves with exit code 130: the run was not seen
    to its end, and the same command continues to watch.
    """
    from khiva_arena.interface.commands.watch import watch  # when it is called, so that -h is quick

    return watch(file, report, **flags)
