"""Bundles of events that are over, each with the standings that follow from its records
alone.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from khiva_arena import __version__
from khiva_arena.common.result import Measured
from khiva_arena.competition.events.bundled_matches import BundledMatches, MatchesByEvent
from khiva_arena.competition.events.conditions import settings_of
from khiva_arena.competition.events.find import (
    CHANGED,
    ended_by_cap,
    matches_of,
    may_be_capped,
    voids_of,
)
from khiva_arena.competition.events.pool_tables import tables_in
from khiva_arena.competition.events.published_bots import published_bots
from khiva_arena.competition.events.stored import bare_timetable, damaged
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.schedule.formats import ScheduledMatch
from khiva_arena.records.replay.definition import DefinedBot, ModuleFile
from khiva_arena.records.replay.record import Record, run_digest
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, Store
from khiva_arena.records.store.files import MODULES
from khiva_arena.records.store.new_file import new_file
from khiva_arena.records.store.queries import RoomTaken

MODULE_PART = 2**23
"""Bytes of a module in one line, which are a third more in base 64."""
MEASURED = Measured._fields
"""The columns that were measured on one machine in one run, which nobody else can
check.
"""


class WrittenBundle(NamedTuple):
    """A bundle that was written.

    matches: the number of its matches.
    digest: the sum over all its lines.
    """

    matches: int
    digest: str


def write_bundle(
    path: Path,
    store: Store,
    events: Sequence[EventRow],
    *,
    with_modules: bool = False,
    with_transcripts: bool = False,
) -> WrittenBundle:
    """Write events of a store into a new file.

    with_modules: also the modules of events in ticks, of a league those that it
        publishes
    with_transcripts: also what bots wrote on stderr, as far as it was kept

    Raises ConfigError if an event is not over, or a module is not available, StoreError
    if one is damaged, ArenaError if the file cannot be written.
    """
    _check_over(store, events)
    capped = {event.id: cap for event in events if (cap := ended_by_cap(store, event))}
    with new_file(path) as file:
        has_persons = any(bot.person for event in events for bot in event.definition.bots)
        reports = any(
            store.has_reports(event.id)
            or (with_transcripts and store.room_of_transcripts(event.id))
            for event in events
        )
        is_extended = has_persons or reports or bool(capped)
        writer = bundle.Writer(file, __version__, bundle.EXTENDED if is_extended else bundle.FORMAT)
        links: list[dict[str, Any]] = []
        for link in store.links():
            if not link.intact:
                damaged(store, f"link {link.number}", CHANGED)
            links.append(msgspec.json.decode(link.text))
            writer.add(bundle.LinkLine(links[-1]))
        written = _Written(published_bots(links)) if with_modules else None
        numbered = [structs.replace(event, number=number) for number, event in enumerate(events, 1)]
        members = [
            _add_event(
                writer,
                store,
                event,
                written,
                capped.get(event.id),
                with_transcripts=with_transcripts,
            )
            for event in numbered
        ]
        for table in tables_of(members, links):
            writer.add(table)
        return WrittenBundle(sum(len(member.results) for member in members), writer.end())


def _check_over(store: Store, events: Sequence[EventRow]) -> None:
    """Raise ConfigError with every event that cannot be published yet: its secrets are
    private until it is over.
    """
    problems, others = [], "name only events that are over"
    for event in events:
        recorded, capped = store.recorded(event.id), ended_by_cap(store, event)
        may_bundle = capped is not None and may_be_capped(event.definition, recorded)
        if event.closed and not may_bundle:
            by_cap = "was ended by a cap, but not after whole tables, the first of the schedule"
            what = by_cap if capped else "was closed before it was over"
            reason = f"event {event.number} ({event.id}) {what}"
            why = "and only complete events are bundled"
            problems.append(f"{store.folder}: {reason}, {why}; {others}")
        elif store.conclusion(event.id) is None:
            planned = bare_timetable(event).matches
            how_far = f"event {event.number} ({event.id}) is not over"
            how_far += f": {len(recorded)} of {planned} matches are recorded"
            close = f"khiva-arena close {quote(str(store.folder))} {event.number}"
            end = (
                f"`{close}` makes that its end"
                if may_bundle
                else "a higher --spend goes on with it"
            )
            cap = f"a cap ended it, and {end}; " if capped else ""
            finish = "finish it with the command that began it"
            problems.append(f"{store.folder}: {how_far}; {cap}{finish}, or {others}")
    if not events:
        problems.append(f"{store.folder}: no event to bundle; `khiva-arena run` plays one")
    if problems:
        raise ConfigError(problems)


class _Written:
    """The modules and payloads that are written into a bundle, each once.

    published: the identities of the bots that their league publishes; None for all.
    files: that stand in the bundle so far.
    """

    def __init__(self, published: Collection[str] | None) -> None:
        self.published, self.files = published, set[ModuleFile]()

    def takes(self, bot: DefinedBot, file: ModuleFile) -> bool:
        """Tell whether a file of a bot is to be written, and note that it is."""
        if file in self.files or (
            self.published is not None and bot.identity not in self.published
        ):
            return False
        self.files.add(file)
        return True


def _modules(
    store: Store, event: EventRow, written: _Written
) -> Iterator[bundle.ModuleLine | bundle.PayloadLine]:
    """Yield the lines of the modules and payloads of an event in ticks. Raises
    ConfigError if one is not available.
    """
    # not above: few bundles have modules
    from khiva_arena.entrants.only_modules import damaged_copies, read_from

    numbers = {kind: count() for kind in ("module", "payload")}
    for bot, file in sorted(
        event.definition.module_files, key=lambda both: both[1].kind
    ):  # modules first
        if not written.takes(bot, file):
            continue
        data = read_from(store.folder / MODULES, file)
        if data is None:
            if copies := ", ".join(map(str, damaged_copies(file, store.folder / MODULES))):
                raise ConfigError(
                    f"--with-modules: each copy of the {file.kind} of {bot.name} is "
                    f"damaged: {copies}"
                )
            raise ConfigError(
                f"--with-modules: the {file.kind} of {bot.name} is neither in "
                f"{store.folder} nor on this machine"
            )
        parts = [data[at : at + MODULE_PART] for at in range(0, len(data) or 1, MODULE_PART)]
        for rest, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
            yield bundle.FILE_LINES[file.kind](next(numbers[file.kind]), file.digest, rest, part)


def _transcripts(
    store: Store, event: EventRow, match: MatchRow
) -> tuple[bundle.TranscriptEntry | None, ...]:
    """Return the transcripts of a match by seat, () if none were to be kept. Raises
    StoreError if one is damaged.
    """
    found = {}
    for row in store.transcripts(event.id, match.ordinal):
        if not row.intact:
            what = f"the transcript of seat {row.seat} of match {event.number}/{match.ordinal}"
            damaged(store, what, f"it {CHANGED}")
        found[row.seat] = bundle.TranscriptEntry(row.packed, row.total)
    return tuple(found.get(seat.seat) for seat in match.seats) if found else ()


def _add_event(
    writer: bundle.Writer,
    store: Store,
    event: EventRow,
    written: _Written | None,
    capped: EndedByCap | None,
    *,
    with_transcripts: bool,
) -> BundledMatches:
    """Add an event to a bundle with its secrets, voids and matches. Return its matches.

    written: the modules and payloads that stand in the bundle; None if it is to have
        none
    capped: the cap that ended it
    """
    bots = [
        bundle.BotEntry(bot.name, bot.identity, bot.version, bot.complete) for bot in event.bots
    ]
    public = msgspec.UNSET if event.public is None else event.public
    writer.add(
        bundle.EventLine(
            event.id, event.definition.plain(), event.commitment, list(event.engines), bots, public
        )
    )
    for module in (
        _modules(store, event, written) if written is not None and event.definition.in_ticks else ()
    ):
        writer.add(module)
    for seed, secret in sorted(store.reveals(event.id).items()):
        writer.add(bundle.RevealLine(seed, secret.hex()))
    voids: dict[int, int] = {}
    for void in voids_of(store, event):
        writer.add(bundle.VoidLine(void.ordinal, void.attempt))
        voids[void.ordinal] = void.attempt
    matches = BundledMatches(event, bare_timetable(event))
    for match in matches_of(store, event):
        try:
            record = match.parsed()
        except RecordError as error:
            damaged(store, f"match {event.number}/{match.ordinal}", str(error))
        spent = match.spent or msgspec.UNSET
        kept = (with_transcripts and _transcripts(store, event, match)) or msgspec.UNSET
        plain = msgspec.json.decode(match.record)
        writer.add(bundle.MatchLine(match.ordinal, plain, spent, kept))
        seated = tuple(seat.bot for seat in match.seats)
        matches.add(
            ScheduledMatch(match.ordinal, match.seed, match.lineup, match.rotation, seated),
            record,
            voids.get(match.ordinal, 0),
        )
    cap = _as_entry(capped) if capped else None
    over = bundle.OverLine(store.conclusion(event.id) or "", event.set_aside, cap)
    writer.add(over)
    matches.capped = over.ended_by_cap
    return matches


def _as_entry(capped: EndedByCap) -> bundle.CapEntry:
    spent = min(capped.spent, bundle.NUMBER_MOST)
    at_least = capped.at_least or spent < capped.spent
    return bundle.CapEntry(capped.cap, spent, at_least, capped.currency)


class BundledResults(MatchesByEvent):
    """Events of a bundle, over and sound, as a ``ResultSource``."""

    def recorded(self, event: EventRow) -> int:
        return len(self.members[event.id].results)

    def secrets(self, event: EventRow) -> dict[int, bytes]:
        seeds = {result.seed for result in self.results(event)}
        return {RUN_SECRET: event.secret} | {seed: event.seed_secret(seed) for seed in seeds}

    def records(self, event: EventRow, ordinals: Collection[int]) -> dict[int, Record]:
        """Return none: the matches hold results alone, and whoever has the file reads
        it again.
        """
        return {}

    def room_of_transcripts(self, event: EventRow) -> list[RoomTaken]:
        """Return none: a bundle does not say how much there was."""
        return []

    def digest(self, event: EventRow) -> str | None:
        return run_digest(self.members[event.id].digests)


def tables_of(
    members: Sequence[BundledMatches], links: Sequence[dict[str, Any]] = ()
) -> list[bundle.StandingsLine]:
    """Return the tables that ``standings --json`` gives for these events; measured
    columns are null, and what bots reported is left out. ``links``: of the league whose
    batches the events are. Raises RecordError for links that no league has written.
    """
    lines = []
    for table in tables_in(BundledResults(members, links), [member.event for member in members]):
        plain = to_json(table.standings)
        rows = [
            {
                key: None if key in MEASURED else value
                for key, value in row.items()
                if key != "spent"
            }
            for row in plain["rows"]
        ]
        also = {**table.places_json(), **table.partial_json()}
        lines.append(
            bundle.StandingsLine({**settings_of(table.events), **plain, "rows": rows, **also})
        )
    return lines
