"""``khiva-arena page``: the page that checks bundles and plays bots, in one file."""

from pathlib import Path

import click

from khiva_arena.interface.cli.help import Verb


@click.command("page", cls=Verb, needs="--runtime FILE --out FILE | --check FILE")
@click.option(
    "--runtime",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A runtime that `make page` fetched, or a page that has one.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page to write; an older one is replaced.",
)
@click.option(
    "--check",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Compare this page with the one that is built.",
)
def command(runtime: Path | None, out: Path | None, check: Path | None) -> None:
    """Write khiva-arena.html, a page in which a reader's browser checks a bundle, or
    plays a bot that the reader writes there.

    It is one file, the same for everybody. It holds the arena itself and Pyodide, and
    fetches and sends nothing. In a checkout `make page` does it all. --check builds it,
    from the Pyodide in FILE if --runtime names none, and says whether FILE is the same,
    byte by byte. --out prints the bytes of each part.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.checker.page_command import page

    page(runtime, out, check)
