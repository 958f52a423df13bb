"""Plans: the hook of the extension by which several machines play a part of an event
each.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say
from khiva_arena.competition.run.events_to_play import EventsToPlay
from khiva_arena.competition.run.options import PlanFlags, RunOptions
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot


class PlannedCompetition(NamedTuple):
    """The parts of a competition that a plan defines.

    stages: the settings of its one event.
    entrants: the bots of the plan.
    planned: finds its event in a store.
    """

    stages: tuple[Settings, ...]
    entrants: list[Bot]
    planned: EventsToPlay


class Plans(Protocol):
    """Everything about plans: they are written, and machines play a shard each."""

    def check_together(
        self, flags: PlanFlags, config: Path | None, options: RunOptions, *, shipped: bool
    ) -> None:
        """Raise ConfigError if flags do not go together."""

    def why_not_in_shards(self, form: str, stages: int = 1) -> str:
        """Return why machines that know nothing of each other cannot play a format; ""
        if they can.
        """

    def refuse_shard(self, stages: Sequence[Settings]) -> NoReturn:
        """Raise ConfigError for a shard without a plan."""

    def check_plannable(
        self, path: Path, stages: Sequence[Settings], entrants: Sequence[Bot]
    ) -> None:
        """Raise ConfigError with every reason why a competition cannot be planned."""

    def print_plan(
        self, path: Path, stages: Sequence[Settings], entrants: Sequence[Bot], as_json: bool
    ) -> None:
        """Write a plan, and print the values to publish before the first match. Raises
        ConfigError.
        """

    def game_of(self, path: Path) -> str:
        """Return the word of the game that a plan was made with, "" for one of the
        arena. Raises ConfigError.
        """

    def competition_of_plan(
        self, path: Path, word: str | None, flags: Mapping[str, Any], any_engine: bool, say: Say
    ) -> PlannedCompetition:
        """Return the settings, the bots and the event of a plan's shard that is to be
        played.

        word: the shard, as 2/5; None for all of the event.
        flags: settings by flags or keywords.

        Raises ConfigError with every mistake, as for a bot that differs from the
        plan's.
        """


PLANS: Hook[Plans] = Hook("shards")
