"""Progress of a competition in a store: the events that are over, the event in
progress, and the next one.
"""

import shlex
from collections.abc import Sequence
from functools import partial

import msgspec

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.find import events_of, sound_results
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule import formats
from khiva_arena.records.replay.definition import Definition, spellings
from khiva_arena.records.store.db import EventRow, Store


class ResumePoint(msgspec.Struct, frozen=True):
    """The point that a competition has reached, and the event to be played next.

    over: the events of its first stages, each the one that the next one follows; the
        last may have been closed before.
    entrants: of the stage after those; () if all are over.
    definition: of that stage; None if all are over.
    event: the one of that stage that is in progress; None if it is still to begin.
    """

    over: tuple[EventRow, ...]
    entrants: tuple[Bot, ...] = ()
    definition: Definition | None = None
    event: EventRow | None = None


def standing_of(
    store: Store,
    stages: Sequence[Settings],
    definition: Definition,
    entrants: Sequence[Bot],
    sandbox: Sandbox,
    *,
    new_event: bool = False,
) -> ResumePoint:
    """Find the events of a competition by their definitions: at each stage the newest
    that is not over, else the newest.

    An event that is over and has fewer seeds, with all else equal, is extended, unless
    ``new_event`` asks for another event.

    definition: of the first stage's event.

    Raises StoreError if the store is damaged, ConfigError if a stage cannot be played
    with the bots that came to it.
    """
    rows = events_of(store, ())
    over: list[EventRow] = []
    for stage in stages:
        if over:
            entrants = _best(store, over[-1], entrants, stage.take)
            definition = _definition_after(over[-1], stage, entrants, sandbox)
        event = _newest(store, rows, spellings(definition))
        for spelt in spellings(definition) if event is None and rows else ():
            # not above: a new store has nothing to extend
            from khiva_arena.competition.events.extending import extended_definition

            if longer := extended_definition(store, rows, stage, spelt, new_event=new_event):
                definition, event = longer, _newest(store, rows, [longer])
                break
        if event is None or store.conclusion(event.id) is None:
            return ResumePoint(
                tuple(over), tuple(entrants), event.definition if event else definition, event
            )
        over.append(event)
        if event.closed:  # no stage can follow
            break
    return ResumePoint(tuple(over))


def _newest(
    store: Store, events: Sequence[EventRow], definitions: Sequence[Definition]
) -> EventRow | None:
    fits = [event for event in events if event.definition in definitions]
    unfinished = [event for event in fits if store.conclusion(event.id) is None]
    return next(reversed(unfinished or fits), None)


def _definition_after(
    before: EventRow, stage: Settings, entrants: Sequence[Bot], sandbox: Sandbox
) -> Definition:
    """Return the definition of the event of a stage. ``before``: the event of the stage
    before it.

    Raises ConfigError if the stage cannot be played with the bots that came to it.
    """
    # an id that version 0.1.0 gave hangs on what it had in a definition
    after = None if before.is_of_0_1 else before.id
    try:
        definition = definition_of(stage, entrants, sandbox, after)
        formats.check_terms(definition.terms())
    except ConfigError as error:
        way_on = (
            "change it and give the same command again; results so far: khiva-arena standings "
            f"{shlex.quote(str(stage.out))}"
        )
        raise ConfigError(
            [*(f"{stage.name}: {problem}" for problem in error.problems), way_on]
        ) from None
    return definition


def _best(store: Store, event: EventRow, entrants: Sequence[Bot], take: int | None) -> list[Bot]:
    """Return the bots that did best in an event that is over, best first; all of them
    if ``take`` is None.
    """
    return [
        entrants[place.bot]
        for place in stored.places(event, partial(sound_results, store, event)).placings
    ][:take]
