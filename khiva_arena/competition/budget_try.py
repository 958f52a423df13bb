"""The matches that ``run --budget`` tries: played on deals of their own, timed, and not recorded."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.events.durations import MatchTime, mean_time
from khiva_arena.replay import seeds
from khiva_arena.replay.definition import Definition
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say
from khiva_arena.schedule import formats
from khiva_arena.schedule.seating import ScheduledMatch
from khiva_arena.schedule.timetable import Timetable, spread
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.cluster.dask_executor import Cluster  # most budgets are this machine's

TRY_MATCHES, TRY_SECONDS = 24, 20.0
_SHARE = 6  # of a budget at most one of so many parts is spent on a try, whose last matches come on top
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

    def on_machine(self, commands: Sequence[Command], jobs: int) -> MeasuredTime:
        """Play matches on this machine, ``jobs`` at a time as a run does. Raises ConfigError if none can be played.

        Returns how long one takes, the time between matches included.
        """
        seconds: list[float] = []
        moments: list[float] = []  # the first one asked for, and each recorded

        def take(outcome: Outcome) -> None:
            if outcome.record is not None:
                seconds.append(outcome.seconds)
                moments.append(time.monotonic())

        def jobs_begun() -> Iterator[Job]:
            for match in matches:
                moments[:] = moments or [time.monotonic()]
                yield job(match)

        self.say("--budget: no such match is recorded here yet; a few are played first to measure their time, and thrown away")
        job = self._job_of(commands)
        matches = self._within_time(spread(_schedule(self.definition)), max(TRY_MATCHES, jobs), seconds)
        pool.play(jobs_begun(), jobs, take)
        places = min(jobs, len(seconds))
        around = places * (moments[-1] - moments[0]) / sum(seconds) if sum(seconds) else 1.0
        return MeasuredTime(_mean_time(seconds, "", "on this machine", max(1.0, around)), jobs)

    def on_cluster(self, cluster: "Cluster", entrants: Sequence[Bot]) -> MeasuredTime:
        """Play tables on the workers of a cluster. Raises ConfigError if none can be played.

        Returns how long a match takes, its way and the start of its process included.
        """
        self.say("--budget: some matches are tried on the workers that are there; they are not recorded")
        commands = cluster.prepare(entrants)
        times: list[float] = []
        job = self._job_of([commands[bot.identity] for bot in entrants])
        limit = max(TRY_MATCHES, self.definition.seats * cluster.at_a_time)
        matches = self._within_time(_schedule(self.definition), limit, times)
        tables = (tuple(map(job, table)) for _, table in groupby(matches, key=lambda match: (match.k, match.lineup)))
        seconds = cluster.try_tables(tables, lambda outcome: times.append(outcome.seconds))
        return MeasuredTime(_mean_time(seconds, " on the cluster", "on its workers"), cluster.at_a_time)

    def _within_time(self, matches: Iterable[ScheduledMatch], limit: int, spent: Sequence[float]) -> Iterator[ScheduledMatch]:
        """Yield matches until the time for a trial is over. ``spent``: grows with the matches that were played."""
        until = time.monotonic() + min(TRY_SECONDS, self.budget_seconds / _SHARE)
        for match in islice(matches, limit):
            if spent and time.monotonic() > until:
                return
            yield match

    def _job_of(self, commands: Sequence[Command]) -> Callable[[ScheduledMatch], Job]:
        def job(match: ScheduledMatch) -> Job:
            header = self.definition.header(self.definition.seated(match.bots), f"try-{match.ordinal}", _SECRET)
            return Job(match.ordinal, 1, header, _SECRET, tuple(commands[bot] for bot in match.bots), self.sandbox)

        return job


def _schedule(definition: Definition) -> Iterator[ScheduledMatch]:
    timetable = Timetable(definition.terms(_SECRET))
    draw = timetable.round(0)
    assert draw is not None
    return iter(formats.schedule(timetable.terms, draw, draw.first_seed))


def _mean_time(seconds: Sequence[float], place: str, place_in_words: str, around: float = 1.0) -> MatchTime:
    duration = mean_time(seconds, f"a try of {count(len(seconds), 'match', 'matches')}{place}", around)
    if duration is None:
        raise ConfigError(f"--budget: no match could be played {place_in_words} now")
    return duration
