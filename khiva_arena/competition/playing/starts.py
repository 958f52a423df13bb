"""Trial starts before the first match: every bot is staged, built and started once.

A bot that cannot play ends the run, or is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from khiva_arena.arbiter.preflight import PreflightFailed
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.playing.trial_starts import (
    Elsewhere,
    check_of,
    comes_of_the_machine,
    first_of,
    keep_from_each_other,
    one_interrupt,
    stage_with_permissions,
    start_here,
    start_on_others,
    start_once,
    with_next,
)
from khiva_arena.competition.settings.competition import entrants_named
from khiva_arena.competition.settings.isolation import sandbox_of, warn_of_cold_files
from khiva_arena.competition.settings.settings import LEAVING_OUT, Settings, settings_from
from khiva_arena.competition.settings.table import DEFAULTS, TABLE
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.bots_of_an_event import with_distinct_names
from khiva_arena.entrants.hints.starts import modules_of
from khiva_arena.errors import ArenaError, BotError, ConfigError
from khiva_arena.games.registry import NAMES
from khiva_arena.rating.schedule.lineups import FEWEST_SEATS
from khiva_arena.records.store.rows import NotPlayed

if TYPE_CHECKING:
    from khiva_arena.competition.events.durations import MatchTime  # most runs measure none before
    from khiva_arena.records.store.trial_results import TrialResult  # most runs try no bots


class Entrants(NamedTuple):
    """The bots that play.

    entrants: the bots.
    commands: the commands of the bots that have been started once already, by identity.
    left_out: the bots that do not play.
    took: the duration of a match, if it was measured.
    trials: the results of the trial matches of the bots that play, if they played some.
    """

    entrants: tuple[Bot, ...]
    commands: Mapping[str, Command] = MappingProxyType({})
    left_out: tuple[NotPlayed, ...] = ()
    took: "MatchTime | None" = None
    trials: "tuple[TrialResult, ...]" = ()


class BudgetTrial(NamedTuple):
    """The findings before a run for which a budget was worked out.

    sandbox: the sandbox of the bots.
    entrants: the bots that play.
    """

    sandbox: Sandbox
    entrants: Entrants


def stage_damaged(bots: Sequence[Bot], commands: Sequence[Command], level: Level, say: Say) -> None:
    """Stage each bot anew whose copy or compiled code is not what was staged, so that
    its next match can be played.

    commands: of the bots, in their order
    """
    from khiva_arena.arbiter.seals import damage_of  # not above: most runs stage nothing anew

    for bot, command in zip(bots, commands, strict=True):
        if damage := damage_of(command):
            try:
                staging.stage(bot, level)
                is_whole = not damage_of(command)
                say(
                    f"{bot.name} is staged anew: {damage}"
                    if is_whole
                    else f"{bot.name} cannot be started: {damage}"
                )
            except ArenaError as error:
                say(f"{bot.name} cannot be staged anew, though {damage}: {error}")


def ready_to_play(
    first: Settings,
    entrants: Sequence[Bot],
    sandbox: Sandbox,
    say: Say,
    earlier_commands: Mapping[str, Command] = MappingProxyType({}),
    plan: Path | None = None,
) -> dict[str, Command]:
    """Return the command that starts each bot, by identity; bots that were not started
    before are started once.

    earlier_commands: commands of the bots that have been started already.
    plan: the file of the plan that is played, if any.

    Raises BotError for all that are not built or do not start; ConfigError if a bot
    could read a place that it must not.
    """
    commands = dict(earlier_commands)
    problems: list[str] = []
    with one_interrupt():
        for bot in entrants:
            try:
                if bot.identity not in commands:
                    commands[bot.identity] = stage_with_permissions(first, bot, sandbox)
            except BotError as error:
                if comes_of_the_machine(error):
                    raise
                from khiva_arena.arbiter.start_problem import NEXT  # not above: most bots are built

                problems.append(f"{error}\n{NEXT}{check_of(first, bot.name, bot.asked_as)}")
    staged_bots = [bot for bot in entrants if bot.identity in commands]
    keep_from_each_other(first, staged_bots, commands, sandbox, plan)
    if new_bots := [bot for bot in staged_bots if bot.identity not in earlier_commands]:
        try:
            start_once(first, new_bots, commands, sandbox)
        except PreflightFailed as error:
            if not problems:
                raise
            problems += error.problems
        warn_of_cold_files(say)
    if problems:
        refusal = BotError("\n".join(problems))
        refusal.problems = tuple(problems)
        raise refusal
    return commands


def trial_problems(values: Mapping[str, Any]) -> list[str]:
    """Return why bots cannot be played, a line each, for settings that have mistakes:
    so both are told in one round. The last line is that of ``way_on``, if it says
    anything.

    values: the settings as they were typed.

    Bots are started only in a sandbox that confines them, and with no permissions.
    Anything else that the settings ask for may be the mistake, or the user may still
    have to agree to it.
    """
    try:
        entrants = entrants_named({**values, "skip_broken": True}, say_nothing)
    except ArenaError:
        return []  # which is among the mistakes of the settings
    try:
        reasons = _reasons_in_a_trial(
            values, [bot for bot in entrants if not bot.guest and not bot.broken]
        )
    except ArenaError as error:  # of this machine
        return [str(error)]
    unread = sum(bool(bot.broken) for bot in entrants)
    is_left_out = any(values.get(name) is True for name in LEAVING_OUT)
    way = [] if is_left_out else way_on(len(entrants), unread + len(reasons))
    return [*reasons, *way]


def way_on(bots: int, broken: int) -> list[str]:
    """Return the line on how to play without the broken ones of so many bots; [] if
    none is broken, or too few are left.
    """
    if not broken or bots - broken < FEWEST_SEATS:
        return []
    subject = "this bot" if broken == 1 else f"these {broken} bots"
    return [f"--skip-broken leaves out {subject} and plays with the others"]


def _reasons_in_a_trial(values: Mapping[str, Any], bots: Sequence[Bot]) -> list[str]:
    """Return why bots do not start, a line for each that does not; [] if they are not
    to be tried. Raises ArenaError if this machine is to blame.
    """
    asks_for_more = any(
        values.get(row.name) not in (None, row.default) for row in TABLE if not row.in_a_trial
    )
    if (
        asks_for_more
        or values.get("isolation") == Level.TRUSTED
        or values.get("game", DEFAULTS["game"]) not in NAMES
    ):
        return []
    reasons: dict[str, NotPlayed] = {}
    try:
        first = _valid_part(values)
        sandbox = sandbox_of(first, say_nothing, rated=True)
    except ArenaError:
        return []
    if sandbox.level.confines and bots:
        start_here(first, bots, sandbox, reasons)
    return [
        f"{bot.name} ({bot.asked_as}): {with_next(first, reasons[bot.identity])}"
        for bot in bots
        if bot.identity in reasons
    ]


def _valid_part(values: Mapping[str, Any]) -> Settings:
    """Return settings to start bots with. Raises ConfigError if settings that a start
    needs have mistakes.
    """
    common = {
        key: values[key]
        for key in ("bots", "engines", "game", "limits", "start", "isolation")
        if key in values
    }
    try:
        return settings_from(
            {
                **common,
                **{key: values[key] for key in ("seats", "rules", "turn", "bank") if key in values},
            }
        )
    except ConfigError:
        return settings_from(common)


def without_broken(
    stages: Sequence[Settings],
    entrants: Sequence[Bot],
    sandbox: Sandbox,
    say: Say,
    start_elsewhere: Elsewhere | None = None,
) -> Entrants:
    """Return the bots that can play, and say a line on each of the others. Guests,
    which no program here starts, stay: they are waited for later.

    start_elsewhere: starts bots on other machines, instead of this one.

    Raises ConfigError if too few are left. A feature that this machine lacks is no
    bot's fault, and is raised as by ``ready_to_play``.
    """
    reasons: dict[str, NotPlayed] = {}
    if start_elsewhere is not None:
        commands = start_on_others(entrants, start_elsewhere, reasons)
    else:
        commands = start_here(
            stages[0], [bot for bot in entrants if not bot.guest], sandbox, reasons
        )
        warn_of_cold_files(say)
    # not above: most runs leave none out
    from khiva_arena.competition.playing.leaving_out import those_left

    playing = those_left(
        stages,
        entrants,
        {bot: with_next(stages[0], reason) for bot, reason in reasons.items()},
        say,
    )
    return Entrants(
        playing,
        commands,
        tuple(reasons[bot.identity] for bot in entrants if bot.identity in reasons),
    )


def as_modules(entrants: Sequence[Bot], level: Level, *, skip_broken: bool) -> list[Bot]:
    """Return the bots of an event in ticks as their modules alone. Raises BotError for
    the first that cannot be built.

    skip_broken: it is marked as broken instead
    """
    built: list[Bot] = []
    for bot in entrants:
        try:
            built += [bot] if bot.broken else modules_of([bot], level)
        except BotError as error:
            if comes_of_the_machine(error) or not skip_broken:
                raise
            built.append(replace(bot, broken=first_of(bot, str(error))))
        except Exception as error:
            from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

            if not skip_broken:
                raise
            built.append(replace(bot, broken=why_left_out(error)))
    return with_distinct_names(built)
