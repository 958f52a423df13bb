"""The types of all that a bot gets in Emira: its view, the entries of ``legal``, and
each event. RULES.md has their meaning.

``protocol/schema/emira`` is made from these types (``games/schema.py``), and a test
holds every view and event of many matches against it.
"""

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from khiva_arena.games.base import EventFields, Shapes, event_shapes
from khiva_arena.games.emira.tables import ACTIONS, CARAVANS, COLOURS, EVENTS, KINDS, NAMES, TALENTS

Count = Annotated[int, Meta(ge=0)]
Seat = Annotated[int, Meta(ge=0, le=4)]
Gold = Count
Price = Annotated[int, Meta(ge=300, le=1500)]
"""Price of a status card, which names the card."""
# The words of the tables; mypy knows only words that are spelled out.
Colour = Literal[COLOURS]  # type: ignore[valid-type]
Kind = Literal[KINDS]  # type: ignore[valid-type]
Caravan = Literal[CARAVANS]  # type: ignore[valid-type]
Action = Literal[ACTIONS]  # type: ignore[valid-type]
Emira = Literal[NAMES]  # type: ignore[valid-type]
EventCard = Literal[EVENTS]  # type: ignore[valid-type]
Talent = Literal[TALENTS]  # type: ignore[valid-type]
Discount = Literal[50, 70, 100, 150]
Goal = list[list[Talent]]
Item = Literal["small", "large", "camel", "palace"]
ByKind = tuple[Count, Count, Count]
Left = Annotated[int, Meta(ge=1, le=8)]
Lefts = list[Left]
"""Incomes left of each caravan of a type."""
Place = Annotated[int, Meta(ge=0, le=2)]
"""Place in ``ask.cards``."""
DeckName = Literal["emiras", "status"]
Phase = Literal[
    "setup", "events", "income", "prepare", "auction", "buy", "choice", "upkeep", "over"
]
Round = Literal["odd", "even"]
Mind = Literal["keep", "swap", "bottom"]
Ending = Literal["goal", "rounds"]


class Xenia(TypedDict):
    seat: Seat
    due: Count
    first: bool


class Board(TypedDict):
    appearance: list[Kind]
    status: list[Price]
    open: list[Item]


class Effects(TypedDict):
    golden: Count
    interrupted: bool
    sick: bool
    quiet: bool
    doubles: Count
    larger: Round
    bazaar: Seat | None
    noble: Seat | None
    blocked: list[EventCard]


class Auction(TypedDict):
    served: list[Seat]
    bidding: list[Seat]
    bid: Gold
    bidder: Seat | None
    free: Seat | None
    last: Seat


class Ask(TypedDict):
    kind: str
    seat: Seat
    about: str | Count | None
    cards: list[str | Count] | None


class View(TypedDict):
    seat: Seat
    seats: Annotated[int, Meta(ge=3, le=5)]
    round: Count
    start: Seat
    phase: Phase
    colours: list[Colour]
    goal: Goal
    hand: list[EventCard]
    hands: list[Count]
    gold: list[Gold | None]
    gold_shown: list[tuple[Count, Gold] | None]
    caravans: list[tuple[Lefts, Lefts, Lefts, Lefts]]
    camels: list[Count]
    discount: list[Discount]
    off_bid: list[Gold]
    appearance: list[Count]
    counters: list[ByKind]
    sets: list[Count]
    good_looking: list[list[Count]]
    status: list[Count]
    status_cards: list[list[Price]]
    palace: list[int]
    sections: list[Count]
    guests: list[Count]
    room: list[Count]
    princesses: list[list[Emira]]
    upkeep: list[Gold]
    arrivals: list[Count]
    met: list[list[Emira]]
    lost: list[Count]
    xenia: Xenia | None
    xenia_left: Seat | None
    active: list[Emira]
    coming: list[Emira]
    undecided: list[Emira]
    fresh: list[Emira]
    swapped: list[Emira]
    gone: list[Emira]
    removed: list[Price]
    board: Board
    supply: tuple[Count, Count, Count, Count]
    bonus_left: Count | None
    bag: ByKind
    emira_deck: list[Emira | None]
    emira_turned: list[Count]
    status_deck: list[Price | None]
    event_deck: list[EventCard | None]
    effects: Effects
    auction: Auction | None
    bids: list[list[list[int]]]
    settled: list[Seat]
    paid: list[Seat]
    history: list[list[Count | str]]
    ending: Ending | None
    goals: list[Goal] | None
    ask: Ask | None


EVENT_FIELDS: EventFields = {
    "setup": {"colours": list[Colour], "start": Seat},
    "goal": {"seat": Seat, "goal": Goal},
    "dealt": {"seat": Seat, "cards": tuple[EventCard, EventCard, EventCard]},
    "kept": {"seat": Seat, "event": EventCard},
    "round": {"round": Count, "start": Seat, "lost": list[Seat]},
    "income": {"gold": list[Gold], "ended": list[Count]},
    "emiras": {"active": list[Emira], "coming": list[Emira]},
    "board": {"appearance": list[Kind], "status": list[Price], "open": list[Item]},
    "no_event": {"seat": Seat},
    "play": {"seat": Seat, "event": EventCard},
    "void": {"event": EventCard},
    "camels": {"seat": Seat, "change": int},
    "track": {"seat": Seat, "discount": Discount},
    "disc": {"seat": Seat, "change": Literal[-1, 1], "halves": int},
    "look": {
        "seat": Seat,
        "deck": Literal["emiras", "status", "events"],
        "cards": list[str | Price],
    },
    "place": {"seat": Seat, "place": Count},
    "mind": {"seat": Seat, "place": Count, "choice": Mind},
    "reorder": {"seat": Seat, "deck": DeckName, "count": Count, "turned": list[Count]},
    "order": {"seat": Seat, "deck": DeckName, "cards": list[str | Price]},
    "split": {"seat": Seat, "round": Round},
    "good_looking": {"seat": Seat, "kind": Kind, "count": Count},
    "caravan": {"seat": Seat, "caravan": Caravan, "left": Count},
    "vermin": {"seat": Seat, "caravan": Caravan},
    "turn_up": {"item": Kind | Price},
    "pick": {"seat": Seat, "item": Kind | Price},
    "buy": {"seat": Seat, "looks": Literal[1, 2, 3], "gold": Gold},
    "no_buy": {"seat": Seat},
    "take": {"seat": Seat},
    "bought": {"seat": Seat, "event": EventCard, "under": list[EventCard]},
    "auction": {"seat": Seat},
    "bid": {"seat": Seat, "bid": Gold},
    "pass": {"seat": Seat},
    "serve": {"seat": Seat, "bid": Gold, "gold": Gold},
    "act": {"seat": Seat, "action": Action, "gold": Gold, "item": Kind | Count | None},
    "grant": {"seat": Seat},
    "unsold": {"appearance": list[Kind], "status": list[Price]},
    "show_gold": {"gold": list[Gold]},
    "join": {"seat": Seat, "emira": Emira},
    "wait": {"emira": Emira},
    "drop": {"seat": Seat, "item": Kind | Price},
    "abduct": {"seat": Seat, "emira": Emira},
    "gift": {"seat": Seat, "outcome": Literal["paid", "refused", "unable", "gone"]},
    "upkeep": {"seat": Seat, "due": Gold, "gold": Gold},
    "riot": {"seat": Seat, "emiras": list[Emira]},
    "end": {
        "cause": Ending,
        "scores": list[Count],
        "ranks": list[Annotated[int, Meta(ge=1, le=5)]],
        "goals": list[Goal],
    },
}
"""The fields of each event, by type of event."""

SHAPES = Shapes(
    view=View,
    decisions={
        "first_event": (tuple[EventCard],),
        "play": (tuple[Literal["none"]], tuple[EventCard]),
        "place": (tuple[Annotated[int, Meta(ge=0, le=4)]],),
        "mind": (tuple[Mind],),
        "order": (tuple[Place, Place], tuple[Place, Place, Place]),
        "split": (tuple[Round],),
        "good_looking": (tuple[Kind],),
        "caravan": (tuple[Caravan, Left],),
        "vermin": (tuple[Caravan],),
        "vermin_move": (tuple[Left], tuple[Left, Left]),
        "noble": (tuple[Price],),
        "bazaar": (tuple[Kind],),
        "bid": (
            tuple[Literal["pass", "grant"]],
            tuple[Annotated[int, Meta(ge=10, multiple_of=10)]],
        ),
        "action": (tuple[Action],),
        "take_appearance": (tuple[Kind],),
        "take_status": (tuple[Price],),
        "buy": (tuple[Literal[0, 2, 3]],),
        "keep": (tuple[EventCard],),
        "drop_appearance": (tuple[Kind],),
        "drop_status": (tuple[Price],),
        "abduct": (tuple[Emira],),
        "gift": (tuple[Literal["refuse", "pay"]],),
    },
    events=event_shapes(EVENT_FIELDS),
)
