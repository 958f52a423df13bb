"""The tables of a league's queue that stand beside entries: notes of bots for their
authors, changes of the roster, and wishes for pages.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from khiva_arena.extensions.league.submissions.queue_file import QueueFile
from khiva_arena.records.store.rows import now

NOTES_OF_BATCHES = 5
"""The last batches of which notes are kept."""
MOST_WISHES = 20
"""The pages that readers wish for at a time."""


class RosterChange(NamedTuple):
    """A change of the roster that was asked for.

    number: in order of arrival.
    identity: of the bot; "" for a season.
    state: active, suspended or retired; "season" begins a season.
    why: in words, for everyone to read; the name of a season.
    """

    number: int
    identity: str
    state: Literal["active", "suspended", "retired", "season"]
    why: str


class BesideEntries(QueueFile):
    """The notes, the changes and the wishes in the open queue of a league. Every method
    raises StoreError if SQLite or the disk refuses.
    """

    # --- notes ---

    def keep_notes(self, batch: int, notes: Mapping[str, str]) -> None:
        """Keep what bots wrote in a batch that is over, for their authors, and forget
        what they wrote in older ones.

        notes: by the identity of each bot.
        """
        with self._transaction():
            for identity, text in notes.items():
                self._connection.execute(
                    "INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (identity, batch, text)
                )
            self._connection.execute(
                "DELETE FROM notes WHERE batch <= ?", (batch - NOTES_OF_BATCHES,)
            )

    def notes_of(self, author_id: str) -> dict[str, list[tuple[int, str]]]:
        """Return what the bots of an author wrote in the last batches: by identity,
        batch and text, the newest first.
        """
        query = (
            "SELECT notes.* FROM notes JOIN entries ON played_as = notes.identity WHERE author "
            "= ? ORDER BY batch DESC"
        )
        notes: dict[str, list[tuple[int, str]]] = {}
        for identity, batch, text in self._rows(query, author_id):
            notes.setdefault(identity, []).append((batch, text))
        return notes

    # --- changes ---

    def add_change(self, identity: str, state: str, why: str) -> None:
        """Ask for a change of the roster."""
        with self._transaction():
            self._insert("changes", identity=identity, state=state, why=why, at=now())

    def changes(self) -> list[RosterChange]:
        """Return the changes that wait."""
        rows = self._rows(
            "SELECT number, identity, state, why FROM changes WHERE done IS NULL ORDER BY number"
        )
        return [RosterChange(*row) for row in rows]

    def mark_done(self, number: int, what: str) -> None:
        """Note what became of a change that waits."""
        with self._transaction():
            self._connection.execute(
                "UPDATE changes SET done = ? WHERE number = ? AND done IS NULL", (what, number)
            )

    # --- pages that readers wish for ---

    def add_wish(self, batch: int) -> None:
        """Note that a reader wishes for the page of a batch. So many wishes wait at
        most that a flood of them costs little.
        """
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO wishes SELECT ? WHERE (SELECT count(*) FROM wishes) < ?",
                (batch, MOST_WISHES),
            )

    def take_wish(self) -> int | None:
        """Return a batch whose page is wished for, and forget the wish; None if there
        is none.
        """
        if not self._rows("SELECT 1 FROM wishes LIMIT 1"):
            return None
        with self._transaction():
            rows = self._connection.execute(
                "DELETE FROM wishes WHERE batch = (SELECT max(batch) FROM wishes) RETURNING batch"
            )
            return next((batch for (batch,) in rows.fetchall() if isinstance(batch, int)), None)
