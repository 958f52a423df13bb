"""The queue of a league, ``queue.db``: authors, what they submit, and changes of the
roster that wait for the next batch.

It is a SQLite file of its own, so that the server can open it and not the store. Each
change is one short transaction. The player claims an entry with a lease: if it is
killed, the entry waits again once the lease is over. What ``league enter`` adds is held
by that command, and the player leaves it alone until the command has released it: what
a kill leaves never comes in by itself.
"""

import secrets
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from khiva_arena.entrants.archive import check_packed
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.submissions.limits import BotsBound, UploadLimits
from khiva_arena.extensions.league.submissions.names import check_name, compared
from khiva_arena.extensions.league.submissions.queue_limits import QueueLimits
from khiva_arena.extensions.league.submissions.queue_rows import (
    ENTRY,
    EQUAL,
    HELD,
    SPENT,
    EntryState,
    QueueEntry,
    entry_of,
    tomorrow,
)
from khiva_arena.records.store.rows import now

LEASE_SECONDS = 3_600.0
RETRY_SECONDS = 600.0
"""The wait before an entry is claimed again that this machine could not check."""
MOST_ATTEMPTS = 3
"""The attempts at checking an entry: each after the first because a kill, or a full
disk, let the player note no failure.
"""
MOST_FAILURES = 3
"""The failures of the machine at an entry after which the entry is set aside, if
another one was checked meanwhile.
"""


class Queue(QueueLimits):
    """The open queue of a league. Every method raises StoreError if SQLite or the disk
    refuses.
    """

    # --- entries ---

    def add_entry(
        self, author: str, family: str, identity: str, packed: bytes, bots: BotsBound | None = None
    ) -> int:
        """Add a bot that its organiser has at hand, and return its number. It is held:
        only a claim by its number takes it, until ``release``.

        author: its author's id.
        family: the name of the bot, which is one of the author's or a new one.
        bots: what bounds those of its author; None for no bound here, as the player has
            one anyway.

        Raises ConfigError, in words that name nobody, for an equal bot, a name that is
        taken or looks like another, or one bot more than its author may have.
        """
        with self._transaction():
            if bots:
                self._check_bots(author, family, bots)
            return self._add(author, family, packed, identity=identity, leased_until=HELD)

    def add_upload(
        self,
        author_id: str,
        name: str,
        packed: bytes,
        limits: UploadLimits,
        active: Collection[str] = (),
        *,
        agreed: bool = True,
    ) -> int:
        """Add a bot that came from elsewhere and waits to be checked, and return its
        number; that of the same bot if its author has sent it before.

        name: as ``add_entry`` takes ``family``.
        active: the families of its author that have an active version.
        agreed: whether its author agreed that bundles of the league hold it.

        Raises ConfigError, in words that name nobody, as ``add_entry`` does, for a
        stream that breaks a bound, and for an author who has reached a limit.
        """
        check_packed(packed)
        with self._transaction():
            if sent := self._sent(author_id, name, packed):
                if agreed:
                    self._set(sent, agreed=True)
                return sent
            self._check_limits(author_id, limits)
            self._check_bots(author_id, name, BotsBound(limits.bots, active))
            return self._add(author_id, name, packed, agreed=agreed)

    def _sent(self, author: str, family: str, packed: bytes) -> int:
        """Return the number of the same bot of the same author and name, if it came
        before and was not refused, else 0.
        """
        which = "stream = ? AND state != 'refused' AND entries.author = ? AND name = ?"
        query = f"SELECT number FROM entries JOIN families ON families.id = family WHERE {which}"
        rows = self._rows(query, sha256(packed).hexdigest(), author, family)
        return rows[0]["number"] if rows else 0

    def _add(self, author: str, family: str, packed: bytes, **more: Any) -> int:
        check_name(family, "a bot")
        stream = sha256(packed).hexdigest()
        if self._rows(
            "SELECT 1 FROM entries WHERE (stream = ? OR identity = ?) AND state != 'refused'",
            stream,
            more.get("identity"),
        ):
            raise ConfigError(EQUAL)
        own = self._rows("SELECT id FROM families WHERE author = ? AND name = ?", author, family)
        # blocks no name
        unused = (
            "NOT EXISTS (SELECT 1 FROM entries WHERE family = families.id AND state != 'refused')"
        )
        free = self._rows(f"SELECT id FROM families WHERE alike = ? AND {unused}", compared(family))
        if own:
            family_id = own[0]["id"]
        elif free:
            family_id = free[0]["id"]
            self._connection.execute(
                "UPDATE families SET author = ?, name = ? WHERE id = ?", (author, family, family_id)
            )
        else:
            self._refuse_alike("families", family, "a bot")
            family_id = secrets.token_hex(8)
            self._insert(
                "families", id=family_id, author=author, name=family, alike=compared(family)
            )
        number = self._insert(
            "entries",
            author=author,
            family=family_id,
            stream=stream,
            state="waiting",
            at=now(),
            **more,
        )
        self._insert("files", entry=number, packed=packed)
        return number

    def entries(self, *states: EntryState) -> list[QueueEntry]:
        """Return the entries in these states, of all authors, in order of arrival; all
        entries for no states.
        """
        marks = ", ".join("?" * len(states))
        where = f"WHERE state IN ({marks})" if states else ""
        return list(map(entry_of, self._rows(f"{ENTRY} {where} ORDER BY number", *states)))

    def entries_of(self, author_id: str) -> list[QueueEntry]:
        """Return the entries of an author, in order of arrival."""
        return list(
            map(
                entry_of, self._rows(f"{ENTRY} WHERE entries.author = ? ORDER BY number", author_id)
            )
        )

    def entry(self, number: int) -> QueueEntry:
        """Return an entry by its number."""
        return entry_of(self._rows(f"{ENTRY} WHERE number = ?", number)[0])

    def claim(
        self,
        number: int | None = None,
        build_seconds: float = 0.0,
    ) -> tuple[QueueEntry, bytes] | None:
        """Claim an entry that waits to be checked, and return it with its files, None
        if there is none.

        number: of the entry, which this process holds; None for the next one. Who has
            used least CPU today comes first, then who came first.
        build_seconds: CPU seconds of builds and checks that an author has in a day; the
            entries of one who has used them up wait until the next one. 0 for no limit.
        """
        clock = time.time()
        with self._transaction():
            which, value = ("leased_until < ?", clock) if number is None else ("number = ?", number)
            query = (
                "SELECT number, author, attempts FROM entries WHERE state = 'waiting' AND "
                f"{which} ORDER BY number"
            )
            spent, counted = self._spent_today(), self._spent_today(counted=True)
            for row in sorted(
                self._rows(query, value), key=lambda row: spent.get(row["author"], 0.0)
            ):
                if build_seconds and counted.get(row["author"], 0.0) >= build_seconds:
                    self._set(row["number"], report=f"it waits: {SPENT}; {tomorrow()}")
                    continue
                if number is None:
                    lease = {"leased_until": clock + LEASE_SECONDS, "by_player": True}
                    self._set(row["number"], **lease, attempts=row["attempts"] + 1, report="")
                packed = self._rows("SELECT packed FROM files WHERE entry = ?", row["number"])
                return self.entry(row["number"]), packed[0][
                    "packed"
                ] if packed else b""  # the server can write any row
        return None

    def end_leases_of_player(self) -> None:
        """End the leases of a player that is no more. The caller is the player now."""
        with self._transaction():
            query = (
                "UPDATE entries SET leased_until = 0, report = '' WHERE by_player AND state = "
                "'waiting'"
            )
            self._connection.execute(query)

    def leased(self) -> list[int]:
        """Return the numbers of the entries that are being checked."""
        rows = self._rows(
            "SELECT number FROM entries WHERE state = 'waiting' AND leased_until >= ?", time.time()
        )
        return [row["number"] for row in rows]

    def renew(self, number: int) -> None:
        """Begin the lease of an entry anew, since its check goes on; one that is held
        stays so.
        """
        with self._transaction():
            query = "UPDATE entries SET leased_until = max(leased_until, ?) WHERE number = ?"
            self._connection.execute(query, (time.time() + LEASE_SECONDS, number))

    def holds(self, number: int, identity: str) -> bool:
        """Tell whether an entry of a bot is held."""
        return any(
            entry.held and entry.identity == identity
            for entry in self.entries()
            if entry.number == number
        )

    def release(self, number: int) -> None:
        """Let the player take an entry that was held."""
        with self._transaction():
            self._set(number, leased_until=0.0)

    def put_back(self, number: int) -> None:
        """Let an entry wait again whose check the player could not make here, which is
        not its author's fault.
        """
        due = time.time() + RETRY_SECONDS
        report = (
            "it could not be checked; tried again after "
            f"{datetime.fromtimestamp(due, UTC).isoformat(timespec='seconds')}"
        )
        which = "number = ? AND state = 'waiting' AND by_player"
        query = (
            "UPDATE entries SET attempts = attempts - 1, leased_until = ?, report = ? WHERE "
            f"{which}"
        )
        with self._transaction():
            self._connection.execute(query, (due, report, number))

    def note_failure(self, number: int) -> bool:
        """Note that the machine failed while the player checked an entry. Return True
        if that was so ``MOST_FAILURES`` times, and another entry was checked meanwhile:
        then it is to be set aside.
        """
        with self._transaction():
            self._connection.execute(
                "UPDATE entries SET failures = failures + 1 WHERE number = ?", (number,)
            )
            row = self._rows("SELECT failures, passed_by FROM entries WHERE number = ?", number)[0]
            return row["failures"] >= MOST_FAILURES and bool(row["passed_by"])

    def set_aside(self, number: int, report: str) -> None:
        """Refuse an entry that waits and that the arena cannot examine. What it took
        counts in no day of its author.
        """
        with self._transaction():
            if self.entry(number).state == "waiting":
                self._set(number, state="refused", report=report, unexamined=True, played_as=None)

    def set_aside_ended(self, report: str) -> QueueEntry | None:
        """Set an entry aside that waits and has had its ``MOST_ATTEMPTS``, and return
        it; None if there is none.
        """
        which = "state = 'waiting' AND leased_until < ? AND attempts >= ?"
        rows = self._rows(
            f"{ENTRY} WHERE {which} ORDER BY number LIMIT 1", time.time(), MOST_ATTEMPTS
        )
        if not rows:
            return None
        self.set_aside(number := rows[0]["number"], report)
        return self.entry(number)

    def identify(self, number: int, identity: str) -> None:
        """Note the identity of an entry's files and commands. Raises ConfigError if
        another entry has it.
        """
        with self._transaction():
            if self._rows(
                "SELECT 1 FROM entries WHERE identity = ? AND state != 'refused' AND number != ?",
                identity,
                number,
            ):
                raise ConfigError(EQUAL)
            self._set(number, identity=identity)

    def settle(
        self,
        number: int,
        state: EntryState,
        report: str,
        played_as: str | None = None,
        parts: Sequence[str] = (),
    ) -> None:
        """Note what became of an entry, unless it was refused meanwhile. Raises
        ConfigError if a bot that plays as it would is in the league already.
        """
        with self._transaction():
            if played_as and self._rows(
                "SELECT 1 FROM entries WHERE played_as = ? AND number != ?", played_as, number
            ):
                raise ConfigError(EQUAL)
            self._connection.execute(
                "UPDATE entries SET passed_by = 1 WHERE state = 'waiting' AND failures > 0 "
                "AND number != ?",
                (number,),
            )
            if self.entry(number).state == "waiting":
                self._set(
                    number, state=state, report=report, played_as=played_as, parts=" ".join(parts)
                )

    def add_build_seconds(self, number: int, seconds: float) -> None:
        """Note the CPU seconds that a build and a check of an entry took, whatever
        became of it.
        """
        with self._transaction():
            query = (
                "UPDATE entries SET build_seconds = build_seconds + ?, checked = ? WHERE number = ?"
            )
            self._connection.execute(query, (seconds, now(), number))

    def refuse(self, number: int, why: str) -> None:
        """Refuse an entry that waits to be checked, or to be entered; any other stays
        as it is.
        """
        with self._transaction():
            if self.entry(number).state in ("waiting", "accepted"):
                self._set(number, state="refused", report=why, played_as=None)

    def mark_entered(self, number: int) -> None:
        """Note that a link of the chain has entered a bot."""
        with self._transaction():
            self._set(number, state="entered")
