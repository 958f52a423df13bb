"""Trial starts before the first match: every bot is staged, built and started once.

A bot that cannot play ends the run, or is left out.
"""

import os
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from khiva_arena.arbiter.preflight import PreflightFailed
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.settings.competition import entrants_named
from khiva_arena.competition.settings.define import conditions_of, variables_of
from khiva_arena.competition.settings.isolation import keep_apart, keep_private, private_places, sandbox_of, warn_of_cold_files
from khiva_arena.competition.settings.permissions import with_permissions
from khiva_arena.competition.settings.settings import DEFAULTS, LEAVING_OUT, Settings, settings_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot, with_distinct_names
from khiva_arena.entrants.hints.starts import hinting, modules_of, start
from khiva_arena.errors import ArenaError, BotError, ConfigError
from khiva_arena.games.registry import NAMES
from khiva_arena.rating.schedule.lineups import FEWEST_SEATS
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header
from khiva_arena.records.store.rows import NotPlayed, Why

if TYPE_CHECKING:
    from khiva_arena.competition.events.durations import MatchTime  # most runs measure none before
    from khiva_arena.records.store.trial_results import TrialResult  # most runs try no bots

LINE_SHOWN = 200
Elsewhere = Callable[[Sequence[Bot]], Mapping[str, tuple[str, str]]]
"""A start of bots on other machines. It returns, for each bot that starts nowhere, by identity, a machine's name and the
problem there."""


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
    """Stage each bot anew whose copy or compiled code is not what was staged, so that its next match can be played.

    commands: of the bots, in their order
    """
    from khiva_arena.arbiter.seals import damage_of  # not above: most runs stage nothing anew

    for bot, command in zip(bots, commands, strict=True):
        if damage := damage_of(command):
            try:
                staging.stage(bot, level)
                is_whole = not damage_of(command)
                say(f"{bot.name} is staged anew: {damage}" if is_whole else f"{bot.name} cannot be started: {damage}")
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
    """Return the command that starts each bot, by identity; bots that were not started before are started once.

    earlier_commands: commands of the bots that have been started already.
    plan: the file of the plan that is played, if any.

    Raises BotError for all that are not built or do not start; ConfigError if a bot could read a place that it must not.
    """
    commands = dict(earlier_commands)
    problems: list[str] = []
    with one_interrupt():
        for bot in entrants:
            try:
                if bot.identity not in commands:
                    commands[bot.identity] = _stage_with_permissions(first, bot, sandbox)
            except BotError as error:
                if _of_the_machine(error):
                    raise
                from khiva_arena.arbiter.start_problem import NEXT  # not above: most bots are built

                problems.append(f"{error}\n{NEXT}{_check_of(first, bot.name, bot.asked_as)}")
    staged_bots = [bot for bot in entrants if bot.identity in commands]
    _keep_from_each_other(first, staged_bots, commands, sandbox, plan)
    if new_bots := [bot for bot in staged_bots if bot.identity not in earlier_commands]:
        try:
            _start(first, new_bots, commands, sandbox)
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
    """Return why bots cannot be played, a line each, for settings that have mistakes: so both are told in one round. The last
    line is that of ``way_on``, if it says anything.

    values: the settings as they were typed.

    Bots are started only in a sandbox that confines them, and with no permissions. Anything else that the settings ask for may be
    the mistake, or the user may still have to agree to it.
    """
    try:
        entrants = entrants_named({**values, "skip_broken": True}, say_nothing)
    except ArenaError:
        return []  # which is among the mistakes of the settings
    try:
        reasons = _reasons_in_a_trial(values, [bot for bot in entrants if not bot.guest and not bot.broken])
    except ArenaError as error:  # of this machine
        return [str(error)]
    unread = sum(bool(bot.broken) for bot in entrants)
    is_left_out = any(values.get(name) is True for name in LEAVING_OUT)
    way = [] if is_left_out else way_on(len(entrants), unread + len(reasons))
    return [*reasons, *way]


def way_on(bots: int, broken: int) -> list[str]:
    """Return the line on how to play without the broken ones of so many bots; [] if none is broken, or too few are left."""
    if not broken or bots - broken < FEWEST_SEATS:
        return []
    subject = "this bot" if broken == 1 else f"these {broken} bots"
    return [f"--skip-broken leaves out {subject} and plays with the others"]


def _reasons_in_a_trial(values: Mapping[str, Any], bots: Sequence[Bot]) -> list[str]:
    """Return why bots do not start, a line for each that does not; [] if they are not to be tried. Raises ArenaError if this
    machine is to blame."""
    asks_for_more = any(values.get(row.name) not in (None, row.default) for row in TABLE if not row.in_a_trial)
    if asks_for_more or values.get("isolation") == Level.TRUSTED or values.get("game", DEFAULTS["game"]) not in NAMES:
        return []
    reasons: dict[str, NotPlayed] = {}
    try:
        first = _valid_part(values)
        sandbox = sandbox_of(first, say_nothing, rated=True)
    except ArenaError:
        return []
    if sandbox.level.confines and bots:
        _start_here(first, bots, sandbox, reasons)
    return [f"{bot.name} ({bot.asked_as}): {_with_next(first, reasons[bot.identity])}" for bot in bots if bot.identity in reasons]


def _valid_part(values: Mapping[str, Any]) -> Settings:
    """Return settings to start bots with. Raises ConfigError if settings that a start needs have mistakes."""
    common = {key: values[key] for key in ("bots", "engines", "game", "limits", "start", "isolation") if key in values}
    try:
        return settings_from({**common, **{key: values[key] for key in ("seats", "rules", "turn", "bank") if key in values}})
    except ConfigError:
        return settings_from(common)


def without_broken(
    stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox, say: Say, start_elsewhere: Elsewhere | None = None
) -> Entrants:
    """Return the bots that can play, and say a line on each of the others. Guests, which no program here starts, stay: they are
    waited for later.

    start_elsewhere: starts bots on other machines, instead of this one.

    Raises ConfigError if too few are left. A feature that this machine lacks is no bot's fault, and is raised as by
    ``ready_to_play``.
    """
    reasons: dict[str, NotPlayed] = {}
    if start_elsewhere is not None:
        commands = _start_elsewhere(entrants, start_elsewhere, reasons)
    else:
        commands = _start_here(stages[0], [bot for bot in entrants if not bot.guest], sandbox, reasons)
        warn_of_cold_files(say)
    from khiva_arena.competition.playing.leaving_out import those_left  # not above: most runs leave none out

    playing = those_left(stages, entrants, {bot: _with_next(stages[0], reason) for bot, reason in reasons.items()}, say)
    return Entrants(playing, commands, tuple(reasons[bot.identity] for bot in entrants if bot.identity in reasons))


def as_modules(entrants: Sequence[Bot], level: Level, *, skip_broken: bool) -> list[Bot]:
    """Return the bots of an event in ticks as their modules alone. Raises BotError for the first that cannot be built.

    skip_broken: it is marked as broken instead
    """
    built: list[Bot] = []
    for bot in entrants:
        try:
            built += [bot] if bot.broken else modules_of([bot], level)
        except BotError as error:
            if _of_the_machine(error) or not skip_broken:
                raise
            built.append(replace(bot, broken=_first_of(bot, str(error))))
        except Exception as error:
            from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

            if not skip_broken:
                raise
            built.append(replace(bot, broken=why_left_out(error)))
    return with_distinct_names(built)


def _of_the_machine(error: BotError) -> bool:
    from khiva_arena.common.machine import of_the_machine  # not above: most bots start

    return of_the_machine(error)


def _start_here(first: Settings, bots: Sequence[Bot], sandbox: Sandbox, reasons: dict[str, NotPlayed]) -> dict[str, Command]:
    """Return the command of each bot that starts, by identity. ``reasons`` gets the reason for each other bot, by identity."""
    reasons |= _of_broken(bots)
    commands: dict[str, Command] = {}
    with one_interrupt():
        for bot in bots:
            try:
                if not bot.broken:
                    commands[bot.identity] = _stage_with_permissions(first, bot, sandbox)
            except BotError as error:
                if _of_the_machine(error):
                    raise
                reasons[bot.identity] = _not_played(bot, Why.UNBUILT, str(error))
            except Exception as error:
                from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

                reasons[bot.identity] = _not_played(bot, Why.UNBUILT, why_left_out(error))
    staged_bots = [bot for bot in bots if bot.identity in commands]
    _keep_from_each_other(first, staged_bots, commands, sandbox)
    try:
        _note_broken(first, staged_bots, commands, sandbox, reasons)
    except Exception as error:
        from khiva_arena.common.machine import is_unforeseen  # not above: such errors are rare

        if not is_unforeseen(error):
            raise
        for bot in staged_bots:  # to find the one that it came of
            _note_broken_alone(first, bot, commands, sandbox, reasons)
    return {bot: command for bot, command in commands.items() if bot not in reasons}


def _note_broken(
    first: Settings, bots: Sequence[Bot], commands: Mapping[str, Command], sandbox: Sandbox, reasons: dict[str, NotPlayed]
) -> None:
    """Start bots once. ``reasons`` gets the reason for each that does not start, by identity."""
    try:
        if bots:
            _start(first, bots, commands, sandbox)
    except PreflightFailed as error:
        for number, problem in zip(error.positions, error.problems, strict=True):
            bot = bots[number]
            reasons[bot.identity] = _not_played(bot, Why.NOT_STARTED, problem)


def _note_broken_alone(
    first: Settings, bot: Bot, commands: Mapping[str, Command], sandbox: Sandbox, reasons: dict[str, NotPlayed]
) -> None:
    try:
        _note_broken(first, [bot], commands, sandbox, reasons)
    except Exception as error:
        from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

        reasons[bot.identity] = _not_played(bot, Why.NOT_STARTED, why_left_out(error))


def _start_elsewhere(bots: Sequence[Bot], start_elsewhere: Elsewhere, reasons: dict[str, NotPlayed]) -> dict[str, Command]:
    """Start bots on other machines. ``reasons`` gets the reason for each bot that does not start, by identity.

    Returns {}: each machine has its own commands.
    """
    from khiva_arena.entrants.archive import check_texts  # not above: most bots start here

    reasons |= _of_broken(bots)
    for bot in bots:
        try:
            check_texts(name for name, _ in bot.sources)
        except ConfigError as error:  # so its files cannot be sent
            reasons.setdefault(bot.identity, _not_played(bot, Why.UNREAD, str(error)))
    unbroken = [bot for bot in bots if bot.identity not in reasons]
    problems = start_elsewhere(unbroken) if unbroken else {}
    for bot in unbroken:
        if bot.identity in problems:
            worker, problem = problems[bot.identity]
            found = _not_played(bot, Why.NOT_STARTED, problem)
            reasons[bot.identity] = replace(found, line=f"on worker {worker}, {found.line}")
    return {}


def _of_broken(bots: Sequence[Bot]) -> dict[str, NotPlayed]:
    """Return the bots that are marked as broken, by identity: those that cannot be read, and modules that are not built."""
    return {
        bot.identity: NotPlayed(_without_folders(bot), bot.asked_as, Why.UNBUILT if bot.module else Why.UNREAD, bot.broken)
        for bot in bots
        if bot.broken
    }


def _without_folders(bot: Bot) -> str:
    """Return the name of a bot; one that cannot be read is called by its path, whose folders no page may show."""
    return os.path.basename(os.path.normpath(bot.name)) if bot.name == bot.asked_as else bot.name


def _not_played(bot: Bot, why: Why, problem: str) -> NotPlayed:
    from khiva_arena.arbiter.start_problem import NEXT  # not above: most bots start

    report = "\n".join(line for line in problem.split("\n") if not line.startswith(NEXT))
    return NotPlayed(bot.name, bot.asked_as, why, _first_of(bot, problem), report)


def _first_of(bot: Bot, problem: str) -> str:
    """Return in a line the beginning of a problem, the first error of its build or the last line that it wrote, and a hint if the
    cause is known."""
    from khiva_arena.arbiter.start_problem import HINT, NEXT, STDERR  # not above: most bots are built
    from khiva_arena.entrants.build_output import first_error

    first, *others = problem.split("\n")
    words = [first.removeprefix(f"{bot.name}: ").rstrip(":")]
    advice = [line.removeprefix(HINT) for line in others if line.startswith(HINT)]
    others = [line for line in others if not line.startswith((HINT, NEXT))]
    if (begin := next((n for n, line in enumerate(others) if line.startswith(STDERR)), None)) is not None:
        others = [line for line in others[begin + 1 :] if line.startswith("    ")]
    elif error := first_error("\n".join(others)):
        words.append(f"its first error: {error[:LINE_SHOWN]}")
        others = []
    if output := [line.strip() for line in others if line.strip()]:
        words.append(f"it wrote last: {output[-1][:LINE_SHOWN]}")
    words += [f"hint: {line}" for line in advice]
    return "; ".join(words)


def _with_next(first: Settings, bot: NotPlayed) -> str:
    """Return why a bot does not play, in a line that ends with the command which shows all, for a reader who has the bot."""
    shows = bot.why in (Why.UNBUILT, Why.NOT_STARTED)
    return f"{bot.line}; next: {_check_of(first, bot.name, bot.word)}" if shows else bot.line


def _check_of(first: Settings, name: str, word: str) -> str:
    """Return the command that checks a bot with the permissions that it has here."""
    from khiva_arena.arbiter.start_problem import permissions_of  # not above: most bots start
    from khiva_arena.entrants.own_name import own_name

    given = permissions_of(own_name(word, name), name in first.network, variables_of(name, first.env))
    return shlex.join(["khiva-arena", "check", word, *given])


def _stage_with_permissions(first: Settings, bot: Bot, sandbox: Sandbox) -> Command:
    with hinting(bot, sandbox.level):
        command = staging.stage(bot, sandbox.level)
    return with_permissions(command, bot.name, first.network, first.env, first.link_ms)


def _keep_from_each_other(
    first: Settings, entrants: Sequence[Bot], commands: Mapping[str, Command], sandbox: Sandbox, plan: Path | None = None
) -> None:
    of_all = [commands[bot.identity] for bot in entrants]
    keep_private(private_places(first, plan), sandbox, of_all)
    keep_apart(entrants, of_all, sandbox)


def _start(first: Settings, entrants: Sequence[Bot], commands: Mapping[str, Command], sandbox: Sandbox) -> None:
    header = first_header(first, entrants, sandbox)
    start(entrants, [commands[bot.identity] for bot in entrants], header, sandbox)


def first_header(first: Settings, entrants: Sequence[Bot], sandbox: Sandbox) -> Header:
    """Return the header of the trial start that every bot gets, so that a competition does not begin with a loss."""
    return conditions_of(first, entrants, sandbox).header(
        [("preflight", "")] * first.seats, "preflight", bytes(seeds.SECRET_BYTES)
    )


@contextmanager
def one_interrupt() -> Iterator[None]:
    """Let only one interrupt through: a second, impatient one must not prevent the bots from being ended.

    This is for code outside of trio, which does so itself.
    """

    def first(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException:
        signal.signal(signal.SIGINT, before)
        raise
    signal.signal(signal.SIGINT, before)
