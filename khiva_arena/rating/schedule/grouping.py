"""The grouping of bots into tables: exchanges of two bots as long as one lowers the
cost. Integers only.

Bots are positions 0..m-1 here, best first. The cost is the sum of ``weight`` over the
pairs at a table; a weight of ``grave`` or more marks a pair that should not meet.

When no exchange of two helps any more, these hold (and are tested):
- Authors, where keeping them apart weighs more than all else: each author's bots are
  spread over the tables as evenly as can be, so they meet only if an author has more
  bots than there are tables. For let table x have two more bots of an author than y.
  Then the other bots of y are more than those of x, so some author has more bots in y
  than in x; exchanging the two parts one pair and joins none.
- Pairs that met before: with every bot having met at most m others, and more than (2
  N - 1) m + N bots at tables of N, no pair meets again. For a bot that meets one again
  may be exchanged with nearly any bot. The exceptions are those at its table (N), at
  tables of those it has met (N m at most), or met by the others of its table ((N - 1) m
  at most).
"""

from collections.abc import Iterable, Sequence

from khiva_arena.rng import Stream

_WORK, _MOST_WORK = (
    40_000,
    120_000,
)  # exchanges weighed, the second about 40 ms; more while grave pairs are left

Tables = list[list[int]]


def snake(count: int, tables: int) -> Tables:
    """Deal positions to tables, there and back: 0 1 2 / 5 4 3 / 6 7 8."""
    tables_filled: Tables = [[] for _ in range(tables)]
    for position in range(count):
        row, at = divmod(position, tables)
        tables_filled[tables - 1 - at if row % 2 else at].append(position)
    return tables_filled


def cost_of(tables: Tables, weight: Sequence[Sequence[int]]) -> int:
    return sum(weight[a][b] for table in tables for a in table for b in table if a < b)


def exchange_seats(tables: Tables, weight: Sequence[Sequence[int]]) -> int:
    """Exchange bots in place until no exchange lowers the cost; return how many
    exchanges were tried. The lowest position comes first, so that the best are moved
    least. Of exchanges that help equally, the one between the nearest positions is
    made.

    An exchange that did not help does not help while nobody at either table is
    exchanged, so it is not weighed again, though it counts as tried.
    """
    count = sum(map(len, tables))
    at = [0] * count
    for i, table in enumerate(tables):
        for position in table:
            at[position] = i
    load = [[sum([row[q] for q in table]) for table in tables] for row in weight]
    for p, home in enumerate(at):
        load[p][home] -= weight[p][p]
    work, unchanged = 0, 0
    exchanges: list[int] = []  # both tables of each exchange, in order
    exchanges_before = (
        [-1] * count
    )  # how many of these there were when no exchange helped a position; -1: it is not known
    while unchanged < count:
        for p in range(count - 1, -1, -1):
            unchanged += 1
            if unchanged > count:
                break
            if not load[p][at[p]]:
                # an exchange that helps is found from the other position, whose cost it
                # lowers
                continue
            changed_tables = (
                set(exchanges[exchanges_before[p] :]) if exchanges_before[p] >= 0 else set()
            )
            all_positions = exchanges_before[p] < 0 or at[p] in changed_tables
            positions = (
                range(count)
                if all_positions
                else sorted([q for table in changed_tables for q in tables[table]])
            )
            q = _best_exchange(p, positions, at, load, weight[p])
            work += count
            exchanges_before[p] = len(exchanges) if q is None else -1
            if q is not None:
                exchanges += (at[p], at[q])
                _exchange(p, q, tables, at, load, weight)
                unchanged = 0
    return work


def _best_exchange(
    p: int, positions: Iterable[int], at: list[int], load: list[list[int]], weight: Sequence[int]
) -> int | None:
    """Return the position among ``positions``, in order, to exchange with p; None if no
    exchange lowers the cost.
    """
    home, mine = at[p], load[p]
    best, partner = (0, 0), None
    for q in positions:
        table = at[q]
        if table != home:
            theirs = load[q]
            change = mine[table] - mine[home] + theirs[home] - theirs[table] - 2 * weight[q]
            if change < 0 and (change, abs(p - q)) < best:
                best, partner = (change, abs(p - q)), q
    return partner


def _exchange(
    p: int,
    q: int,
    tables: Tables,
    at: list[int],
    load: list[list[int]],
    weight: Sequence[Sequence[int]],
) -> None:
    x, y = at[p], at[q]
    tables[x][tables[x].index(p)], tables[y][tables[y].index(q)] = q, p
    at[p], at[q] = y, x
    from_p, from_q = weight[p], weight[q]
    for table, row in enumerate(load):
        change = (from_q[table] if table != q else 0) - (from_p[table] if table != p else 0)
        row[x] += change
        row[y] -= change


def search(tables: Tables, weight: Sequence[Sequence[int]], grave: int, stream: Stream) -> Tables:
    """Return settled tables, the best of as many attempts as the bounds allow; each
    attempt begins with three random exchanges.
    """
    best = [list(table) for table in tables]
    work = exchange_seats(best, weight)
    cost = cost_of(best, weight)
    while cost and len(tables) > 1 and work < (_MOST_WORK if cost >= grave else _WORK):
        trial = [list(table) for table in best]
        for _ in range(3):
            _by_lot(trial, stream)
        work += exchange_seats(trial, weight)
        if (new_cost := cost_of(trial, weight)) < cost:
            best, cost = trial, new_cost
    return best


def _by_lot(tables: Tables, stream: Stream) -> None:
    x, y = stream.below(len(tables)), stream.below(len(tables) - 1)
    y += y >= x
    i, j = stream.below(len(tables[x])), stream.below(len(tables[y]))
    tables[x][i], tables[y][j] = tables[y][j], tables[x][i]
