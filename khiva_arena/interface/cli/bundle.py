"""``khiva-arena bundle``: events that are over in one file, for anyone to verify."""

from pathlib import Path

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import extension_options, handed_games_option, store_argument


@click.command("bundle", cls=Verb)
@store_argument
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("event", nargs=-1)
@click.option(
    "--with-modules",
    is_flag=True,
    help="Also write the bots of events in ticks. Their modules, and all files of bots in "
    "JavaScript and Python, let anybody run them again.",
)
@extension_options("bundle")
@handed_games_option
def command(
    store: Path,
    out: Path,
    event: tuple[str, ...],
    with_modules: bool,
    with_transcripts: bool = False,
) -> None:
    """Write the events of STORE that are over into one new file, OUT. To write only
    some events, name each EVENT by number or id.

    It has definitions, bots by name and hash, commitments and revealed secrets, every
    record, run digests and standings. `khiva-arena verify OUT` checks all of it,
    without this store and without the bots. It holds no times, hosts or paths, nothing
    that bots wrote unless you ask for it, and no bots without --with-modules.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.bundle import bundle

    bundle(store, out, event, with_modules, with_transcripts=with_transcripts)
