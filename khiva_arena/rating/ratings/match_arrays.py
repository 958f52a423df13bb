"""Matches as arrays, some 60 bytes a match, for ratings.

A ``Result`` takes ten times that. So a million matches are no burden, and every figure
is computed column by column.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import astuple, replace

from khiva_arena.common.result import Result

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# matches made wide at a time: bounds memory to some 100 MB whatever the number of
# matches
_CHUNK = 100_000
_FAULTS, _SET_ASIDE = 1, 2  # flags of a match


class TableArrays(msgspec.Struct, frozen=True, eq=False):
    """Arrays of m matches of one table size K. Equal block numbers in different arrays
    are the same block.

    block: (m,) numbers from 0, few of them unused.
    bots: (m, K) by seat, as in ``Result``.
    ranks: (m, K) by seat.
    unstarted: (m, K) whether the bot failed to start; None if all started.
    """

    block: Ints
    bots: Ints
    ranks: Ints
    unstarted: Flags | None = None


class SameSize(msgspec.Struct, frozen=True, eq=False):
    """The whole data of m matches of one table size K.

    row: (m,) number of the match among all that were added, from 0.
    event, block: (m,) numbers, see ``Matches``.
    seed, lineup, rotation: (m,) as in ``Result``.
    set_aside: (m,) whether it stayed void; then its ranks mean nothing.
    faulty: (m,) whether a seat made a fault.
    bots, ranks: (m, K) by seat.
    unstarted: (m, K) whether the bot failed to start.
    """

    row: npt.NDArray[np.int64]
    event: npt.NDArray[np.int32]
    block: npt.NDArray[np.int32]
    seed: npt.NDArray[np.int64]
    lineup: npt.NDArray[np.int32]
    rotation: npt.NDArray[np.int32]
    set_aside: Flags
    faulty: Flags
    bots: npt.NDArray[np.int32]
    ranks: npt.NDArray[np.int16]
    unstarted: Flags

    def only(self, keep: Flags) -> "SameSize":
        """Return the matches for which ``keep`` is true."""
        return SameSize(*(of_all[keep] for of_all in astuple(self)))

    def tables(self) -> Iterator[TableArrays]:
        """Yield the matches in the form that a fit takes, some at a time."""
        for first in range(0, len(self.row), _CHUNK):
            some = slice(first, first + _CHUNK)
            block, bots, ranks = (
                one[some].astype(np.int64) for one in (self.block, self.bots, self.ranks)
            )
            yield TableArrays(block, bots, ranks, self.unstarted[some])


class Matches(msgspec.Struct, frozen=True, eq=False):
    """Matches of any table sizes.

    events: their ids, by number.
    sizes: the matches, by table size in the order in which these were met.
    """

    events: tuple[str, ...]
    sizes: tuple[SameSize, ...]

    def __len__(self) -> int:
        return sum(len(size.row) for size in self.sizes)

    def only(self, keep: Callable[[SameSize], Flags]) -> "Matches":
        """Return the matches for which ``keep`` is true."""
        return Matches(self.events, tuple(size.only(keep(size)) for size in self.sizes))

    def numbered(self, numbers: Sequence[Sequence[int]]) -> "Matches":
        """Return the matches with other numbers for bots. ``numbers``: by event, by the
        number that a bot has there.
        """
        first = np.cumsum([0, *map(len, numbers)])[:-1]
        all_numbers = np.array(
            [number for of_event in numbers for number in of_event], dtype=np.int32
        )
        sizes = (
            replace(size, bots=all_numbers[first[size.event][:, None] + size.bots])
            for size in self.sizes
        )
        return Matches(self.events, tuple(sizes))

    def tables(self) -> Iterator[TableArrays]:
        """Yield the matches in the form that a fit takes, some at a time."""
        return (table for size in self.sizes for table in size.tables())

    def places(self) -> set[tuple[str, int, int]]:
        """Return event, seed and line-up of each table."""
        return {
            (self.events[event], seed, lineup)
            for size in self.sizes
            for event, seed, lineup in zip(
                size.event.tolist(), size.seed.tolist(), size.lineup.tolist(), strict=True
            )
        }


def join_matches(parts: Sequence[Matches]) -> Matches:
    """Return the matches of parts that share no event and no block, numbered as if they
    had been collected in this order.
    """
    by_seats: dict[int, list[SameSize]] = {}
    rows, events, blocks = 0, 0, 0
    for part in parts:
        for size in part.sizes:
            moved = replace(
                size,
                row=size.row + rows,
                event=size.event + np.int32(events),
                block=size.block + np.int32(blocks),
            )
            by_seats.setdefault(size.bots.shape[1], []).append(moved)
        rows, events = rows + len(part), events + len(part.events)
        blocks += 1 + max((int(size.block.max(initial=-1)) for size in part.sizes), default=-1)
    sizes = (
        SameSize(*map(np.concatenate, zip(*map(astuple, of_size), strict=True)))
        for of_size in by_seats.values()
    )
    return Matches(tuple(event for part in parts for event in part.events), tuple(sizes))


class MatchCollector:
    """A collector that takes matches one by one; ``end`` gives them as arrays."""

    def __init__(self) -> None:
        self._events: dict[str, int] = {}
        self._blocks: dict[str, int] = {}
        self._sizes: dict[int, _Columns] = {}
        self._rows = 0

    def add(self, match: Result) -> None:
        """Add a match. Raises ValueError if it has not a rank for each seat, unless it
        was set aside.
        """
        seats = len(match.bots)
        if seats not in self._sizes:
            self._sizes[seats] = _Columns()
        event = self._events.setdefault(match.event, len(self._events))
        block = self._blocks.setdefault(match.block, len(self._blocks))
        self._sizes[seats].add(match, self._rows, event, block)
        self._rows += 1

    def end(self) -> Matches:
        """Return all matches that were added; no more can be added."""
        return Matches(
            tuple(self._events), tuple(columns.end(seats) for seats, columns in self._sizes.items())
        )


class _Columns:
    """The matches of one table size, column by column."""

    def __init__(self) -> None:
        self._row, self._seed = array("q"), array("q")
        self._event, self._block, self._lineup, self._rotation = (array("i") for _ in range(4))
        self._bots, self._ranks = array("i"), array("h")
        self._flags = bytearray()
        self._unstarted: list[tuple[int, int]] = []

    def add(self, match: Result, row: int, event: int, block: int) -> None:
        seats = len(match.bots)
        ranks = match.ranks if match.ranks or not match.set_aside else (0,) * seats
        if len(ranks) != seats:
            raise ValueError("a match needs a bot in range and a rank for each seat")
        self._unstarted += [(len(self._row), seat) for seat in match.unstarted]
        self._row.append(row)
        self._event.append(event)
        self._block.append(block)
        self._seed.append(match.seed)
        self._lineup.append(match.lineup)
        self._rotation.append(match.rotation)
        self._bots.extend(match.bots)
        self._ranks.extend(ranks)
        self._flags.append((not match.fault_free) * _FAULTS | match.set_aside * _SET_ASIDE)

    def end(self, seats: int) -> SameSize:
        count = len(self._row)
        flags = np.frombuffer(self._flags, dtype=np.uint8)
        unstarted = np.zeros((count, seats), dtype=np.bool_)
        unstarted[tuple(np.array(self._unstarted, dtype=np.int64).reshape(-1, 2).T)] = True
        return SameSize(
            row=np.frombuffer(self._row, dtype=np.int64),
            event=np.frombuffer(self._event, dtype=np.int32),
            block=np.frombuffer(self._block, dtype=np.int32),
            seed=np.frombuffer(self._seed, dtype=np.int64),
            lineup=np.frombuffer(self._lineup, dtype=np.int32),
            rotation=np.frombuffer(self._rotation, dtype=np.int32),
            set_aside=flags & _SET_ASIDE != 0,
            faulty=flags & _FAULTS != 0,
            bots=np.frombuffer(self._bots, dtype=np.int32).reshape(count, seats),
            ranks=np.frombuffer(self._ranks, dtype=np.int16).reshape(count, seats),
            unstarted=unstarted,
        )


def collect(matches: Iterable[Result] | Matches) -> Matches:
    """Return matches as arrays, which they may be already. Raises ValueError like
    ``MatchCollector.add``.
    """
    if isinstance(matches, Matches):
        return matches
    collector = MatchCollector()
    for match in matches:
        collector.add(match)
    return collector.end()


def tables_of(matches: Iterable[Result] | Matches) -> Iterator[TableArrays]:
    """Yield the matches in the form that a fit takes; blocks are numbered from 0 in the
    order in which they are met.
    """
    return collect(matches).tables()
