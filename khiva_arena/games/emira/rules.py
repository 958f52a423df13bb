"""The flow of Emira: set up, the eight phases of a round, the end.

A round is put on ``pos.todo`` phase by phase; the work of each phase is in ``cards``,
``market``, ``auction``, ``courtship`` and ``upkeep``.
"""

from collections.abc import Mapping
from types import MappingProxyType

from khiva_arena.games.base import NOBODY, Event, check_choices
from khiva_arena.games.emira import auction, cards, dealing, events, market, questions
from khiva_arena.games.emira.courtship import choose_next, recheck
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.position_parts import Task
from khiva_arena.games.emira.scoring import ranks, scores, winners
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, note, run, take_answer
from khiva_arena.games.emira.tables import (
    BLACK,
    BLUE,
    CAMELS,
    CARAVAN_INCOME,
    DRESS,
    EVENT_OF,
    EVENTS,
    GOALS,
    GREEN,
    NAMES,
    RED,
    RED_CARD,
    SECTIONS,
    START_GOLD,
    WHITE,
)
from khiva_arena.games.emira.upkeep import upkeep_turn
from khiva_arena.games.emira.values import to_draw

ON_BOARD = ("small", "large", "camel", "palace")
"""Things that the supply puts on the board, by their index in the supply."""


def set_up(pos: Position) -> Log:
    """Take an empty table to the first question, and return the events (E14-E17)."""
    secret, seats = pos.secret, pos.seats
    pos.colours = dealing.colours(secret, seats)
    pos.start = dealing.start(secret, seats)
    pos.gold = [START_GOLD] * seats
    if BLUE not in pos.colours:
        pos.bag[DRESS] += 1
    for seat, colour in enumerate(pos.colours):
        if colour == GREEN:
            pos.camels[seat] += 1
            pos.supply[CAMELS] -= 1
        elif colour == WHITE:
            pos.sections[seat] += 1
            pos.supply[SECTIONS] -= 1
        elif colour == RED:
            pos.status_cards[seat].append(RED_CARD)
        elif colour == BLUE:
            pos.tokens[seat][DRESS] += 1
    pos.status = Deck(dealing.status(secret, seats, pos.colours))
    pos.goals = dealing.goals(secret, seats)
    pos.emiras = Deck(dealing.emiras(secret))
    log = [events.setup(pos.colours, pos.start)]
    log += [events.goal(seat, GOALS[seats][goal]) for seat, goal in enumerate(pos.goals)]
    first = dealing.first_events(secret, seats, pos.ruleset.advanced)
    pos.hands, pos.events = first.dealt, Deck(first.rest)
    questions_by_seat = {}
    for seat, dealt in enumerate(first.dealt):
        log.append(events.dealt(seat, dealt))
        options = tuple(sorted(set(dealt)))
        if len(options) > 1:
            questions_by_seat[seat] = questions.first_event(options)
    if questions_by_seat:
        pos.asked = MappingProxyType(questions_by_seat)
    else:
        _keep_first(pos, {}, log)
    return log


def apply(pos: Position, choices: Mapping[int, int]) -> list[Event]:
    """Play the choices of all asked seats, and return the events. Raises IllegalChoice
    with nothing changed.
    """
    check_choices(pos.asked, choices)
    log: Log = []
    offer = pos.offer
    if offer is not None:
        take_answer(pos, log, choices[offer.seat])
    else:
        _keep_first(pos, choices, log)
    return log


def _keep_first(pos: Position, choices: Mapping[int, int], log: Log) -> None:
    """Let each seat keep one of its three event cards, and shuffle the others back
    (E17).
    """
    rest = pos.events.cards
    for seat, dealt in enumerate(pos.hands):
        kept = dealt[0]
        if seat in choices:
            kept = EVENT_OF[pos.asked[seat].legal[choices[seat]][0]]
        back = dealt[:]
        back.remove(kept)
        rest = rest + back
        pos.hands[seat] = [kept]
        log.append(events.kept(seat, kept))
        note(pos, seat=seat, private=("deal", EVENTS[kept], *(EVENTS[card] for card in back)))
    pos.events = Deck(dealing.events(pos.secret, rest))
    pos.asked = NOBODY
    pos.todo.append((_new_round,))
    run(pos, log)


# --- a round ---


def _new_round(pos: Position, log: Log) -> None:
    """Begin a round with its phases (E18); with 3 players odd and even rounds differ
    (E38).
    """
    pos.round += 1
    pos.blocked = pos.golden = pos.doubles = 0
    pos.interrupted = pos.sick = pos.quiet = False
    pos.early = True
    pos.bazaar = pos.noble = -1
    pos.settled = pos.paid = 0
    pos.served = pos.fresh = 0
    log.append(
        events.new_round(
            pos.round, pos.start, [seat for seat in range(pos.seats) if pos.lost[seat] == pos.round]
        )
    )
    pos.todo += reversed([task for _, task in _phases(pos)])


def _phases(pos: Position) -> list[tuple[str, Task]]:
    """Return the phases of this round in order, and the end of the round."""
    three, odd = pos.seats == 3, pos.round % 2 == 1
    plays = not three or odd
    if pos.round == 1 and not pos.ruleset.advanced:
        plays = False  # E19
    buys = not three or (not odd and pos.ruleset.buys_3p)  # O6
    phases: list[tuple[str, Task]] = [("events", (_events,))] if plays else []
    phases += [
        ("income", (_income,)),
        ("prepare", (_prepare_even,) if three and not odd else (_prepare,)),
    ]
    phases += [("auction", (auction.open_phase,))]
    phases += [("buy", (_buy,))] if buys else []
    return [*phases, ("choice", (_choice,)), ("upkeep", (_upkeep,)), ("over", (_end_round,))]


def to_come(pos: Position) -> list[Task]:
    """Return the tasks of this round after the present phase, the next one last."""
    phases = _phases(pos)
    now = [name for name, _ in phases].index(pos.phase)
    return [task for _, task in reversed(phases[now + 1 :])]


def _events(pos: Position, log: Log) -> None:
    """Begin phase 1, the event cards (E19)."""
    pos.phase = "events"
    pos.todo.append((cards.play_turn, 0))


def _income(pos: Position, log: Log) -> None:
    """Play phase 2: base income, and the caravans, which then move on (E1)."""
    pos.phase = "income"
    rules = pos.ruleset
    amounts, ends = [], []
    for seat in range(pos.seats):
        gold = rules.black_income if pos.colours[seat] == BLACK else rules.base_income
        caravans_gone = 0
        if not pos.interrupted:
            for kind, incomes in enumerate(pos.caravans[seat]):
                if incomes:
                    gold += CARAVAN_INCOME[kind] * len(incomes)
                    moved_incomes = [rest - 1 for rest in incomes if rest > 1]
                    pos.supply[kind // 2] += len(incomes) - len(moved_incomes)
                    caravans_gone += len(incomes) - len(moved_incomes)
                    pos.caravans[seat][kind] = moved_incomes
        gold += gold * pos.golden // 5  # E36: Golden Times add a fifth; all amounts are in fifties
        pos.gold[seat] += gold
        amounts.append(gold)
        ends.append(caravans_gone)
    log.append(events.income(amounts, ends))
    pos.todo.append((recheck,))


def _prepare(pos: Position, log: Log) -> None:
    """Begin phase 3: Emiras, then a status card, an appearance counter, and things from
    the supply (E20).
    """
    pos.phase = "prepare"
    now, later = to_draw(pos)
    deck = pos.emiras
    pos.active = [deck.draw() for _ in range(min(now, len(deck.cards)))]
    pos.coming = [deck.draw() for _ in range(min(later, len(deck.cards)))]
    names = [NAMES[card] for card in (*pos.active, *pos.coming)]
    if names:
        note(pos, "emiras", *names)
    log.append(events.emiras(pos.active, pos.coming))
    pos.todo += [(open_board,), (market.show_appearance,), (market.show_status,)]


def _prepare_even(pos: Position, log: Log) -> None:
    """Begin phase 3 of an even round with 3 players: the second Emira is active, and
    only a section is new, if the last was taken (E38).
    """
    pos.phase = "prepare"
    pos.active, pos.coming = pos.coming, []
    log.append(events.emiras(pos.active, ()))
    if pos.supply[SECTIONS]:
        pos.open |= 1 << SECTIONS
    _note_board(pos, log)


def open_board(pos: Position, log: Log) -> None:
    """Open the board: all that the supply still has (E22)."""
    pos.open = sum(1 << item for item, count in enumerate(pos.supply) if count)
    _note_board(pos, log)


def _note_board(pos: Position, log: Log) -> None:
    log.append(events.board(pos.shown_tokens, pos.shown_status, on_board(pos)))


def on_board(pos: Position) -> list[str]:
    """Return the things of the supply that can still be bought this round."""
    return [name for item, name in enumerate(ON_BOARD) if pos.open >> item & 1]


def _buy(pos: Position, log: Log) -> None:
    """Begin phase 5, the purchase of event cards (E24)."""
    pos.phase = "buy"
    pos.todo.append((market.buy_turn, 0))


def _choice(pos: Position, log: Log) -> None:
    """Begin phase 6, the choices of the Emiras (E6)."""
    pos.phase = "choice"
    pos.todo.append((choose_next,))


def _upkeep(pos: Position, log: Log) -> None:
    """Begin phase 7, the upkeep; all have paid before waiting Emiras look again
    (E25).
    """
    pos.phase = "upkeep"
    pos.todo += [(recheck,), (upkeep_turn, 0)]


def _end_round(pos: Position, log: Log) -> None:
    """Play phase 8, the end of a round or of the match (E32, E41)."""
    pos.winners = winners(pos)
    if pos.winners or pos.round >= pos.ruleset.max_rounds:
        pos.ending = "goal" if pos.winners else "rounds"
        pos.phase = "over"
        pos.over = True
        goals = [GOALS[pos.seats][goal] for goal in pos.goals]
        log.append(events.end(pos.ending, scores(pos), ranks(pos), goals))
        return
    pos.start = (pos.start + 1) % pos.seats
    pos.todo.append((_new_round,))
