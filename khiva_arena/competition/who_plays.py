"""The choice of bots and executor: this machine, or a cluster's workers, which say which bots they can start."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.entrants.bots import Bot
from khiva_arena.playing.executor import Executor, LocalExecutor
from khiva_arena.playing.starts import Entrants, without_broken
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say
from khiva_arena.settings.settings import Settings

if TYPE_CHECKING:
    from khiva_arena.cluster.dask_executor import Cluster  # most runs have none


class WhoPlays(NamedTuple):
    """The bots that play, and the cluster if it has begun.

    entrants: the bots.
    executor: a cluster, begun already, since its workers have said which bots they can start; else None.
    """

    entrants: Entrants
    executor: "Cluster | None" = None


def players_of(
    stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, say: Say, stack: ExitStack
) -> WhoPlays:
    """Return the bots, without those that cannot play if the settings leave them out. Raises ConfigError, BotError, ClusterError.

    stack: ends a cluster that was asked
    """
    first = stages[0]
    if not first.skip_broken:
        return WhoPlays(Entrants(tuple(entrants)))
    if first.dask is None:
        return WhoPlays(without_broken(stages, entrants, sandbox, say))
    cluster = stack.enter_context(cluster_of(first, entrants, sandbox, plan, say))
    return WhoPlays(without_broken(stages, entrants, sandbox, say, cluster.who_starts_nowhere), cluster)


def executor_of(settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say) -> Executor:
    """Return the executor for these bots, not begun yet. Raises ConfigError if it cannot be had, or not with these bots."""
    if settings.dask is None:
        return LocalExecutor(settings, entrants, sandbox, plan, say)
    return cluster_of(settings, entrants.entrants, sandbox, plan, say)


def cluster_of(settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, say: Say) -> "Cluster":
    """Return the cluster of the settings, not begun yet. Raises ConfigError if it cannot be had, or not with these bots."""
    # Not above: most runs have no cluster, and Dask takes a second to import.
    from khiva_arena.cluster.access import access_of, refuse_what_cannot_go

    access = access_of(settings)
    refuse_what_cannot_go(settings, entrants, sandbox)
    from khiva_arena.cluster.dask_executor import Cluster

    return Cluster(access, settings, sandbox, plan, say)
