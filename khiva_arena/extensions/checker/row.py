"""The row of the extension ``checker``: the page that checks bundles in a browser."""

from typing import TYPE_CHECKING

from khiva_arena.common.hooks import ExtensionCommand, ExtensionRow, FilledHook

if TYPE_CHECKING:
    import click


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.checker.extension import EXTENSION

    return EXTENSION


def _page() -> "click.Command":
    from khiva_arena.extensions.checker.page_options import command

    return command


ROW = ExtensionRow(
    "checker",
    _load,
    commands=(
        ExtensionCommand(
            "page", "Trust", "bundle", "Write the page that checks bundles in a browser.", _page
        ),
    ),
)
