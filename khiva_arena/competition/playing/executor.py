"""Executors, which start the bots of a run and play its matches. LocalExecutor: on this
machine.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.starts import Entrants, ready_to_play, without_broken
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.rating.schedule.formats import DrawnRound

TakeOutcome = Callable[[Outcome], None]


class TrialWords(NamedTuple):
    """The words of a budget's trial at a place.

    announcement: the line before the trial.
    source: the end of "a try of 24 matches".
    nowhere: the end of "no match could be played".
    more: the thing to give more of, so that more matches are played at a time.
    """

    announcement: str
    source: str
    nowhere: str
    more: str


class TriedTimes(NamedTuple):
    """The times of matches that were tried.

    seconds: the time of each.
    around: by how much the time between matches makes them longer, if ``seconds``
        leaves it out.
    """

    seconds: list[float]
    around: float = 1.0


class Executor(Protocol):
    """A place where matches can be played within its ``with`` block. A run may enter
    the block again inside of itself, and then leaves it twice: the first leaving may
    end it.

    say: tells the user a line.
    whole_tables: whether all matches of a table are played one after another.
    trial_words: the words of a budget's trial there.
    """

    say: Say
    whole_tables: bool
    trial_words: TrialWords

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @property
    def at_a_time(self) -> int:
        """The number of matches played at a time, once bots are ready."""

    def without_broken(self, stages: Sequence[Settings], entrants: Sequence[Bot]) -> Entrants:
        """Return the bots that can be played there, and say a line on each of the
        others. Raises ConfigError.
        """

    def prepare(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        """Bring all bots to where they are played, and start each once. Return the
        command that starts each, by its identity.

        Raises BotError, ConfigError.
        """

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: TakeOutcome, *, is_trial: bool = False
    ) -> TriedTimes:
        """Play tables of no event, after ``prepare``, and return the times of the
        matches that were not void.

        is_trial: bots are judged by them, so no stop of this process and no error of
            the arena may count as a bot's fault
        """

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        """Play the rest of a round and hand each outcome to ``take``, in this
        thread.
        """


class LocalExecutor:
    """An executor that plays on this machine, by the arbiter's pool."""

    whole_tables = False
    trial_words = TrialWords(
        "no such match is recorded here yet; a few are played first to measure their time, "
        "and thrown away",
        "",
        "on this machine",
        "--jobs",
    )

    def __init__(
        self, settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say
    ) -> None:
        self.say = say
        self._settings = settings
        self._commands = entrants.commands
        self._sandbox = sandbox
        self._plan = plan

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    @property
    def at_a_time(self) -> int:
        return self._settings.jobs

    def without_broken(self, stages: Sequence[Settings], entrants: Sequence[Bot]) -> Entrants:
        playing = without_broken(stages, entrants, self._sandbox, self.say)
        self._commands = playing.commands
        return playing

    def prepare(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        return ready_to_play(
            self._settings, entrants, self._sandbox, self.say, self._commands, self._plan
        )

    def try_tables(
        self, tables: Iterable[tuple[Job, ...]], take: TakeOutcome, *, is_trial: bool = False
    ) -> TriedTimes:
        seconds: list[float] = []
        moments: list[float] = []  # the first one asked for, and each recorded

        def jobs_begun() -> Iterator[Job]:
            for job in chain.from_iterable(tables):
                moments[:] = moments or [time.monotonic()]
                yield job

        def timed(outcome: Outcome) -> None:
            if outcome.record is not None:
                seconds.append(outcome.seconds)
                moments.append(time.monotonic())
            take(outcome)

        failed = (lambda _job, failure: failure.why) if is_trial else None
        pool.play(jobs_begun(), self.at_a_time, timed, hold_back=is_trial, failed=failed)
        places = min(self.at_a_time, len(seconds))
        around = places * (moments[-1] - moments[0]) / sum(seconds) if sum(seconds) else 1.0
        return TriedTimes(seconds, max(1.0, around))

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        pool.play(
            play.jobs(draw),
            self._settings.jobs,
            take,
            hold_back=True,
            is_wanted=play.is_wanted,
            failed=play.failed,
        )
