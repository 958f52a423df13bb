"""The choice of bots and executor: this machine, or another place, which says which
bots it can start.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.hooks import Hook
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.playing.executor import Executor, LocalExecutor
from khiva_arena.competition.playing.starts import Entrants, as_modules
from khiva_arena.competition.settings.settings import ROWS, Settings
from khiva_arena.entrants.bots import Bot


class MakeExecutor(Protocol):
    """The function that makes the executor of another place than this machine."""

    def __call__(
        self,
        settings: Settings,
        entrants: Entrants,
        sandbox: Sandbox,
        plan: Path | None,
        say: Say,
        /,
    ) -> Executor:
        """Return the executor for these bots. ``plan``: the file of a plan, if one is
        played. ``say``: takes lines for the user.

        Raises ConfigError if it cannot be had, or not with these bots.
        """


EXECUTORS: Hook[MakeExecutor] = Hook("cluster")


def players_of(
    stages: Sequence[Settings],
    entrants: Sequence[Bot],
    sandbox: Sandbox,
    executor: Executor,
    stack: ExitStack,
) -> Entrants:
    """Return the bots, without those that cannot play if the settings leave them out.
    Raises ConfigError, BotError, ClusterError, StoreError.

    stack: ends an executor that was asked
    """
    first = stages[0]
    if first.clock is Clock.TICKS:
        entrants = as_modules(entrants, sandbox.level, skip_broken=bool(first.leaves_out))
    if not first.leaves_out:
        return Entrants(tuple(entrants))
    playing = stack.enter_context(executor).without_broken(stages, entrants)
    if not first.probation:
        return playing
    # not above: most runs try no bots
    from khiva_arena.competition.run.probation import on_probation

    return on_probation(stages, playing, sandbox, executor)


def executor_of(
    settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say
) -> Executor:
    """Return the executor for these bots, not begun yet. Raises ConfigError if it
    cannot be had, or not with these bots.
    """
    make: MakeExecutor = (
        EXECUTORS.get(ROWS[settings.place].option) if settings.place else LocalExecutor
    )
    return make(settings, entrants, sandbox, plan, say)
