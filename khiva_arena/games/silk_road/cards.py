"""Moves of goods cards between the hands, the displays, the open cards, the pile and
the discard pile (S5, S16).

Each function keeps the memory of the seats with it: ``known``, ``drawn``, ``fresh``,
``pool``, ``shuffles`` and ``traffic``.

Codes of ``traffic``: 20 * seat + good: the seat took that open card; + 5 + good: it
gave such a card out of its hand, for all to see; + 10: it drew from the pile. 100 +
good: that card came from the pile for all to see. 105: a reshuffle.
"""

from khiva_arena.games.base import Event, Plain
from khiva_arena.games.silk_road import dealing, events
from khiva_arena.games.silk_road.state import Position, Task
from khiva_arena.games.silk_road.tables import GOODS, Menu

SEAT_CODES = 20
GIVEN, BLIND = 5, 10
TURNED_UP, RESHUFFLE = 100, 105


def ask(pos: Position, task: Task, seat: int, menu: Menu) -> list[Plain] | None:
    """Ask a seat, and return None; or, if there is one entry, return that entry
    unasked.
    """
    if len(menu.entries) == 1:
        return menu.entries[0]
    pos.asked = menu.asked[seat]
    pos.doing = task
    return None


def can_draw(pos: Position) -> bool:
    """Tell whether the pile has a card, if need be after a reshuffle."""
    return bool(pos.pile or pos.discard)


def take_open(pos: Position, seat: int, good: int, log: list[Event]) -> None:
    """Move an open card to a hand."""
    pos.open[good] -= 1
    pos.hands[seat][good] += 1
    pos.known[seat][good] += 1
    pos.traffic.append(SEAT_CODES * seat + good)
    log.append(events.take(seat, good))


def draw_blind(pos: Position, seat: int, log: list[Event]) -> None:
    """Move the top of the pile to a hand. The pile or the discard pile has to hold a
    card.
    """
    if not pos.pile:
        _reshuffle(pos, log)
    good = pos.pile.pop()
    pos.hands[seat][good] += 1
    pos.drawn[seat].append(good)
    pos.fresh[seat][good] += 1
    pos.traffic.append(SEAT_CODES * seat + BLIND)
    log.append(events.draw(seat))
    log.append(events.drawn(seat, good))
    _restore_pile(pos, log)


def turn_up(pos: Position, log: list[Event]) -> int:
    """Return the top of the pile, shown to all. The pile or the discard pile has to
    hold a card.
    """
    if not pos.pile:
        _reshuffle(pos, log)
    good = pos.pile.pop()
    pos.pool[good] -= 1
    pos.traffic.append(TURNED_UP + good)
    return good


def give(pos: Position, seat: int, good: int, count: int) -> None:
    """Take cards out of a hand for all to see. Cards known to be there are counted off
    first, which leaves a sure lower bound.
    """
    pos.hands[seat][good] -= count
    known_cards = pos.known[seat]
    known_cards[good] = max(0, known_cards[good] - count)
    code = SEAT_CODES * seat + GIVEN + good
    pos.traffic.append(code)
    if count > 1:
        pos.traffic += [code] * (count - 1)


def refill(pos: Position, missing: int, log: list[Event]) -> None:
    """Make up the open cards from the pile, as far as there are cards (S5, S16)."""
    shown: list[int] = []
    while missing and can_draw(pos):
        if shown and not pos.pile:  # these lie open before the reshuffle
            log.append(events.refill(tuple(shown)))
            shown = []
        good = turn_up(pos, log)
        pos.open[good] += 1
        shown.append(good)
        missing -= 1
    if shown:
        log.append(events.refill(tuple(shown)))
        _restore_pile(pos, log)


def discard_display(pos: Position, seat: int, good: int, why: str, log: list[Event]) -> None:
    """Move a card of a display to the discard pile."""
    pos.displays[seat][good] -= 1
    pos.discard.append(good)
    log.append(events.discard(seat, "display", good, why))


def discard_hand(pos: Position, seat: int, good: int, why: str, log: list[Event]) -> None:
    """Move a card of a hand to the discard pile, face up."""
    give(pos, seat, good, 1)
    pos.discard.append(good)
    log.append(events.discard(seat, "hand", good, why))


def salvage(pos: Position, seat: int, log: list[Event]) -> None:
    """Move the top of the discard pile, else of the pile, to a display (S12)."""
    if pos.discard:
        source, good = "discard", pos.discard.pop()
    elif pos.pile:
        source, good = "pile", turn_up(pos, log)
    else:
        log.append(events.no_card(seat))
        return
    pos.displays[seat][good] += 1
    log.append(events.salvage(seat, source, good))


def sort_discards(pos: Position, count: int) -> None:
    """Sort cards discarded together into canonical order, if the rules map says so
    (O9).
    """
    if count > 1 and pos.ruleset.sort_discards:
        pos.discard[-count:] = sorted(pos.discard[-count:])


def _restore_pile(pos: Position, log: list[Event]) -> None:
    """Shuffle the discards when the pile has just run out (S16), unless the rules wait
    until a card is needed (O13).
    """
    if not pos.pile and pos.discard and pos.ruleset.shuffle_at_once:
        _reshuffle(pos, log)


def _reshuffle(pos: Position, log: list[Event]) -> None:
    """Make the discards the pile (S16). All know the cards in the pile, nobody knows
    their order.
    """
    discard = pos.discard
    counts = [discard.count(good) for good in range(len(GOODS))]
    pos.shuffles.append(counts)
    pos.pool = counts[:]
    for fresh in pos.fresh:
        fresh[:] = (0, 0, 0, 0, 0)
    pos.pile = dealing.reshuffle(pos.secret, len(pos.shuffles) + 1, discard)[::-1]
    pos.discard = []
    pos.traffic.append(RESHUFFLE)
    log.append(events.reshuffle(len(pos.shuffles), counts))
