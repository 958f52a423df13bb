"""The audit of a bundle: its events without a store or bots, and standings from the
records alone.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from khiva_arena import __version__
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.audit_report import AuditResult
from khiva_arena.competition.audit.bundled_event import BundledEvent, ReadAhead, misplaced
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.event import audit
from khiva_arena.competition.audit.sample import Sample
from khiva_arena.competition.events.bundled_matches import BundledMatches
from khiva_arena.competition.events.in_bundle import opened_bundle
from khiva_arena.competition.events.published_bots import published_bots
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.errors import ArenaError, RecordError
from khiva_arena.rating.report.differences import counted_differences, differences, part_of
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import BotRow, EventRow

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner  # few audits run bots

OwnTable = TypeVar("OwnTable")
UNPLAYED = "places, hash chains and commitments"
"""The checks of a match that is not replayed. Its result is taken from its record, and
the standings follow from it.
"""


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
                    misplaced(self.events[-1].event, line)
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
