"""The seat that an Emira chooses, when waiting Emiras join, and the effects of a join
(E6, E25-E29).
"""

from collections.abc import Callable, Sequence

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import events, questions
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, ask, note
from khiva_arena.games.emira.tables import (
    ALBINA,
    EMIRA_OF,
    FIRYAL,
    GIFT_EVERY,
    HIND,
    KINDS,
    LOVES_GOLD,
    NAMES,
    SAMIRA,
    SIDI,
    SULEIKA,
    WANTS,
    XENIA,
    ZAHRAH,
    A,
    G,
    P,
    S,
)
from khiva_arena.games.emira.values import appearance, palace, room, status


def _gold(pos: Position, seat: int) -> int:
    return pos.gold[seat]


_MEASURE = {A: appearance, S: status, P: palace, G: _gold}
ONCE = frozenset((ALBINA, FIRYAL, SAMIRA, ZAHRAH, HIND))
"""Emiras whose effect strikes a seat the first time they join it (E26)."""


def most_attractive(pos: Position, seats: Sequence[int], wants: Sequence[int]) -> int:
    """Return the seat that is best by the first of these preferences, ties by the next;
    -1 if a tie remains or there is no seat.
    """
    for want in wants:
        if len(seats) < 2:
            break
        measure = _MEASURE[want]
        worth = [measure(pos, seat) for seat in seats]
        best = max(worth)
        seats = [seat for seat, value in zip(seats, worth, strict=True) if value == best]
    return seats[0] if len(seats) == 1 else -1


def can_attract(pos: Position, waiting: bool) -> list[int]:
    """Return the seats that are not in the round they lose to Hind.

    waiting: the Emira is not active in the round (E27, O13).
    """
    if waiting and pos.ruleset.hind_undecided:
        return list(range(pos.seats))
    return [seat for seat in range(pos.seats) if pos.lost[seat] != pos.round]


def wants(pos: Position, card: int) -> tuple[int, ...]:
    """Return an Emira's preferences, swapped if her mind was changed (E34)."""
    return WANTS[card][::-1] if pos.turned >> card & 1 else WANTS[card]


def chosen(pos: Position, card: int, waiting: bool) -> int:
    """Return the seat that this Emira chooses now, -1 if she is undecided (E6). Sidi
    Suleiman needs no room (E29).
    """
    seats = can_attract(pos, waiting)
    if card == XENIA:  # E30
        seats = [seat for seat in seats if seat != pos.xenia_left]
    if card == SIDI:
        largest = max((len(pos.princesses[seat]) for seat in seats), default=0)
        seats = [seat for seat in seats if len(pos.princesses[seat]) == largest and largest]
        return seats[0] if len(seats) == 1 else -1
    return most_attractive(pos, [seat for seat in seats if room(pos, seat)], wants(pos, card))


def choose_next(pos: Position, log: Log) -> None:
    """Let the next active Emira choose; then the waiting ones are looked at, and so on
    (phase 6, E6).
    """
    if not pos.active:
        return
    card = pos.active.pop(0)
    pos.todo += [(choose_next,), (recheck,)]
    show_gold(pos, card, log)
    seat = chosen(pos, card, waiting=False)
    if seat < 0:
        pos.undecided.append(card)
        pos.fresh |= 1 << card
        log.append(events.wait(card))
    else:
        join(pos, log, seat, card)


def recheck(pos: Position, log: Log) -> None:
    """Let the oldest undecided Emira with a single best sheik join him after a change;
    then look at all again (E25, O4).
    """
    everyone = pos.auction or pos.ruleset.always
    for card in pos.undecided:
        if everyone or LOVES_GOLD[card]:
            # O13 is for those who waited before this round
            seat = chosen(pos, card, waiting=not pos.fresh >> card & 1)
            if seat >= 0:
                pos.undecided.remove(card)
                pos.fresh &= ~(1 << card)
                pos.todo.append((recheck,))
                show_gold(pos, card, log)
                join(pos, log, seat, card)
                return


def show_gold(pos: Position, card: int, log: Log) -> None:
    """Show all gold when an Emira who looks at gold chooses, if it is hidden (O3)."""
    if pos.ruleset.gold_hidden and LOVES_GOLD[card]:
        pos.gold_shown = [(pos.round, gold) for gold in pos.gold]
        log.append(events.show_gold(pos.gold))


def join(pos: Position, log: Log, seat: int, card: int) -> None:
    """Let an Emira join a palace; her special power works at once. May ask."""
    note_join(pos, log, seat, card)
    if card == SIDI:
        pos.gone.append(SIDI)
        _abduction(pos, log, seat)
        return
    move_in(pos, seat, card)
    if card == XENIA:
        # E10: she wants her first gift in the next upkeep of her sheik.
        pos.gift_first = True
        pos.xenia_left = -1
        pos.gift_round = pos.round + (pos.settled >> seat & 1)
    elif card in ONCE and not pos.met[seat] >> card & 1:
        pos.met[seat] |= 1 << card
        _strike(pos, log, seat, card)


def _abduction(pos: Position, log: Log, seat: int) -> None:
    """Ask the seat which princess Sidi Suleiman takes with him, if there is a choice
    (E29).
    """
    princesses = tuple(sorted(pos.princesses[seat]))
    if len(princesses) > 1:
        ask(pos, questions.emiras("abduct", princesses), seat, _answer_abduct)
    else:
        _abduct(pos, log, seat, princesses[0])


def note_join(pos: Position, log: Log, seat: int, card: int) -> None:
    """Note that an Emira has joined a seat; the history keeps it for bots that ignore
    events.
    """
    log.append(events.join(seat, card))
    note(pos, "join", seat, NAMES[card])


def move_in(pos: Position, seat: int, card: int) -> None:
    """Put an Emira into a palace; Suleika minds each who comes after her (E28)."""
    if SULEIKA in pos.princesses[seat]:
        pos.arrivals[seat] += 1
    pos.princesses[seat].append(card)


def move_out(pos: Position, seat: int, card: int) -> None:
    """Take an Emira out of a palace; her benefits and costs end."""
    pos.princesses[seat].remove(card)
    if card == SULEIKA:
        pos.arrivals[seat] = 0


def under_deck(pos: Position, seat: int, cards: Sequence[int]) -> None:
    """Put Emiras of a seat under the deck in this order; all know the cards, but the
    order only of a single one (E9).
    """
    seen_by = (1 << pos.seats) - 1 if len(cards) == 1 else 0
    for card in cards:
        pos.emiras.put_under(card, seen_by)
        pos.turned &= ~(1 << card)
    note(pos, "under", seat, *(NAMES[card] for card in sorted(cards)))


def _strike(pos: Position, log: Log, seat: int, card: int) -> None:
    """Apply the effects that strike once (E26)."""
    if card == HIND:
        pos.lost[seat] = pos.round + 1  # E27
    elif card == SAMIRA:
        kinds = tuple(kind for kind in range(len(KINDS)) if pos.tokens[seat][kind])
        if len(kinds) > 1:
            ask(pos, questions.kinds("drop_appearance", kinds), seat, _answer_drop_token)
        elif kinds:
            _drop_token(pos, log, seat, kinds[0])
    elif card == ZAHRAH:
        cards = tuple(sorted(set(pos.status_cards[seat])))
        if len(cards) > 1:
            ask(pos, questions.numbers("drop_status", cards), seat, _answer_drop_status)
        elif cards:
            _drop_status(pos, log, seat, cards[0])
    elif pos.ruleset.advanced:
        pos.disc[seat] -= 1
        log.append(events.disc(seat, -1, pos.disc[seat]))


def _answer_drop_token(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    _drop_token(pos, log, seat, KINDS.index(entry[0]))


def _drop_token(pos: Position, log: Log, seat: int, kind: int) -> None:
    pos.tokens[seat][kind] -= 1
    pos.bag[kind] += 1
    log.append(events.drop(seat, KINDS[kind]))


def _answer_drop_status(pos: Position, log: Log, seat: int, entry: list[int]) -> None:
    _drop_status(pos, log, seat, entry[0])


def _drop_status(pos: Position, log: Log, seat: int, card: int) -> None:
    pos.status_cards[seat].remove(card)
    if pos.ruleset.zahrah_under:  # O9
        pos.status.put_under(card, (1 << pos.seats) - 1)
        note(pos, "under_status", card)
    else:
        pos.removed.append(card)
    log.append(events.drop(seat, card))


def _answer_abduct(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    _abduct(pos, log, seat, EMIRA_OF[entry[0]])


def _abduct(pos: Position, log: Log, seat: int, card: int) -> None:
    """Take Sidi Suleiman and one of the owner's princesses out of the game (E29)."""
    move_out(pos, seat, card)
    pos.gone.append(card)
    log.append(events.abduct(seat, card))
    note(pos, "abduct", seat, NAMES[card])


def gift_paid(pos: Position, log: Log, seat: int) -> None:
    """Note a gift that was paid: Xenia is content for two rounds (E10)."""
    pos.gift_round = pos.round + GIFT_EVERY
    pos.gift_first = False
    note_gift(pos, log, seat, "paid")


def note_gift(pos: Position, log: Log, seat: int, outcome: str) -> None:
    """Note the outcome of a gift for Xenia; the history keeps it for bots that ignore
    events.
    """
    log.append(events.gift(seat, outcome))
    note(pos, "gift", seat, outcome)


ASK_AGAIN: dict[str, Callable[[Position, Log, int, Plain], None]] = {
    "drop_appearance": lambda pos, log, seat, about: _strike(pos, log, seat, SAMIRA),
    "drop_status": lambda pos, log, seat, about: _strike(pos, log, seat, ZAHRAH),
    "abduct": lambda pos, log, seat, about: _abduction(pos, log, seat),
}
"""Functions that open a question again in a position made of a view, by kind of
decision.
"""
