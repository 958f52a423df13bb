"""A check that no seat sees any chance before an event tells it.

A random match is played beside a copy in which one draw is changed. A seat that got the
same events in both must have the same view, and the same choices when it is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

from khiva_arena.games.base import Event, Pending, Plain, State, seen_by
from khiva_arena.rng import Change, Changed, Stream

DRAWS = 40
"""Draws of a match that are changed, at most, one at a time."""
TIMES, FREE = 3, 100
"""The limit of the work: copies with a changed draw are begun until they have ``TIMES``
times the steps of the match, and ``FREE`` more.
"""


class Look(Protocol):
    """The part of a match that a seat can look at."""

    def pending(self) -> Pending:
        """Return the open decision of each asked seat, as ``State.pending`` does."""

    def view(self, seat: int) -> dict[str, Plain]:
        """Return all that a seat knows, as ``State.view`` does."""


Deal = Callable[[], tuple[State, list[Event]]]
Choices = Mapping[int, int]
Draw = tuple[bytes, int]
"""A draw: the key of its stream, and its place in the stream."""


class _Run:
    """A match whose draws come out as ``change`` says.

    events: of the last step.
    """

    def __init__(self, deal: Deal, change: Change) -> None:
        self._change = change
        with Changed(change):
            self._state, self.events = deal()

    def play(self, choices: Choices) -> None:
        with Changed(self._change):
            self.events = self._state.apply(choices)

    def pending(self) -> Pending:
        with Changed(self._change):
            return dict(self._state.pending())

    def view(self, seat: int) -> dict[str, Plain]:
        with Changed(self._change):
            return self._state.view(seat)


class Difference(NamedTuple):
    """A difference between two matches, seen by a seat to which no event has told them
    apart.

    step: 0 is the start.
    keys: of the seat's view, which differ; none if its choices differ.
    """

    step: int
    seat: int
    keys: Sequence[str]

    def point(self, what: str) -> str:
        """Return the point of the contract that the difference breaks.

        what: the difference between the matches.
        """
        when = f"after step {self.step}" if self.step else "at the start"
        if not self.keys:
            said = f"{when} what seat {self.seat} may choose shows"
            return (
                f"equal observations give equal legal lists: {said} {what} that no event has "
                "told it of"
            )
        said = f"{when} the view of seat {self.seat} shows, in {', '.join(self.keys)},"
        return f"equal observations give equal views: {said} {what} that no event has told it of"


def difference(step: int, seat: int, ours: Look, theirs: Look) -> Difference | None:
    """Return the difference between the views, or else the choices, of a seat in two
    matches; None if there is none.
    """
    view, other = ours.view(seat), theirs.view(seat)
    if keys := [
        key
        for key in {**view, **other}
        if key not in view or key not in other or view[key] != other[key]
    ]:
        return Difference(step, seat, keys)
    mine, yours = ours.pending().get(seat), theirs.pending().get(seat)
    return Difference(step, seat, ()) if mine != yours else None


def leak(
    deal: Deal, seats: int, stream: Stream, most: int, more: Callable[[], bool] = lambda: True
) -> str:
    """Return the point of the contract that is broken in the first steps of a match; ""
    if none is.

    deal: begins the match, always with the same secret.
    stream: of the choices, and of the draws that are changed.
    most: how many steps are looked at.
    more: whether there is time to change another draw.
    """
    record, found = _recorded(deal, seats, stream, most)
    left = TIMES * len(record) + FREE
    for draw in _some(list(found), stream):
        if left <= 0 or not more():
            break
        seen, steps = _compared(deal, seats, record, found[draw], _otherwise(draw, stream.u64()))
        left -= steps
        if seen:
            always, _ = _compared(deal, seats, record, found[draw], _as_it_is)
            return "a replay shows seats the same" if always else seen.point("a draw")
    return ""


def _recorded(
    deal: Deal, seats: int, stream: Stream, most: int
) -> tuple[list[Choices], dict[Draw, int]]:
    """Play a random match, and return its choices and its draws. Each draw has the step
    at which it is first drawn.
    """
    record: list[Choices] = []
    found: dict[Draw, int] = {}

    def listen(key: bytes, place: int, number: int) -> int:
        found.setdefault((key, place), len(record))
        return number

    run = _Run(deal, listen)
    while True:
        asked = run.pending()
        for seat in range(seats):
            run.view(seat)
        if not asked or len(record) == most:
            return record, found
        record.append({seat: stream.below(len(decision.legal)) for seat, decision in asked.items()})
        run.play(record[-1])


def _some(draws: Sequence[Draw], stream: Stream) -> Iterator[Draw]:
    """Yield at most ``DRAWS`` of the draws at random: one of each stream, then another
    of each, and so on.
    """
    streams: dict[bytes, list[Draw]] = {}
    for draw in draws:
        streams.setdefault(draw[0], []).append(draw)
    by_stream = list(streams.values())
    stream.shuffle(by_stream)
    for each in by_stream:
        stream.shuffle(each)
    mixed = (draw for draw in chain.from_iterable(zip_longest(*by_stream)) if draw)
    return (draw for draw, _ in zip(mixed, range(DRAWS), strict=False))


def _otherwise(draw: Draw, other: int) -> Change:
    return lambda key, place, number: other if (key, place) == draw else number


def _as_it_is(key: bytes, place: int, number: int) -> int:
    return number


def _compared(
    deal: Deal, seats: int, record: Sequence[Choices], since: int, change: Change
) -> tuple[Difference | None, int]:
    """Return the first difference that ``change`` makes before an event tells a seat of
    it, and how many steps were played.

    since: the earliest step at which the change shows.

    If the changed match asks other seats than the match itself, the comparison ends: to
    be asked, or not, tells a seat something, too.
    """
    ours, theirs = _Run(deal, _as_it_is), _Run(deal, change)
    untold = set(range(seats))
    for step in range(len(record) + 1):
        if step:
            ours.play(record[step - 1])
            asked = theirs.pending()
            theirs.play(
                {
                    seat: min(choice, len(asked[seat].legal) - 1)
                    for seat, choice in record[step - 1].items()
                }
            )
        untold = {
            seat for seat in untold if seen_by(ours.events, seat) == seen_by(theirs.events, seat)
        }
        same = list(ours.pending()) == list(theirs.pending())
        if step >= since:
            for seat in sorted(untold):
                if (seen := difference(step, seat, ours, theirs)) and (same or seen.keys):
                    return seen, step
        if not untold or not same:
            return None, step
    return None, len(record)
