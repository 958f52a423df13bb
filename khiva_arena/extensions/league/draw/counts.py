"""The counts that a league's draw depends on: seats, waits, meetings and neighbours,
summed batch by batch.

No result is among them. Adding the batches of a chain in order always gives the same
counts, whoever adds them.
"""

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence

import msgspec

RECENT_BATCHES = 10
"""The number of last batches whose meetings count as recent."""
_Pairs = list[tuple[int, int, int]]
"""Pairs of bots, each with a count. Bots stand there by their places in a list of
all.
"""


class CountsSoFar(msgspec.Struct, frozen=True):
    """Counts as plain values, to be kept.

    bots: the identities of all.
    tables, waits: as ``Counts`` has them.
    neighbours: ordered pairs.
    by_batch: of each of the last batches, the pairs that met.
    """

    bots: list[str]
    tables: dict[str, int]
    waits: dict[str, int]
    neighbours: _Pairs
    by_batch: list[_Pairs]


NONE_SO_FAR = CountsSoFar([], {}, {}, [], [])


class Counts:
    """The counts over the batches of a league so far. Bots are named by their
    identities.

    tables: by bot, the tables that it sat at.
    waits: by bot, the batches that it was active in without a seat since it last sat; 0
        for one that sat in its last batch.
    neighbours: by ordered pair, the tables at which the second bot sat next after the
        first.
    """

    def __init__(self, then: CountsSoFar = NONE_SO_FAR) -> None:
        """Begin with the counts that were kept."""
        bots = then.bots
        self.tables: Counter[str] = Counter(then.tables)
        self.waits: Counter[str] = Counter(then.waits)
        self.neighbours: Counter[tuple[str, str]] = Counter(
            {(bots[a], bots[b]): often for a, b, often in then.neighbours}
        )
        self._by_batch = deque(
            Counter({frozenset((bots[a], bots[b])): often for a, b, often in of})
            for of in then.by_batch
        )
        self._recent: Counter[frozenset[str]] = Counter()
        for meetings in self._by_batch:
            self._recent.update(meetings)

    def so_far(self) -> CountsSoFar:
        """Return the counts as plain values, from which ``Counts`` makes equal ones."""
        place = {bot: number for number, bot in enumerate(sorted({*self.tables, *self.waits}))}
        neighbours = [(place[a], place[b], often) for (a, b), often in self.neighbours.items()]
        by_batch = [
            [(*sorted(place[bot] for bot in pair), often) for pair, often in of.items()]
            for of in self._by_batch
        ]
        return CountsSoFar([*place], dict(self.tables), dict(self.waits), neighbours, by_batch)  # type: ignore[arg-type]

    def add(self, tables: Collection[Sequence[str]], active: Collection[str]) -> None:
        """Add a batch.

        tables: its circular orders, each the identities of the bots that sit one after
            another.
        active: the bots that were active in it.
        """
        meetings: Counter[frozenset[str]] = Counter()
        for order in tables:
            self.tables.update(order)
            self.neighbours.update(zip(order, (*order[1:], order[0]), strict=True))
            meetings.update(frozenset((a, b)) for i, a in enumerate(order) for b in order[:i])
        seated = {bot for order in tables for bot in order}
        self.waits.update(bot for bot in active if bot not in seated)
        for bot in seated:
            del self.waits[bot]
        self._by_batch.append(meetings)
        self._recent.update(meetings)
        if len(self._by_batch) > RECENT_BATCHES:
            self._recent -= self._by_batch.popleft()

    @property
    def recent_meetings(self) -> Mapping[frozenset[str], int]:
        """At how many tables of the last batches two bots sat together, by their
        identities; without those that did not.
        """
        return self._recent
