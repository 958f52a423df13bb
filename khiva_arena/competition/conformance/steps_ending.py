"""Steps about the end: last output of a bot, its exit, and processes that it leaves
behind.
"""

from dataclasses import replace

import trio

from khiva_arena.arbiter.match import EXIT_GRACE
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.sandbox import readable_paths, system
from khiva_arena.bots.sandbox.detect import levels
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.competition.conformance.bot_process import MOMENT, words_of
from khiva_arena.competition.conformance.context import RunningCheck, Skipped, Warned
from khiva_arena.competition.conformance.positions import hello_of
from khiva_arena.competition.conformance.talk import EXIT_SECONDS, Finish, Talk, talking
from khiva_arena.entrants.hints.failed import Failed

TURNS = 6
LEFT_SECONDS = 0.5
SETTLED_SECONDS = 0.1
"""Seconds to wait: after its parent's exit a process is in no list of children for an
instant.
"""
AFTER_END = 0.05
UNGREETED_SECONDS = 0.3
# The program that keeps the bot's sandbox once the bot has exited, in the process that
# started it.
KEEPER = ("sleep", "27.0625")


async def stdout(running: RunningCheck) -> str:
    """Check that the bot's output is whole frames to the end, and only the answers that
    were asked for.
    """
    async with talking(running) as talk:
        await _some_turns(talk, TURNS)
        end = await talk.finish()
        if end.rest:
            raise Failed(
                "only whole frames on stdout to its end, and nothing after the last answer",
                end.rest,
            )
    return f"{len(talk.sent) - 2} answers and nothing else, to the end of its output"


async def exits(running: RunningCheck) -> str:
    """Check that the bot exits after ``end`` and the end of its input."""
    async with talking(running) as talk:
        await _some_turns(talk, 2)
        end = await talk.finish()
        if not end.exited:
            raise Failed(
                f"exit within {EXIT_SECONDS:.0f} s after `end` and the end of its input",
                _end_words(end),
            )
    if not end.exited.endswith("code 0"):
        raise Warned(
            f"it {end.exited} after `end`, which is no fault in a match, but only code 0 "
            "says that all went well"
        )
    if end.seconds > EXIT_GRACE:
        raise Warned(
            f"after {end.seconds:.1f} s; a match waits {EXIT_GRACE} s, and then kills what is left"
        )
    return f"with code 0 after {end.seconds * 1000:.0f} ms"


async def no_common_protocol(running: RunningCheck) -> str:
    """Check that the bot does not greet a hello that offers only a protocol which no
    bot of today speaks.
    """
    async with talking(running) as talk:
        talk.send(codec.encode(hello_of(talk.where, running.limits) | {"protos": [2]}))
        await talk.inbox.listen(trio.current_time() + 2 * max(running.starts) + UNGREETED_SECONDS)
        end = await talk.finish(say_end=False)
        if end.rest:
            raise Failed(
                "nothing on stdout if `protos` is [2], which it does not speak, and its exit",
                end.rest,
            )
    if not end.exited:
        raise Warned(
            f"it does not greet, which is right, but {_end_words(end)}, with its input at its end"
        )
    return f"protos [2]: no hello, and it {end.exited}"


async def exits_idle(running: RunningCheck) -> str:
    """Check that the bot exits at the end of its input in the middle of a match."""
    async with talking(running) as talk:
        await _some_turns(talk, 2)
        return await _exits_without_end(talk, b"", "between two messages")


async def exits_in_frame(running: RunningCheck) -> str:
    """Check that the bot exits at the end of its input inside of a frame."""
    for tail, place in (
        (b"\0\0", "inside of a length"),
        (b"\0\0\0\x40\x83\xa4type", "inside of a payload"),
    ):
        async with talking(running) as talk:
            await _some_turns(talk, 1)
            text = await _exits_without_end(talk, tail, place)
    return text


async def _exits_without_end(talk: Talk, tail: bytes, place: str) -> str:
    end = await talk.finish(say_end=False, tail=tail)
    if not end.exited:
        raise Failed(
            f"exit within {EXIT_SECONDS:.0f} s when its input ends {place}", _end_words(end)
        )
    if "code" not in end.exited:
        raise Warned(f"it {end.exited} when its input ended {place}, which is no fault in a match")
    return f"{end.exited} after {end.seconds * 1000:.0f} ms"


async def _some_turns(talk: Talk, turns: int) -> None:
    await talk.greet()
    for _ in range(turns):
        await talk.turn()
    if turns > 1:
        await trio.sleep(AFTER_END)


def _end_words(end: Finish) -> str:
    if end.exited:
        return f"it {end.exited}"
    return f"after {EXIT_SECONDS:.0f} s it still runs" + (
        "" if not end.closed else ", though its output has ended"
    )


async def children(running: RunningCheck) -> str:
    """Check that none of the bot's processes is left once it has exited.

    The sandbox, whose end would end them, is kept for a while.
    """
    if not system.PROC:
        raise Skipped(system.UNSEEN)
    program = readable_paths.program_path(running.command.argv[0], running.command.folder)
    if program is None:
        raise Skipped("its program is not found")
    keeper = (
        "/bin/sh",
        "-c",
        f'"$@"; exec {" ".join(KEEPER)}',
        "sh",
        program,
        *running.command.argv[1:],
    )
    environment = {**running.command.environment, "PATH": readable_paths.search_path(program)}
    command = replace(
        running.command,
        argv=keeper,
        environment=environment,
        readable=readable_paths.all_of(program, running.command.readable),
    )
    async with talking(running, command=command) as talk:
        await _some_turns(talk, 2)
        keeps = talk.wire.program()
        await talk.wire.end_input(trio.current_time() + EXIT_SECONDS)
        leftovers = await _leftovers(talk, keeps)
        if leftovers:
            got = f"{len(leftovers)} left behind: {leftovers[0]}"
            raise Failed("no process of its own that still runs once it has exited", got)
    return ""


async def _leftovers(talk: Talk, keeps: int | None) -> list[str]:
    """Return the command lines of processes that still run a moment after the bot's
    exit, [] for none.

    keeps: the process that becomes KEEPER then
    """
    exit_time = None
    until = trio.current_time() + EXIT_SECONDS
    while True:
        await talk.wire.receive(trio.current_time() + MOMENT)
        processes = [
            words for pid in talk.wire.processes() if pid != keeps and (words := words_of(pid))
        ]
        now = trio.current_time()
        if exit_time is None and keeps is not None and words_of(keeps) == " ".join(KEEPER):
            exit_time = now
        if exit_time is not None and now > exit_time + (
            LEFT_SECONDS if processes else SETTLED_SECONDS
        ):
            return processes
        if exit_time is None and now > until:
            raise Skipped("it does not exit, so its processes cannot be counted")


async def survives(running: RunningCheck, level: Level) -> str:
    """Check a start and some turns at one isolation level."""
    why = levels()[level]
    if why:
        raise Skipped(f"isolation {level} does not work on this machine: {why}")
    if not level.confines and not running.trust:
        raise Skipped("there it would run with all of your rights; --trust-bots tries it")
    sandbox = Sandbox(level, running.sandbox.resources, running.sandbox.ponder)
    try:
        async with talking(running, sandbox=sandbox) as talk:
            await _some_turns(talk, TURNS)
    except HostFault as host:
        raise Skipped(
            "the host cannot start it there, through no fault of the bot: "
            f"{str(host).partition(': ')[2] or host}"
        ) from None
    return f"starts, and answers {TURNS} requests"
