"""Every error of the arena on one page. The type says who is to blame; ``exit_code`` is what the command line ends with.

A bot's fault during a match is never an exception that leaves the match: it is a ``Verdict`` (see ``result.py``).
"""

from collections.abc import Sequence


class ArenaError(Exception):
    """Base of all errors that the arena raises on purpose. ``problems``: each one, if it reports several."""

    exit_code = 70
    problems: tuple[str, ...] = ()


class ConfigError(ArenaError):
    """The user's input is wrong. ``problems`` holds every mistake found, one line each."""

    exit_code = 2

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class RulesError(ConfigError):
    """A rules map names an unknown variant, or variants that do not go together."""


class BotError(ArenaError):
    """A bot cannot take part at all: its folder is malformed, its build fails, or it does not shake hands."""

    exit_code = 2


class StagingError(BotError):
    """A bot cannot be staged, for which its author is not to blame: a full disk, a cache that cannot be written."""


class StoreError(ArenaError):
    """A store cannot be used: another version, another arbiter at work, a damaged file."""

    exit_code = 2


class StoreFull(StoreError):
    """The disk of a store is full; what was recorded before is safe."""

    exit_code = 1


class ClusterError(ArenaError):
    """A cluster cannot be used, or not any more: its scheduler is away, or no worker can play. What was recorded is safe."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class GameFault(ArenaError):
    """A game that does not come with the arena raises, loops, or breaks the contract of ``games/base.py``. No bot is to blame:
    a match that is being played is void."""

    exit_code = 2


class GameSlow(GameFault):
    """A call of such a game has taken longer than it may."""


class GameMissing(GameFault):
    """What was played is a game that does not come with the arena, and nobody has handed it over."""


class IllegalChoice(ArenaError, ValueError):
    """``State.apply`` was given seats that are not pending, or an index outside ``legal``. Nothing was changed."""


class ProtocolError(ArenaError):
    """A peer or we ourselves broke the wire protocol."""


class LocalProtocolError(ProtocolError):
    """Our side asked the session for something its state does not allow: a bug of the arena."""


class RemoteProtocolError(ProtocolError):
    """The bot's bytes broke the protocol. ``detail`` is one line for the bot's author."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class RecordError(ArenaError):
    """A record is malformed, or does not replay to what it says. ``str(error)`` says where it first differs."""

    exit_code = 1


class InternalError(ArenaError):
    """An invariant of the arena itself failed: a bug worth reporting."""

    exit_code = 70
