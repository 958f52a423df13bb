"""Find small sets of line-ups in which all bots meet and sit equally often, for
``khiva_arena/rating/schedule/coverings.txt``:

    python tests/support/make_coverings.py --write 3000     search for smaller sets than
                                                            in the file, 3,000 steps a
                                                            try; with 3 4 5 after that
                                                            only at these seats
    python tests/support/make_coverings.py --table          line-ups of each shape
                                                            beside the fewest possible

The file is part of every schedule that ``--lineups auto`` draws: an event that was
begun with a set is continued with it. So once a version is published, only lines of new
shapes may be added.

A set is searched among those that stay the same when bots are renamed in cycles of one
length: bot ``c * length + x`` becomes ``c * length + (x + 1) % length``. A few
line-ups, each renamed over and over, are the whole set. The search is simulated
annealing in integers, from khiva-stream-1, so that everybody finds the same.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from khiva_arena.rating.schedule.coverings import FILE, rename_bots
from khiva_arena.rating.schedule.lineups import MOST_LINE_UPS, LineUp
from khiva_arena.rng import Stream

WAYS, MOST_CYCLES = 3, 6  # to fill a set; of bots, unless they are few
FEW_BOTS = 16
MOST_WORSE = 6  # pairs without a meeting that a step may add
ODDS = (
    3,
    4,
    5,
    7,
    10,
    16,
    30,
    60,
)  # that a step is taken which leaves one pair more without a meeting; to 1, by and by longer
ENTRIES = {(bots, seats) for seats in range(3, 11) for bots in range(seats + 1, 213)}


def least(bots: int, seats: int) -> int:
    """No set in which all pairs meet has fewer line-ups: Schönheim's bound, one more
    where Hanani's argument says so.
    """
    often = -(-(bots - 1) // (seats - 1))
    bound = -(-bots * often // seats)
    return bound + ((bots - 1) % (seats - 1) == 0 and bots * often % seats == seats - 1)


def shares(bots: int, seats: int) -> Iterator[int]:
    """How often each bot may sit, least first, if all sit equally often in at most
    ``MOST_LINE_UPS`` line-ups.
    """
    for often in range(-(-(bots - 1) // (seats - 1)), seats * MOST_LINE_UPS // bots + 1):
        if bots * often % seats == 0 and bots * often // seats >= least(bots, seats):
            yield often


class Kind(NamedTuple):
    """Line-ups that stay the same when each bot is renamed ``length / fold``
    times. fold: 1 for all but short ones.
    """

    fold: int
    places: int


def ways(seats: int, length: int, places: int) -> list[list[Kind]]:
    """The ways to fill so many places of bots with line-ups, those with the fewest
    short ones first.
    """
    folds = [fold for fold in range(2, seats + 1) if seats % fold == 0 and length % fold == 0]

    def short(rest: Sequence[int], free: int) -> Iterator[list[Kind]]:
        if not rest:
            if free % seats == 0:
                yield [Kind(1, seats)] * (free // seats)
            return
        each = seats // rest[0]
        for often in range(min(free // each, 12) + 1):
            for others in short(rest[1:], free - often * each):
                yield [Kind(rest[0], each)] * often + others

    return sorted(
        short(folds, places), key=lambda kinds: (sum(kind.fold > 1 for kind in kinds), kinds)
    )[:WAYS]


class Search:
    """One try to find a set: begins by lot, and goes on until all pairs meet or its
    steps are used up.
    """

    def __init__(
        self, bots: int, length: int, often: int, kinds: Sequence[Kind], stream: Stream
    ) -> None:
        self.bots, self.length, self.kinds, self.stream = bots, length, kinds, stream
        self.pairs = self._pairs()
        cycles = [cycle for cycle in range(bots // length) for _ in range(often)]
        stream.shuffle(cycles)
        free = iter(cycles)
        self.places = [
            [(next(free), stream.below(length // kind.fold)) for _ in range(kind.places)]
            for kind in kinds
        ]  # the cycle of a bot, and which of the cycle it is
        self.met = [0] * (1 + max(map(max, self.pairs)))
        self.meetings = [self._meetings(number) for number in range(len(kinds))]
        self.missing = len(self.met) + sum(map(self._count, self.meetings))

    def _pairs(self) -> list[list[int]]:
        """By two bots, a number that is equal for the pairs that renaming makes of each
        other.
        """
        table, length = [[-1] * self.bots for _ in range(self.bots)], self.length
        number = 0
        for a, b in combinations(range(self.bots), 2):
            if table[a][b] < 0:
                for _ in range(length):
                    table[a][b] = table[b][a] = number
                    a, b = (bot - bot % length + (bot + 1) % length for bot in (a, b))
                number += 1
        return table

    def line_up(self, number: int) -> list[int]:
        length, fold = self.length, self.kinds[number].fold
        every = range(0, length, length // fold)
        return [
            cycle * length + (x + step) % length
            for cycle, x in self.places[number]
            for step in every
        ]

    def _meetings(self, number: int) -> list[int]:
        return [self.pairs[a][b] for a, b in combinations(self.line_up(number), 2)]

    def _count(self, meetings: Sequence[int]) -> int:
        """Add meetings; the change of what is missing. A bot that meets itself makes
        two pairs miss.
        """
        change = 0
        for pair in meetings:
            if pair < 0:
                change += 2
            else:
                change -= not self.met[pair]
                self.met[pair] += 1
        return change

    def _discount(self, meetings: Sequence[int]) -> int:
        change = 0
        for pair in meetings:
            if pair < 0:
                change -= 2
            else:
                self.met[pair] -= 1
                change += not self.met[pair]
        return change

    def run(self, steps: int) -> list[LineUp] | None:
        for step in range(steps):
            if not self.missing:
                break
            self._step(ODDS[step * len(ODDS) // steps])
        whole = [tuple(sorted(self.line_up(number))) for number in range(len(self.kinds))]
        expected = sum(self.length // kind.fold for kind in self.kinds)
        return (
            whole if not self.missing and len(rename_bots(whole, self.length)) == expected else None
        )

    def _step(self, odds: int) -> None:
        changed = self._move()
        if not changed:
            return
        before = [(number, self.places[number], self.meetings[number]) for number in changed]
        change = sum(self._discount(self.meetings[number]) for number in changed)
        for number, places in changed.items():
            self.places[number], self.meetings[number] = places, []
            self.meetings[number] = self._meetings(number)
        change += sum(self._count(self.meetings[number]) for number in changed)
        if change <= 0 or (change <= MOST_WORSE and not self.stream.below(odds**change)):
            self.missing += change
            return
        for number in changed:
            self._discount(self.meetings[number])
        for number, places, meetings in before:
            self.places[number], self.meetings[number] = places, meetings
            self._count(meetings)

    def _move(self) -> dict[int, list[tuple[int, int]]]:
        """New places of one or two line-ups: a bot becomes another one of its cycle, or
        is exchanged with one of another.
        """
        stream, length, cycles = self.stream, self.length, self.bots // self.length
        x = stream.below(len(self.places))
        mine, i = self.places[x].copy(), stream.below(len(self.places[x]))
        if cycles == 1 or (length > 1 and stream.below(2)):
            mine[i] = (mine[i][0], stream.below(length // self.kinds[x].fold))
            return {x: mine}
        y = stream.below(len(self.places))
        theirs, j = self.places[y].copy(), stream.below(len(self.places[y]))
        if x == y or mine[i][0] == theirs[j][0]:
            return {}
        mine[i], theirs[j] = theirs[j], mine[i]
        for number, places, place in ((x, mine, i), (y, theirs, j)):
            cycle, at = places[place]
            if at >= length // self.kinds[number].fold:
                places[place] = (cycle, stream.below(length // self.kinds[number].fold))
        return {x: mine, y: theirs}


def found(bots: int, seats: int, below: int, steps: int) -> tuple[int, list[LineUp]] | None:
    """The length of the cycles and the line-ups that make the smallest set of fewer
    than ``below`` that the search finds.
    """
    for often in shares(bots, seats):
        if bots * often // seats >= below:
            return None
        for length in sorted((one for one in range(1, bots + 1) if bots % one == 0), reverse=True):
            if bots // length > MOST_CYCLES and bots > FEW_BOTS:
                break
            for way, kinds in enumerate(ways(seats, length, bots // length * often)):
                stream = Stream(
                    bytes(32), "coverings", *map(str, (bots, seats, often, length, way, steps))
                )
                if line_ups := Search(bots, length, often, kinds, stream).run(steps):
                    return length, line_ups
    return None


def size(line: str) -> int:
    _, length, line_ups = parsed(line)
    return len(rename_bots(line_ups, length))


def parsed(line: str) -> tuple[tuple[int, int], int, list[LineUp]]:
    head, _, rest = line.partition(":")
    bots, seats, length = map(int, head.split())
    return (bots, seats), length, [tuple(map(int, words.split())) for words in rest.split(",")]


def write(path: Path, steps: int, only: Sequence[int]) -> None:
    lines = (
        {parsed(line)[0]: line for line in path.read_text().splitlines()} if path.exists() else {}
    )
    for bots, seats in sorted(ENTRIES, key=lambda shape: shape[::-1]):
        fewest = next((bots * often // seats for often in shares(bots, seats)), MOST_LINE_UPS + 1)
        there = size(lines[bots, seats]) if (bots, seats) in lines else MOST_LINE_UPS + 1
        if (only and seats not in only) or there <= fewest or fewest > MOST_LINE_UPS:
            continue
        if (new := found(bots, seats, there, steps)) is not None:
            text = ", ".join(" ".join(map(str, line_up)) for line_up in new[1])
            lines[bots, seats] = f"{bots} {seats} {new[0]}: {text}"
            print(bots, seats, "line-ups", size(lines[bots, seats]), "least", fewest, flush=True)
            path.write_text(
                "".join(
                    f"{lines[shape]}\n" for shape in sorted(lines, key=lambda shape: shape[::-1])
                )
            )


def table() -> None:
    """For 4 to 64 bots at 2 to 5 seats: line-ups found / the least in which all pairs
    meet and bots sit equally often, by the bound / the least in which all pairs meet,
    by the bound.
    """
    lines = {parsed(line)[0]: size(line) for line in FILE.read_text().splitlines()}
    print("bots  2 seats               3 seats               4 seats               5 seats")
    for bots in range(4, 65):
        cells = []
        for seats in range(2, 6):
            if bots < seats:
                cells.append("")
                continue
            equal = next((bots * often // seats for often in shares(bots, seats)), None)
            every = (
                bots * (bots - 1) // 2
                if seats == 2
                else 1
                if bots == seats
                else lines.get((bots, seats))
            )
            shown = "over 500" if every is None or every > MOST_LINE_UPS else str(every)
            cells.append(f"{shown} / {equal or 'over 500'} / {least(bots, seats)}")
        print(f"{bots:4}  " + "".join(f"{cell:22}" for cell in cells).rstrip())


if __name__ == "__main__":
    if "--table" in sys.argv:
        table()
    elif "--write" in sys.argv:
        steps, *only = [int(word) for word in sys.argv[1:] if word.isdigit()]
        write(FILE, steps, only)
    else:
        sys.exit(__doc__)
