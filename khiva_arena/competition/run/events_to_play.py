"""The events that a run plays, as the run sees them: its own, or those of a plan."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.competition.events.progress import ResumePoint
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.entrants.bots import Bot
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store


class EventsToPlay(Protocol):
    """The events of a run: which one is next, and how it is begun. ``OwnEvents`` is
    that of a run without a plan.

    file: the plan; None for a run without one.
    """

    @property
    def file(self) -> Path | None: ...

    def check_definition(
        self, definition: Definition, entrants: Sequence[Bot], *, store_exists: bool
    ) -> None:
        """Raise ConfigError if the first event cannot be played as it is defined."""

    def standing(
        self, store: Store, definition: Definition, entrants: Sequence[Bot], sandbox: Sandbox
    ) -> ResumePoint:
        """Return how far the run has come in a store. Raises StoreError,
        ConfigError.
        """

    def check_new(self, store: Store, todo: ResumePoint) -> None:
        """Raise ConfigError if a new event must not begin."""

    def event_in(self, store: Store, todo: ResumePoint) -> EventRow:
        """Return the next event, which is added to the store if it is new."""

    def play_of(self, store: Store, event: EventRow, commands: Sequence[Command]) -> Play:
        """Return the part of an event that is still to be played. ``commands``: by bot,
        () if no match will be played.
        """

    def why_nothing(self, store: Store, over: Sequence[EventRow], head: str) -> str:
        """Return the line that says why nothing is played. ``head`` names the events
        that are over.
        """
