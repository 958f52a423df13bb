"""Changes of the roster that wait in the queue, made into links of the chain before
each batch.
"""

from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.say import Say
from khiva_arena.errors import RecordError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.chain.follow import follow
from khiva_arena.extensions.league.chain.links import Entered, Season, StateChanged
from khiva_arena.extensions.league.chain.roster import Chain, RosterBot
from khiva_arena.extensions.league.chain.stored_chain import add, links_of, next_place
from khiva_arena.extensions.league.submissions.beside_entries import RosterChange
from khiva_arena.extensions.league.submissions.examine import NOT_AGREED
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import QueueEntry
from khiva_arena.records.store.db import Store

FAILED = "could not be made a link, since the arena itself failed at it"


def take_all(store: Store, queue: Queue, chain: Chain, say: Say) -> Chain:
    """Make a link of each change and each accepted entry that waits, and return the
    chain with them.

    A kill between a link and its mark in the queue is no harm: what the chain has
    already is marked and not made again.
    """
    for change in queue.changes():
        try:
            with queue.hold():  # so that nobody takes it back while its link is written
                if change in queue.changes():
                    chain = _take_change(store, queue, chain, change, say)
        except Exception as error:
            chain = _after(store, chain, error)
            queue.mark_done(change.number, FAILED)
            say(
                f"change {change.number} {FAILED}: "
                f"{failures.keep(store.folder, f'change-{change.number}', error)}",
                warning=True,
            )
    for entry in queue.entries("accepted"):
        try:
            with queue.hold():
                if queue.entry(entry.number) == entry and not entry.held:
                    chain = _take_entry(store, queue, chain, entry, say)
        except Exception as error:
            chain = _after(store, chain, error)
            if entry.played_as in chain.bots:
                queue.mark_entered(entry.number)
            else:
                queue.refuse(entry.number, f"it {FAILED}")
            told = failures.keep(store.folder, f"entry-{entry.number}", error)
            say(f"entry {entry.number}, {entry.family_name}, {FAILED}: {told}", warning=True)
    return chain


def _after(store: Store, chain: Chain, error: Exception) -> Chain:
    """Return the chain after the arena has failed at an item, whose link may be written
    all the same. Raises any other error.
    """
    if not is_unforeseen(error):
        raise error
    for link in links_of(store, chain.links):
        chain = follow(chain, link)
    return chain


def _take_change(
    store: Store,
    queue: Queue,
    chain: Chain,
    change: RosterChange,
    say: Say,
) -> Chain:
    link: StateChanged | Season
    bot = chain.bots.get(change.identity)
    if change.state == "season":
        is_done = change.why in [season.name for season in chain.seasons]
        link = Season(**next_place(chain), name=change.why)
        what = f"season {change.why!r}"
    else:
        is_done = bot is not None and bot.state == change.state
        link = StateChanged(
            **next_place(chain), identity=change.identity, state=change.state, why=change.why
        )
        what = f"{bot.name if bot else change.identity[:8]} is {change.state}"
    if is_done:
        queue.mark_done(change.number, "done")
        return chain
    try:
        chain = add(store, chain, link)
    except RecordError as error:
        queue.mark_done(change.number, f"not possible: {error}")
        say(f"not possible: {what}: {error}", warning=True)
        return chain
    queue.mark_done(change.number, f"link {link.number}")
    say(f"{what} from now on: link {link.number} {link.digest}")
    return chain


def _take_entry(
    store: Store,
    queue: Queue,
    chain: Chain,
    entry: QueueEntry,
    say: Say,
) -> Chain:
    identity = entry.played_as
    assert identity is not None  # of an entry that was accepted
    if identity in chain.bots:
        queue.mark_entered(entry.number)
        return chain
    if (
        chain.terms.publishes_bots and not entry.agreed
    ):  # by other settings, of before the first batch, it needed no agreement
        queue.refuse(entry.number, NOT_AGREED)
        say(
            f"not possible: {entry.family_name} is in: its author did not agree that the "
            "league publishes it",
            warning=True,
        )
        return chain
    versions = chain.versions(entry.family)
    active = sorted((bot for bot in versions if bot.state == "active"), key=lambda bot: bot.version)
    surplus = max(0, len(active) + 1 - chain.terms.versions)
    link = Entered(
        **next_place(chain),
        author=entry.author,
        family=entry.family,
        version=len(versions) + 1,
        name=name_of_version(entry.family_name, versions),
        identity=identity,
        sources=entry.identity,
        parts=tuple(entry.parts.split()),
        replaces=tuple(bot.identity for bot in active[:surplus]),
    )
    try:
        chain = add(store, chain, link)
    except RecordError as error:
        queue.refuse(entry.number, f"it could not be entered: {error}")
        say(f"not possible: {link.name} is in: {error}", warning=True)
        return chain
    queue.mark_entered(entry.number)
    instead = f", instead of {', '.join(bot.name for bot in active[:surplus])}" if surplus else ""
    say(f"{link.name} is in from now on{instead}: link {link.number} {link.digest}")
    return chain


def name_of_version(family: str, versions: list[RosterBot]) -> str:
    """Return the name in the league of the next version of a bot. ``versions``: those
    before.
    """
    return f"{family} v{len(versions) + 1}"
