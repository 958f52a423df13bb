"""The view of a Silk Road position that one seat gets (S19). RULES.md, "The view",
lists the keys.

A view is built new each time from plain lists, so its owner may change it. Only hands
and the order of the pile are hidden; ``history`` has all that bears on them.
"""

from collections.abc import Callable

from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.state import GONE, Position
from khiva_arena.games.silk_road.tables import COLOURS, CUSTOMS_LIMIT, PER_GOOD, SIZES, TILES


def view(pos: Position, seat: int) -> dict[str, Plain]:
    """Return all that ``seat`` knows, as plain values."""
    board = pos.ruleset.board
    names, first = board.names, board.cities
    capped = pos.ruleset.capped
    return {
        "seat": seat,
        "seats": pos.seats,
        "turn": pos.turn,
        "active": pos.active,
        "hand": pos.hands[seat][:],
        "hands": [sum(hand) for hand in pos.hands],
        "known": [
            (pos.hands if other == seat else pos.known)[other][:] for other in range(pos.seats)
        ],
        "displays": [display[:] for display in pos.displays],
        "open": pos.open[:],
        "pile": len(pos.pile),
        "pool": [held - own for held, own in zip(pos.pool, pos.fresh[seat], strict=True)],
        "unseen": _unseen(pos, seat),
        "discard": pos.discard[:],
        "history": {
            "cards": pos.traffic[:],
            "drawn": pos.drawn[seat][:],
            "shuffles": [counts[:] for counts in pos.shuffles],
        },
        "caravans": [_caravan(pos, i) for i in range(len(SIZES))],
        "queue": pos.queue[:],
        "tiles": dict(zip(names[first:], [TILES[tile] for tile in pos.tiles], strict=True)),
        "cities": {names[city]: jewels[:] for city, jewels in enumerate(pos.cities) if jewels},
        "bag": [pos.bag.count(colour) for colour in range(len(COLOURS))],
        "removed": pos.removed[:],
        "jewels": [jewels[:] for jewels in pos.jewels],
        "colourless": pos.colourless[:],
        "markers": pos.markers[:],
        "colourless_left": pos.colourless_left() if capped else None,
        "markers_left": pos.markers_left() if capped else None,
        "drivers": pos.drivers[:],
        "played": _played(pos),
        "idle": pos.idle,
        "ending": pos.ending,
        "ask": _ask(pos) if pos.asked else None,
    }


def _unseen(pos: Position, seat: int) -> list[int]:
    """Return by good how many cards in the pile and in hands this seat cannot name; it
    does not know which of the two.
    """
    seen = [
        *pos.displays,
        pos.open,
        *(pos.known[other] for other in range(pos.seats) if other != seat),
        pos.hands[seat],
    ]
    return [
        PER_GOOD - sum(held) - pos.discard.count(good)
        for good, held in enumerate(zip(*seen, strict=True))
    ]


def _caravan(pos: Position, i: int) -> list[Plain] | None:
    place = pos.places[i]
    if place == GONE:
        return None
    names = pos.ruleset.board.names
    return [names[place], names[pos.targets[i]], pos.camels[i][:]]


def _played(pos: Position) -> list[Plain] | None:
    if pos.played is None:
        return None
    good, count, size, start = pos.played
    return [good, count, size, pos.ruleset.board.names[start]]


# --- the open question; all of it is public ---


def _ask(pos: Position) -> dict[str, Plain]:
    ((seat, decision),) = pos.asked.items()
    about = _ABOUT.get(decision.kind)
    return {"kind": decision.kind, "seat": seat, **(about(pos, seat) if about else {})}


def _seats(bits: int) -> list[int]:
    return [seat for seat in range(bits.bit_length()) if bits >> seat & 1]


_ABOUT: dict[str, Callable[[Position, int], dict[str, Plain]]] = {
    "draw": lambda pos, seat: {"why": pos.doing[1], "more": pos.tasks[-1][0] == "draw"},
    "customs": lambda pos, seat: {"left": sum(pos.hands[seat]) - CUSTOMS_LIMIT},
    "robber": lambda pos, seat: {"robbed": _seats(pos.robbed)},
    "bazaar": lambda pos, seat: {"named": list(pos.doing[1:])},
    "pay": lambda pos, seat: {"taken": pos.doing[1]},
    "sell": lambda pos, seat: {**_of_market(pos), "declined": _seats(pos.doing[4])},
    "jewel": lambda pos, seat: _of_market(pos),
    "lay_out": lambda pos, seat: {"good": pos.doing[2]},
}
"""The facts of an open question beside its kind and the asked seat, by kind."""


def _of_market(pos: Position) -> dict[str, Plain]:
    return dict(zip(("market", "size", "camel"), pos.doing[1:4], strict=True))
