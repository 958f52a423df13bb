"""The matches that ``run --budget`` tries: played on deals of their own, timed, and not
recorded.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say
from khiva_arena.competition.events.durations import MatchTime, mean_time
from khiva_arena.competition.playing.executor import Executor, TakeOutcome, TriedTimes
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable, spread
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.words import count

TRY_MATCHES, TRY_SECONDS = 24, 20.0
_SHARE = (
    6  # of a budget at most one of so many parts is spent on a try, whose last matches come on top
)
_SECRET = seeds.seed_secret(bytes(seeds.SECRET_BYTES), 0)


class MeasuredTime(NamedTuple):
    """The measured time of matches.

    took: the time of one match.
    at_a_time: how many are played meanwhile.
    """

    took: MatchTime
    at_a_time: int


class Trial(NamedTuple):
    """A trial of an event's matches, before its length is chosen.

    definition: the event.
    sandbox: the sandbox of the bots.
    budget_seconds: the time that is there for the whole run.
    say: tells the user a line.
    """

    definition: Definition
    sandbox: Sandbox
    budget_seconds: float
    say: Say

    def measure(self, executor: Executor, commands: Sequence[Command]) -> MeasuredTime:
        """Play matches where the executor plays them, and return how long one takes,
        with what is around it.

        commands: of each bot, as the executor has prepared them.

        Raises ConfigError if none can be played.
        """
        words = executor.trial_words
        self.say(f"--budget: {words.announcement}")
        limit = max(
            TRY_MATCHES,
            executor.at_a_time * (self.definition.seats if executor.whole_tables else 1),
        )
        until = time.monotonic() + min(TRY_SECONDS, self.budget_seconds / _SHARE)
        tried: list[float] = []
        seconds, around = self.play(
            executor,
            commands,
            limit,
            lambda: not tried or time.monotonic() <= until,
            lambda outcome: tried.append(outcome.seconds),
        )
        duration = mean_time(
            seconds, f"a try of {count(len(seconds), 'match', 'matches')}{words.source}", around
        )
        if duration is None:
            raise ConfigError(f"--budget: no match could be played {words.nowhere} now")
        return MeasuredTime(duration, executor.at_a_time)

    def play(
        self,
        executor: Executor,
        commands: Sequence[Command],
        most: int,
        goes_on: Callable[[], bool],
        take: TakeOutcome,
    ) -> TriedTimes:
        """Play matches where the executor plays them, whole tables if it does, and
        return the times of those that were not void.

        commands: of each bot, as the executor has prepared them.
        most: no other table begins after so many matches.
        goes_on: tells whether another table may begin.
        take: gets each outcome.
        """
        return executor.try_tables(_while(goes_on, self.tables(executor, commands), most), take)

    def tables(self, executor: Executor, commands: Sequence[Command]) -> Iterator[tuple[Job, ...]]:
        """Yield what the executor begins at once: whole tables if it plays these, else
        matches.
        """
        schedule, job = _schedule(self.definition), self._job_of(commands)
        if executor.whole_tables:
            return (
                tuple(map(job, table))
                for _, table in groupby(schedule, key=lambda match: (match.k, match.lineup))
            )
        return ((job(match),) for match in spread(schedule))

    def _job_of(self, commands: Sequence[Command]) -> Callable[[ScheduledMatch], Job]:
        def job(match: ScheduledMatch) -> Job:
            # A deal for each match: none waits for another, and the time for a trial
            # ends it at once.
            secret = seeds.seed_secret(_SECRET, match.ordinal)
            header = self.definition.header(
                self.definition.seated(match.bots), f"try-{match.ordinal}", secret
            )
            return Job(
                match.ordinal,
                1,
                header,
                secret,
                tuple(commands[bot] for bot in match.bots),
                self.sandbox,
            )

        return job


def _while(
    goes_on: Callable[[], bool], tables: Iterable[tuple[Job, ...]], most: int
) -> Iterator[tuple[Job, ...]]:
    """Yield tables until they have ``most`` matches, or ``goes_on`` says no."""
    for table in tables:
        if most <= 0 or not goes_on():
            return
        most -= len(table)
        yield table


def _schedule(definition: Definition) -> Iterator[ScheduledMatch]:
    timetable = Timetable(definition.terms(_SECRET))
    draw = timetable.round(0)
    assert draw is not None
    return iter(formats.schedule(timetable.terms, draw, draw.first_seed))
