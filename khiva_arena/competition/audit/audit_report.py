"""The input and the report of an audit.

An audit replays every record of an event and compares everything else that is stored or
published with the result. It reads the event line by line. ``store.py`` has the lines
of a store, ``bundle.py`` those of a bundle, and ``event.py`` checks them. Damage is a
problem in the report, and hides nothing else.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from khiva_arena.common.result import Result
from khiva_arena.common.say import Say
from khiva_arena.common.text import LONGEST, harmless, preformatted
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.sample import Sample
from khiva_arena.errors import ArenaError, GameFault
from khiva_arena.rating.report.capped import EndedByCap, money
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition, ModuleFile
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store import bundle
from khiva_arena.records.store.rows import EventRow, MatchRow, VoidRow
from khiva_arena.words import count

MODULES_UNUSED = "--modules: only --rerun-bots runs them; add it"


class OwnWord(NamedTuple):
    """The bots' own word, of which nobody can check more than its shape.

    reports: whether bots reported tokens, costs or the like.
    transcripts: whether what they wrote was kept.
    cap: whether a cap ended an event of a bundle, which is the word of its organiser,
        too.
    """

    reports: bool = False
    transcripts: bool = False
    cap: bool = False

    @property
    def line(self) -> str:
        """The line that names it; "" if there is none."""
        if not any(self):
            return ""
        of_each = (["tokens", "costs"], ["transcripts"], ["the cap", "its sum"])
        *names, last = [
            name for there, some in zip(self, of_each, strict=True) if there for name in some
        ]
        what = f"{', '.join(names)} and {last}" if names else last
        if self.cap:
            return f"{what} are the bots' and the organiser's own word; nothing here proves them"
        return f"{what} are the bots' own word; nothing here checks them"


@dataclass(slots=True)
class EventReport:
    """The findings of the audit of an event.

    event: its id.
    number: in the store or the bundle, from 1.
    commitment: as it was published, 64 hex digits.
    sound: the number of sound matches.
    planned: the number of matches when it is over.
    missing: the number of planned matches that are not recorded.
    left_out: the number of planned matches that were not recorded since their tables
        were set aside for good.
    unrevealed: the number of sound matches that were checked with a secret that is
        still private.
    digest: of the run, over the matches that are there.
    public: the text that was mixed into schedule and deals, None for none.
    closed: whether it was closed before it was over, as every event of a bundle that a
        cap ended.
    capped: the cap that ended an event of a bundle, in words; "" for none.
    own_word: what is in it by the bots' own word.
    extends: the id of the event to which it adds its seeds, None for none.
    extends_number: that event's number, if it was checked, too.
    sample: the matches that were drawn to be replayed; None if all were.
    ground: whether the draw could be chosen by varying the definition, as in events
        that version 0.1.0 began.
    problems: everything that is not sound, a line each.
    sound_matches, unsound_matches: ordinals.
    engines: the versions that played it.
    meter: the number of the price list of its ticks, 0 by the wall clock.
    interpreters: the names of its bots that have a payload, by what runs it, in words.
    rerun: the number of matches whose bots were run again and came out equal; None if
        none were run.
    without_bots: the number of matches at which only persons sit, so that there was
        nothing to run.
    rerun_cost: what running them again could take; None if none were run.
    unconfirmed: a line for each match of which nothing, or not all, could be confirmed,
        if bots were run again.
    unconfirmed_matches: ordinals of matches that could not be run again here, and are
        neither sound nor not sound.
    unpublished: those of them with a bot that its league does not publish.
    """

    event: str
    number: int
    commitment: str
    sound: int = 0
    planned: int = 0
    missing: int = 0
    left_out: int = 0
    unrevealed: int = 0
    digest: str = ""
    public: str | None = None
    ground: bool = False
    closed: bool = False
    capped: str = ""
    own_word: OwnWord = field(default_factory=OwnWord)
    extends: str | None = None
    extends_number: int | None = None
    sample: Sample | None = None
    problems: list[str] = field(default_factory=list)
    sound_matches: list[int] = field(default_factory=list)
    unsound_matches: list[int] = field(default_factory=list)
    engines: tuple[str, ...] = ()
    meter: int = 0
    interpreters: dict[str, list[str]] = field(default_factory=dict)
    rerun: int | None = None
    without_bots: int = 0
    rerun_cost: RerunCost | None = None
    unconfirmed: list[str] = field(default_factory=list)
    unconfirmed_matches: list[int] = field(default_factory=list)
    unpublished: list[int] = field(default_factory=list)

    def add(self, problem: str) -> None:
        """Note a problem, which may hold words of a hostile file."""
        self.problems.append(harmless(problem, LONGEST))

    def take_cap(self, capped: EndedByCap | None) -> None:
        """Note the cap that ended an event of a bundle, if one did."""
        if capped:
            self.closed = True
            self.capped = f"a cap of {money(capped.cap, harmless(capped.currency))}"

    def passes(self, name: str, check: Callable[[], None]) -> bool:
        """Tell whether a check passes; if not, note the reason as a problem of the part
        with that name.

        Raises GameFault: then nothing is known of the part.
        """
        try:
            check()
        except GameFault:
            raise
        except ArenaError as error:
            self.add(f"{name}: {error}")
            return False
        return True

    @property
    def summary(self) -> str:
        """The part of the event that is sound, in a line."""
        of = f"{len(self.sample.ordinals)} drawn" if self.sample else f"{self.planned}"
        of = f"{self.sound} of {of} matches are sound"
        state = "missing" if self.problems else "not played yet"
        if self.closed and not self.problems:
            by_cap = f"by its organiser's word {self.capped} ended it"
            state = f"not played, since {by_cap if self.capped else 'it was closed'}"
        tail = f", {self.missing} are {state}" if self.missing else ""
        tail += f", {self.left_out} are of tables set aside for good" if self.left_out else ""
        tail += (
            f", {count(len(self.unconfirmed_matches), 'is', 'are')} unconfirmed"
            if self.unconfirmed_matches
            else ""
        )
        return f"event {self.number} ({self.event}): {of}{tail}; run digest {self.digest}"

    @property
    def claims(self) -> int:
        """The number of matches that came out equal but for what nobody can know: a
        forfeit by the backstop, or a person.
        """
        return len(self.unconfirmed) - len(self.unconfirmed_matches)

    @property
    def of_sample(self) -> tuple[int, int, int]:
        """Return how many replayed matches are sound, are not, and could not be
        confirmed; among these last, sound ones with a forfeit that only the machine
        which played can know.
        """
        return self.sound - self.claims, len(self.unsound_matches), len(self.unconfirmed)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        of_rerun = ("rerun", "unconfirmed", "unconfirmed_matches") if self.rerun is None else ()
        left_out = {"commitment", "sample", "rerun_cost", "own_word", *of_rerun}
        rare = ("left_out", "meter", "interpreters", "unpublished", "without_bots", "capped")
        left_out |= {name for name in rare if not getattr(self, name)}
        plain = {name: value for name, value in asdict(self).items() if name not in left_out}
        sample = {"sample": self.sample.to_dict(*self.of_sample)} if self.sample else {}
        cost = {"rerun_cost": self.rerun_cost.to_dict()} if self.rerun_cost else {}
        return plain | sample | cost


@dataclass(slots=True)
class AuditResult:
    """The findings of the audit of a store or a bundle.

    events: a report of each.
    problems: of the file itself, of a league's chain, and of a bundle's standings.
    chain: what a league's chain proves, in words; "" if the events are no league's.
    calendar: the beacons of a league and lines of their rounds, for people; those in
        the middle left out.
    beacon: all lines of a beacon that were mixed into a league's deals, as plain
        values.
    not_compared: each of these that was to be compared with the beacon and could not
        be, and why.
    notes: differences that are not problems: numbers of a bundle that another engine
        version fitted.
    engine: the version that wrote a bundle.
    digest: the sum over a bundle's lines, 64 hex digits.
    """

    events: list[EventReport] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chain: str = ""
    calendar: list[str] = field(default_factory=list)
    beacon: list[dict[str, Any]] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    engine: str = ""
    digest: str = ""

    @property
    def sound(self) -> bool:
        return not self.problems and not any(report.problems for report in self.events)

    @property
    def confirmed(self) -> bool:
        """True unless bots were to be run again, and in some match could not be on this
        machine, or a line of a beacon could not be compared.
        """
        return not self.not_compared and not any(
            report.unconfirmed_matches for report in self.events
        )

    @property
    def why(self) -> str:
        """Return in a line why not everything is sound and confirmed; "" if everything
        is.
        """
        problems = [problem for report in self.events for problem in report.problems]
        problems += map(harmless, self.problems)
        if problems:
            more = f"; and {len(problems) - 1} more" if problems[1:] else ""
            return f"not sound: {problems[0]}{more}"
        unconfirmed = sum(len(report.unconfirmed_matches) for report in self.events)
        if not unconfirmed and self.not_compared:
            more = f"; and {len(self.not_compared) - 1} more" if self.not_compared[1:] else ""
            return f"unconfirmed: {harmless(self.not_compared[0])}{more}"
        if not unconfirmed:
            return ""
        unpublished = sum(len(report.unpublished) for report in self.events)
        matches = count(unconfirmed - unpublished, "match", "matches")
        if not unpublished:
            return (
                f"unconfirmed: {matches} could not be run again on this machine, and nobody is "
                "at fault: run them again elsewhere"
            )
        hidden = (
            f"unconfirmed: {count(unpublished, 'match has', 'matches have')} bots that the "
            "league does not publish"
        )
        return (
            hidden
            if unpublished == unconfirmed
            else f"{hidden}; {matches} could not be run again on this machine"
        )

    def _repr_html_(self) -> str:
        lines = [
            line
            for report in self.events
            for line in (report.summary, *(f"  {problem}" for problem in report.problems))
        ]
        lines += [
            *map(harmless, self.problems),
            "not sound" if not self.sound else "sound" if self.confirmed else "unconfirmed",
        ]
        return preformatted("\n".join(lines))


class Damage(NamedTuple):
    """Damage that the source itself finds.

    problem: one line.
    ordinal: of the match that cannot be read because of it, None for none.
    """

    problem: str
    ordinal: int | None = None


AuditLine = (
    Damage
    | bundle.ModuleLine
    | bundle.PayloadLine
    | bundle.RevealLine
    | bundle.VoidLine
    | VoidRow
    | bundle.MatchLine
    | MatchRow
    | bundle.OverLine
)
"""A line of a bundle, or the rows of a store in its place, which hold more. An OverLine
without a digest means that the event is not over.
"""


class RunsAgain(Protocol):
    """The part of an audit that runs the bots of events in ticks again."""

    say: Say

    def take(self, file: ModuleFile, data: bytes) -> None:
        """Take a module or a payload that a bundle holds."""

    def rerun(
        self,
        definition: Definition,
        matches: Mapping[int, tuple[Record, bytes]],
        report: EventReport,
        published: Collection[str] | None = None,
    ) -> None:
        """Play sound matches of an event again, and note in its report each that does
        not come out equal, or cannot be played.

        matches: by ordinal, the record and the secret of the seed.
        published: the identities of the bots that their league publishes; None for all.
            A match with another one, whose module or payload is not available, cannot
            be played.

        Raises ConfigError if a module is not available, or is another one.
        """


class EventSource(Protocol):
    """The place from which the lines of an event come."""

    @property
    def event(self) -> EventRow:
        """The event; in a bundle without the run's secret until that was read."""

    @property
    def bundled(self) -> bool:
        """True for an event of a bundle: it is over then, and secrets are known if they
        are revealed.
        """

    @property
    def published(self) -> Collection[str] | None:
        """The identities of the bots that the league of a batch publishes; None for
        all, and for any other event.
        """

    @property
    def sample(self) -> Sample | None:
        """The matches that are to be replayed; None for all."""

    def cost(self) -> RerunCost:
        """Return what running the bots of the matches that are replayed may take, by
        what their records claim: nothing of them is checked yet.
        """

    def timetable(self) -> Timetable:
        """Return the schedule of the event. Raises ArenaError if its definition gives
        none.
        """

    def lines(self) -> Iterator[AuditLine]:
        """Yield the lines to be checked. Raises RecordError for a file that cannot be
        read any further.
        """

    def own_word(self) -> OwnWord:
        """Return what there is, once all lines were read, that is the bots' own word. A
        damaged store has none.
        """

    def misfits_of_cap(self, recorded: Collection[int]) -> Iterable[str]:
        """Yield each contradiction between the cap that a bundle says ended an event
        and the matches of these ordinals.
        """

    def results(self) -> Iterable[Result]:
        """Return the results of the event's matches in schedule order, as far as they
        are known: a sequential test ends by them.
        """

    def keep(self, match: ScheduledMatch, record: Record, voids: int) -> None:
        """Take a sound match, in schedule order. ``voids``: the number of void attempts
        at it.
        """
