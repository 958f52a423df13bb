"""The events that a run's own settings define: which one is next, and how it is
begun.
"""

import secrets
from collections.abc import Sequence
from pathlib import Path

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.progress import ResumePoint, standing_of
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.run.options import RunOptions
from khiva_arena.competition.settings.define import refuse_short_turns, run_secret
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.rating.schedule import formats
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store


class OwnEvents:
    """The events of a run that plays no plan: one a stage. A plan has an
    ``EventsToPlay`` of its own instead.

    file: the plan, of which there is none.
    """

    file: Path | None = None

    def __init__(self, stages: Sequence[Settings], options: RunOptions, say: Say) -> None:
        self._stages, self._options, self._say = stages, options, say

    def check_definition(
        self, definition: Definition, entrants: Sequence[Bot], *, store_exists: bool
    ) -> None:
        """Raise ConfigError if turns are too short for a first event."""
        if not store_exists:
            refuse_short_turns(definition)

    def standing(
        self, store: Store, definition: Definition, entrants: Sequence[Bot], sandbox: Sandbox
    ) -> ResumePoint:
        """Return how far the competition has come in a store. ``definition``: of its
        first event.

        Raises StoreError, ConfigError.
        """
        return standing_of(
            store, self._stages, definition, entrants, sandbox, new_event=self._options.new_event
        )

    def check_new(self, store: Store, todo: ResumePoint) -> None:
        """Raise ConfigError if a new event would begin unasked because of a change
        since the last or of another price list, if turns are too short, or if the store
        has this event already.
        """
        assert todo.definition is not None
        is_comparison = (
            todo.definition.comparison is not None
        )  # of versions, which change from one to the next
        if not self._options.new_event and not is_comparison and store.events():
            # not above: in a new store nothing has changed
            from khiva_arena.competition.events import drift

            drift.refuse_changed(store, todo.definition, todo.entrants, drift.WAYS_ON)
            drift.refuse_other_prices(store, todo.definition)
        if not todo.over:
            refuse_short_turns(todo.definition)
        stage = self._stages[len(todo.over)]
        if stage.seed is not None:
            stored.new_id(
                store,
                todo.definition,
                run_secret(stage, todo.definition.extends),
                _follows_0_1(todo),
            )

    def event_in(self, store: Store, todo: ResumePoint) -> EventRow:
        """Return the next event, which is added to the store if it is new. Lines then
        tell facts that the user may not know.
        """
        if definition := todo.event.definition if todo.event else todo.definition:
            stored.keep_modules(store.folder, definition)
        if todo.event is not None:
            return todo.event
        assert todo.definition is not None
        before = todo.over[-1] if todo.over else None
        stage, events = self._stages[len(todo.over)], store.events()
        for row in events:
            if store.conclusion(row.id) is None and not store.recorded(row.id):
                self._say(
                    f"event {row.number} (other settings, no match yet, commitment "
                    f"{row.commitment}) is kept"
                )
        secret = (
            run_secret(stage, todo.definition.extends)
            if stage.seed is not None
            else secrets.token_bytes(seeds.SECRET_BYTES)
        )
        if events:
            # not above: a new store has nothing to extend
            from khiva_arena.competition.events.extending import dealt_before, why_beside

            new = self._options.new_event
            if (
                reason := dealt_before(store, todo.definition, secret)
                if new
                else why_beside(store, todo.definition)
            ):
                self._say(reason)
        event = stored.add_event(store, todo.definition, todo.entrants, secret, _follows_0_1(todo))
        if events:
            from khiva_arena.competition.events.drift import edited_bots

            if edited := edited_bots(events, todo.entrants):
                self._say(f"{edited}: this is event {event.number}")
        public = self._options.public
        if public is not None and (before is None or before.public != public):
            unseen = "nobody saw the commitment before this text was given, so it proves nothing"
            self._say(f"--public: {unseen}; next time --commit first")
        return event

    def play_of(self, store: Store, event: EventRow, commands: Sequence[Command]) -> Play:
        """Return the part of an event that is still to be played. ``commands``: by bot,
        () if no match will be played.
        """
        if not formats.FORMATS[event.definition.format].SEQUENTIAL:
            return Play(store, event, commands)
        from khiva_arena.competition.playing.sequential import SequentialPlay  # numpy comes with it

        return SequentialPlay(store, event, commands, self._options.most)

    def why_nothing(self, store: Store, over: Sequence[EventRow], head: str) -> str:
        """Return the line that says why nothing is played, and which flags play more.
        ``head`` names the events that are over.
        """
        # not above: most runs play something
        from khiva_arena.competition.events.extending import ways_to_more

        return (
            f"{head}: nothing is played{ways_to_more(store, over[-1])}; --new-event plays "
            "another one"
        )


def _follows_0_1(todo: ResumePoint) -> bool:
    """Tell whether version 0.1.0 played the stage before the next one, and gave it an
    id of its kind.
    """
    return bool(todo.over) and todo.over[-1].is_of_0_1
