"""The order in which matches are played. Their numbers, and everything made from these, follow the schedule and not this order.

The rotations of a table are one deal. Whatever a bot manages to leave for its next match, such as pages of a file in memory, is
worth less the more matches are played in between: so the tables of a seed take turns.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import groupby

from khiva_arena.schedule.seating import ScheduledMatch


def spread(matches: Iterable[ScheduledMatch]) -> Iterator[ScheduledMatch]:
    """The same matches, seed by seed, and within a seed two of one line-up in a row only if there is no other
    way: the next match is always of a line-up that has most left. Lazy, a seed at a time; ``matches``: seeds in order."""
    last = -1
    for _, of_seed in groupby(matches, key=lambda match: match.k):
        left: dict[int, deque[ScheduledMatch]] = {}
        for match in of_seed:
            left.setdefault(match.lineup, deque()).append(match)
        most = [(-len(some), lineup) for lineup, some in left.items()]
        heapify(most)
        while most:
            count, lineup = heappop(most)
            if lineup == last and most:
                other = heappop(most)
                heappush(most, (count, lineup))
                count, lineup = other
            last = lineup
            yield left[lineup].popleft()
            if count < -1:
                heappush(most, (count + 1, lineup))
