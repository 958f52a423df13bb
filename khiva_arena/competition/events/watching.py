"""What a long command tells of how far it has come, while matches are read or
played.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from khiva_arena.records.store.db import Store  # a page reads bundles, and has no store


class MatchWatch(Protocol):
    """A watcher of a command that goes through many matches."""

    def far(self, what: str, done: int, of: int, unit: str = "matches") -> None:
        """Take the progress, very often: ``done`` of ``of`` units of something, in the
        words ``what``.
        """

    def over(self) -> None:
        """Take it that this part is over, and that another one begins, which may tell
        nothing.
        """

    def watch(self, store: "Store") -> None:
        """See each match of a store that is read."""


class Unwatched:
    """A watcher that tells nobody."""

    def far(self, what: str, done: int, of: int, unit: str = "matches") -> None:
        """Do nothing."""

    def over(self) -> None:
        """Do nothing."""

    def watch(self, store: "Store") -> None:
        """Do nothing."""


UNWATCHED = Unwatched()
