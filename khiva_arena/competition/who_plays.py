"""The choice of bots and executor: this machine, or another place, which says which bots it can start."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from khiva_arena.entrants.bots import Bot
from khiva_arena.hooks import Hook
from khiva_arena.playing.executor import Executor, LocalExecutor
from khiva_arena.playing.starts import Entrants, as_modules
from khiva_arena.result import Clock
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say
from khiva_arena.settings.settings import ROWS, Settings

MakeExecutor = Callable[[Settings, Entrants, Sandbox, Path | None, Say], Executor]
EXECUTORS: Hook[MakeExecutor] = Hook("cluster")
"""The hook that makes the executor of another place than this machine, from the settings, the bots, the level, the file of a
plan, and a function that takes lines for the user. It raises ConfigError."""


class WhoPlays(NamedTuple):
    """The bots that play, and where.

    entrants: the bots.
    executor: begun already if it has said which bots it can start.
    """

    entrants: Entrants
    executor: Executor


def players_of(
    stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, say: Say, stack: ExitStack
) -> WhoPlays:
    """Return the bots, without those that cannot play if the settings leave them out. Raises ConfigError, BotError, ClusterError.

    stack: ends an executor that was asked
    """
    if stages[0].clock is Clock.TICKS:
        entrants = as_modules(entrants, sandbox.level, skip_broken=stages[0].skip_broken)
    playing = Entrants(tuple(entrants))
    executor = executor_of(stages[0], playing, sandbox, plan, say)
    if stages[0].skip_broken:
        playing = stack.enter_context(executor).without_broken(stages, entrants)
    return WhoPlays(playing, executor)


def executor_of(settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say) -> Executor:
    """Return the executor for these bots, not begun yet. Raises ConfigError if it cannot be had, or not with these bots."""
    make = EXECUTORS.get(ROWS[settings.place].option) if settings.place else LocalExecutor
    return make(settings, entrants, sandbox, plan, say)


def check_place(settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, say: Say) -> None:
    """Raise ConfigError if the executor of these settings cannot be had, before any bot is built or started."""
    if settings.place:
        executor_of(settings, Entrants(tuple(entrants)), sandbox, plan, say)
