"""A sequential test as an event: seeds count in their order, and a decision ends it.

Matches may end in any order. Results of later seeds wait in memory until all seeds
before theirs are recorded. So the stored rows, and where the test stops, are equal at
any ``-j`` and after any interruption. A kill loses the results that wait; their matches
are played again.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.exit_codes import VerdictWord, concluded
from khiva_arena.common.result import Result
from khiva_arena.common.say import Say
from khiva_arena.competition.events.forfeits import forfeits
from khiva_arena.competition.events.results import of_record, of_row
from khiva_arena.competition.events.stored import stored_event, timetable_of
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.seed_limit import Most, SeedLimit, begun_before
from khiva_arena.competition.settings.competition import CompetitionParts, entrants_named, playable
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TEST_SEEDS
from khiva_arena.entrants.bots_of_an_event import SameBots, named_twice
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.comparison import ComparisonTest, Side
from khiva_arena.rating.ratings.sprt import (
    FEWEST_BLOCKS,
    SequentialTest,
    SprtDecision,
    block_scores,
)
from khiva_arena.rating.report.sprt import Sprt
from khiva_arena.rating.schedule.formats import DrawnRound
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, Store, VoidRow

T = TypeVar("T")
AnyTest = SequentialTest | ComparisonTest

_ANSWERS = {
    SprtDecision.H1: VerdictWord.BETTER,
    SprtDecision.H0: VerdictWord.NOT_BETTER,
    SprtDecision.NONE: VerdictWord.OPEN,
}


def test_of(overrides: Mapping[str, Any], say: Say) -> CompetitionParts:
    """Return the settings and bots of a test of the first bot of ``overrides`` against
    the others.

    Raises ConfigError with every mistake in settings, or in bots.
    """
    values = _with_defaults(overrides)
    settings = test_settings(values)
    return playable((settings,), entrants_named(values, say))


def test_settings(overrides: Mapping[str, Any]) -> Settings:
    """Return the settings of a test. Raises ConfigError with every mistake."""
    settings = settings_from(_with_defaults(overrides), test=True)
    if settings.seeds < FEWEST_BLOCKS:
        raise ConfigError(
            f"--seeds: no test decides before {FEWEST_BLOCKS} seeds, so {settings.seeds} "
            "are too few"
        )
    return settings


def _with_defaults(overrides: Mapping[str, Any]) -> dict[str, Any]:
    return {"seats": 2, "seeds": TEST_SEEDS, **overrides}


def sprt_of(folder: Path, event: str) -> Sprt:
    """Return the test of an event of a store, as it stands."""
    with Store.read(folder) as store:
        row = stored_event(store, event)
        timetable = timetable_of(store, row)
        test, seeds = so_far(row, timetable, (of_row(row, match) for match in store.matches(event)))
        assert isinstance(test, SequentialTest)
        forfeited = forfeits(store, event)[row.definition.candidate]
    names = [bot.name for bot in row.bots]
    is_finished = bool(test.decision) or seeds == timetable.seeds
    return Sprt(
        event=row.id,
        candidate=names[0],
        opponents=tuple(names[1:]),
        seats=timetable.seats,
        most=timetable.seeds,
        per_seed=timetable.per_seed(timetable.shapes[0]),
        report=test.report(),
        verdict=concluded(
            _ANSWERS[test.decision], is_finished=is_finished, has_forfeited=forfeited > 0
        ),
        forfeits=forfeited,
    )


def test_of_one_bot(settings: Settings, error: SameBots) -> Sprt:
    """Return the test of a candidate that is the same bot as an opponent, in which no
    match is played.

    Raises ConfigError if the settings do not fit these bots, and ``error`` if one
    opponent is named twice.
    """
    candidate, *opponents = error.bots
    playable((settings,), [candidate, *opponents])
    if named_twice(opponents):
        raise error
    assert settings.hypotheses is not None
    return Sprt(
        event="",
        candidate=candidate.name,
        opponents=tuple(bot.name for bot in opponents),
        seats=settings.seats,
        most=settings.seeds,
        per_seed=0,
        report=SequentialTest(settings.hypotheses, 1).report(),
        verdict=VerdictWord.SAME,
        forfeits=0,
    )


class SeedBySeedTest(NamedTuple):
    """A sequential test over complete seeds from the first on, up to its decision.

    test: the test.
    seeds: the number of these seeds.
    """

    test: AnyTest
    seeds: int


def new_test(definition: Definition, per_seed: int) -> AnyTest:
    """Return the test of an event before its first seed, by the rule of its
    definition. ``per_seed``: matches.
    """
    if definition.comparison is not None:
        return ComparisonTest(definition.comparison, per_seed)
    assert definition.hypotheses is not None
    return SequentialTest(definition.hypotheses, per_seed)


def so_far(event: EventRow, timetable: Timetable, matches: Iterable[Result]) -> SeedBySeedTest:
    """Return the test of an event over its recorded seeds.

    matches: in schedule order.
    """
    per_seed = timetable.per_seed(timetable.shapes[0])
    test, seeds = new_test(event.definition, per_seed), 0
    seed: list[Result] = []
    for match in matches:
        if match.seed != seeds or test.decision:
            break
        seed.append(match)
        if len(seed) == per_seed:
            add_seed(test, seed, event)
            seed, seeds = [], seeds + 1
    return SeedBySeedTest(test, seeds)


def add_seed(test: AnyTest, seed: Sequence[Result], event: EventRow) -> SprtDecision | Side:
    """Count a seed and return the test's decision. A seed on which nothing was rated
    counts for nothing, and so does one on which only one of two candidates was.
    """
    definition = event.definition
    scores = block_scores(seed, definition.candidate)
    if isinstance(test, SequentialTest) or len(definition.candidates) < 2:
        for score in scores.values():
            test.add(score)
    else:
        of_other = block_scores(seed, definition.candidates[1])
        for block in scores.keys() & of_other.keys():
            test.add(scores[block], of_other[block])
    return test.decision


class SequentialPlay(Play):
    """The part of a sequential test that is still to be played. ``test``: over the
    seeds that are recorded.
    """

    def __init__(
        self, store: Store, event: EventRow, commands: Sequence[Command], most: Most | None = None
    ) -> None:
        super().__init__(store, event, commands)
        self._most = most or Most()
        self._per_seed = self.timetable.per_seed(self.timetable.shapes[0])
        self.test, self._front = so_far(
            event, self.timetable, (of_row(event, row) for row in store.matches(event.id))
        )
        first = self._front * self._per_seed
        self._seed = [
            of_row(event, row) for row in store.matches(event.id, first, first + self._per_seed - 1)
        ]
        self._waiting: dict[int, Outcome] = {}
        begun, spent = (
            begun_before(self._front),
            sum(store.seconds(event.id)) / self._most.at_a_time,
        )
        self._limit, self._began = SeedLimit(self._most, self._per_seed, begun, spent), 0.0

    @property
    def complete(self) -> bool:
        """True if the test has decided, if all seeds that it may take are recorded, or
        all that were begun before its limit.
        """
        has_ended = self._limit.is_reached and self._front >= self._limit.begun
        return bool(self.test.decision) or has_ended or super().complete

    @property
    def until(self) -> str:
        if self.event.definition.comparison is None:
            return ""
        return ", ".join(
            filter(
                None, ("until the answer is clear", str(self._most.of_whole_seeds(self._per_seed)))
            )
        )

    def end(self) -> None:
        """Conclude a test that has come to its limit, and reveal its secret: nobody
        plays its other deals.
        """
        if self.complete and self._store.conclusion(self.event.id) is None:
            self._store.add_several(self.event.id, (), (), {RUN_SECRET: self.event.secret})

    def _goes_on(self, _: object) -> bool:
        return not (self.complete or self.set_aside)

    def jobs(self, draw: DrawnRound) -> Iterator[Job]:
        """Yield the jobs of a round that may still be needed; ends with the decision,
        or at a table that the host cannot play.
        """
        return takewhile(self._goes_on, self._within_limit(super().jobs(draw), lambda job: job))

    def is_wanted(self, job: Job) -> bool:
        """Tell whether a match that ``jobs`` has given, and that was not begun, may
        still be needed.
        """
        return self._goes_on(job)

    def tables(self, draw: DrawnRound) -> Iterator[list[Job]]:
        """Yield the tables of a round that may still be needed; ends with the decision,
        or at a table that the host cannot play.
        """
        return takewhile(
            self._goes_on, self._within_limit(super().tables(draw), lambda table: table[0])
        )

    def _within_limit(self, parts: Iterator[T], job_of: Callable[[T], Job]) -> Iterator[T]:
        """Yield parts of the schedule up to the first one of a seed that may not begin
        any more.
        """
        self._began = self._began or time.monotonic()
        for part in parts:
            seed = self._planned[job_of(part).ordinal].k
            if not self._limit.may_begin(seed, time.monotonic() - self._began):
                return
            yield part

    def record(self, outcome: Outcome, *, last: bool) -> list[MatchRow | VoidRow]:
        """Keep an outcome until all seeds before its own are recorded, then store it
        and return the rows stored with it.

        A void match is stored at once. After the decision an outcome is dropped.
        """
        if self.complete:
            return []
        if outcome.record is None:
            return super().record(outcome, last=last)
        self._waiting[outcome.ordinal] = outcome
        rows: list[MatchRow | VoidRow] = []
        while not self.complete and (ordinal := self._next_waiting()) is not None:
            rows.append(self._record_at_the_front(self._waiting.pop(ordinal)))
        return rows

    def _next_waiting(self) -> int | None:
        first = self._front * self._per_seed
        return next(
            (
                ordinal
                for ordinal in range(first, first + self._per_seed)
                if ordinal in self._waiting
            ),
            None,
        )

    def _record_at_the_front(self, outcome: Outcome) -> MatchRow:
        match = self._planned[outcome.ordinal]
        assert outcome.record is not None
        self._seed.append(of_record(self.event, match, outcome.record))
        is_complete = len(self._seed) == self._per_seed
        decided = is_complete and bool(add_seed(self.test, self._seed, self.event))
        row = self.store_match(
            match, outcome, over=decided or len(self.done) + 1 == self.timetable.matches
        )
        if is_complete:
            self._seed, self._front = [], self._front + 1
        return row
