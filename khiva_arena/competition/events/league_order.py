"""What orders the tables of a league beside their ratings: the batches that bots have
played in, and how many a place takes.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec

from khiva_arena.errors import RecordError
from khiva_arena.rating.report.placing import Batches
from khiva_arena.records.store.rows import EventRow


class _Terms(msgspec.Struct, frozen=True):
    fewest_batches: int


class _Link(msgspec.Struct, frozen=True):
    """As much of a link as is needed here; the extension ``league`` defines all of
    it.
    """

    kind: str
    event: str = ""
    identity: str = ""
    state: str = ""
    replaces: tuple[str, ...] = ()
    terms: _Terms | None = None


class LeagueOrder:
    """What orders the tables of a league, from its links and events.

    links: in the order of the chain.
    event_of: returns the event of an id, None if it is not here; then its batch counts
        for nobody.
    """

    def __init__(self, links: Sequence[_Link], event_of: Callable[[str], EventRow | None]) -> None:
        self._links, self._event_of = links, event_of
        self._seated: dict[str, frozenset[str]] = {}

    def batches(self, bots: Collection[str], events: Collection[str] | None = None) -> Batches:
        """Return the batches over in which bots played, and which are retired. No more
        events are read than that takes: none before the oldest of the bots was entered,
        and none once each has enough for a place.

        events: of the batches of a table, which is as it was when the last of them was
            over; None for all. So the table of a season stays as it is when the season
            is over.
        """
        ends = [
            at
            for at, link in enumerate(self._links)
            if link.kind == "over" and (events is None or link.event in events)
        ]
        links = self._links if events is None or not ends else self._links[: ends[-1] + 1]
        fewest = next(link.terms.fewest_batches for link in reversed(links) if link.terms)
        retired = {link.identity for link in links if link.state == "retired"}.union(
            *(link.replaces for link in links)
        )
        so_far, uncounted = Counter[str](), {*bots} if fewest else set()
        for link in reversed(links):
            if not uncounted:
                break
            if link.kind == "over":
                so_far.update(uncounted & self._seated_in(link.event))
                uncounted = {bot for bot in uncounted if so_far[bot] < fewest}
            elif link.kind == "enter":
                uncounted.discard(link.identity)
        return Batches(so_far, fewest, frozenset(retired))

    def _seated_in(self, event: str) -> frozenset[str]:
        if event not in self._seated:
            row = self._event_of(event)
            self._seated[event] = seated_in(row) if row else frozenset()
        return self._seated[event]


def league_order(
    links: Iterable[Any], event_of: Callable[[str], EventRow | None]
) -> LeagueOrder | None:
    """Return what orders the tables of the league with these links, None if there are
    none.

    links: as plain values.
    event_of: as for ``LeagueOrder``.

    Raises RecordError for links that no league has written.
    """
    try:
        read = msgspec.convert([*links], list[_Link])
    except msgspec.ValidationError as error:
        raise RecordError(f"a link of the league cannot be read: {error}") from None
    if read and read[0].terms is None:
        raise RecordError("link 0 does not found a league")
    return LeagueOrder(read, event_of) if read else None


def seated_in(event: EventRow) -> frozenset[str]:
    """Return the bots that played in a batch: at a table that was not set aside on
    every deal. Nobody did in any other event.
    """
    definition = event.definition
    lost = Counter(lineup for _, lineup in event.set_aside)
    drawn = definition.batch.tables if definition.batch else ()
    tables = [table for number, table in enumerate(drawn) if lost[number] < definition.seeds]
    return frozenset(event.bots[bot].identity for table in tables for bot in table)
