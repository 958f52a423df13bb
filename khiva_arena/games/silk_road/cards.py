"""How goods cards change places: the hand, the display, the open cards, the pile and the discard pile (S5, S16).

Each function keeps the memory of the seats with it: ``known``, ``drawn``, ``fresh``, ``pool``, ``shuffles`` and ``traffic``.
Codes of ``traffic``: 20 * seat + good: the seat took that open card; + 5 + good: it gave such a card out of its hand, for all
to see; + 10: it drew from the pile. 100 + good: that card came from the pile for all to see. 105: a reshuffle.
"""

from khiva_arena.games.base import Event, Plain
from khiva_arena.games.silk_road import dealing, events
from khiva_arena.games.silk_road.state import Position, Task
from khiva_arena.games.silk_road.tables import GOODS, Menu

SEAT_CODES = 20
GIVEN, BLIND = 5, 10
TURNED_UP, RESHUFFLE = 100, 105


def ask(pos: Position, task: Task, seat: int, menu: Menu) -> list[Plain] | None:
    """Ask a seat; or, when there is one entry, return it unasked."""
    if len(menu.entries) == 1:
        return menu.entries[0]
    pos.asked = menu.asked[seat]
    pos.doing = task
    return None


def can_draw(pos: Position) -> bool:
    """A card can be had from the pile, if need be after a reshuffle."""
    return bool(pos.pile or pos.discard)


def take_open(pos: Position, seat: int, good: int, log: list[Event]) -> None:
    """An open card goes to a hand."""
    pos.open[good] -= 1
    pos.hands[seat][good] += 1
    pos.known[seat][good] += 1
    pos.traffic.append(SEAT_CODES * seat + good)
    log.append(events.take(seat, good))


def draw_blind(pos: Position, seat: int, log: list[Event]) -> None:
    """The top of the pile goes to a hand; the pile or the discard pile holds a card."""
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
    """The top of the pile, shown to all; the pile or the discard pile holds a card."""
    if not pos.pile:
        _reshuffle(pos, log)
    good = pos.pile.pop()
    pos.pool[good] -= 1
    pos.traffic.append(TURNED_UP + good)
    return good


def give(pos: Position, seat: int, good: int, count: int) -> None:
    """Cards leave a hand for all to see. Cards known to be there are counted off first, which leaves a sure lower bound."""
    pos.hands[seat][good] -= count
    known = pos.known[seat]
    known[good] = max(0, known[good] - count)
    code = SEAT_CODES * seat + GIVEN + good
    pos.traffic.append(code)
    if count > 1:
        pos.traffic += [code] * (count - 1)


def refill(pos: Position, missing: int, log: list[Event]) -> None:
    """The open cards are made up from the pile, as far as there are cards (S5, S16)."""
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
    """A card of a display goes to the discard pile."""
    pos.displays[seat][good] -= 1
    pos.discard.append(good)
    log.append(events.discard(seat, "display", good, why))


def discard_hand(pos: Position, seat: int, good: int, why: str, log: list[Event]) -> None:
    """A card of a hand goes to the discard pile, face up."""
    give(pos, seat, good, 1)
    pos.discard.append(good)
    log.append(events.discard(seat, "hand", good, why))


def salvage(pos: Position, seat: int, log: list[Event]) -> None:
    """The top of the discard pile, else of the pile, goes to a display (S12)."""
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
    """O9: cards discarded together lie in canonical order, if the rules map says so."""
    if count > 1 and pos.ruleset.sort_discards:
        pos.discard[-count:] = sorted(pos.discard[-count:])


def _restore_pile(pos: Position, log: list[Event]) -> None:
    """S16: the discards are shuffled when the pile has just run out; O13: or not before a card is needed."""
    if not pos.pile and pos.discard and pos.ruleset.shuffle_at_once:
        _reshuffle(pos, log)


def _reshuffle(pos: Position, log: list[Event]) -> None:
    """S16: the discards become the pile. What it holds is known to all, its order to none."""
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
