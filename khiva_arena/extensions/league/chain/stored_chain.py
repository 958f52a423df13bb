"""The chain of a league in its store, which the player alone writes."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import structs

from khiva_arena.errors import RecordError, StoreError
from khiva_arena.extensions.league.chain.follow import begin, follow, walk
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    Anchor,
    AnyLink,
    Founded,
    LeagueTerms,
    read_link,
    text_of,
)
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.records.replay import seeds
from khiva_arena.records.store.db import LinkRow, Store
from khiva_arena.records.store.reads import HIGHEST
from khiva_arena.records.store.rows import now

CLOCKS_DIFFER = timedelta(hours=1)
"""The most that the newest link may be ahead of the clock of whoever adds one."""


def links_of(store: Store, first: int = 0, end: int = HIGHEST) -> list[AnyLink]:
    """Return the links in a store, or those with numbers from ``first`` on and below
    ``end``. Raises StoreError if one was changed since it was written.
    """
    links = []
    for row in store.links(first, end):
        if not row.intact:
            raise StoreError(
                f"{store.folder}: link {row.number} of the league was changed since it was "
                "written; restore a copy"
            )
        with sound(store):
            links.append(read_link(row.text))
    return links


@contextmanager
def sound(store: Store) -> Iterator[None]:
    """Raise StoreError for a stored link that no league has written, or that does not
    follow from those before it.
    """
    try:
        yield
    except RecordError as error:
        raise StoreError(
            f"{store.folder}: the chain of the league is damaged: {error}; restore a copy"
        ) from None


def chain_of(store: Store) -> Chain | None:
    """Return the chain in a store, None if no league was founded in it. Raises
    StoreError if it is damaged.
    """
    links = links_of(store)
    with sound(store):
        return walk(links) if links else None


def found(
    store: Store,
    name: str,
    terms: LeagueTerms,
    anchors: tuple[Anchor, ...],
) -> Chain:
    """Found a league with its first link, and return the chain."""
    link = Founded(
        number=0,
        before=FIRST,
        at=now(),
        league=secrets.token_hex(seeds.ID_LENGTH // 2),
        name=name,
        terms=terms,
        anchors=anchors,
    )
    chain = begin(link)
    store.add_link(row_of(link))
    return chain


def row_of(link: AnyLink) -> LinkRow:
    """Return a link as a store keeps it. Raises RecordError for one that nobody could
    read again.
    """
    text = text_of(link)
    read_link(text)
    return LinkRow(link.number, text)


def ahead_of_clock(chain: Chain) -> timedelta:
    """Return how far the newest link is ahead of this machine's clock; less than
    nothing if it is behind.
    """
    return chain.made - datetime.fromisoformat(now())


def by_this_clock(chain: Chain) -> Chain:
    """Return a chain whose next link has the time of this machine's clock, though a
    wrong clock dated the newest one later.
    """
    at = datetime.fromisoformat(now())
    return structs.replace(chain, made=at, drawn_today=0) if at < chain.made else chain


def next_place(chain: Chain) -> dict[str, Any]:
    """Return the fields of every link, for the next one of a chain: it is never earlier
    than the newest, so that a clock which was set back publishes nothing early.
    """
    at = max(datetime.fromisoformat(now()), chain.made.astimezone(UTC))
    return {"number": chain.links, "before": chain.digest, "at": at.isoformat(timespec="seconds")}


def add(store: Store, chain: Chain, link: AnyLink) -> Chain:
    """Add a link to the store, and return the chain with it. Raises RecordError if it
    does not follow.
    """
    longer = follow(chain, link)
    store.add_link(row_of(link))
    return longer
