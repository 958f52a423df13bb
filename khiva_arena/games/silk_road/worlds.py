"""Positions that a seat's view allows, for bots that search (RULES.md, "The view")."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.knowledge import imagine
from khiva_arena.games.silk_road.markets import exchange
from khiva_arena.games.silk_road.rules import ask_again
from khiva_arena.games.silk_road.state import GONE, Position, Task
from khiva_arena.games.silk_road.tables import CUSTOMS_LIMIT, GOOD_OF, GOODS, SIZES, TILE
from khiva_arena.games.silk_road.trails import GIVEN, SEAT_CODES, trail
from khiva_arena.games.silk_road.variants import Ruleset
from khiva_arena.rng import Stream

P = TypeVar("P", bound=Position)


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

    Every order of the piles that fits all that was seen is equally likely, or nearly so
    (see ``knowledge.py``), as is every order of the bag; all later chance is new.
    Raises InternalError if the view fits no position.
    """
    pos = make(view["seats"], ruleset, b"".join(stream.u64().to_bytes(8, "big") for _ in range(4)))
    _lay_out(pos, view)
    _deal(pos, view, stream)
    _reopen(pos, view)
    return pos


def _lay_out(pos: Position, view: Mapping[str, Plain]) -> None:
    """Lay out the things that all see."""
    index = pos.ruleset.board.index
    pos.turn, pos.active, pos.idle, pos.ending = (
        view["turn"],
        view["active"],
        view["idle"],
        view["ending"],
    )
    pos.displays = [display[:] for display in view["displays"]]
    pos.open, pos.discard = view["open"][:], view["discard"][:]
    villages = pos.ruleset.board.names[pos.ruleset.board.cities :]
    pos.tiles = tuple(TILE[view["tiles"][name]] for name in villages)
    for i, caravan in enumerate(view["caravans"]):
        place, target, camels = caravan or ("", "", [])
        pos.places[i], pos.targets[i] = (index[place], index[target]) if caravan else (GONE, GONE)
        pos.camels[i] = camels[:]
    pos.queue = view["queue"][:]
    pos.cities = [
        view["cities"].get(name, [])[:]
        for name in pos.ruleset.board.names[: pos.ruleset.board.cities]
    ]
    pos.removed = view["removed"][:]
    pos.jewels = [jewels[:] for jewels in view["jewels"]]
    pos.colourless, pos.markers, pos.drivers = (
        view["colourless"][:],
        view["markers"][:],
        view["drivers"][:],
    )
    if view["played"]:
        good, count, size, start = view["played"]
        pos.played = good, count, size, index[start]
    pos.traffic = view["history"]["cards"][:]
    pos.shuffles = [counts[:] for counts in view["history"]["shuffles"]]


def _deal(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """Draw the hidden things, and restore each seat's memory of them."""
    me = view["seat"]
    world = imagine(trail(view), stream)
    pos.pile = world.pile
    pos.bag = [colour for colour, count in enumerate(view["bag"]) for _ in range(count)]
    stream.shuffle(pos.bag)
    pos.hands, pos.drawn, pos.fresh = world.hands, world.drawn, world.fresh
    pos.hands[me], pos.drawn[me] = view["hand"][:], view["history"]["drawn"][:]
    pos.fresh[me] = _fresh(view)
    pos.pool = [left + own for left, own in zip(view["pool"], pos.fresh[me], strict=True)]
    pos.known = [known[:] for known in view["known"]]
    pos.known[me] = _known(view)


def _fresh(view: Mapping[str, Plain]) -> list[int]:
    """Return counts by good of the cards that the seat drew from the last pile."""
    codes, drawn, me = view["history"]["cards"], view["history"]["drawn"], view["seat"]
    shuffles = len(view["history"]["shuffles"])
    blind = 0
    for code in reversed(codes):
        if code == 105:
            return [drawn[len(drawn) - blind :].count(good) for good in range(len(GOODS))]
        blind += code == SEAT_CODES * me + 10
    assert not shuffles
    return [drawn.count(good) for good in range(len(GOODS))]


def _known(view: Mapping[str, Plain]) -> list[int]:
    """Return the cards that all others surely know of the seat's hand, counted by
    good.
    """
    known = [0] * len(GOODS)
    for code in view["history"]["cards"]:
        seat, kind = divmod(code, SEAT_CODES)
        if seat == view["seat"] and code < 100:
            if kind < GIVEN:
                known[kind] += 1
            elif kind < 2 * GIVEN:
                known[kind - GIVEN] = max(0, known[kind - GIVEN] - 1)
    return known


# --- the open question ---


def _reopen(pos: Position, view: Mapping[str, Plain]) -> None:
    """Open the question of a view again, and put the tasks that follow it on the
    position.
    """
    ask = view["ask"]
    kind, seat = ask["kind"], ask["seat"]
    if kind == "move":
        ask_again(pos, ("move",), seat)
        return
    pos.tasks.append(("refill",))
    doing, before = _OPEN[kind](pos, ask, seat) if kind in _OPEN else ((kind,), [])
    pos.tasks += before
    ask_again(pos, doing, seat)


Open = tuple[Task, list[Task]]
"""The task whose question is open, and the tasks after it before the turn's end, the
next one last.
"""


def _others(pos: Position, first: int, seat: int) -> list[int]:
    """Return the seats after this one, clockwise from ``first``."""
    seats = [(first + i) % pos.seats for i in range(pos.seats)]
    return seats[seats.index(seat) + 1 :]


def _draw(pos: Position, ask: Plain, seat: int) -> Open:
    why, more = ask["why"], ask["more"]
    after: list[Task] = [("act",)] if why in ("turn", "match") else []
    return ("draw", why), after + ([("draw", "match" if why == "turn" else why)] if more else [])


def _customs(pos: Position, ask: Plain, seat: int) -> Open:
    done, codes = 0, pos.traffic
    while codes[-1 - done] // GIVEN == (SEAT_CODES * seat + GIVEN) // GIVEN:
        done += 1
    rest = [
        s
        for s in _others(pos, pos.active, seat)
        if sum(pos.hands[s]) > CUSTOMS_LIMIT and s != pos.active
    ]
    return ("customs", seat, done), [("customs", s, 0) for s in reversed(rest)]


def _sandstorm(pos: Position, ask: Plain, seat: int) -> Open:
    rest = [s for s in _others(pos, pos.active, seat) if any(pos.displays[s])]
    return ("sandstorm", seat), [("sandstorm", s) for s in reversed(rest)]


def _robber(pos: Position, ask: Plain, seat: int) -> Open:
    pos.robbed = _bits(ask["robbed"])
    return ("robber", seat), []


def _bazaar(pos: Position, ask: Plain, seat: int) -> Open:
    return ("bazaar", *ask["named"]), []


def _pay(pos: Position, ask: Plain, seat: int) -> Open:
    return ("pay", ask["taken"]), []


def _sell(pos: Position, ask: Plain, seat: int) -> Open:
    kind, size, camel = ask["market"], ask["size"], ask["camel"]
    return ("sell", kind, size, camel, _bits(ask["declined"])), _market(pos, kind, size, camel)


def _jewel(pos: Position, ask: Plain, seat: int) -> Open:
    """Return the tasks of an open choice of a jewel. The seller's cards are gone
    already; its exchange of drivers was settled before.
    """
    kind, size, camel = ask["market"], ask["size"], ask["camel"]
    after = [*_market(pos, kind, size, camel), ("lead_away", kind, size, camel)]
    good, held = GOOD_OF[camel], pos.displays[seat][GOOD_OF[camel]]
    # Half of the cards, rounded up, went to the discard pile: as many as are left, or
    # one more.
    count = 2 * held + (pos.discard[-1 - held :] == [good] * (held + 1))
    pos.displays[seat][good] = count
    # The tied seats with higher drivers were asked before the seller, and declined.
    declined = _bits(
        [other for other in range(pos.seats) if pos.drivers[other] > pos.drivers[seat]]
    )
    highest, lowest = exchange(pos, seat, good, declined)
    pos.displays[seat][good] = held
    if highest != lowest:
        after.append(("swap", highest, lowest))
    return ("jewel", kind, size, camel, seat), after


def _lay(pos: Position, ask: Plain, seat: int) -> Open:
    size = next(size for size in SIZES if pos.places[size - 1] != GONE)
    goods = sorted({GOOD_OF[camel] for camel in pos.camels[size - 1]})
    first = pos.active + pos.ruleset.active_lays_last
    rest = [("lay_out", seat, good) for good in goods if good > ask["good"]]
    rest += [("lay_out", s, good) for s in _others(pos, first % pos.seats, seat) for good in goods]
    return ("lay_out", seat, ask["good"]), [*_market(pos, "last", size, 99), *reversed(rest)]


def _market(pos: Position, kind: str, size: int, camel: int) -> list[Task]:
    """Return the tasks that follow the sale of a camel: the lesser camels of a caravan
    in a city.
    """
    if kind not in ("large", "last"):
        return []
    less = sorted(other for other in pos.camels[size - 1] if other < camel)
    return [("close", kind, size), *(("sell", kind, size, other, 0) for other in less)]


def _bits(seats: list[int]) -> int:
    return sum(1 << seat for seat in seats)


_OPEN: dict[str, Callable[[Position, Plain, int], Open]] = {
    "draw": _draw,
    "customs": _customs,
    "sandstorm": _sandstorm,
    "robber": _robber,
    "bazaar": _bazaar,
    "pay": _pay,
    "sell": _sell,
    "jewel": _jewel,
    "lay_out": _lay,
}
