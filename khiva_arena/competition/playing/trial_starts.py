"""One trial start of a bot: its stage, its program, and its first answer."""

import os
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.arbiter.preflight import PreflightFailed
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.competition.settings.define import conditions_of, variables_of
from khiva_arena.competition.settings.isolation import keep_apart, keep_private, private_places
from khiva_arena.competition.settings.permissions import with_permissions
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import hinting, start
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header
from khiva_arena.records.store.rows import NotPlayed, Why

LINE_SHOWN = 200
Elsewhere = Callable[[Sequence[Bot]], Mapping[str, tuple[str, str]]]
"""A start of bots on other machines. It returns, for each bot that starts nowhere, by
identity, a machine's name and the problem there.
"""


def comes_of_the_machine(error: BotError) -> bool:
    from khiva_arena.common.machine import of_the_machine  # not above: most bots start

    return of_the_machine(error)


def start_here(
    first: Settings, bots: Sequence[Bot], sandbox: Sandbox, reasons: dict[str, NotPlayed]
) -> dict[str, Command]:
    """Return the command of each bot that starts, by identity. ``reasons`` gets the
    reason for each other bot, by identity.
    """
    reasons |= _of_broken(bots)
    commands: dict[str, Command] = {}
    with one_interrupt():
        for bot in bots:
            try:
                if not bot.broken:
                    commands[bot.identity] = stage_with_permissions(first, bot, sandbox)
            except BotError as error:
                if comes_of_the_machine(error):
                    raise
                reasons[bot.identity] = _not_played(bot, Why.UNBUILT, str(error))
            except Exception as error:
                # not above: such errors are rare
                from khiva_arena.common.machine import why_left_out

                reasons[bot.identity] = _not_played(bot, Why.UNBUILT, why_left_out(error))
    staged_bots = [bot for bot in bots if bot.identity in commands]
    keep_from_each_other(first, staged_bots, commands, sandbox)
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
    first: Settings,
    bots: Sequence[Bot],
    commands: Mapping[str, Command],
    sandbox: Sandbox,
    reasons: dict[str, NotPlayed],
) -> None:
    """Start bots once. ``reasons`` gets the reason for each that does not start, by
    identity.
    """
    try:
        if bots:
            start_once(first, bots, commands, sandbox)
    except PreflightFailed as error:
        for number, problem in zip(error.positions, error.problems, strict=True):
            bot = bots[number]
            reasons[bot.identity] = _not_played(bot, Why.NOT_STARTED, problem)


def _note_broken_alone(
    first: Settings,
    bot: Bot,
    commands: Mapping[str, Command],
    sandbox: Sandbox,
    reasons: dict[str, NotPlayed],
) -> None:
    try:
        _note_broken(first, [bot], commands, sandbox, reasons)
    except Exception as error:
        from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

        reasons[bot.identity] = _not_played(bot, Why.NOT_STARTED, why_left_out(error))


def start_on_others(
    bots: Sequence[Bot], start_elsewhere: Elsewhere, reasons: dict[str, NotPlayed]
) -> dict[str, Command]:
    """Start bots on other machines. ``reasons`` gets the reason for each bot that does
    not start, by identity.

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
    """Return the bots that are marked as broken, by identity: those that cannot be
    read, and modules that are not built.
    """
    return {
        bot.identity: NotPlayed(
            _without_folders(bot),
            bot.asked_as,
            Why.UNBUILT if bot.module else Why.UNREAD,
            bot.broken,
        )
        for bot in bots
        if bot.broken
    }


def _without_folders(bot: Bot) -> str:
    """Return the name of a bot; one that cannot be read is called by its path, whose
    folders no page may show.
    """
    return os.path.basename(os.path.normpath(bot.name)) if bot.name == bot.asked_as else bot.name


def _not_played(bot: Bot, why: Why, problem: str) -> NotPlayed:
    from khiva_arena.arbiter.start_problem import NEXT  # not above: most bots start

    report = "\n".join(line for line in problem.split("\n") if not line.startswith(NEXT))
    return NotPlayed(bot.name, bot.asked_as, why, first_of(bot, problem), report)


def first_of(bot: Bot, problem: str) -> str:
    """Return in a line the beginning of a problem, the first error of its build or the
    last line that it wrote, and a hint if the cause is known.
    """
    # not above: most bots are built
    from khiva_arena.arbiter.start_problem import HINT, NEXT, STDERR
    from khiva_arena.entrants.build_output import first_error

    first, *others = problem.split("\n")
    words = [first.removeprefix(f"{bot.name}: ").rstrip(":")]
    advice = [line.removeprefix(HINT) for line in others if line.startswith(HINT)]
    others = [line for line in others if not line.startswith((HINT, NEXT))]
    if (
        begin := next((n for n, line in enumerate(others) if line.startswith(STDERR)), None)
    ) is not None:
        others = [line for line in others[begin + 1 :] if line.startswith("    ")]
    elif error := first_error("\n".join(others)):
        words.append(f"its first error: {error[:LINE_SHOWN]}")
        others = []
    if output := [line.strip() for line in others if line.strip()]:
        words.append(f"it wrote last: {output[-1][:LINE_SHOWN]}")
    words += [f"hint: {line}" for line in advice]
    return "; ".join(words)


def with_next(first: Settings, bot: NotPlayed) -> str:
    """Return why a bot does not play, in a line that ends with the command which shows
    all, for a reader who has the bot.
    """
    shows = bot.why in (Why.UNBUILT, Why.NOT_STARTED)
    return f"{bot.line}; next: {check_of(first, bot.name, bot.word)}" if shows else bot.line


def check_of(first: Settings, name: str, word: str) -> str:
    """Return the command that checks a bot with the permissions that it has here."""
    from khiva_arena.arbiter.start_problem import permissions_of  # not above: most bots start
    from khiva_arena.entrants.own_name import own_name

    given = permissions_of(
        own_name(word, name), name in first.network, variables_of(name, first.env)
    )
    return shlex.join(["khiva-arena", "check", word, *given])


def stage_with_permissions(first: Settings, bot: Bot, sandbox: Sandbox) -> Command:
    with hinting(bot, sandbox.level):
        command = staging.stage(bot, sandbox.level)
    return with_permissions(command, bot.name, first.network, first.env, first.link_ms)


def keep_from_each_other(
    first: Settings,
    entrants: Sequence[Bot],
    commands: Mapping[str, Command],
    sandbox: Sandbox,
    plan: Path | None = None,
) -> None:
    of_all = [commands[bot.identity] for bot in entrants]
    keep_private(private_places(first, plan), sandbox, of_all)
    keep_apart(entrants, of_all, sandbox)


def start_once(
    first: Settings, entrants: Sequence[Bot], commands: Mapping[str, Command], sandbox: Sandbox
) -> None:
    header = first_header(first, entrants, sandbox)
    start(entrants, [commands[bot.identity] for bot in entrants], header, sandbox)


def first_header(first: Settings, entrants: Sequence[Bot], sandbox: Sandbox) -> Header:
    """Return the header of the trial start that every bot gets, so that a competition
    does not begin with a loss.
    """
    return conditions_of(first, entrants, sandbox).header(
        [("preflight", "")] * first.seats, "preflight", bytes(seeds.SECRET_BYTES)
    )


@contextmanager
def one_interrupt() -> Iterator[None]:
    """Let only one interrupt through: a second, impatient one must not prevent the bots
    from being ended.

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
