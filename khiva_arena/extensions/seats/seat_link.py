"""A person's chair at the table, which joins the seat to the arbiter and to a page or
terminal.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import trio

from khiva_arena.arbiter.person import NO_HINTS, FrameCutter, Person
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.extensions.seats import link_protocol
from khiva_arena.extensions.seats.hints import Hints
from khiva_arena.extensions.seats.links import Link
from khiva_arena.games.base import Plain


class Chair(ABC):
    """A chair, for a page as for a terminal."""

    def __init__(self, person: Person, hints: Hints | None) -> None:
        self.person = person
        self._hints = hints
        self._link: Link | None = None
        self._since = 0.0

    @abstractmethod
    async def tell(self, messages: Sequence[dict[str, Plain]]) -> None:
        """Show the messages of ``Person``."""

    async def seated(self, link: Link) -> None:
        """Serve a match, or the trial start before it."""
        self._link = link
        frames = FrameCutter()
        while data := await link.receive():
            for raw, message in frames.feed(data):
                self._since = trio.current_time()
                answer, messages = self.person.take(raw, message)
                await self.tell(messages)
                if answer:
                    await link.send(link_protocol.record(link_protocol.OUT, answer))
        await self.tell(self.person.close_decision())
        await link.send(link_protocol.exited(0))

    def table(self) -> dict[str, Plain]:
        """Return ``Person.table``, with the age of the open decision in ms."""
        table = self.person.table()
        if ask := table["ask"]:
            table["ask"] = ask | {"age_ms": round(1000 * (trio.current_time() - self._since))}
        return table

    async def over(self, end: dict[str, Plain]) -> None:
        """Tell the person that the match is over."""
        await self.tell(self.person.over(end))

    async def choose(self, req: object, choice: object) -> None:
        """Send the person's choice to the arbiter. Raises RemoteProtocolError, with a
        sentence for the reader, if it is none.
        """
        try:
            answer, messages = self.person.choose(req, choice)
        except RemoteProtocolError:
            raise
        except Exception:
            if self._link is not None:
                await self._link.fail()  # or the person would be late for a bug of the hub
            raise
        await self.tell(
            messages
        )  # first: once the arbiter has the answer, the next question may come at any moment
        if answer and self._link is not None:
            await self._link.send(link_protocol.record(link_protocol.OUT, answer))

    async def advise(self) -> None:
        """Show the choice of a bot for the open decision."""
        req = self.person.open_decision
        if req is None:
            return
        if self._hints is None:
            await self.tell([{"type": "said", "text": NO_HINTS, "open": True}])
            return
        choice = await self._hints.of(self.person.requests)
        if choice is None:
            await self.tell(
                [
                    {
                        "type": "said",
                        "text": "There is no hint: the bot that gives them did not answer.",
                        "open": True,
                    }
                ]
            )
        else:
            await self.tell(
                [{"type": "hint", "req": req, "choice": choice, "by": self._hints.name}]
            )
