"""One event of a bundle, checked line by line as it is read."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from khiva_arena.cli import event as events
from khiva_arena.cli.bundle import Told
from khiva_arena.cli.sequential import add_seed, hypotheses_of
from khiva_arena.cli.settings import MOST
from khiva_arena.cli.verify import Report, tell_draw
from khiva_arena.errors import ArenaError, RecordError
from khiva_arena.games.registry import get
from khiva_arena.ratings.matches import MatchRow
from khiva_arena.ratings.pairs import RatedMatch
from khiva_arena.ratings.sprt import SequentialTest
from khiva_arena.replay.record import Record, canonical, run_digest
from khiva_arena.replay.verify import verify
from khiva_arena.schedule.formats import Format, Result, Shape
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store import bundle
from khiva_arena.store.db import RUN_SECRET, BotRow, EventRow
from khiva_arena.text import LONGEST, harmless
from khiva_arena.words import count

MOST_BOTS = 2_000  # what a table of who meets whom takes grows with their square
MOST_COPIES = 5
MOST_SEARCHED = 2_000_000  # line-ups times bots: what a balanced part of all line-ups takes to find
ORDER = {kind: place for place, kind in enumerate((bundle.Event, bundle.Reveal, bundle.Void, bundle.Match, bundle.Over))}


@dataclass(slots=True)
class Found:
    """What was found in a bundle. ``problems``: of the file itself and its standings. ``notes``: what is no fault, but to be
    known. ``told``: the sound matches of each event, ``tables`` what the file says of them."""

    events: list[EventRow] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    tables: list[bundle.Standings] = field(default_factory=list)


class BundledEvent:
    """One event of a bundle, checked line by line."""

    def __init__(self, found: Found, line: bundle.Event) -> None:
        if line.id in [event.id for event in found.events]:
            raise RecordError(f"event {harmless(line.id, LONGEST)} comes twice")
        number = len(found.events) + 1
        self.over = False
        self.report = Report(harmless(line.id, LONGEST), number)
        self._line = line
        self._row = _row_of(line, number, b"")
        self._found = found
        self._told: Told | None = None  # as long as the definition is not known to be sound
        self._test: _Test | None = None
        self._revealed: dict[int, bytes] = {}
        self._voids: Counter[int] = Counter()
        self._digests: list[str] = []
        self._fixed: Counter[int] = Counter()
        self._before: tuple[int, int, int] = (0, 0, 0)
        found.events.append(self._row)
        found.reports.append(self.report)
        self._try("the event itself", self._open)

    def take(self, line: bundle.Line) -> None:
        """Check the next line of the event. Raises RecordError for one that cannot stand there."""
        place = _place(line)
        if place <= self._before or self.over:
            raise RecordError(f"event {self.report.number}: {_name(line)} stands where it cannot")
        self._before = place
        if isinstance(line, bundle.Reveal):
            self._take_reveal(line)
        elif isinstance(line, bundle.Void):
            self._try(f"void {self.report.number}/{line.ordinal}", lambda: self._check_void(line))
        elif isinstance(line, bundle.Match):
            self._take_match(line)
        elif isinstance(line, bundle.Over):
            self.over = True
            self._try("its end", lambda: self._check_end(line))

    def _try(self, where: str, check: Callable[[], None]) -> bool:
        """Whether the check passes; what it finds is a problem."""
        try:
            check()
        except ArenaError as error:
            self.report.problems.append(harmless(f"{where}: {error}", LONGEST))
            return False
        return True

    def _open(self) -> None:
        """The definition, and the timetable that it gives."""
        events.check_stored(self._row)
        tell_draw(self.report, self._row)
        what = self._row.definition
        check_size(what)
        if get(what["game"]).rules_version == what["rules_version"]:
            get(what["game"]).rules(what["rules"])
        timetable = Timetable(events.terms_of_event(self._row), lambda shape: self._results_of(shape))
        if what["format"] == Format.SPRT:
            self._test = _Test(self._row, timetable)
        self._told = Told(self._row, timetable)
        self._found.told.append(self._told)
        self.report.planned = timetable.matches

    def _results_of(self, shape: Shape) -> list[Result] | None:
        found = self._told.results.get(shape.number, []) if self._told else []
        return found if len(found) == shape.matches else None

    def _take_reveal(self, line: bundle.Reveal) -> None:
        secret = bytes.fromhex(line.secret)
        self._revealed[line.seed] = secret
        if line.seed == RUN_SECRET:
            self._row = self._found.events[-1] = _row_of(self._line, self.report.number, secret)
            if self._told:
                self._told.event = self._row
        self._try(f"the revealed secret of seed {line.seed}", lambda: self._check_reveal(line.seed, secret))

    def _check_reveal(self, seed: int, secret: bytes) -> None:
        if seed == RUN_SECRET:
            if not events.opens(self._row, secret):
                raise RecordError("it does not open the commitment that was published")
            said = self._row.definition.get("seed")
            if said is not None and said != sha256(b"khiva-event-seed-1\0" + secret).hexdigest():
                raise RecordError("it is not the one of the seed that the definition names")
        elif self._told and seed >= self._told.timetable.seeds:
            raise RecordError("there is no such seed")
        elif secret != events.seed_secret(self._row, seed):
            raise RecordError("it is not the one that the run's secret gives")

    def _check_void(self, line: bundle.Void) -> None:
        self._voids[line.ordinal] += 1
        if line.attempt != self._voids[line.ordinal]:
            raise RecordError(f"attempt {line.attempt} stands at place {self._voids[line.ordinal]}")
        if self._told and self._told.timetable.place(line.ordinal) is None:
            raise RecordError("the schedule has no such match")

    def _take_match(self, line: bundle.Match) -> None:
        if self._try(f"match {self.report.number}/{line.ordinal}", lambda: self._check_match(line)):
            self.report.sound += 1
            self.report.sound_matches.append(line.ordinal)
        else:
            self.report.unsound_matches.append(line.ordinal)

    def _check_match(self, line: bundle.Match) -> None:
        record = Record.from_json(canonical(line.record).decode())
        self._digests.append(record.digest)
        if self._told is None:
            raise RecordError("it cannot be checked, since the event's definition is damaged")
        timetable = self._told.timetable
        place = timetable.place(line.ordinal)
        if place is None:
            raise RecordError("the schedule has no such match")
        self._fixed[place[0]] += 1
        if self._test and self._test.decided:
            raise RecordError("it was fixed after the decision of the test")
        match = timetable.match(line.ordinal)
        if match is None:
            raise RecordError("its round cannot be drawn: results of a round before it are missing or not sound")
        if RUN_SECRET not in self._revealed:
            raise RecordError("it cannot be checked, since the run's secret is not revealed")
        secret = events.seed_secret(self._row, match.k)
        bots = self._row.definition["bots"]
        who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
        name = events.match_id(self._row, line.ordinal)
        if record.header != events.header_of(self._row.definition, who, name, secret):
            raise RecordError("its header is not the one that the event gives")
        verify(record, secret)
        self._told.add(line.ordinal, match.bots, record, self._voids[line.ordinal])
        if self._test:
            self._test.add(match, self._told.rows[-1])

    def _check_end(self, line: bundle.Over) -> None:
        self.report.digest = run_digest(self._digests)
        if self._told is None:
            return
        timetable, fixed = self._told.timetable, sum(self._fixed.values())
        if self._test and self._test.decided:
            self.report.planned = self._test.matches
        self.report.missing = max(0, self.report.planned - fixed)
        if self.report.missing:
            raise RecordError(
                f"{count(self.report.missing, 'match is', 'matches are')} missing, and an event is bundled when it is over"
            )
        per_seed = {k: timetable.per_seed(timetable.shape_of_seed(k)) for k in self._fixed}
        if {RUN_SECRET, *(k for k, count in self._fixed.items() if count == per_seed[k])} != self._revealed.keys():
            raise RecordError("what is revealed are not the secrets of the run and of each seed that was played")
        if line.digest != self.report.digest:
            raise RecordError(f"the run digest was {line.digest} when the event was over")


class _Test:
    """A sequential test, seed by seed; ``matches``: those up to its decision."""

    def __init__(self, event: EventRow, timetable: Timetable) -> None:
        """Raises RecordError where the definition has no test."""
        self._event = event
        self._per_seed = timetable.per_seed(timetable.shapes[0])
        self._seed: list[RatedMatch] = []
        self.matches = 0
        try:
            self._test = SequentialTest(hypotheses_of(event.definition), self._per_seed)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"its definition has no test that can be ({type(error).__name__}: {error})") from None

    @property
    def decided(self) -> bool:
        return bool(self._test.decision)

    def add(self, match: Match, row: MatchRow) -> None:
        self._seed.append(RatedMatch(match.k, match.bots, row.ranks, row.unstarted))
        self.matches += 1
        if len(self._seed) == self._per_seed:
            add_seed(self._test, self._seed, self._event)
            self._seed = []


def _row_of(line: bundle.Event, number: int, secret: bytes) -> EventRow:
    bots = tuple(BotRow(bot.name, bot.identity, bot.version, bot.complete, "", "") for bot in line.bots)
    public = None if line.public is msgspec.UNSET else line.public
    return EventRow(line.id, number, line.definition, tuple(line.engines), "", line.commitment, secret, bots, public=public)


def check_size(definition: dict[str, Any]) -> None:
    """Raise RecordError for an event that nobody could have played, and that would take a reader's day or memory."""
    bounds = MOST | {"copies": MOST_COPIES}
    for key, most in bounds.items():
        if (definition.get(key) or 0) > most:
            raise RecordError(f"{key} are {definition[key]}, and {most} at most are verified")
    if len(definition["bots"]) > MOST_BOTS:
        raise RecordError(f"there are {len(definition['bots'])} bots, and {MOST_BOTS} at most are verified")
    if len(definition["bots"]) * (definition.get("lineups") or 0) > MOST_SEARCHED:
        raise RecordError(f"{definition['lineups']} line-ups of {len(definition['bots'])} bots are more than are verified")


def _place(line: bundle.Line) -> tuple[int, int, int]:
    """Lines of an event stand in this order, each at a place of its own."""
    first = line.seed if isinstance(line, bundle.Reveal) else getattr(line, "ordinal", 0)
    return ORDER[type(line)], first, getattr(line, "attempt", 0)


def _name(line: bundle.Line) -> str:
    return f"a line of kind {line.__struct_config__.tag!r}"
