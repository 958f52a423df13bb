"""The work of ``khiva-arena league author``: authors are added, get tokens, and are
listed.
"""

import json
import shlex
from collections import Counter
from pathlib import Path
from typing import get_args

import click

from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.folder import check_league
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import Author, EntryState
from khiva_arena.rating.report.text import listing


def add(league: Path, name: str) -> None:
    """Add an author, unless `league enter` has, and print the token. Raises ConfigError
    for a name that is not valid, or like another one, and for an author who has a token
    or was revoked.
    """
    with _queue(league) as queue:
        known = queue.author(name)
        if known and (known.has_token or known.revoked):
            again = (
                f"khiva-arena league author rotate {shlex.quote(str(league))} {shlex.quote(name)}"
            )
            raise ConfigError(f"{name} is an author already; for a new token: {again}")
        _print_token(name, queue.rotate((known or queue.add_author(name)).id))


def rotate(league: Path, name: str) -> None:
    """Give an author a new token and print it. Raises ConfigError if there is no such
    author.
    """
    with _queue(league) as queue:
        _print_token(name, queue.rotate(_known(queue, name).id))


def _print_token(name: str, token: str) -> None:
    click.echo(token)
    say(
        harmless(
            f"the token of {name}, printed this once; {name} keeps it in a file of mode "
            "600, for submit --token-file"
        )
    )


def revoke(league: Path, name: str, forget: bool) -> None:
    """Take the token of an author away. Raises ConfigError if there is no such
    author.
    """
    with _queue(league) as queue:
        author = _known(queue, name)
        queue.revoke(author.id, forget=forget)
    kept = f"and is {author.id} from now on" if forget else "and whose name stays out of pages"
    say(harmless(f"{name} has no token any more, {kept}"))


def list_authors(league: Path, as_json: bool) -> None:
    """Print the authors of a league."""
    with _queue(league) as queue:
        authors = queue.authors(with_revoked=True)
        entries = Counter((entry.author, entry.state) for entry in queue.entries())
    states = get_args(EntryState)
    if as_json:
        rows = [
            {**author._asdict(), "entries": {state: entries[author.id, state] for state in states}}
            for author in authors
        ]
        click.echo(json.dumps({"authors": rows}))
        return
    table = [
        [
            author.name or "-",
            author.id,
            _token_of(author),
            *(str(entries[author.id, state]) for state in states),
        ]
        for author in authors
    ]
    click.echo(
        "\n".join(
            map(harmless, listing([["author", "id", "token", *states], *table], list_width()))
        )
    )


def _token_of(author: Author) -> str:
    return "revoked" if author.revoked else "yes" if author.has_token else "no"


def _queue(league: Path) -> Queue:
    """Return the open queue of a league. Raises ConfigError if there is no league."""
    check_league(league)
    return Queue(league)


def _known(queue: Queue, name: str) -> Author:
    author = queue.author(name)
    if author is None:
        names = ", ".join(author.name for author in queue.authors()) or "none yet"
        raise ConfigError(f"no author called {name!r}; there are {names}")
    return author
