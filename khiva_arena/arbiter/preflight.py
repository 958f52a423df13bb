"""The trial start of every bot, with a handshake, so that a competition does not begin
with a loss.
"""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from khiva_arena.arbiter.clock import LagMeter, wait_at_work
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import table_of, too_little
from khiva_arena.arbiter.match import Job, LiveMatch, SeatReport
from khiva_arena.arbiter.match_queue import HOST_WAITS
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr_tap import BotOutput, OutputKeeper
from khiva_arena.arbiter.wire import Ending, HostFault
from khiva_arena.bots.sandbox import stops
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.errors import BotError, StagingError
from khiva_arena.records.replay.record import Header

if TYPE_CHECKING:
    from khiva_arena.arbiter.start_problem import FailedStart
    from khiva_arena.arbiter.trace import Trace  # most starts are not traced

BARE = (
    "; a bare command sees only its program and the files that it names: a bot of more files "
    "needs a folder with bot.toml"
)


class PreflightFailed(BotError):
    """Bots that did not start, with one problem each.

    failures: an entry for each such bot, for a table that was traced
    positions: the positions of these bots among those given
    """

    def __init__(
        self, problems: Sequence[str], failures: Sequence["FailedStart"], positions: Sequence[int]
    ) -> None:
        self.failures = tuple(failures)
        self.positions = tuple(positions)
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))


def preflight(
    names: Sequence[str],
    commands: Sequence[Command],
    header: Header,
    sandbox: Sandbox,
    *,
    words: Sequence[str] = (),
    trace: "Trace | None" = None,
) -> None:
    """Start all bots, a table at a time, under the limits of ``header``.

    words: the user's word for each bot
    trace: of a single table

    Raises PreflightFailed naming each bot that fails, with its output, its end and the
    next command to try; StagingError if this machine is to blame, or may be.
    """
    problems: list[str] = []
    failures: list[FailedStart] = []
    positions: list[int] = []
    for bot, (report, output) in enumerate(_greetings(commands, header, sandbox, trace)):
        if report.faults:
            bare = not commands[bot].staged and sandbox.level.confines
            text = output.text(Redactor(commands[bot].handed))
            shown = (
                replace(report, ending=_told_by_its_fault(report.ending))
                if header.in_ticks
                else report
            )
            from khiva_arena.arbiter import start_problem  # not above: most bots start

            given = start_problem.permissions_of(
                names[bot], commands[bot].network, commands[bot].handed
            )
            asked = [words[bot], *given] if words else []
            problems.append(
                start_problem.problem_of(
                    names[bot], shown, output.total, text, BARE if bare else "", asked
                )
            )
            failures.append(
                start_problem.FailedStart(bot % len(header.seats), report, bytes(output.head))
            )
            positions.append(bot)
    if problems:
        from khiva_arena.arbiter.memory_limits import why_unsure  # not above: most bots start

        if doubt := why_unsure(sandbox.resources.memory):
            raise StagingError("\n".join(f"{problem}\n  {doubt}" for problem in problems))
        raise PreflightFailed(problems, failures, positions)


def greetings(commands: Sequence[Command], header: Header, sandbox: Sandbox) -> list[SeatReport]:
    """Start bots, a table at a time, and return the facts about each, such as the
    currency that it names. Raises StagingError.
    """
    return [report for report, _ in _greetings(commands, header, sandbox, None)]


def _greetings(
    commands: Sequence[Command], header: Header, sandbox: Sandbox, trace: "Trace | None"
) -> Iterator[tuple[SeatReport, BotOutput]]:
    size = len(header.seats)
    for begin in range(0, len(commands), size):
        bots = list(range(begin, min(begin + size, len(commands))))
        table = bots + [0] * (size - len(bots))
        job = Job(0, 1, header, os.urandom(32), tuple(commands[bot] for bot in table), sandbox)
        if lack := too_little(job):
            raise StagingError(lack)
        yield from trio.run(_greet, job, trace, restrict_keyboard_interrupt_to_checkpoints=True)[
            : len(bots)
        ]


async def _greet(job: Job, trace: "Trace | None") -> list[tuple[SeatReport, BotOutput]]:
    while True:
        try:
            if job.in_ticks:
                return await _greet_modules(job, trace)
            wire = Processes(
                job.commands, job.sandbox, on_stderr=trace.on_stderr if trace else None
            )
            keeper = OutputKeeper(wire, len(job.commands), trace.keep_output if trace else None)
            outcome = await LiveMatch(
                job, trace.around(keeper) if trace else keeper, LagMeter()
            ).greet()
            if any(seat.faults and stops.by_signal(seat.ending.status) for seat in outcome.seats):
                # if a stop ended a bot, it reaches this process in that time
                await wait_at_work(stops.SETTLES_SECONDS)
            return list(zip(outcome.seats, keeper.outputs, strict=True))
        except HostFault as fault:
            if job.attempt >= 2:
                raise StagingError(
                    f"the bots cannot be started on this machine now: {fault}"
                ) from None
            await trio.sleep(HOST_WAITS[0])
            job = replace(job, attempt=job.attempt + 1)


async def _greet_modules(job: Job, trace: "Trace | None") -> list[tuple[SeatReport, BotOutput]]:
    # not above: most matches are by the wall clock
    from khiva_arena.arbiter.module_tables import KeepingTable

    async with ForkServers() as servers:
        table = KeepingTable(
            await table_of(job, servers, alone=True, trace=trace), len(job.commands)
        )
        outcome = await LiveMatch(job, table, LagMeter()).greet()
    return list(zip(outcome.seats, table.outputs, strict=True))


def _told_by_its_fault(ending: Ending) -> Ending:
    """Return the end of a module in ticks without how its process ended: that is its
    runner, which went on for the others.
    """
    return replace(ending, status=None, killed=False)
