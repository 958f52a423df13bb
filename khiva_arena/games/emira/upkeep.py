"""Phase 7: upkeep, riots, Xenia's gifts and moves (E8-E10, E30)."""

from khiva_arena.games.emira import dealing, events, questions
from khiva_arena.games.emira.courtship import (
    can_attract,
    gift_paid,
    most_attractive,
    move_in,
    move_out,
    note_gift,
    note_join,
    show_gold,
    under_deck,
)
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, ask, clockwise
from khiva_arena.games.emira.tables import GIFT, SULEIKA, XENIA, A, G
from khiva_arena.games.emira.values import room, upkeep


def upkeep_turn(pos: Position, log: Log, offset: int) -> None:
    """Let the next seat give Xenia her gift, then pay for its princesses (E8, E10)."""
    if offset == pos.seats:
        return
    seat = clockwise(pos, offset)
    pos.todo += [(upkeep_turn, offset + 1), (_pay, seat)]
    if XENIA in pos.princesses[seat] and pos.gift_round <= pos.round:
        able = pos.gold[seat] >= upkeep(pos, seat) + GIFT
        if able and pos.gift_first:
            _give(pos, log, seat)
        elif able:
            ask(pos, questions.GIFT, seat, _answer_gift, about=GIFT)
        elif pos.gift_first:
            _leaves_the_game(pos, log, seat)
        else:
            _moves_on(pos, log, seat, "unable")


def _answer_gift(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    if entry[0] == "pay":
        _give(pos, log, seat)
    else:
        _moves_on(pos, log, seat, "refused")


def _give(pos: Position, log: Log, seat: int) -> None:
    pos.gold[seat] -= GIFT
    gift_paid(pos, log, seat)


def _leaves_the_game(pos: Position, log: Log, seat: int) -> None:
    """Take Xenia, and only her, out of the game for good (E10).

    If Suleika minded that Xenia came, that is over too, since it is part of Xenia's
    cost.
    """
    palace = pos.princesses[seat]
    if (
        SULEIKA in palace[: palace.index(XENIA)]
    ):  # Xenia came after her, and no upkeep has been paid since
        pos.arrivals[seat] -= 1
    move_out(pos, seat, XENIA)
    pos.gone.append(XENIA)
    note_gift(pos, log, seat, "gone")


def _moves_on(pos: Position, log: Log, seat: int, why: str) -> None:
    """Move Xenia to the richest of the other sheiks (E30).

    He pays her gift at once, besides the upkeep he still owes this round.
    """
    note_gift(pos, log, seat, why)
    move_out(pos, seat, XENIA)
    rivals = [rival for rival in can_attract(pos, waiting=True) if rival != seat]
    if pos.ruleset.xenia_room:  # O10
        rivals = [rival for rival in rivals if room(pos, rival)]
    show_gold(pos, XENIA, log)
    target = most_attractive(pos, rivals, (G, A))
    if target < 0:
        pos.undecided.append(XENIA)
        pos.xenia_left = seat
        log.append(events.wait(XENIA))
        return
    move_in(pos, target, XENIA)
    note_join(pos, log, target, XENIA)
    price = 0 if pos.settled >> target & 1 else upkeep(pos, target)
    if pos.gold[target] >= GIFT + price:
        _give(pos, log, target)
    else:
        _leaves_the_game(pos, log, target)


def _pay(pos: Position, log: Log, seat: int) -> None:
    """Take the upkeep from a seat (E8); a riot follows when the gold does not suffice
    (E9).
    """
    due = upkeep(pos, seat)
    if pos.gold[seat] >= due:
        pos.gold[seat] -= due
        pos.paid |= 1 << seat
        if due:
            log.append(events.upkeep(seat, due, due))
    else:
        pos.riots += 1
        riot = dealing.Riot(pos.secret, pos.riots)
        if pos.ruleset.advanced:
            _great_riot(pos, log, seat, riot, due)
        else:
            _riot(pos, log, seat, riot, due)
    pos.arrivals[seat] = 0
    pos.settled |= 1 << seat


def _riot(pos: Position, log: Log, seat: int, riot: dealing.Riot, due: int) -> None:
    """Take all gold of a seat, and let one princess leave (E9)."""
    log.append(events.upkeep(seat, due, pos.gold[seat]))
    pos.gold[seat] = 0
    card = riot.draw(pos.princesses[seat])
    move_out(pos, seat, card)
    under_deck(pos, seat, [card])
    log.append(events.riot(seat, [card]))


def _great_riot(pos: Position, log: Log, seat: int, riot: dealing.Riot, due: int) -> None:
    """Let princesses leave until the upkeep of the others can be paid (E9,
    advanced).
    """
    runaways = []
    while pos.gold[seat] < upkeep(pos, seat):
        card = riot.draw(pos.princesses[seat])
        move_out(pos, seat, card)
        runaways.append(card)
    paid = upkeep(pos, seat)
    pos.gold[seat] -= paid
    under_deck(pos, seat, riot.order(runaways))
    log.append(events.upkeep(seat, due, paid))
    log.append(events.riot(seat, runaways))
