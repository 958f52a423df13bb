"""Line-ups: which bots sit at a table together. Bots are indices 0..bots-1; a line-up
is a sorted tuple of them.

If there are at most ``most`` line-ups, all are taken, else a balanced set of them.
Everything is a pure function of its arguments: chance comes from a 32-byte key, in
integers alone, so that the same key gives the same line-ups on any machine.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.rng import Stream
from khiva_arena.words import count

MOST_LINE_UPS = 500
FEWEST_SEATS, MOST_SEATS = 2, 10
_SWAPS_PER_LINE_UP, _MOST_SWAPS, _MOST_TRIES = (
    80,
    20_000,
    8,
)  # bound the search to well under a second

LineUp = tuple[int, ...]


class LineUps(NamedTuple):
    """The line-ups of a round robin.

    total: how many there are.
    chosen: those that are played, in canonical (lexicographic) order; fewer than
        ``total`` if they are a balanced part.
    """

    total: int
    chosen: tuple[LineUp, ...]


def line_ups(
    bots: int,
    seats: int,
    copies: int = 1,
    limit: int | None = None,
    *,
    key: bytes,
    authors: tuple[int, ...] = (),
) -> LineUps:
    """Return all multisets of ``seats`` bots with each bot at most ``copies`` times, or
    a balanced ``limit`` of them.

    A table with copies of one bot alone says nothing about it, so such line-ups exist
    only when there is one bot (a smoke test). A subset is distinct line-ups in which
    each bot sits as often as any other, plus or minus one, and pairs meet as equally as
    a bounded search finds. It holds no line-up with two copies of a bot as long as
    there are enough without.

    authors: a group number per bot; bots of one group never sit together. Then all
        line-ups hold a bot of a large group less often than one of a small group. Of a
        subset only this is sure: within a group, bots sit equally, plus or minus one.
    most: ``MOST_LINE_UPS`` by default.

    Raises ConfigError on numbers that make no table.
    """
    limit = MOST_LINE_UPS if limit is None else limit
    problems = mistakes(bots, seats, copies, limit, authors)
    if problems:
        raise ConfigError(problems)
    cap = cap_of(bots, seats, copies)
    stream = Stream(key, "schedule", "lineups")
    return LineUps(
        count_line_ups(bots, seats, cap, authors), pick(bots, seats, cap, limit, stream, authors)
    )


def cap_of(bots: int, seats: int, copies: int) -> int:
    """Return how often a bot may sit in one line-up: never at all seats, since a bot
    against only itself says nothing.
    """
    return copies if bots == 1 else min(copies, seats - 1)


def pick(
    bots: int, seats: int, cap: int, limit: int, stream: Stream, authors: tuple[int, ...] = ()
) -> tuple[LineUp, ...]:
    """Return all line-ups with each bot at most ``cap`` times, or a balanced ``limit``
    of them, in canonical order. The numbers are checked, as ``line_ups`` does; 1 seat
    is allowed here.
    """
    if count_line_ups(bots, seats, cap, authors) <= limit:
        return tuple(_all(bots, seats, cap, authors))
    if cap > 1 and count_line_ups(bots, seats, 1, authors) >= limit:
        cap = 1
    return tuple(_balanced_part(_Tables(bots, seats, cap, authors), limit, stream))


def fewest(bots: int, seats: int, copies: int = 1, authors: tuple[int, ...] = ()) -> int:
    """Return the fewest line-ups in which each bot sits equally often, at least twice,
    and with half of the others; or all there are. So all bots can be compared, directly
    or through others. ``--lineups auto`` played so many until version 0.2. It still
    does where the sets in which all bots meet are too large, see ``coverings``.
    """
    cap = cap_of(bots, seats, copies)
    often = max(
        2, -(-(bots - 1) // (2 * (seats - 1)))
    )  # two bots that each met half of the others met each other, or a third
    lower_bound = -(-often * bots // seats)
    smallest = next(
        number for number in range(lower_bound, lower_bound + bots) if number * seats % bots == 0
    )
    return min(smallest, count_line_ups(bots, seats, cap, authors))


def mistakes(
    bots: int, seats: int, copies: int, limit: int, authors: tuple[int, ...] = ()
) -> list[str]:
    """Return the mistakes in the numbers of a round robin, one line each."""
    problems = []
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        problems.append(f"a table has {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}")
    if copies < 1:
        problems.append(f"--copies is at least 1, not {copies}")
    if limit < 1:
        problems.append(f"at least 1 line-up must be played, not {limit}")
    if bots < 1:
        problems.append("there are no bots to play")
    if not problems and bots * copies < seats:
        need = -(-seats // bots)
        have = count(bots, "bot") + (f" with --copies {copies}" if copies > 1 else "")
        fewer = f"take --seats {bots * copies}, " if bots * copies >= FEWEST_SEATS else ""
        problems.append(
            f"{have} cannot fill {seats} seats: {fewer}add bots, or let copies of one bot "
            f"sit together with --copies {need}"
        )
    if authors and len(set(authors)) < seats:
        have = f"bots of {count(len(set(authors)), 'author')}"
        problems.append(
            f"--authors-apart: {have} cannot fill {seats} seats: add bots of others, or "
            "give fewer --seats"
        )
    return problems


def count_line_ups(bots: int, seats: int, cap: int, authors: tuple[int, ...] = ()) -> int:
    """Return how many line-ups there are, without listing them. It is the coefficient
    of x^seats in (1 + x + ... + x^cap)^bots, and with authors kept apart that in the
    product of (1 + g x) over their groups of g bots.
    """
    ways = [1] + [0] * seats
    for size in Counter(authors).values():
        ways = [ways[s] + (size * ways[s - 1] if s else 0) for s in range(seats + 1)]
    for _ in range(0 if authors else bots):
        ways = [sum(ways[s - c] for c in range(min(cap, s) + 1)) for s in range(seats + 1)]
    return ways[seats]


def _all(bots: int, seats: int, cap: int, authors: tuple[int, ...]) -> Iterator[LineUp]:
    if authors:
        return iter(sorted(_apart(seats, authors)))
    if cap == 1:
        return combinations(range(bots), seats)
    return (
        c for c in combinations_with_replacement(range(bots), seats) if max(map(c.count, c)) <= cap
    )


def _apart(seats: int, authors: tuple[int, ...]) -> Iterator[LineUp]:
    """Yield all line-ups of bots of different groups, not in order: it takes as many
    steps as there are line-ups of groups and of bots.
    """
    members: dict[int, list[int]] = {}
    for bot, group in enumerate(authors):
        members.setdefault(group, []).append(bot)
    for groups in combinations(members.values(), seats):
        yield from (tuple(sorted(bots)) for bots in product(*groups))


class _Tables(NamedTuple):
    """What line-ups are made of: how many bots, at how many seats, each bot at most
    ``cap`` times, and the author of each bot if bots of one author are kept apart.
    """

    bots: int
    seats: int
    cap: int
    authors: tuple[int, ...]


def _balanced_part(tables: _Tables, limit: int, stream: Stream) -> list[LineUp]:
    total = count_line_ups(*tables)
    if limit == total:
        return list(_all(*tables))
    if (
        2 * limit > total
    ):  # all line-ups are balanced, so the rest of a balanced set is, too; it is easier to search
        left_out = set(_search(tables, total - limit, stream))
        return [line_up for line_up in _all(*tables) if line_up not in left_out]
    return sorted(_search(tables, limit, stream))


def _search(tables: _Tables, count: int, stream: Stream) -> list[LineUp]:
    """Return the best of a few searches, each of which can get stuck; one is enough if
    all pairs meet equally, or nearly so.
    """
    swaps = min(_SWAPS_PER_LINE_UP * count, _MOST_SWAPS)
    tries = min(_MOST_TRIES, max(1, _MOST_SWAPS // swaps))
    best = _Search(tables, count, stream, swaps)
    for _ in range(tries - 1):
        if best.spread() <= 1:
            break
        best = min(best, _Search(tables, count, stream, swaps), key=_Search.spread)
    return best.picked


class _Search:
    """A balanced set of ``most`` distinct line-ups, of at least twice as many: greedy,
    then swaps between two line-ups.

    Greedy fixes how often each bot sits (equal, plus or minus one); a swap never
    changes that.
    """

    def __init__(self, tables: _Tables, count: int, stream: Stream, swaps: int) -> None:
        self.bots, self.seats, self.cap, self.authors = tables
        self.stream = stream
        self.met = [
            [0] * self.bots for _ in range(self.bots)
        ]  # met[a][b], a <= b: how often they sit together
        self.sat = [0] * self.bots
        self.picked = [self._next_greedy() for _ in range(count)]
        self.taken = Counter(self.picked)
        if count > 1:
            for _ in range(swaps):
                self._swap(stream.below(count), only_better=True)
            self._make_distinct()

    def spread(self) -> int:
        """Return how much more often one pair sits together than another."""
        meetings = [
            self.met[a][b]
            for a, b in combinations(range(self.bots), 2)
            if not self._is_kept_apart(a, (b,))
        ]
        return max(meetings, default=0) - min(meetings, default=0)

    def _is_kept_apart(self, bot: int, bots: Sequence[int]) -> bool:
        return (
            self.authors[bot] in [self.authors[opponent] for opponent in bots]
            if self.authors
            else False
        )

    def _next_greedy(self) -> LineUp:
        chosen: list[int] = []
        for _ in range(self.seats):
            free = [b for b in range(self.bots) if chosen.count(b) < self.cap]
            if self.authors:
                free = [b for b in free if not self._is_kept_apart(b, chosen)]
            low = min([self.sat[b] for b in free])
            low_free = [b for b in free if self.sat[b] == low]
            meetings = [
                sum([self.met[b][c] if b < c else self.met[c][b] for c in chosen]) for b in low_free
            ]
            fewest = min(meetings)
            best = [b for b, m in zip(low_free, meetings, strict=True) if m == fewest]
            bot = best[self.stream.below(len(best))]
            self.sat[bot] += 1
            chosen.append(bot)
        for i, bot in enumerate(chosen):
            self._meet(bot, chosen[:i], 1)
        return tuple(sorted(chosen))

    def _meet(self, bot: int, others: Sequence[int], sign: int) -> int:
        """Add (1) or take away (-1) the meetings of a bot with others; return the
        change of the sum of squared meetings.
        """
        change, met = 0, self.met
        for other in others:
            row, at = (met[bot], other) if bot < other else (met[other], bot)
            change += 2 * sign * row[at] + 1
            row[at] += sign
        return change

    def _swap(self, x: int, *, only_better: bool) -> None:
        """Exchange a random bot of line-up ``x`` with one of another, unless that makes
        a line-up twice, or too many copies.
        """
        y = self.stream.below(len(self.picked) - 1)
        y += y >= x
        i, j = self.stream.below(self.seats), self.stream.below(self.seats)
        old_x, old_y = self.picked[x], self.picked[y]
        one, other = old_x[i], old_y[j]
        rest_x, rest_y = old_x[:i] + old_x[i + 1 :], old_y[:j] + old_y[j + 1 :]
        new_x, new_y = tuple(sorted((*rest_x, other))), tuple(sorted((*rest_y, one)))
        if new_x == new_y or self.taken.get(new_x) or self.taken.get(new_y):
            return
        if rest_x.count(other) >= self.cap or rest_y.count(one) >= self.cap:
            return
        if self._is_kept_apart(other, rest_x) or self._is_kept_apart(one, rest_y):
            return
        meet = self._meet
        change = (
            meet(one, rest_x, -1)
            + meet(other, rest_y, -1)
            + meet(other, rest_x, 1)
            + meet(one, rest_y, 1)
        )
        if only_better and change > 0:
            (
                meet(one, rest_y, -1),
                meet(other, rest_x, -1),
                meet(other, rest_y, 1),
                meet(one, rest_x, 1),
            )
            return
        self.taken[old_x] -= 1
        self.taken[old_y] -= 1
        self.taken[new_x] = self.taken[new_y] = 1
        self.picked[x], self.picked[y] = new_x, new_y

    def _make_distinct(self) -> None:
        """Swap until no line-up is taken twice. At most half of all are taken, so a
        free one is always near.
        """
        for _ in range(1000 * len(self.picked)):
            twice = next(
                (i for i, line_up in enumerate(self.picked) if self.taken[line_up] > 1), None
            )
            if twice is None:
                return
            self._swap(twice, only_better=False)
        raise InternalError("no balanced set of distinct line-ups was found")
