"""The steps of a check from the bot's start on, each with the step that it needs."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import NamedTuple

from khiva_arena.common.shipped import folder
from khiva_arena.competition.conformance import steps_ending, steps_incoming, steps_play
from khiva_arena.competition.conformance.context import SPEC, RunningCheck
from khiva_arena.entrants.hints.hint import IN_TIME, language_of
from khiva_arena.entrants.interpreters import pin_of

Do = Callable[[RunningCheck], Awaitable[str]]


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
