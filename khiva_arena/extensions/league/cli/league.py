"""``khiva-arena league``: a tournament that lasts for months, as a chain of small
events that anybody can check.
"""

from pathlib import Path
from typing import Any

import click

from khiva_arena.extensions.league.cli.league_author import author
from khiva_arena.extensions.league.cli.league_verbs import league_argument, league_group, verb
from khiva_arena.interface.cli.completion import GAME
from khiva_arena.interface.cli.help import Rare
from khiva_arena.interface.cli.options import ELSEWHERE, WholeNumber, json_option, setting_options

FILE = click.Path(path_type=Path, dir_okay=False)
beacon_option = click.option(
    "--beacon",
    default="",
    metavar="COMMAND",
    help="A command that prints a line of the beacon. league.toml names the beacon; the number "
    "of the round is the last word of the command. It is run as you, outside of every sandbox.",
)
clock_option = click.option(
    "--clock-is-right",
    cls=Rare,
    is_flag=True,
    help="Go on after a link that a wrong clock made. It is more than an hour ahead of this "
    "machine's clock.",
)
why_option = click.option(
    "--why", default="", metavar="TEXT", help="Why, for everyone to read; name nobody."
)


@verb("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--game",
    default="khiva",
    metavar="GAME",
    shell_complete=GAME,
    help="The game [default: khiva].",
)
@click.option(
    "--seats",
    type=WholeNumber(2, 10),
    default=3,
    metavar="N",
    help="Seats at a table [default: 3].",
)
@click.option(
    "--clock",
    type=click.Choice(("wall", "ticks")),
    default="wall",
    metavar="CLOCK",
    help="wall (time) or ticks (instructions) [default: wall]. In ticks bots are modules, so "
    "that anybody can run them again; "
    "anchors are then bots in C, or in JavaScript if this machine has no compiler.",
)
@click.option(
    "--publish-bots/--no-publish-bots",
    default=None,
    help="Let bundles of a league in ticks hold its bots. All files of those in JavaScript or "
    "Python are in them, so that anybody can run them again [default: they may].",
)
def new(**flags: Any) -> None:
    """Make FOLDER, a new league. Edit its league.toml before the first batch, which
    founds the league.

    league.toml explains every setting. FOLDER has copies of shipped bots, too, as
    anchors, which play in every batch so that all numbers have one scale.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.league.commands.league import new as make

    make(**flags)


@verb("enter")
@league_argument
@click.argument("bot")
@click.option(
    "--author",
    required=True,
    metavar="NAME",
    help="The author. The chain has a random id instead of the name.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="Its name in the league [default: its own]. The number of its version is added.",
)
@setting_options("allow_include")
@json_option
def enter(**flags: Any) -> int:
    """Enter BOT, a new one or the next version of one. It is a folder with a bot.toml,
    or a module.

    BOT is checked in its sandbox and plays a trial table against the anchors, which is
    not rated. Then it is in from the next batch on. The exit code is 1 if it is
    refused. After Ctrl-C nothing of it waits. What kill -9 leaves stays out until the
    same command takes it up, a newer one of that bot replaces it, or `league cancel`
    takes it back.
    """
    from khiva_arena.extensions.league.commands.league import enter as enter_bot

    return enter_bot(**flags)


@verb("play")
@league_argument
@click.option(
    "--batches",
    type=WholeNumber(0),
    metavar="N",
    help="Stop after N batches [default: at Ctrl-C]. 0: publish what is due, and play nothing.",
)
@click.option("--until", metavar="HH:MM", help="Begin no batch after this time of day.")
@click.option(
    "--new-terms",
    is_flag=True,
    help="Let changed settings count from the next batch on. They are those of league.toml.",
)
@click.option(
    "--any-engine",
    cls=Rare,
    is_flag=True,
    help="Continue a batch that another version of khiva-arena began.",
)
@beacon_option
@clock_option
@setting_options("jobs", "events_file", *ELSEWHERE)
def play(**flags: Any) -> None:
    """Play batches, one after another, until Ctrl-C. The same command resumes.

    Each takes what waits in the queue, is drawn from counts, publishes its commitment,
    is played, and publishes its secrets. Ctrl-C or a kill at any instant loses nothing.
    On a full disk the player waits for room; with --batches N it ends at once with exit
    code 1.
    """
    from khiva_arena.extensions.league.commands.league import play as play_league

    play_league(**flags)


@verb("plan")
@league_argument
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--new-terms",
    is_flag=True,
    help="Let changed settings count from this batch on. They are those of league.toml.",
)
@beacon_option
@clock_option
@json_option
def plan(**flags: Any) -> None:
    """Write the next batch to FILE, a plan for many machines. FILE reveals every deal
    of the batch: keep it secret.

    The batch is drawn and its commitment published. A batch that is drawn and not over
    is written again. Machines that know nothing of each other play a shard each, with
    `khiva-arena run --from-plan FILE --shard I/N`. A shard has whole deals, so set
    `seeds` in league.toml. `khiva-arena merge` joins the shards in LEAGUE. Then `league
    play` plays what is missing, and ends the batch.
    """
    from khiva_arena.extensions.league.commands.league import plan as plan_batch

    plan_batch(**flags)


@verb("serve")
@league_argument
@click.option(
    "--listen",
    required=True,
    metavar="HOST:PORT",
    help="Where to listen, as 127.0.0.1:8080. Port 0 is a free one. inherit: the socket that "
    "systemd hands over.",
)
@click.option(
    "--tls-cert",
    type=FILE,
    help="The certificate, as PEM. Without one only this machine is served.",
)
@click.option("--tls-key", type=FILE, help="The key of the certificate.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine speaks TLS. It tells by X-Forwarded-For and X-Forwarded-Proto "
    "who asks.",
)
@click.option(
    "--user",
    default="",
    metavar="NAME",
    help="As root: become this user. It owns nothing of the league.",
)
@click.option(
    "--page", type=FILE, help="Serve this khiva-arena.html, too. Authors write bots in it."
)
def serve(**flags: Any) -> None:
    """Serve the pages of a league until Ctrl-C. `pip install 'khiva-arena[web]'` has
    the libraries for that.

    Everybody sees the table as it grows, batches with replays once revealed, each bot,
    what waits, a feed and badges. Authors with tokens upload bots and see their checks.
    The player is another process. The server opens the queue and the folder `public`,
    and then confines itself: it reads no secret and connects nowhere.
    """
    from khiva_arena.extensions.league.commands.league_serve import serve as serve_league

    serve_league(**flags)


@verb("season")
@league_argument
@click.argument("name")
def season(league: Path, name: str) -> None:
    """Begin season NAME with the next batch. The one before ends there.

    `khiva-arena standings LEAGUE --season NAME` prints the table of a season."""
    from khiva_arena.extensions.league.commands.league import season as begin

    begin(league, name)


@verb("final")
@league_argument
@click.option(
    "--top",
    type=WholeNumber(2, 100),
    default=8,
    metavar="N",
    help="Seat the best N bots, one of each author [default: 8].",
)
@click.option(
    "--seeds",
    type=WholeNumber(1, 1_000_000),
    default=200,
    metavar="N",
    help="Deals [default: 200].",
)
@click.option(
    "--lineups",
    default="auto",
    metavar="N|auto|all",
    help="Line-ups of each deal [default: auto]. auto: a few in which all meet.",
)
@beacon_option
@clock_option
@setting_options("jobs", *ELSEWHERE)
@json_option
def final(**flags: Any) -> int:
    """Play a final of the best bots, on new deals. Its results never count in the
    league's table.

    It is a committed round-robin in a results folder of its own below LEAGUE. Before
    its first match, a link of the chain says who plays it. Stop the player meanwhile.
    The same command resumes one that is not over; after that it decides on another one,
    which everybody sees.
    """
    from khiva_arena.extensions.league.commands.league import final as play_final

    return play_final(**flags)


@verb("status")
@league_argument
@json_option
def status(league: Path, as_json: bool) -> None:
    """Print the bots, the batch that is played, and the queue.

    The newest link is there, too, and why a bot waits."""
    from khiva_arena.extensions.league.commands.league import status as print_status

    print_status(league, as_json)


@verb("cancel")
@league_argument
@click.argument("what", metavar="WHAT")
def cancel(league: Path, what: str) -> None:
    """Take back WHAT, a bot or a change that waits. It is entry-N or change-N as
    `league status` prints it, or its name.

    A bot that is in is taken out by `league retire`.
    """
    from khiva_arena.extensions.league.commands.league import cancel as take_back

    take_back(league, what)


@verb("receipt")
@click.argument("url")
@click.option(
    "--ca", type=FILE, help="A certificate to trust, as PEM, beside those of this machine."
)
def receipt(url: str, ca: Path | None) -> None:
    """Keep the newest link of the league at URL, as a witness.

    It is kept with the time in ~/.local/state/khiva-arena/receipts, as `submit` does.
    Anybody who does so each day is a witness: `khiva-arena verify BUNDLE --seen FILE`
    shows that no end of the chain was thrown away, and which batches were drawn before
    their round of the beacon came.
    """
    from khiva_arena.extensions.league.commands.submit import receipt as keep_receipt

    keep_receipt(url, ca)


def state_verb(name: str, state: str, text: str) -> None:
    """Add the verb that lets a bot of a league have another state from the next batch
    on. ``text``: its help.
    """

    def change_state(league: Path, bot: str, why: str) -> None:
        from khiva_arena.extensions.league.commands.league import change

        change(league, bot, state, why)

    change_state.__doc__ = text
    verb(name)(league_argument(click.argument("bot")(why_option(change_state))))


state_verb(
    "retire",
    "retired",
    "Retire BOT from the next batch on, for good. It is named as in the league.",
)
state_verb("suspend", "suspended", "Suspend BOT from the next batch on, until it is reinstated.")
state_verb("reinstate", "active", "Let a suspended BOT play again from the next batch on.")

command = league_group
"""The whole command: the verbs above, and the group of those for authors."""
command.add_command(author)
