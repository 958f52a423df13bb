"""The limits of what an author may send to the queue of a league."""

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.submissions.limits import BotsBound, UploadLimits
from khiva_arena.extensions.league.submissions.queue_authors import QueueAuthors
from khiva_arena.extensions.league.submissions.queue_rows import REVOKED, SPENT, midnight, tomorrow
from khiva_arena.words import count


class QueueLimits(QueueAuthors):
    """The queue as far as it bounds its authors: bots, uploads and seconds a day."""

    def _check_limits(self, author: str, limits: UploadLimits) -> None:
        """Raise ConfigError for an author who has reached a limit, or was revoked."""
        if self._rows("SELECT 1 FROM authors WHERE id = ? AND revoked", author):
            raise ConfigError(REVOKED)
        today, waiting = self._rows(
            "SELECT count(CASE WHEN at >= ? AND NOT unexamined THEN 1 END), count(CASE "
            "WHEN state = 'waiting' THEN 1 END) "
            "FROM entries WHERE author = ?",
            midnight(),
            author,
        )[0]
        if today >= limits.a_day:
            raise ConfigError(
                f"{count(limits.a_day, 'bot')} of yours came today, which is the most of a "
                f"day; {tomorrow()}"
            )
        if waiting >= limits.waiting:
            most = f"at most {count(limits.waiting, 'bot')} of yours may wait to be checked"
            raise ConfigError(f"{most}; send the next one once one of them has been")
        if self._is_spent(author, limits.build_seconds):
            raise ConfigError(f"{SPENT}; {tomorrow()}")

    def _check_bots(self, author: str, family: str, bots: BotsBound) -> None:
        """Raise ConfigError if an author has as many bots as there may be, and a bot of
        this name is none of them.
        """
        query = (
            "SELECT DISTINCT family AS id FROM entries WHERE author = ? AND state IN "
            "('waiting', 'accepted')"
        )
        own = self._rows("SELECT id FROM families WHERE author = ? AND name = ?", author, family)
        others = {*bots.active, *(row["id"] for row in self._rows(query, author))} - {
            row["id"] for row in own
        }
        if len(others) >= bots.most:
            has = count(len(others), "other bot")
            raise ConfigError(
                f"its author has {has} in the league or waiting, and may have {bots.most} in all; "
                "send it as the next version of one of them, or have the organiser retire one or "
                "take back one that waits (`league cancel`)"
            )

    def _is_spent(self, author: str, build_seconds: float) -> bool:
        return (
            bool(build_seconds)
            and self._spent_today(counted=True).get(author, 0.0) >= build_seconds
        )

    def _spent_today(self, *, counted: bool = False) -> dict[str, float]:
        """Return the CPU seconds of today's builds and checks, by author. ``counted``:
        without those that count in no day.
        """
        which = "checked >= ? AND NOT unexamined" if counted else "checked >= ?"
        query = (
            f"SELECT author, sum(build_seconds) AS seconds FROM entries WHERE {which} GROUP BY "
            "author"
        )
        return {row["author"]: row["seconds"] for row in self._rows(query, midnight())}
