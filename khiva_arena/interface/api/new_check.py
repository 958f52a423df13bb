"""The preparation of a bot's check: settings, bot, games and level of isolation."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.readable_paths import NotExecutable
from khiva_arena.bots.sandbox.reap import new_mark
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.conformance.context import RunningCheck
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.settings.given_rules import game_named, rules_by_flags
from khiva_arena.competition.settings.isolation import sandbox_of
from khiva_arena.competition.settings.permissions import asking, mistakes, values_of
from khiva_arena.competition.settings.settings import AUTO, Settings, settings_from
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.interpreters import pin_of
from khiva_arena.entrants.loading import valid_part_of
from khiva_arena.entrants.runtimes import Runtime
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Event, Game, Plain, State
from khiva_arena.games.registry import GAMES, get

OWN = "Give a game of your own as --game FILE"


def new_check(
    bot: str, games: Sequence[str], quick: bool, keywords: Mapping[str, Any], say: Say
) -> RunningCheck:
    """Return a check of the bot that a word names, with the games to play and the level
    of isolation.

    games: by name; () for all games of the bot. With a single game, ``keywords`` may
        have rules for it.
    quick: whether to leave out slow steps.
    keywords: settings, as for a match.
    say: tells the user a line.

    Raises ConfigError for mistakes in the settings or the bot, or if no step could be
    made.
    """
    settings, loaded, games_of_check, runtimes = parts_of_check(bot, games, keywords, say)
    sandbox = sandbox_of(settings, say, rated=False)
    if not loaded.guest:
        _must_start(loaded, sandbox)
    restricted = settings.isolation != AUTO
    return RunningCheck(
        bot=loaded,
        limits=settings.limits,
        sandbox=sandbox,
        games=games_of_check,
        quick=quick,
        levels=(sandbox.level,) if restricted or quick else tuple(Level),
        trust=settings.trust_bots or not sandbox.level.confines,
        runtimes=runtimes,
        network=bool(settings.network),
        handed=values_of(loaded.name, settings.env),
        seats=seating_of(settings, [loaded], say),
    )


class CheckParts(NamedTuple):
    """The parts of a check.

    settings: the settings.
    bot: the bot that is checked.
    games: the games that it plays.
    runtimes: by name, the runtimes that it may use.
    """

    settings: Settings
    bot: Bot
    games: tuple[Game, ...]
    runtimes: Mapping[str, Runtime]


def parts_of_check(
    bot: str, games: Sequence[str], keywords: Mapping[str, Any], say: Say = say_nothing
) -> CheckParts:
    """Return the parts of a check from the arguments of ``new_check``. Raises
    ConfigError.
    """
    settings = settings_from(
        {**{key: value for key, value in keywords.items() if key != "rules"}, "bots": (bot,)}
    )
    loading = asking(valid_part_of(keywords), say)
    loaded = _as_it_can_play(bot_files.load(bot, loading=loading), say)
    if problems := mistakes(settings.network, settings.env, [loaded.name]):
        raise ConfigError(problems)
    return CheckParts(
        settings, loaded, _games(loaded, games, keywords.get("rules", {})), loading.runtimes
    )


def _as_it_can_play(bot: Bot, say: Say) -> Bot:
    """Return the bot, as it plays in ticks if this machine has its interpreter, and
    lacks the program of its ``run``.
    """
    if (
        not (bot.run_line and bot.interpreted)
        or bot.run[0].startswith("{")
        or "/" in bot.run[0]
        or shutil.which(bot.run[0])
    ):
        return bot
    if not pin_of(bot.interpreted.word):
        return bot
    say(f"{bot.run[0]} is not on this machine, so {bot.name} is checked as it plays in ticks")
    return bot.in_ticks


def _must_start(bot: Bot, sandbox: Sandbox) -> None:
    """Raise ConfigError if the level cannot start the bot's program, so that no step
    could be made. At level basic, root's bots run as users of their own, who may not be
    allowed to read every program.
    """
    of_its_own = (
        bot.sources and "/" in bot.run[0]
    )  # such a program is copied later, to where the bot may run it
    if of_its_own:
        return
    word = next(
        (runtime.program for runtime in bot.runtimes if bot.run[0] == f"{{{runtime.name}}}"),
        bot.run[0],
    )
    program = sys.executable if bot.module or bot.run[0] == "{python}" else word
    try:
        cell(Command((program,), bot.folder), sandbox, new_mark()).clean()
    except (FileNotFoundError, NotExecutable):
        return  # it is the bot that lacks it, and a step says so
    except OSError as error:
        raise ConfigError(
            f"--isolation {sandbox.level}: {bot.name} cannot be started: {error}"
        ) from None


def _games(bot: Bot, words: Sequence[str], rules: Mapping[str, Any]) -> tuple[Game, ...]:
    """Return the games to play, each under the given rules, if there are any. Raises
    ConfigError for an unknown game, or for one that the bot does not play.
    """
    games_named = tuple(game_named(word) for word in dict.fromkeys(words))
    if other := next(
        (game for game in games_named if bot.games and game.name not in bot.games), None
    ):
        raise ConfigError(_not_played(bot, other))
    for name in {*bot.games} - {game.name for game in games_named}:
        try:
            get(name)
        except ConfigError as error:
            raise ConfigError(f"{bot.asked_as}: games in bot.toml: {error} {OWN}") from None
    games = games_named or tuple(map(get, bot.games or GAMES))
    rules = rules_by_flags(games, rules)
    return tuple(GameUnderRules(game, rules) if rules or game.outside else game for game in games)


def _not_played(bot: Bot, game: Game) -> str:
    sentence = f"{bot.name} plays {', '.join(bot.games)} by its bot.toml"
    if not game.outside:
        return f"--game {game.name}: {sentence}"
    return (
        f"--game {game.word}: this game is called {game.name}, and {sentence}: write games = "
        f"{json.dumps([game.name])} there"
    )


if TYPE_CHECKING:
    from khiva_arena.rng import Stream


class GameUnderRules(Game):
    """A game whose default rules are the chosen ones. ``samples`` is empty: these rules
    alone are looked at.
    """

    def __init__(self, game: Game, given: Mapping[str, Plain]) -> None:
        self._game, self._given = game, dict(given)
        self.name, self.title, self.rules_version = game.name, game.title, game.rules_version
        self.outside = game.outside  # type: ignore[misc]  # of the class, elsewhere
        self.seats = tuple(game.seats_of(game.rules(given)))

    @property
    def word(self) -> str:
        """The word of the game itself."""
        return self._game.word

    @property
    def variants(self) -> Mapping[str, str]:
        """The variants of the game itself."""
        return self._game.variants

    @property
    def scenery(self) -> Mapping[str, Plain]:
        """The scenery of the game itself."""
        return self._game.scenery

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the rules map of the game, with ``given`` laid over the chosen
        rules.
        """
        return self._game.rules({**self._given, **given})

    def new(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        """Begin a match of the game."""
        return self._game.new(seats, rules, secret)

    def determinise(
        self, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: "Stream"
    ) -> State:
        """Return a state of the game that fits a view."""
        return self._game.determinise(view, rules, stream)
