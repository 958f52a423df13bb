"""Before the first match every bot is started once and shakes hands, so that a competition does not begin with a loss."""

import os
from collections.abc import Sequence
from dataclasses import replace

import trio

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.isolation import Level, Sandbox
from khiva_arena.arbiter.match import Job, Match, SeatReport
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.wire import Command, HostFault
from khiva_arena.errors import BotError
from khiva_arena.replay.record import Header

NOTES_SHOWN = 2_000
BARE = "; a bare command sees only its program and the files that its words name: one of more files needs a folder with bot.toml"


def preflight(names: Sequence[str], commands: Sequence[Command], header: Header, sandbox: Sandbox) -> None:
    """Start all bots, a table at a time, under the limits of ``header``. Raises BotError naming each one that fails, with
    what it wrote on stderr."""
    size = len(header.seats)
    problems: list[str] = []
    for begin in range(0, len(commands), size):
        crowd = list(range(begin, min(begin + size, len(commands))))
        seated = crowd + [0] * (size - len(crowd))
        job = Job(0, 1, header, os.urandom(32), tuple(commands[bot] for bot in seated), sandbox)
        reports = trio.run(_greet, job, restrict_keyboard_interrupt_to_checkpoints=True)
        for bot, report in zip(crowd, reports, strict=False):
            if report.faults:
                bare = not commands[bot].staged and sandbox.level is not Level.TRUSTED
                problems.append(_problem(names[bot], report, BARE if bare else ""))
    if problems:
        raise BotError("\n".join(problems))


async def _greet(job: Job) -> tuple[SeatReport, ...]:
    while True:
        try:
            return (await Match(job, Processes(job.commands, job.sandbox), LagMeter()).greet()).seats
        except HostFault as fault:
            if job.attempt >= 2:
                raise BotError(f"the bots cannot be started on this machine now: {fault}") from None
            job = replace(job, attempt=job.attempt + 1)


def _problem(name: str, report: SeatReport, hint: str) -> str:
    blame = report.faults[0]
    said = report.ending.notes.strip()[-NOTES_SHOWN:]
    shown = "\n  its stderr: " + said.replace("\n", "\n  ") if said else "; it wrote nothing on stderr"
    return f"{name}: {blame.verdict}: {blame.detail}{hint}{shown}"
