"""The choice of bots and executor: this machine, or another place, which says which bots it can start."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from khiva_arena.entrants.bots import Bot
from khiva_arena.playing.executor import Executor, LocalExecutor
from khiva_arena.playing.starts import Entrants, as_modules
from khiva_arena.result import Clock
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say
from khiva_arena.settings.settings import Settings


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
    return EXECUTORS[settings.place](settings, entrants, sandbox, plan, say)


def check_place(settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, say: Say) -> None:
    """Raise ConfigError if the executor of these settings cannot be had, before any bot is built or started."""
    if settings.place:
        executor_of(settings, Entrants(tuple(entrants)), sandbox, plan, say)


def _cluster_of(settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say) -> Executor:
    # Not above: most runs have no cluster, and Dask takes a second to import.
    from khiva_arena.cluster.access import access_of, refuse_what_cannot_go, share_to_rerun

    access, share = access_of(settings), share_to_rerun(settings)
    refuse_what_cannot_go(settings, entrants.entrants, sandbox)
    from khiva_arena.cluster.dask_executor import Cluster

    return Cluster(access, settings, sandbox, share, plan, say)


EXECUTORS: dict[str, Callable[[Settings, Entrants, Sandbox, Path | None, Say], Executor]] = {
    "": LocalExecutor,
    "dask": _cluster_of,
}
"""How the executor of each place is made, by ``Settings.place``."""
