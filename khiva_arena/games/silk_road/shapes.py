"""The types of all that a bot gets in Silk Road: its view, the entries of ``legal``,
and each event. RULES.md has their meaning.

``protocol/schema/silk_road`` is made from these types (``games/schema.py``), and a test
holds every view and event of many matches against it.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

from khiva_arena.games.base import EventFields, Shapes, event_shapes

Count = Annotated[int, Meta(ge=0)]
Seat = Annotated[int, Meta(ge=0, le=4)]
Good = Annotated[int, Meta(ge=0, le=4)]
Colour = Annotated[int, Meta(ge=0, le=4)]
Counts = tuple[Count, Count, Count, Count, Count]
"""Counts by good or by colour."""
Camel = Annotated[int, Meta(ge=1, le=10)]
Driver = Annotated[int, Meta(ge=1, le=5)]
Size = Annotated[int, Meta(ge=1, le=3)]
Cards = Annotated[int, Meta(ge=1, le=14)]
Place = Annotated[str, Meta(min_length=1, max_length=40)]
Caravan = tuple[Place, Place, list[Camel]]
"""Place, target, camels falling."""
Tile = Literal[
    "ivory_market",
    "spice_market",
    "porcelain_market",
    "silk_market",
    "tea_market",
    "black_market",
    "camels_1",
    "camels_2",
    "camels_3",
    "customs",
    "sandstorm",
    "robber",
    "bazaar",
    "baksheesh",
]
Market = Literal["large", "small", "black", "last"]
Ending = Literal["bag", "stalled"]


class History(TypedDict):
    cards: list[Annotated[int, Meta(ge=0, le=105)]]
    drawn: list[Good]
    shuffles: list[Counts]


class Ask(TypedDict):
    kind: Literal[
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
    ]
    seat: Seat
    why: NotRequired[Literal["turn", "match", "camels", "empty"]]
    more: NotRequired[bool]
    left: NotRequired[Count]
    robbed: NotRequired[list[Seat]]
    named: NotRequired[list[Good]]
    taken: NotRequired[Good]
    market: NotRequired[Market]
    size: NotRequired[Size]
    camel: NotRequired[Camel]
    declined: NotRequired[list[Seat]]
    good: NotRequired[Good]


class View(TypedDict):
    seat: Seat
    seats: Annotated[int, Meta(ge=2, le=5)]
    turn: Count
    active: Seat
    hand: Counts
    hands: list[Count]
    known: list[Counts]
    displays: list[Counts]
    open: Counts
    pile: Count
    pool: Counts
    unseen: Counts
    discard: list[Good]
    history: History
    caravans: tuple[Caravan | None, Caravan | None, Caravan | None]
    queue: list[Camel]
    tiles: dict[str, Tile]
    cities: dict[str, list[Colour]]
    bag: Counts
    removed: Counts
    jewels: list[Counts]
    colourless: list[Count]
    markers: list[Count]
    colourless_left: Count | None
    markers_left: Count | None
    drivers: list[Driver]
    played: tuple[Good, Cards, Size, Place] | None
    idle: Count
    ending: Ending | None
    ask: Ask | None


EVENT_FIELDS: EventFields = {
    "setup": {
        "tiles": dict[str, Tile],
        "caravans": list[Caravan],
        "queue": list[Camel],
        "jewels": dict[str, list[Colour]],
        "drivers": list[Driver],
    },
    "hand": {"seat": Seat, "goods": list[Good]},
    "turn": {"turn": Count, "seat": Seat},
    "move": {
        "seat": Seat,
        "good": Good,
        "count": Cards,
        "size": Size,
        "from": Place,
        "place": Place,
    },
    "take": {"seat": Seat, "good": Good},
    "draw": {"seat": Seat},
    "drawn": {"seat": Seat, "good": Good},
    "no_card": {"seat": Seat},
    "skip": {"seat": Seat},
    "refill": {"goods": list[Good]},
    "reshuffle": {"shuffle": Count, "counts": Counts},
    "action": {"place": Place, "tile": Tile},
    "nothing": {"tile": Tile},
    "discard": {
        "seat": Seat,
        "from": Literal["hand", "display"],
        "good": Good,
        "why": Literal["customs", "sandstorm", "bazaar", "baksheesh"],
    },
    "rob": {"seat": Seat, "victim": Seat, "good": Good},
    "salvage": {"seat": Seat, "from": Literal["discard", "pile"], "good": Good},
    "name": {"seat": Seat, "good": Good},
    "buy": {"seat": Seat, "good": Good},
    "market": {"kind": Literal["large", "last"], "size": Size, "place": Place},
    "decline": {"seat": Seat, "camel": Camel},
    "sale": {"seat": Seat, "camel": Camel, "count": Cards},
    "unsold": {"camel": Camel},
    "jewel": {"seat": Seat, "colour": Colour},
    "swap": {"seats": tuple[Seat, Seat]},
    "colourless": {"seat": Seat},
    "marker": {"seat": Seat},
    "stable": {"camel": Camel},
    "join": {"camel": Camel, "size": Size},
    "removed": {"from": str, "colours": list[Colour]},
    "caravan": {
        "size": Size,
        "place": Place,
        "camels": list[Camel],
        "target": Place,
        "colours": list[Colour],
    },
    "retire": {"size": Size},
    "lay_out": {"seat": Seat, "good": Good, "count": Count},
    "end": {
        "cause": Ending,
        "scores": list[Count],
        "ranks": list[Annotated[int, Meta(ge=1, le=5)]],
    },
}
"""The fields of each event, by type of event."""

SHAPES = Shapes(
    view=View,
    decisions={
        "move": (tuple[Good, Cards, Size, Place],),
        "draw": (tuple[Literal["nothing", "pile"]], tuple[Good]),
        "customs": (tuple[Good],),
        "sandstorm": (tuple[Good],),
        "robber": (tuple[Seat, Good],),
        "bazaar": (tuple[Literal["no"]], tuple[Good]),
        "baksheesh": (tuple[Literal["nothing"]], tuple[Good]),
        "pay": (tuple[Good],),
        "sell": (tuple[Literal["sell", "decline"]],),
        "jewel": (tuple[Colour],),
        "lay_out": (tuple[Annotated[int, Meta(ge=0, le=14)]],),
    },
    events=event_shapes(EVENT_FIELDS),
)
