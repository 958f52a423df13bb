"""The work of ``khiva-arena bundle``: events that are over in one file, for anyone to verify."""

import shlex
from pathlib import Path

from khiva_arena.errors import ConfigError
from khiva_arena.events.bundling import write_bundle
from khiva_arena.events.find import in_order, rated_events
from khiva_arena.games.registry import handing
from khiva_arena.store.db import Store
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count


def bundle(store: Path, out: Path, event: tuple[str, ...], with_modules: bool) -> None:
    """Write the bundle and say how to verify it."""
    with Store.read(store) as db:
        events = in_order(rated_events(db, event, say, names=False))
        if with_modules and not any(row.definition.in_ticks for row in events):
            raise ConfigError("--with-modules: no event here is in ticks, and other bots are no modules; leave it out")
        matches, digest = write_bundle(out, db, events, with_modules=with_modules)
    say(harmless(f"{count(matches, 'match', 'matches')} of {count(len(events), 'event')} are in {out}; bundle {digest}"))
    game_flags = handing(((row.definition.game, row.definition.rules_version) for row in events), here=True)
    rerun = " --rerun-bots" if with_modules else ""
    say(harmless(f"next: khiva-arena verify {shlex.quote(str(out))}{rerun}{game_flags}"))
