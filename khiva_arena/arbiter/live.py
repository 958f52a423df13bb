"""A job, which is one match, played with real processes."""

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.job import Failure
from khiva_arena.arbiter.match import Job, LiveMatch, Outcome
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.wire import HostFault, Wire
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.stops import SETTLES_SECONDS

if TYPE_CHECKING:
    from khiva_arena.arbiter.tick_batches import ModuleTable
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced


async def play_live(
    job: Job, lag: LagMeter, servers: ForkServers, *, alone: bool, trace: "Trace | None" = None
) -> Outcome:
    """Start the job's bots and play the match. If the host cannot start them, the match
    is void, and no bot is to blame.

    A bot that leaves processes behind which do not end is out from the start: the match
    is played again without it.
    """
    outcome = await _play_once(job, lag, servers, alone=alone, trace=trace)
    reasons = {
        number: report.ending.unending
        for number, report in enumerate(outcome.seats)
        if report.ending.unending
    }
    if not reasons:
        return outcome
    commands = [
        replace(command, barred=reasons.get(number, ""))
        for number, command in enumerate(job.commands)
    ]
    return await _play_once(
        structs.replace(job, commands=tuple(commands)), lag, servers, alone=alone, trace=trace
    )


async def _play_once(
    job: Job, lag: LagMeter, servers: ForkServers, *, alone: bool, trace: "Trace | None"
) -> Outcome:
    if why := too_little(job):
        return void(job, why, begun=False)
    try:
        if job.in_ticks:
            return await live_match(
                job, await table_of(job, servers, alone=alone, trace=trace), lag
            ).play()
        on_stderr = trace.on_stderr if trace else None
        kept = job.transcripts
        wire = Processes(
            job.commands, job.sandbox, alone=alone, on_stderr=on_stderr, transcripts=kept
        )
    except HostFault as fault:
        return void(job, str(fault), begun=False)
    return await live_match(job, trace.around(wire) if trace else wire, lag).play()


def live_match(job: Job, wire: "Wire | ModuleTable", lag: LagMeter) -> LiveMatch:
    """Return the match of a job, ready to be played. ``wire``: its bots, or its
    modules.
    """
    if job.past is None:
        return LiveMatch(job, wire, lag)
    # not above: most matches are played from their start
    from khiva_arena.arbiter.continued import ContinuedMatch

    return ContinuedMatch(job, job.past, wire, lag)


def too_little(job: Job) -> str:
    """Return in a line by how much too little address space or memory a process may
    have for a job's modules, "" if enough.
    """
    commands = [command for command in job.commands if not (job.in_ticks and command.ours)]
    if not any(command.module for command in commands):
        return ""
    from khiva_arena.arbiter import memory_limits  # not above: most matches have no module

    together, memory = (
        job.in_ticks and job.sandbox.level is not Level.STRICT,
        job.sandbox.resources.memory,
    )
    return memory_limits.why_too_little(commands, memory, in_ticks=job.in_ticks, together=together)


async def table_of(
    job: Job, servers: ForkServers, *, alone: bool, trace: "Trace | None" = None
) -> "ModuleTable":
    """Start the runners of a job in ticks. Raises HostFault if the host cannot start
    them.
    """
    on_stderr = trace.on_stderr if trace else None
    table: ModuleTable
    if job.header.persons:
        from khiva_arena.arbiter import persons_here  # not above: few matches in ticks have persons

        table = await persons_here.start(job, servers, alone=alone, on_stderr=on_stderr)
    else:
        from khiva_arena.arbiter import runners  # not above: most matches are by the wall clock

        table = await runners.start(job, servers, alone=alone, on_stderr=on_stderr)
    if trace is None:
        return table
    from khiva_arena.arbiter.module_tables import TracingTable  # not above: few matches are traced

    return TracingTable(table, trace)


def void(
    job: Job, why: str, *, host: bool = True, begun: bool = True, failure: Failure | None = None
) -> Outcome:
    """Return the outcome of a match that was void before a bot was asked anything, or
    because its worker died.

    A stop may have caused that, too.

    host: True if the machine caused the void
    begun: True if a bot was asked for a choice, so that the void may be its doing
    failure: the error of the arena itself, if that is why
    """
    return Outcome(
        job.ordinal,
        job.attempt,
        None,
        why,
        (),
        0,
        0.0,
        SETTLES_SECONDS,
        host=host,
        begun=begun,
        failure=failure,
    )
