"""The map as data: a TOML file or a table, its validator, and the routes that a caravan
can take.

A map has ``name``, ``note`` (optional), ``cities`` clockwise, ``starts`` and
``targets`` of the caravans of 1, 2 and 3 camels, ``villages``, ``one_way`` and
``two_way`` roads, ``signposts`` (village: {city: next place}) and optionally ``tiles``
(village: tile, the printed side).

A caravan goes from village to village to its target and enters no other city (S3). Its
move follows a *route*: a way to the target along the roads that passes no place twice
and obeys each signpost for its target. So a caravan never turns back within a move and
never enters a road that cannot lead it on.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from khiva_arena.games.base import Plain
from khiva_arena.games.rules_map import brief, few
from khiva_arena.games.silk_road.routes import (
    MOST_STEPS,
    SEARCH,
    UNFINISHED,
    Route,
    all_routes,
    followers,
)
from khiva_arena.games.silk_road.tables import GOODS, SIZES, TILE, TILES
from khiva_arena.words import meant

Family = tuple[list[Plain], ...]
"""The entries of ``move`` for one number of cards, caravan and landing place, by
good.
"""
Rows = tuple[tuple[Family, ...], ...]

KEYS = (
    "name",
    "note",
    "cities",
    "starts",
    "targets",
    "villages",
    "one_way",
    "two_way",
    "signposts",
    "tiles",
)
LEAST_CITIES = 6
"""Cities of a map, at least: three caravans and two other targets may occupy five."""
MOST_PLACES = 100
MOST_ROADS = 400
MOST_TEXT = 65_536
"""Characters of the whole map as JSON, at most: it goes to every bot at the start of
every match.
"""
NAME_LENGTH = 40
BAG = "bag"
"""The word of events that stands where a city's name can stand, too."""


class Board:
    """A valid map, compiled. Places are numbers: the cities in order, then the villages
    in order.
    """

    def __init__(self, given: Mapping[str, Plain]) -> None:
        """Compile a canonical map without mistakes."""
        self.names: tuple[str, ...] = (*given["cities"], *given["villages"])
        self.cities = len(given["cities"])
        self.villages = len(given["villages"])
        self.index = {name: place for place, name in enumerate(self.names)}
        self.starts = [self.index[name] for name in given["starts"]]
        self.targets = [self.index[name] for name in given["targets"]]
        self.routes = dict(all_routes(given, self.index))
        self._on_route = {ends: frozenset().union(*routes) for ends, routes in self.routes.items()}
        self._families: dict[tuple[int, int, int], Family] = {}
        self._rows: dict[tuple[int, int, int, int, int], Rows] = {}

    def rows(self, size: int, here: int, target: int, other: int, another: int) -> Rows:
        """Return the entries of ``move`` for a caravan, in order of landing places, by
        number of cards - 1.

        other, another: the places of the other caravans. Such a village is skipped and
            not counted (S3).
        """
        on_route = self._on_route[here, target]
        # Caravans off the route change nothing: without them the cache has fewer keys.
        key = (
            size,
            here,
            target,
            other if other in on_route else -1,
            another if another in on_route else -1,
        )
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = self._make_rows(*key)
        return rows

    def _make_rows(self, size: int, here: int, target: int, other: int, another: int) -> Rows:
        landings: list[set[int]] = []
        for route in self.routes[here, target]:
            for steps, place in enumerate(
                place for place in route if place not in (other, another)
            ):
                if steps == len(landings):
                    landings.append(set())
                landings[steps].add(place)
        return tuple(
            tuple(self._family(size, steps, place) for place in sorted(places))
            for steps, places in enumerate(landings, 1)
        )

    def _family(self, size: int, steps: int, place: int) -> Family:
        key = (size, steps, place)
        if key not in self._families:
            self._families[key] = tuple(
                [good, steps, size, self.names[place]] for good in range(len(GOODS))
            )
        return self._families[key]


@lru_cache(maxsize=32)
def _compile(text: str) -> Board:
    return Board(json.loads(text))


def board(canonical: Mapping[str, Plain]) -> Board:
    """Return the board of a canonical map; equal maps give the same object."""
    return _compile(json.dumps(canonical))


def _load(name: str) -> dict[str, Plain]:
    return tomllib.loads((Path(__file__).parent / "maps" / f"{name}.toml").read_text("utf-8"))


MAPS: dict[str, dict[str, Plain]] = {name: _load(name) for name in ("r1",)}
"""The maps that have a name, as their files give them."""


# --- the validator ---


class CheckedMap(NamedTuple):
    """A map that was checked.

    canonical: its canonical form, None exactly if there is a mistake
    problems: the mistakes
    """

    canonical: dict[str, Plain] | None
    problems: list[str]


def check_map(name_or_chart: Plain) -> CheckedMap:
    """Check a map for every mistake that can be found at once; the first fifty are in
    full.

    name_or_chart: a name or a table
    """
    chart = MAPS.get(name_or_chart) if isinstance(name_or_chart, str) else name_or_chart
    if not isinstance(chart, Mapping):
        return CheckedMap(
            None, [f"map is {', '.join(MAPS)} or a table, not {brief(name_or_chart)}"]
        )
    problems = [*_shape(chart), *_size(chart)]
    if not problems:
        problems = [
            *_names(chart),
            *_ends(chart),
            *_roads(chart),
            *_signposts(chart),
            *_tiles(chart),
        ]
    if not problems:
        problems = _reachability(chart)
    return CheckedMap(None, few(problems)) if problems else CheckedMap(_canonical(chart), [])


def _canonical(chart: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the map as plain values with the keys in order."""
    tiles = chart.get("tiles", {})
    return {
        "name": chart["name"],
        "note": chart.get("note", ""),
        **{key: list(chart[key]) for key in ("cities", "starts", "targets", "villages")},
        **{key: [list(road) for road in chart.get(key, ())] for key in ("one_way", "two_way")},
        "signposts": {
            village: dict(posts) for village, posts in chart.get("signposts", {}).items()
        },
        "tiles": {village: tiles[village] for village in chart["villages"] if village in tiles},
    }


def _is_name(x: Plain) -> bool:
    return isinstance(x, str) and 0 < len(x) <= NAME_LENGTH and x.isprintable() and x == x.strip()


def _names_in(x: Plain) -> bool:
    return isinstance(x, list | tuple) and all(map(_is_name, x))


def _shape(chart: Mapping[str, Plain]) -> Iterator[str]:
    """Yield the missing keys and the values of the wrong kind. The later checks rely on
    there being none.
    """
    for key in chart:
        if key not in KEYS:
            yield f"map: unknown key {brief(key)}{meant(key, KEYS)}; a map has {', '.join(KEYS)}"
    for key in ("name", "cities", "starts", "targets", "villages"):
        if key not in chart:
            yield f"map: {key} is missing"
    if not _is_name(chart.get("name", "-")):
        yield f"map: name is a text of 1 to {NAME_LENGTH} printable characters"
    note = chart.get("note", "")
    if not isinstance(note, str) or len(note) > 200 or not note.isprintable():
        yield "map: note is a text of at most 200 printable characters"
    for key in ("cities", "starts", "targets", "villages"):
        if not _names_in(chart.get(key, ())):
            yield f"map: {key} is a list of names"
    for key in ("one_way", "two_way"):
        roads = chart.get(key, ())
        if not isinstance(roads, list | tuple) or not all(
            _names_in(road) and len(road) == 2 for road in roads
        ):
            yield f"map: {key} is a list of pairs of names"
    posts = chart.get("signposts", {})
    if (
        not isinstance(posts, Mapping)
        or not all(_is_table(post) for post in posts.values())
        or not _names_in(list(posts))
    ):
        yield "map: signposts is a table by village, each a table by city"
    if not _is_table(chart.get("tiles", {})):
        yield "map: tiles is a table by village"


def _size(chart: Mapping[str, Plain]) -> Iterator[str]:
    """Yield the exceeded bounds of all that is looked through and reported later."""
    count = {
        key: len(chart[key]) if isinstance(chart.get(key), list | tuple | Mapping) else 0
        for key in KEYS
    }
    if (places := count["cities"] + count["villages"]) > MOST_PLACES:
        yield f"map: {places} places; at most {MOST_PLACES}"
    if (roads := count["one_way"] + count["two_way"]) > MOST_ROADS:
        yield f"map: {roads} roads; at most {MOST_ROADS}"
    for key in ("starts", "targets", "signposts", "tiles"):
        if count[key] > MOST_PLACES:
            yield f"map: {count[key]} entries in {key}; at most {MOST_PLACES}"


def _is_table(x: Plain) -> bool:
    return isinstance(x, Mapping) and _names_in(list(x)) and _names_in(list(x.values()))


def _names(chart: Mapping[str, Plain]) -> Iterator[str]:
    places = [*chart["cities"], *chart["villages"]]
    for name in dict.fromkeys(name for name in places if places.count(name) > 1):
        yield f"map: two places are called {name!r}"
    if len(chart["cities"]) < LEAST_CITIES:
        yield (
            f"map: {len(chart['cities'])} cities; at least {LEAST_CITIES} are needed so that "
            "one is always empty"
        )
    if BAG in chart["cities"]:
        yield f"map: a city cannot be called {BAG!r}, which is where jewels come from"
    if not chart["villages"]:
        yield "map: there is no village"


def _ends(chart: Mapping[str, Plain]) -> Iterator[str]:
    """Yield the mistakes in starts and first targets, which have to be six different
    cities.
    """
    for key in ("starts", "targets"):
        if len(chart[key]) != len(SIZES):
            yield f"map: {key} names {len(chart[key])} cities, not {len(SIZES)}"
        for name in chart[key]:
            if name not in chart["cities"]:
                yield f"map: {key} names {name!r}, which is not a city"
    places = [*chart["starts"], *chart["targets"]]
    for name in dict.fromkeys(name for name in places if places.count(name) > 1):
        yield f"map: {name!r} is named twice in starts and targets"


def _roads(chart: Mapping[str, Plain]) -> Iterator[str]:
    places = {*chart["cities"], *chart["villages"]}
    roads_seen: set[frozenset[str]] = set()
    for key in ("one_way", "two_way"):
        for a, b in chart.get(key, ()):
            for name in (a, b):
                if name not in places:
                    yield f"map: the road {a!r} - {b!r} names {name!r}, which is not a place"
            if a == b:
                yield f"map: a road leads from {a!r} to itself"
            elif frozenset((a, b)) in roads_seen:
                yield f"map: two roads join {a!r} and {b!r}"
            roads_seen.add(frozenset((a, b)))


def _signposts(chart: Mapping[str, Plain]) -> Iterator[str]:
    follow = followers(chart)
    for village, posts in chart.get("signposts", {}).items():
        if village not in chart["villages"]:
            yield f"map: a signpost stands at {village!r}, which is not a village"
        for city, way in posts.items():
            if city not in chart["cities"]:
                yield f"map: the signpost at {village!r} names {city!r}, which is not a city"
            if way not in follow.get(village, ()):
                yield (
                    f"map: the signpost at {village!r} points to {way!r}, where no road leads "
                    "from there"
                )
            elif way in chart["cities"] and way != city:
                yield f"map: the signpost at {village!r} for {city!r} points into {way!r}"


def _tiles(chart: Mapping[str, Plain]) -> Iterator[str]:
    tiles = chart.get("tiles", {})
    for village, tile in tiles.items():
        if village not in chart["villages"]:
            yield f"map: a tile lies on {village!r}, which is not a village"
        if tile not in TILE:
            yield f"map: {tile!r} on {village!r} is not a tile; there are {', '.join(TILES)}"
    lacking = [village for village in chart["villages"] if village not in tiles]
    if tiles and lacking:
        yield (
            f"map: {len(chart['villages'])} villages, but tiles for {len(tiles)}: none for "
            f"{', '.join(map(repr, lacking))}"
        )


def _reachability(chart: Mapping[str, Plain]) -> list[str]:
    """Return the mistakes about ways: each city reaches each other, signposts lead to
    their city, each village is on some way.
    """
    index = {name: place for place, name in enumerate((*chart["cities"], *chart["villages"]))}
    names = list(index)
    cities = range(len(chart["cities"]))
    problems = []
    if (size := len(json.dumps(_canonical(chart)))) > MOST_TEXT:
        return [f"map: {size:,} characters as JSON; at most {MOST_TEXT:,}"]
    routes: dict[tuple[int, int], tuple[Route, ...]] = {}
    for (start, target), found in all_routes(chart, index):
        routes[start, target] = found
        if found is UNFINISHED:  # of these two there may be one way only
            return [f"map: too many ways in all: a search of {SEARCH:,} steps does not find them"]
        if sum(map(len, found)) > MOST_STEPS:
            return [f"map: too many ways from {names[start]!r} to {names[target]!r}"]
    villages_used: set[int] = set()
    for start in cities:
        for target in cities:
            if start != target:
                if (start, target) not in routes:
                    problems.append(f"map: no way leads from {names[start]!r} to {names[target]!r}")
                villages_used.update(
                    place for route in routes.get((start, target), ()) for place in route
                )
    for village, posts in chart.get("signposts", {}).items():
        problems += [
            f"map: the signpost at {village!r} for {city!r} leads to a dead end"
            for city in posts
            if (index[village], index[city]) not in routes
        ]
    problems += [
        f"map: the village {name!r} lies on no way"
        for name in chart["villages"]
        if index[name] not in villages_used
    ]
    return problems
