"""A shard: the seeds of an event that one of several machines plays, each knowing
nothing of the others.
"""

import re
from pathlib import Path
from typing import NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.records.store.rows import EventRow
from khiva_arena.records.store.shard_note import ShardNote

_WORD = re.compile(r"(\d{1,7})/(\d{1,7})", re.ASCII)


class Shard(NamedTuple):
    """A part of the seeds of an event, which is divided into several.

    number: from 1.
    of: the number of shards.
    """

    number: int
    of: int

    def seeds(self, total: int) -> range:
        """Return the seeds of the shard, if there are ``total``: whole and in a row,
        since a schedule is worked out in blocks of seeds.

        Two shards differ by one seed at most, and all shards together have each seed
        once.
        """
        return range((self.number - 1) * total // self.of, self.number * total // self.of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


class PlannedShard(NamedTuple):
    """The shard of a plan that is played here.

    event: the plan's event; its bots are those of the machine where it was made.
    shard: the part of it.
    file: the plan.
    """

    event: EventRow
    shard: Shard
    file: Path

    @property
    def note(self) -> ShardNote:
        """The note that is left beside its store."""
        return ShardNote(self.event.id, str(self.file), self.shard.number, self.shard.of)


def shard_of(word: str, seeds: int) -> Shard:
    """Return the shard that a word names, of an event with ``seeds`` seeds. Raises
    ConfigError.
    """
    match = _WORD.fullmatch(word)
    if match is None:
        raise ConfigError(f"--shard {word!r}: write I/N, as 2/5 for the second of five")
    shard = Shard(int(match[1]), int(match[2]))
    if not 1 <= shard.number <= shard.of:
        there_are = (
            f"they are numbered 1/{shard.of} to {shard.of}/{shard.of}"
            if shard.of
            else "write I/N, as 2/5"
        )
        raise ConfigError(f"--shard {word}: there is no such shard; {there_are}")
    if shard.of > seeds:
        raise ConfigError(
            f"--shard {word}: a shard has whole seeds, and the event has {seeds}: {seeds} "
            "shards at most"
        )
    return shard
