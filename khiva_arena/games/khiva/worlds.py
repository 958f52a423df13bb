"""Positions that a seat's view allows, for bots that search (RULES.md, "The view")."""

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from khiva_arena.errors import InternalError, OtherSeat
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.dealing import shuffle
from khiva_arena.games.khiva.knowledge import Seen, placings
from khiva_arena.games.khiva.rules import question
from khiva_arena.games.khiva.state import Offer, Position
from khiva_arena.games.khiva.tables import (
    ASK_PLAY_PASS,
    CARD_OF,
    CODE,
    COLOUR,
    KEPT,
    TENT,
    TURNS_PER_DEAL,
)
from khiva_arena.games.khiva.variants import Ruleset
from khiva_arena.rng import Stream

P = TypeVar("P", bound=Position)
_placings = lru_cache(maxsize=16)(placings)
"""A cache of ``placings``: a bot that searches makes many positions of one view."""


def determinise(
    view: Mapping[str, Plain],
    ruleset: Ruleset,
    stream: Stream,
    make: Callable[[int, Ruleset, bytes], P],
) -> P:
    """Return a position in which the seat of ``view`` has exactly this view; unknown
    facts are drawn from ``stream``.

    view: from a match with these rules that is not over.
    make: makes an empty position.

    Every way in which the cards can have been dealt and passed is equally likely (see
    ``knowledge.py``), as is every order of the piles; all later chance is new. The
    memory of other seats is unknown (history 0) except for the cards exchanged with the
    seat. So a view of another seat in a world makes none: raises OtherSeat for it,
    InternalError if the view fits no position.
    """
    seats, history = view["seats"], view["history"]
    if 0 in history["passed"] or 0 in history["received"]:
        raise OtherSeat
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
    """Build the hidden piles in a new order; a visible top carpet keeps its colour
    (O7).
    """
    pos.teapot_pile = shuffle(stream, view["teapots_left"])
    pile = pos.carpet_pile = shuffle(stream, _codes(view["carpets_left"]))
    if view["carpet_top"] is not None:
        top = next(i for i, code in enumerate(pile) if code // 10 == view["carpet_top"])
        pile[top], pile[-1] = pile[-1], pile[top]


def _recall(pos: Position, view: Mapping[str, Plain]) -> None:
    """Restore the public cards, and the cards that the seat and its neighbours passed
    each other.
    """
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
        turn, card = 1 + i // k, CARD_OF[code]
        if turn >= last_kept and card in held:  # then the giver knows it, too
            pos.away[seat - 1].pop(card, None)  # a card that came twice stands where it came last
            pos.away[seat - 1][card] = turn


def _place_cards(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """Place the seat's own hand and the cards on the table unchanged, and all other
    cards into the free places.
    """
    seat = view["seat"]
    pos.hands[seat] = _cards(view["hand"])
    for seat_of_table, faces in enumerate(view["table"]):
        for card in _cards(faces):
            pos.bids[COLOUR[card]].append((card, seat_of_table))
    totals, choices = _placings(_seen(view))
    if not choices:
        raise InternalError("this view leaves no place for the cards that its seat passed")
    placing = choices[bisect(totals, stream.below(totals[-1]))]
    cards_seen = {
        *pos.hands[seat],
        *pos.discard,
        *pos.shown,
        *(card for bids in pos.bids for card, _ in bids),
    }
    cards_seen.update(card for card, _ in placing)
    for card, row in placing:
        pos.hands[(seat + 1 + row) % pos.seats].append(card)
    hidden = shuffle(stream, [card for card in range(len(CODE)) if card not in cards_seen])
    free = [size - len(hand) for size, hand in zip(view["hands"], pos.hands, strict=True)]
    if sum(free) + view["aside"] != len(hidden):
        raise InternalError(
            f"this view has {len(hidden)} hidden cards for {sum(free) + view['aside']} places"
        )
    for hand, count in zip(pos.hands, free, strict=True):
        hand += [hidden.pop() for _ in range(count)]
        hand.sort()
    pos.aside = hidden


def _seen(view: Mapping[str, Plain]) -> Seen:
    """Return the cards as the seat has seen them, turn by turn."""
    history, hand_size = view["history"], KEPT[view["seats"]]

    def by_turn(codes: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(CARD_OF[code] for code in codes[i : i + count])
            for i in range(0, len(codes), count)
        )

    played, passed, received = (
        by_turn(history["played"], hand_size * view["seats"]),
        history["passed"],
        history["received"],
    )
    hand = tuple(_cards(view["hand"]))
    return Seen(
        view["seats"],
        view["seat"],
        view["deal"],
        hand,
        played,
        by_turn(passed, hand_size),
        by_turn(received, hand_size),
    )


def _reopen(pos: Position, view: Mapping[str, Plain]) -> None:
    """Reopen the question that was open."""
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
    """Return the bit mask of the seats that won a camel this turn, up to the camel
    being activated.
    """
    k = KEPT[pos.seats]
    revealed = pos.played[-pos.seats * k :]
    best: dict[int, tuple[int, int]] = {}
    for i, code in enumerate(revealed):
        camel, value = divmod(code, 10)
        if camel <= pos.camel:
            best[camel] = min(best.get(camel, (9, 0)), (value, i // k))
    return sum(1 << seat for seat in {seat for _, seat in best.values()})
