"""A whole check: all steps in order, each independent, so that a failure does not hide
the steps after it.
"""

import shlex
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import trio

from khiva_arena.arbiter.preflight import BARE
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.common.shipped import folder
from khiva_arena.competition.conformance import steps_ending, steps_incoming, steps_play
from khiva_arena.competition.conformance.check_report import (
    Bar,
    CheckReport,
    CheckStep,
    Status,
    count_by_status,
    sentence,
)
from khiva_arena.competition.conformance.context import SPEC, RunningCheck, Silent, Skipped, Warned
from khiva_arena.entrants.bots import is_module
from khiva_arena.entrants.hints.causes import of_settings
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.entrants.hints.hint import IN_TIME, hint, language_of
from khiva_arena.entrants.hints.missing_files import PROGRAM
from khiva_arena.entrants.interpreters import pin_of
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.words import count

NOTES_LINES, NOTES_CHARACTERS = 8, 1_200
SILENT_MOST = 2
"""Most steps in which a bot may use up all of its time; after that, no more steps that
wait for answers are tried.
"""
Do = Callable[[RunningCheck], Awaitable[str]]
Listener = Callable[[CheckStep], None]


class PlannedStep(NamedTuple):
    """A step to come.

    id: a stable word.
    title: shown for the step.
    do: tries it.
    needs: the id of an earlier one without which it makes no sense.
    hint: for a failure that shows no known trap.
    asks: True if it asks the bot anything, and so may wait for long.
    """

    id: str
    title: str
    do: Do
    needs: str = ""
    hint: str = ""
    asks: bool = True


START, ANSWERS, EXITS = "start", "answers", "exit"
WITHOUT = {
    "build": "it is not built",
    START: "it does not start",
    ANSWERS: "it does not answer plain requests",
    EXITS: "its exit at the end of a match has failed already",
}
"""Reasons why a step that needs an earlier one is not tried, in the order of the
steps.
"""
LEVEL = "level:"
HERE = ("children", "processor", "memory")
"""Steps that look at the bot's own processes, as the steps at each level do: a bot on
another machine has none here.
"""
ELSEWHERE = (
    "not tried: it runs on another machine, where its processes can't be seen or confined from here"
)
SILENT = f"{SILENT_MOST} steps have waited for an answer in vain already"
ONE_AT_A_TIME = (
    "a read may give less than you ask for: read on until the length's 4 bytes, then all of "
    "the payload, are there"
)
LEFT_OVER = (
    "a read may give more than one frame: keep what is behind the first one for the next, and "
    "answer all of them"
)
FRAMES = (
    f"sections 2 to 4 of {SPEC} say what a frame, a hello and an act are; the kits in "
    f"{folder('bots')} write them for you"
)
TAKE_KNOWN = "use the fields and event types that you know, and ignore all others"
EVENTS = (
    f"any game's events may hold a default or a forfeit ({SPEC}, section 7): skip the types "
    "that you do not use"
)
DO_NOTHING = (
    "for a message whose type you do not know, or that is a fault or end, do nothing, and read on"
)
AS_IT_IS = (
    "send back the decide's req unchanged: a whole number of up to 53 bits, more than a 32-bit "
    "integer or float holds"
)
COMMON = "greet only if protos contains 1; else say so on stderr and exit"
ALL_FORMS = f"a decoder has to take every form in section 3 of {SPEC}; a MessagePack library does"
WHOLE = (
    "a frame may have up to 1,048,576 bytes: read until all of it is there, and make room for that"
)
GAMES = 'a bot that plays some games only says so in its bot.toml: games = ["khiva"]'
EXIT = (
    "when a read gives the end of input, leave the loop and exit with code 0, without waiting "
    "for threads or children"
)
QUIET = (
    "write nothing but hello and act on stdout, not when the match ends either; what a library "
    "prints belongs on stderr"
)
CHILD = "end and wait for the processes that you started when your input ends"


def steps(running: RunningCheck) -> Iterator[PlannedStep]:
    """Yield all steps from the bot's start on."""
    yield PlannedStep(
        START, "it starts and says hello in time", steps_incoming.start, "build", FRAMES
    )
    yield PlannedStep(ANSWERS, "it answers plain requests", steps_incoming.answers, START, FRAMES)
    yield PlannedStep(
        "later-hello",
        "the hello of a later arbiter",
        steps_incoming.later_hello,
        ANSWERS,
        TAKE_KNOWN,
    )
    yield PlannedStep(
        "no-common-protocol",
        "no hello without a common protocol",
        steps_ending.no_common_protocol,
        START,
        COMMON,
    )
    yield PlannedStep(
        "fragments", "messages in pieces", steps_incoming.fragmented, ANSWERS, ONE_AT_A_TIME
    )
    yield PlannedStep(
        "coalesced", "several messages at once", steps_incoming.coalesced, ANSWERS, LEFT_OVER
    )
    yield PlannedStep(
        "encodings", "longer encodings than needed", steps_incoming.encodings, ANSWERS, ALL_FORMS
    )
    yield PlannedStep(
        "unknown-fields",
        "unknown fields are ignored",
        steps_incoming.unknown_fields,
        ANSWERS,
        TAKE_KNOWN,
    )
    yield PlannedStep(
        "unknown-messages",
        "unknown messages are ignored",
        steps_incoming.unknown_messages,
        ANSWERS,
        DO_NOTHING,
    )
    yield PlannedStep("fault", "a message about a fault", steps_incoming.fault, ANSWERS, DO_NOTHING)
    yield PlannedStep(
        "events", "events of a fault and of a forfeit", steps_incoming.events, ANSWERS, EVENTS
    )
    yield PlannedStep(
        "req", "the number of the request is sent back", steps_incoming.reqs, ANSWERS, AS_IT_IS
    )
    yield PlannedStep("large", "large messages", steps_incoming.large, ANSWERS, WHOLE)
    if not running.quick:
        yield PlannedStep(
            "vectors", "the golden frames", steps_incoming.vectors, ANSWERS, TAKE_KNOWN
        )
    some_games = "" if running.bot.games else GAMES
    for game in running.games:
        yield PlannedStep(
            f"game:{game.name}",
            f"decisions of {game.title}",
            partial(steps_play.one_game, game=game),
            ANSWERS,
            some_games,
        )
    yield PlannedStep("repeat", "equal requests, equal choices", steps_play.repeat, ANSWERS)
    yield PlannedStep("stdout", "nothing but frames on stdout", steps_ending.stdout, ANSWERS, QUIET)
    yield PlannedStep(EXITS, "it exits when the match is over", steps_ending.exits, ANSWERS, EXIT)
    yield PlannedStep(
        "exit-idle",
        "it exits when its input ends in the middle",
        steps_ending.exits_idle,
        EXITS,
        EXIT,
    )
    yield PlannedStep(
        "exit-frame",
        "it exits when its input ends inside of a message",
        steps_ending.exits_in_frame,
        EXITS,
        EXIT,
    )
    yield PlannedStep("children", "no processes left behind", steps_ending.children, EXITS, CHILD)
    for level in running.levels:
        yield PlannedStep(
            f"{LEVEL}{level}",
            f"isolation {level}",
            partial(steps_ending.survives, level=level),
            ANSWERS,
        )
    yield PlannedStep("keys", "no key twice in a message", steps_play.keys, START, asks=False)
    yield PlannedStep(
        "time", "time for its decisions", steps_play.latency, ANSWERS, IN_TIME, asks=False
    )
    yield PlannedStep("processor", "use of the processor", steps_play.cores, ANSWERS)
    yield PlannedStep("memory", "memory", steps_play.memory, START, asks=False)
    if language_of(running.bot) == "python" and any(
        name.endswith(".py") for name, _ in running.bot.sources
    ):
        # not above: it is for bots in Python
        from khiva_arena.competition.conformance.steps_imports import declared

        yield PlannedStep("imports", "imports of its files", declared, asks=False)
    if running.bot.module or (running.bot.interpreted and pin_of(running.bot.interpreted.word)):
        # not above: few bots are modules
        from khiva_arena.competition.conformance.steps_ticks import of_a_match

        yield PlannedStep("ticks", "ticks of a match of its copies", of_a_match, ANSWERS)


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
