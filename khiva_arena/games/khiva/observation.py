"""The view of a Khiva position that one seat gets.

RULES.md, "The view", lists the keys. A view is built new each time from plain lists, so
its owner may change it.
"""

from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.state import Position
from khiva_arena.games.khiva.tables import (
    CAMELS,
    CARPET_FACE,
    FACE,
    PLACE_FACE,
    SEATS,
    TURNS_PER_DEAL,
)

_card = tuple(face.copy for face in FACE)
_carpet = {code: face.copy for code, face in CARPET_FACE.items()}
"""Functions that make a new list of a face, by code of a carpet and by card. A view
consists mostly of faces.
"""
_leftwards = {
    (seats, seat): [*range(seat + 1, seats), *range(seat)]
    for seats in SEATS
    for seat in range(seats)
}
"""The other seats, the left neighbour first, by number of seats and seat."""


def view(pos: Position, seat: int) -> dict[str, Plain]:
    """Return all that ``seat`` knows, as plain values (K22)."""
    return {**public(pos), **private(pos, seat)}


def public(pos: Position) -> dict[str, Plain]:
    """Return the facts that all seats know, in the order of the view, with None in the
    keys that ``private`` has.
    """
    return {
        "seat": None,
        "seats": pos.seats,
        "turn": pos.turn,
        "deal": pos.deal,
        "hand": None,
        "hands": list(map(len, pos.hands)),
        "table": _table(pos),
        "discard": [_card[card]() for card in pos.discard],
        "shown": [_card[card]() for card in pos.shown],
        "aside": len(pos.aside),
        "passed": None,
        "history": None,
        "camels": [
            [*PLACE_FACE[place], load] for place, load in zip(pos.camels, pos.loads, strict=True)
        ],
        "gems": pos.gems[:],
        "carpets": [[_carpet[code]() for code in held] if held else [] for held in pos.carpets],
        "delivered": [[_carpet[code]() for code in held] if held else [] for held in pos.delivered],
        "teapots": list(map(list, pos.teapots)),
        "salts": list(map(list, pos.salts)),
        "teapots_left": sorted(pos.teapot_pile),
        "carpets_left": [_carpet[code]() for code in sorted(pos.carpet_pile)],
        "carpet_top": pos.carpet_pile[-1] // 10
        if pos.ruleset.top_visible and pos.carpet_pile
        else None,
        "salts_left": pos.salt_pile[::-1],
        "gems_left": pos.supply,
        "ending": pos.ending,
        "ask": _ask(pos) if pos.offer else None,
    }


def private(pos: Position, seat: int) -> dict[str, Plain]:
    """Return the cards that ``seat`` holds, the cards that it passed and the cards that
    it received.
    """
    return {
        "seat": seat,
        "hand": [_card[card]() for card in pos.hands[seat]],
        "passed": _passed(pos, seat) if pos.away[seat] else [],
        "history": {
            "played": pos.played[:],
            "passed": pos.passes[seat][:],
            "received": pos.passes[seat - 1][:],
        },
    }


def _table(pos: Position) -> list[list[Plain]]:
    """Return the revealed cards not yet discarded, by seat: in activation order, within
    a colour value downwards.
    """
    table: list[list[Plain]] = [[] for _ in range(pos.seats)]
    if pos.camel < len(CAMELS):
        for bids in pos.bids:
            for card, seat in bids:
                table[seat].append(_card[card]())
    return table


def _ask(pos: Position) -> dict[str, Plain]:
    """Return the open question of the activation phase, which is public."""
    offer = pos.offer
    assert offer is not None
    return {
        "kind": offer.kind,
        "seat": offer.seat,
        "camel": pos.camel,
        "card": _card[offer.card](),
        "lands": [PLACE_FACE[place][:] for place in offer.lands],
    }


def _passed(pos: Position, seat: int) -> list[list[Plain]]:
    """Return the cards that ``seat`` passed and has not seen since, each with its turn
    and the seats that may hold it.

    A card moves at most one seat a turn, and not in the turn of its pass. On the last
    turn of a deal each card held before is played or passed, so one not seen has moved.
    Had it come round to ``seat``, it would have been seen.
    """
    seats, per_deal = pos.seats, TURNS_PER_DEAL[pos.seats]
    done = pos.turn if pos.camel < len(CAMELS) or pos.over else pos.turn - 1
    deals, leftwards = done // per_deal, _leftwards[seats, seat]
    return [
        [turn, _card[card](), leftwards[deals - turn // per_deal : done - turn + 1]]
        for card, turn in pos.away[seat].items()
    ]
