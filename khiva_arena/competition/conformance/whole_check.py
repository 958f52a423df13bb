"""A whole check: all steps in order, each independent, so that a failure does not hide
the steps after it.
"""

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import trio

from khiva_arena.arbiter.preflight import BARE
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.competition.conformance import steps_play
from khiva_arena.competition.conformance.check_plan import (
    FRAMES,
    LEVEL,
    START,
    WITHOUT,
    PlannedStep,
    steps,
)
from khiva_arena.competition.conformance.check_report import (
    Bar,
    CheckReport,
    CheckStep,
    Status,
    count_by_status,
    sentence,
)
from khiva_arena.competition.conformance.context import RunningCheck, Silent, Skipped, Warned
from khiva_arena.entrants.bots import is_module
from khiva_arena.entrants.hints.causes import of_settings
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.entrants.hints.hint import hint, language_of
from khiva_arena.entrants.hints.missing_files import PROGRAM
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.words import count

NOTES_LINES, NOTES_CHARACTERS = 8, 1_200
SILENT_MOST = 2
"""Most steps in which a bot may use up all of its time; after that, no more steps that
wait for answers are tried.
"""
Listener = Callable[[CheckStep], None]


HERE = ("children", "processor", "memory")
"""Steps that look at the bot's own processes, as the steps at each level do: a bot on
another machine has none here.
"""
ELSEWHERE = (
    "not tried: it runs on another machine, where its processes can't be seen or confined from here"
)
SILENT = f"{SILENT_MOST} steps have waited for an answer in vain already"


def check(running: RunningCheck, word: str, listener: Listener) -> CheckReport:
    """Make all steps; ``listener`` is called with each when it is done. ``word``: the
    user's word for the bot.

    Raises StagingError if the host cannot start bots at all. An interrupt leaves no
    process behind.
    """
    with running.seats():
        return _check(running, word, listener)


def _check(running: RunningCheck, word: str, listener: Listener) -> CheckReport:
    began = time.monotonic()
    steps_so_far = CheckRun([], listener, Redactor(running.handed))
    steps_so_far.add("settings", "its settings", Status.OK, said=_settings(running))
    try:
        command = stage(running.bot, running.sandbox.level)
        running.staged = replace(command, network=running.network, handed=dict(running.handed))
    except StagingError:
        raise
    except (BotError, ConfigError) as error:  # the latter where this machine has no VM for modules
        if isinstance(error, ConfigError) and not running.bot.module:
            raise
        steps_so_far.fail(
            "build",
            "its build",
            running,
            Failed("its files copied, and its build done", str(error)),
            "",
        )
    else:
        steps_so_far.add("build", "its build", Status.OK, said=_build(running))
    trio.run(_run_steps, running, steps_so_far, restrict_keyboard_interrupt_to_checkpoints=True)
    return CheckReport(
        bot=word,
        name=running.bot.name,
        identity=running.bot.identity,
        language=language_of(running.bot),
        isolation=str(running.sandbox.level),
        quick=running.quick,
        passed=all(step.status is not Status.FAILED for step in steps_so_far.steps),
        counts=count_by_status(steps_so_far.steps),
        steps=steps_so_far.steps,
        decisions=len(running.thought),
        latency_ms={
            name: round(took, 4) for name, took in steps_play.of_latency(running.thought).items()
        },
        histogram=[
            Bar(round(edge, 4), often) for edge, often in steps_play.histogram(running.thought)
        ],
        startup_ms=[round(took * 1000, 1) for took in running.starts],
        memory_bytes=None if running.bot.is_remote else running.peak or None,
        seconds=round(time.monotonic() - began, 2),
        v=1,
        sentence=sentence(running.bot.name, steps_so_far.steps),
        next=[],
    )


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The steps so far.

    steps: the steps that are done.
    listener: called with each step when it is done.
    strike: takes the handed values out of all texts about the bot.
    silent: ids of the steps in which the bot used up all of its time without an answer.
    """

    steps: list[CheckStep]
    listener: Listener
    strike: Redactor
    silent: list[str] = field(default_factory=list)

    def add(self, id: str, title: str, status: Status, *, said: str = "", **more: str) -> None:
        texts = {name: self.strike.text(text) for name, text in more.items()}
        step = CheckStep(len(self.steps) + 1, id, title, status, self.strike.text(said), **texts)
        self.steps.append(step)
        self.listener(step)

    def fail(
        self, id: str, title: str, running: RunningCheck, failure: Failed, otherwise: str
    ) -> None:
        # If a bot says itself why it ended, nothing general is added.
        is_confined = running.sandbox.level.confines
        plain = otherwise == FRAMES
        general = "" if failure.notes and plain else otherwise
        advice = hint(
            running.bot,
            failure,
            general,
            confined=is_confined,
            plain=plain,
            runtimes=running.runtimes,
        )
        known = of_settings(running.bot, failure.got) or PROGRAM.search(failure.notes)
        if id == START and not running.bot.sources and is_confined and failure.notes and not known:
            advice = BARE.removeprefix("; ")
        notes = "\n".join(failure.notes.strip()[-NOTES_CHARACTERS:].splitlines()[-NOTES_LINES:])
        self.add(
            id,
            title,
            Status.FAILED,
            expected=failure.expected,
            got=failure.got,
            stderr=notes,
            hint=advice,
        )

    def went_well(self, id: str) -> bool:
        return any(
            step.id == id and step.status in (Status.OK, Status.WARNING) for step in self.steps
        )


async def _run_steps(running: RunningCheck, run: CheckRun) -> None:
    for plan in steps(running):
        if running.bot.is_remote and (plan.id in HERE or plan.id.startswith(LEVEL)):
            run.add(plan.id, plan.title, Status.SKIPPED, said=ELSEWHERE)
            continue
        if plan.asks and len(run.silent) >= SILENT_MOST:
            run.add(plan.id, plan.title, Status.SKIPPED, said=f"not tried: {SILENT}")
            continue
        if plan.asks and running.quick and (slow := steps_play.too_slow(running)):
            run.add(plan.id, plan.title, Status.SKIPPED, said=f"not tried: {slow}")
            continue
        if plan.needs and not run.went_well(plan.needs):
            root = next(word for word in WITHOUT if not run.went_well(word))
            run.add(plan.id, plan.title, Status.SKIPPED, said=f"not tried: {WITHOUT[root]}")
            continue
        await _run_step(plan, running, run)


async def _run_step(plan: PlannedStep, running: RunningCheck, run: CheckRun) -> None:
    try:
        outcome = await plan.do(running)
    except Failed as failure:
        if isinstance(failure, Silent):
            run.silent.append(plan.id)
        run.fail(plan.id, plan.title, running, failure, plan.hint)
    except Warned as warning:
        run.add(plan.id, plan.title, Status.WARNING, said=str(warning))
    except Skipped as skip:
        run.add(plan.id, plan.title, Status.SKIPPED, said=str(skip))
    except HostFault as host:
        raise StagingError(
            f"{running.bot.name} cannot be started on this machine now: {host}"
        ) from None
    else:
        run.add(plan.id, plan.title, Status.OK, said=outcome)


def _settings(running: RunningCheck) -> str:
    bot = running.bot
    plays = ", ".join(bot.games) or "any game"
    if bot.is_remote:
        return (
            f"a bot on another machine, of which nothing is known here but its name; plays {plays}"
        )
    if not bot.sources:
        return f"a bare command, which sees only the files that its words name; plays {plays}"
    if is_module(bot.asked_as):
        return f"only a WebAssembly module, {bot.module}; plays {plays}"
    return f"bot.toml is read; {bot.name} {bot.version}".rstrip() + f", plays {plays}"


def _build(running: RunningCheck) -> str:
    if running.bot.is_remote:
        return "its relay starts it; nothing is copied or built here"
    files = len(running.bot.sources)
    summary = f"{count(files, 'file')} copied" if files else "nothing to copy"
    built = f"`{shlex.join(running.bot.build)}` done" if running.bot.build else "nothing to build"
    return f"{summary}, {built}" + (
        f", {running.bot.module} compiled" if running.bot.module else ""
    )
