"""``khiva-arena close``: the end, for good, of an event that is not over."""

from typing import Any

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import store_argument, yes_option


@click.command("close", cls=Verb)
@store_argument
@click.argument("event")
@yes_option
def command(**flags: Any) -> None:
    """Close an unfinished EVENT of STORE, named by its number or id.

    What is recorded stays. Its secrets are revealed, so that `verify` and `report` show
    its deals; no command ever continues it, and tables, exports and plans leave it out
    unless it is named or a cap ended it. This cannot be undone, so it asks first.
    """
    from khiva_arena.interface.commands.close import close  # when it is called, so that -h is quick

    close(**flags)
