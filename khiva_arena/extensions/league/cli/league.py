"""``khiva-arena league``: a competition that lasts for months, as a chain of small events that anybody can check."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.completion import GAME
from khiva_arena.interface.cli.examples import write_examples
from khiva_arena.interface.cli.help import Rare, Verb
from khiva_arena.interface.cli.options import ELSEWHERE, json_option, setting_options

league_argument = click.argument("league", metavar="LEAGUE", type=click.Path(path_type=Path, file_okay=False))
FILE = click.Path(path_type=Path, dir_okay=False)
name_argument = click.argument("name", metavar="NAME")
beacon_option = click.option(
    "--beacon",
    default="",
    metavar="COMMAND",
    help="The command that prints the line of a round of the beacon that league.toml names; the number of the round is its last "
    "word. It is run as you, outside of every cell.",
)
clock_option = click.option(
    "--clock-is-right",
    cls=Rare,
    is_flag=True,
    help="Go on although the newest link is more than an hour ahead of this machine's clock, since a wrong clock made it.",
)
why_option = click.option("--why", default="", metavar="TEXT", help="Why, for everyone to read; name nobody.")


class Verbs(click.Group):
    """A group of the verbs of a league."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(ctx.command_path.partition(" ")[2], formatter)
        super().format_epilog(ctx, formatter)


@click.group("league", cls=Verbs)
def command() -> None:
    """Run a league: bots are entered, improved and withdrawn at any time, and a table stands every day. A league is a chain of
    batches: small events, each with a commitment that is published before its first match. Who meets whom follows from counts
    alone. `khiva-arena verify` checks all of it. LEAGUE is its folder; `standings`, `report`, `verify` and `bundle` read it as a
    store."""


@command.group("author", cls=Verbs)
def author() -> None:
    """Let authors submit bots from elsewhere, each with a token. The chain of a league has a random id in place of each name, so
    that names can be removed."""


def verb(
    name: str,
    group: click.Group = command,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a verb of a league, or of a group below."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        prefix = "league" if group is command else f"league {group.name}"
        made = click.command(f"{prefix} {name}", cls=Verb)(function)
        group.add_command(made, name)
        return made

    return decorate


@verb("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--game", default="khiva", metavar="GAME", shell_complete=GAME, help="The game [default: khiva].")
@click.option("--seats", type=click.IntRange(2, 10), default=3, metavar="N", help="Seats at a table [default: 3].")
@click.option(
    "--clock",
    type=click.Choice(("wall", "ticks")),
    default="wall",
    help="ticks: bots are modules, so that anybody can run them again; anchors are then bots in C, or in JavaScript if "
    "this machine has no compiler [default: wall].",
)
@click.option(
    "--publish-bots/--no-publish-bots",
    default=None,
    help="In ticks, whether bundles of the league may hold its bots, with all files of those in JavaScript or Python, so that "
    "anybody can run them again [default: they may].",
)
def new(**flags: Any) -> None:
    """Make FOLDER, a new league: a league.toml with every setting explained, and copies of shipped bots as anchors, which play in
    every batch so that all numbers have one scale. Edit league.toml before the first batch: that founds the league."""
    from khiva_arena.extensions.league.commands.league import new as make  # when it is called, so that -h is quick

    make(**flags)


@verb("enter")
@league_argument
@click.argument("bot")
@click.option("--author", required=True, metavar="NAME", help="Whose bot it is; the chain has a random id in place of the name.")
@click.option(
    "--name", metavar="NAME", help="Its name in the league, to which the number of its version is added [default: its own]."
)
@setting_options("allow_include")
@json_option
def enter(**flags: Any) -> int:
    """Enter BOT, a folder with a bot.toml or a module, as a new one or as the next version of the author's bot of that name. It
    is checked in its cell and plays a trial table against the anchors, which is not rated. Then it is in from the next batch on.
    The exit code is 1 if it is refused. After Ctrl-C nothing of it waits. What kill -9 leaves stays out until the same command
    takes it up, a newer one of that bot replaces it, or `league cancel` takes it back."""
    from khiva_arena.extensions.league.commands.league import enter as enter_bot

    return enter_bot(**flags)


@verb("play")
@league_argument
@click.option(
    "--batches",
    type=click.IntRange(0),
    metavar="N",
    help="Stop after N batches; 0: publish what is due, and play nothing [default: at Ctrl-C].",
)
@click.option("--until", metavar="HH:MM", help="Begin no batch after this time of day.")
@click.option("--new-terms", is_flag=True, help="Let changed settings of league.toml count from the next batch on.")
@click.option("--any-engine", cls=Rare, is_flag=True, help="Continue a batch that another version of khiva-arena began.")
@beacon_option
@clock_option
@setting_options("jobs", "events_file", *ELSEWHERE)
def play(**flags: Any) -> None:
    """Play batches: take what waits in the queue, draw the next batch from counts, publish its commitment, play it, publish its
    secrets, and go on. Ctrl-C or a kill at any instant loses nothing; the same command resumes. On a full disk the player waits
    for room; with --batches N it ends at once with exit code 1."""
    from khiva_arena.extensions.league.commands.league import play as play_league

    play_league(**flags)


@verb("plan")
@league_argument
@click.argument("file", metavar="FILE", type=FILE)
@click.option("--new-terms", is_flag=True, help="Let changed settings of league.toml count from this batch on.")
@beacon_option
@clock_option
@json_option
def plan(**flags: Any) -> None:
    """Draw the next batch, publish its commitment, and write it to FILE as a plan. A batch that is drawn and not over is written
    again. Machines that know nothing of each other play a shard each, with `khiva-arena run --from-plan FILE --shard I/N`. A
    shard has whole deals, so set `seeds` in league.toml. `khiva-arena merge` joins the shards in LEAGUE. Then `league play` plays
    what is missing, and ends the batch. FILE reveals every deal of the batch: keep it secret."""
    from khiva_arena.extensions.league.commands.league import plan as plan_batch

    plan_batch(**flags)


@verb("serve")
@league_argument
@click.option(
    "--listen",
    required=True,
    metavar="HOST:PORT",
    help="Where to listen; port 0 for a free one. inherit: the socket that systemd hands over.",
)
@click.option("--tls-cert", type=FILE, help="The certificate, as PEM. Without one only this machine is served.")
@click.option("--tls-key", type=FILE, help="The key of the certificate.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine speaks TLS, and tells by X-Forwarded-For and X-Forwarded-Proto who asks.",
)
@click.option("--user", default="", metavar="NAME", help="As root: become this user, which owns nothing of the league.")
def serve(**flags: Any) -> None:
    """Serve the pages of a league until Ctrl-C, by libraries of `pip install 'khiva-arena[web]'`. Everybody sees the table as it
    grows, batches with replays once revealed, each bot, what waits, a feed and badges. Authors with tokens upload bots and see
    their checks. The player is another process. The server opens the queue and the folder `public`, and then confines itself: it
    reads no secret and connects nowhere."""
    from khiva_arena.extensions.league.commands.league_serve import serve as serve_league

    serve_league(**flags)


@verb("season")
@league_argument
@click.argument("name")
def season(league: Path, name: str) -> None:
    """Begin season NAME with the next batch; the one before ends there. `khiva-arena standings LEAGUE --season NAME` prints its
    table alone."""
    from khiva_arena.extensions.league.commands.league import season as begin

    begin(league, name)


@verb("final")
@league_argument
@click.option(
    "--top", type=click.IntRange(2, 100), default=8, metavar="N", help="Seat the best N bots, one of each author [default: 8]."
)
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=200, metavar="N", help="Deals [default: 200].")
@click.option(
    "--lineups", default="auto", metavar="N|auto|all", help="Line-ups of each deal [default: auto, a few in which all meet]."
)
@beacon_option
@clock_option
@setting_options("jobs", *ELSEWHERE)
@json_option
def final(**flags: Any) -> int:
    """Play a final: a committed round-robin of the best bots on new deals, in a store of its own below LEAGUE. Before its first
    match, a link of the chain says who plays it. Its results never count in the league's table. Stop the player meanwhile. The
    same command resumes one that is not over; after that it decides on another one, which everybody sees."""
    from khiva_arena.extensions.league.commands.league import final as play_final

    return play_final(**flags)


@verb("status")
@league_argument
@json_option
def status(league: Path, as_json: bool) -> None:
    """Print how a league stands: its newest link, the batch that is played, its bots, and what waits in the queue, and why."""
    from khiva_arena.extensions.league.commands.league import status as print_status

    print_status(league, as_json)


@verb("cancel")
@league_argument
@click.argument("what", metavar="WHAT")
def cancel(league: Path, what: str) -> None:
    """Take back WHAT, a bot or a change that waits for the next batch: entry-N or change-N as `league status` prints it, or its
    name. A bot that is in is taken out by `league retire`."""
    from khiva_arena.extensions.league.commands.league import cancel as take_back

    take_back(league, what)


@verb("receipt")
@click.argument("url")
@click.option("--ca", type=FILE, help="A certificate to trust, as PEM, beside those of this machine.")
def receipt(url: str, ca: Path | None) -> None:
    """Keep the newest link of the league at URL with the time, in ~/.local/state/khiva-arena/receipts, as `submit` does. Anybody
    who does so each day is a witness: `khiva-arena verify BUNDLE --seen FILE` shows that no end of the chain was thrown away, and
    which batches were drawn before their round of the beacon came."""
    from khiva_arena.extensions.league.commands.submit import receipt as keep_receipt

    keep_receipt(url, ca)


def state_verb(name: str, state: str, text: str) -> None:
    """Add the verb that lets a bot of a league have another state from the next batch on. ``text``: its help."""

    def change_state(league: Path, bot: str, why: str) -> None:
        from khiva_arena.extensions.league.commands.league import change

        change(league, bot, state, why)

    change_state.__doc__ = text
    verb(name)(league_argument(click.argument("bot")(why_option(change_state))))


state_verb("retire", "retired", "Retire BOT, by its name in the league, from the next batch on, for good.")
state_verb("suspend", "suspended", "Suspend BOT from the next batch on, until it is reinstated.")
state_verb("reinstate", "active", "Let a suspended BOT play again from the next batch on.")


@verb("add", author)
@league_argument
@name_argument
def add_author(league: Path, name: str) -> None:
    """Add author NAME, or take one whom `league enter` added, and print the token once: only its hash is kept. Hand it over where
    nobody else reads it."""
    from khiva_arena.extensions.league.commands import league_author  # when it is called, so that -h is quick

    league_author.add(league, name)


@verb("rotate", author)
@league_argument
@name_argument
def rotate_author(league: Path, name: str) -> None:
    """Give author NAME a new token and print it once; any earlier one counts no more. An author who was revoked takes part
    again."""
    from khiva_arena.extensions.league.commands import league_author

    league_author.rotate(league, name)


@verb("revoke", author)
@league_argument
@name_argument
@click.option("--forget", is_flag=True, help="Remove the name for good, too: the random id stays in its place.")
def revoke_author(league: Path, name: str, forget: bool) -> None:
    """Take the token of author NAME away. Bots of the author that wait to be checked are refused, those in the league stay until
    `league retire`, and pages have the random id in place of the name."""
    from khiva_arena.extensions.league.commands import league_author

    league_author.revoke(league, name, forget)


@verb("list", author)
@league_argument
@json_option
def list_authors(league: Path, as_json: bool) -> None:
    """List the authors: name, random id, whether there is a token, and how many bots are in the league, wait or were refused."""
    from khiva_arena.extensions.league.commands import league_author

    league_author.list_authors(league, as_json)
