"""The coding of Silk Road as numbers. docs/trainers.md explains them."""

from collections.abc import Mapping, MutableSequence
from typing import Any

from khiva_arena.env.coding import Coding
from khiva_arena.env.fields import (
    Field,
    Numbers,
    always,
    counts,
    each,
    known,
    maybe,
    number,
    one_of,
    ranked,
    record,
    row,
    some_of,
    switch,
)
from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.board import Board, board
from khiva_arena.games.silk_road.tables import (
    CAMELS,
    COLOURLESS,
    COLOURS,
    DECK,
    DRIVERS,
    GOODS,
    JEWELS_PER_COLOUR,
    MARKERS,
    PER_GOOD,
    SIZES,
    TILES,
)

VERSION = 1
MANY = 1000
"""A bound: more colourless jewels or markers than anybody can have if there is no limit
to them.
"""
KINDS = (
    "move",
    "draw",
    "customs",
    "sandstorm",
    "robber",
    "bazaar",
    "baksheesh",
    "pay",
    "sell",
    "jewel",
    "lay_out",
)


def coding(seats: int, rules: Mapping[str, Any]) -> Coding:
    """Build the coding for a seat count under a complete rules map."""
    chart = board(rules["map"])
    seat, place, camel, good = (
        one_of(range(seats)),
        one_of(chart.names),
        one_of(CAMELS),
        one_of(range(len(GOODS))),
    )
    goods = row(*(number(PER_GOOD) for _ in GOODS))
    jewels = row(*(number(JEWELS_PER_COLOUR) for _ in COLOURS))
    turns, some_seats = rules["max_turns"], some_of(range(seats))

    def by_seat(kind: Field) -> Field:
        return each(seats, kind)

    ask = record(
        {"kind": one_of(KINDS), "seat": seat},
        optional={
            "why": one_of(("turn", "match", "camels", "empty")),
            "more": switch(),
            "left": number(len(DECK)),
            "robbed": some_seats,
            "named": ranked((*range(len(GOODS)), *range(len(GOODS)), *range(len(GOODS)))),
            "taken": good,
            "market": one_of(("large", "small", "black", "last")),
            "size": number(SIZES[-1]),
            "camel": camel,
            "declined": some_seats,
            "good": good,
        },
    )
    keys = {
        "seat": seat,
        "seats": always(seats),
        "turn": number(turns),
        "active": seat,
        "hand": goods,
        "hands": by_seat(number(len(DECK))),
        "known": by_seat(goods),
        "displays": by_seat(goods),
        "open": goods,
        "pile": number(len(DECK)),
        "pool": goods,
        "unseen": goods,
        "discard": ranked(DECK),
        "caravans": each(len(SIZES), maybe(row(place, place, ranked(CAMELS)))),
        "queue": ranked(CAMELS),
        "tiles": record({village: one_of(TILES) for village in chart.names[chart.cities :]}),
        "cities": _jewels_of(chart),
        "bag": jewels,
        "removed": jewels,
        "jewels": by_seat(jewels),
        "colourless": by_seat(number(MANY)),
        "markers": by_seat(number(MANY)),
        "colourless_left": maybe(number(COLOURLESS)),
        "markers_left": maybe(number(MARKERS)),
        "drivers": by_seat(one_of(DRIVERS)),
        "played": maybe(row(good, number(PER_GOOD), number(SIZES[-1]), place)),
        "idle": number(seats),
        "ending": one_of(("bag", "stalled")),
        "ask": maybe(ask),
    }
    return Coding(
        VERSION, keys, _entries(chart, seats, rules), longest=turns * 50, left_out=("history",)
    )


@known
def _jewels_of(chart: Board) -> Field:
    """Make a field for the jewels by city: the count of each colour. Cities without
    jewels are not in the view.
    """
    cities = chart.names[: chart.cities]
    all_cities = each(len(cities), counts(range(len(COLOURS)), JEWELS_PER_COLOUR))

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        all_cities.put([value.get(city, ()) for city in cities], into, at)

    def get(numbers: Numbers) -> Plain:
        return {
            city: jewels
            for city, jewels in zip(cities, all_cities.get(numbers), strict=True)
            if jewels
        }

    return Field(all_cities.bounds, put, get)


def _entries(chart: Board, seats: int, rules: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Return the entries of ``legal`` by kind of decision. A move has at most as many
    cards as the longest way on the map has places.
    """
    longest = max(len(route) for routes in chart.routes.values() for route in routes)
    limit = min(longest, PER_GOOD if rules["most_cards"] == "unlimited" else rules["most_cards"])
    goods = [[good] for good in range(len(GOODS))]
    return {
        "move": [
            [good, cards, size, place]
            for cards in range(1, limit + 1)
            for good in range(len(GOODS))
            for size in SIZES
            for place in chart.names
        ],
        "draw": [["nothing"], ["pile"], *goods],
        "customs": goods,
        "sandstorm": goods,
        "robber": [[seat, good] for seat in range(seats) for good in range(len(GOODS))],
        "bazaar": [["no"], *goods],
        "baksheesh": [["nothing"], *goods],
        "pay": goods,
        "sell": [["sell"], ["decline"]],
        "jewel": [[colour] for colour in range(len(COLOURS))],
        "lay_out": [[count] for count in range(PER_GOOD, -1, -1)],
    }
