"""The bots of one match as processes: raw non-blocking pipes, one epoll for all of them, killed and reaped on every path.

Bots are spawned by plain ``subprocess.Popen`` in the main thread. Spawning through trio would run it in a worker thread that
ends when idle, and the parent-death signal that each bot carries is tied to the thread.
"""

import errno
import fcntl
import math
import os
import select
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from khiva_arena.arbiter.isolation import launch, prepare
from khiva_arena.arbiter.wire import Arrival, Command, Ending, HostFault, Notes
from khiva_arena.errors import InternalError

CHUNK = 65_536
PATIENCE = 0.001
NOTES_PER_WINDOW = 65_536
NOTES_WINDOW = 0.02
REAP_SECONDS = 10.0
GONE_SECONDS = 0.05
TASKS_SEEN = 128
HOST_IS_OUT_OF = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_NOTHING: tuple[Arrival, ...] = ()


@dataclass(slots=True, eq=False)
class _Bot:
    """One bot's process and our ends of its pipes; a descriptor is -1 once closed."""

    seat: int
    process: subprocess.Popen[bytes] | None
    stdin: int = -1
    stdout: int = -1
    stderr: int = -1
    backlog: bytearray = field(default_factory=bytearray)
    notes: Notes = field(default_factory=Notes)
    notes_allowed: int = NOTES_PER_WINDOW
    trouble: str = ""
    killed: bool = False
    ending: Ending | None = None


class Processes:
    """A ``Wire`` of real processes, one for each command. A command that cannot be started is gone from the beginning.

    ``alone``: nothing else is played in this process, so a short wait may hold it up instead of going through trio, which
    costs several times as much as the wait itself.
    """

    def __init__(self, commands: Sequence[Command], *, alone: bool = False) -> None:
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
        prepare()
        try:
            for seat, command in enumerate(commands):
                self._bots.append(self._start(seat, command))
        except BaseException:
            self._end_all()
            raise

    # --- starting ---

    def _start(self, seat: int, command: Command) -> _Bot:
        ours, theirs = _pipes()
        try:
            process = subprocess.Popen(
                launch(command.argv),
                stdin=theirs[0],
                stdout=theirs[1],
                stderr=theirs[2],
                cwd=command.folder,
                env=_environment(command),
                start_new_session=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            _close(*ours)
            if isinstance(error, OSError) and error.errno in HOST_IS_OUT_OF:
                raise HostFault(f"the host cannot start another process: {error}") from None
            bot = _Bot(seat, None, trouble=f"cannot be started: {error}")
            self._unsaid.append(Arrival(seat, trio.current_time(), b""))
            return bot
        finally:
            _close(*theirs)
        bot = _Bot(seat, process, *ours)
        for descriptor, is_notes in ((bot.stdout, False), (bot.stderr, True)):
            self._epoll.register(descriptor, select.EPOLLIN)
            self._reads[descriptor] = (bot, is_notes)
        return bot

    # --- bytes ---

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
            await trio.lowlevel.checkpoint()  # a table whose bots are always faster than we are must not starve others
        while True:
            arrivals = self._poll(0.0)
            now = trio.current_time()
            if arrivals or now >= deadline:
                return arrivals
            if self._patience and deadline - now > 2 * self._patience:
                arrivals = self._poll(self._patience)
                if arrivals:
                    return arrivals
            wake = min(deadline, self._window_ends) if self._throttled else deadline
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
            bot.notes.add(data)
            bot.notes_allowed -= len(data)
            if bot.notes_allowed <= 0:
                # A flood of notes is never a fault, but it may not eat the arbiter's time: read on a little later.
                self._epoll.modify(bot.stderr, 0)
                self._throttled.append(bot)
                if len(self._throttled) == 1:
                    self._window_ends = now + NOTES_WINDOW
        elif data is not None:
            bot.stderr = self._forget(bot.stderr)

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

    def run_delays(self) -> list[float]:
        return [_run_delay(bot.process.pid) if bot.process and bot.ending is None else 0.0 for bot in self._bots]

    def exited(self, seat: int) -> str:
        process = self._bots[seat].process
        status = _status(process.pid) if process is not None else None
        return "" if status is None else describe_status(status)

    async def gone(self, seat: int) -> str:
        bot = self._bots[seat]
        if bot.process is None:
            return bot.trouble
        if _status(bot.process.pid) is None and not bot.killed:
            # An exiting process closes its output a moment before it can be waited for.
            with _exit_descriptor(bot.process.pid) as descriptor, trio.move_on_after(GONE_SECONDS):
                await trio.lowlevel.wait_readable(descriptor)
        return self.exited(seat) or bot.trouble or "closed its output and lives on"

    # --- ending ---

    def stop(self, seat: int) -> None:
        bot = self._bots[seat]
        if bot.process is not None and bot.ending is None:
            # Not reaped yet, so the group's number is still its own; its children may outlive the bot itself.
            bot.killed = bot.killed or _status(bot.process.pid) is None
            _kill_group(bot.process.pid)
        bot.stdin = self._forget(bot.stdin)
        bot.stdout = self._forget(bot.stdout)
        bot.backlog.clear()

    async def close(self, grace: float) -> list[Ending]:
        try:
            alive = [bot for bot in self._bots if bot.process is not None and bot.ending is None]
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

    def _end_all(self) -> None:
        """Kill whatever is left, children of bots that exited included, reap, and close every descriptor."""
        for bot in self._bots:
            if bot.process is not None and bot.ending is None:
                bot.killed = bot.killed or _status(bot.process.pid) is None
                _kill_group(bot.process.pid)
        for bot in self._bots:
            if bot.ending is None:
                bot.ending = self._reap(bot)
            for descriptor in (bot.stdin, bot.stdout, bot.stderr):
                self._forget(descriptor)
            bot.stdin = bot.stdout = bot.stderr = -1
        if not self._epoll.closed:
            self._epoll.close()

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
            bot.notes.add(data)
        _pid, status, usage = os.wait4(pid, 0)
        bot.process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        return Ending(bot.process.returncode, bot.killed, cpu, bot.notes.text(), bot.notes.total)


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


def _environment(command: Command) -> dict[str, str]:
    """Little enough that two machines agree, and nothing of the arbiter's own settings."""
    bare = {"PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"), "HOME": command.folder, "LANG": "C.UTF-8"}
    return bare | command.environment


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


def _kill_group(pid: int) -> None:
    """SIGKILL to the whole process group. The leader is not reaped yet, so the number cannot have been given anew."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # the group is empty: all of it has exited


def _run_delay(pid: int) -> float:
    """Seconds the process tree of ``pid`` was ready to run and waited for a core: the thread that waited longest. At most
    TASKS_SEEN threads are looked at, so that no bot can make the look expensive."""
    longest = 0
    seen = 0
    todo = [pid]
    while todo and seen < TASKS_SEEN:
        try:
            tasks = os.listdir(f"/proc/{(folder := todo.pop())}/task")
        except OSError:
            continue  # it ended while we looked
        for task in tasks[: TASKS_SEEN - seen]:
            seen += 1
            try:
                longest = max(longest, int(Path(f"/proc/{folder}/task/{task}/schedstat").read_text().split()[1]))
                todo += [int(child) for child in Path(f"/proc/{folder}/task/{task}/children").read_text().split()]
            except (OSError, IndexError, ValueError):
                continue  # the same, or the kernel keeps no such figures
    return longest / 1e9
