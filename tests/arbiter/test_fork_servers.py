"""Fork servers: one process serves match after match, and is kept only while nothing
has gone wrong.
"""

import os
import signal
from collections.abc import Sequence

import pytest
import trio
from double_jobs import a_job, assert_equal_however_many_at_a_time
from msgspec.structs import replace

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.lifetimes import wait_for_exit
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.limits import Resources

HONEST = ("honest", "honest")
AT_THE_END = ("stays", "mumbles")
"""What goes wrong once the match is over, and so costs no match."""


def forking(*modules: str, cpu: int = 3600) -> Job:
    """A match of modules named by what they do, at a table of a fork server."""
    job = a_job(*modules)
    commands = [
        Command((), "/", module=(*command.module, "forks"), forks=True) for command in job.commands
    ]
    return replace(job, commands=tuple(commands), sandbox=Sandbox(resources=Resources(cpu=cpu)))


def idle(servers: ForkServers) -> list[int]:
    """The processes of the fork servers that wait for a table."""
    return [pid for server in servers._idle if (pid := server.wire.pid(0))]


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def play(
    *jobs: Job, between: Sequence[signal.Signals] = ()
) -> tuple[list[Outcome], list[list[int]]]:
    """Play matches one after another. Return their outcomes, and the idle fork servers
    behind each. Each of those is sent the signals ``between``.
    """
    outcomes, processes = [], []

    async def play_all() -> None:
        async with ForkServers() as servers:
            for job in jobs:
                outcomes.append(await play_live(job, LagMeter(), servers, alone=True))
                processes.append(idle(servers))
                for number in between:
                    for pid in idle(servers):
                        os.kill(pid, number)
                        await wait_for_exit(pid)

    trio.run(play_all)
    assert not any(lives(pid) for pids in processes for pid in pids)
    return outcomes, processes


def test_matches_are_served_by_one_process_and_equal_those_of_runners_of_their_own() -> None:
    words = [HONEST, ("traps:3", "honest"), ("honest", "timeout:2"), HONEST]
    outcomes, processes = play(*(forking(*modules) for modules in words))
    assert processes[0]
    assert processes == [processes[0]] * 4
    alone, _ = play(*(a_job(*modules) for modules in words))
    assert [outcome.record for outcome in outcomes] == [outcome.record for outcome in alone]
    assert None not in [outcome.record for outcome in outcomes]
    assert all(seat.ending.cpu > 0 for outcome in outcomes for seat in outcome.seats)


@pytest.mark.parametrize("module", ["ends:0", "ends:2", "short:1", "other:1", "stays", "mumbles"])
def test_a_fork_server_whose_child_fails_is_killed_and_the_next_match_has_another_one(
    module: str,
) -> None:
    outcomes, processes = play(forking(*HONEST), forking("honest", module), forking(*HONEST))
    assert [outcome.record is None for outcome in outcomes] == [
        False,
        module not in AT_THE_END,
        False,
    ]
    assert (len(processes[0]), processes[1], len(processes[2])) == (1, [], 1)
    assert processes[0] != processes[2]


def test_a_fork_server_that_was_killed_between_two_matches_is_replaced() -> None:
    outcomes, processes = play(forking(*HONEST), forking(*HONEST), between=[signal.SIGKILL])
    assert all(outcome.record for outcome in outcomes)
    assert processes[0] != processes[1]


def test_an_idle_fork_server_ends_by_itself_so_that_the_system_counts_what_it_used() -> None:
    endings: list[Ending] = []

    async def play_and_end() -> None:
        async with ForkServers() as servers:
            await play_live(forking(*HONEST), LagMeter(), servers, alone=True)
            (server,) = servers._idle
            close = server.wire.close

            async def closed(grace: float) -> list[Ending]:
                endings.extend(await close(grace))
                return endings

            server.wire.close = closed  # type: ignore[method-assign]

    trio.run(play_and_end)
    assert [(one.status, one.killed) for one in endings] == [(0, False)]


def test_a_table_for_which_a_fork_server_was_not_made_gets_another_one() -> None:
    jobs = [
        forking(*HONEST),
        forking(*HONEST, "honest"),
        replace(forking(*HONEST), sandbox=Sandbox()),
    ]
    other = replace(
        jobs[0],
        commands=tuple(
            Command((), "/", {}, ("/tmp",), module=one.module, forks=True)
            for one in jobs[0].commands
        ),
    )
    _, processes = play(jobs[0], jobs[1], jobs[0], other, jobs[0], other)
    (first,), (wider,), (again,), (reads_more,), *rest = processes
    assert len({first, wider, again, reads_more}) == 4
    assert rest == [[reads_more]] * 2, "one that may read more than a table asks for does as well"


def test_no_limit_of_cpu_ends_a_fork_server() -> None:
    """Modules pay in ticks, and the runner stops one that uses more of the processor
    than its ticks stand for.
    """
    _, processes = play(forking(*HONEST, cpu=0), forking(*HONEST, cpu=0))
    assert processes[0] == processes[1] != []


def test_matches_at_a_time_have_fork_servers_of_their_own() -> None:
    jobs = [
        replace(forking(*words), ordinal=number)
        for number, words in enumerate([HONEST, ("honest", "timeout:2")] * 3)
    ]
    assert_equal_however_many_at_a_time(jobs)
