"""The row of the extension ``league``: leagues, and bots that are sent to one elsewhere."""

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
            "league", "Play", "play", "Run a league for months: a chain of small events that anybody can check.", _league
        ),
        ExtensionCommand("submit", "Bots", "check", "Send a bot to a league elsewhere, and ask what became of it.", _submit),
    ),
    needs=("seats", "serve", "shards"),
)
