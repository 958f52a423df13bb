"""The row of the extension ``league``: leagues, and bots that are sent to one
elsewhere.
"""

from typing import TYPE_CHECKING

from khiva_arena.common.hooks import ExtensionCommand, ExtensionRow, FilledHook

if TYPE_CHECKING:
    import click


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.league.extension import EXTENSION

    return EXTENSION


def _league() -> "click.Command":
    from khiva_arena.extensions.league.cli.league import command

    return command


def _submit() -> "click.Command":
    from khiva_arena.extensions.league.cli.submit import command

    return command


ROW = ExtensionRow(
    "league",
    _load,
    commands=(
        ExtensionCommand(
            "league",
            "Play",
            "play",
            "Run a league: events that follow each other for months.",
            _league,
        ),
        ExtensionCommand("submit", "Bots", "check", "Send a bot to a league elsewhere.", _submit),
    ),
    guesses={
        "enter": (
            "`khiva-arena league enter LEAGUE BOT --author NAME` enters a bot; `khiva-arena "
            "submit` sends one elsewhere"
        ),
        "league add": (
            "`khiva-arena league enter LEAGUE BOT --author NAME` enters a bot; `league author "
            "add` adds an author"
        ),
        "league create": "`khiva-arena league new LEAGUE` makes a league",
        "league init": "`khiva-arena league new LEAGUE` makes a league",
        "league list": (
            "`khiva-arena league status LEAGUE` lists its bots, `khiva-arena league author "
            "list LEAGUE` its authors"
        ),
        "league remove": "`khiva-arena league retire LEAGUE BOT` takes a bot out",
        "league run": "`khiva-arena league play LEAGUE` plays batches",
        "league serve --port": "`--listen 127.0.0.1:8080` has the port",
        "league standings": "`khiva-arena standings LEAGUE` prints its table",
        "league start": "`khiva-arena league play LEAGUE` plays batches",
        "league submit": (
            "`khiva-arena submit BOT --to URL` sends a bot; `khiva-arena league enter LEAGUE "
            "BOT` enters one here"
        ),
        "season": "`khiva-arena league season LEAGUE NAME` begins a season",
        "serve": "`khiva-arena league serve LEAGUE --listen 127.0.0.1:8080` serves a league",
        "upload": "`khiva-arena submit BOT --to URL` sends a bot to a league",
    },
    needs=("seats", "serve", "shards"),
)
