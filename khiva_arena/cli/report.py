"""``khiva-arena report``: a page of results, in one file."""

from pathlib import Path

import click

from khiva_arena.cli.help import Verb
from khiva_arena.competition.page import REPLAYS_MOST, page_of, write_page
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count

ALL, NONE = "all", "none"
REPLAYS = ("some", ALL, NONE)
"""How many replays a page holds: those of the first seeds, up to a size; all; none."""
MOST = {"some": REPLAYS_MOST, ALL: 2**40, NONE: 0}


@click.command("report", cls=Verb)
@click.argument("source", metavar="STORE|BUNDLE", type=click.Path(path_type=Path))
@click.argument("event", nargs=-1)
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), required=True, help="The page; one that is there is replaced."
)
@click.option("--title", metavar="TEXT", default="", help="What stands on top of it [default: the game].")
@click.option("--replays", type=click.Choice(REPLAYS), default="some", show_default=True, help="How many replays are in it.")
def command(source: Path, event: tuple[str, ...], out: Path, title: str, replays: str) -> None:
    """Write a page of results that opens in any browser, without a network: standings, charts, and every match on a drawn table.

    Of a store, name each EVENT by number or id to show no others. A bundle is checked before it is shown. Hands are in the page
    only once the last match on their deal is recorded. What bots wrote on stderr, folders and names of machines are not in it."""
    page = page_of(source, event, title, MOST[replays])
    write_page(out, page)
    say(harmless(f"{out}: {count(len(page.encode()) // 1024, 'kB', 'kB')}; open it in a browser"))
