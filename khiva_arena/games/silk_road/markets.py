"""Markets: the sellers, the prices, and the end and start of caravans (S6 to S9, S14,
S15, S17).

Kinds of market: "large" in a city, "small" and "black" in a village, "last" at the end.
A market is a pile of tasks: one ``sell`` for each camel, for a large one then
``close``.
"""

from collections.abc import Sequence
from typing import NamedTuple

from khiva_arena.games.base import Event, Plain
from khiva_arena.games.silk_road import events
from khiva_arena.games.silk_road.board import BAG
from khiva_arena.games.silk_road.cards import ask, give
from khiva_arena.games.silk_road.state import GONE, Position, Task
from khiva_arena.games.silk_road.tables import GOOD_OF, JEWEL, LAY_OUT, SELL, SIZES

IN_CITY = ("large", "last")


def open_market(pos: Position, kind: str, size: int, log: list[Event]) -> None:
    """Open a market for all camels of a caravan that is in its target, in falling order
    of their numbers (S7).
    """
    log.append(events.market(kind, size, pos.ruleset.board.names[pos.places[size - 1]]))
    pos.tasks.append(("close", kind, size))
    pos.tasks += [("sell", kind, size, camel, 0) for camel in reversed(pos.camels[size - 1])]


def small_market(pos: Position, kind: str, size: int, camel: int) -> None:
    """Open a market for one camel of a caravan in a village (S9)."""
    pos.tasks.append(("sell", kind, size, camel, 0))


def sell(pos: Position, task: Task, log: list[Event]) -> None:
    """Ask the seat with most cards of the good that has not declined; of several the
    one with the highest driver (S7, S15).
    """
    _, kind, size, camel, declined = task
    good = GOOD_OF[camel]
    top, best = 0, -1
    for seat, display in enumerate(pos.displays):
        count = display[good]
        if (
            count
            and not declined >> seat & 1
            and (count > top or (count == top and pos.drivers[seat] > pos.drivers[best]))
        ):
            top, best = count, seat
    if best < 0:
        log.append(events.unsold(camel))
        if kind in IN_CITY:
            _to_stable(pos, size, camel, log)
        return
    pos.asked = SELL.asked[best]
    pos.doing = task


def answer_sell(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Sell half of the seat's cards, rounded up; then follow the price, the change of
    drivers, the camel (S7, S9).
    """
    _, kind, size, camel, declined = pos.doing
    if entry[0] == "decline":
        log.append(events.decline(seat, camel))
        pos.tasks.append(("sell", kind, size, camel, declined | 1 << seat))  # S15
        return
    good = GOOD_OF[camel]
    count = pos.displays[seat][good]
    highest, lowest = exchange(pos, seat, good, declined)
    cards_sold = (count + 1) // 2
    pos.displays[seat][good] -= cards_sold
    pos.discard += [good] * cards_sold
    log.append(events.sale(seat, camel, cards_sold))
    pos.tasks.append(("lead_away", kind, size, camel))
    if highest != lowest:
        pos.tasks.append(("swap", highest, lowest))
    if kind in IN_CITY:
        pos.tasks.append(("jewel", kind, size, camel, seat))
    else:
        gain_colourless(pos, seat, log)


class DriverExchange(NamedTuple):
    """The seats with the highest and the lowest driver."""

    highest: int
    lowest: int


def exchange(pos: Position, seat: int, good: int, declined: int) -> DriverExchange:
    """Return the seats that exchange drivers, among those tied with the seller; one
    seat twice if nobody is tied (S7).

    A seat that declined is no longer tied, so the highest is the seller. With O3 it may
    be tied, so the seller's driver may stay.
    """
    count = pos.displays[seat][good]
    drop = pos.ruleset.drop_tied
    tied_seats = [
        s
        for s in range(pos.seats)
        if pos.displays[s][good] == count and not (drop and declined >> s & 1)
    ]
    driver = pos.drivers.__getitem__
    return DriverExchange(max(tied_seats, key=driver), min(tied_seats, key=driver))


def swap(pos: Position, task: Task, log: list[Event]) -> None:
    """Let two seats change drivers (S7)."""
    _, one, other = task
    pos.drivers[one], pos.drivers[other] = pos.drivers[other], pos.drivers[one]
    log.append(events.swap(one, other))


def jewel(pos: Position, task: Task, log: list[Event]) -> None:
    """Let the seller pick a jewel of the city (S7). There is one for each camel, so one
    is left.
    """
    _, _, size, _, seat = task
    colours = 0
    for colour in pos.cities[pos.places[size - 1]]:
        colours |= 1 << colour
    entry = ask(pos, task, seat, JEWEL[colours])
    if entry is not None:
        _take_jewel(pos, task, entry[0], log)


def answer_jewel(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Give the seller the colour chosen."""
    _take_jewel(pos, pos.doing, entry[0], log)


def _take_jewel(pos: Position, task: Task, colour: int, log: list[Event]) -> None:
    _, _, size, _, seat = task
    pos.cities[pos.places[size - 1]].remove(colour)
    pos.jewels[seat][colour] += 1
    log.append(events.jewel(seat, colour))


def gain_colourless(pos: Position, seat: int, log: list[Event]) -> None:
    """Give a seat one colourless jewel; the third becomes a marker at once (S9, S14).
    With O6 capped neither goes beyond the supply.
    """
    capped = pos.ruleset.capped
    if capped and not pos.colourless_left():
        return
    pos.colourless[seat] += 1
    log.append(events.colourless(seat))
    if pos.colourless[seat] >= 3 and not (capped and not pos.markers_left()):
        pos.colourless[seat] -= 3
        pos.markers[seat] += 1
        log.append(events.marker(seat))


def lead_away(pos: Position, task: Task, log: list[Event]) -> None:
    """Lead a sold camel to the tail of the caravanserai; in a village its head takes
    the place (S7, S9).
    """
    _, kind, size, camel = task
    _to_stable(pos, size, camel, log)
    if kind not in IN_CITY:
        camels = pos.camels[size - 1]
        head = pos.queue.pop(0)
        camels.append(head)
        camels.sort(reverse=True)
        log.append(events.join(head, size))


def _to_stable(pos: Position, size: int, camel: int, log: list[Event]) -> None:
    pos.camels[size - 1].remove(camel)
    pos.queue.append(camel)
    log.append(events.stable(camel))


# --- the end of a large market ---


def close(pos: Position, task: Task, log: list[Event]) -> None:
    """Remove the jewels that are left; then send out a new caravan, or bring the end
    nearer (S7, S8, S17).
    """
    _, kind, size = task
    city = pos.places[size - 1]
    if pos.cities[city]:
        _remove(pos, pos.ruleset.board.names[city], pos.cities[city], log)
        pos.cities[city] = []
    if kind == "last":
        pos.tasks.append(("finish",))
    elif pos.ending:
        _retire(pos, size, log)
        _last_market(pos, log)
    elif len(pos.bag) < size:
        if pos.bag:
            _remove(pos, BAG, sorted(pos.bag), log)
            pos.bag = []
        pos.ending = "bag"
        _retire(pos, size, log)
        if pos.ruleset.camels_back:  # O14
            for camel in pos.queue[:size]:
                pos.queue.append(pos.queue.pop(0))
                log.append(events.stable(camel))
    else:
        set_out(pos, size, log)


def _remove(pos: Position, source: str, colours: Sequence[int], log: list[Event]) -> None:
    for colour in colours:
        pos.removed[colour] += 1
    log.append(events.removed(source, colours))


def _retire(pos: Position, size: int, log: list[Event]) -> None:
    """Let no caravan of that size set out any more (S17)."""
    pos.places[size - 1] = pos.targets[size - 1] = GONE
    log.append(events.retire(size))


def set_out(pos: Position, size: int, log: list[Event]) -> None:
    """Send out the head of the caravanserai as the new caravan; then set its target,
    then its jewels (S8).
    """
    camels = sorted(pos.queue[:size], reverse=True)
    del pos.queue[:size]
    pos.camels[size - 1] = camels
    target = pos.targets[size - 1] = next_target(pos, size)
    lay_jewels(pos, size)
    names = pos.ruleset.board.names
    log.append(
        events.caravan(size, names[pos.places[size - 1]], camels, names[target], pos.cities[target])
    )


def next_target(pos: Position, size: int) -> int:
    """Return the city that is as many empty cities on, clockwise, as the caravan has
    camels; a city may be counted again (S8).

    A city is empty without a caravan and without jewels.
    """
    cities = pos.ruleset.board.cities
    city = pos.places[size - 1]
    left = size
    while left:
        city = (city + 1) % cities
        if city not in pos.places and not pos.cities[city]:
            left -= 1
    return city


def lay_jewels(pos: Position, size: int) -> None:
    """Lay as many jewels as camels from the bag onto the target (S8)."""
    pos.cities[pos.targets[size - 1]] = sorted(pos.bag.pop() for _ in range(size))


# --- the last market ---


def _last_market(pos: Position, log: list[Event]) -> None:
    """Begin the last market: the caravan that is left jumps to its target; hands are
    laid out, then all is sold (S17).
    """
    size = next(size for size in SIZES if pos.places[size - 1] != GONE)
    pos.places[size - 1] = pos.targets[size - 1]
    open_market(pos, "last", size, log)
    first = pos.active + pos.ruleset.active_lays_last  # O15
    seats = [(first + i) % pos.seats for i in range(pos.seats)]
    if pos.ruleset.choose_dump:
        goods = sorted({GOOD_OF[camel] for camel in pos.camels[size - 1]})
        pos.tasks += [
            ("lay_out", seat, good) for seat in reversed(seats) for good in reversed(goods)
        ]
        return
    for seat in seats:  # O7
        for good, count in enumerate(pos.hands[seat]):
            if count:
                _add_to_display(pos, seat, good, count, log)


def lay_out(pos: Position, task: Task, log: list[Event]) -> None:
    """Let a seat add cards of a good that is sold; other goods do not matter any more
    and stay in hand (S17, O7).
    """
    _, seat, good = task
    entry = ask(pos, task, seat, LAY_OUT[pos.hands[seat][good]])
    if entry is not None:
        _add_to_display(pos, seat, good, entry[0], log)


def answer_lay_out(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Add the chosen number of cards to the seat's display."""
    _add_to_display(pos, seat, pos.doing[2], entry[0], log)


def _add_to_display(pos: Position, seat: int, good: int, count: int, log: list[Event]) -> None:
    if count:
        give(pos, seat, good, count)
        pos.displays[seat][good] += count
    log.append(events.lay_out(seat, good, count))
