"""The state of a running check: its settings, its measurements, and the exceptions by
which a step fails.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.manual import where
from khiva_arena.competition.conformance.positions import Place, place
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.entrants.runtimes import Runtime
from khiva_arena.errors import InternalError
from khiva_arena.games.base import Game
from khiva_arena.records.replay.conditions import TimeLimits

SPEC = where("spec")
"""Where a user reads SPEC.md, for the texts that name it."""


class Silent(Failed):
    """A failure without any answer in all the time that a match allows; trying that
    again would take as long again.
    """


class Warned(Exception):
    """A finding for the bot's author that no match would blame the bot for."""


class Skipped(Exception):
    """A step that cannot be tried here. The text says why."""


@dataclass(slots=True, eq=False)
class RunningCheck:
    """A check in progress.

    bot: the bot under check.
    games: the games to be played.
    limits: the time that it has.
    sandbox: the sandbox of the bot.
    quick: True if only the short steps are made.
    levels: isolation levels to be tried.
    trust: True if the bot may run with all rights of the user.
    runtimes: the runtimes that the bot might name.
    network: True if its cell is open to the network.
    handed: values by the names of the variables that it is handed.
    seats: lasts while the bot is checked; for a bot on another machine, this waits for
        its relay first.
    staged: the command that starts it, None before it is staged.
    starts: seconds from each hello to its answer.
    thought: seconds of each decision.
    firsts: the positions in ``thought`` of the first decisions of conversations.
    asked_for: seconds for which it was asked in all.
    used: seconds of CPU that it used in that time.
    peak: bytes of memory.
    repeated: keys that the bot sends twice in a map.
    exceeded: limits that it exceeded.
    """

    bot: Bot
    limits: TimeLimits
    sandbox: Sandbox
    games: tuple[Game, ...]
    quick: bool
    levels: tuple[Level, ...]
    trust: bool
    runtimes: Mapping[str, Runtime] = field(default_factory=dict)
    network: bool = False
    handed: Mapping[str, str] = field(default_factory=dict, repr=False)
    seats: Callable[[], AbstractContextManager[object]] = nullcontext
    staged: Command | None = None
    starts: list[float] = field(default_factory=list)
    thought: list[float] = field(default_factory=list)
    firsts: set[int] = field(default_factory=set)
    asked_for: float = 0.0
    used: float = 0.0
    peak: int = 0
    repeated: set[str] = field(default_factory=set)
    exceeded: list[str] = field(default_factory=list)

    @property
    def command(self) -> Command:
        """The command that starts the bot, once it is staged."""
        if self.staged is None:
            raise InternalError("the bot is not staged yet")
        return self.staged

    def place(self, label: str = "") -> Place:
        """Return a seat at the smallest table of the first game, the same one for the
        same label.
        """
        game = self.games[0]
        return place(game, game.seats[0], 1, label=label)
