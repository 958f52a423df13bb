"""``khiva-arena decode``: captured frames as readable lines."""

from pathlib import Path

import click

from khiva_arena.interface.cli.help import Verb


@click.command("decode", cls=Verb)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--hex", "as_hex", is_flag=True, help="Read the input as hex digits [default: detected]."
)
@click.option(
    "--to-bot",
    "way",
    flag_value="to-bot",
    help="Frames from the arbiter. They have up to 1 MiB, and are checked against its messages.",
)
@click.option(
    "--to-arbiter",
    "way",
    flag_value="to-arbiter",
    help="Frames from a bot. They have up to 64 KiB, and are checked against its messages.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line instead of text.")
def command(files: tuple[Path, ...], as_hex: bool, way: str | None, as_json: bool) -> int:
    """Print each frame of each FILE, or of stdin, on a line. Such files come from
    `khiva-arena match --capture`.

    A line has number, offset and length in bytes, type, and the message as JSON. Bytes
    that are not a frame, and frames that break a rule, are shown with what is wrong;
    decoding continues where the next frame may begin. Exit code 1 if anything was
    wrong.

    FILE may also be what went through a pipe to or from a bot. Without --to-bot or
    --to-arbiter a frame may have the larger size, and its fields show who sent it.
    --json: file, number, offset, length, wrong, and message or hex.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.decode import decode

    return decode(files, as_hex, way, as_json)
