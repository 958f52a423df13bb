"""The bots of one match as processes: raw non-blocking pipes, one epoll for all of them, killed and reaped on every path.

Bots are spawned by plain ``subprocess.Popen`` in the main thread. Spawning through trio would run it in a worker thread that
ends when idle, and the parent-death signal that each bot carries is tied to the thread.
"""

import fcntl
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from resource import RUSAGE_SELF, getrusage, struct_rusage

import trio

from khiva_arena.arbiter import excess, isolation, noise, probe, reap, silence, stops, usage
from khiva_arena.arbiter.isolation import TRUSTING, WRAPPED, Cell, Level, Sandbox
from khiva_arena.arbiter.noise import Quiet
from khiva_arena.arbiter.notes import Notes, unmarked
from khiva_arena.arbiter.readable import NotExecutable
from khiva_arena.arbiter.wire import Arrival, Command, Ending, HostFault
from khiva_arena.errors import InternalError

CHUNK = 65_536
PATIENCE = 0.001
NOTES_PER_WINDOW = 65_536
NOTES_WINDOW = 0.02
REAP_SECONDS = 10.0
GONE_SECONDS = 0.5
LAUNCH_FAILED = (1, 2, 126, 127)
PROCESSES_SEEN = 128
WATCH_SECONDS = 0.1
COSTS_BETWEEN_WATCHES = 10
WATCHES_A_LOOK_AT_SCRATCH = 10
_NOTHING: tuple[Arrival, ...] = ()


@dataclass(slots=True, eq=False)
class _Bot:
    """One bot's process and our ends of its pipes; a descriptor is -1 once closed."""

    seat: int
    process: subprocess.Popen[bytes] | None
    cell: Cell | None = None
    stdin: int = -1
    stdout: int = -1
    stderr: int = -1
    backlog: bytearray = field(default_factory=bytearray)
    notes: Notes = field(default_factory=Notes)
    quiet: Quiet = field(default_factory=lambda: Quiet(()))
    notes_allowed: int = NOTES_PER_WINDOW
    trouble: str = ""
    excess: str = ""
    killed: bool = False
    resting: bool = False
    ending: Ending | None = None
    cpu_seen: float = 0.0


class Processes:
    """A ``Wire`` of real processes, one for each command. A command that cannot be started is gone from the beginning.

    ``alone``: nothing else is played in this process, so a short wait may hold it up instead of going through trio, which
    costs several times as much as the wait itself. ``heard`` gets what a seat's bot writes on stderr, as it comes.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        sandbox: Sandbox = TRUSTING,
        *,
        alone: bool = False,
        heard: Callable[[int, bytes], None] | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._heard = heard
        self._mark = reap.new_mark()
        self._watch_at = trio.current_time() + WATCH_SECONDS
        self._watches = 0
        self._patience = PATIENCE if alone else 0.0
        try:
            self._epoll = select.epoll()
        except OSError as error:
            raise HostFault(f"the host cannot start a match: {error}") from None
        self._reads: dict[int, tuple[_Bot, bool]] = {}
        self._writes: dict[int, _Bot] = {}
        self._throttled: list[_Bot] = []
        self._window_ends = 0.0
        self._unsaid: list[Arrival] = []
        self._calls = 0
        self._bots: list[_Bot] = []
        self._adoption = reap.Adoption(self._mark)
        try:
            for seat, command in enumerate(commands):
                self._bots.append(self._start(seat, command))
        except BaseException:
            self._end_all()
            raise

    # --- starting ---

    def _start(self, seat: int, command: Command) -> _Bot:
        try:
            cell = isolation.cell(command, self._sandbox, self._mark, for_a_match=True)
        except (FileNotFoundError, NotExecutable) as error:
            bot = _Bot(seat, None, trouble=f"cannot be started: {error}")
            self._unsaid.append(Arrival(seat, trio.current_time(), b""))
            return bot
        except OSError as error:
            raise HostFault(f"the host cannot start another bot at isolation {self._sandbox.level}: {error}") from None
        try:
            process, ours = _spawned(cell)
        except BaseException:
            cell.clean()
            raise
        self._adoption.started(process.pid)
        cell.started(process.pid)
        bot = _Bot(seat, process, cell, *ours, quiet=Quiet(noise.lines(isolation.java_options(self._sandbox.resources.memory))))
        for descriptor, is_notes in ((bot.stdout, False), (bot.stderr, True)):
            self._epoll.register(descriptor, select.EPOLLIN)
            self._reads[descriptor] = (bot, is_notes)
        return bot

    def pid(self, seat: int) -> int | None:
        """The process that was started for a seat, None if none could be. From isolation standard on it is not the bot's own."""
        process = self._bots[seat].process
        return None if process is None else process.pid

    def own(self, seat: int) -> int | None:
        """The process that is or will be the bot's own program, inside of what wraps it. None if there is none."""
        pid = self.pid(seat)
        for _ in range(2 if self._sandbox.level in WRAPPED else 0):
            pid = next(iter(usage.children(pid)), None) if pid is not None else None
        return pid

    # --- bytes ---

    def asked(self, seat: int, gather: int, kind: str) -> None:
        self._bots[seat].notes.asked(gather, kind)

    def send(self, seat: int, data: bytes) -> None:
        bot = self._bots[seat]
        if bot.stdin < 0:
            return
        if bot.backlog:
            bot.backlog += data
            return
        try:
            written = os.write(bot.stdin, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self._input_closed(bot)
            return
        if written < len(data):
            bot.backlog += data[written:]
            self._epoll.register(bot.stdin, select.EPOLLOUT)
            self._writes[bot.stdin] = bot

    def look(self) -> Sequence[Arrival]:
        return self._poll(0.0)

    async def receive(self, deadline: float) -> Sequence[Arrival]:
        self._calls += 1
        if self._calls % 64 == 0:
            self._watch(trio.current_time())
            await trio.lowlevel.checkpoint()  # a table whose bots are always faster than we are must not starve others
        while True:
            arrivals = self._poll(0.0)
            now = trio.current_time()
            if arrivals or now >= deadline:
                return arrivals
            if now >= self._watch_at and self._watch(now):
                continue
            if self._patience and deadline - now > 2 * self._patience:
                arrivals = self._poll(self._patience)
                if arrivals:
                    return arrivals
            wake = min(deadline, self._watch_at, self._window_ends if self._throttled else math.inf)
            with trio.move_on_at(wake):
                await trio.lowlevel.wait_readable(self._epoll.fileno())

    def _poll(self, patience: float) -> Sequence[Arrival]:
        """Read whatever is there now, or comes within ``patience`` seconds; write what waits to be written."""
        if self._throttled and trio.current_time() >= self._window_ends:
            self._unthrottle()
        ready = self._epoll.poll(patience)
        if not ready and not self._unsaid:
            return _NOTHING
        now = trio.current_time()
        out, self._unsaid = self._unsaid, []
        for descriptor, _mask in ready:
            reader = self._reads.get(descriptor)
            if reader is None:
                if descriptor in self._writes:
                    self._write_more(self._writes[descriptor])
            elif reader[1]:
                self._read_notes(reader[0], now)
            else:
                bot = reader[0]
                data = _read(descriptor)
                if data:
                    out.append(Arrival(bot.seat, now, data))
                elif data is not None:
                    bot.stdout = self._forget(descriptor)
                    out.append(Arrival(bot.seat, now, b""))
        out += self._unsaid  # a write may have found an input closed
        self._unsaid = []
        return out

    def _write_more(self, bot: _Bot) -> None:
        try:
            written = os.write(bot.stdin, bot.backlog)
        except BlockingIOError:
            return
        except OSError:
            self._input_closed(bot)
            return
        del bot.backlog[:written]
        if not bot.backlog:
            self._epoll.unregister(bot.stdin)
            del self._writes[bot.stdin]

    def _input_closed(self, bot: _Bot) -> None:
        """The bot closed its input or is dead: no request can reach it any more."""
        bot.trouble = bot.trouble or "closed its input"
        bot.stdin = self._forget(bot.stdin)
        bot.backlog.clear()
        self._unsaid.append(Arrival(bot.seat, trio.current_time(), b""))

    def _read_notes(self, bot: _Bot, now: float) -> None:
        data = _read(bot.stderr)
        if data:
            self._noted(bot, data)
            bot.notes_allowed -= len(data)
            if bot.notes_allowed <= 0:
                # A flood of notes is never a fault, but it may not eat the arbiter's time: read on a little later.
                self._epoll.modify(bot.stderr, 0)
                self._throttled.append(bot)
                if len(self._throttled) == 1:
                    self._window_ends = now + NOTES_WINDOW
        elif data is not None:
            bot.stderr = self._forget(bot.stderr)

    def _noted(self, bot: _Bot, data: bytes) -> None:
        if data := bot.quiet.take(data):
            self._said(bot, data)

    def _said(self, bot: _Bot, data: bytes) -> None:
        bot.notes.add(data)
        if self._heard is not None:
            self._heard(bot.seat, data)

    def _unthrottle(self) -> None:
        for bot in self._throttled:
            bot.notes_allowed = NOTES_PER_WINDOW
            if bot.stderr >= 0:
                self._epoll.modify(bot.stderr, select.EPOLLIN)
        self._throttled.clear()

    def _forget(self, descriptor: int) -> int:
        if descriptor >= 0:
            if self._reads.pop(descriptor, None) is not None or self._writes.pop(descriptor, None) is not None:
                self._epoll.unregister(descriptor)
            os.close(descriptor)
        return -1

    # --- what the system says of a bot ---

    def _watch(self, now: float) -> bool:
        """If it is time to: look at what all bots use. One that uses too much is killed; returns whether there is one."""
        if now < self._watch_at:
            return False
        self._watches += 1
        began = time.monotonic()
        found = False
        for bot in self._bots:
            if bot.process is None or bot.cell is None or bot.ending is not None or bot.killed:
                continue
            scratch_too = bot.cell.level in WRAPPED or self._watches % WATCHES_A_LOOK_AT_SCRATCH == 0
            what = excess.while_it_runs(bot.cell, bot.process.pid, self._sandbox.resources, scratch_too=scratch_too)
            if what:
                found = True
                bot.excess = what
                self.stop(bot.seat)
                self._unsaid.append(Arrival(bot.seat, now, b""))
        cost = time.monotonic() - began  # which a bot may drive up: then looks are rare, rather than all that we do
        self._watch_at = trio.current_time() + max(WATCH_SECONDS, COSTS_BETWEEN_WATCHES * cost)
        return found

    def excess(self, seat: int) -> str:
        bot = self._bots[seat]
        if not bot.excess and bot.process is not None and bot.cell is not None:
            resources = self._sandbox.resources
            end = bot.ending
            if end is None:
                bot.excess = excess.when_late(bot.cell, bot.process.pid, resources)
            elif end.status is not None and not end.killed:
                said = unmarked(end.notes)
                bot.excess = excess.after_its_end(bot.cell, end.status, end.cpu, end.peak, said, resources)
        return bot.excess

    def doing(self, seat: int) -> str:
        bot = self._bots[seat]
        own = self.own(seat)
        if own is None or bot.ending is not None or bot.killed or bot.resting:
            return ""
        wrapping = {bot.process.pid, *usage.children(bot.process.pid)[:1]} if bot.process else set()
        pids = [pid for pid in usage.tree(own, PROCESSES_SEEN) if pid == own or pid not in wrapping]
        return silence.doing(pids, bot.stdin, bot.stdout)

    def run_delays(self) -> list[dict[int, usage.Waited]]:
        return [usage.run_delay(bot.process.pid) if bot.process and bot.ending is None else {} for bot in self._bots]

    def trees(self, seats: Sequence[int]) -> dict[int, frozenset[int]]:
        alive = [bot for bot in (self._bots[seat] for seat in seats) if bot.process and bot.ending is None]
        return {bot.seat: frozenset(usage.tree(bot.process.pid, PROCESSES_SEEN)) for bot in alive if bot.process}

    def rest(self, seat: int) -> None:
        bot = self._bots[seat]
        if bot.process is not None and bot.cell is not None and bot.ending is None and not bot.resting:
            bot.cell.pause(bot.process.pid, True)
            bot.resting = True

    def wake(self, seat: int) -> None:
        bot = self._bots[seat]
        if bot.process is not None and bot.cell is not None and bot.resting:
            bot.cell.pause(bot.process.pid, False)
            bot.resting = False

    def cpu(self) -> list[float]:
        return [
            usage.usage(usage.tree(bot.process.pid, PROCESSES_SEEN), 0).cpu if bot.process and bot.ending is None else 0.0
            for bot in self._bots
        ]

    def exited(self, seat: int) -> str:
        bot = self._bots[seat]
        if bot.process is None:
            return ""
        status = bot.ending.status if bot.ending else self._status(bot)
        return "" if status is None else describe_status(status)

    async def gone(self, seat: int) -> str:
        bot = self._bots[seat]
        if bot.process is None:
            return bot.trouble
        if _status(bot.process.pid) is None and not bot.killed:
            # An exiting process closes its output a moment before it can be waited for.
            with _exit_descriptor(bot.process.pid) as descriptor, trio.move_on_after(GONE_SECONDS):
                await trio.lowlevel.wait_readable(descriptor)
        if self._status(bot) is not None and not bot.killed:
            self._end(bot)  # only who is reaped tells what it used at most
            self._check_host(bot)
        return self.exited(seat) or bot.trouble or "closed its output and lives on"

    def _check_host(self, bot: _Bot) -> None:
        """Raise HostFault where it was the host that did not let a bot start."""
        if bot.ending is not None and bot.ending.status in LAUNCH_FAILED:
            why = probe.refused(self._sandbox.level, bot.ending.notes)
            if why:
                raise HostFault(f"isolation {self._sandbox.level} works no more: {why}")

    # --- ending ---

    def stop(self, seat: int) -> None:
        bot = self._bots[seat]
        self._kill(bot)
        bot.stdin = self._forget(bot.stdin)
        bot.stdout = self._forget(bot.stdout)
        bot.backlog.clear()

    async def close(self, grace: float) -> list[Ending]:
        try:
            alive = [bot for bot in self._bots if bot.process is not None and bot.ending is None]
            for bot in alive:
                self.wake(bot.seat)
            with trio.move_on_after(grace):
                while [bot for bot in alive if not self._input_ended(bot)]:
                    self._poll(0.0)
                    await trio.sleep(0.001)
                for bot in alive:
                    await self._exit(bot)
        finally:
            self._end_all()
        return [bot.ending for bot in self._bots if bot.ending is not None]

    def _input_ended(self, bot: _Bot) -> bool:
        """End the bot's input unless something is still to be written there. Returns whether it has ended."""
        if not bot.backlog:
            bot.stdin = self._forget(bot.stdin)
        return bot.stdin < 0

    async def _exit(self, bot: _Bot) -> None:
        """Wait until a bot has exited, reading meanwhile what all bots still write; what is on stdout then is dropped."""
        assert bot.process is not None
        with _exit_descriptor(bot.process.pid) as descriptor:
            # Level-triggered: the exit wakes the wait on the epoll, too.
            self._epoll.register(descriptor, select.EPOLLIN)
            try:
                while _status(bot.process.pid) is None:
                    if not self._poll(0.0):
                        with trio.move_on_at(self._window_ends if self._throttled else math.inf):
                            await trio.lowlevel.wait_readable(self._epoll.fileno())
            finally:
                self._epoll.unregister(descriptor)

    def _kill(self, bot: _Bot) -> None:
        if bot.process is not None and bot.cell is not None and bot.ending is None:
            if not bot.killed and _status(bot.process.pid) is None:
                bot.killed = True
                if bot.cell.level in WRAPPED:  # what dies with its namespace tells nobody what it used
                    bot.cpu_seen = usage.usage(usage.tree(bot.process.pid, PROCESSES_SEEN), 0).cpu
            bot.cell.kill(bot.process.pid)

    def _end_all(self) -> None:
        """Kill whatever is left, children of bots that exited included, reap, and close every descriptor."""
        for bot in self._bots:
            self._kill(bot)  # all of them first, so that none lives on while another one is waited for
        for bot in self._bots:
            self._end(bot)
        try:
            if self._sandbox.level is Level.TRUSTED:
                self._adoption.end_strays()
        finally:
            self._adoption.end()
            if not self._epoll.closed:
                self._epoll.close()

    def _end(self, bot: _Bot) -> None:
        """Kill what is left of a bot, reap it, close its descriptors, and clean up behind it."""
        self._kill(bot)
        if bot.ending is None:
            bot.ending = self._reap(bot)
            if bot.cell is not None:
                bot.cell.clean()
        for descriptor in (bot.stdin, bot.stdout, bot.stderr):
            self._forget(descriptor)
        bot.stdin = bot.stdout = bot.stderr = -1

    def _status(self, bot: _Bot) -> int | None:
        """How the bot's own process ended, None while it runs. bwrap says a signal as a shell does."""
        status = _status(bot.process.pid) if bot.process is not None else None
        return self._unwrapped(status)

    def _unwrapped(self, status: int | None) -> int | None:
        wrapped = self._sandbox.level in WRAPPED and status is not None and 128 < status <= 128 + signal.SIGRTMAX
        return 128 - status if wrapped and status is not None else status

    def _reap(self, bot: _Bot) -> Ending:
        if bot.process is None:
            return Ending(None, False, 0.0, bot.trouble, len(bot.trouble))
        pid = bot.process.pid
        with _exit_descriptor(pid) as descriptor:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(REAP_SECONDS * 1000):
                raise InternalError(f"process {pid} of seat {bot.seat} was killed and did not die in {REAP_SECONDS:.0f} s")
        while bot.stderr >= 0 and (data := _read(bot.stderr)):
            self._noted(bot, data)
        if data := bot.quiet.rest():
            self._said(bot, data)
        _pid, status, own = os.wait4(pid, 0)
        self._adoption.reaped(pid)
        bot.process.returncode = os.waitstatus_to_exitcode(status)
        code = self._unwrapped(bot.process.returncode)
        used = [own, *reap.reap_group(pid, REAP_SECONDS)]
        cpu = max(bot.cpu_seen, sum(one.ru_utime + one.ru_stime for one in used))
        major = sum(one.ru_majflt for one in used)
        return Ending(code, bot.killed, cpu, bot.notes.text(), bot.notes.total, self._peak(used), major)

    def _peak(self, used: list[struct_rusage]) -> int:
        """Bytes that the largest process had. A process that we start begins with our own peak as its own: what is not above
        that says nothing. What runs inside bwrap is not started by us."""
        if self._sandbox.level in WRAPPED:
            return max([one.ru_maxrss for one in used[1:]], default=0) * 1024
        peak = max(one.ru_maxrss for one in used)
        return peak * 1024 if peak > getrusage(RUSAGE_SELF).ru_maxrss else 0


def _spawned(cell: Cell) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
    """The started process and our ends of its pipes. Raises HostFault."""
    ours, theirs = _pipes()
    try:
        with stops.held_back():  # they would end a bot that did nothing wrong
            process = subprocess.Popen(
                cell.argv,
                stdin=theirs[0],
                stdout=theirs[1],
                stderr=theirs[2],
                cwd=cell.folder,
                env=cell.environment,
                pass_fds=cell.descriptors,
                start_new_session=True,
            )
    except BaseException as error:
        _close(*ours)
        if isinstance(error, OSError | ValueError | subprocess.SubprocessError):
            raise HostFault(f"the host cannot start another process: {error}") from None
        raise
    finally:
        _close(*theirs)
    return process, ours


def describe_status(status: int) -> str:
    """An exit status in words; negative is a signal."""
    if status >= 0:
        return f"exited with code {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


@contextmanager
def _exit_descriptor(pid: int) -> Iterator[int]:
    """A descriptor that is readable once a child that is not reaped yet has exited."""
    descriptor = os.pidfd_open(pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Our ends and the bot's ends of stdin, stdout, stderr; ours do not block. Each end is a file description of its own."""
    made: list[int] = []
    try:
        for _ in range(3):
            made += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        _close(*made)
        raise HostFault(f"the host has no pipes left: {error}") from None
    ours = (made[1], made[2], made[4])
    for descriptor in ours:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_NONBLOCK)
    return ours, (made[0], made[3], made[5])


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _read(descriptor: int) -> bytes | None:
    """Up to CHUNK bytes, b"" at the end, None when nothing is there now."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _status(pid: int) -> int | None:
    """A child's exit status without reaping it, None while it runs."""
    try:
        info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return 0
    if info is None:
        return None
    return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
