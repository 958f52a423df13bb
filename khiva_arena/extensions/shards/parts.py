"""The stores that are to be merged: opened, compared, and replayed before anything is
written.
"""

import heapq
import itertools
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from khiva_arena.competition.audit.audit_report import AuditLine
from khiva_arena.competition.audit.event import audit
from khiva_arena.competition.audit.store import StoredEvent
from khiva_arena.competition.events import drift, stored
from khiva_arena.competition.events.find import begins
from khiva_arena.errors import ArenaError, ConfigError, StoreError, StoreFull
from khiva_arena.extensions.shards.plan_settings import why_not_in_shards
from khiva_arena.records.store.db import EventRow, MatchRow, Store
from khiva_arena.words import count

FILES_OF_A_STORE, OTHER_FILES = 4, 64
SHOWN = 3
"""The most differences that a message lists."""
_DIGITS = 8
HowFar = Callable[[str], None]
"""A function that takes the progress of a merge in words, very often."""


class EventPart(NamedTuple):
    """A store with a part of the event.

    folder: as it was named.
    store: open for reading, as it was at one moment.
    event: the event as it stands there.
    """

    folder: Path
    store: Store
    event: EventRow


def opened_parts(
    stack: ExitStack, folders: Sequence[Path], out: Path, word: str | None
) -> list[EventPart]:
    """Open stores that hold one event; stores named twice and ``out`` itself are left
    out.

    stack: closes the stores.
    word: the beginning of the event's id, if stores hold several.

    Raises ConfigError with every store that cannot be merged with the first one.
    """
    by_path = {folder.resolve(): folder for folder in reversed(folders)}
    by_path.pop(out.resolve(), None)
    if not by_path:
        raise ConfigError(f"nothing to merge into {out}: name other stores than that")
    _allow_files(len(by_path))
    problems: list[str] = []
    stores: list[tuple[Path, Store, list[EventRow]]] = []
    for folder in reversed(by_path.values()):
        try:
            store = stack.enter_context(_open(folder))
            stores.append((folder, store, _events_of(folder, store, word)))
        except StoreFull:  # which is no fault of that store
            raise
        except ArenaError as error:
            problems += error.problems or (str(error),)
    if problems:
        raise ConfigError(problems)
    return _of_one_event(stores)


def _open(folder: Path) -> Store:
    if folder.is_file():
        raise StoreError(
            f"{folder}: a file, but merge takes folders of stores; a plan has no matches, "
            "and a bundle lacks times and notes"
        )
    if Store.is_in_use(folder):
        raise StoreError(
            f"{folder}: a run is at work on this store; wait for it, or stop it, and merge again"
        )
    return Store.read(folder, trusting=False)


def _events_of(folder: Path, store: Store, word: str | None) -> list[EventRow]:
    """Return the events of a store that may be merged, each with rows as they are
    written.
    """
    rows = [event for event in store.events() if word is None or begins(event.id, word)]
    if not rows:
        raise StoreError(
            f"{folder}: no event{' in it yet' if word is None else f' {word!r} in it'}; "
            "leave this store out"
        )
    for event in rows:
        try:
            stored.check_stored(event)
            _must_be_a_shard(event)
        except ArenaError as error:
            raise StoreError(f"{folder}: event {event.number}: {error}") from None
    return rows


def _must_be_a_shard(event: EventRow) -> None:
    definition = event.definition
    if reason := why_not_in_shards(definition.format, 2 if definition.stage else 1):
        raise ConfigError(f"it has no shards: {reason}")


def _of_one_event(stores: Sequence[tuple[Path, Store, list[EventRow]]]) -> list[EventPart]:
    common = set.intersection(*({event.id for event in rows} for _, _, rows in stores))
    if len(common) > 1:
        raise ConfigError(
            "the stores have several events in common: --event ID says which, of "
            f"{', '.join(sorted(common))}"
        )
    folder, _, rows = stores[0]
    first = next((event for event in rows if event.id in common), rows[-1])
    parts, problems = [], []
    for path, store, events in stores:
        event = next((row for row in events if row.id == first.id), None)
        if event is None:
            problems.append(f"{path}: {_another_event(folder, first, events[-1])}")
            continue
        parts.append(EventPart(path, store, event))
    if problems:
        raise ConfigError(problems)
    return parts


def _another_event(folder: Path, first: EventRow, other: EventRow) -> str:
    """Return how an event differs from the first store's, with advice."""
    if first.text == other.text:
        return (
            f"another event than in {folder}: the same settings with another draw "
            f"(commitment {other.commitment[:_DIGITS]}, "
            f"there {first.commitment[:_DIGITS]}); shards of one event come from one plan"
        )
    lines = drift.differences(first, other.definition, other.bots)
    text = "; ".join(lines[:SHOWN]) + (
        f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    )
    return (
        f"another event than in {folder}; from there to here: {text}; leave it out, or play "
        f"its shard of the plan of {folder}"
    )


def refuse_redrawn(out: Path, unfinished: Sequence[EventRow], part: EventPart) -> None:
    """Raise ConfigError if a store has an unfinished event of the same settings as a
    part's with another draw.

    The user means that event, or another store.
    """
    for event in unfinished:
        if event.text == part.event.text:
            raise ConfigError(
                f"{part.folder}: {_another_event(out, event, part.event)}; give another "
                "--out to have it in a store of its own"
            )


def refuse_closed(parts: Sequence[tuple[Path, EventRow]]) -> None:
    """Raise ConfigError for each store whose event was closed before it was over: all
    of its deals are known since.
    """
    problems = [
        f"{folder}: event {event.number} was closed at {event.closed}, and all its deals are "
        f"known: no shard can join it; `khiva-arena standings {quote(str(folder))} {event.number}` "
        "shows it"
        for folder, event in parts
        if event.closed
    ]
    if problems:
        raise ConfigError(problems)


def check_alike(parts: Sequence[tuple[Path, EventRow]], any_engine: bool) -> None:
    """Raise ConfigError for each store whose event other engine versions played, unless
    ``any_engine``, or with other deals.
    """
    (folder, first), *others = parts
    problems = []
    for path, event in others:
        if event.public != first.public:
            texts = [
                f"the public text {text!r}" if text else "no public text"
                for text in (event.public, first.public)
            ]
            problems.append(
                f"{path}: it was drawn with {texts[0]}, {folder} with {texts[1]}: their "
                "deals are not of one event"
            )
        if set(event.engines) != set(first.engines) and not any_engine:
            versions = [", ".join(sorted(row.engines)) for row in (event, first)]
            advice = (
                "play its shard again with that, or --any-engine joins them, and the event is "
                "marked with all versions"
            )
            problems.append(
                f"{path}: planned or played by khiva-arena {versions[0]}, {folder} by "
                f"{versions[1]}; {advice}"
            )
    if problems:
        raise ConfigError(problems)


class _CountedEvent(StoredEvent):
    """An event of a part that calls ``so_far`` at each match that is read."""

    def __init__(self, part: EventPart, so_far: Callable[[], None]) -> None:
        super().__init__(part.store, part.event)
        self._so_far = so_far

    def lines(self) -> Iterator[AuditLine]:
        for line in super().lines():
            if isinstance(line, MatchRow):
                self._so_far()
            yield line


def check_all(parts: Sequence[EventPart], jobs: int, far: HowFar) -> list[int]:
    """Replay every record of every store, and check everything stored beside it. Return
    how many matches of each are sound, which are all.

    jobs: the number of processes.

    Raises ConfigError with the first damage in each store.
    """
    total = sum(len(part.store.recorded(part.event.id)) for part in parts)
    counter = itertools.count(1)
    sources = (
        _CountedEvent(part, lambda: far(f"{next(counter):,} of {total:,} records checked"))
        for part in parts
    )
    result = audit(sources, jobs)
    problems = []
    for part, report in zip(
        parts, result.events, strict=False
    ):  # fewer, if one could not be read to its end
        faults = [*report.problems, *part.store.damage()]
        if faults:
            hint = f"; `khiva-arena verify {quote(str(part.folder))}` says more"
            problems.append(f"{part.folder}: not sound: {faults[0]}{hint}")
    if problems or result.problems:
        raise ConfigError([*problems, *result.problems])
    return [report.sound for report in result.events]


def check_twice_played(
    parts: Sequence[tuple[Path, Store]], event: EventRow, out: Path | None = None
) -> None:
    """Raise ConfigError if a match is in two stores and its records differ: nothing
    tells which one counts.

    out: the store with all shards, if it is one of ``parts``.
    """
    different = 0
    problem = left_out = ""
    streams = [_places(number, store, event.id) for number, (_, store) in enumerate(parts)]
    for ordinal, copies in groupby(heapq.merge(*streams), key=lambda copy: copy[0]):
        (_, a, digest), *others = copies
        b = next((number for _, number, other in others if other != digest), None)
        if b is None:
            continue
        different += 1
        both = f"{parts[a][0]} and {parts[b][0]}"
        left_out = left_out or _advice(parts[a][0], parts[b][0], out)
        problem = (
            problem
            or f"match {ordinal} ({event.match_id(ordinal)}) was played twice and its records "
            f"differ: in {both}"
        )
    if different:
        rest = (
            f", as for {count(different - 1, 'other match', 'other matches')}"
            if different > 1
            else ""
        )
        raise ConfigError(f"{problem}{rest}; nothing was merged: {left_out}")


def _advice(one: Path, other: Path, out: Path | None) -> str:
    if out not in (one, other):
        return "leave out one of the two stores"
    part = other if one == out else one
    return f"leave out {part}, or merge it without {out}, into a new store"


def _places(number: int, store: Store, event: str) -> Iterator[tuple[int, int, str]]:
    return ((ordinal, number, digest) for ordinal, digest in store.places(event))


def _allow_files(stores: int) -> None:
    """Raise the limit on open files for so many stores. Raises ConfigError if the
    system does not allow that many.
    """
    files = OTHER_FILES + stores * FILES_OF_A_STORE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and files > hard:
        raise ConfigError(
            f"{stores} stores need {files} open files, and the system allows {hard}: merge some, "
            "then the others into the same --out"
        )
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
