"""The routes that a caravan can take on a map of Silk Road."""

from collections.abc import Iterator, Mapping, Sequence

from khiva_arena.games.base import Plain

Route = tuple[int, ...]
MOST_STEPS = 132
"""Steps of all routes from a place to a target together, at most: 3 caravans x 5 goods
x 132 entries stay under 2,000.
"""
SEARCH = 500_000
"""Steps that the search for all routes of a map may take; R1 takes some 2,000."""
UNFINISHED: tuple[Route, ...] = (tuple(range(MOST_STEPS + 1)),)
"""Routes that stand where a search ran out of steps."""


def followers(chart: Mapping[str, Plain]) -> dict[str, list[str]]:
    """Return the places to which the roads of each place lead."""
    follow: dict[str, list[str]] = {}
    for a, b in chart.get("one_way", ()):
        follow.setdefault(a, []).append(b)
    for a, b in chart.get("two_way", ()):
        follow.setdefault(a, []).append(b)
        follow.setdefault(b, []).append(a)
    return follow


def all_routes(
    chart: Mapping[str, Plain], index: Mapping[str, int]
) -> Iterator[tuple[tuple[int, int], tuple[Route, ...]]]:
    """Yield ((place, target), routes) wherever there is a route, without the place
    itself, in a fixed order.

    A search that finds too much is cut off: its routes have more steps than are
    allowed. When ``SEARCH`` is spent, the last routes are ``UNFINISHED``.
    """
    follow = {index[name]: [index[n] for n in after] for name, after in followers(chart).items()}
    signposts = chart.get("signposts", {})
    budget = SEARCH
    for target, city in enumerate(chart["cities"]):
        signposted = {
            index[village]: index[posts[city]]
            for village, posts in signposts.items()
            if city in posts
        }
        onward = {
            place: [signposted[place]]
            if place in signposted
            else [n for n in after if n >= len(chart["cities"]) or n == target]
            for place, after in follow.items()
        }
        near = _leading_to(onward, target)
        onward = {place: [n for n in after if n in near] for place, after in onward.items()}
        for start in sorted(near - {target}):
            routes, budget = _routes(onward, start, target, budget)
            if routes:
                yield (start, target), routes
            if budget < 0:
                return


def _leading_to(onward: Mapping[int, Sequence[int]], target: int) -> set[int]:
    """Return the target and all places from which the roads lead to the target."""
    near, growing = {target}, True
    while growing:
        before = {
            place
            for place, after in onward.items()
            if place not in near and not near.isdisjoint(after)
        }
        near |= before
        growing = bool(before)
    return near


def _routes(
    onward: Mapping[int, Sequence[int]], start: int, target: int, budget: int
) -> tuple[tuple[Route, ...], int]:
    """Return all ways without a place twice, and how many steps of the search are
    left.
    """
    routes: list[Route] = []
    steps = 0
    stack: list[Route] = [(start,)]
    while stack and steps <= MOST_STEPS:
        if (budget := budget - 1) < 0:
            return UNFINISHED, budget
        path = stack.pop()
        for place in onward.get(path[-1], ()):
            if place == target:
                routes.append((*path[1:], place))
                steps += len(path)
            elif place not in path:
                stack.append((*path, place))
    return tuple(sorted(routes)), budget
