"""What waits in the queue of a league for its next batch, why it waits, and how it is
taken back.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.extensions.league.submissions import entry_files
from khiva_arena.extensions.league.submissions.beside_entries import RosterChange
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import QueueEntry
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import FILE

ENTRY, CHANGE = "entry", "change"
TAKEN_BACK = "the organiser took it back before it was in"


class WaitingItem(msgspec.Struct, frozen=True):
    """A bot that waits, or a change of the roster.

    id: as `league cancel` takes it, entry-N or change-N.
    name: of the bot, of the version that changes, or of the season.
    why: what it waits for, in words.
    """

    id: str
    name: str
    why: str


def waiting_of(
    folder: Path,
    entries: Sequence[QueueEntry],
    changes: Sequence[RosterChange],
    chain: Chain | None,
) -> tuple[WaitingItem, ...]:
    """Return what waits and is not in the chain of the league in a folder: bots, then
    changes, in the order of the queue.
    """
    bots = chain.bots if chain else {}
    bots_that_wait = [entry for entry in entries if entry.played_as not in bots]
    waiting = [
        WaitingItem(f"{ENTRY}-{entry.number}", entry.family_name, _why(folder, entry))
        for entry in bots_that_wait
    ]
    changes = [change for change in changes if not _is_done(change, chain)]
    return (
        *waiting,
        *(
            WaitingItem(f"{CHANGE}-{change.number}", *_of_change(change, chain))
            for change in changes
        ),
    )


def _why(folder: Path, entry: QueueEntry) -> str:
    if entry.held and entry_files.is_at_work(folder, entry.number):
        return "is being checked by `league enter`"
    if entry.held:
        return "stays out, since its `league enter` was killed: the same command takes it up"
    if entry.state == "accepted":
        return "passed its check, and is in from the next batch on"
    if entry.report:
        return entry.report
    if entry.leased_until > time.time():
        return "is being checked by the player"
    return "waits for its check, which the player makes before a batch"


def _of_change(change: RosterChange, chain: Chain | None) -> tuple[str, str]:
    """Return what changes, and how."""
    if change.state == "season":
        return change.why, "is the season that begins with the next batch"
    name = (
        chain.bots[change.identity].name
        if chain and change.identity in chain.bots
        else change.identity
    )
    return name, f"is {change.state} from the next batch on" + (
        f": {change.why}" if change.why else ""
    )


def _is_done(change: RosterChange, chain: Chain | None) -> bool:
    """Tell whether a link of the chain has made a change, which a killed player has not
    noted yet.
    """
    if chain is None:
        return False
    if change.state == "season":
        return change.why in [season.name for season in chain.seasons]
    return change.identity in chain.bots and chain.bots[change.identity].state == change.state


def _stored_chain(folder: Path) -> Chain | None:
    if not (folder / FILE).is_file():
        return None
    with Store.read(folder) as store:
        return chain_of(store)


def take_back(folder: Path, what: str) -> WaitingItem:
    """Take back what waits in the queue of the league in a folder, and return
    it. ``what``: its id, or its name if nothing else that waits has it. Raises
    ConfigError.
    """
    with Queue(folder) as queue:
        with queue.hold():  # so that the player does not take it meanwhile
            chain = _stored_chain(folder)
            waiting = waiting_of(
                folder, queue.entries("waiting", "accepted"), queue.changes(), chain
            )
            one = _named(waiting, what)
            kind, _, digits = one.id.partition("-")
            if kind == CHANGE:
                queue.mark_done(int(digits), "taken back")
            else:
                queue.refuse(int(digits), TAKEN_BACK)
        if kind == ENTRY:
            entry_files.forget(folder, queue, int(digits))
    return one


def _named(waiting: Sequence[WaitingItem], what: str) -> WaitingItem:
    named = [one for one in waiting if what in (one.id, one.name)]
    if len(named) == 1:
        return named[0]
    if named:
        raise ConfigError(
            f"{what}: so are called {' and '.join(one.id for one in named)}; name one of these"
        )
    there = ", ".join(f"{one.id} ({one.name})" for one in waiting) or "nothing"
    raise ConfigError(
        f"{what}: nothing that waits is called so; there waits {there}; `league retire` "
        "takes out a bot that is in"
    )
