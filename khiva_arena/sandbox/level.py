"""Which sandbox a run requests for its bots. What a level does is in the module of that name."""

from dataclasses import dataclass
from enum import StrEnum

from khiva_arena.sandbox.limits import DEFAULT, Resources


class Level(StrEnum):
    """How far a bot is kept from the rest of the machine, the best level first: a line for each, and a module beside this one
    that is named like it and has the class of its cells as ``KIND``. docs/isolation.md says what each covers."""

    STRICT = "strict"
    STANDARD = "standard"
    BASIC = "basic"
    TRUSTED = "trusted"

    @property
    def confines(self) -> bool:
        """Whether it restricts a bot at all: every level does except trusted, at which a bot has all rights of the user."""
        return self is not Level.TRUSTED


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of the bots of a match, or of the build of a bot.

    level: how far from the machine
    resources: the most that each may use
    ponder: whether they may run while it is not their turn
    writable: paths that a build may write to; none for a match
    may_leave_group: whether a build may start process groups and sessions of its own
    """

    level: Level = Level.TRUSTED
    resources: Resources = DEFAULT
    ponder: bool = True
    writable: tuple[str, ...] = ()
    may_leave_group: bool = False


TRUSTING = Sandbox()
