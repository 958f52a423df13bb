"""Phase 1: playing the event cards, and the effect of each (E12, E19, E34-E37, E39)."""

from bisect import insort
from collections.abc import Callable
from itertools import combinations

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import events, questions
from khiva_arena.games.emira.courtship import recheck
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, ask, clockwise, note
from khiva_arena.games.emira.tables import (
    CAMELS,
    CARAVAN_LENGTH,
    CARAVANS,
    EVENT_OF,
    EVENTS,
    KINDS,
    NAMES,
    SIDI,
    SLOW,
    TRACK,
)
from khiva_arena.games.emira.values import counters, to_draw

# --- phase 1 ---


def play_turn(pos: Position, log: Log, offset: int) -> None:
    """Let the next seat play one event card whose symbol has not been played this round
    (E19).
    """
    if offset == pos.seats:
        return
    pos.todo.append((play_turn, offset + 1))
    seat = clockwise(pos, offset)
    hand = pos.hands[seat]
    if not hand or pos.lost[seat] == pos.round:
        return
    mask = 0
    for card in hand:
        mask |= 1 << card
    mask &= ~pos.blocked
    if mask:
        ask(pos, questions.play(mask), seat, _answer_play)
    else:
        # reported as if it had passed, so that nobody learns what it holds
        log.append(events.no_event(seat))


def _answer_play(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    if entry[0] == "none":
        log.append(events.no_event(seat))
        return
    card = EVENT_OF[entry[0]]
    pos.hands[seat].remove(card)
    pos.played.append(card)
    pos.blocked |= pos.ruleset.blocks[card]
    log.append(events.play(seat, card))
    note(pos, "play", seat, EVENTS[card])
    pos.todo.append((recheck,))
    _EFFECT[card](pos, log, seat)


# --- what the cards do ---


def _bazaar(pos: Position, log: Log, seat: int) -> None:
    pos.bazaar = seat


def _noble_merchandise(pos: Position, log: Log, seat: int) -> None:
    pos.noble = seat


def _better_breed(pos: Position, log: Log, seat: int) -> None:
    """Move the seat's camel track one place up, if there is one (E37)."""
    if pos.breed[seat] + 1 < len(TRACK):
        pos.breed[seat] += 1
        log.append(events.track(seat, TRACK[pos.breed[seat]]))
    else:
        log.append(events.void(EVENT_OF["better_breed"]))


def _camel_breeding(pos: Position, log: Log, seat: int) -> None:
    """Give each seat a camel for each two, if the supply has enough for all (E12)."""
    gains = [camels // 2 for camels in pos.camels]
    _change_camels(
        pos, log, gains if sum(gains) <= pos.supply[CAMELS] else [0] * pos.seats, "camel_breeding"
    )


def _camel_epidemic(pos: Position, log: Log, seat: int) -> None:
    """Take a camel from each seat for each three (E12)."""
    _change_camels(pos, log, [-(camels // 3) for camels in pos.camels], "camel_epidemic")


def _change_camels(pos: Position, log: Log, changes: list[int], card: str) -> None:
    for seat, change in enumerate(changes):
        if change:
            pos.camels[seat] += change
            pos.supply[CAMELS] -= change
            log.append(events.camels(seat, change))
    if not any(changes):
        log.append(events.void(EVENT_OF[card]))


def _changing_her_mind(pos: Position, log: Log, seat: int) -> None:
    """Let the seat look at the top Emira and decide about her; with 3 players at one of
    the coming ones, chosen unseen (E34, E39).
    """
    places = min(len(pos.emiras.cards), max(1, sum(to_draw(pos))) if pos.seats == 3 else 1)
    if not places:
        log.append(events.void(EVENT_OF["changing_her_mind"]))
    elif places > 1:
        ask(pos, questions.numbers("place", tuple(range(places))), seat, _answer_place)
    else:
        _look_at(pos, log, seat, 0)


def _answer_place(pos: Position, log: Log, seat: int, entry: list[int]) -> None:
    log.append(events.place(seat, entry[0]))
    _look_at(pos, log, seat, entry[0])


def _look_at(pos: Position, log: Log, seat: int, place: int) -> None:
    card = pos.emiras.look(place, seat)
    log.append(events.look(seat, "emiras", [NAMES[card]]))
    question = questions.MIND_OF_SIDI if card == SIDI else questions.MIND
    ask(pos, question, seat, _answer_mind, place, cards=(NAMES[card],), about=place)


def _answer_mind(pos: Position, log: Log, seat: int, entry: list[str], place: int) -> None:
    (choice,) = entry
    card = pos.emiras.cards[place]
    if choice == "swap":
        pos.turned ^= 1 << card
    elif choice == "bottom":
        seen_by = pos.emiras.seen.pop(place)
        pos.emiras.put_under(pos.emiras.cards.pop(place), seen_by)
        pos.turned &= ~(1 << card)
    log.append(events.mind(seat, place, choice))
    note(pos, "mind", seat, place, choice, seat=seat, private=(NAMES[card],))


def _court_influence(pos: Position, log: Log, seat: int) -> None:
    _look_and_order(pos, log, seat, "emiras", "court_influence")


def _new_orders(pos: Position, log: Log, seat: int) -> None:
    _look_and_order(pos, log, seat, "status", "new_orders")


def _look_and_order(pos: Position, log: Log, seat: int, name: str, card: str) -> None:
    """Let a seat lay back the top three cards, or as many as there are, in an order of
    its own (E34).
    """
    deck = _deck(pos, name)
    count = min(3, len(deck.cards))
    if not count:
        log.append(events.void(EVENT_OF[card]))
        return
    faces = _faces(name, [deck.look(place, seat) for place in range(count)])
    log.append(events.look(seat, name, faces))
    if count == 1:
        _answer_order(pos, log, seat, [0], name)
    else:
        ask(pos, questions.ORDER[count], seat, _answer_order, name, cards=faces, about=name)


def _deck(pos: Position, name: str) -> Deck:
    return pos.emiras if name == "emiras" else pos.status


def _faces(name: str, cards: list[int]) -> tuple[Plain, ...]:
    return tuple(NAMES[card] if name == "emiras" else card for card in cards)


def _answer_order(pos: Position, log: Log, seat: int, entry: list[int], name: str) -> None:
    deck = _deck(pos, name)
    deck.reorder(entry, seat)
    cards = _faces(name, deck.cards[: len(entry)])
    log.append(
        events.reorder(seat, name, len(entry), pos.turned_places() if name == "emiras" else ())
    )
    log.append(events.order(seat, name, cards))
    note(pos, "order", seat, name, len(entry), seat=seat, private=cards)


def _double_trouble(pos: Position, log: Log, seat: int) -> None:
    pos.doubles += 1
    _ask_split(pos, seat, "double_trouble")


def _quiet_days(pos: Position, log: Log, seat: int) -> None:
    pos.quiet = True
    _ask_split(pos, seat, "quiet_days")


def _ask_split(pos: Position, seat: int, card: str) -> None:
    """Ask which of the two rounds gets more, with 3 players (E39)."""
    if pos.seats == 3:
        ask(pos, questions.SPLIT, seat, _answer_split, about=card)


def _answer_split(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    pos.early = entry[0] == "odd"
    log.append(events.split(seat, entry[0]))


def _golden_times(pos: Position, log: Log, seat: int) -> None:
    pos.golden += 1


def _interrupt_spice_trade(pos: Position, log: Log, seat: int) -> None:
    pos.interrupted = True


def _sick_camels(pos: Position, log: Log, seat: int) -> None:
    pos.sick = True


def _good_looking(pos: Position, log: Log, seat: int) -> None:
    ask(pos, questions.kinds("good_looking", tuple(range(len(KINDS)))), seat, _answer_good_looking)


def _answer_good_looking(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    """Give a seat a counter "+1" for each three of a kind, kept to the end (E37, O11,
    O12).
    """
    kind = KINDS.index(entry[0])
    owned = counters(pos, seat)[kind] if pos.ruleset.good_looking_all else pos.tokens[seat][kind]
    count = owned // 3
    if pos.bonus_left is not None:
        count = min(count, pos.bonus_left)
        pos.bonus_left -= count
    pos.looks[seat].append(count)
    log.append(events.good_looking(seat, kind, count))


def _guest_house(pos: Position, log: Log, seat: int) -> None:
    pos.guests[seat] += 1


def _new_spice_caravan(pos: Position, log: Log, seat: int) -> None:
    """Give a caravan of the seat one income more, if it is not on the first place
    (E36).
    """
    movable = [
        (kind, rest)
        for kind, row in enumerate(pos.caravans[seat])
        for rest in sorted(set(row))
        if rest < CARAVAN_LENGTH[kind]
    ]
    if len(movable) > 1:
        ask(pos, questions.caravans(tuple(movable)), seat, _answer_caravan)
    elif movable:
        _move_right(pos, log, seat, *movable[0])
    else:
        log.append(events.void(EVENT_OF["new_spice_caravan"]))


def _answer_caravan(pos: Position, log: Log, seat: int, entry: list[int | str]) -> None:
    kind, rest = entry
    _move_right(pos, log, seat, CARAVANS.index(str(kind)), int(rest))


def _move_right(pos: Position, log: Log, seat: int, kind: int, rest: int) -> None:
    incomes = pos.caravans[seat][kind]
    incomes.remove(rest)
    insort(incomes, rest + 1)
    log.append(events.caravan(seat, kind, rest + 1))


def _restoration(pos: Position, log: Log, seat: int) -> None:
    """Raise the seat's palace by half a point, for good (E13)."""
    pos.disc[seat] += 1
    log.append(events.disc(seat, 1, pos.disc[seat]))


def _vermin(pos: Position, log: Log, seat: int) -> None:
    ask(pos, questions.VERMIN, seat, _answer_vermin)


def _answer_vermin(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    """Let every owner, from the player of the card on, move one caravan of the type, or
    two slow ones (E36).
    """
    kind = CARAVANS.index(entry[0])
    log.append(events.vermin(seat, kind))
    pos.todo += [
        (infest, (seat + offset) % pos.seats, kind) for offset in range(pos.seats - 1, -1, -1)
    ]


def infest(pos: Position, log: Log, seat: int, kind: int) -> None:
    """Move a seat's caravans of a type."""
    incomes = pos.caravans[seat][kind]
    if not incomes:
        return
    if SLOW[kind] and len(incomes) > 1:
        pairs = tuple(sorted(set(combinations(incomes, 2))))
        question, first = questions.pairs("vermin_move", pairs), list(pairs[0])
    else:
        options = tuple(sorted(set(incomes)))
        question, first = questions.numbers("vermin_move", options), [options[0]]
    if len(question[seat][seat].legal) > 1:
        ask(pos, question, seat, _answer_infest, kind, about=CARAVANS[kind])
    else:
        _answer_infest(pos, log, seat, first, kind)


def _answer_infest(pos: Position, log: Log, seat: int, entry: list[int], kind: int) -> None:
    incomes = pos.caravans[seat][kind]
    for rest in entry:
        incomes.remove(rest)
    for rest in entry:
        if rest > 1:
            insort(incomes, rest - 1)
        else:
            pos.supply[kind // 2] += 1  # off the end: gone without another income
        log.append(events.caravan(seat, kind, rest - 1))


ASK_AGAIN: dict[str, Callable[[Position, Log, int, Plain], None]] = {
    "place": lambda pos, log, seat, about: _changing_her_mind(pos, log, seat),
    "mind": lambda pos, log, seat, about: _look_at(pos, log, seat, about),
    "order": lambda pos, log, seat, about: _look_and_order(pos, log, seat, about, ""),
    "split": lambda pos, log, seat, about: _ask_split(pos, seat, about),
    "good_looking": lambda pos, log, seat, about: _good_looking(pos, log, seat),
    "caravan": lambda pos, log, seat, about: _new_spice_caravan(pos, log, seat),
    "vermin": lambda pos, log, seat, about: _vermin(pos, log, seat),
    "vermin_move": lambda pos, log, seat, about: infest(pos, log, seat, CARAVANS.index(about)),
}
"""Functions that open a question again in a position made of a view, by kind of
decision; each gets the question's subject.
"""
_EFFECT: tuple[Callable[[Position, Log, int], None], ...] = (
    _bazaar,
    _better_breed,
    _camel_breeding,
    _camel_epidemic,
    _changing_her_mind,
    _court_influence,
    _double_trouble,
    _golden_times,
    _good_looking,
    _guest_house,
    _interrupt_spice_trade,
    _new_orders,
    _new_spice_caravan,
    _noble_merchandise,
    _quiet_days,
    _restoration,
    _sick_camels,
    _vermin,
)
"""The function of each event card, in the order of ``EVENTS``."""
