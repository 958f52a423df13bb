"""The work of ``khiva-arena bundle``: events that are over in one file, for anyone to verify."""

import shlex
from datetime import UTC, datetime
from pathlib import Path

from khiva_arena.errors import ConfigError
from khiva_arena.events.bundling import write_bundle
from khiva_arena.events.find import in_order, rated_events
from khiva_arena.games.registry import handing
from khiva_arena.store.db import EventRow, Store
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count


def _public(store: Store, events: list[EventRow]) -> list[EventRow]:
    """Return the events without the batches of a league that are not over, or whose secrets are not public yet."""
    if not store.links():
        return events
    from khiva_arena.league.chain.stored_chain import chain_of  # not above: most stores are no league's

    chain = chain_of(store)
    newest = chain.revealed(datetime.now(UTC)) if chain else 0
    public = [event for event in events if event.definition.batch and event.definition.batch.number <= newest]
    if len(public) < len(events):
        say(f"{count(len(events) - len(public), 'batch is', 'batches are')} not public yet, and left out")
    if not public:
        raise ConfigError(f"{store.folder}: no batch of the league is public yet; `khiva-arena league status` says how it stands")
    return public


def bundle(store: Path, out: Path, event: tuple[str, ...], with_modules: bool) -> None:
    """Write the bundle and say how to verify it."""
    with Store.read(store) as db:
        if event and db.links():
            raise ConfigError(
                f"{store}: a league is bundled as a whole, so that all of its batches can be drawn again; name none"
            )
        events = _public(db, in_order(rated_events(db, event, say, names=False)))
        if with_modules and not any(row.definition.in_ticks for row in events):
            raise ConfigError("--with-modules: no event here is in ticks, and other bots are no modules; leave it out")
        matches, digest = write_bundle(out, db, events, with_modules=with_modules)
    say(harmless(f"{count(matches, 'match', 'matches')} of {count(len(events), 'event')} are in {out}; bundle {digest}"))
    game_flags = handing(((row.definition.game, row.definition.rules_version) for row in events), here=True)
    rerun = " --rerun-bots" if with_modules else ""
    say(harmless(f"next: khiva-arena verify {shlex.quote(str(out))}{rerun}{game_flags}"))
