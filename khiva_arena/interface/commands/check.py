"""The work of ``khiva-arena check``: a check, in steps, that a bot keeps the protocol,
in words for its author.
"""

import json
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple, assert_never

import click
import msgspec

from khiva_arena.arbiter.start_problem import permissions_of
from khiva_arena.common.manual import where
from khiva_arena.common.text import harmless
from khiva_arena.competition.conformance.check_report import (
    MARKS,
    CheckReport,
    CheckStep,
    Status,
    closing_text,
    not_tried_text,
    step_text,
)
from khiva_arena.competition.conformance.context import RunningCheck
from khiva_arena.competition.conformance.formats import junit, markdown
from khiva_arena.competition.conformance.whole_check import check as check_bot
from khiva_arena.competition.settings.flags import settings_by_flags
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import alarm
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.new_check import new_check
from khiva_arena.interface.commands.choices import CheckForm
from khiva_arena.interface.commands.next_step import SAYS_WHERE, ask_stronger, if_yours

OPPONENT = "shipped:python/random"


class CheckPrint(NamedTuple):
    """The form in which a report is printed, as the flags say.

    form: of ``--format``; None without it.
    as_json: whether ``--json`` was given.
    quiet: whether only steps that are not ok are printed.
    """

    form: CheckForm | None
    as_json: bool
    quiet: bool


def check(
    bot: str, games: tuple[str, ...], quick: bool, wish: CheckPrint, flags: dict[str, Any]
) -> int:
    """Check a bot and print the report. Returns the exit code."""
    form, as_json, quiet = wish
    if as_json and form not in (None, "json"):
        raise ConfigError(f"--json and --format {form}: give one of them")
    form = "json" if as_json else form or "text"
    if quiet and form != "text":
        raise ConfigError("--quiet is for text: programs read the status of each step")
    running = new_check(bot, games, quick, settings_by_flags(flags), say)
    if form == "text" and not quiet:
        click.echo(harmless(f"{bot}, at isolation {running.sandbox.level}"))
    printer = _Printer(quiet)
    report = check_bot(running, bot, printer.show if form == "text" else lambda step: None)
    printer.finish()
    if not quiet:
        _print(report, running, form, flags["rule"])
    return 0 if report.passed else 1


class _Printer:
    """A printer of steps as they are done; steps in a row that are skipped for one
    reason are one line.

    quiet: whether steps that are ok are left out.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._postponed: list[CheckStep] = []

    def show(self, step: CheckStep) -> None:
        if self._quiet and step.status is Status.OK:
            return
        if self._postponed and (
            step.status is not Status.SKIPPED or step.said != self._postponed[0].said
        ):
            self.finish()
        if step.status is Status.SKIPPED:
            self._postponed.append(step)
        else:
            mark = MARKS[Status.FAILED] if step.status is Status.FAILED else ""
            click.echo(step_text(step).replace(mark, alarm(mark), 1) if mark else step_text(step))

    def finish(self) -> None:
        if self._postponed:
            click.echo(not_tried_text(self._postponed))
        self._postponed.clear()


def _print(
    report: CheckReport, running: RunningCheck, form: CheckForm, rules: Sequence[str]
) -> None:
    match form:
        case "json":
            command = _next_step(report, running, rules).command
            found = msgspec.structs.replace(report, next=[harmless(command)] if command else [])
            click.echo(json.dumps(msgspec.to_builtins(found)))
        case "junit":
            click.echo(junit(report))
        case "markdown":
            click.echo(markdown(report, _next_step(report, running, rules).text))
        case "text":
            click.echo(closing_text(report, _next_step(report, running, rules).text))
        case _:
            assert_never(form)


class _NextStep(NamedTuple):
    """The next thing to do.

    text: in words, with the command.
    command: to type next, "" if a step failed.
    """

    text: str
    command: str


def _next_step(report: CheckReport, running: RunningCheck, rules: Sequence[str]) -> _NextStep:
    """Return the next thing to do. ``rules``: as they were given."""
    failures = [step for step in report.steps if step.status is Status.FAILED]
    if failures:
        return _NextStep(
            f"It does not keep the protocol yet: begin with step {failures[0].number}.", ""
        )
    game = running.games[0]
    words = [
        "khiva-arena",
        "match",
        "--game",
        game.word,
        *(part for pair in rules for part in ("--rule", pair)),
        "--bot",
        report.bot,
    ]
    others = game.seats[0] - 1
    in_ticks = shlex.join([*words, *["--bot", report.bot] * others, "--clock", "ticks"])
    if running.bot.run_line and running.bot.is_interpreted:
        return _NextStep(f"It keeps the protocol in ticks. Next: {in_ticks}", in_ticks)
    words += ["--bot", OPPONENT] * others
    words += permissions_of(running.bot.name, running.network, running.handed)
    words += [
        word
        for runtime in running.bot.runtimes
        for word in ("--runtime", f"{runtime.name}={runtime.program}")
    ]
    page = f"\nIn ticks ({where('modules')}): {in_ticks}" if running.bot.module else ""
    ask = ask_stronger(game.name, "games", "1/0", 0)
    loss = (
        f"\nAfter a loss in a run with --out games: {ask} {SAYS_WHERE}{if_yours(report.isolation)}"
    )
    more = f"\nHow to make it better: {where('improve-a-bot')}"
    command = shlex.join(words)
    return _NextStep(f"It keeps the protocol. Next: {command}{page}{loss}{more}", command)
