"""The hook that the extension ``cluster`` fills: the executor of ``--dask``."""

from pathlib import Path

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.run.who_plays import EXECUTORS
from khiva_arena.competition.settings.settings import Settings


def _executor(
    settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say
) -> Executor:
    """Return the executor of a cluster. Raises ConfigError if it cannot be had, or not
    with these bots.
    """
    # Not above: Dask takes a second to import, and what is refused needs none of it.
    from khiva_arena.extensions.cluster.access import (
        access_of,
        refuse_what_cannot_go,
        share_to_rerun,
    )

    access, share = access_of(settings), share_to_rerun(settings)
    refuse_what_cannot_go(settings, entrants.entrants, sandbox)
    from khiva_arena.extensions.cluster.dask_executor import Cluster

    return Cluster(access, settings, sandbox, share, plan, say)


EXTENSION = (EXECUTORS.filled(_executor),)
