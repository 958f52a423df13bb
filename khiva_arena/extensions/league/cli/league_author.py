"""``khiva-arena league author``: the authors of a league, and a token for each."""

from pathlib import Path

import click

from khiva_arena.extensions.league.cli.league_verbs import league_argument, verb
from khiva_arena.interface.cli.help import Verbs
from khiva_arena.interface.cli.options import json_option

name_argument = click.argument("name", metavar="NAME")


@click.group("author", cls=Verbs, needs="VERB ...")
def author() -> None:
    """Let authors submit bots from elsewhere, each with a token.

    The chain of a league has a random id instead of each name, so that names can be
    removed.
    """


@verb("add", author)
@league_argument
@name_argument
def add_author(league: Path, name: str) -> None:
    """Add author NAME and print the token once. Hand it over where nobody else reads
    it.

    NAME may be an author whom `league enter` added. Only the hash of the token is kept.
    """
    # when it is called, so that -h is quick
    from khiva_arena.extensions.league.commands import league_author

    league_author.add(league, name)


@verb("rotate", author)
@league_argument
@name_argument
def rotate_author(league: Path, name: str) -> None:
    """Give author NAME a new token and print it once. Any earlier one counts no more.

    An author who was revoked takes part again."""
    from khiva_arena.extensions.league.commands import league_author

    league_author.rotate(league, name)


@verb("revoke", author)
@league_argument
@name_argument
@click.option(
    "--forget",
    is_flag=True,
    help="Remove the name for good, too. The random id stays in its place.",
)
def revoke_author(league: Path, name: str, forget: bool) -> None:
    """Take the token of author NAME away.

    Bots of the author that wait to be checked are refused, those in the league stay
    until `league retire`, and pages have the random id instead of the name.
    """
    from khiva_arena.extensions.league.commands import league_author

    league_author.revoke(league, name, forget)


@verb("list", author)
@league_argument
@json_option
def list_authors(league: Path, as_json: bool) -> None:
    """List the authors with their tokens and bots.

    Each has a name, a random id, whether there is a token, and how many bots are in the
    league, wait or were refused.
    """
    from khiva_arena.extensions.league.commands import league_author

    league_author.list_authors(league, as_json)
