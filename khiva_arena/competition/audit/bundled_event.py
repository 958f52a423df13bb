"""An event of a bundle as an audit reads it, line by line, and bounds on its size."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import structs

from khiva_arena.common.result import COST, Result, Spent
from khiva_arena.competition.audit.audit_report import AuditLine, OwnWord
from khiva_arena.competition.audit.claimed_cap import misfits_of_cap
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.sample import Sample
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.bundled_matches import BundledMatches
from khiva_arena.competition.settings.settings import MOST
from khiva_arena.errors import RecordError
from khiva_arena.games.registry import get
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.rating.schedule.lineups import MOST_SEATS
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import RUN_SECRET, EventRow
from khiva_arena.words import count

MOST_BOTS = 2_000  # what a table of who meets whom takes grows with their square
MOST_COPIES = MOST_SEATS
MOST_SEARCHED = 2_000_000  # line-ups times bots: what a balanced part of all line-ups takes to find
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


class ReadAhead(NamedTuple):
    """The parts of an event of a bundle that are read before it is checked.

    sample: the matches that are to be replayed; None for all.
    cost: what running the bots of these matches again may take.
    """

    sample: Sample | None = None
    cost: RerunCost = RerunCost()


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
                raise misplaced(self.event, line)
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


def misplaced(event: EventRow, line: bundle.BundleLine) -> RecordError:
    return RecordError(
        f"event {event.number}: a line of kind {line.__struct_config__.tag!r} is out of place"
    )
