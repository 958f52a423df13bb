"""The verification of a store or a bundle, for Python."""

from collections.abc import Sequence
from pathlib import Path

from khiva_arena.api.keywords import as_path, at_least, hand_over
from khiva_arena.audit.report import AuditResult
from khiva_arena.audit.store import audit_store
from khiva_arena.errors import ConfigError
from khiva_arena.store.db import Store
from khiva_arena.store.files import MODULES


def verify(
    path: str | Path,
    *events: str | int,
    jobs: int = 1,
    sample: int | None = None,
    game: str | Path | Sequence[str] = (),
    rerun_bots: bool | Sequence[str | Path] = False,
) -> AuditResult:
    """Replay and check each match of a store, or of a bundle. ``result.sound`` tells whether all of it is sound. Problems stand
    in ``result.problems`` and in those of ``result.events``.

    events: events of the store, by number or the beginning of their ids; all events by default.
    jobs: how many processes replay matches.
    sample: number of matches to replay of each event, drawn at random. For the others, sums and places are checked; in a bundle
        hash chains, commitments and places.
    game: the file, folder or package of a game that does not come with the arena, or several. It is run only if its hash is the
        one that the records name, and stays handed over until Python ends.
    rerun_bots: run the bots of events in ticks again, and compare every answer, fault and tick: with the modules of the
        store, those that this machine has built, or also those in these folders.

    Raises ConfigError for an unknown event, StoreError for a file that cannot be read, GameFault if a game is missing or at
    fault.
    """
    hand_over(game)
    path, jobs = as_path("path", path), at_least(1, "jobs", jobs)
    sample = None if sample is None else at_least(1, "sample", sample)
    rerunner = None
    if rerun_bots:
        from khiva_arena.audit.rerun import Rerunner  # not above: few audits run bots

        folders = () if isinstance(rerun_bots, bool) else rerun_bots
        rerunner = Rerunner(
            [path / MODULES] if path.is_dir() else [], [as_path("rerun_bots", folder) for folder in folders], jobs
        )
    if path.is_file():
        if events:
            raise ConfigError("a bundle is verified as a whole: leave out the events")
        from khiva_arena.audit.bundle import audit_bundle  # numpy comes with it

        return audit_bundle(path, jobs, sample, rerunner)
    with Store.read(path, trusting=False) as store:
        return audit_store(store, tuple(map(str, events)), jobs, sample, rerunner)
