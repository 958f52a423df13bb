"""The queue of a league as the server asks it: in a thread, one question at a time, so
that no reader waits for SQLite.
"""

import logging
import math
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import trio
from starlette.exceptions import HTTPException

from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.routes.tokens import is_one
from khiva_arena.extensions.league.routes.view import WaitingBot
from khiva_arena.extensions.league.submissions.limits import UploadLimits
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import Author, QueueEntry

REFRESH_SECONDS = 2.0
WISH_SECONDS = 1.0
"""The pause between two wishes for a page."""
WRONG = "There is no such token, or it was revoked; ask the organiser for another one."
WAITS_FOR = {
    "waiting": "waits for its check",
    "accepted": "passed its check, in from the next batch",
}
T = TypeVar("T")
_LOGGER = logging.getLogger(__name__)


class Known(NamedTuple):
    """What everybody may know of a queue.

    names: of authors, by their ids.
    waiting: what waits, in order of arrival.
    """

    names: Mapping[str, str] = MappingProxyType({})
    waiting: tuple[WaitingBot, ...] = ()


class Desk:
    """The queue behind its thread.

    known: what everybody may know of it, as it was a moment ago.
    """

    def __init__(self, queue: Queue, limits: UploadLimits) -> None:
        self._queue, self._limits = queue, limits
        self._turn = trio.CapacityLimiter(1)
        self._next_wish = -math.inf
        self.known = Known()

    async def refresh_again_and_again(self) -> None:
        """Keep ``known`` up to date until this is cancelled. While the queue cannot be
        read it stays as it was.
        """
        was_logged = False
        while True:
            try:
                with suppress(StoreError):  # the player may hold it; who asks it for more is told
                    self.known = await self._asked(self._know)
                    was_logged = False
            except Exception:  # a row of the queue closes no page
                if not was_logged:
                    _LOGGER.exception("pages do not show the queue as it is now")
                was_logged = True
            await trio.sleep(REFRESH_SECONDS)

    def _know(self) -> Known:
        names = {author.id: author.name for author in self._queue.authors()}
        entries = self._queue.entries("waiting", "accepted")
        return Known(
            names,
            tuple(
                WaitingBot(entry.family_name, WAITS_FOR["waiting" if entry.held else entry.state])
                for entry in entries
            ),
        )

    async def author_of(self, token: str) -> Author:
        """Return the author whose token it is. Raises HTTPException for a wrong one.

        Nobody guesses 32 random bytes, so wrong tokens lock nobody out. Tokens are
        looked up by their hashes. So the time of an answer tells nothing of tokens that
        are like one.
        """
        author = (
            await self._asked(partial(self._queue.author_of_token, token))
            if is_one(token)
            else None
        )
        if author is None:
            raise HTTPException(401, WRONG, {"www-authenticate": "Bearer"})
        return author

    async def author_still(self, token: str) -> Author | None:
        """Return the author of a token that was right before, None if it was revoked
        since.
        """
        return await self._asked(partial(self._queue.author_of_token, token))

    async def add_upload(
        self,
        author: Author,
        name: str,
        packed: bytes,
        active: Collection[str],
        *,
        agreed: bool = True,
    ) -> QueueEntry:
        """Add a packed bot, unless it came before, and return its entry. Raises
        ConfigError if it may not be added.

        active: the families of its author that have an active version.
        agreed: whether its author agreed that bundles of the league hold it.
        """

        def add() -> QueueEntry:
            return self._queue.entry(
                self._queue.add_upload(author.id, name, packed, self._limits, active, agreed=agreed)
            )

        return await self._asked(add)

    async def wish(self, batch: int) -> None:
        """Let the player make the page of a batch; nothing is noted if others wished
        for pages a moment ago, so that a flood writes little.
        """
        if trio.current_time() < self._next_wish:
            return
        self._next_wish = trio.current_time() + WISH_SECONDS
        await self._asked(partial(self._queue.add_wish, batch))

    async def entries_of(self, author: Author) -> list[QueueEntry]:
        """Return the entries of an author."""
        return await self._asked(partial(self._queue.entries_of, author.id))

    async def notes_of(self, author: Author) -> dict[str, list[tuple[int, str]]]:
        """Return what the bots of an author wrote in the last batches, by identity:
        batch and text, the newest first.
        """
        return await self._asked(partial(self._queue.notes_of, author.id))

    async def _asked(self, question: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(question, limiter=self._turn)
