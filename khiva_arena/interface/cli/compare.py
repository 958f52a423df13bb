"""``khiva-arena compare``: which of two bots is better, in a few minutes."""

from typing import Any

import click

from khiva_arena.interface.cli.completion import BOT
from khiva_arena.interface.cli.help import Rare, Verb
from khiva_arena.interface.cli.options import (
    ELSEWHERE,
    OF_A_MATCH,
    WholeNumber,
    extension_options,
    full_option,
    json_option,
    setting_options,
)


def _numbers(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    """Return the numbers of seats of a list with commas."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() for word in words) or len({*words}) < len(words):
        raise click.BadParameter(f"{text!r} is no list of numbers of seats; write 2, 3 or 2,3")
    return tuple(map(int, words))


@click.command("compare", cls=Verb)
@click.argument("new", shell_complete=BOT)
@click.argument("old", shell_complete=BOT)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=BOT,
    help="Compare NEW and OLD by their results against this bot. Each of the two plays the same "
    "deals in the same seats with it. "
    "Without this flag NEW meets OLD, and copies of OLD fill the other seats. Repeat for each.",
)
@click.option(
    "--seats",
    default="2",
    show_default=True,
    metavar="N,...",
    callback=_numbers,
    help="Seats at a table. Several, such as 2,3, give a verdict each at half the level: NEW is "
    "better if it is better at one and worse at none.",
)
@click.option(
    "--for",
    "time",
    metavar="TIME",
    help="Begin no deal after this time [default: 4m]. Deals that were begun are played to the "
    "end, and count.",
)
@click.option(
    "--matches",
    type=WholeNumber(1),
    metavar="N",
    help="Play at most this many matches, instead of --for. A deal is played whole, and one "
    "always is.",
)
@setting_options(
    *(name for name in OF_A_MATCH if name != "bots"),
    *("jobs", "out", "events_file", "report"),
    *ELSEWHERE,
    out="The folder for results [default: results/compare]. A comparison that is in it is resumed.",
)
@click.option(
    "--any-engine",
    cls=Rare,
    is_flag=True,
    help="Continue a comparison that another version of khiva-arena began; it is marked.",
)
@click.option(
    "--new-event", is_flag=True, help="Begin again, on new deals, if this comparison is over."
)
@extension_options("compare")
@full_option
@json_option
def command(is_full: bool, **flags: Any) -> int:
    """Tell whether NEW is better than OLD. It stops once that is clear, or when the
    time is over.

    The same command again resumes a comparison that was interrupted, and prints the
    answer of one that is over. Each bot is a folder with bot.toml, such a folder in a
    commit (./my-bot@HEAD~1), or a command. Although the comparison looks after each
    deal, at most 5 of 100 comparisons of equal bots say better or worse. The exit code
    tells the verdict.
    """
    # when it is called, so that -h is quick
    from khiva_arena.display.terminal.capped import lines_capped

    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.compare import compare

    with lines_capped(is_full=is_full or flags["as_json"]):
        return compare(**flags)
