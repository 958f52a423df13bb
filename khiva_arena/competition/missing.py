"""What of an event no store has yet that was merged, and what to type for it."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khiva_arena.competition.shard import Shard
from khiva_arena.competition.shard_note import ShardNote, read_note
from khiva_arena.store.db import EventRow


class MissingShard(NamedTuple):
    """A shard of which matches are missing.

    shard: I/N, "" if nobody knows into how many the event was divided.
    seeds: those of it whose matches are not all there, as "4 to 7, 9".
    command: what plays it.
    """

    shard: str
    seeds: str
    command: str


def missing_shards(parts: Sequence[tuple[Path, EventRow]], left: Sequence[int], total: int, out: Path) -> list[MissingShard]:
    """The shards that have seeds of which matches are missing. ``parts``: the stores that were merged. ``left``: those seeds.
    ``total``: how many seeds the event has. ``out``: the store with all shards."""
    if not left:
        return []
    notes = {folder: note for folder, event in parts if (note := read_note(folder, event.id))}
    if not notes:
        return [MissingShard("", ranges(left), _command("PLAN", None, out))]
    of = Counter(note.of for note in notes.values()).most_common(1)[0][0]
    notes = {folder: note for folder, note in notes.items() if note.of == of}
    plan = next(iter(notes.values())).plan
    found = []
    wanted = set(left)
    for number in range(1, of + 1):
        shard = Shard(number, of)
        if mine := [seed for seed in shard.seeds(total) if seed in wanted]:
            found.append(MissingShard(str(shard), ranges(mine), _command(plan, shard, _folder_of(shard, notes, out))))
    return found


def _command(plan: str, shard: Shard | None, folder: Path) -> str:
    """Without a shard it plays all that is missing, on one machine."""
    which = ["--shard", str(shard)] if shard and shard.of > 1 else []
    return shlex.join(["khiva-arena", "run", "--from-plan", plan, *which, "--out", str(folder)])


def _folder_of(shard: Shard, notes: dict[Path, ShardNote], out: Path) -> Path:
    """The store of a shard: its own if it has one, else one that is called like those of others."""
    for folder, note in notes.items():
        if note.which == shard:
            return folder
    for folder, note in notes.items():
        if name := re.fullmatch(rf"(.*?)(0*{note.shard})", folder.name):
            return folder.with_name(f"{name[1]}{shard.number:0{len(name[2])}}")
    return out.with_name(f"shard-{shard.number}")


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in few words: "0 to 3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)
