"""The lists of matches of the batches that are revealed, a public file each, from which
pages of bots lead to replays.
"""

import msgspec

from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.say import Say
from khiva_arena.competition.events.stored import stored_batch
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.folder import PUBLIC, make_public, write_public
from khiva_arena.extensions.league.public_state import (
    MATCHES,
    BatchMatches,
    PublicBatch,
    PublicMatch,
)
from khiva_arena.records.store.db import Store

NEWEST_BATCHES = 50
"""The newest batches whose lists are written if they are missing: a league that an
earlier version began has none.
"""


class MatchLists:
    """The lists of a league whose store the player has open."""

    def __init__(self, store: Store, say: Say) -> None:
        self._store, self._say = store, say
        self._done: set[int] = set()

    def write(self, revealed: list[PublicBatch]) -> None:
        """Write the lists of revealed batches that are missing. What cannot be read is
        a warning. Raises ConfigError or Unwritten.
        """
        for batch in revealed[-NEWEST_BATCHES:]:
            name = f"{MATCHES}/{batch.number}.json"
            if batch.number not in self._done and not (self._store.folder / PUBLIC / name).exists():
                self._write(batch, name)
            self._done.add(batch.number)

    def _write(self, batch: PublicBatch, name: str) -> None:
        make_public(self._store.folder / PUBLIC / MATCHES)
        try:
            listed = self._matches_of(batch)
        except Exception as error:
            if not (isinstance(error, StoreError) or is_unforeseen(error)):
                raise
            why = (
                failures.keep(self._store.folder, f"list-{batch.number}", error)
                if is_unforeseen(error)
                else error
            )
            self._say(f"the matches of batch {batch.number} cannot be listed: {why}", warning=True)
        else:
            write_public(self._store.folder, name, msgspec.json.encode(listed))

    def _matches_of(self, batch: PublicBatch) -> BatchMatches:
        event = stored_batch(self._store, batch.event)
        matches = [
            PublicMatch(
                key=f"{event.number}/{row.ordinal}",
                bots=tuple(seat.bot for seat in row.seats),
                ranks=tuple(seat.rank for seat in row.seats),
                scores=tuple(seat.score for seat in row.seats),
                faults=tuple(len(seat.faults) for seat in row.seats),
            )
            for row in self._store.matches(event.id, beside=())
        ]
        return BatchMatches(batch.number, tuple(bot.identity for bot in event.bots), tuple(matches))
