"""Shards of an event without a bot, in stores of their own: made as ``synthesised``
makes a whole event.
"""

from functools import partial
from pathlib import Path

from synthesised import Fails, once_in_a_while, play_event

from khiva_arena.extensions.shards.play import ShardPlay
from khiva_arena.extensions.shards.shard import PlannedShard, Shard
from khiva_arena.records.store.db import EventRow
from khiva_arena.records.store.shard_note import write_note


def play_shard(
    folder: Path,
    event: EventRow,
    shard: Shard,
    fails: Fails = once_in_a_while,
    luck: str = "",
    most: int | None = None,
) -> Path:
    """Play a shard, or as many matches of it, into a store, and note its plan there."""
    play_event(folder, event, fails, luck, most, partial(ShardPlay, shard=shard))
    write_note(folder, PlannedShard(event, shard, Path("cup.plan")).note)
    return folder
