"""What an executor does: bring the bots of a run to where they can be started, and play. LocalExecutor: on this machine."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.preflight import preflight
from khiva_arena.competition.isolation import keep_apart, keep_private, private_places, warn_of_cold_files
from khiva_arena.competition.opened import opened
from khiva_arena.competition.play import Play
from khiva_arena.competition.settings import Settings
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.replay.record import Header
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.schedule.formats import DrawnRound

TakeOutcome = Callable[[Outcome], None]


class Say(Protocol):
    """Tell the user something."""

    def __call__(self, text: str, *, warning: bool = False) -> None: ...


class Executor(Protocol):
    """Within its ``with`` block matches can be played."""

    say: Say

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def stage(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        """Bring all bots to where they are played. Returns how each is started, by its identity. Raises BotError, ConfigError."""

    def start_each(self, entrants: Sequence[Bot], header: Header) -> None:
        """Start each bot once, under the limits of a header. Raises BotError."""

    def play(self, play: Play, drawn: DrawnRound, take: TakeOutcome) -> None:
        """Play what is left of a round and hand each outcome to ``take``, in this thread."""


class LocalExecutor:
    """This machine plays, by the arbiter's pool."""

    def __init__(self, settings: Settings, sandbox: Sandbox, say: Say) -> None:
        self.say = say
        self._settings = settings
        self._sandbox = sandbox
        self._commands: dict[str, Command] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def stage(self, entrants: Sequence[Bot]) -> Mapping[str, Command]:
        of = self._settings
        self._commands = {
            bot.identity: opened(staging.stage(bot, self._sandbox.level), bot.name, of.network, of.env) for bot in entrants
        }
        return self._commands

    def start_each(self, entrants: Sequence[Bot], header: Header) -> None:
        keep_private(private_places(self._settings), self._sandbox, list(self._commands.values()))
        commands = [self._commands[bot.identity] for bot in entrants]
        keep_apart(entrants, commands, self._sandbox)
        words = ["" if bot.guest else bot.asked_as for bot in entrants]
        preflight([bot.name for bot in entrants], commands, header, self._sandbox, words=words)
        warn_of_cold_files()

    def play(self, play: Play, drawn: DrawnRound, take: TakeOutcome) -> None:
        pool.play(play.jobs(drawn), self._settings.jobs, take, settle=True)
