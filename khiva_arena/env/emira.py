"""The coding of Emira as numbers. docs/trainers.md explains them."""

from collections.abc import Mapping
from itertools import combinations_with_replacement, permutations
from typing import Any

from khiva_arena.env.coding import Coding
from khiva_arena.env.fields import (
    Field,
    always,
    counts,
    deck,
    each,
    listed,
    maybe,
    number,
    one_of,
    ranked,
    record,
    row,
    some_of,
    switch,
)
from khiva_arena.games.checked_match import MOST_STEPS
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.tables import (
    ACTIONS,
    BONUS_COUNTERS,
    CARAVAN_LENGTH,
    CARAVANS,
    COLOURS,
    COPIES,
    EVENTS,
    GIFT,
    GOALS,
    KINDS,
    MOST_BIDS,
    NAMES,
    STATUS_CARDS,
    STEP,
    SUPPLY,
    TRACK,
)

VERSION = 2
MOST_GOLD = 1_000_000
MOST_COUNTERS = 60
MOST_HALVES = 200
"""The bound of the palace value, in halves, either way."""
MOST_CARDS = 3
"""The number of cards that a seat looks at, at most."""
PHASES = ("setup", "events", "income", "prepare", "auction", "buy", "choice", "upkeep", "over")
PRICES = tuple(sorted(set(STATUS_CARDS)))
LEFT = range(1, max(CARAVAN_LENGTH) + 1)
ITEMS = ("small", "large", "camel", "palace")
HALVES = ("odd", "even")
_EACH_CARAVAN: list[list[Any]] = [[kind, left] for kind in CARAVANS for left in LEFT]
ENTRIES: dict[str, list[list[Any]]] = {
    "first_event": [[card] for card in EVENTS],
    "play": [[card] for card in ("none", *EVENTS)],
    "place": [[place] for place in range(5)],
    "mind": [[word] for word in ("keep", "swap", "bottom")],
    "order": [list(order) for count in (2, 3) for order in permutations(range(count))],
    "split": [[half] for half in HALVES],
    "good_looking": [[kind] for kind in KINDS],
    "caravan": _EACH_CARAVAN,
    "vermin": [[kind] for kind in CARAVANS],
    "vermin_move": [
        list(left) for count in (1, 2) for left in combinations_with_replacement(LEFT, count)
    ],
    "noble": [[price] for price in PRICES],
    "bazaar": [[kind] for kind in KINDS],
    "bid": [["pass"], ["grant"], *([raised] for raised in range(MOST_BIDS))],
    "action": [[action] for action in ACTIONS],
    "take_appearance": [[kind] for kind in KINDS],
    "take_status": [[price] for price in PRICES],
    "buy": [[looks] for looks in (0, 2, 3)],
    "keep": [[card] for card in EVENTS],
    "drop_appearance": [[kind] for kind in KINDS],
    "drop_status": [[price] for price in PRICES],
    "abduct": [[name] for name in NAMES],
    "gift": [["refuse"], ["pay"]],
}
"""The entries of ``legal``, by kind of decision. A bid counts the steps of 10 above the
least bid.
"""
ABOUT = ("emiras", "status", *EVENTS, *CARAVANS, *range(5), GIFT)
"""The subjects that a question can have."""


def coding(seats: int, rules: Mapping[str, Any]) -> Coding:
    """Build the coding for a seat count under a complete rules map."""
    rounds = number(rules["max_rounds"])
    seat, some_seats, gold = one_of(range(seats)), some_of(range(seats)), number(MOST_GOLD)
    cards = EVENTS * COPIES
    goal = one_of([goal_face(goal) for goal in GOALS[seats]])
    counters = row(*(number(MOST_COUNTERS) for _ in KINDS))
    emiras = ranked(NAMES)
    small, large, camels, sections = SUPPLY[seats]

    def by_seat(kind: Field) -> Field:
        return each(seats, kind)

    keys = {
        "seat": seat,
        "seats": always(seats),
        "round": rounds,
        "start": seat,
        "phase": one_of(PHASES),
        "colours": by_seat(one_of(COLOURS)),
        "goal": goal,
        "hand": ranked(cards),
        "hands": by_seat(number(len(cards))),
        "gold": by_seat(maybe(gold)),
        "gold_shown": by_seat(maybe(row(rounds, gold))),
        "caravans": by_seat(each(len(CARAVANS), counts(LEFT, max(small, large)))),
        "camels": by_seat(number(camels)),
        "discount": by_seat(number(TRACK[-1])),
        "off_bid": by_seat(number(TRACK[-1] * camels)),
        "appearance": by_seat(number(MOST_COUNTERS)),
        "counters": by_seat(counters),
        "sets": by_seat(number(MOST_COUNTERS)),
        "good_looking": by_seat(listed(COPIES, range(MOST_COUNTERS))),
        "status": by_seat(number(MOST_COUNTERS)),
        "status_cards": by_seat(ranked(STATUS_CARDS)),
        "palace": by_seat(number(MOST_HALVES, least=-MOST_HALVES)),
        "sections": by_seat(number(sections)),
        "guests": by_seat(number(COPIES)),
        "room": by_seat(number(MOST_COUNTERS, least=-MOST_COUNTERS)),
        "princesses": by_seat(emiras),
        "upkeep": by_seat(gold),
        "arrivals": by_seat(number(len(NAMES))),
        "met": by_seat(some_of(NAMES)),
        "lost": by_seat(number(rules["max_rounds"] + 1)),  # a round that may not come any more
        "xenia": maybe(
            record({"seat": seat, "due": number(2 * rules["max_rounds"] + 3), "first": switch()})
        ),
        "xenia_left": seat,
        "active": emiras,
        "coming": emiras,
        "undecided": emiras,
        "fresh": emiras,
        "swapped": emiras,
        "gone": emiras,
        "removed": ranked(STATUS_CARDS),
        "board": record(
            {"appearance": listed(2, KINDS), "status": listed(2, PRICES), "open": some_of(ITEMS)}
        ),
        "supply": row(number(small), number(large), number(camels), number(sections)),
        "bonus_left": maybe(number(BONUS_COUNTERS)),
        "bag": counters,
        "emira_deck": deck(NAMES),
        "emira_turned": some_of(range(len(NAMES))),
        "status_deck": deck(STATUS_CARDS),
        "event_deck": deck(cards),
        "effects": record(
            {
                "golden": number(COPIES),
                "interrupted": switch(),
                "sick": switch(),
                "quiet": switch(),
                "doubles": number(COPIES),
                "larger": one_of(HALVES),
                "bazaar": seat,
                "noble": seat,
                "blocked": some_of(EVENTS),
            }
        ),
        "auction": maybe(
            record(
                {
                    "served": some_seats,
                    "bidding": some_seats,
                    "bid": gold,
                    "bidder": seat,
                    "free": seat,
                    "last": seat,
                }
            )
        ),
        "settled": some_seats,
        "paid": some_seats,
        "ending": one_of(("goal", "rounds")),
        "goals": maybe(by_seat(goal)),
        "ask": maybe(
            record(
                {
                    "kind": one_of(list(ENTRIES)),
                    "seat": seat,
                    "about": one_of(ABOUT),
                    "cards": maybe(listed(MOST_CARDS, (*EVENTS, *NAMES, *PRICES))),
                }
            )
        ),
    }
    return Coding(
        VERSION, keys, ENTRIES, MOST_STEPS, left_out=("bids", "history"), rising={"bid": STEP}
    )
