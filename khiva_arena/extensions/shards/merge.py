"""The merge of the stores of one event, of which several machines played a part each.

Everything is checked before the first row is written. Then some matches at a time are
written, each time in one transaction with the secrets that they reveal. So everything
that an interrupted merge has written is sound, and the next merge adds the rest.
"""

import shlex
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from khiva_arena.common.result import VOIDS_MOST
from khiva_arena.common.say import Say
from khiva_arena.competition.audit.audit_report import MODULES_UNUSED
from khiva_arena.competition.audit.sample import share_of
from khiva_arena.competition.events.find import check_event, events_of, uncollected
from khiva_arena.competition.events.stored import (
    bare_timetable,
    is_league,
    keep_modules,
    open_batch,
    refuse_league,
    stored_event,
)
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.missing import MissingShard, missing_shards, notes_alike
from khiva_arena.extensions.shards.parts import (
    EventPart,
    HowFar,
    check_alike,
    check_all,
    check_twice_played,
    opened_parts,
    refuse_closed,
    refuse_redrawn,
)
from khiva_arena.extensions.shards.rerun import RerunPart, rerun_parts
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, Store, VoidRow
from khiva_arena.records.store.files import MODULES
from khiva_arena.records.store.shard_note import leave_note
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner

MATCHES_AT_ONCE, BYTES_AT_ONCE = 200, 4 * 2**20
"""The most matches that are written in one transaction; fewer once their records exceed
this many bytes.
"""


class Checks(NamedTuple):
    """How stores are checked before they are merged.

    jobs: processes that replay records.
    any_engine: whether versions of the arena may differ.
    rerun_bots: the share of the matches of each store whose bots are run again, such as
        "5%"; None for none.
    modules: folders with modules of these bots, beside those of the stores.
    take_unconfirmed: whether any number of the matches that are drawn for that may be
        such as cannot be confirmed on this machine. Else a store with more than one in
        twenty is refused.
    """

    jobs: int = 1
    any_engine: bool = False
    rerun_bots: str | None = None
    modules: Sequence[Path] = ()
    take_unconfirmed: bool = False


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


def merge(
    folders: Sequence[Path],
    out: Path,
    say: Say,
    checks: Checks | None = None,
    *,
    word: str | None = None,
    far: HowFar = lambda _: None,
) -> Merged:
    """Merge stores of one event into the store ``out``, which may hold some of it
    already.

    say: takes a line for people.
    checks: how the stores are checked.
    word: the beginning of the event's id, if stores hold several.
    far: takes the progress in words, very often.

    Raises ConfigError with everything that prevents the merge, StoreError if a store
    cannot be read or written.
    """
    checks = checks or Checks()
    share = None if checks.rerun_bots is None else share_of(checks.rerun_bots)
    if checks.modules and share is None:
        raise ConfigError(MODULES_UNUSED)
    if checks.take_unconfirmed and share is None:
        raise ConfigError(
            "--take-unconfirmed: only with --rerun-bots some match could not be confirmed; add it"
        )
    with ExitStack() as stack:
        parts = opened_parts(stack, folders, out, word)
        rows = [(part.folder, part.event) for part in parts]
        refuse_closed(rows)
        check_alike(rows, checks.any_engine)
        _check_with_out(parts, out, checks.any_engine)
        rerunner = _rerunner(parts, checks) if share else None
        sound = check_all(parts, checks.jobs, far)
        reruns: list[RerunPart] = []
        if rerunner and share:
            reruns = rerun_parts(
                parts, rerunner, share, say, take_unconfirmed=checks.take_unconfirmed
            )
        for part, number, rerun in zip_longest(parts, sound, reruns):
            again = f"; {rerun.sample.finds()}" if rerun else ""
            say(f"{part.folder}: {count(number, 'match is', 'matches are')} sound{again}")
        _check_with_out(parts, out, checks.any_engine)
        with Store.write(out) as store, uncollected():
            _check_batch(store, parts)  # once more, since now no player can end the batch
            if there := store.event(parts[0].event.id):
                check_event(store, there)
            event = _event_in(store, parts)
            if notes := notes_alike([(part.folder, part.event) for part in parts]):
                leave_note(out, structs.replace(next(iter(notes.values())), shard=0), say)
            target = _Target(store, event, far)
            for part in parts:
                target.take(part)
            return replace(target.result(parts), rerun=reruns)


def _rerunner(parts: Sequence[EventPart], checks: Checks) -> "Rerunner":
    """Return what runs bots again with the modules of all stores. Raises ConfigError
    for an event by the wall clock.
    """
    from khiva_arena.competition.audit.rerun import Rerunner  # not above: few merges run bots

    first = parts[0]
    if not first.event.definition.in_ticks:
        raise ConfigError(
            f"--rerun-bots: the event of {first.folder} is not in ticks, and what bots "
            "thought by the wall clock is not kept"
        )
    return Rerunner([part.folder / MODULES for part in parts], checks.modules, checks.jobs)


def _check_with_out(parts: Sequence[EventPart], out: Path, any_engine: bool) -> None:
    """Raise ConfigError or StoreError if the contents of ``out`` do not go with the
    parts, or the parts not with each other.
    """
    pairs = [(part.folder, part.store) for part in parts]
    event = parts[0].event
    if not Store.check(out):
        refuse_league(out)
        check_twice_played(pairs, event)
        return
    with Store.read(out) as store:
        _check_batch(store, parts)
        events = events_of(store, ())
        merged_event = next((row for row in events if row.id == event.id), None)
        if merged_event is None:
            refuse_redrawn(
                out, [row for row in events if store.conclusion(row.id) is None], parts[0]
            )
            check_twice_played(pairs, event)
            return
        refuse_closed([(out, merged_event)])
        if merged_event.public is not None or store.count(
            event.id, 0, bare_timetable(event).matches
        ):
            check_alike(
                [(out, merged_event), *((part.folder, part.event) for part in parts)], any_engine
            )
        check_twice_played([(out, store), *pairs], event, out)


def _check_batch(store: Store, parts: Sequence[EventPart]) -> None:
    """Raise ConfigError with every part that does not belong to the batch which a
    league plays. No other store has batches.
    """
    if not is_league(store.folder, store):
        return
    batch = open_batch(store)
    text = batch and stored_event(store, batch).public
    right = f"with --public {shlex.quote(text)}" if text else "without --public"
    problems = [
        (
            f"{part.folder}: its event {part.event.id} is not the batch that {store.folder} "
            "plays now; leave this store out"
        )
        for part in parts
        if part.event.id != batch
    ]
    problems += [
        (
            f"{part.folder}: other text than that of the league's batch was mixed into its "
            f"deals; play its shard again {right}"
        )
        for part in parts
        if part.event.id == batch and (part.event.public or "") != (text or "")
    ]
    if problems:
        raise ConfigError(problems)


def _event_in(store: Store, parts: Sequence[EventPart]) -> EventRow:
    """Return the event in the store with all shards; it is added if missing, with its
    public text and marked with all engines.
    """
    first = parts[0].event
    keep_modules(store.folder, first.definition, *(part.folder for part in parts))
    if store.event(first.id) is None:
        store.add_event(
            first.id, first.text, first.engines[0], first.commitment, first.secret, first.bots
        )
    event = stored_event(store, first.id)
    if first.public is not None and event.public is None:
        store.add_public(first.id, first.public)
    for engine in dict.fromkeys(engine for part in parts for engine in part.event.engines):
        if engine not in event.engines:
            store.add_engine(first.id, engine)
    return stored_event(store, first.id)


class _Target:
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
