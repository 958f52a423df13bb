"""The merge of the stores of one event, of which several machines played a part each.

Everything is checked before the first row is written. Then some matches at a time are
written, each time in one transaction with the secrets that they reveal. So everything
that an interrupted merge has written is sound, and the next merge adds the rest.
"""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

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
from khiva_arena.extensions.shards.merge_target import Merged, Target
from khiva_arena.extensions.shards.missing import notes_alike
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
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.files import MODULES
from khiva_arena.records.store.shard_note import leave_note
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner


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
            target = Target(store, event, far)
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
