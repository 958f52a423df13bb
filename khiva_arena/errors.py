"""Every error of the arena on one page. The type tells who is to blame; ``exit_code``
is the exit code of the command line.

A bot's fault during a match is never an exception that leaves the match: it is a
``Verdict`` (see ``result.py``).
"""

from collections.abc import Sequence


class ArenaError(Exception):
    """The base of all errors that the arena raises on purpose. ``problems``: each one,
    if it reports several.
    """

    exit_code = 70
    problems: tuple[str, ...] = ()


class ConfigError(ArenaError):
    """A mistake in the user's input. ``problems`` holds every mistake found, one line
    each.
    """

    exit_code = 2

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class RulesError(ConfigError):
    """A rules map with an unknown variant, or variants that do not go together."""


class OtherSeat(ConfigError):
    """A view of another seat in a world, of which no worlds are made: it lacks the past
    of that seat.
    """

    def __init__(self) -> None:
        super().__init__(
            "this is the view of another seat in a world, where what that seat remembers was not "
            "drawn: hand over a view of the match itself"
        )


class BotError(ArenaError):
    """A bot that cannot take part at all: its folder is malformed, its build fails, or
    it does not shake hands.
    """

    exit_code = 2


class StagingError(BotError):
    """A bot that cannot be staged or started, for which its author is not to blame: a
    full disk, a cache that cannot be written, no process that can be started.
    """


class StoreError(ArenaError):
    """A store that cannot be used: another version, another arbiter at work, a damaged
    file.
    """

    exit_code = 2


class StoreFull(StoreError):
    """A full disk under a store; everything recorded before is safe."""

    exit_code = 1


class ClusterError(ArenaError):
    """A cluster that cannot be used, or not any more: its scheduler is away, or no
    worker can play. Recorded matches are safe.
    """

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class GameFault(ArenaError):
    """A fault of a game that does not come with the arena: it raises, loops, or breaks
    the contract of ``games/base.py``. No bot is to blame: a match that is being played
    is void.
    """

    exit_code = 2


class GameSlow(GameFault):
    """A call of a game that does not come with the arena has taken longer than it
    may.
    """


class GameMissing(GameFault):
    """A match of a game that does not come with the arena, and that nobody has handed
    over.
    """


class IllegalChoice(ArenaError, ValueError):
    """A call of ``State.apply`` with seats that are not pending, or an index outside
    ``legal``. The state is unchanged.
    """


class ProtocolError(ArenaError):
    """A break of the wire protocol, by a peer or by the arena itself."""


class LocalProtocolError(ProtocolError):
    """A request of the arena's side that the session's state does not allow: a bug of
    the arena.
    """


class RemoteProtocolError(ProtocolError):
    """Bytes of a bot that break the protocol. ``detail`` is one line for the bot's
    author.
    """

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class RecordError(ArenaError):
    """A record that is malformed, or does not replay to its own results. ``str(error)``
    tells where it first differs.
    """

    exit_code = 1


class InternalError(ArenaError):
    """A failed invariant of the arena itself: a bug worth reporting."""

    exit_code = 70
