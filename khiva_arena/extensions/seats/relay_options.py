"""``khiva-arena relay``: a bot of this machine plays at a table elsewhere."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import WholeNumber

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("relay", cls=Verb, needs="HOST:PORT NAME -- COMMAND | --copy FILE")
@click.argument("where", required=False, metavar="HOST:PORT")
@click.argument("name", required=False, metavar="NAME")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND")
@click.option(
    "--token",
    type=FILE,
    help="The file with the token. [default: NAME in khiva-arena/tokens of ~/.config]",
)
@click.option("--ca", type=FILE, help="Trust this certificate instead of the system's.")
@click.option("--tls", is_flag=True, help="Use TLS even to this machine, as through a tunnel.")
@click.option(
    "--keep",
    is_flag=True,
    help="Let one process play one match after another. The organiser has to allow it.",
)
@click.option(
    "--at-most",
    metavar="N",
    type=WholeNumber(1, 9_999),
    default=16,
    help="The most processes of the bot at a time [default: 16]. The arena may ask for fewer.",
)
@click.option(
    "--copy",
    type=FILE,
    help="Write the relay as one file of Python. It is for a machine without the arena.",
)
def command(
    where: str | None, name: str | None, command: tuple[str, ...], copy: Path | None, **how: Any
) -> int:
    """Seat a bot of this machine at a table elsewhere. `khiva-arena run --bot
    remote:NAME` waits for it at HOST:PORT.

    COMMAND starts the bot, once for each match; a folder with bot.toml, or a bot of
    `khiva-arena bots`, does as well. The link is TLS, unless HOST is this machine, as
    behind an ssh tunnel. If it is lost, the relay connects again and no byte is lost,
    while the bot's clock runs. It ends with the run, or by Ctrl-C.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.seats import relay_command as relay

    if copy:
        return relay.copy(copy)
    if where is None or name is None:
        raise click.UsageError(
            "name the arena's address and the bot: khiva-arena relay HOST:PORT NAME -- COMMAND"
        )
    return relay.relay(where, name, command, **how)
