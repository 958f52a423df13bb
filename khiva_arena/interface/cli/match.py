"""``khiva-arena match``: one match, printed turn by turn; or a stored one again, with
live bots.
"""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Rare, Verb
from khiva_arena.interface.cli.options import (
    OF_A_MATCH,
    WholeNumber,
    capture_option,
    fault_option,
    full_option,
    json_option,
    setting_options,
)


@click.command("match", cls=Verb, needs="--bot A --bot B | --from STORE MATCH")
@setting_options(*OF_A_MATCH)
@click.option(
    "--from",
    "stored",
    nargs=2,
    metavar="STORE MATCH",
    help="Play this stored match again with live bots.",
)
@click.option(
    "--step", type=WholeNumber(1), metavar="N", help="With --from: go on from this step, from 1."
)
@click.option(
    "--seat", type=WholeNumber(0), metavar="S", help="The seat that decides otherwise at step N."
)
@click.option("--choice", metavar="K", help="Its choice there: the number, or words such as G5/B1.")
@click.option(
    "--try",
    "tries",
    metavar="all|K,K,...",
    help="Play these choices there, or all. They are named by number; the best end comes first.",
)
@click.option(
    "--notes",
    is_flag=True,
    help="Also print each bot's stderr. It is marked with the requests that came before.",
)
@click.option(
    "--trace",
    is_flag=True,
    help="Print every message on stderr. It is printed while the match is played, in both "
    "directions.",
)
@capture_option
@click.option(
    "--by-function",
    is_flag=True,
    cls=Rare,
    help="With --clock ticks, also print in which functions each module spent its ticks.",
)
@fault_option
@full_option
@json_option
def command(
    stored: tuple[str, str] | None,
    notes: bool,
    trace: bool,
    capture: Path | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Play one match and print it turn by turn, hidden cards included. The bots sit in
    the order given.

    With --from, the deal, rules and limits are those of the stored match; --bot, given
    once for each seat, seats other bots than those that played. The first choice that
    differs is printed, and the exit code is then 1.

    With --step, --seat and --choice the match is played again up to that step as it was
    recorded. There the seat chooses otherwise, the others do as they did, and from then
    on all bots play. --try all does so for each choice, --try 14,48 only for choices 14
    and 48. Both ends are shown beside each other; nothing is stored or rated. The deal
    must be over: all its matches recorded.

    --trace prints a line for each message: milliseconds since the start, seat, > to the
    bot or < from it, type and JSON. A line with | is the bot's stderr, and one with !
    says how much of that is not shown. Answers appear once all seats that were asked
    have answered, since no answer is opened before. Long messages are cut; --full
    prints them whole, --capture keeps them, and `khiva-arena decode DIR/*` prints them.

    Before the match the arena starts every bot once. If one fails to start, the arena
    shows its output and how it ended, and --trace, --capture and --notes show that
    start. --capture then keeps nothing unless a bot that failed wrote on stdout.
    """
    # when it is called, so that -h is quick
    from khiva_arena.display.terminal.capped import lines_capped
    from khiva_arena.interface.commands.match import match  # when it is called, so that -h is quick

    has_more = (
        notes or flags["by_function"]
    )  # which come behind the match and would push its end out
    with lines_capped(is_full=flags["is_full"] or as_json or has_more):
        return match(stored, notes, trace, capture, as_json, flags)
