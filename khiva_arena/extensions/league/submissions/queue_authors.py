"""The authors of a league's queue: added, given other tokens, shut out."""

import secrets

from khiva_arena.extensions.league.submissions.beside_entries import BesideEntries
from khiva_arena.extensions.league.submissions.names import check_name, compared, name_taken
from khiva_arena.extensions.league.submissions.queue_rows import (
    REVOKED,
    TOKEN_BYTES,
    Author,
    author_of,
    hashed,
)
from khiva_arena.records.store.rows import now


class QueueAuthors(BesideEntries):
    """The authors of an open queue."""

    def authors(self, *, with_revoked: bool = False) -> list[Author]:
        """Return all authors that may take part, by name. ``with_revoked``: also the
        others.
        """
        rows = self._rows(
            "SELECT id, name, token, revoked FROM authors WHERE NOT revoked OR ? ORDER BY name",
            with_revoked,
        )
        return list(map(author_of, rows))

    def author(self, name: str) -> Author | None:
        """Return the author of that name, who may be revoked; None if there is none."""
        return next(
            (author for author in self.authors(with_revoked=True) if author.name == name != ""),
            None,
        )

    def author_of_token(self, token: str) -> Author | None:
        """Return the author who has a token, None for any other text. How long it takes
        tells nothing of the tokens: hashes are looked up, which nobody can choose.
        """
        rows = self._rows(
            "SELECT id, name, token, revoked FROM authors WHERE token = ? AND NOT revoked",
            hashed(token),
        )
        return author_of(rows[0]) if rows else None

    def add_author(self, name: str) -> Author:
        """Add an author without a token. Raises ConfigError for a name that is not
        valid, taken, or like another one.
        """
        check_name(name, "an author")
        author = Author(secrets.token_hex(8), name, False)
        with self._transaction():
            self._refuse_alike("authors", name, "an author")
            self._insert("authors", id=author.id, name=name, alike=compared(name), since=now())
        return author

    def rotate(self, author_id: str) -> str:
        """Give an author a new token in place of any other, and return it: only its
        hash is kept. Who was revoked takes part again.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self._transaction():
            self._connection.execute(
                "UPDATE authors SET token = ?, revoked = 0 WHERE id = ?", (hashed(token), author_id)
            )
        return token

    def revoke(self, author_id: str, *, forget: bool = False) -> None:
        """Take an author's token away, and refuse the author's bots that wait to be
        checked. Those in the league stay there.

        forget: remove the name, too; the random id stays.
        """
        if forget:
            self._connection.execute(
                "PRAGMA secure_delete = ON"
            )  # the name is overwritten, not only given up
        with self._transaction():
            self._connection.execute(
                "UPDATE authors SET token = NULL, revoked = 1 WHERE id = ?", (author_id,)
            )
            if forget:
                self._connection.execute(
                    "UPDATE authors SET name = '', alike = id WHERE id = ?", (author_id,)
                )
            self._connection.execute(
                "UPDATE entries SET state = 'refused', report = ? WHERE author = ? AND "
                "state = 'waiting'",
                (REVOKED, author_id),
            )
        if forget:
            self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _refuse_alike(self, table: str, name: str, what: str) -> None:
        if self._rows(f"SELECT 1 FROM {table} WHERE alike = ?", compared(name)):
            raise name_taken(name, what)
