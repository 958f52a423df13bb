"""A sequential test as an event: seeds count in their order, and a decision ends it.

Matches may end in any order. Results of later seeds wait in memory until all seeds before theirs are recorded. So the stored
rows, and where the test stops, are equal at any ``-j`` and after any interruption. A kill loses the results that wait; their
matches are played again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.exit_codes import VerdictWord, concluded
from khiva_arena.common.result import Result
from khiva_arena.common.say import Say
from khiva_arena.competition.events.forfeits import forfeits
from khiva_arena.competition.events.results import of_record, of_row
from khiva_arena.competition.events.stored import stored_event, timetable_of
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.settings.competition import CompetitionParts, entrants_named, playable
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TEST_SEEDS
from khiva_arena.entrants.bots import SameBots, named_twice
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.sprt import FEWEST_BLOCKS, SequentialTest, SprtDecision, block_scores
from khiva_arena.rating.report.sprt import Sprt
from khiva_arena.rating.schedule.formats import DrawnRound
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.store.db import EventRow, MatchRow, Store, VoidRow

_ANSWERS = {
    SprtDecision.H1: VerdictWord.BETTER,
    SprtDecision.H0: VerdictWord.NOT_BETTER,
    SprtDecision.NONE: VerdictWord.OPEN,
}


def test_of(overrides: Mapping[str, Any], say: Say) -> CompetitionParts:
    """Return the settings and bots of a test of the first bot of ``overrides`` against the others.

    Raises ConfigError with every mistake in settings, or in bots.
    """
    values = _with_defaults(overrides)
    settings = test_settings(values)
    return playable((settings,), entrants_named(values, say))


def test_settings(overrides: Mapping[str, Any]) -> Settings:
    """Return the settings of a test. Raises ConfigError with every mistake."""
    settings = settings_from(_with_defaults(overrides), test=True)
    if settings.seeds < FEWEST_BLOCKS:
        raise ConfigError(f"--seeds: no test decides before {FEWEST_BLOCKS} seeds, so {settings.seeds} are too few")
    return settings


def _with_defaults(overrides: Mapping[str, Any]) -> dict[str, Any]:
    return {"seats": 2, "seeds": TEST_SEEDS, **overrides}


def sprt_of(folder: Path, event: str) -> Sprt:
    """Return the test of an event of a store, as it stands."""
    with Store.read(folder) as store:
        row = stored_event(store, event)
        timetable = timetable_of(store, row)
        test, seeds = so_far(row, timetable, (of_row(row, match) for match in store.matches(event)))
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
        verdict=concluded(_ANSWERS[test.decision], is_finished=is_finished, has_forfeited=forfeited > 0),
        forfeits=forfeited,
    )


def test_of_one_bot(settings: Settings, error: SameBots) -> Sprt:
    """Return the test of a candidate that is the same bot as an opponent, in which no match is played.

    Raises ConfigError if the settings do not fit these bots, and ``error`` if one opponent is named twice.
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

    test: SequentialTest
    seeds: int


def so_far(event: EventRow, timetable: Timetable, matches: Iterable[Result]) -> SeedBySeedTest:
    """Return the test of an event over its recorded seeds.

    matches: in schedule order.
    """
    per_seed = timetable.per_seed(timetable.shapes[0])
    hypotheses = event.definition.hypotheses
    assert hypotheses is not None
    test, seeds = SequentialTest(hypotheses, per_seed), 0
    seed: list[Result] = []
    for match in matches:
        if match.seed != seeds or test.decision:
            break
        seed.append(match)
        if len(seed) == per_seed:
            add_seed(test, seed, event)
            seed, seeds = [], seeds + 1
    return SeedBySeedTest(test, seeds)


def add_seed(test: SequentialTest, seed: Sequence[Result], event: EventRow) -> SprtDecision:
    """Count a seed and return the test's decision. A seed on which nothing was rated counts for nothing."""
    for score in block_scores(seed, event.definition.candidate).values():
        test.add(score)
    return test.decision


class SequentialPlay(Play):
    """The part of a sequential test that is still to be played. ``test``: over the seeds that are recorded."""

    def __init__(self, store: Store, event: EventRow, commands: Sequence[Command]) -> None:
        super().__init__(store, event, commands)
        self._per_seed = self.timetable.per_seed(self.timetable.shapes[0])
        self.test, self._front = so_far(event, self.timetable, (of_row(event, row) for row in store.matches(event.id)))
        first = self._front * self._per_seed
        self._seed = [of_row(event, row) for row in store.matches(event.id, first, first + self._per_seed - 1)]
        self._waiting: dict[int, Outcome] = {}

    @property
    def complete(self) -> bool:
        """True if the test has decided, or all seeds that it may take are recorded."""
        return bool(self.test.decision) or super().complete

    def _goes_on(self, _: object) -> bool:
        return not (self.complete or self.set_aside)

    def jobs(self, draw: DrawnRound) -> Iterator[Job]:
        """Yield the jobs of a round that may still be needed; ends with the decision, or at a table that the host cannot play."""
        return takewhile(self._goes_on, super().jobs(draw))

    def is_wanted(self, job: Job) -> bool:
        """Tell whether a match that ``jobs`` has given, and that was not begun, may still be needed."""
        return self._goes_on(job)

    def tables(self, draw: DrawnRound) -> Iterator[list[Job]]:
        """Yield the tables of a round that may still be needed; ends with the decision, or at a table that the host cannot
        play."""
        return takewhile(self._goes_on, super().tables(draw))

    def record(self, outcome: Outcome, *, last: bool) -> list[MatchRow | VoidRow]:
        """Keep an outcome until all seeds before its own are recorded, then store it and return the rows stored with it.

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
        return next((ordinal for ordinal in range(first, first + self._per_seed) if ordinal in self._waiting), None)

    def _record_at_the_front(self, outcome: Outcome) -> MatchRow:
        match = self._planned[outcome.ordinal]
        assert outcome.record is not None
        self._seed.append(of_record(self.event, match, outcome.record))
        is_complete = len(self._seed) == self._per_seed
        decided = is_complete and add_seed(self.test, self._seed, self.event) is not SprtDecision.NONE
        row = self.store_match(match, outcome, over=decided or len(self.done) + 1 == self.timetable.matches)
        if is_complete:
            self._seed, self._front = [], self._front + 1
        return row
