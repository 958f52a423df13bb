"""The unplayed part of an event: its jobs, round by round, and how an outcome becomes
rows of the store.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from msgspec.structs import replace

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.competition.events.find import sound_results
from khiva_arena.competition.events.stored import timetable_of
from khiva_arena.rating.schedule.formats import DrawnRound, Shape, schedule
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import spread
from khiva_arena.records.store.db import (
    RUN_SECRET,
    EventRow,
    MatchRow,
    SeatRow,
    Store,
    VoidRow,
    now,
)

if TYPE_CHECKING:
    from khiva_arena.arbiter.job import Failure
    from khiva_arena.competition.events.transcripts import TranscriptRoom  # most events keep none
    from khiva_arena.competition.playing.limits import PlayLimit, TablePlace  # most runs have none


class Play:
    """The part of an event that is still to be played. It gives the jobs of each round
    lazily; give each outcome to ``record``.

    done: ordinals of the matches that are recorded.
    set_aside: (seed, line-up) of tables that stayed void.
    overdue: bots that have no time left: they are not asked in the matches that begin
        from now on, and forfeit them.
    failed: called when the arena itself fails at a match, and returns why the match is
        void; None to let that end the run.
    mend: called when the host has spoilt a match, to stage bots anew whose copies are
        damaged.
    limit: ends the event short between two tables; None for no limit.
    transcripts: the room for transcripts of bots; None to keep none.
    sandbox: how bots are kept here; a cluster's workers keep modules each at their own
        best level.
    """

    def __init__(self, store: Store, event: EventRow, commands: Sequence[Command]) -> None:
        self.event = event
        self.timetable = timetable_of(store, event, sound_results)
        self.done = store.recorded(event.id)
        self.set_aside: set[tuple[int, int]] = set()
        self._store = store
        self._definition = event.definition
        self._commands = commands
        # What is over needs no cell, and to find the best one takes a moment.
        needs_level = event.definition.in_ticks and commands
        if needs_level:
            # not above: few events are in ticks
            from khiva_arena.records.replay.ticks import refuse_unspoken

            refuse_unspoken(event.definition.meter)
        self.sandbox = event.definition.sandbox(best() if needs_level else Level.TRUSTED)
        voids = store.voids(event.id)
        self._voids = {row.ordinal: row.attempt for row in voids}
        self.overdue: set[int] = set()
        self.failed: Callable[[Job, Failure], str] | None = None
        self.mend: Callable[[], None] = lambda: None
        self.limit: PlayLimit | None = None
        self.transcripts: TranscriptRoom | None = None
        self._warned = {
            bot for row in voids for bot in row.suspects
        }  # by the wall clock nobody reads the warning
        self._planned: dict[int, ScheduledMatch] = {}
        self._first_given: dict[
            TablePlace, int
        ] = {}  # of each table that a limit let begin: -1 once it no longer may
        self._recorded = Counter(
            place[0] for ordinal in self.done if (place := self.timetable.place(ordinal))
        )

    @property
    def complete(self) -> bool:
        """True if all matches are recorded."""
        return len(self.done) == self.timetable.matches

    @property
    def planned(self) -> int:
        """The number of matches once all are recorded."""
        return self.timetable.matches

    @property
    def part(self) -> str:
        """The part of the event that is played here, in words; "" for all of it."""
        return ""

    @property
    def until(self) -> str:
        """The time at which a comparison of two bots ends, in words; "" for any other
        event.
        """
        return ""

    @property
    def done_before(self) -> int:
        """The number of recorded matches of this part."""
        return len(self.done)

    def seeds_of(self, a_round: Shape | DrawnRound) -> range:
        """Return the seeds of a round that are played here."""
        return range(a_round.first_seed, a_round.first_seed + a_round.seeds)

    def rounds(self) -> Iterator[DrawnRound]:
        """Yield the incomplete rounds, each drawn when those before it are complete.

        Ends early at a round that cannot be completed now.
        """
        for shape in self.timetable.shapes:
            draw = self.timetable.round(shape.number)
            if draw is None:
                return
            if self._count_unrecorded(shape):
                yield draw
            if self._count_unrecorded(shape):
                return

    def goes_on(self) -> bool:
        """Tell whether a round whose matches have ended goes on, since a limit that
        held tables back lets them begin now.
        """
        return self.limit is not None and self.limit.goes_on()

    def end(self) -> None:
        """Conclude an event that has ended without a last match. Most end with one."""
        if self.limit is not None:
            self.limit.end(len(self.done))

    def is_whole(self, seed: int) -> bool:
        """Tell whether all matches on a seed are recorded, and so its deal is
        revealed.
        """
        return self._recorded[seed] == self.timetable.per_seed(self.timetable.shape_of_seed(seed))

    def _count_unrecorded(self, shape: Shape) -> int:
        """Return the number of matches of a round that are still to be recorded."""
        seeds = self.seeds_of(shape)
        return len(seeds) * self.timetable.per_seed(shape) - sum(self._recorded[k] for k in seeds)

    def jobs(self, draw: DrawnRound) -> Iterator[Job]:
        """Yield the matches of a round that are still to be recorded, seed by seed, in
        the order that ``spread`` gives.

        Tables that have been set aside by then are left out.
        """
        unrecorded = (match for match in self._own_matches(draw) if match.ordinal not in self.done)
        self._first_given.clear()
        for match in spread(self._of_tables_that_begin(unrecorded)):
            if (match.k, match.lineup) in self.set_aside:
                continue
            self._planned[match.ordinal] = match
            if self.limit is not None:
                self._first_given.setdefault(_table_of(match), match.ordinal)
            attempt = self._voids.get(match.ordinal, 0) + 1
            yield self._job(match, attempt)

    def _of_tables_that_begin(self, matches: Iterator[ScheduledMatch]) -> Iterator[ScheduledMatch]:
        """Return the matches before those of the first table that the limit does not
        let begin.
        """
        if self.limit is None:
            return matches
        begun = takewhile(
            lambda each: self._begins(*each),
            ((table, [*each]) for table, each in groupby(matches, _table_of)),
        )
        return (match for _, of_table in begun for match in of_table)

    def _begins(self, table: "TablePlace", unrecorded: Sequence[ScheduledMatch]) -> bool:
        return (
            self.limit is None
            or table in self.set_aside
            or self.limit.may_begin(table, len(unrecorded))
        )

    def is_wanted(self, job: Job) -> bool:
        """Tell whether a match that ``jobs`` has given, and that was not begun, is
        still to be played.
        """
        table = _table_of(self._planned[job.ordinal])
        if table in self.set_aside:
            return False
        first = self._first_given.get(table)
        # A table was let begin when its seed was read: matches that have ended since
        # may say that it costs too much.
        if (
            self.limit is not None
            and first == job.ordinal
            and not self.limit.still_may_begin(table)
        ):
            first = self._first_given[table] = -1
        return first != -1

    def tables(self, draw: DrawnRound) -> Iterator[list[Job]]:
        """Yield the matches of a round that are still to be recorded, table by table:
        those of a seed and a line-up together.

        Tables that have been set aside by then are left out.
        """
        for table, matches in groupby(self._own_matches(draw), _table_of):
            unrecorded = [match for match in matches if match.ordinal not in self.done]
            if unrecorded and table not in self.set_aside:
                if not self._begins(table, unrecorded):
                    return
                self._planned.update((match.ordinal, match) for match in unrecorded)
                yield [
                    self._job(match, self._voids.get(match.ordinal, 0) + 1) for match in unrecorded
                ]

    def _own_matches(self, draw: DrawnRound) -> Iterator[ScheduledMatch]:
        """Return the matches of a round on the seeds that are played here, in the order
        of the schedule.
        """
        seeds = self.seeds_of(draw)
        return takewhile(
            lambda match: match.k < seeds.stop, schedule(self.timetable.terms, draw, seeds.start)
        )

    def _job(self, match: ScheduledMatch, attempt: int) -> Job:
        secret = self.event.seed_secret(match.k)
        header = self._definition.header(
            self._definition.seated(match.bots), self.event.match_id(match.ordinal), secret
        )
        commands = tuple(self._commands[bot] for bot in match.bots)
        warned = tuple(seat for seat, bot in enumerate(match.bots) if bot in self._warned)
        overdue = tuple(seat for seat, bot in enumerate(match.bots) if bot in self.overdue)
        room = self.transcripts.of_seats(match.bots) if self.transcripts else ()
        given = header, secret, commands, self.sandbox, warned
        return Job(match.ordinal, attempt, *given, overdue=overdue, transcripts=room)

    def record(self, outcome: Outcome, *, last: bool) -> list[MatchRow | VoidRow]:
        """Store an outcome and return the rows that were stored because of it.

        last: whether a void match will not be played again now, so that its table is
            set aside.
        """
        match = self._planned[outcome.ordinal]
        if self.limit is not None:
            self.limit.note(_table_of(match), outcome)
        if outcome.record is not None:
            return [
                self.store_match(match, outcome, over=len(self.done) + 1 == self.timetable.matches)
            ]
        if outcome.host:
            self.mend()
        row = _void_row(self.event.id, match, outcome)
        self._store.add_void(row)
        self._voids[row.ordinal] = row.attempt
        self._warned.update(row.suspects)
        if last:
            self.set_aside.add((match.k, match.lineup))
        return [row]

    def store_match(self, match: ScheduledMatch, outcome: Outcome, *, over: bool) -> MatchRow:
        """Store a match and the secrets that it reveals: its seed's, if it is the last
        on that seed; the run's, if the event is over.
        """
        row = match_row(self.event.id, match, outcome)
        if self.transcripts:
            endings = [report.ending for report in outcome.seats]
            row = replace(row, transcripts=tuple(self.transcripts.taken(match.bots, endings)))
        self._recorded[match.k] += 1
        reveals: dict[int, bytes] = {}
        if self.is_whole(match.k):
            reveals[match.k] = self.event.seed_secret(match.k)
        if over:
            reveals[RUN_SECRET] = self.event.secret
        try:
            self._store.add_match(row, reveals)
        except BaseException:
            self._recorded[match.k] -= 1  # or its seed would seem whole one match too early
            raise
        del self._planned[outcome.ordinal]
        self.done.add(outcome.ordinal)
        return row


def _table_of(match: ScheduledMatch) -> "TablePlace":
    return (match.k, match.lineup)


def match_row(event: str, match: ScheduledMatch, outcome: Outcome) -> MatchRow:
    """Return the row of a match that was played, which has a record."""
    record = outcome.record
    assert record is not None
    rows = [
        SeatRow(
            seat=seat,
            bot=match.bots[seat],
            rank=record.ranks[seat],
            score=record.scores[seat],
            verdict=str(record.verdicts[seat]),
            faults=[[str(blame.verdict), blame.detail, blame.step] for blame in report.faults],
            decisions=report.decisions,
            thought=report.thought,
            slowest=report.slowest,
            bank_left=report.bank_left,
            status=report.ending.status,
            notes=report.ending.notes,
            notes_total=report.ending.notes_total,
            peak=report.ending.peak,
            measured=report.measured,
        )
        for seat, report in enumerate(outcome.seats)
    ]
    return MatchRow(
        event=event,
        ordinal=match.ordinal,
        id=record.header.match,
        seed=match.k,
        lineup=match.lineup,
        rotation=match.rotation,
        digest=record.digest,
        record=record.to_json(),
        attempt=outcome.attempt,
        req_start=outcome.req_start,
        seconds=outcome.seconds,
        finished=now(),
        seats=tuple(rows),
        times=tuple(in_microseconds(report.times, report.round_trips) for report in outcome.seats),
        cell=outcome.cell,
        spent=tuple(report.spent for report in outcome.seats),
    )


def in_microseconds(
    times: Mapping[int, float], round_trips: Mapping[int, float]
) -> tuple[tuple[int, ...], ...]:
    """Return (step, microseconds) for each decision, as a store keeps them; a remote
    player's has its round trip as a third number.
    """
    trips = {step: (round(trip * 1e6),) for step, trip in round_trips.items()}
    return tuple((step, round(took * 1e6), *trips.get(step, ())) for step, took in times.items())


def _void_row(event: str, match: ScheduledMatch, outcome: Outcome) -> VoidRow:
    cpu = [report.ending.cpu for report in outcome.seats] or [0.0] * len(match.bots)
    return VoidRow(
        event,
        match.ordinal,
        outcome.attempt,
        match.k,
        match.lineup,
        list(match.bots),
        outcome.void,
        cpu if outcome.begun or outcome.causes else [],
        now(),
        causes=outcome.causes,
        spent=tuple(report.spent for report in outcome.seats),
    )
