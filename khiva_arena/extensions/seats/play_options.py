"""``khiva-arena play``: a person takes a seat."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import OF_A_MATCH, WholeNumber, json_option, setting_options

BOTS = (
    "person, a folder, a command, or shipped:python/greedy. person or person:NAME is somebody at a "
    "browser, a folder has a bot.toml, `khiva-arena bots` lists the shipped ones, and remote:NAME "
    "is a bot behind a relay. Not read from the environment."
)


@click.command("play", cls=Verb, needs="[--bot BOT ... | --from STORE MATCH --step N --seat S]")
@setting_options(
    *OF_A_MATCH,
    bots=BOTS,
    turn="Time for each decision, as 1m [default: a day]. The page shows it.",
)
@click.option(
    "--from",
    "stored",
    nargs=2,
    metavar="STORE MATCH",
    help="Take over a seat of this stored match.",
)
@click.option(
    "--step",
    type=WholeNumber(1),
    metavar="N",
    help="With --from: the step at which you take over, from 1.",
)
@click.option(
    "--seat",
    type=WholeNumber(0),
    metavar="S",
    help="With --from: the seat, from 0. It was asked at step N.",
)
@click.option(
    "--hints/--no-hints", default=True, help="Show the choice of a bot on request [default: hints]."
)
@click.option(
    "--port",
    metavar="PORT",
    type=WholeNumber(0, 65535),
    default=0,
    help="The port of the page [default: any free one].",
)
@click.option(
    "--open/--no-open", "opens", default=True, help="Open the page in your browser [default: open]."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="STORE",
    help="Store the match, with --clock ticks. It is never rated.",
)
@click.option("--terminal", is_flag=True, help="Play in this terminal instead, by typing numbers.")
@click.option(
    "--mcp", is_flag=True, help="Give the seat to an agent by MCP. Its client starts this command."
)
@json_option
def command(hints: bool, port: int, terminal: bool, mcp: bool, as_json: bool, **flags: Any) -> int:
    """Play a match yourself, in your browser, against the bots that you name. Without
    --bot, two come with the arena.

    You take the first seat, or the one at which you write --bot person. For several
    people write --bot person:ANN for each; each gets an address. Everybody sees only
    what a bot in that seat would see. The choices of all are shown once all are in.
    After the match the page replays it, all hands open. Its record is checked like any
    other, and --json prints it. The match is never rated.

    With --clock ticks you sit beside modules, which pay in ticks; --turn is your own
    time, and you pay one tick an answer. --out stores such a match: `verify
    --rerun-bots` plays the modules again, and says of your seat "cannot tell here: a
    person".

    With --from, --step and --seat you continue a stored match. It is played again up to
    step N as it was recorded. There you choose for seat S, and from then on all play.
    Both ends are shown beside each other; nothing is stored or rated. The deal must be
    over: all its matches recorded. Without --bot, the bots that sat there play again.

    With --mcp an agent takes the seat: it calls view, legal, act and rules. Standard
    output carries only the protocol. The match begins when the agent calls the first of
    these. The agent's process can look behind the cards of this one.

    The page is served only to this machine, under an address that nobody can guess,
    until the command ends.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.seats.play_command import PersonsPlace, Shown, play

    return play(
        PersonsPlace(port, terminal, mcp),
        hints,
        Shown(flags.pop("opens"), as_json, flags.pop("out")),
        flags,
    )
