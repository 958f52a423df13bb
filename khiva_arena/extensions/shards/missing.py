"""Shards of an event that are in no merged store yet, and the commands that play or
merge them.
"""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from khiva_arena import __version__
from khiva_arena.competition.events.stored import has_seeds, is_league
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.shards.shard import Shard
from khiva_arena.games.registry import handing
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.shard_note import ShardNote, read_note
from khiva_arena.words import ranges


class MissingShard(NamedTuple):
    """A shard of which matches are missing.

    shard: I/N, "" if nobody knows into how many the event was divided.
    seeds: its seeds whose matches are not all there, as "4 to 7, 9".
    command: the command that plays it, or, if it has been played, merges it.
    played: whether it has been played, into a store beside those that were merged.
    """

    shard: str
    seeds: str
    command: str
    played: bool = False


def missing_shards(
    parts: Sequence[tuple[Path, EventRow]], seeds: Sequence[int], total: int, out: Path
) -> list[MissingShard]:
    """Return the shards that have seeds of which matches are missing.

    parts: the stores that were merged.
    seeds: those seeds.
    total: the number of seeds of the event.
    out: the store with all shards.
    """
    if not seeds:
        return []
    notes = notes_alike(parts)
    first = parts[0][1]
    if not notes:
        in_league = shlex.join(["khiva-arena", "league", "play", str(out)])
        command = in_league if is_league(out) else _to_play(first, "PLAN", None, out)
        return [MissingShard("", ranges(seeds, " to "), command)]
    of, plan = next((note.of, note.plan) for note in notes.values())
    missing = []
    unrecorded = set(seeds)
    for number in range(1, of + 1):
        shard = Shard(number, of)
        if shard_seeds := [seed for seed in shard.seeds(total) if seed in unrecorded]:
            folder = _folder_of(shard, notes, out)
            is_played = folder not in notes and _is_complete(folder, first, shard.seeds(total))
            command = _to_merge(folder, out) if is_played else _to_play(first, plan, shard, folder)
            missing.append(
                MissingShard(str(shard), ranges(shard_seeds, " to "), command, is_played)
            )
    return missing


def notes_alike(parts: Sequence[tuple[Path, EventRow]]) -> dict[Path, ShardNote]:
    """Return the notes beside stores, only those with the most common number of
    shards.
    """
    notes = {folder: note for folder, event in parts if (note := read_note(folder, event.id))}
    common = Counter(note.of for note in notes.values()).most_common(1)
    return {folder: note for folder, note in notes.items() if note.of == common[0][0]}


def _to_play(event: EventRow, plan: str, shard: Shard | None, folder: Path) -> str:
    """Return the command that plays a shard; without a shard it plays everything that
    is missing, on one machine.
    """
    shard_words = ["--shard", str(shard)] if shard and shard.of > 1 else []
    public = ["--public", event.public] if event.public is not None else []
    engine = [] if __version__ in event.engines else ["--any-engine"]
    words = [
        "khiva-arena",
        "run",
        "--from-plan",
        plan,
        *shard_words,
        *public,
        *engine,
        "--out",
        str(folder),
    ]
    return shlex.join(words) + handing(
        [(event.definition.game, event.definition.rules_version)], here=True
    )


def _to_merge(folder: Path, out: Path) -> str:
    return shlex.join(["khiva-arena", "merge", str(folder), "--out", str(out)])


def _is_complete(folder: Path, event: EventRow, seeds: range) -> bool:
    """Tell whether a store has all matches on these seeds. A store that cannot be read
    has nothing of use.
    """
    with suppress(ConfigError, StoreError):
        with Store.read(folder) as store:
            return store.event(event.id) is not None and has_seeds(store, event, seeds)
    return False


def _folder_of(shard: Shard, notes: dict[Path, ShardNote], out: Path) -> Path:
    """Return the store of a shard: its own if it has one, else a folder named like
    those of other shards.
    """
    of_one = {folder: note for folder, note in notes.items() if note.shard}
    for folder, note in of_one.items():
        if (note.shard, note.of) == shard:
            return folder
    for folder, note in of_one.items():
        if name := re.fullmatch(rf"(.*?)(0*{note.shard})", folder.name):
            return folder.with_name(f"{name[1]}{shard.number:0{len(name[2])}}")
    return out.with_name(f"shard-{shard.number}")
