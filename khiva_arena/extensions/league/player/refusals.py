"""The refusals of a league's player, all of them before it writes anything: so another
engine, or other settings, can go on.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import to_builtins

from khiva_arena.common.text import harmless
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.find import check_event
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.league.beacon import words_of
from khiva_arena.extensions.league.chain.links import Beacon, LeagueTerms
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import CLOCKS_DIFFER, ahead_of_clock
from khiva_arena.extensions.league.draw.draw import check_families
from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.walked import walked
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.files import FILE


class HowLong(NamedTuple):
    """How long a league is played.

    batches: how many are to be over; None for no end; 0 to publish what is due, and
        play nothing.
    until: when no other one begins; None for never.
    new_terms: whether changed settings begin to count.
    any_engine: whether a batch that another version began is continued.
    beacon: the command that prints the line of a beacon's round; "" for none.
    clock_is_right: whether a link may be written although the clock is far behind the
        newest one.
    """

    batches: int | None = None
    until: datetime | None = None
    new_terms: bool = False
    any_engine: bool = False
    beacon: str = ""
    clock_is_right: bool = False

    def goes_on(self, chain: Chain, played: int) -> bool:
        """Tell whether a batch is played now. ``played``: how many are over by this
        command.
        """
        if chain.open:
            return self.batches != 0
        return (self.batches is None or played < self.batches) and (
            self.until is None or datetime.now(UTC) < self.until
        )


def check_first(league: League, store: Store, how_long: HowLong) -> None:
    """Check what a player is about to go on with.

    Raises ConfigError if the anchors are not those of the league, or if the settings
    are others than those of the chain. Raises StoreError for a batch that is damaged,
    or was begun by another engine.
    """
    now = walked(store)
    if now is None:
        check_beacon([league.terms.beacon], how_long.beacon)
        return
    chain = now.chain
    _check_anchors(league, chain)
    _check_publish_bots(league, chain)
    if not how_long.goes_on(chain, 0):
        return
    refuse_early(chain, how_long.clock_is_right)
    check_beacon(_beacons(league, chain, how_long), how_long.beacon)
    if chain.open:
        event = open_event(store, chain)
        stored.refuse_other_engine(store, event, how_long.any_engine)
        check_event(
            store, event, alone=True
        )  # a long league fills the file, and `verify` looks at all of it
    elif not how_long.new_terms:
        refuse_changed(league.terms, chain.terms)


def _beacons(league: League, chain: Chain, how_long: HowLong) -> list[Beacon | None]:
    """Return the beacons that a player needs: that of the batch which is drawn, and
    that of the batches after it.
    """
    open_alone = [chain.terms.beacon] if chain.open else []
    if how_long.batches == 1 and open_alone:
        return open_alone
    return [*open_alone, (league if how_long.new_terms else chain).terms.beacon]


def check_beacon(beacons: Sequence[Beacon | None], command: str) -> None:
    """Raise ConfigError if one of the beacons is named and no command that asks it, or
    the other way round; or if the command names no program that is here.
    """
    beacon = next(filter(None, beacons), None)
    if command:
        words_of(command)
    if beacon and not command:
        raise ConfigError(
            f"the league's deals need a line of {harmless(beacon.name)}: give --beacon COMMAND, "
            "which gets the number of a round as its last word and prints the line"
        )
    if command and not beacon:
        raise ConfigError(
            f"--beacon: the league has no beacon; name one in {SETTINGS}, or leave --beacon out"
        )


def open_alone(folder: Path) -> Store:
    """Return the store of the league in a folder, to be written. Raises StoreError,
    which says what to do beside a player.
    """
    try:
        return Store.write(folder, trusting=False)
    except StoreError:
        if Store.is_in_use(folder):
            why = (
                f"{folder}: its player is at work; wait for it, or stop it and give the same "
                "command again"
            )
            raise StoreError(why) from None
        raise


def refuse_early(chain: Chain, clock_is_right: bool) -> None:
    """Raise ConfigError if the newest link is further ahead of this machine's clock
    than clocks differ.
    """
    ahead = ahead_of_clock(chain)
    if ahead > CLOCKS_DIFFER and not clock_is_right:
        raise ConfigError(
            f"the newest link is of {chain.made.isoformat(timespec='minutes')}, {ahead} "
            "ahead of this machine's clock: set the "
            "clock; if it is right and that link was made by a wrong one, --clock-is-right goes on"
        )


def refuse_too_few(league: League, queue: Queue) -> None:
    """Raise ConfigError if a league that is not founded yet has too few bots for a
    table, those counted that still wait.
    """
    families = {entry.family for entry in queue.entries("waiting", "accepted") if not entry.held}
    check_families(len(league.anchors) + len(families), league.settings.seats)


def _check_anchors(league: League, chain: Chain) -> None:
    """Raise ConfigError if the anchors are not those that the league was founded
    with.
    """
    now = {anchor.identity for anchor in league.anchors}
    if lost := [anchor.name for anchor in chain.founded.anchors if anchor.identity not in now]:
        raise ConfigError(
            f"anchor {', '.join(lost)}: its files are not those that the league was "
            "founded with; restore them: without "
            "its anchors no number of spring can be compared with one of autumn"
        )


def _check_publish_bots(league: League, chain: Chain) -> None:
    """Raise ConfigError if the settings have another ``publish_bots`` than the first
    link.
    """
    then = chain.founded.terms.publishes_bots
    if league.terms.publishes_bots != then:
        raise ConfigError(
            f"publish_bots: write {str(then).lower()} again: authors were told so before they sent "
            "their bots, and the first batch settled it for good"
        )


def open_event(store: Store, chain: Chain) -> EventRow:
    """Return the event of the batch that was drawn and is not over. Raises StoreError
    if it is missing.
    """
    assert chain.open is not None
    event = store.event(chain.open.event)
    if event is None:
        raise StoreError(
            f"{store.folder / FILE}: the event of batch {chain.open.batch} is missing; "
            "restore a copy"
        )
    return event


def changed_terms(now: LeagueTerms, then: LeagueTerms) -> str:
    """Return the names of the terms that have changed, "" if none has."""
    if canonical(to_builtins(now)) == canonical(to_builtins(then)):
        return ""
    changed = [name for name in now.__struct_fields__ if getattr(now, name) != getattr(then, name)]
    if "conditions" in changed:
        keys = sorted({*now.conditions, *then.conditions})
        changed += [
            f"conditions.{key}"
            for key in keys
            if now.conditions.get(key) != then.conditions.get(key)
        ]
        changed.remove("conditions")
    return ", ".join(changed)


def refuse_changed(now: LeagueTerms, then: LeagueTerms) -> None:
    """Raise ConfigError if the terms of the settings are not those of the chain."""
    if changed := changed_terms(now, then):
        raise ConfigError(
            f"the settings are not those that the league is played on: {changed}; take the change "
            "back, or give --new-terms: the change becomes a link of the chain, and other "
            "conditions begin a new table"
        )
