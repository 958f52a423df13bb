"""What a check is made with, what it measures on the way, and how a step says that it did not go well."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from khiva_arena.arbiter.clock import Limits
from khiva_arena.check.positions import Place, place
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.runtimes import Runtime
from khiva_arena.errors import InternalError
from khiva_arena.games.base import Game
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Level, Sandbox
from khiva_arena.shipped import folder

SPEC = folder("protocol") / "SPEC.md"
"""Where it is on this machine, for the texts that name it."""


class Failed(Exception):
    """The bot does not do what a step asks. ``notes``: its stderr, ``received``: its stdout from the beginning. Both are added
    when it has ended."""

    def __init__(self, expected: str, got: str) -> None:
        self.expected = expected
        self.got = got
        self.notes = ""
        self.received = b""
        super().__init__(got)


class Silent(Failed):
    """Nothing came in all the time that a match allows; trying that again would take as long again."""


class Warned(Exception):
    """A match would not blame the bot for this, but its author may want to know."""


class Skipped(Exception):
    """A step that cannot be tried here. The text says why."""


@dataclass(slots=True, eq=False)
class RunningCheck:
    """One check in progress.

    bot: the bot under check.
    games: those to be played.
    limits: the time that it has.
    sandbox: what it is kept in.
    quick: whether only the short steps are made.
    levels: isolation levels to be tried.
    trust: whether the bot may run with all rights of the user.
    runtimes: those that the bot might name.
    network: whether its cell is open to the network.
    handed: values by the names of the variables that it is handed.
    seats: lasts while it is checked; of a bot on another machine, this waits for its relay first.
    staged: how it is started, None before it is staged.
    starts: seconds from each hello to its answer.
    thought: seconds of each decision.
    firsts: which of ``thought`` were the first of a conversation.
    asked_for: seconds for which it was asked in all.
    used: seconds of CPU that it used in that time.
    peak: bytes of memory.
    repeated: keys that the bot sends twice in a map.
    exceeded: limits that it exceeded.
    """

    bot: Bot
    limits: Limits
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
        """How the bot is started, once it is staged."""
        if self.staged is None:
            raise InternalError("the bot is not staged yet")
        return self.staged

    def place(self, label: str = "") -> Place:
        """A seat at the smallest table of the first game, the same one for the same label."""
        game = self.games[0]
        return place(game, game.seats[0], 1, label=label)
