"""Who plays if bots may be left out, or if there is a cluster, which says which of them it can start."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.entrants.bots import Bot
from khiva_arena.playing.starts import Playing, without_broken
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.settings.settings import Settings
from khiva_arena.terminal.console import say

if TYPE_CHECKING:
    from khiva_arena.cluster.dask_executor import Cluster  # most runs have none


class WhoPlays(NamedTuple):
    """Who plays.

    found: the bots.
    executor: of a cluster, begun already, since its workers have said which bots they can start; else None.
    """

    found: Playing
    executor: "Cluster | None" = None


def who_plays(
    stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None, stack: ExitStack
) -> WhoPlays:
    """The bots, without those that cannot play if the settings leave them out. ``stack``: ends a cluster that was asked.

    Raises ConfigError, BotError, ClusterError.
    """
    first = stages[0]
    if not first.skip_broken:
        return WhoPlays(Playing(tuple(entrants)))
    if first.dask is None:
        return WhoPlays(without_broken(stages, entrants, sandbox))
    cluster = stack.enter_context(cluster_of(first, entrants, sandbox, plan))
    return WhoPlays(without_broken(stages, entrants, sandbox, cluster.who_starts_nowhere), cluster)


def cluster_of(settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, plan: Path | None) -> "Cluster":
    """The cluster of the settings, not begun yet. Raises ConfigError if it cannot be had, or not with these bots."""
    # Not above: most runs have no cluster, and Dask takes a second to import.
    from khiva_arena.cluster.access import access_of, refuse_what_cannot_go

    access = access_of(settings)
    refuse_what_cannot_go(settings, entrants, sandbox)
    from khiva_arena.cluster.dask_executor import Cluster

    return Cluster(access, settings, sandbox, plan, say)
