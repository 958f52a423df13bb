"""The part of an event that is one shard of it, in a store."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say
from khiva_arena.competition.events import drift
from khiva_arena.competition.events.find import events_of
from khiva_arena.competition.events.progress import ResumePoint
from khiva_arena.competition.events.stored import has_seeds, keep_modules, stored_event
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.shard import PlannedShard, Shard
from khiva_arena.rating.schedule.formats import DrawnRound, Shape
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import BotRow, EventRow, Store
from khiva_arena.records.store.shard_note import leave_note
from khiva_arena.words import count


def bot_rows(bots: Sequence[Bot]) -> tuple[BotRow, ...]:
    """Return the rows of bots for a store or a plan."""
    folder = str(Path.cwd())
    return tuple(
        BotRow(b.name, b.identity, b.version, b.complete, b.asked_as, b.folder or folder)
        for b in bots
    )


class PlannedEvents:
    """The one event of a plan, of which a shard is played.

    A run without a plan has ``competition.own_events.OwnEvents`` instead.

    file: the plan.
    """

    def __init__(self, planned_shard: PlannedShard, say: Say) -> None:
        self._planned_shard, self._say = planned_shard, say
        self.file = planned_shard.file

    def check_definition(
        self, definition: Definition, entrants: Sequence[Bot], *, store_exists: bool
    ) -> None:
        """Raise ConfigError, with every difference, if a plan cannot be played here as
        it says.
        """
        planned = self._planned_shard.event.definition
        if planned.batch:  # whose tables and Elo 0 no settings give
            definition = structs.replace(
                definition, format=planned.format, batch=planned.batch, anchor=planned.anchor
            )
        if definition.text != self._planned_shard.event.text:
            lines = drift.differences(self._planned_shard.event, definition, entrants)
            raise ConfigError(
                [f"--from-plan {self.file}: {line}, by the plan and here" for line in lines]
            )

    def standing(
        self, store: Store, definition: Definition, entrants: Sequence[Bot], sandbox: Sandbox
    ) -> ResumePoint:
        """Return how far the event of the plan has come. It is over here if this
        machine's shard is complete, or if it was closed.

        Raises StoreError if the store is damaged.
        """
        planned = self._planned_shard
        event = next((row for row in events_of(store, ()) if row.id == planned.event.id), None)
        if event is not None and (
            event.closed or has_seeds(store, event, planned.shard.seeds(event.definition.seeds))
        ):
            return ResumePoint((event,))
        return ResumePoint((), tuple(entrants), planned.event.definition, event)

    def check_new(self, store: Store, todo: ResumePoint) -> None:
        """Raise ConfigError if another event of the store differs from the plan's by
        something that has changed since.
        """
        if todo.definition is not None and store.events():
            drift.refuse_changed(store, todo.definition, todo.entrants, drift.WAYS_ON_OF_A_PLAN)

    def event_in(self, store: Store, todo: ResumePoint) -> EventRow:
        """Return the plan's event; if the store lacks it, it is added as begun by the
        engine that made the plan.
        """
        keep_modules(store.folder, self._planned_shard.event.definition)
        leave_note(store.folder, self._planned_shard.note, self._say)
        if todo.event is not None:
            return todo.event
        event = self._planned_shard.event
        store.add_event(
            event.id,
            event.text,
            event.engines[0],
            event.commitment,
            event.secret,
            bot_rows(todo.entrants),
        )
        return stored_event(store, event.id)

    def play_of(self, store: Store, event: EventRow, commands: Sequence[Command]) -> "ShardPlay":
        """Return the part of the shard that is still to be played. ``commands``: by
        bot; () if nothing is to be played, only told.
        """
        return ShardPlay(store, event, commands, self._planned_shard.shard)

    def why_nothing(self, store: Store, over: Sequence[EventRow], subject: str) -> str:
        """Return the line that says why nothing is played. It begins with ``subject``,
        the events that are over, if the plan's event is.
        """
        if store.conclusion(over[0].id) is not None:
            return f"{subject}: nothing is played"
        return (
            f"{store.folder}: shard {self._planned_shard.shard} of event {over[0].id} is "
            "complete: nothing is played"
        )


class ShardPlay(Play):
    """The part of a shard that is still to be played."""

    def __init__(
        self, store: Store, event: EventRow, commands: Sequence[Command], shard: Shard
    ) -> None:
        """Prepare the rest of a shard. ``event``: of a format with one round."""
        super().__init__(store, event, commands)
        (self._shape,) = self.timetable.shapes
        self._shard = shard
        self._seeds = shard.seeds(self._shape.seeds)
        self.matches_of_others = len(self.done) - sum(self._recorded[k] for k in self._seeds)

    @property
    def complete(self) -> bool:
        """True if all matches of the shard are recorded."""
        return not self._count_unrecorded(self._shape)

    @property
    def planned(self) -> int:
        """The number of matches once the shard is complete, with those of other shards
        that the store held before.
        """
        return self.matches_of_others + len(self._seeds) * self.timetable.per_seed(self._shape)

    @property
    def done_before(self) -> int:
        """The number of the shard's matches that are recorded."""
        return len(self.done) - self.matches_of_others

    @property
    def part(self) -> str:
        """The part of the event that the shard is, in words; "" for all of it."""
        seeds, matches = self._seeds, self.planned - self.matches_of_others
        seed_words = (
            f"seed {seeds.start}" if len(seeds) == 1 else f"seeds {seeds.start} to {seeds.stop - 1}"
        )
        return (
            f"shard {self._shard} of it: {seed_words}, {count(matches, 'match', 'matches')}"
            if self._shard.of > 1
            else ""
        )

    def seeds_of(self, _round: Shape | DrawnRound) -> range:
        """Return the seeds of the shard."""
        return self._seeds
