"""Write matches of several stores into the merged one, each transaction sound."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from msgspec import structs

from khiva_arena.common.result import VOIDS_MOST
from khiva_arena.competition.events.stored import bare_timetable, is_league
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.missing import MissingShard, missing_shards
from khiva_arena.extensions.shards.parts import EventPart, HowFar
from khiva_arena.extensions.shards.rerun import RerunPart
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, Store, VoidRow

MATCHES_AT_ONCE, BYTES_AT_ONCE = 200, 4 * 2**20
"""The most matches that are written in one transaction; fewer once their records exceed
this many bytes.
"""


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge.

    event: id of the event.
    number: of the event in the store with all shards.
    recorded, planned: matches that it has there now, and when it is over.
    added: the number of matches that this merge has added.
    digest: the run digest, None while matches are missing.
    set_aside: (seed, line-up) of the tables that stayed void.
    missing: the shards whose matches are missing, each with the command that plays it.
    rerun: the stores of which bots were run again, each with how many of its matches.
    """

    event: str
    number: int
    recorded: int
    planned: int
    added: int
    digest: str | None
    set_aside: list[tuple[int, int]] = field(default_factory=list)
    missing: list[MissingShard] = field(default_factory=list)
    rerun: list[RerunPart] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return self.digest is not None

    @property
    def summary(self) -> str:
        """The progress of the event, in a line."""
        end = f"; run digest {self.digest}" if self.complete else ""
        return (
            f"event {self.number} ({self.event}): {self.recorded} of {self.planned} matches, "
            f"{self.added} of them new{end}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values, for JSON."""
        missing, rerun = (
            [row._asdict() for row in self.missing],
            [part.to_dict() for part in self.rerun],
        )
        return {**asdict(self), "missing": missing, "rerun": rerun}


class Target:
    """The store with all shards while parts are merged into it."""

    def __init__(self, store: Store, event: EventRow, far: HowFar) -> None:
        self._far = far
        self._store = store
        self._event = event
        self._timetable = bare_timetable(event)
        self._present = bytearray(
            self._timetable.matches
        )  # by ordinal: a byte each, since there may be millions
        self._missing = array("l", [0]) * self._timetable.seeds
        for shape in self._timetable.shapes:
            for seed in range(shape.first_seed, shape.first_seed + shape.seeds):
                self._missing[seed] = self._timetable.per_seed(shape)
        self._recorded = self._added = 0
        for ordinal, _ in store.places(event.id):
            self._note(ordinal)
        self._voids = _by_ordinal(store.voids(event.id))
        self._takes_voids = not is_league(
            store.folder, store
        )  # whose player tries itself, before it sets a table aside for good

    def _note(self, ordinal: int) -> int:
        """Note that a match is in the store. Return its seed."""
        place = self._timetable.place(ordinal)
        if place is None:
            raise ConfigError(f"{self._store.folder}: match {ordinal} is not one of its event")
        self._present[ordinal] = 1
        self._missing[place[0]] -= 1
        self._recorded += 1
        return place[0]

    def take(self, part: EventPart) -> None:
        """Add the matches and void attempts of a part that the store lacks; the part's
        records must have been checked.
        """
        voids = _by_ordinal(part.store.voids(self._event.id))
        for matches in _batches(_with_transcripts(part.store, self._event.id)):
            new = [match for match in matches if not self._present[match.ordinal]]
            self._write(new, {match.ordinal: voids.pop(match.ordinal, []) for match in matches})
        if self._takes_voids:
            self._write([], voids)

    def _write(self, matches: Sequence[MatchRow], voids: Mapping[int, Sequence[VoidRow]]) -> None:
        """Write matches, and void attempts at these and other matches, in one
        transaction.
        """
        new_voids = [
            void
            for ordinal, rows_of_match in voids.items()
            for void in self._new_voids(ordinal, rows_of_match)
        ]
        rows = [
            structs.replace(match, attempt=len(self._voids.get(match.ordinal, ())) + 1)
            for match in matches
        ]
        if not rows and not new_voids:
            return
        complete_seeds = [
            seed
            for seed in [self._note(match.ordinal) for match in rows]
            if not self._missing[seed]
        ]
        reveals = {seed: self._event.seed_secret(seed) for seed in complete_seeds}
        if rows and self._recorded == self._timetable.matches:
            reveals[RUN_SECRET] = self._event.secret
        self._store.add_several(self._event.id, rows, new_voids, reveals)
        self._added += len(rows)
        self._far(f"{self._added:,} matches added")

    def _new_voids(self, ordinal: int, rows: Sequence[VoidRow]) -> Iterator[VoidRow]:
        """Yield the void attempts at a match that the store lacks, numbered after those
        that it has.

        A match that is recorded gets none: it was recorded after the attempts that
        stand with it.
        """
        if self._present[ordinal]:
            return
        merged = self._voids.setdefault(ordinal, [])
        bare_voids = [structs.replace(void, attempt=0) for void in merged]
        for void in rows:
            bare = structs.replace(void, attempt=0)
            if bare in bare_voids:
                bare_voids.remove(bare)
                continue
            merged.append(structs.replace(void, attempt=len(merged) + 1))
            yield merged[-1]

    def result(self, parts: Sequence[EventPart]) -> Merged:
        event, timetable = self._event, self._timetable
        seeds = [seed for seed, matches in enumerate(self._missing) if matches]
        return Merged(
            event.id,
            event.number,
            self._recorded,
            timetable.matches,
            self._added,
            self._store.conclusion(event.id),
            self._set_aside(),
            missing_shards(
                [(part.folder, part.event) for part in parts],
                seeds,
                timetable.seeds,
                self._store.folder,
            ),
        )

    def _set_aside(self) -> list[tuple[int, int]]:
        open_ = {
            ordinal: voids
            for ordinal, voids in self._voids.items()
            if voids and not self._present[ordinal]
        }
        if not open_:
            return []
        return sorted(
            {
                (voids[0].seed, voids[0].lineup)
                for voids in open_.values()
                if len(voids) >= VOIDS_MOST
            }
        )


def _by_ordinal(voids: Iterable[VoidRow]) -> dict[int, list[VoidRow]]:
    by_ordinal: dict[int, list[VoidRow]] = {}
    for void in voids:
        by_ordinal.setdefault(void.ordinal, []).append(void)
    return by_ordinal


def _with_transcripts(store: Store, event: str) -> Iterator[MatchRow]:
    """Yield the matches of a store, each with the transcripts that were kept of it."""
    has_any = bool(store.room_of_transcripts(event))
    for match in store.matches(event):
        kept = store.transcripts(event, match.ordinal) if has_any else ()
        yield structs.replace(match, transcripts=tuple(kept)) if kept else match


def _batches(matches: Iterable[MatchRow]) -> Iterator[list[MatchRow]]:
    """Yield matches, some at a time."""
    batch: list[MatchRow] = []
    size = 0
    for match in matches:
        batch.append(match)
        size += len(match.record) + sum(len(transcript.packed) for transcript in match.transcripts)
        if len(batch) >= MATCHES_AT_ONCE or size > BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
