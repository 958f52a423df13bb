"""The audit of a bundle: its events without a store or bots, and standings from the
records alone.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from khiva_arena import __version__
from khiva_arena.common.result import COST, Result, Spent
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.audit_report import AuditLine, AuditResult, OwnWord
from khiva_arena.competition.audit.claimed_cap import misfits_of_cap
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.event import audit
from khiva_arena.competition.audit.sample import Sample
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.bundled_matches import BundledMatches
from khiva_arena.competition.events.in_bundle import opened_bundle
from khiva_arena.competition.events.published_bots import published_bots
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.competition.settings.settings import MOST
from khiva_arena.errors import ArenaError, RecordError
from khiva_arena.games.registry import get
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.report.differences import counted_differences, differences, part_of
from khiva_arena.rating.schedule.lineups import MOST_SEATS
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import Record, canonical
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import RUN_SECRET, BotRow, EventRow
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner  # few audits run bots

OwnTable = TypeVar("OwnTable")
MOST_BOTS = 2_000  # what a table of who meets whom takes grows with their square
MOST_COPIES = MOST_SEATS
MOST_SEARCHED = 2_000_000  # line-ups times bots: what a balanced part of all line-ups takes to find
UNPLAYED = "places, hash chains and commitments"
"""The checks of a match that is not replayed. Its result is taken from its record, and
the standings follow from it.
"""
ORDER = {
    kind: place
    for place, kind in enumerate(
        (
            bundle.EventLine,
            bundle.ModuleLine,
            bundle.PayloadLine,
            bundle.RevealLine,
            bundle.VoidLine,
            bundle.MatchLine,
            bundle.OverLine,
        )
    )
}


def audit_bundle(
    path: Path, jobs: int = 1, sample: int | None = None, rerunner: "Rerunner | None" = None
) -> AuditResult:
    """Check the bundle at ``path`` and report on it.

    jobs: the number of processes.
    sample: the most matches of each event that are replayed; None for all.
    rerunner: runs the bots of events in ticks again.

    Raises ConfigError if it cannot be read, StoreError if it is no bundle that this
    engine reads.
    """
    return audited_bundle(path, jobs, sample, rerunner).result


class AuditedBundle(NamedTuple):
    """A bundle that was checked.

    result: the report.
    bundled: the events as they were read.
    """

    result: AuditResult
    bundled: "BundledEvents"


def audited_bundle(
    path: Path,
    jobs: int = 1,
    sample: int | None = None,
    rerunner: "Rerunner | None" = None,
    watch: MatchWatch = UNWATCHED,
) -> AuditedBundle:
    """Check the bundle at ``path`` as ``audit_bundle`` does. ``watch``: sees how far it
    has come.
    """
    ahead = None if sample is None and rerunner is None else _ahead(path, sample)
    with opened_bundle(path, watch) as reader:
        bundled = BundledEvents(reader.lines(), ahead)
        result = audit(bundled, jobs, rerunner)
    result.engine, result.digest = reader.engine, reader.digest
    if result.sound:
        _compare(bundled, result)
    return AuditedBundle(result, bundled)


class ReadAhead(NamedTuple):
    """What is read of an event of a bundle before it is checked.

    sample: the matches that are to be replayed; None for all.
    cost: what running the bots of these matches again may take.
    """

    sample: Sample | None = None
    cost: RerunCost = RerunCost()


def _ahead(path: Path, limit: int | None) -> list[ReadAhead]:
    """Read a bundle before it is checked, and draw for each of its events at most
    ``limit`` matches; None for all.

    A damaged file is read as far as possible: the damage shows when the file is
    checked.
    """
    events: list[dict[int, RerunCost]] = []
    with opened_bundle(path) as reader, suppress(RecordError):
        for line in reader.lines():
            if isinstance(line, bundle.EventLine):
                events.append({})
            elif isinstance(line, bundle.MatchLine) and events:
                events[-1][line.ordinal] = RerunCost().with_match(line.record.get("ticks"))
    ahead = []
    for costs in events:
        sample = None if limit is None else Sample.draw(costs, limit, UNPLAYED)
        drawn = [
            cost for ordinal, cost in costs.items() if sample is None or ordinal in sample.ordinals
        ]
        ahead.append(ReadAhead(sample, RerunCost(len(drawn), sum(cost.ticks for cost in drawn))))
    return ahead


NONE_DRAWN = ReadAhead(Sample(frozenset(), 0))


class BundledEvents:
    """The events of a bundle, one by one as they are read. ``ahead``: what was read of
    each before; None: nothing, and all matches are replayed.

    links: of the league whose batches the events are, each as plain values.
    events: those so far.
    tables: the standings after them.
    """

    def __init__(
        self, lines: Iterator[bundle.BundleLine], ahead: Sequence[ReadAhead] | None = None
    ) -> None:
        self._ahead = None if ahead is None else iter(ahead)
        self.links: list[dict[str, Any]] = []
        self.events: list[BundledEvent] = []
        self.tables: list[bundle.StandingsLine] = []
        self._lines = lines

    def __iter__(self) -> Iterator["BundledEvent"]:
        """Yield each event. Raises RecordError for a file that is damaged, or has a
        line where none of its kind can stand.
        """
        for line in self._lines:
            if isinstance(line, bundle.StandingsLine):
                self.tables.append(line)
            elif isinstance(line, bundle.LinkLine) and not self.events:
                self.links.append(line.link)
            elif self.tables:
                raise RecordError("an event follows the standings")
            elif not isinstance(line, bundle.EventLine):
                raise (
                    _misplaced(self.events[-1].event, line)
                    if self.events
                    else RecordError("it does not begin with an event")
                )
            elif line.id in [row.event.id for row in self.events]:
                raise RecordError(f"event {harmless(line.id, LONGEST)} comes twice")
            else:
                ahead = ReadAhead() if self._ahead is None else next(self._ahead, NONE_DRAWN)
                row = _event_row(line, len(self.events) + 1)
                self.events.append(
                    BundledEvent(row, self._lines, ahead, published_bots(self.links))
                )
                yield self.events[-1]
        if not self.events:
            raise RecordError("there is no event in it")


class BundledEvent:
    """An event of a bundle, as an ``EventSource``.

    matches: the sound ones; only if the definition is sound.
    """

    bundled = True
    matches: BundledMatches

    def __init__(
        self,
        event: EventRow,
        lines: Iterator[bundle.BundleLine],
        ahead: ReadAhead,
        published: Collection[str] | None = None,
    ) -> None:
        self.event, self.published = event, published
        self.sample = ahead.sample
        self._cost = ahead.cost
        self._lines = lines
        self._spent: dict[int, tuple[Spent | None, ...]] = {}
        self._has_reports = self._has_transcripts = False
        self._capped: EndedByCap | None = None
        self._costs: dict[str, int] = {}  # that bots reported, by currency

    def cost(self) -> RerunCost:
        return self._cost

    def timetable(self) -> Timetable:
        """Return the schedule, with later rounds drawn from the sound records of those
        before them.
        """
        stored.check_bots(self.event)
        check_size(self.event.definition)
        timetable = Timetable(self.event.terms(), lambda shape: self.matches.of_round(shape))
        self.matches = BundledMatches(self.event, timetable)
        return timetable

    def lines(self) -> Iterator[AuditLine]:
        before = (0, 0, 0)
        for line in self._lines:
            if isinstance(line, bundle.EventLine | bundle.StandingsLine):
                break
            if isinstance(line, bundle.LinkLine) or (place := _place(line)) <= before:
                raise _misplaced(self.event, line)
            before = place
            if isinstance(line, bundle.OverLine):
                self._capped = line.ended_by_cap
                closed = "by its cap" if line.capped else None
                self.event = structs.replace(self.event, set_aside=line.set_aside, closed=closed)
                if hasattr(self, "matches"):  # the definition is sound
                    self.matches.event, self.matches.capped = self.event, line.ended_by_cap
            if isinstance(line, bundle.MatchLine):
                self._has_reports |= line.spent is not msgspec.UNSET
                self._has_transcripts |= line.transcripts is not msgspec.UNSET
            if isinstance(line, bundle.MatchLine) and line.spent is not msgspec.UNSET:
                if len(line.spent) != self.event.definition.seats:
                    raise RecordError(
                        f"match {self.event.number}/{line.ordinal}: what its bots spent is "
                        "not by seat"
                    )
                self._spent[line.ordinal] = line.spent
                for report in filter(None, line.spent):
                    if COST in report.totals:
                        self._costs[report.currency] = (
                            self._costs.get(report.currency, 0) + report.totals[COST]
                        )
            if isinstance(line, bundle.MatchLine) and line.transcripts is not msgspec.UNSET:
                self._check_transcripts(line.ordinal, line.transcripts)
            if isinstance(line, bundle.RevealLine) and line.seed == RUN_SECRET:
                self.event = structs.replace(self.event, secret=bytes.fromhex(line.secret))
            yield line
            if isinstance(line, bundle.OverLine):
                return
        raise RecordError(f"event {self.event.number} has no end")

    def _check_transcripts(
        self, ordinal: int, transcripts: Sequence[bundle.TranscriptEntry | None]
    ) -> None:
        """Raise RecordError if they are no transcripts: nobody can check more of
        them.
        """
        # not above: few bundles have any
        from khiva_arena.records.store.transcripts import check_size

        match = f"match {self.event.number}/{ordinal}"
        if len(transcripts) != self.event.definition.seats:
            raise RecordError(f"{match}: its transcripts are not by seat")
        try:
            for entry in filter(None, transcripts):
                check_size(entry.packed, entry.total)
        except ValueError as error:
            raise RecordError(f"{match}: {error}") from None

    def own_word(self) -> OwnWord:
        return OwnWord(self._has_reports, self._has_transcripts, self._capped is not None)

    def misfits_of_cap(self, recorded: Collection[int]) -> Iterator[str]:
        if self._capped:
            yield from misfits_of_cap(self._capped, self.event.definition, recorded, self._costs)

    def results(self) -> Iterable[Result]:
        return self.matches.results

    def keep(self, match: ScheduledMatch, record: Record, voids: int) -> None:
        self.matches.event = self.event  # with the run's secret by now
        spent = self._spent.pop(match.ordinal, ())
        for seat, report in enumerate(spent):
            asked = sum(any(choice.seat == seat for choice in step) for step in record.steps)
            if report and report.decisions > asked:
                raise RecordError(
                    f"seat {seat} reported what {count(report.decisions, 'decision')} "
                    "took, and it had fewer"
                )
        self.matches.add(match, record, voids, spent)


def _event_row(line: bundle.EventLine, number: int) -> EventRow:
    return EventRow(
        id=line.id,
        number=number,
        text=canonical(line.definition).decode(),
        engines=tuple(line.engines),
        created="",
        commitment=line.commitment,
        secret=b"",
        bots=tuple(
            BotRow(bot.name, bot.identity, bot.version, bot.complete, "", "") for bot in line.bots
        ),
        public=None if line.public is msgspec.UNSET else line.public,
    )


def check_size(definition: Definition) -> None:
    """Raise ArenaError for an event too large to have been played: reading it would
    take too much time or memory.
    """
    bounds = MOST | {"copies": MOST_COPIES}
    for key, limit in bounds.items():
        if (getattr(definition, key, 0) or 0) > limit:
            raise RecordError(
                f"{key} are {getattr(definition, key)}, and {limit} can be verified at most"
            )
    if len(definition.bots) > MOST_BOTS:
        raise RecordError(
            f"there are {len(definition.bots)} bots, and {MOST_BOTS} can be verified at most"
        )
    if len(definition.bots) * (definition.lineups or 0) > MOST_SEARCHED:
        raise RecordError(
            f"{definition.lineups} line-ups of {len(definition.bots)} bots are more than "
            "are verified"
        )
    if file_in_rules(definition.game, definition.rules):
        return  # none of its matches is replayed
    game = get(definition.game, definition.rules_version)
    if game.rules_version == definition.rules_version:
        game.rules(definition.rules)


def _place(line: bundle.BundleLine) -> tuple[int, int, int]:
    """Return the place of a line in its event. Lines stand in the order of their
    places, and no two have the same.
    """
    first = (
        line.seed
        if isinstance(line, bundle.RevealLine)
        else getattr(line, "ordinal", getattr(line, "number", 0))
    )
    return ORDER[type(line)], first, getattr(line, "attempt", 0)


def _misplaced(event: EventRow, line: bundle.BundleLine) -> RecordError:
    return RecordError(
        f"event {event.number}: a line of kind {line.__struct_config__.tag!r} is out of place"
    )


def tables_from_records(
    bundled: BundledEvents,
    work_out: Callable[[Sequence[BundledMatches], Sequence[dict[str, Any]]], list[OwnTable]],
    problems: list[str],
) -> list[tuple[dict[str, Any], OwnTable]]:
    """Return the tables of a bundle, each with what it should be by the records.

    Why they cannot be compared is added to ``problems``; then there are none.
    """
    try:
        tables = work_out([event.matches for event in bundled.events], bundled.links)
    except ArenaError as error:
        problems.append(harmless(f"the standings cannot be worked out: {error}", LONGEST))
        return []
    if len(tables) != len(bundled.tables):
        problems.append(
            f"it has {len(bundled.tables)} tables of standings, but its records give {len(tables)}"
        )
        return []
    return [(line.table, table) for line, table in zip(bundled.tables, tables, strict=True)]


def _compare(bundled: BundledEvents, result: AuditResult) -> None:
    """Compare the standings with those that the records give, first the tables, then
    number by number.

    If another engine version wrote them, differences of fitted numbers are notes: fits
    may have changed since.
    """
    from khiva_arena.competition.events.bundling import tables_of  # not above: numpy comes with it

    for number, (stored_table, own) in enumerate(
        tables_from_records(bundled, tables_of, result.problems), 1
    ):
        own_table = json.loads(canonical(msgspec.to_builtins(own.table)))  # as a file has it
        name = f"standings {number}"
        if result.engine == __version__:
            result.problems += _lines(name, differences("", stored_table, own_table, all_keys=True))
            continue
        problems = _lines(name, counted_differences(stored_table, own_table, engine=result.engine))
        result.problems += problems
        if not problems:
            fitted = [part_of(table, counted=False) for table in (stored_table, own_table)]
            result.notes += _lines(name, differences("", fitted[0], fitted[1], all_keys=False))


def _lines(name: str, problems: Iterable[str]) -> list[str]:
    return [harmless(f"{name}: {problem}", LONGEST) for problem in problems]
