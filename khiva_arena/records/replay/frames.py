"""A match as frames, for programs that draw it: each step with the seats' knowledge,
choices and events.

The rules work out all of it, so that nobody who draws a match needs an engine. A film
is small, since a page holds hundreds of matches. A frame holds only the changes since
the frame before (``patch``), and facts that all seats know stand in it once. The films
of a block are written column by column, so that a compressor finds their common parts.

A patch turns the old value into the new one:

    [new]                             the new value in place of the old
    {"k": {key: patch}, "x": [key]}   of an object: keys that are new or changed, and
                                      keys that are gone; "x" may be missing
    {"i": [place, patch, ...]}        of a list whose length stays
    {"s": [start, gone, new, ...]}    of a list: from ``start`` on, ``gone`` entries
                                      give way to new ones
    0                                 nothing has changed
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from khiva_arena.common.text import ISOLATES, LONGEST, harmless, isolated
from khiva_arena.games.base import Event, Plain, SeatPoints, State
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

SAME = 0


@dataclass(slots=True)
class Film:
    """A match, frame by frame; the opening is the first.

    public: the keys of a view that were equal for all seats at every step.
    knows: the patch to {"all": the facts that all seats know, "own": by seat, the part
        of its view that is not public}, from {} at first. For a key that is not public
        "all" has the places at which all seats' values are equal, such as the cards of
        a deck that all have seen, and null for the others.
    asked: the seats asked before the frame, each [seat, kind, legal choices, choice],
        and why the default was played if it was.
    events: the events, each with its text.
    scores: by seat.
    sources: the names of the sources of points that count, and of those that count
        nothing; [] for a game that does not say.
    points: by seat the number of points of each source, in the order of both lists.
    sketches: the whole state as text, if that was asked for.
    """

    public: list[str] = field(default_factory=list)
    knows: list[Plain] = field(default_factory=list)
    asked: list[list[list[Plain]]] = field(default_factory=list)
    events: list[list[tuple[Event, str]]] = field(default_factory=list)
    scores: list[list[int]] = field(default_factory=list)
    sources: list[list[str]] = field(default_factory=list)
    points: list[list[list[int]]] = field(default_factory=list)
    sketches: list[str] = field(default_factory=list)

    def points_at_the_end(self) -> list[SeatPoints] | None:
        """Return the points of each seat by source at the end, None for a game that
        does not say.
        """
        if not self.points[-1]:
            return None
        counted, uncounted = self.sources
        cut = len(counted)
        return [
            SeatPoints(
                dict(zip(counted, seat, strict=False)),
                dict(zip(uncounted, seat[cut:], strict=True)),
            )
            for seat in self.points[-1]
        ]


def film(record: Record, secret: bytes, names: Sequence[str], sketches: bool = False) -> Film:
    """Return the film of a whole match. Raises RecordError if the record does not
    replay.

    names: by seat, for the texts: see ``names_in_text``.
    sketches: whether to add the whole state as text.
    """
    game = get(record.header.game, record.header.rules_version)
    out = Film()
    views: list[list[dict[str, Plain]]] = []
    pending: list[tuple[int, str, list[Plain]]] = []

    def watch(step: int, state: State, events: Sequence[Event]) -> None:
        choices = record.steps[step - 1] if step else ()
        out.asked.append(
            [
                [*who, one.choice, *([one.why] if one.why else [])]
                for who, one in zip(pending, choices, strict=True)
            ]
        )
        out.events.append(
            [(event, harmless(game.narrate(event, names), keep=ISOLATES)) for event in events]
        )
        out.scores.append(list(state.scores))
        by_source = state.points_by_source or []
        out.sources = [[*part] for part in by_source[0]] if by_source else out.sources
        out.points.append(
            [[points for part in seat for points in part.values()] for seat in by_source]
        )
        if sketches:
            out.sketches.append(harmless(game.sketch(state, names), keep=f"\n{ISOLATES}"))
        public = state.public()
        views.append([{**public, **state.private(seat)} for seat in range(len(names))])
        pending[:] = [
            (seat, decision.kind, list(decision.legal))
            for seat, decision in state.pending().items()
        ]

    verify(record, secret, watch)
    out.public = [
        key
        for key in views[0][0]
        if all(one.get(key) == of_seats[0].get(key) for of_seats in views for one in of_seats)
    ]
    before: Plain = {}
    for of_seats in views:
        own = [
            {key: value for key, value in view.items() if key not in out.public}
            for view in of_seats
        ]
        knows = {"all": reduce(_shared, of_seats), "own": own}
        out.knows.append(patch(before, knows))
        before = knows
    return out


def _shared(first: Plain, second: Plain) -> Plain:
    """Return the equal part of two seats' values: of objects or lists of one length
    part by part, else None where they differ.
    """
    if first is second or first == second:
        return first
    if isinstance(first, dict) and isinstance(second, dict):
        common = {key: _shared(first[key], second[key]) for key in first if key in second}
        return {
            key: value for key, value in common.items() if value is not None or first[key] is None
        }
    if (
        isinstance(first, (list, tuple))
        and isinstance(second, (list, tuple))
        and len(first) == len(second)
    ):
        return [_shared(mine, theirs) for mine, theirs in zip(first, second, strict=True)]
    return None


def block(films: Sequence[Film], shared: Callable[[list[Plain]], int]) -> dict[str, Plain]:
    """Return films as plain values, column by column: in each a list by film, in that
    one by frame, of events by event.

    shared: gives a number to a list of choices, which stands in its place.
    """
    events = [[event for frame in one.events for event in frame] for one in films]
    return {
        "public": [one.public for one in films],
        "asked": [
            [
                [[seat, kind, shared(legal), *rest] for seat, kind, legal, *rest in step]
                for step in one.asked
            ]
            for one in films
        ],
        "count": [[len(frame) for frame in one.events] for one in films],
        "to": [
            [0 if event.to is None else list(event.to) for event, _ in of_film]
            for of_film in events
        ],
        "data": [[event.data for event, _ in of_film] for of_film in events],
        "text": [[text for _, text in of_film] for of_film in events],
        "scores": [one.scores for one in films],
        "sources": [one.sources for one in films],
        "points": [one.points for one in films],
        "sketch": [one.sketches for one in films],
        "knows": [one.knows for one in films],
    }


def opened(reel: Film) -> dict[str, Plain]:
    """Return a film as a block of its own, and the lists of choices that it names, as
    the viewer of pages takes them.
    """
    legal: list[Plain] = []

    def number(choices: list[Plain]) -> int:
        legal.append(choices)
        return len(legal) - 1

    return {"block": block([reel], number), "legal": legal}


def names_in_text(names: Sequence[str]) -> list[str]:
    """Return the names of a match's seats in sentences: bots of one name with their
    seat behind it.
    """
    return [
        isolated(name, LONGEST) + (f"#{seat}" if names.count(name) > 1 else "")
        for seat, name in enumerate(names)
    ]


def patch(old: Plain, new: Plain) -> Plain:
    """Return the patch that turns ``old`` into ``new``; the module's docstring has its
    forms.
    """
    if type(old) is type(new) and old == new:
        return SAME
    if isinstance(old, dict) and isinstance(new, dict):
        return _patch_of_object(old, new)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return _patch_of_list(old, new)
    return [new]


def _patch_of_object(old: dict[str, Plain], new: dict[str, Plain]) -> Plain:
    changes = {key: patch(old[key], value) if key in old else [value] for key, value in new.items()}
    changes = {key: change for key, change in changes.items() if change != SAME}
    removed_keys = [key for key in old if key not in new]
    if len(changes) == len(new) and all(isinstance(change, list) for change in changes.values()):
        return [new]  # shorter than a patch of every key
    return {"k": changes, "x": removed_keys} if removed_keys else {"k": changes}


def _patch_of_list(old: Sequence[Plain], new: Sequence[Plain]) -> Plain:
    if len(old) == len(new):
        changes = [
            (place, patch(was, now)) for place, (was, now) in enumerate(zip(old, new, strict=True))
        ]
        changes = [change for change in changes if change[1] != SAME]
        replacements = sum(isinstance(change, list) for _, change in changes)
        return (
            [new]
            if 2 * replacements > len(new)
            else {"i": [part for change in changes for part in change]}
        )
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next(
        (at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start
    )
    return (
        {"s": [start, len(old) - start - end, *new[start : len(new) - end]]}
        if start + end
        else [new]
    )


def apply_patch(old: Plain, change: Plain) -> Plain:
    """Return the value that ``change`` makes of ``old``: the reader's side of
    ``patch``.
    """
    if change == SAME:
        return old
    if isinstance(change, list):
        return change[0]
    if "k" in change:
        removals = change.get("x", ())
        rest = {key: value for key, value in old.items() if key not in removals}
        return rest | {key: apply_patch(old.get(key), inner) for key, inner in change["k"].items()}
    if "i" in change:
        new = list(old)
        for place, inner in zip(change["i"][::2], change["i"][1::2], strict=True):
            new[place] = apply_patch(new[place], inner)
        return new
    start, removals, *additions = change["s"]
    return [*old[:start], *additions, *old[start + removals :]]
