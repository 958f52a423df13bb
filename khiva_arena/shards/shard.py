"""A shard: the seeds of an event that one of several machines plays, each of which knows nothing of the others."""

import re
from pathlib import Path
from typing import NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.store.rows import EventRow

_WORD = re.compile(r"(\d{1,7})/(\d{1,7})", re.ASCII)


class Shard(NamedTuple):
    """One of the parts into which the seeds of an event are divided.

    number: which one, from 1.
    of: how many there are.
    """

    number: int
    of: int

    def seeds(self, total: int) -> range:
        """Its seeds, of so many: whole and in a row, since a schedule is worked out in blocks of seeds. Two shards differ by one
        seed at most, and all shards together have each seed once."""
        return range((self.number - 1) * total // self.of, self.number * total // self.of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


class PlannedShard(NamedTuple):
    """What of a plan is played here.

    event: what the plan defines; its bots are those of the machine where it was made.
    shard: which part of it.
    file: the plan.
    """

    event: EventRow
    shard: Shard
    file: Path


def shard_of(word: str, seeds: int) -> Shard:
    """The shard that a word names, of an event with so many seeds. Raises ConfigError."""
    found = _WORD.fullmatch(word)
    if found is None:
        raise ConfigError(f"--shard {word!r}: write I/N, as 2/5 for the second of five")
    shard = Shard(int(found[1]), int(found[2]))
    if not 1 <= shard.number <= shard.of:
        there_are = f"they are numbered 1/{shard.of} to {shard.of}/{shard.of}" if shard.of else "write I/N, as 2/5"
        raise ConfigError(f"--shard {word}: there is no such shard; {there_are}")
    if shard.of > seeds:
        raise ConfigError(f"--shard {word}: a shard has whole seeds, and the event has {seeds}: {seeds} shards at most")
    return shard
