"""What one seat knows of a Khiva position, and positions that a seat's knowledge allows.

RULES.md, "The view", lists the keys. A view is built new each time from plain lists, so its owner may change it.
"""

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from khiva_arena.errors import InternalError
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.dealing import shuffled
from khiva_arena.games.khiva.knowledge import Seen, placings
from khiva_arena.games.khiva.rules import question
from khiva_arena.games.khiva.state import Offer, Position
from khiva_arena.games.khiva.tables import (
    ASK_PLAY_PASS,
    CAMELS,
    CARD_OF,
    CARPET_FACE,
    CODE,
    COLOUR,
    FACE,
    KEPT,
    PLACE_FACE,
    SEATS,
    TENT,
    TURNS_PER_DEAL,
)
from khiva_arena.games.khiva.variants import Ruleset
from khiva_arena.rng import Stream

P = TypeVar("P", bound=Position)
_card = tuple(face.copy for face in FACE)
_carpet = {code: face.copy for code, face in CARPET_FACE.items()}
"""By card, and by code of a carpet: what makes a new list of its face. A view is mostly made of those."""
_leftwards = {(seats, seat): [*range(seat + 1, seats), *range(seat)] for seats in SEATS for seat in range(seats)}
"""By seats and seat: the other seats, the left neighbour first."""
_placings = lru_cache(maxsize=16)(placings)
"""A bot that searches makes many positions of one view."""


def view(pos: Position, seat: int) -> dict[str, Plain]:
    """All that ``seat`` knows, as plain values (K22)."""
    return {**public(pos), **private(pos, seat)}


def public(pos: Position) -> dict[str, Plain]:
    """What all seats know, in the order of the view; None in the keys that ``private`` has."""
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
        "camels": [[*PLACE_FACE[place], load] for place, load in zip(pos.camels, pos.loads, strict=True)],
        "gems": pos.gems[:],
        "carpets": [[_carpet[code]() for code in held] if held else [] for held in pos.carpets],
        "delivered": [[_carpet[code]() for code in held] if held else [] for held in pos.delivered],
        "teapots": list(map(list, pos.teapots)),
        "salts": list(map(list, pos.salts)),
        "teapots_left": sorted(pos.teapot_pile),
        "carpets_left": [_carpet[code]() for code in sorted(pos.carpet_pile)],
        "carpet_top": pos.carpet_pile[-1] // 10 if pos.ruleset.top_visible and pos.carpet_pile else None,
        "salts_left": pos.salt_pile[::-1],
        "gems_left": pos.supply,
        "ending": pos.ending,
        "ask": _ask(pos) if pos.offer else None,
    }


def private(pos: Position, seat: int) -> dict[str, Plain]:
    """What ``seat`` holds, what it passed and what it received."""
    return {
        "seat": seat,
        "hand": [_card[card]() for card in pos.hands[seat]],
        "passed": _passed(pos, seat) if pos.away[seat] else [],
        "history": {"played": pos.played[:], "passed": pos.passes[seat][:], "received": pos.passes[seat - 1][:]},
    }


def _table(pos: Position) -> list[list[Plain]]:
    """By seat: revealed cards not yet discarded, in activation order, in it value downwards."""
    table: list[list[Plain]] = [[] for _ in range(pos.seats)]
    if pos.camel < len(CAMELS):
        for bids in pos.bids:
            for card, seat in bids:
                table[seat].append(_card[card]())
    return table


def _ask(pos: Position) -> dict[str, Plain]:
    """The open question of the activation phase; it is public."""
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
    """Cards that ``seat`` passed and has not seen since, each with its turn and the seats that may hold it.

    A card moves at most one seat a turn, and not in the turn of its pass. On the last turn of a deal each card held before
    is played or passed, so one not seen has moved. Had it come round to ``seat``, it would have been seen.
    """
    seats, per_deal = pos.seats, TURNS_PER_DEAL[pos.seats]
    done = pos.turn if pos.camel < len(CAMELS) or pos.over else pos.turn - 1
    deals, leftwards = done // per_deal, _leftwards[seats, seat]
    return [[turn, _card[card](), leftwards[deals - turn // per_deal : done - turn + 1]] for card, turn in pos.away[seat].items()]


# --- a position that the view allows ---


def determinise(view: Mapping[str, Plain], ruleset: Ruleset, stream: Stream, make: Callable[[int, Ruleset, bytes], P]) -> P:
    """A position in which the seat of ``view`` would have exactly this view; what it cannot know is drawn from ``stream``.

    Every way in which the cards can have been dealt and passed is equally likely (see ``knowledge.py``), as is every order of the
    piles; all later chance is new. What other seats remember is unknown (history 0) except the cards exchanged with the seat.
    ``view`` must come from a match with these rules that is not over. Raises InternalError when it fits no position.
    """
    seats = view["seats"]
    secret = b"".join(stream.u64().to_bytes(8, "big") for _ in range(4))
    pos = make(seats, ruleset, secret)
    pos.turn, pos.deal, pos.ending = view["turn"], view["deal"], view["ending"]
    pos.shown, pos.discard = _cards(view["shown"]), _cards(view["discard"])
    pos.camels = [TENT if shop == 0 else 6 * path + shop for path, shop, _ in view["camels"]]
    pos.loads = [load for _, _, load in view["camels"]]
    pos.gems, pos.supply = list(view["gems"]), view["gems_left"]
    pos.carpets = [_codes(held) for held in view["carpets"]]
    pos.delivered = [_codes(held) for held in view["delivered"]]
    pos.teapots = [list(won) for won in view["teapots"]]
    pos.salts = [list(bags) for bags in view["salts"]]
    pos.salt_pile = list(reversed(view["salts_left"]))
    _build_piles(pos, view, stream)
    _recall(pos, view)
    _place_cards(pos, view, stream)
    _reopen(pos, view)
    return pos


def _cards(faces: Sequence[Sequence[int]]) -> list[int]:
    return [CARD_OF[10 * colour + value] for colour, value in faces]


def _codes(faces: Sequence[Sequence[int]]) -> list[int]:
    return [10 * colour + value for colour, value in faces]


def _build_piles(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """Hidden piles in a new order; a visible top carpet keeps its colour (O7)."""
    pos.teapot_pile = shuffled(stream, view["teapots_left"])
    pile = pos.carpet_pile = shuffled(stream, _codes(view["carpets_left"]))
    if view["carpet_top"] is not None:
        top = next(i for i, code in enumerate(pile) if code // 10 == view["carpet_top"])
        pile[top], pile[-1] = pile[-1], pile[top]


def _recall(pos: Position, view: Mapping[str, Plain]) -> None:
    """What was public, and what the seat and its neighbours passed each other."""
    seat, seats, k = view["seat"], view["seats"], KEPT[view["seats"]]
    history = view["history"]
    pos.played = list(history["played"])
    unknown = len(history["passed"])
    pos.passes = [[0] * unknown for _ in range(seats)]
    pos.passes[seat] = list(history["passed"])
    pos.passes[seat - 1] = list(history["received"])
    pos.away[seat] = {CARD_OF[10 * c + v]: turn for turn, (c, v), _ in view["passed"]}
    held = set(_cards(view["hand"]))
    last_kept = (view["deal"] - 1) * TURNS_PER_DEAL[seats]
    for i, code in enumerate(history["received"]):
        turn = 1 + i // k
        if turn >= last_kept and CARD_OF[code] in held:  # then the giver knows it, too
            pos.away[seat - 1][CARD_OF[code]] = turn


def _place_cards(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """The seat's own hand and the cards on the table unchanged; all other cards into the free places."""
    seat = view["seat"]
    pos.hands[seat] = _cards(view["hand"])
    for other, faces in enumerate(view["table"]):
        for card in _cards(faces):
            pos.bids[COLOUR[card]].append((card, other))
    totals, found = _placings(_seen(view))
    if not found:
        raise InternalError("this view leaves no place for the cards that its seat passed")
    placed = found[bisect(totals, stream.below(totals[-1]))]
    seen = {*pos.hands[seat], *pos.discard, *pos.shown, *(card for bids in pos.bids for card, _ in bids)}
    seen.update(card for card, _ in placed)
    for card, row in placed:
        pos.hands[(seat + 1 + row) % pos.seats].append(card)
    hidden = shuffled(stream, [card for card in range(len(CODE)) if card not in seen])
    free = [size - len(hand) for size, hand in zip(view["hands"], pos.hands, strict=True)]
    if sum(free) + view["aside"] != len(hidden):
        raise InternalError(f"this view has {len(hidden)} hidden cards for {sum(free) + view['aside']} places")
    for hand, count in zip(pos.hands, free, strict=True):
        hand += [hidden.pop() for _ in range(count)]
        hand.sort()
    pos.aside = hidden


def _seen(view: Mapping[str, Plain]) -> Seen:
    """What a seat has seen of the cards, turn by turn."""
    history, each = view["history"], KEPT[view["seats"]]

    def by_turn(codes: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(CARD_OF[code] for code in codes[i : i + count]) for i in range(0, len(codes), count))

    played, passed, received = by_turn(history["played"], each * view["seats"]), history["passed"], history["received"]
    hand = tuple(_cards(view["hand"]))
    return Seen(view["seats"], view["seat"], view["deal"], hand, played, by_turn(passed, each), by_turn(received, each))


def _reopen(pos: Position, view: Mapping[str, Plain]) -> None:
    """The question that was open."""
    ask = view["ask"]
    if ask is None:
        pos.asked = ASK_PLAY_PASS[pos.seats, len(pos.hands[0])]
        return
    (card,) = _cards([ask["card"]])
    lands = tuple(TENT if shop == 0 else 6 * path + shop for path, shop in ask["lands"])
    pos.offer = Offer(ask["kind"], ask["seat"], card, lands)
    pos.camel = ask["camel"]
    pos.winners = _winners(pos)
    pos.asked = question(pos, pos.offer)


def _winners(pos: Position) -> int:
    """Bit mask of the seats that won a camel this turn, up to the one being activated."""
    k = KEPT[pos.seats]
    revealed = pos.played[-pos.seats * k :]
    best: dict[int, tuple[int, int]] = {}
    for i, code in enumerate(revealed):
        camel, value = divmod(code, 10)
        if camel <= pos.camel:
            best[camel] = min(best.get(camel, (9, 0)), (value, i // k))
    return sum(1 << seat for seat in {seat for _, seat in best.values()})
