"""How bots are to be kept: what a run asks for. How a level does it is in the module of its name."""

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
        """Whether it keeps a bot from anything: all do except trusted, at which a bot has all rights of the user."""
        return self is not Level.TRUSTED


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How the bots of a match, or the builds of a bot, are kept.

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
