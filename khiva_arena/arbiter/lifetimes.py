"""The lives of the bots of one match: how each is started, killed and reaped.
process.py says in which order, and why.

Nothing here waits for longer than it takes the system to end killed processes.
"""

import signal
import subprocess

import trio
from msgspec.structs import replace

from khiva_arena.arbiter.child import CellProcess, Child
from khiva_arena.arbiter.pipes import Ends, Pipes, close, pipes
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.seals import damage_of
from khiva_arena.arbiter.stderr import NOT_STARTED, Quiet, last_line, noise_lines
from khiva_arena.arbiter.wire import Ending, HostFault, Wire
from khiva_arena.bots.sandbox import cell as isolation
from khiva_arena.bots.sandbox import reap
from khiva_arena.bots.sandbox.cell import Cell, kind
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING, Sandbox
from khiva_arena.bots.sandbox.readable_paths import NotExecutable
from khiva_arena.bots.sandbox.reaper import REAPER
from khiva_arena.common.result import Measured
from khiva_arena.errors import InternalError

REAP_SECONDS = 10.0


class Lifetimes:
    """The lives of all bots of a match. From its making to its end this process adopts
    the processes that the bots leave behind.
    """

    def __init__(self, sandbox: Sandbox, pipes: Pipes) -> None:
        self._sandbox = sandbox
        self._pipes = pipes
        self._mark = reap.new_mark()
        self._adoption = reap.Adoption(self._mark)

    def start(self, seat: int, command: Command) -> Child:
        """Start a bot. A bot that cannot be started is a Child with a start_error.
        Raises HostFault if the host cannot start it.
        """
        if command.barred:
            return Child(seat, start_error=f"{NOT_STARTED}{command.barred}")
        try:
            sandbox = TRUSTING if command.ours else self._sandbox
            cell = isolation.cell(
                command, sandbox, reap.mark_of_seat(self._mark, seat), for_a_match=True
            )
        except (FileNotFoundError, NotExecutable) as error:
            return Child(seat, start_error=f"{NOT_STARTED}{error}")
        except OSError as error:
            raise HostFault(
                f"the host cannot start another bot at isolation {self._sandbox.level}: {error}"
            ) from None
        try:
            process, ours = _spawn(cell)
        except BaseException:
            cell.clean()
            raise
        self._adoption.note_start(process.pid)
        cell.note_start(process.pid)
        quiet = Quiet(noise_lines(isolation.java_options(self._sandbox.resources.memory)))
        started = CellProcess(process, process.pid, cell)
        child = Child(
            seat, started, started, "", *ours, quiet=quiet, ours=command.ours, link=command.link
        )
        child.redactor, child.module_memory = Redactor(command.handed), command.module_memory
        return child

    def kill(self, child: Child) -> None:
        """Kill a bot and all of its processes that are left."""
        if started := child.unreaped:
            # A bot that has exited by itself was not killed: its own exit status says
            # how it ended.
            if not child.killed and REAPER.status(started.pid) is None:
                child.killed = True
                child.cpu_seen = started.cell.cpu_lost(started.pid)
            started.cell.kill(started.pid)

    def end(self, child: Child) -> None:
        """Kill the processes left of a bot, reap it, clean up behind it, and close its
        descriptors.
        """
        self.kill(child)
        if child.ending is None:
            child.ending = self._reap(child)
            child.unreaped = None
            if child.started is not None:
                child.started.cell.clean()
        self._pipes.close(child)

    def end_all(self, children: list[Child]) -> None:
        """End all bots and the processes they left behind. Note unending processes with
        the bots that left them.

        Raises HostFault if an unending process hides whose it is.
        """
        for child in children:
            self.kill(
                child
            )  # all of them first, so that none lives on while another one is waited for
        for child in children:
            self.end(child)
        try:
            if kind(self._sandbox.level).lets_go:
                self._adoption.end_strays()
        except reap.Unending as error:
            if not error.seats:
                raise HostFault(str(error)) from None
            for child in children:
                if child.ending is not None and child.seat in error.seats:
                    child.ending = replace(child.ending, unending=str(error))
        finally:
            self._adoption.end()

    def _reap(self, child: Child) -> Ending:
        if child.started is None:
            return Ending(
                None, False, Measured(0.0, page_faults=0), child.start_error, len(child.start_error)
            )
        process, pid, cell = child.started
        if not REAPER.ends(pid, REAP_SECONDS):
            raise InternalError(
                f"process {pid} of seat {child.seat} was killed and did not die in "
                f"{REAP_SECONDS:.0f} s"
            )
        # The last words of a dead bot are still in its pipe.
        self._pipes.drain_stderr(child)
        # Popen must not wait for this number itself: once it is reaped, the system may
        # give it to another process.
        process.returncode, own_usage = REAPER.reap(pid)
        self._adoption.note_reaping(pid)
        usages = [own_usage, *REAPER.reap_group(pid, REAP_SECONDS)]
        # At some levels the system reports nothing of processes that die with their
        # namespace: they were counted before the kill.
        cpu_s = max(child.cpu_seen, sum(usage.ru_utime + usage.ru_stime for usage in usages))
        return Ending(
            status=cell.exit_status(process.returncode),
            killed=child.killed,
            measured=Measured(cpu_s, page_faults=sum(usage.ru_majflt for usage in usages)),
            notes=child.notes.text(),
            notes_total=child.notes.total,
            peak=cell.peak(usages),
            transcript=None if child.transcript is None else child.transcript.end(),
        )


def _spawn(cell: Cell) -> tuple[subprocess.Popen[bytes], Ends]:
    """Start the cell's process. Return it with the arbiter's ends of its pipes. Raises
    HostFault.
    """
    ours, theirs = pipes()
    try:
        process = subprocess.Popen(
            cell.argv,
            stdin=theirs.stdin,
            stdout=theirs.stdout,
            stderr=theirs.stderr,
            cwd=cell.folder,
            env=cell.environment,
            pass_fds=cell.descriptors,
            # The bot leads a group of its own, which can be killed as a whole; Ctrl-C
            # at a terminal is for the arbiter.
            start_new_session=True,
        )
    except BaseException as error:
        close(*ours)
        if isinstance(error, OSError | ValueError | subprocess.SubprocessError):
            raise HostFault(f"the host cannot start another process: {error}") from None
        raise
    finally:
        # With these ends open here, too, the arbiter would never see the end of a dead
        # bot's output.
        close(*theirs)
    return process, ours


async def wait_for_exit(pid: int) -> None:
    """Wait until a child that is not reaped yet has exited."""
    with REAPER.descriptor(pid) as descriptor:
        if descriptor is not None:
            await trio.lowlevel.wait_readable(descriptor)
            return
    while REAPER.status(pid) is None:  # noqa: ASYNC110 - there is no event to wait for
        await trio.sleep(REAPER.look_seconds)


def describe_status(status: int) -> str:
    """Describe an exit status in words; negative is a signal."""
    if status >= 0:
        return f"exited with code {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


async def refuse_fault_of_host(name: str, command: Command, seat: int, wire: Wire) -> None:
    """Raise HostFault if a bot that did not start is not what was staged, or its runner
    failed before the module ran.
    """
    if damage := damage_of(command):
        raise HostFault(f"{name}: {damage}")
    if not command.module:
        return
    # not above: most bots are no modules
    from khiva_arena.bots.modules.runner.line import FAILED_STATUS

    if wire.describe_exit(seat) == describe_status(FAILED_STATUS):
        endings = await wire.close(0.0)
        raise HostFault(f"{name}: {last_line(endings[seat].notes)}")
