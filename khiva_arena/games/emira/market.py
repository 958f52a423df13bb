"""Phases 3 and 5: a status card and a counter on the board; event cards to buy (E20,
E24, E35).
"""

from bisect import insort
from collections.abc import Callable

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import dealing, events, questions
from khiva_arena.games.emira.courtship import recheck
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, ask, clockwise, note
from khiva_arena.games.emira.tables import (
    EVENT_OF,
    EVENT_PRICE,
    EVENTS,
    KINDS,
    ZAINAB,
    ZAINAB_PRICE,
)

# --- phase 3 ---


def show_status(pos: Position, log: Log) -> None:
    """Show the top status card (E20); Noble Merchandise chooses instead (E35), or
    besides (O8 extra).
    """
    chooser = pos.noble
    if pos.status.cards and (chooser < 0 or pos.ruleset.extra):
        card = pos.status.draw()
        pos.shown_status.append(card)
        log.append(events.turn_up(card))
        note(pos, "status", card)
    if chooser >= 0 and pos.status.cards:
        _ask_noble(pos, log, chooser)


def _ask_noble(pos: Position, log: Log, chooser: int) -> None:
    cards = tuple(sorted(set(pos.status.cards)))
    if len(cards) > 1:
        ask(pos, questions.numbers("noble", cards), chooser, _answer_noble)
    else:
        _answer_noble(pos, log, chooser, [cards[0]])


def _answer_noble(pos: Position, log: Log, seat: int, entry: list[int]) -> None:
    (card,) = entry
    pos.status.cards.remove(card)
    pos.shown_status.append(card)
    pos.status_shuffles += 1
    pos.status = Deck(dealing.reshuffled_status(pos.secret, pos.status_shuffles, pos.status.cards))
    log.append(events.pick(seat, card))
    note(pos, "noble", seat, card)


def show_appearance(pos: Position, log: Log) -> None:
    """Show a counter out of the bag (E20); Bazaar chooses instead (E35), or besides (O8
    extra).
    """
    chooser = pos.bazaar
    if any(pos.bag) and (chooser < 0 or pos.ruleset.extra):
        kind = dealing.appearance(pos.secret, pos.round, pos.bag)
        _put_token(pos, kind)
        log.append(events.turn_up(KINDS[kind]))
    if chooser >= 0 and any(pos.bag):
        _ask_bazaar(pos, log, chooser)


def _ask_bazaar(pos: Position, log: Log, chooser: int) -> None:
    kinds = tuple(kind for kind in range(len(KINDS)) if pos.bag[kind])
    if len(kinds) > 1:
        ask(pos, questions.kinds("bazaar", kinds), chooser, _answer_bazaar)
    else:
        _answer_bazaar(pos, log, chooser, [KINDS[kinds[0]]])


def _answer_bazaar(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    _put_token(pos, KINDS.index(entry[0]))
    log.append(events.pick(seat, entry[0]))


def _put_token(pos: Position, kind: int) -> None:
    pos.bag[kind] -= 1
    pos.shown_tokens.append(kind)


# --- phase 5 ---


def buy_turn(pos: Position, log: Log, offset: int) -> None:
    """Let the next seat look at two or three event cards and keep one (E24)."""
    if offset == pos.seats:
        return
    pos.todo.append((buy_turn, offset + 1))
    seat = clockwise(pos, offset)
    price = _event_price(pos, seat)
    if not pos.events.cards or pos.gold[seat] < price[2] or pos.lost[seat] == pos.round:
        return
    three = pos.gold[seat] >= price[3] and len(pos.events.cards) > 2
    ask(pos, questions.buy(3 if three else 2), seat, _answer_buy)


def _event_price(pos: Position, seat: int) -> dict[int, int]:
    return ZAINAB_PRICE if ZAINAB in pos.princesses[seat] else EVENT_PRICE


def _answer_buy(pos: Position, log: Log, seat: int, entry: list[int]) -> None:
    (looks,) = entry
    if not looks:
        log.append(events.no_buy(seat))
        return
    price = _event_price(pos, seat)[looks]
    pos.gold[seat] -= price
    looks = min(looks, len(pos.events.cards))
    log.append(events.buy(seat, looks, price))
    pos.todo.append((recheck,))
    _look(pos, log, seat, looks)


def _look(pos: Position, log: Log, seat: int, looks: int) -> None:
    cards = [pos.events.look(place, seat) for place in range(looks)]
    faces = tuple(EVENTS[card] for card in cards)
    log.append(events.look(seat, "events", faces))
    options = tuple(sorted(set(cards)))
    if len(options) > 1:
        ask(pos, questions.events("keep", options), seat, _answer_keep, looks, cards=faces)
    else:
        _answer_keep(pos, log, seat, [EVENTS[options[0]]], looks)


def _answer_keep(pos: Position, log: Log, seat: int, entry: list[str], looks: int) -> None:
    """Put the other cards under the deck in the order they lay; only the buyer knows
    them there.
    """
    kept = EVENT_OF[entry[0]]
    cards = [pos.events.draw() for _ in range(looks)]
    cards.remove(kept)
    for card in cards:
        pos.events.put_under(card, 1 << seat)
    insort(pos.hands[seat], kept)
    log.append(events.take(seat))
    log.append(events.bought(seat, kept, cards))
    note(
        pos,
        "buy",
        seat,
        looks,
        seat=seat,
        private=(EVENTS[kept], *(EVENTS[card] for card in cards)),
    )


ASK_AGAIN: dict[str, Callable[[Position, Log, int, Plain], None]] = {
    "noble": lambda pos, log, seat, about: _ask_noble(pos, log, seat),
    "bazaar": lambda pos, log, seat, about: _ask_bazaar(pos, log, seat),
    "keep": lambda pos, log, seat, about: _look(pos, log, seat, about),
}
"""Functions that open a question again in a position made of a view, by kind of
decision; each gets how many cards are looked at.
"""
