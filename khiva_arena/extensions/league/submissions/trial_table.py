"""Check a submitted bot, play its trial table, and judge it."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.common.result import Clock
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.conformance.check_report import CheckReport, Status, step_text
from khiva_arena.competition.conformance.context import RunningCheck
from khiva_arena.competition.conformance.whole_check import check
from khiva_arena.competition.playing.starts import as_modules, ready_to_play
from khiva_arena.competition.playing.trials import TrialMatch, play_trials
from khiva_arena.competition.settings.define import conditions_of
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.extensions.league.settings import League
from khiva_arena.records.replay import seeds
from khiva_arena.words import count


class Finding(NamedTuple):
    """The end of an examination of a submitted bot.

    accepted: whether it is in from the next batch.
    report: why not, or how its check and its trial table went, in words for its author.
    failure: what the organiser is told of an entry that the arena failed at; "" for one
        that was examined.
    """

    accepted: bool
    report: str
    failure: str = ""


def as_played(league: League, bot: Bot) -> Bot:
    """Return a bot as it plays: its module alone in a league in ticks. Raises BotError
    if that cannot be built.
    """
    if league.settings.clock is Clock.TICKS:
        (bot,) = as_modules([bot], league.sandbox.level, skip_broken=False)
    return bot


def verdict_of(league: League, bot: Bot, renew: Callable[[], None]) -> Finding:
    """Check a bot and play its trial table. ``renew``: called whenever something was
    done.
    """
    settings = league.settings
    problems = bots_of_an_event.of_another_game([bot], settings.game.name)
    if settings.clock is Clock.TICKS:
        problems += [
            *bots_of_an_event.not_modules([bot]),
            *bots_of_an_event.beyond_memory([bot], league.sandbox.resources.memory),
        ]
    if problems:
        return Finding(False, "\n".join(problem.partition(": ")[2] for problem in problems))
    running = RunningCheck(
        bot=bot.in_ticks if settings.clock is Clock.TICKS else bot,
        limits=settings.limits,
        sandbox=league.sandbox,
        games=(settings.game,),
        quick=True,
        levels=(league.sandbox.level,),
        trust=False,
        runtimes=league.loading.runtimes,
    )
    report = check(running, bot.name, lambda step: renew())
    return _tried(league, bot, renew) if report.passed else Finding(False, _failed(report))


def _failed(report: CheckReport) -> str:
    failed = [step_text(step) for step in report.steps if step.status is Status.FAILED]
    return "\n".join(["its check failed:", *failed])


def _tried(league: League, bot: Bot, renew: Callable[[], None]) -> Finding:
    """Play the trial table and return how it went: a bot that does not play it to the
    end is refused.
    """
    playing = as_played(league, bot)
    bots = _at_the_table(playing, league.anchors, league.settings.seats)
    try:
        of_anchors = ready_to_play(league.settings, league.anchors, league.sandbox, say_nothing)
    except (BotError, ConfigError) as error:
        raise StagingError(
            f"no trial table can be played, since an anchor does not start: {error}"
        ) from None
    commands = ready_to_play(
        league.settings, [*league.anchors, playing], league.sandbox, say_nothing, of_anchors
    )
    secret = secrets.token_bytes(seeds.SECRET_BYTES)
    trials = [
        TrialMatch(bots, f"trial-{rotation}", secret, rotation) for rotation in range(len(bots))
    ]
    conditions = conditions_of(league.settings, bots, league.sandbox)

    def play(tables: Iterator[tuple[Job, ...]], take: Callable[[Outcome], None]) -> None:
        def renew_and_take(outcome: Outcome) -> None:
            renew()
            take(outcome)

        pool.play(chain.from_iterable(tables), 1, renew_and_take)

    tried = play_trials(trials, conditions, commands, league.sandbox, play)
    if voids := [match.outcome.void for match in tried if match.outcome.record is None]:
        if any(match.is_cause for match in tried):
            return Finding(False, f"its trial table could not be played because of it: {voids[0]}")
        raise StagingError(f"the trial table of {bot.name} was void: {voids[0]}")
    places = ", ".join(str(match.places[0]) for match in tried)
    faults = [
        f"match {n}: {blame.verdict}: {blame.detail}"
        for n, match in enumerate(tried, 1)
        for blame in match.faults
    ]
    played = f"its trial table: {count(len(bots), 'match', 'matches')}, places {places}"
    if faults:
        return Finding(
            False,
            "\n".join([f"{played}, and faults, for which it would forfeit or lose time:", *faults]),
        )
    return Finding(True, f"its check passed; {played}, no fault")


def _at_the_table(bot: Bot, anchors: Sequence[Bot], seats: int) -> tuple[Bot, ...]:
    """Return the bots of a trial table: the bot, and the anchors in turn, as often as
    it takes.
    """
    return (bot, *(anchors[number % len(anchors)] for number in range(seats - 1)))
