"""The merge of stores that hold shards of one event, for Python."""

from collections.abc import Sequence
from pathlib import Path

from khiva_arena.common.say import say_nothing
from khiva_arena.extensions.shards.merge import Checks
from khiva_arena.extensions.shards.merge import merge as merge_stores
from khiva_arena.extensions.shards.merge_target import Merged
from khiva_arena.interface.api.keywords import as_path, at_least, by_keyword, hand_over, text


def merge(
    *stores: str | Path,
    out: str | Path,
    jobs: int = 1,
    event: str | None = None,
    any_engine: bool = False,
    game: str | Path | Sequence[str] = (),
    rerun_bots: str | None = None,
    modules: Sequence[str | Path] = (),
    take_unconfirmed: bool = False,
) -> Merged:
    """Join stores of one event, of which several machines played a shard each, after
    replaying and checking every record. ``result.complete`` tells whether the event is
    complete; ``result.missing`` holds the missing matches.

    out: the store with all shards; one that holds some of them already gets the others.
    jobs: how many processes replay records.
    event: the beginning of its id, if the stores have several in common.
    any_engine: whether different versions of the arena may have played it.
    game: the file, folder or package of a game that does not come with the arena. It is
        run only if its hash is the recorded one.
    rerun_bots: the share of the matches of each store, such as "5%", whose bots are run
        again, of an event in ticks.
    modules: folders with modules of these bots, beside those that the stores have.
    take_unconfirmed: merge a store even if more than one in twenty of the matches that
        are drawn for that cannot be confirmed on this machine. ``result.rerun`` counts
        them.

    Raises ConfigError with every obstacle to a merge, StoreError if a store cannot be
    read or written.
    """
    hand_over(game)
    folders = [as_path("stores", store) for store in stores]
    word = None if event is None else text("event", event)
    jobs = at_least(1, "jobs", jobs)
    rerun = None if rerun_bots is None else text("rerun_bots", rerun_bots)
    with by_keyword():
        folders_of_modules = [as_path("modules", folder) for folder in modules]
        checks = Checks(jobs, any_engine, rerun, folders_of_modules, take_unconfirmed)
        return merge_stores(folders, as_path("out", out), say_nothing, checks, word=word)
