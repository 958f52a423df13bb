"""The bots of a league that its player has loaded and started: each once, however many
batches it sits in.
"""

from collections.abc import Sequence

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.machine import is_unforeseen, of_the_machine
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.playing.starts import as_modules, ready_to_play
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.chain.roster import RosterBot
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.examine import load

DIGITS = 12
"""The digits of a bot's identity in the name of a file."""


class StartedBots:
    """The bots of a league as far as they are loaded.

    loaded: by identity.
    commands: those that start bots, by identity; empty if a cluster's workers start
        them.
    """

    def __init__(self, league: League, say: Say) -> None:
        self._league, self._say = league, say
        self.loaded: dict[str, Bot] = {bot.identity: bot for bot in league.anchors}
        self.commands: dict[str, Command] = {}

    def of(self, roster: Sequence[RosterBot]) -> list[Bot]:
        """Return bots of the roster as they are loaded."""
        return [self.loaded[bot.identity] for bot in roster]

    def start(self, roster: Sequence[RosterBot]) -> dict[RosterBot, str]:
        """Load the bots that are not loaded yet, and start each once. Return why, for
        each that cannot play.
        """
        problems: dict[RosterBot, str] = {}
        for bot in roster:
            try:
                if bot.identity not in self.loaded:
                    self.loaded[bot.identity] = self._load(bot)
            except (ConfigError, BotError) as error:
                if of_the_machine(error):  # its author is not to blame
                    raise
                problems[bot] = str(error)
            except Exception as error:
                problems[bot] = self._trace(bot, error)
        if self._league.settings.place:
            return problems  # the workers start them
        new = [
            bot
            for bot in roster
            if bot.identity in self.loaded and bot.identity not in self.commands
        ]
        if self._why_not_started(new):
            problems |= {bot: why for bot in new if (why := self._why_not_started([bot]))}
        return problems

    def _trace(self, bot: RosterBot, error: Exception) -> str:
        """Return why a bot cannot play that the arena fails at, and keep the trace: one
        bot must not stop a league.

        Any other error is raised.
        """
        if not is_unforeseen(error):
            raise error
        return failures.keep(self._league.folder, f"bot-{bot.identity[:DIGITS]}", error)

    def let_fail(self, bot: RosterBot) -> None:
        """Let a bot that does not start any more be played all the same; one that
        cannot be built fails in its place.
        """
        try:
            self.commands[bot.identity] = staging.stage(
                self.loaded[bot.identity], self._league.sandbox.level
            )
        except Exception as error:
            if of_the_machine(error) or not (isinstance(error, BotError) or is_unforeseen(error)):
                raise
            self.commands[bot.identity] = Command(("false",), str(self._league.folder))

    def _why_not_started(self, roster: Sequence[RosterBot]) -> str:
        """Start bots, and return why that is not possible, "" if they are started."""
        league = self._league
        try:
            self.commands = ready_to_play(
                league.settings, self.of(roster), league.sandbox, self._say, self.commands
            )
        except BotError as error:
            if of_the_machine(error):
                raise
            return str(error)
        except Exception as error:
            if len(roster) > 1 and is_unforeseen(error):
                return repr(error)  # each of them is started by itself then
            return self._trace(roster[0], error)
        return ""

    def _load(self, bot: RosterBot) -> Bot:
        """Return the league's copy of a bot. Raises ConfigError if it is not the one
        that was entered.
        """
        player = load(self._league, bot.sources, bot.name, bot.parts)
        if player.identity == bot.sources and self._league.settings.clock is Clock.TICKS:
            (player,) = as_modules([player], self._league.sandbox.level, skip_broken=False)
        if player.identity != bot.identity:
            raise ConfigError(f"{player.asked_as}: its files are not those that were entered")
        return player
