"""The work of ``khiva-arena bundle``: events that are over in one file, for anyone to
verify.
"""

import shlex
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from khiva_arena.bots.modules.released import released
from khiva_arena.common import shipped
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.bundling import write_bundle
from khiva_arena.competition.events.find import in_order, rated_events
from khiva_arena.competition.events.league_batches import newest_public
from khiva_arena.competition.events.published_bots import published_in
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.passing import progress
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import handing
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.files import MODULES, PRIVATE_MODULES
from khiva_arena.words import count


def _public(store: Store, events: list[EventRow]) -> list[EventRow]:
    """Return the events without the batches of a league that are not over, or whose
    secrets are not public yet.
    """
    if not store.links():
        return events
    newest = newest_public(store)
    public = [
        event
        for event in events
        if event.definition.batch and event.definition.batch.number <= newest
    ]
    if len(public) < len(events):
        say(
            f"{count(len(events) - len(public), 'batch is', 'batches are')} not public "
            "yet, and left out"
        )
    if not public:
        raise ConfigError(
            f"{store.folder}: no batch of the league is public yet; `khiva-arena league "
            "status` says how far it is"
        )
    return public


def _published(store: Store, events: list[EventRow]) -> Collection[str] | None:
    """Return the identities of the bots that a bundle may hold, None for all. Raises
    ConfigError if their league is not here, or publishes none of them.
    """
    if any(row.definition.batch for row in events) and not store.links(0, 1):
        raise ConfigError(
            f"--with-modules: {store.folder} holds batches of a league, and not the "
            "league, which says whether its bots may be "
            "published; leave it out, or merge this store in the league and bundle that"
        )
    if (store.folder / MODULES / PRIVATE_MODULES).exists():
        raise ConfigError(
            f"--with-modules: {store.folder} is a final of a league that does not publish "
            "its bots; leave it out"
        )
    return published_in(store)


def _tell_bots(out: Path, bots: Collection[DefinedBot], published: Collection[str] | None) -> None:
    """Say of how many bots a bundle holds the modules and the sources, and how many it
    leaves out.

    published: those that it may hold; None for all.
    """
    bots = [bot for bot in bots if not bot.person]
    held = [bot for bot in bots if published is None or bot.identity in published]
    if len(held) < len(bots):
        kept = count(len(bots) - len(held), "bot is", "bots are")
        say(f"{kept} left out, since the league does not publish its bots (publish_bots)")
    if held:
        say(
            harmless(
                f"{out} holds the modules of {count(len(held), 'bot')}, which anybody with "
                "the file can run again"
            )
        )
    in_language = Counter(_language(bot.module) for bot in held if bot.module in released())
    others = sum(bool(bot.payload) for bot in held) - in_language.total()
    sources = ", ".join(
        f"{count(often, 'bot')} in {language}" for language, often in sorted(in_language.items())
    )
    parts = [f"the sources of {sources}"] if sources else []
    parts += [f"the payload of {count(others, 'other bot')}"] if others else []
    if parts:
        what = " and ".join(parts)
        say(
            harmless(
                f"{out} publishes {what}: anybody with the file can read them; without "
                "--with-modules a bundle holds no bots"
            ),
            warning=True,
        )


def _language(module: str) -> str:
    """Return the language of the bots that a released interpreter runs. ``module``: its
    hash.
    """
    word = released()[module].word
    kit = shipped.languages().get(word)
    return kit.title if kit else word


def bundle(
    store: Path,
    out: Path,
    event: tuple[str, ...],
    with_modules: bool,
    *,
    with_transcripts: bool = False,
) -> None:
    """Write the bundle and say how to verify it."""
    with progress() as far, Store.read(store) as db:
        far.watch(db)
        if event and db.links():
            raise ConfigError(
                f"{store}: a league is bundled as a whole, so that all of its batches can "
                "be drawn again; name none"
            )
        events = _public(db, in_order(rated_events(db, event, far.say, names=False)))
        if with_modules and not any(row.definition.in_ticks for row in events):
            raise ConfigError(
                "--with-modules: no event here is in ticks, and other bots are no modules; "
                "leave it out"
            )
        published = _published(db, events) if with_modules else None
        if with_transcripts and not any(db.room_of_transcripts(row.id) for row in events):
            raise ConfigError(
                "--with-transcripts: no event here was played with --transcripts; leave it out"
            )
        also = {"with_modules": with_modules, "with_transcripts": with_transcripts}
        matches, digest = write_bundle(out, db, events, **also)
    say(
        harmless(
            f"{count(matches, 'match', 'matches')} of {count(len(events), 'event')} are in "
            f"{out}; bundle {digest}"
        )
    )
    if with_transcripts:
        what = "what bots wrote on stderr: anybody with the file can read it"
        say(harmless(f"{out} publishes {what}"), warning=True)
    if with_modules:
        bots = {
            bot.identity: bot
            for row in events
            if row.definition.in_ticks
            for bot in row.definition.bots
        }
        _tell_bots(out, bots.values(), published)
    game_flags = handing(
        ((row.definition.game, row.definition.rules_version) for row in events), here=True
    )
    rerun = " --rerun-bots" if with_modules else ""
    say(harmless(f"next: khiva-arena verify {shlex.quote(str(out))}{rerun}{game_flags}"))
