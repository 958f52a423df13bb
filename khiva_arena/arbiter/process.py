"""The bots of one match as processes: the ``Wire`` of every real match.

Theory of operation
===================

Starting. For each seat a cell is made (bots/sandbox/cell.py) and the cell's words are
started in a session, and so a process group, of their own, with three pipes. At some
levels the started process wraps the bot: ``pid`` is the arbiter's to kill and reap,
``program`` is the bot's. Each carries a parent-death signal, so a kill -9 of the
arbiter ends all bots. That signal is tied to the thread that started the process, so
bots are started by plain ``subprocess.Popen`` in the main thread. trio would do it in a
worker thread that ends when idle. While any match runs, this process adopts orphans
(bots/sandbox/reap.py): processes that a bot leaves behind become its children and not
those of init.

Moving bytes. No pipe ever blocks. One poller (poller.py) holds all stdouts and stderrs,
and the stdins that did not take all that was sent. On Linux it is itself a descriptor
on which trio waits, so a match costs trio one wait and not one for each pipe. A read of
b"" is an arrival like any other. So are the ends that no pipe reports
(``pending_eof``): a bot never started, closed its input, or was killed for exceeding a
limit.

Watching. Every WATCH_SECONDS all bots are looked at (watch.py). A bot beyond its limits
is killed at once with all of its processes; its seat hears the end of its output, and
asks ``exceeded_limit`` for the reason. A bot that ended keeps its process number until
it is reaped. Its status is read without reaping, so no signal of the arbiter can hit a
stranger who got its number. For systems that lack the means for that, see
bots/sandbox/reaper.py.

Ending. ``stop`` kills a bot that is out, and leaves it unreaped: it costs nothing, and
the others play on. ``describe_end`` reaps, since only a reaped process tells its use,
and so the limit that ended it. ``close`` ends all, on every path, in this order:

1. Bots that rest are woken, since a stopped process cannot exit.
2. The input of each bot ends as soon as the bot has taken all that was sent. Its output
   is read meanwhile, so that none blocks on a full pipe, and stdout is dropped.
3. After the grace every bot left is killed. All are killed before any is waited for: no
   bot outlives its match because another one dies slowly.
4. For each: wait until the started process is dead; read the rest of its stderr; reap
   it; reap the rest of its group, adopted by then; sum up their use; clean its cell;
   close the arbiter's ends of its pipes.
5. At a level that lets processes leave their group, find such processes by their mark,
   kill and reap them until none is left.
6. Stop adopting orphans, unless another match still runs. Close the poller.

A death that takes longer than REAP_SECONDS is an InternalError: the kernel did not do
as it says.
"""

from collections.abc import Callable, Sequence

import trio

from khiva_arena.arbiter import watch
from khiva_arena.arbiter.child import Child
from khiva_arena.arbiter.lifetimes import Lifetimes, describe_status, wait_for_exit
from khiva_arena.arbiter.pipes import Pipes
from khiva_arena.arbiter.watch import Watch
from khiva_arena.arbiter.wire import Arrival, Ending, HostFault, Use
from khiva_arena.bots.sandbox import detect
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Sandbox
from khiva_arena.bots.sandbox.proc_usage import PROCESSES_SEEN
from khiva_arena.bots.sandbox.reaper import REAPER
from khiva_arena.common.result import LINK_LOST

PATIENCE = 0.001
GONE_SECONDS = 0.5
LAUNCH_FAILED = (1, 2, 126, 127)
LINK_LOST_STATUS, HUB_GONE_STATUS = 75, 74
"""Exit codes of ``extensions/seats/link.py``: the player on whose behalf it plays has
gone (EX_TEMPFAIL of sysexits.h), or the hub at which players arrive has (EX_IOERR).
"""


class Processes:
    """A ``Wire`` of real processes, one for each command. A command that cannot be
    started is gone from the beginning.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        sandbox: Sandbox = TRUSTING,
        *,
        alone: bool = False,
        on_stderr: Callable[[int, bytes], None] | None = None,
        transcripts: Sequence[int] = (),
    ) -> None:
        """Start every command.

        alone: nothing else is played in this process, so a short wait may hold it up;
            through trio it would cost several times as much
        on_stderr: gets the bytes that a seat's bot writes on stderr, as they come
        transcripts: by seat, the bytes that the transcript of its bot may have; 0, or
            nothing, for none

        Raises HostFault if the host cannot start them.
        """
        self._level = sandbox.level
        self._patience = PATIENCE if alone else 0.0
        self._calls = 0
        self._children: list[Child] = []
        self._watch = Watch(sandbox.resources)
        self._pipes = pipes = Pipes(on_stderr)
        self.send = pipes.send
        self.end_input = pipes.end_input
        self._lifetimes = Lifetimes(sandbox, self._pipes)
        try:
            for seat, command in enumerate(commands):
                child = self._lifetimes.start(seat, command)
                self._children.append(child)
                self._pipes.add(child)
                if most := transcripts[seat] if transcripts else 0:
                    # not above: most matches keep none
                    from khiva_arena.records.store.transcripts import Packer

                    child.transcript = Packer(most)
        except BaseException:
            self._end_all()
            raise

    # --- bytes ---

    def announce(self, seat: int, step: int, kind: str) -> None:
        child = self._children[seat]
        if child.transcript is not None:
            self._pipes.look_at_stderr(child)
            child.transcript.begin_step(step)
        child.notes.begin_turn(step, kind)

    def round_trip(self, seat: int) -> float | None:
        link = self._children[seat].link
        if not link:
            return None
        from khiva_arena.arbiter import round_trip  # not above: most seats have none

        return round_trip.get(link)

    def look(self) -> Sequence[Arrival]:
        return self._pipes.poll(0.0)

    async def receive(
        self, deadline: float, is_told: Callable[[], bool] = lambda: False
    ) -> Sequence[Arrival]:
        """Wait for bytes. ``is_told``: asked after each look; True ends the wait, as
        what came on stderr may.
        """
        poll = self._pipes.poll
        self._calls += 1
        if self._calls % 64 == 0:
            self._look_at_all(trio.current_time())
            # a table whose bots are always faster than this process must not starve
            # others
            await trio.lowlevel.checkpoint()
        while True:
            # One poll both looks and waits a little, unless the deadline is near: it is
            # polled for without waiting.
            arrivals = poll(
                self._patience if deadline - trio.current_time() > 2 * self._patience else 0.0
            )
            now = trio.current_time()
            if arrivals or now >= deadline or is_told():
                return arrivals
            if now >= self._watch.next_at and self._look_at_all(now):
                continue
            wake = min(deadline, self._watch.next_at, self._pipes.resumes_at)
            with trio.move_on_at(wake):
                await self._pipes.poller.wait()

    # --- views of a bot ---

    def _look_at_all(self, now: float) -> bool:
        """Look at the use of all bots if it is time to. Kill bots that use too much;
        return True if there is one.
        """
        if now < self._watch.next_at:
            return False
        offenders = self._watch.offenders(self._children)
        for child in offenders:
            self.stop(child.seat)
            self._pipes.end_output(child, now)
        return bool(offenders)

    def pid(self, seat: int) -> int | None:
        """Return the process that was started for a seat, None if none could be. At
        some levels it is not the bot's own.
        """
        started = self._children[seat].started
        return started and started.pid

    def program(self, seat: int) -> int | None:
        """Return the process that is or will be the bot's own program, inside its
        wrapping. None if there is none.
        """
        started = self._children[seat].started
        return started and started.cell.program(started.pid)

    def running(self, seat: int) -> int | None:
        """Return the process that runs the bot's own program; None while a process
        still puts the bot into its cell, or if there is none.
        """
        started, program = self._children[seat].started, self.program(seat)
        return (
            None if started is None or program is None or started.cell.starts(program) else program
        )

    def processes(self, seat: int) -> list[int]:
        """Return the bot's own living processes, without the processes that wrap the
        bot.
        """
        started = self._children[seat].unreaped
        return started.cell.own_processes(started.pid, PROCESSES_SEEN) if started else []

    def exceeded_limit(self, seat: int) -> str:
        return self._watch.exceeded_limit(self._children[seat])

    def doing(self, seat: int) -> str:
        child = self._children[seat]
        # a process that stands for a player does nothing that is worth a word
        return "" if child.ours else watch.doing(child)

    def uses(self) -> list[Use]:
        return watch.uses(self._children)

    def trees(self, seats: Sequence[int]) -> dict[int, frozenset[int]]:
        return {
            seat: frozenset(pids)
            for seat, pids in watch.trees(self._children[seat] for seat in seats).items()
        }

    # --- pausing ---

    def rest(self, seat: int) -> None:
        child = self._children[seat]
        if not child.resting and (started := child.unreaped):
            started.cell.pause(started.pid, True)
            child.resting = True

    def wake(self, seat: int) -> None:
        child = self._children[seat]
        if child.resting and child.started:
            child.started.cell.pause(child.started.pid, False)
            child.resting = False

    # --- ending ---

    def describe_exit(self, seat: int) -> str:
        child = self._children[seat]
        if child.started is None:
            return ""
        status = child.ending.status if child.ending else self._status(child)
        if status is None:
            return ""
        return LINK_LOST if child.ours and status == LINK_LOST_STATUS else describe_status(status)

    async def describe_end(self, seat: int) -> str:
        child = self._children[seat]
        if child.started is None:
            return child.start_error
        pid = child.started.pid
        if REAPER.status(pid) is None and not child.killed:
            # An exiting process closes its output a moment before it can be waited for.
            with trio.move_on_after(GONE_SECONDS):
                await wait_for_exit(pid)
        if self._status(child) is not None and not child.killed:
            self._lifetimes.end(child)  # only a reaped process tells its peak
            self._check_host(child)
        return self.describe_exit(seat) or (
            "closed its input" if child.input_lost else "closed its output and lives on"
        )

    def _status(self, child: Child) -> int | None:
        """Return how the bot's own process ended, None while it runs."""
        assert child.started is not None
        status = REAPER.status(child.started.pid)
        return None if status is None else child.started.cell.exit_status(status)

    def _check_host(self, child: Child) -> None:
        """Raise HostFault if the host did not let a bot start, or not play on."""
        if child.ours and child.ending is not None and child.ending.status == HUB_GONE_STATUS:
            raise HostFault("the process that receives players has ended or failed")
        if child.ending is not None and child.ending.status in LAUNCH_FAILED and not child.ours:
            why = detect.host_refusal(self._level, child.ending.notes)
            if why:
                raise HostFault(f"isolation {self._level} no longer works: {why}")

    def stop(self, seat: int) -> None:
        child = self._children[seat]
        self._lifetimes.kill(child)
        self._pipes.cut(child)

    async def close(self, grace: float) -> list[Ending]:
        try:
            alive = [child for child in self._children if child.unreaped]
            for child in alive:
                self.wake(child.seat)
            with trio.move_on_after(grace):
                while [child for child in alive if not self.end_input(child.seat)]:
                    self._pipes.poll(0.0)
                    await trio.sleep(0.001)
                for child in alive:
                    await self._exit(child)
        finally:
            self._end_all()
        return [child.ending for child in self._children if child.ending is not None]

    async def _exit(self, child: Child) -> None:
        """Wait until a bot has exited. Meanwhile read the output of all bots; their
        stdout is dropped.
        """
        assert child.started is not None
        pid = child.started.pid
        with REAPER.descriptor(pid) as descriptor, self._pipes.woken_by(descriptor):
            while REAPER.status(pid) is None:
                if not self._pipes.poll(0.0):
                    with trio.move_on_at(
                        min(self._pipes.resumes_at, trio.current_time() + REAPER.look_seconds)
                    ):
                        await self._pipes.poller.wait()

    def _end_all(self) -> None:
        try:
            self._lifetimes.end_all(self._children)
        finally:
            self._pipes.poller.close()  # a second close does nothing
