"""``khiva-arena bundle``: events that are over in one file, for anyone to verify."""

import shlex
from pathlib import Path

import click

from khiva_arena.cli.help import Verb
from khiva_arena.cli.options import store_argument
from khiva_arena.competition.bundling import write_bundle
from khiva_arena.competition.find import events_of, in_order
from khiva_arena.store.db import Store
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count


@click.command("bundle", cls=Verb)
@store_argument
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("event", nargs=-1)
def command(store: Path, out: Path, event: tuple[str, ...]) -> None:
    """Write the events of STORE that are over, or each EVENT (by number or id), into the one new file OUT: definitions, bots by
    name and hash, commitments and revealed secrets, every record, run digests and standings. `khiva-arena verify OUT` checks
    all of it, without this store and without the bots. It holds no times, hosts or paths, and nothing that bots wrote."""
    with Store.read(store) as opened:
        events = in_order(events_of(opened, event))
        matches, digest = write_bundle(out, opened, events)
    say(harmless(f"{count(matches, 'match', 'matches')} of {count(len(events), 'event')} are in {out}; bundle {digest}"))
    say(harmless(f"next: khiva-arena verify {shlex.quote(str(out))}"))
