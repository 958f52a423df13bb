"""``khiva-arena replay``: a stored match's requests to one seat, sent to one bot again,
to see which choices differ.
"""

from typing import Any

import click

from khiva_arena.interface.cli.completion import BOT
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import (
    WholeNumber,
    capture_option,
    handed_games_option,
    json_option,
    setting_options,
    store_argument,
)


@click.command("replay", cls=Verb, needs="STORE MATCH | STORE --lost NAME")
@store_argument
@click.argument("match", required=False)
@click.option(
    "--seat",
    type=WholeNumber(0),
    metavar="K",
    help="The seat, from 0 [default: that of BOT, by its name].",
)
@click.option(
    "--bot",
    metavar="BOT",
    shell_complete=BOT,
    allow_from_autoenv=False,
    help="A folder, a commit of it as my-bot@HEAD~1, a command or a shipped bot. [default: the "
    "bot that sat there]",
)
@click.option(
    "--lost",
    metavar="NAME",
    help="Instead of MATCH: all that this bot lost. The last 50 are asked, a line each.",
)
@setting_options(
    *("isolation", "limits", "runtimes", "allow_include", "unreleased_interpreters"),
    isolation="As in `khiva-arena match` [default: that of the match].",
    limits="How large the bot may be; see `khiva-arena doctor`.",
)
@handed_games_option
@click.option(
    "--wait", is_flag=True, help="Stop before the first message, for a debugger. No clock runs."
)
@click.option(
    "--from",
    "first",
    type=WholeNumber(0),
    metavar="N",
    help="Compare choices from step N on; all messages are sent.",
)
@click.option(
    "--until", "last", type=WholeNumber(1), metavar="N", help="Send nothing after step N."
)
@click.option("--trace", is_flag=True, help="Print every message on stderr. Long ones are cut.")
@capture_option
@click.option(
    "--notes",
    is_flag=True,
    help="Also print the bot's stderr. It is marked with the requests that came before.",
)
@json_option
def command(lost: str | None, **flags: Any) -> int:
    """Send BOT the messages that a seat got in MATCH of STORE, and print each decision
    that BOT now makes differently. MATCH is EVENT/ORDINAL, as 1/0, or the beginning of
    its id.

    Each difference comes with the consequences of both choices. The match continues as
    it was recorded. Exit code 1 if a choice differs or the bot fails. STORE may be a
    bundle; then name the BOT. Step N is the N-th time in the match that seats were
    asked; 0 is the start.

    Every message is the one that was sent then, byte for byte, except for data that is
    not recorded. bank_ms is the whole bank until the seat's first timeout, and 0 after
    it. If the seat broke the protocol, its last request may not have gone out. A bundle
    does not hold the lines that informed bots of their faults.

    --wait prints the id of the bot's own process and waits for Enter: attach `gdb -p`,
    `py-spy` or `jdb` meanwhile. No clock runs then, and Ctrl-C ends it. If a program
    was built with -g, gdb finds its sources. If a debugger cannot attach to a bot in a
    sandbox, --isolation trusted runs it with all of your rights instead. Without a
    terminal --wait only stops the clock.

    --lost asks the BOT at the seat of NAME in each match that NAME lost or tied. It
    prints a line a match, and how many choices of each kind differ in all. Most
    differences are style: two good bots differ, too. The list does not tell which few
    matter. `khiva-arena match --from STORE MATCH --step N --seat K --try A,B` plays one
    out.

    A match in ticks is sent to a module, which pays as it did then, and the ticks of
    its decisions are compared, too.

    What --json prints is described by the schemas replay.json and, with --lost,
    replay-lost.json in protocol/schema/output, which are installed with the package.
    """
    if lost is not None:
        # when it is called, so that -h is quick
        from khiva_arena.interface.commands.replay_lost import replay_lost

        return replay_lost(lost=lost, **flags)
    from khiva_arena.interface.commands.replay import replay  # as above

    return replay(**flags)
