"""The course of a match: tasks in a stack, done until one of them asks a seat
something.

A task is a tuple of a function and its arguments after the position and the log. It may
put further tasks on ``pos.todo``, the next one last, so that its own tasks come before
the waiting ones.
"""

from collections.abc import Callable
from typing import Any

from khiva_arena.games.base import NOBODY, Event, Plain
from khiva_arena.games.emira.position_parts import Entry, Offer
from khiva_arena.games.emira.questions import BySeat
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.values import settle_bonus

Log = list[Event]


def ask(
    pos: Position,
    question: BySeat,
    seat: int,
    answer: Callable[..., None],
    *data: Any,
    cards: tuple[Plain, ...] = (),
    about: Plain = None,
) -> None:
    """Open a question; ``answer(pos, log, seat, entry, *data)`` continues from the
    entry of ``legal`` that is chosen.
    """
    pos.asked = asked = question[seat]
    pos.offer = Offer(asked[seat].kind, seat, answer, data, cards, about)


def take_answer(pos: Position, log: Log, choice: int) -> None:
    """Close the question with this choice and continue with the next."""
    offer = pos.offer
    assert offer is not None
    seat = offer.seat
    entry = pos.asked[seat].legal[choice]
    pos.offer = None
    pos.asked = NOBODY
    offer.answer(pos, log, seat, entry, *offer.data)
    run(pos, log)


def run(pos: Position, log: Log) -> None:
    """Do the tasks until a question is open or nothing is left."""
    todo, capped = pos.todo, pos.bonus_left is not None
    if capped:
        settle_bonus(pos)
    while todo and not pos.asked:
        task = todo.pop()
        task[0](pos, log, *task[1:])
        if capped:
            settle_bonus(pos)


def clockwise(pos: Position, offset: int) -> int:
    """Return the seat so many places to the left of the start player."""
    return (pos.start + offset) % pos.seats


def note(pos: Position, *public: Plain, seat: int = -1, private: tuple[Plain, ...] = ()) -> None:
    """Add a line to the history: the round, the ``public`` part that all know, and the
    ``private`` part for ``seat``.
    """
    pos.history.append(Entry([pos.round, *public], seat, private))
