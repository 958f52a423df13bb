"""``khiva-arena check``: a check, step by step, that a bot keeps the protocol, in words
for its author.
"""

from typing import Any

import click

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.interface.cli.completion import BOT, GAME
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import full_option, json_option, setting_options
from khiva_arena.interface.commands.choices import CHECK_FORMS, CheckForm


@click.command("check", cls=Verb, needs="BOT | --game GAME")
@click.argument("bot", metavar="[BOT]", required=False, shell_complete=BOT)
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    shell_complete=GAME,
    help="Check with this game only, or your game's file. Repeat for each. Without BOT, check "
    "the game.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Check for some seconds only. Seat counts and sizes are fewer; no variants, no golden "
    "frames.",
)
@setting_options(
    *(
        "rules",
        "turn",
        "bank",
        "start",
        "isolation",
        "trust_bots",
        "network",
        "env",
        "limits",
        "runtimes",
        "allow_include",
        "unreleased_interpreters",
    ),
    *("listen", "tls_cert", "tls_key", "tokens", "reconnect"),
    rules="Check with this rule of the one --game. No variants are checked then. @FILE is a "
    "table in a TOML file.",
    isolation="Check at this level only [default: the best here]. Levels are "
    f"{', '.join(Level)}; by default a start at each is tried, too.",
    trust_bots="Also start the bot at trusted, with your rights.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(CHECK_FORMS),
    metavar="FORMAT",
    help="text, json, junit or markdown [default: text]. junit is XML for the test reports of "
    "CI, markdown is for the summary of a CI run.",
)
@click.option(
    "--quiet", is_flag=True, help="Print only the steps that are not ok, and nothing if all are."
)
@full_option
@json_option
def command(
    bot: str | None,
    games: tuple[str, ...],
    quick: bool,
    form: CheckForm | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Check that BOT keeps the protocol, in numbered steps. A step that fails says what
    was expected, what came instead, and why.

    BOT is a folder with a bot.toml, a commit of it as my-bot@HEAD, a command, or
    remote:NAME for one behind a relay. Without BOT, check that each GAME, of your own
    or one of the arena, keeps the contract of games: what seats see, copies, pieces,
    chance, lengths and sizes, each with what to do if it fails.

    Exit code 0 if nothing failed, 1 if something did; warnings and skipped steps do not
    count as failures. What --json prints is described by the schema
    protocol/schema/output/check.json, which is installed with the package.
    """
    # when it is called, so that -h is quick
    from khiva_arena.display.terminal.capped import lines_capped

    quiet, is_full = flags.pop("quiet"), flags.pop("is_full")
    if bot is None:
        if not games:
            raise click.UsageError(
                "name a bot, as in `khiva-arena check my-bot`, or a game as --game FILE."
            )
        # when it is called, so that -h is quick
        from khiva_arena.arbiter.handed_games import check_games

        with lines_capped(is_full=is_full or as_json):
            return check_games(games, flags["rule"], as_json=as_json, quiet=quiet)
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.check import CheckPrint, check

    with lines_capped(is_full=is_full or as_json or form not in (None, "text")):
        return check(bot, games, quick, CheckPrint(form, as_json, quiet), flags)
