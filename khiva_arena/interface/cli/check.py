"""``khiva-arena check``: a check, step by step, that a bot keeps the protocol, in words for its author."""

from typing import Any

import click

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.interface.cli.completion import BOT, GAME
from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option, setting_options
from khiva_arena.interface.commands.choices import CHECK_FORMS, CheckForm


@click.command("check", cls=Verb)
@click.argument("bot", metavar="[BOT]", required=False, shell_complete=BOT)
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    shell_complete=GAME,
    help="Check with this game alone, or with a game of your own by its file; repeat for each. Without BOT, check the game.",
)
@click.option(
    "--quick", is_flag=True, help="Check for some seconds only: fewer seat counts and sizes, no variants, no golden frames."
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
    rules="Check with this rule of the one --game, and no variants; or @FILE for a table in a TOML file.",
    isolation=f"Check at this level alone: {', '.join(Level)} [default: the best that works here, and a start at each].",
    trust_bots="Also start the bot at isolation trusted, with all of your rights.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(CHECK_FORMS),
    help="How to print it: text, json, junit (XML for the test reports of CI), or markdown (for the summary of a CI run) "
    "[default: text].",
)
@json_option
def command(bot: str | None, games: tuple[str, ...], quick: bool, form: CheckForm | None, as_json: bool, **flags: Any) -> int:
    """Check that BOT, a folder with a bot.toml, a command, or remote:NAME for one behind a relay, keeps the protocol, and say in
    numbered steps what was tried, what was expected, what came instead, and the most likely cause.

    Without BOT, check that each GAME, of your own or one of the arena, keeps the contract of games: what seats see, copies,
    pieces, chance, lengths and sizes, each with what to do if it fails.

    Exit code 0 if nothing failed, 1 if something did; warnings and skipped steps do not count as failures. What --json prints is
    described by the schema protocol/schema/output/check.json, which is installed with the package.
    """
    if bot is None:
        if not games:
            raise click.UsageError("name a bot, or a game as --game FILE.")
        from khiva_arena.arbiter.handed_games import check_games  # when it is called, so that -h is quick

        return check_games(games, flags["rule"], as_json=as_json)
    from khiva_arena.interface.commands.check import check  # when it is called, so that -h is quick

    return check(bot, games, quick, form, as_json, flags)
