"""Executors, which start the bots of a run and play its matches. LocalExecutor: on this machine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.entrants.bots import Bot
from khiva_arena.playing.jobs import Play
from khiva_arena.playing.starts import Entrants, ready_to_play
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say
from khiva_arena.schedule.formats import DrawnRound
from khiva_arena.settings.settings import Settings

TakeOutcome = Callable[[Outcome], None]


class Executor(Protocol):
    """A place where matches can be played within its ``with`` block."""

    say: Say

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    @property
    def at_a_time(self) -> int:
        """The number of matches played at a time, once bots are ready."""

    def prepare(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        """Bring all bots to where they are played, and start each once. Return the command that starts each, by its identity.

        Raises BotError, ConfigError.
        """

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        """Play the rest of a round and hand each outcome to ``take``, in this thread."""


class LocalExecutor:
    """An executor that plays on this machine, by the arbiter's pool."""

    def __init__(self, settings: Settings, entrants: Entrants, sandbox: Sandbox, plan: Path | None, say: Say) -> None:
        self.say = say
        self._settings = settings
        self._commands = entrants.commands
        self._sandbox = sandbox
        self._plan = plan

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    @property
    def at_a_time(self) -> int:
        return self._settings.jobs

    def prepare(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        return ready_to_play(self._settings, entrants, self._sandbox, self.say, self._commands, self._plan)

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        pool.play(play.jobs(draw), self._settings.jobs, take, hold_back=True)
