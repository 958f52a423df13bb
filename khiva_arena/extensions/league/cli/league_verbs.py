"""The group ``khiva-arena league``, and the decorator that adds a verb to it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from khiva_arena.interface.cli.help import Verb, Verbs

league_argument = click.argument(
    "league", metavar="LEAGUE", type=click.Path(path_type=Path, file_okay=False)
)


@click.group("league", cls=Verbs, needs="VERB ...")
def league_group() -> None:
    """Run a league, which lasts for months: bots enter, improve and leave at any time.
    LEAGUE is its folder.

    A league is a chain of batches: small events, each with a commitment that is
    published before its first match. Pairings follow only from counts. `khiva-arena
    verify` checks all of it; `standings`, `report`, `verify` and `bundle` read LEAGUE
    as a results folder.
    """


def verb(
    name: str,
    group: click.Group = league_group,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a verb of a league, or of a group
    below.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        prefix = "league" if group is league_group else f"league {group.name}"
        made = click.command(f"{prefix} {name}", cls=Verb)(function)
        group.add_command(made, name)
        return made

    return decorate
