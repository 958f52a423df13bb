"""The flow of Silk Road: set up, the five phases of a turn, the end.

The rest of a turn is a pile of tasks, ``pos.tasks``. ``apply`` plays the answer to the
open question and then does one task after the other until one asks. A task is a tuple
that begins with its name in ``STEPS``. The question it may ask is answered by the
function in ``ANSWERS`` under the decision's kind.

S and O numbers are those of RULES.md; its event table lists the contents of each event.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from khiva_arena.games.base import NOBODY, Decision, Event, Plain, check_choices
from khiva_arena.games.silk_road import cards, dealing, events, markets, villages
from khiva_arena.games.silk_road.scoring import ranks, scores
from khiva_arena.games.silk_road.state import GONE, Position, Task
from khiva_arena.games.silk_road.tables import (
    DRAW,
    FIRST_HAND,
    GOOD_OF,
    JEWEL,
    OPEN,
    SIZES,
    TILES,
    mask,
)

Step = Callable[[Position, Task, list[Event]], None]
Answer = Callable[[Position, int, list[Plain], list[Event]], None]


def set_up(pos: Position) -> list[Event]:
    """Take an empty table to the first question, and return the events (S1, S8)."""
    rules, secret, seats = pos.ruleset, pos.secret, pos.seats
    if not rules.laid:
        pos.tiles = tuple(dealing.tiles(secret, rules.tiles))
    camels = dealing.camels(secret)
    pos.camels = [sorted(part, reverse=True) for part in (camels[:1], camels[1:3], camels[3:6])]
    pos.queue = camels[6:]
    pos.bag = dealing.jewels(secret)[::-1]
    for size in SIZES:
        if rules.count_targets:  # O8
            pos.targets[size - 1] = markets.next_target(pos, size)
        markets.lay_jewels(pos, size)
    goods = dealing.goods(secret)
    dealt = seats * FIRST_HAND
    pos.drawn = [goods[i : i + FIRST_HAND] for i in range(0, dealt, FIRST_HAND)]
    pos.fresh = [[drawn.count(good) for good in range(5)] for drawn in pos.drawn]
    pos.hands = [counts[:] for counts in pos.fresh]
    pos.pool = [goods.count(good) for good in range(5)]
    pos.pile = goods[dealt:][::-1]
    pos.drivers = dealing.drivers(secret)[:seats]
    pos.active = pos.drivers.index(min(pos.drivers)) - 1
    log = [_setup_event(pos)]
    log += [events.hand(seat, drawn) for seat, drawn in enumerate(pos.drawn)]
    cards.refill(pos, OPEN, log)
    pos.tasks = [("turn",)]
    _run(pos, log)
    return log


def _setup_event(pos: Position) -> Event:
    board = pos.ruleset.board
    return events.setup(
        {board.names[board.cities + i]: TILES[tile] for i, tile in enumerate(pos.tiles)},
        [
            [board.names[pos.places[i]], board.names[pos.targets[i]], pos.camels[i][:]]
            for i in range(len(SIZES))
        ],
        pos.queue,
        {board.names[city]: jewels for city, jewels in enumerate(pos.cities) if jewels},
        pos.drivers,
    )


def apply(pos: Position, choices: Mapping[int, int]) -> list[Event]:
    """Play the choice of the asked seat, and return the events. Raises IllegalChoice
    with nothing changed.
    """
    check_choices(pos.asked, choices)
    ((seat, decision),) = pos.asked.items()
    entry = decision.legal[choices[seat]]
    log: list[Event] = []
    pos.asked = NOBODY
    ANSWERS[decision.kind](pos, seat, entry, log)
    _run(pos, log)
    return log


def _run(pos: Position, log: list[Event]) -> None:
    """Do one task after the other, until one asks or the match is over."""
    tasks = pos.tasks
    while pos.asked is NOBODY and tasks:
        task = tasks.pop()
        STEPS[task[0]](pos, task, log)


def ask_again(pos: Position, doing: Task, seat: int) -> None:
    """Open the question of a task in a position made of a view: the seat has a choice
    there.
    """
    if doing == ("move",):
        _ask_move(pos, seat)
    elif doing[0] == "jewel":
        jewels = pos.cities[pos.places[doing[2] - 1]]
        pos.asked = JEWEL[mask([jewels.count(colour) for colour in range(5)])].asked[seat]
        pos.doing = doing
    else:
        STEPS[doing[0]](pos, doing, [])


# --- the five phases ---


def _turn(pos: Position, task: Task, log: list[Event]) -> None:
    """Let the next seat move a caravan (S2); with an empty hand it draws two cards
    instead (S16).
    """
    if pos.turn >= pos.ruleset.max_turns or pos.idle >= pos.seats:  # O11
        pos.ending = "stalled"
        _finish(pos, task, log)
        return
    pos.turn += 1
    seat = pos.active = (pos.active + 1) % pos.seats
    pos.played = None
    log.append(events.turn(pos.turn, seat))
    if any(pos.hands[seat]):
        pos.idle = 0
        _ask_move(pos, seat)
        return
    if any(pos.open) or cards.can_draw(pos):
        pos.idle = 0
        pos.tasks += [("refill",), ("draw", "empty"), ("draw", "empty")]
    else:
        pos.idle += 1
        log.append(events.no_card(seat))
        pos.tasks.append(("turn",))


def _ask_move(pos: Position, seat: int) -> None:
    """Ask for number of cards, good, caravan, landing place (S2, S3). Two caravans are
    on their way at least, so there is a choice.
    """
    places, targets, board = pos.places, pos.targets, pos.ruleset.board
    one, two, three = places
    rows = []
    if one != GONE:
        rows.append(board.rows(1, one, targets[0], two, three))
    if two != GONE:
        rows.append(board.rows(2, two, targets[1], one, three))
    if three != GONE:
        rows.append(board.rows(3, three, targets[2], one, two))
    hand = pos.hands[seat]
    goods_held = [(good, count) for good, count in enumerate(hand) if count]
    largest = min(max(hand), pos.ruleset.most_cards)  # O5
    legal: list[list[Plain]] = []
    for n in range(largest):
        families = [family for row in rows if n < len(row) for family in row[n]]
        for good, count in goods_held:
            if count > n:
                legal += [family[good] for family in families]
    pos.asked = MappingProxyType({seat: Decision("move", legal)})
    pos.doing = ("move",)


def _answer_move(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    """Play the cards, move, then draw: one card, and one more if the caravan carries
    the good (S2 to S5).
    """
    good, count, size, name = entry
    board = pos.ruleset.board
    start = pos.places[size - 1]
    cards.give(pos, seat, good, count)
    pos.displays[seat][good] += count
    pos.places[size - 1] = board.index[name]
    pos.played = (good, count, size, start)
    log.append(events.move(seat, good, count, size, board.names[start], name))
    tasks = pos.tasks
    tasks.append(("refill",))
    tasks.append(("act",))
    for camel in pos.camels[size - 1]:
        if GOOD_OF[camel] == good:
            tasks.append(("draw", "match"))
            break
    tasks.append(("draw", "turn"))


def _draw(pos: Position, task: Task, log: list[Event]) -> None:
    """Draw an open card or one from the pile (S5, S10, S16).

    A card beyond the first may be left (O10), or a card with an empty hand (O16).
    """
    seat = pos.active
    optional = (
        pos.ruleset.empty_optional
        if task[1] == "empty"
        else task[1] != "turn" and pos.ruleset.extra_optional
    )
    menu = DRAW[optional, cards.can_draw(pos)][mask(pos.open)]
    if not menu.entries or menu.entries == (["nothing"],):
        log.append(events.no_card(seat))
    elif (entry := cards.ask(pos, task, seat, menu)) is not None:
        _answer_draw(pos, seat, entry, log)


def _answer_draw(pos: Position, seat: int, entry: list[Plain], log: list[Event]) -> None:
    choice = entry[0]
    if choice == "pile":
        cards.draw_blind(pos, seat, log)
    elif choice == "nothing":
        log.append(events.skip(seat))
        if pos.tasks[-1] == (
            "draw",
            "empty",
        ):  # O16: a seat that leaves the first of two leaves both
            pos.tasks.pop()
    else:
        cards.take_open(pos, seat, choice, log)


def _refill(pos: Position, task: Task, log: list[Event]) -> None:
    """Make up the open cards to three at the end of the turn (S5)."""
    missing = OPEN - sum(pos.open)
    if missing:
        cards.refill(pos, missing, log)
    pos.tasks.append(("turn",))


# --- the end ---


def _finish(pos: Position, task: Task, log: list[Event]) -> None:
    """End the match: nothing is left to do (S17, O11)."""
    pos.over = True
    pos.tasks.clear()
    log.append(events.end(pos.ending or "", scores(pos), ranks(pos)))


STEPS: dict[str, Step] = {
    "turn": _turn,
    "draw": _draw,
    "act": villages.act,
    "refill": _refill,
    "customs": villages.customs,
    "sandstorm": villages.sandstorm,
    "robber": villages.robber,
    "bazaar": villages.bazaar,
    "baksheesh": villages.baksheesh,
    "pay": villages.pay,
    "sell": markets.sell,
    "jewel": markets.jewel,
    "swap": markets.swap,
    "lead_away": markets.lead_away,
    "close": markets.close,
    "lay_out": markets.lay_out,
    "finish": _finish,
}
ANSWERS: dict[str, Answer] = {
    "move": _answer_move,
    "draw": _answer_draw,
    "customs": villages.answer_customs,
    "sandstorm": villages.answer_sandstorm,
    "robber": villages.answer_robber,
    "bazaar": villages.answer_bazaar,
    "baksheesh": villages.answer_baksheesh,
    "pay": villages.answer_pay,
    "sell": markets.answer_sell,
    "jewel": markets.answer_jewel,
    "lay_out": markets.answer_lay_out,
}
KINDS = tuple(ANSWERS)
"""Every kind of decision, as in the table of RULES.md."""
