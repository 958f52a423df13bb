"""The actions of the villages, which happen where a caravan stops (S9 to S13)."""

from collections.abc import Callable

from khiva_arena.games.base import Event, Plain
from khiva_arena.games.silk_road import events
from khiva_arena.games.silk_road.cards import (
    ask,
    discard_display,
    discard_hand,
    salvage,
    sort_discards,
)
from khiva_arena.games.silk_road.markets import gain_colourless, open_market, small_market
from khiva_arena.games.silk_road.state import Position, Task
from khiva_arena.games.silk_road.tables import (
    BAKSHEESH,
    BAKSHEESH_PAY,
    BAKSHEESH_TAKE,
    BAZAAR,
    BAZAAR_FIRST,
    BAZAAR_NEXT,
    BLACK_MARKET,
    CAMELS_1,
    CAMELS_3,
    CUSTOMS,
    CUSTOMS_LIMIT,
    DISCARD_DISPLAY,
    DISCARD_HAND,
    GOOD_OF,
    ROB_ENTRIES,
    ROBBER,
    SANDSTORM,
    TILES,
    mask,
    menu,
)

Effect = Callable[[Position, int, int], bool]
"""(position, tile, size of the caravan): puts up tasks and tells whether there is
anything to do.
"""


def act(pos: Position, task: Task, log: list[Event]) -> None:
    """Open the large market of a city, or do the action of a village (S4, S7)."""
    assert pos.played is not None
    size = pos.played[2]
    place = pos.places[size - 1]
    board = pos.ruleset.board
    if place < board.cities:
        open_market(pos, "large", size, log)
        return
    tile = pos.tiles[place - board.cities]
    log.append(events.action(board.names[place], TILES[tile]))
    if not EFFECTS[tile](pos, tile, size):
        log.append(events.nothing(TILES[tile]))


def _others(pos: Position) -> list[int]:
    """Return the other seats, clockwise from the left of the active seat."""
    return [(pos.active + i) % pos.seats for i in range(1, pos.seats)]


def _small_market(pos: Position, tile: int, size: int) -> bool:
    """Open a small market for the highest camel with the good of the market (S9)."""
    camel = max((camel for camel in pos.camels[size - 1] if GOOD_OF[camel] == tile), default=0)
    if camel:
        small_market(pos, "small", size, camel)
    return camel > 0


def _black_market(pos: Position, tile: int, size: int) -> bool:
    """Open a black market for the highest camel of the caravan, and no other (S9)."""
    small_market(pos, "black", size, max(pos.camels[size - 1]))
    return True


def _camels(pos: Position, tile: int, size: int) -> bool:
    """Let the active seat draw one more card, unless the caravan is too big (S10)."""
    if size > tile - CAMELS_1 + 1:
        return False
    pos.tasks.append(("draw", "camels"))
    return True


# --- customs and sandstorm ---


def _customs(pos: Position, tile: int, size: int) -> bool:
    seats = [seat for seat in _others(pos) if sum(pos.hands[seat]) > CUSTOMS_LIMIT]
    pos.tasks += [("customs", seat, 0) for seat in reversed(seats)]
    return bool(seats)


def customs(pos: Position, task: Task, log: list[Event]) -> None:
    """Let a seat discard one card after the other until it holds four (S11)."""
    _, seat, done = task
    hand = pos.hands[seat]
    if sum(hand) <= CUSTOMS_LIMIT:
        sort_discards(pos, done)
        return
    entry = ask(pos, task, seat, DISCARD_HAND[mask(hand)])
    if entry is not None:
        _pay_customs(pos, task, entry[0], log)


def answer_customs(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Discard the card chosen for customs."""
    _pay_customs(pos, pos.doing, entry[0], log)


def _pay_customs(pos: Position, task: Task, good: int, log: list[Event]) -> None:
    _, seat, done = task
    discard_hand(pos, seat, good, "customs", log)
    pos.tasks.append(("customs", seat, done + 1))


def _sandstorm(pos: Position, tile: int, size: int) -> bool:
    seats = [seat for seat in _others(pos) if any(pos.displays[seat])]
    pos.tasks += [("sandstorm", seat) for seat in reversed(seats)]
    return bool(seats)


def sandstorm(pos: Position, task: Task, log: list[Event]) -> None:
    """Let a seat discard one card of its display (S11)."""
    seat = task[1]
    entry = ask(pos, task, seat, DISCARD_DISPLAY[mask(pos.displays[seat])])
    if entry is not None:
        discard_display(pos, seat, entry[0], "sandstorm", log)


def answer_sandstorm(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Discard the card chosen for the sandstorm."""
    discard_display(pos, seat, entry[0], "sandstorm", log)


# --- the robber ---


def _robber(pos: Position, tile: int, size: int) -> bool:
    pos.robbed = 0
    pos.tasks.append(("robber", pos.active))
    return True


def robber(pos: Position, task: Task, log: list[Event]) -> None:
    """Let one of the chain take a card of a seat that is not active and was not robbed;
    the last of the chain is helped out (S12).
    """
    taker = task[1]
    legal = []
    for i in range(1, pos.seats):
        victim = (taker + i) % pos.seats
        if victim != pos.active and not pos.robbed >> victim & 1:
            entries = ROB_ENTRIES[victim]
            legal += [entries[good] for good, count in enumerate(pos.displays[victim]) if count]
    if not legal:
        salvage(pos, taker, log)
    elif len(legal) == 1:
        answer_robber(pos, taker, legal[0], log)
    else:
        pos.asked = menu("robber", legal).asked[taker]
        pos.doing = task


def answer_robber(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Move the card from display to display; its owner is the next of the chain."""
    victim, good = entry
    pos.displays[victim][good] -= 1
    pos.displays[seat][good] += 1
    pos.robbed |= 1 << victim
    log.append(events.rob(seat, victim, good))
    pos.tasks.append(("robber", victim))


# --- bazaar and baksheesh ---


def _bazaar(pos: Position, tile: int, size: int) -> bool:
    """Open the bazaar, if there are three goods to give and a jewel to get (S13,
    O6).
    """
    if pos.ruleset.capped and not pos.colourless_left():
        return False
    if sum(count > 0 for count in pos.displays[pos.active]) < 3:
        return False
    pos.tasks.append(("bazaar",))
    return True


def bazaar(pos: Position, task: Task, log: list[Event]) -> None:
    """Let the active seat give three different goods of its display, named one by one,
    for a colourless jewel (S13).

    task: holds the goods named so far.
    """
    named = task[1:]
    goods_left = mask(pos.displays[pos.active])
    for good in named:
        goods_left &= ~(1 << good)
    entry = ask(pos, task, pos.active, (BAZAAR_NEXT if named else BAZAAR_FIRST)[goods_left])
    if entry is not None:
        _barter(pos, (*named, entry[0]), log)


def answer_bazaar(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Note the next good, or that the seat gives none at all."""
    if entry[0] == "no":
        log.append(events.skip(seat))
    else:
        _barter(pos, (*pos.doing[1:], entry[0]), log)


def _barter(pos: Position, named: tuple[int, ...], log: list[Event]) -> None:
    """Take the cards once all three are named (O9: in the order named), or ask for the
    next good.
    """
    if len(named) < 3:
        log.append(events.name(pos.active, named[-1]))
        pos.tasks.append(("bazaar", *named))
        return
    for good in named:
        discard_display(pos, pos.active, good, "bazaar", log)
    sort_discards(pos, 3)
    gain_colourless(pos, pos.active, log)


def _baksheesh(pos: Position, tile: int, size: int) -> bool:
    """Open the baksheesh, if there is an open card to take and a card in hand to pay
    (S13).
    """
    if not any(pos.open) or not any(pos.hands[pos.active]):
        return False
    pos.tasks.append(("baksheesh",))
    return True


def baksheesh(pos: Position, task: Task, log: list[Event]) -> None:
    """Move an open card to the display (S13, O4)."""
    entry = ask(
        pos, task, pos.active, BAKSHEESH_TAKE[pos.ruleset.baksheesh_optional][mask(pos.open)]
    )
    if entry is not None:
        answer_baksheesh(pos, pos.active, entry, log)


def answer_baksheesh(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Take the open card chosen."""
    if entry[0] == "nothing":
        log.append(events.skip(seat))
        return
    good = entry[0]
    pos.open[good] -= 1
    pos.displays[seat][good] += 1
    log.append(events.buy(seat, good))
    pos.tasks.append(("pay", good))


def pay(pos: Position, task: Task, log: list[Event]) -> None:
    """Let the active seat pay a card of its hand for the open card (S13)."""
    entry = ask(pos, task, pos.active, BAKSHEESH_PAY[mask(pos.hands[pos.active])])
    if entry is not None:
        answer_pay(pos, pos.active, entry, log)


def answer_pay(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Discard the card chosen as payment."""
    discard_hand(pos, seat, entry[0], "baksheesh", log)


EFFECTS: dict[int, Effect] = {
    **dict.fromkeys(range(BLACK_MARKET), _small_market),
    BLACK_MARKET: _black_market,
    **dict.fromkeys(range(CAMELS_1, CAMELS_3 + 1), _camels),
    CUSTOMS: _customs,
    SANDSTORM: _sandstorm,
    ROBBER: _robber,
    BAZAAR: _bazaar,
    BAKSHEESH: _baksheesh,
}
