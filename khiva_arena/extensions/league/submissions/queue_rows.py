"""The rows of a league's queue: authors and their submissions."""

import math
import sqlite3
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Literal, NamedTuple

HELD = math.inf
"""The end of the lease of an entry that ``league enter`` holds."""
TOKEN_BYTES = 32
REVOKED = "its author may not submit any more"
EQUAL = "the very same bot is in the league already, or waits to be"
SPENT = "today's builds and checks have used up the CPU time that an author has in a day"
EntryState = Literal["waiting", "refused", "accepted", "entered"]


class Author(NamedTuple):
    """An author.

    id: random, 16 hex digits.
    name: for people; "" once it is forgotten.
    has_token: whether a token lets the author submit.
    revoked: whether the author may not take part any more.
    """

    id: str
    name: str
    has_token: bool
    revoked: bool = False


class QueueEntry(NamedTuple):
    """A bot that was submitted.

    number: in order of arrival.
    author, family: their ids.
    family_name: for people.
    identity: of its files and commands; "" before an upload is unpacked.
    played_as: its identity in the league; None before it was checked.
    state: waiting to be checked, refused, accepted and waiting for the next batch, or
        entered.
    report: what its check and its trial table gave, in words for its author.
    at: when it came, UTC.
    leased_until: the end of the lease of who checks it, in seconds since 1970.
    parts: of a module with a payload that plays in ticks, the hashes of both, with a
        space between; else "".
    agreed: whether its author agreed that bundles of the league hold it.
    """

    number: int
    author: str
    family: str
    family_name: str
    identity: str
    played_as: str | None
    state: EntryState
    report: str
    at: str
    leased_until: float
    parts: str
    agreed: bool

    @property
    def held(self) -> bool:
        """True for an entry that ``league enter`` has not released, so that the player
        leaves it alone.
        """
        return self.leased_until == HELD


ENTRY = """
    SELECT number, entries.author, family, families.name, coalesce(identity, ''), played_as, state,
        report, at, leased_until, parts, agreed
    FROM entries JOIN families ON families.id = family"""
"""The rows of entries."""


def entry_of(row: sqlite3.Row) -> QueueEntry:
    entry = QueueEntry(*row)
    return entry._replace(agreed=bool(entry.agreed))


def author_of(row: sqlite3.Row) -> Author:
    return Author(row["id"], row["name"], row["token"] is not None, bool(row["revoked"]))


def hashed(token: str) -> str:
    return sha256(token.encode(errors="backslashreplace")).hexdigest()


def midnight(days: int = 0) -> str:
    """Return when this day began, or the one some days later, by UTC."""
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (day + timedelta(days=days)).isoformat(timespec="seconds")


def tomorrow() -> str:
    return f"it goes on at {midnight(1)}"
