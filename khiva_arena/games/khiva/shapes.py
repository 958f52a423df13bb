"""The types of all that a bot gets in Khiva: its view, the entries of ``legal``, and
each event. RULES.md has their meaning.

``protocol/schema/khiva`` is made from these types (``games/schema.py``), and a test
holds every view and event of many matches against it.
"""

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from khiva_arena.games.base import EventFields, Shapes, event_shapes

Count = Annotated[int, Meta(ge=0)]
Seat = Annotated[int, Meta(ge=0, le=4)]
Colour = Annotated[int, Meta(ge=0, le=4)]
Camel = Colour
Value = Annotated[int, Meta(ge=1, le=9)]
Card = tuple[Colour, Value]
"""[colour, value], also of a carpet."""
Code = Annotated[int, Meta(ge=0, le=49)]
"""10 * colour + value; 0 is unknown."""
Path = Annotated[int, Meta(ge=-1, le=4)]
Shop = Annotated[int, Meta(ge=0, le=5)]
Place = tuple[Path, Shop]
"""[path, shop]; the tent is [-1, 0]."""
Pile = Literal["teapots", "carpets", "salts"]
Ending = Literal["teapots", "carpets", "salts", "turns"]
Why = Literal["rejected", "shop"]


class History(TypedDict):
    played: list[Code]
    passed: list[Code]
    received: list[Code]


class Ask(TypedDict):
    kind: Literal["move", "boost", "shop4"]
    seat: Seat
    camel: Camel
    card: Card
    lands: list[Place]


class View(TypedDict):
    seat: Seat
    seats: Annotated[int, Meta(ge=2, le=5)]
    turn: Count
    deal: Count
    hand: list[Card]
    hands: list[Count]
    table: list[list[Card]]
    discard: list[Card]
    shown: list[Card]
    aside: Count
    passed: list[tuple[Count, Card, list[Seat]]]
    history: History
    camels: list[tuple[Path, Shop, Count]]
    gems: list[Count]
    carpets: list[list[Card]]
    delivered: list[list[Card]]
    teapots: list[list[Value]]
    salts: list[list[Count]]
    teapots_left: list[Value]
    carpets_left: list[Card]
    carpet_top: Colour | None
    salts_left: list[Count]
    gems_left: Count | None
    ending: Ending | None
    ask: Ask | None


Position = Annotated[int, Meta(ge=0, le=7)]

EVENT_FIELDS: EventFields = {
    "setup": {"teapots": list[Value], "salts": list[Count]},
    "deal": {"deal": Count, "each": Count, "aside": Count},
    "hand": {"seat": Seat, "cards": list[Card]},
    "shown": {"cards": list[Card]},
    "pass": {"seat": Seat, "to": Seat, "cards": list[Card]},
    "reveal": {"turn": Count, "cards": list[list[Card]]},
    "stay": {"camel": Camel, "why": Literal["no_card", "overshoot", "declined"]},
    "win": {"camel": Camel, "seat": Seat, "card": Card, "rejected": list[tuple[Seat, Card]]},
    "gems": {"seat": Seat, "count": Count, "why": Why},
    "move": {"camel": Camel, "seat": Seat, "boost": Count, "from": Place, "to": Place},
    "carpet": {"seat": Seat, "carpet": Card},
    "top": {"colour": Colour},
    "salt": {"seat": Seat, "salt": Count},
    "nothing": {"seat": Seat},
    "deliver": {
        "camel": Camel,
        "seat": Seat,
        "teapot": Count,
        "carpets": list[Card],
        "load": Count,
    },
    "last_turn": {"cause": Pile},
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
        "play_pass": (tuple[Position, Position], tuple[Position, Position, Position, Position]),
        "move": (tuple[Literal["move", "stay"]],),
        "boost": (tuple[Annotated[int, Meta(ge=0, le=5)]],),
        "shop4": (tuple[Literal["carpet", "salt", "nothing"]],),
    },
    events=event_shapes(EVENT_FIELDS),
)
