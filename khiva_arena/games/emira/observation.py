"""The view of an Emira position that one seat gets (E40). RULES.md, "The view", lists
the keys.

A view is built new each time from plain lists, so its owner may change it.
"""

from collections.abc import Iterable, Sequence

from khiva_arena.games.base import Plain
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.rules import on_board
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import COLOURS, EVENTS, GOALS, KINDS, NAMES, NOOR, TRACK, XENIA
from khiva_arena.games.emira.values import appearance, discount, palace, room, sets, status, upkeep


def view(pos: Position, seat: int) -> dict[str, Plain]:
    """Return all that ``seat`` knows, as plain values."""
    seats = range(pos.seats)
    goals = GOALS[pos.seats]
    return {
        "seat": seat,
        "seats": pos.seats,
        "round": pos.round,
        "start": pos.start,
        "phase": pos.phase,
        "colours": [COLOURS[colour] for colour in pos.colours],
        "goal": goal_face(goals[pos.goals[seat]]),
        "hand": [EVENTS[card] for card in pos.hands[seat]],
        "hands": [len(hand) for hand in pos.hands],
        "gold": _gold(pos, seat),
        "gold_shown": [list(shown) if shown else None for shown in pos.gold_shown],
        "caravans": [[left[:] for left in own] for own in pos.caravans],
        "camels": pos.camels[:],
        "discount": [TRACK[place] for place in pos.breed],
        "off_bid": [discount(pos, s) for s in seats],
        "appearance": [appearance(pos, s) for s in seats],
        "counters": [own[:] for own in pos.tokens],
        "sets": [sets(pos, s) for s in seats],
        "good_looking": [counts[:] for counts in pos.looks],
        "status": [status(pos, s) for s in seats],
        "status_cards": [own[:] for own in pos.status_cards],
        "palace": [palace(pos, s) for s in seats],
        "sections": pos.sections[:],
        "guests": pos.guests[:],
        "room": [room(pos, s) for s in seats],
        "princesses": [_names(own) for own in pos.princesses],
        "upkeep": [upkeep(pos, s) for s in seats],
        "arrivals": pos.arrivals[:],
        "met": [_names(_bits(mask)) for mask in pos.met],
        "lost": pos.lost[:],
        "xenia": _xenia(pos),
        "xenia_left": pos.xenia_left if pos.xenia_left >= 0 else None,
        "active": _names(pos.active),
        "coming": _names(pos.coming),
        "undecided": _names(pos.undecided),
        "fresh": _names(card for card in pos.undecided if pos.fresh >> card & 1),
        "swapped": _swapped(pos),
        "gone": _names(pos.gone),
        "removed": pos.removed[:],
        "board": {
            "appearance": [KINDS[kind] for kind in pos.shown_tokens],
            "status": pos.shown_status[:],
            "open": on_board(pos),
        },
        "supply": pos.supply[:],
        "bonus_left": pos.bonus_left,
        "bag": pos.bag[:],
        "emira_deck": _deck(pos.emiras, seat, NAMES),
        "emira_turned": pos.turned_places(),
        "status_deck": _deck(pos.status, seat, None),
        "event_deck": _deck(pos.events, seat, EVENTS),
        "effects": _effects(pos),
        "auction": _auction(pos) if pos.auction else None,
        "bids": _bids(pos),
        "settled": _bits(pos.settled),
        "paid": _bits(pos.paid),
        "history": _history(pos, seat),
        "ending": pos.ending,
        "goals": [goal_face(goals[goal]) for goal in pos.goals] if pos.over else None,
        "ask": _ask(pos, seat),
    }


def _names(cards: Iterable[int]) -> list[Plain]:
    return [NAMES[card] for card in cards]


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _gold(pos: Position, seat: int) -> list[Plain]:
    """Return the gold by seat, None where it is hidden from this seat.

    With O3 hidden a seat sees its own gold and that of a sheik with whom Noor lives
    (E31), and at the end everybody's.
    """
    if not pos.ruleset.gold_hidden or pos.over:
        return list(pos.gold)
    return [
        gold if s == seat or NOOR in pos.princesses[s] else None for s, gold in enumerate(pos.gold)
    ]


def _deck(deck: Deck, seat: int, names: Sequence[str] | None) -> list[Plain]:
    """Return a deck, top first: the cards whose place the seat knows, None for the
    others.
    """
    pairs = zip(deck.cards, deck.seen, strict=True)
    return (
        [
            (names[card] if names else card) if seen_by >> seat & 1 else None
            for card, seen_by in pairs
        ]
        if any(deck.seen)
        else [None] * len(deck.cards)
    )


def _swapped(pos: Position) -> list[Plain]:
    """Return the Emiras face up whose preferences are swapped."""
    if not pos.turned:
        return []
    face_up = [
        *pos.active,
        *pos.coming,
        *pos.undecided,
        *(card for own in pos.princesses for card in own),
    ]
    return _names(sorted(card for card in face_up if pos.turned >> card & 1))


def _xenia(pos: Position) -> dict[str, Plain] | None:
    """Return where Xenia lives and when she wants her next gift (E10), None if she
    lives nowhere.
    """
    for seat, court in enumerate(pos.princesses):
        if XENIA in court:
            return {"seat": seat, "due": pos.gift_round, "first": pos.gift_first}
    return None


def _effects(pos: Position) -> dict[str, Plain]:
    """Return the effects of the event cards of this round."""
    return {
        "golden": pos.golden,
        "interrupted": pos.interrupted,
        "sick": pos.sick,
        "quiet": pos.quiet,
        "doubles": pos.doubles,
        "larger": "odd" if pos.early else "even",
        "bazaar": pos.bazaar if pos.bazaar >= 0 else None,
        "noble": pos.noble if pos.noble >= 0 else None,
        "blocked": [EVENTS[card] for card in _bits(pos.blocked)],
    }


def _auction(pos: Position) -> dict[str, Plain]:
    """Return the auction in progress."""
    return {
        "served": _bits(pos.served),
        "bidding": _bits(pos.bidding),
        "bid": pos.bid,
        "bidder": pos.bidder if pos.bidder >= 0 else None,
        "free": pos.first_passer if pos.first_passer >= 0 else None,
        "last": pos.last_server,
    }


def _bids(pos: Position) -> list[list[list[int]]]:
    """Return the auctions of each round, from the first, without the number of the
    round.
    """
    rounds: list[list[list[int]]] = [[] for _ in range(pos.round)]
    for number, *auction in pos.bids:
        rounds[number - 1].append(auction)
    return rounds


def _history(pos: Position, seat: int) -> list[list[Plain]]:
    """Return all that has touched a hidden card, as far as the seat knows of it; lines
    that only another seat saw are left out.
    """
    return [
        [*public, *private] if owner == seat else public[:]
        for public, owner, private in pos.history
        if owner == seat or len(public) > 1
    ]


def _ask(pos: Position, seat: int) -> dict[str, Plain] | None:
    """Return the open question, None if there is none. The cards looked at are shown to
    the asked seat alone.
    """
    offer = pos.offer
    if offer is None:
        return None
    cards = list(offer.cards) if offer.seat == seat else None
    return {"kind": offer.kind, "seat": offer.seat, "about": offer.about, "cards": cards}
