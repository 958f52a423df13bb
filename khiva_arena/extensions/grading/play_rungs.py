"""The matches of a bot against each rung of a ladder, an event each, in folders of the
instructor.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from khiva_arena.arbiter.start_problem import NEXT
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.machine import of_the_machine
from khiva_arena.common.result import Clock, Result
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.events.durations import MatchTime
from khiva_arena.competition.events.pools import results_of
from khiva_arena.competition.events.stored import stored_event
from khiva_arena.competition.playing.starts import BudgetTrial, Entrants, as_modules, ready_to_play
from khiva_arena.competition.run.budget_try import Trial
from khiva_arena.competition.run.options import RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.competition.run.who_plays import executor_of
from khiva_arena.competition.settings.competition import unplayable
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.isolation import admit, chosen_sandbox, keep_private
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants.bot_words import is_archive
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.bots_of_an_event import with_distinct_names
from khiva_arena.entrants.loading import valid_part_of
from khiva_arena.errors import ArenaError, BotError, ConfigError
from khiva_arena.extensions.grading.ladder import FILE, Ladder, Rung
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

TRY_SECONDS = 18.0
"""The time for a try before a grading: of a budget a sixth is spent on it."""
FEWEST_TO_TRY = 200
"""Matches of a grading below which nobody needs to know before how long they take."""


class Ungraded(ArenaError):
    """A grading that gives no mark, for which the student is not to blame."""

    exit_code = 1


class BadBot(Exception):
    """A student's bot that cannot play. ``reason``: why, for its author."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Playable(NamedTuple):
    """A bot that is ready to play.

    bot: as it plays.
    command: starts it.
    """

    bot: Bot
    command: Command


class Grading:
    """A grading of one bot: the conditions of all its matches.

    ladder: whose settings hold.
    values: settings that are no ladder's: runtimes, jobs, trust in bots.
    folder: where the events lie, one in a folder each.
    say: tells the user a line.
    """

    def __init__(self, ladder: Ladder, values: Mapping[str, Any], folder: Path, say: Say) -> None:
        self._ladder, self._values, self._folder, self._say = ladder, dict(values), folder, say
        self.settings = self._settings("any", None)
        self.sandbox: Sandbox

    def _settings(self, rung: str, seed: str | None) -> Settings:
        more = {**self._values, "bots": ("bot", "rung"), "out": str(self._folder / rung)}
        return self._ladder.settings({**more, **({} if seed is None else {"seed": seed})})

    # --- the bots ---

    def bot_of_student(self, word: str) -> Bot:
        """Return a student's bot as it was read. Raises BadBot, and ConfigError for a
        word that names no bot's files.
        """
        try:
            bot = self._read(word)
        except ConfigError as error:
            if of_the_machine(error) or not (
                os.path.isdir(word) or is_archive(word)
            ):  # of a commit, the command may be wrong
                raise
            raise BadBot(
                "\n".join(problem.removeprefix(f"--bot {word}: ") for problem in error.problems)
            ) from None
        if bot.guest or not bot.complete:
            raise no_folder(word)
        if problems := _unfit(self.settings, bot):
            raise BadBot("\n".join(problem.removeprefix(f"--bot {word}: ") for problem in problems))
        return bot

    def _read(self, word: str) -> Bot:
        loading = valid_part_of({**self._ladder.values, **self._values})
        return bot_files.load(word, loading=structs.replace(loading, include=_refuse_include))

    def admit(self, bot: Bot) -> None:
        """Choose the isolation of all bots, and try it. Raises ConfigError if bots
        would have the user's rights unasked.

        bot: the student's
        """
        settings, sandbox = self.settings, chosen_sandbox(self.settings)
        is_safe = (
            sandbox.level.confines
            or settings.trust_bots
            or (settings.clock is Clock.TICKS and not bot.build)
        )
        if not is_safe and settings.isolation == sandbox.level:
            raise ConfigError(
                f"{self._ladder.places.get('isolation', FILE)}: at isolation "
                f"{sandbox.level} a bot could write its own marks; "
                "choose another level and seal the ladder, or give --trust-bots"
            )
        if is_safe and not sandbox.level.confines:
            self._values["trust_bots"] = True
            self.settings = self._settings("any", None)
        admit(sandbox, self.settings, self._say, rated=True)
        self.sandbox = sandbox

    def started(self, bot: Bot) -> Playable:
        """Build a student's bot and start it once. Raises BadBot if it is not built or
        does not start.
        """
        try:
            return self._start(bot)
        except BotError as error:
            if of_the_machine(error):
                raise
            problems = error.problems or (str(error),)
            raise BadBot("\n".join(map(_for_its_author, problems))) from None

    def _start(self, bot: Bot) -> Playable:
        if self.settings.clock is Clock.TICKS:
            (bot,) = as_modules([bot], self.sandbox.level, skip_broken=False)
        (command,) = ready_to_play(self.settings, [bot], self.sandbox, self._say).values()
        return Playable(bot, command)

    def opponents(self) -> dict[str, Bot]:
        """Return the bot of each rung as it was read, by the rung's name. Raises
        ConfigError.
        """
        bots: dict[str, Bot] = {}
        problems: list[str] = []
        for rung in self._ladder.rungs:
            try:
                bots[rung.name] = self._read(str(rung.folder))
                problems += [
                    f"rung {rung.name}: {problem}"
                    for problem in _unfit(self.settings, bots[rung.name])
                ]
            except ConfigError as error:
                problems += [f"rung {rung.name}: {problem}" for problem in error.problems]
        if problems:
            raise ConfigError(problems)
        return bots

    def start_opponent(self, rung: str, bot: Bot) -> Playable:
        """Build the bot of a rung and start it once. Raises Ungraded if that fails: no
        student is to blame.
        """
        try:
            return self._start(bot)
        except BotError as error:
            raise Ungraded(
                f"rung {rung}: its bot does not start here, so nothing was marked:\n{error}"
            ) from None

    def keep_secret(self, flag: str, file: Path, players: Sequence[Playable]) -> None:
        """Raise ConfigError if a bot may read a file. ``flag``: by which the user named
        it.
        """
        keep_private([(flag, str(file))], self.sandbox, [player.command for player in players])

    # --- the matches ---

    def time_of(self, student: Playable, opponents: Mapping[str, Playable]) -> str:
        """Return in words how long all matches take, by a short try against each rung;
        "" if they are few, or a try fails.
        """
        matches = self.matches
        if matches * len(opponents) < FEWEST_TO_TRY:
            return ""
        each: list[MatchTime] = []
        for rung, opponent in opponents.items():
            settings, entrants = self._settings(rung, None), _entrants(student, opponent)
            definition = definition_of(settings, entrants.entrants, self.sandbox)
            executor = executor_of(settings, entrants, self.sandbox, None, say_nothing)
            with executor:
                commands = executor.prepare(entrants.entrants)
                seated = [commands[bot.identity] for bot in entrants.entrants]
                try:
                    took, _ = Trial(definition, self.sandbox, TRY_SECONDS, say_nothing).measure(
                        executor, seated
                    )
                except ConfigError:
                    return ""  # no match could be played: the grading itself says why
            each.append(took)
        seconds = sum(took.seconds for took in each) / len(each)
        mean = MatchTime(seconds, None, "a try")
        return mean.of(matches * len(each), self.settings.jobs)

    @property
    def matches(self) -> int:
        """The number of matches against each rung."""
        return self.settings.seeds * self.settings.seats

    def play(
        self, rung: Rung, student: Playable, opponent: Playable, seed: str | None
    ) -> list[Result]:
        """Play all matches against a rung, or what is left of them, and return their
        results: bot 0 is the student's.

        Raises Ungraded if this machine cannot play them all.
        """
        settings, entrants = self._settings(rung.name, seed), _entrants(student, opponent)
        if problems := unplayable((settings,), entrants.entrants):
            raise ConfigError(problems)
        run = Run(
            [settings],
            entrants.entrants,
            RunOptions(),
            self._warn,
            trial=BudgetTrial(self.sandbox, entrants),
        )
        events, is_complete = run.play()
        if not is_complete:
            raise Ungraded(
                f"rung {rung.name}: this machine could not play all matches, so nothing "
                "was marked; grade again"
            )
        with Store.read(settings.out) as store:
            results = list(results_of(store, stored_event(store, events[0])))
        way = "grade again in another folder, with fewer --jobs or on a quieter machine"
        if forfeits := sum(
            verdict != "ok" for result in results for verdict in _of(result, 1, result.verdicts)
        ):
            times = count(forfeits, "match", "matches")
            raise Ungraded(
                f"rung {rung.name}: its own bot forfeited {times}, so nothing was marked; {way}"
            )
        if faults := sum(
            len(of_seat) for result in results for of_seat in _of(result, 1, result.faults)
        ):
            times = f"{count(faults, 'fault')} and played a default choice each time"
            self._say(
                f"rung {rung.name}: its own bot made {times}, so the mark may be too good; {way}",
                warning=True,
            )
        return results

    def _warn(self, text: str, *, warning: bool = False) -> None:
        if warning:
            self._say(text, warning=True)


def _of(result: Result, bot: int, by_seat: Sequence[Any]) -> Iterator[Any]:
    """Yield the values of the seats of a bot."""
    return (value for one, value in zip(result.bots, by_seat, strict=True) if one == bot)


def faults_of_student(results: Sequence[Result]) -> Iterator[tuple[Result, str, int, bool]]:
    """Yield each fault of bot 0: its match, the fault, the step, and whether the bot
    forfeited the match by it.
    """
    for result in results:
        for verdict, faults in zip(
            _of(result, 0, result.verdicts), _of(result, 0, result.faults), strict=True
        ):
            for number, (fault, step) in enumerate(faults, 1):
                yield result, fault, step, verdict != "ok" and number == len(faults)


def _entrants(student: Playable, opponent: Playable) -> Entrants:
    bots = with_distinct_names([student.bot, opponent.bot])
    return Entrants(
        tuple(bots),
        {
            bot.identity: player.command
            for bot, player in zip(bots, (student, opponent), strict=True)
        },
    )


def no_folder(word: str) -> ConfigError:
    """Return the error for a word that names no bot's files: a command may use files
    that nobody has handed in.
    """
    return ConfigError(
        f"--bot {word}: there is no such folder or archive; name the folder with the student's "
        "bot.toml, or a .zip or .tar.gz of it"
    )


def _refuse_include(bot_toml: Path, paths: Sequence[str]) -> None:
    """Refuse files outside of a bot's folder, even if the user agreed to them before:
    marks are then the same on any machine, and the seal of a ladder covers all files of
    a rung's bot. Raises ConfigError.
    """
    raise ConfigError(
        f"{bot_toml}: include takes {', '.join(paths)}, outside of the bot's folder; copy it into "
        "the folder, because the folder of a bot that is marked holds all of its files"
    )


def _unfit(settings: Settings, bot: Bot) -> list[str]:
    """Return why a bot cannot play under these settings, a line each."""
    problems = (
        []
        if bot.complete
        else [
            (
                f"--bot {bot.asked_as}: it is a command; a bot that is marked is a folder with "
                "a bot.toml"
            )
        ]
    )
    return problems or _not_for(settings, bot)


def _not_for(settings: Settings, bot: Bot) -> list[str]:

    problems = bots_of_an_event.of_another_game([bot], settings.game.name)
    if settings.clock is Clock.TICKS:
        problems += [
            *bots_of_an_event.not_modules([bot]),
            *bots_of_an_event.beyond_memory([bot], settings.resources.memory),
        ]
    return problems


def _for_its_author(problem: str) -> str:
    """Return a problem without the command for the instructor, whose folders the author
    does not have.
    """
    return "\n".join(line for line in problem.split("\n") if not line.startswith(NEXT))
