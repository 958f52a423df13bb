"""The sandbox that a run requests for its bots. The restrictions of a level are in the
module of that name.
"""

from dataclasses import dataclass
from enum import StrEnum

from khiva_arena.bots.sandbox.limits import DEFAULT, Resources


class Level(StrEnum):
    """The distance of a bot from the rest of the machine, the best level first.

    Each level has a line here, and a module beside this one that is named like it and
    has the class of its cells as ``KIND``. docs/isolation.md says what each covers.
    """

    STRICT = "strict"
    STANDARD = "standard"
    BASIC = "basic"
    TRUSTED = "trusted"

    @property
    def confines(self) -> bool:
        """True if the level restricts a bot at all: every level does except trusted, at
        which a bot has all rights of the user.
        """
        return self is not Level.TRUSTED


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of the bots of a match, or of the build of a bot.

    level: the isolation from the machine
    resources: the most that each may use
    ponder: True if bots may run while it is not their turn
    writable: paths that a build may write to; none for a match
    may_leave_group: True if a build may start process groups and sessions of its own
    """

    level: Level = Level.TRUSTED
    resources: Resources = DEFAULT
    ponder: bool = True
    writable: tuple[str, ...] = ()
    may_leave_group: bool = False


TRUSTING = Sandbox()
