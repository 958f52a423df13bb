"""The end of every process of a match: process groups are killed as a whole, orphaned
processes are reaped.

A bot leads a process group, which one signal kills. A process can leave its group at
some levels, and its parent can end before it. Three means find it all the same:

- Adoption. While bots run, this process is their subreaper: an orphan becomes its
  child, and not that of init.
- The mark. All processes of a match carry a variable in their environment, with the
  arbiter's number, the match and the seat.
- The user. Root's bots run as users that only bots can be.

A process without a mark counts as a stray if it began during the match and nobody waits
for it, since a dying process shows no environment. Strays are stopped before any is
killed: one that starts another and ends would else be ahead of every kill. After an
arbiter's own death by SIGKILL nobody adopts; then the next arbiter finds its bots by
mark or user (``sweep``).
"""

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Container, Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any, ClassVar, Self

from khiva_arena.bots.sandbox import system, uids
from khiva_arena.bots.sandbox.pid_namespaces import depth_of, first_of_namespace, own_depth
from khiva_arena.bots.sandbox.reaper import REAPER
from khiva_arena.bots.sandbox.stops import block
from khiva_arena.errors import InternalError
from khiva_arena.words import count

MARK = "KHIVA_ARENA_MATCH"
"""The environment variable that all processes of a match carry: the arbiter's process
number, a hyphen, the match's mark.
"""
ENVIRONMENT_SEEN = 256 * 1024
"""Most bytes read of an environment: a process may say that it is gigabytes long, and
reading that takes as long as it likes.
"""
STRAYS_SECONDS = 10.0
STRAYS_AT_ONCE = 64
"""How many strays are looked at before they are killed: a look at thousands of dead
ones leaves their heirs alone for seconds.
"""
PR_SET_CHILD_SUBREAPER = 36


class Unending(InternalError):
    """Processes that a match's bots left behind and that do not end: they start new
    ones faster than they are killed.

    seats: the seats whose mark they carry; none if they hide it
    """

    def __init__(self, number: int, seats: frozenset[int]) -> None:
        super().__init__(
            f"{count(number, 'process', 'processes')} that bots left behind did not end in "
            f"{STRAYS_SECONDS:.0f} s"
        )
        self.seats = seats


def mark_of_seat(mark: str, seat: int) -> str:
    """Return the mark of one seat's processes, by which they are known to be of the
    match and of the seat.
    """
    return f"{mark}-{seat}"


def new_mark() -> str:
    """Return a mark for the processes of one more match."""
    return f"{os.getpid()}-{secrets.token_hex(8)}"


class Adoption:
    """A time in which this process is the parent of all processes that its descendants
    leave behind.

    It lasts while there are bots, and no longer, since nobody else would reap
    orphans. ``mark``: carried by the bots' processes.
    """

    _adoptions = 0
    _awaited_pids: ClassVar[set[int]] = set()
    _unending: ClassVar[set[str]] = set()
    """Marks of matches whose processes did not end: they are still killed and reaped,
    and nobody waits for them.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._since = time.clock_gettime(time.CLOCK_BOOTTIME) if system.PROC else 0.0
        self._on = True
        self._marks: set[str] = set()
        Adoption._adoptions += 1
        if Adoption._adoptions == 1:
            _be_subreaper(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the adoption. Idempotent."""
        if self._on:
            self._on = False
            Adoption._adoptions -= 1
            if Adoption._adoptions == 0:
                _be_subreaper(0)

    def note_start(self, pid: int) -> None:
        """Note a process that is waited for elsewhere in this program."""
        Adoption._awaited_pids.add(pid)

    def note_reaping(self, pid: int) -> None:
        """Note that a process was waited for."""
        Adoption._awaited_pids.discard(pid)

    def end_strays(self) -> None:
        """Kill and reap processes that left their group, of bots at level trusted and
        of builds.

        It goes round by round: when some die, others may become children of this
        process. Raises Unending if that takes too long, and from then on they are
        nobody's.
        """
        until = time.monotonic() + STRAYS_SECONDS
        self._marks.clear()
        refused: set[int] = set()  # no signal reaches them
        while strays := self._stopped_strays(refused):
            if time.monotonic() < until - STRAYS_SECONDS / 2:
                # marks of processes that live on are seen in the second half, too
                self._marks.clear()
            if time.monotonic() > until:
                ours = [mark for mark in self._marks if self._is_ours(mark)]
                for pid in (
                    strays
                ):  # stopped just now: those that nobody knows by a mark would stay so for ever
                    _send(pid, signal.SIGKILL)
                if not ours and Adoption._unending:
                    return  # they are an earlier match's, whose bot was blamed
                Adoption._unending.add(self._mark)
                raise Unending(sum(map(self._is_stray, _children())), _seats_of(ours))
            refused.update([pid for pid in strays if not _send(pid, signal.SIGKILL)])
            if sum(_reap(pid) for pid in strays) == 0:
                time.sleep(0.0005)

    def _stopped_strays(self, last: Container[int]) -> list[int]:
        """Stop the youngest strays, and return them. Those of ``last`` come last.

        Killing one by one would never catch a process that starts another and ends,
        over and over.
        """
        # Of a chain in which each starts the next one and ends, only the youngest still
        # runs.
        pids, strays = _children()[::-1], []
        pids.sort(key=last.__contains__)
        for pid in islice(filter(self._is_stray, pids), STRAYS_AT_ONCE):
            _send(pid, signal.SIGSTOP)
            strays.append(pid)
        return strays

    def _is_ours(self, mark: str) -> bool:
        return _of_match(mark) == self._mark

    def _is_stray(self, pid: int) -> bool:
        """Tell whether a process is a stray of this match.

        It carries the match's mark; or has none, as dying processes do, began
        meanwhile, and nobody waits for it.
        """
        try:
            if pid in Adoption._awaited_pids or os.getpgid(pid) in Adoption._awaited_pids:
                # of another match: a process that becomes another program shows no mark
                # for a moment
                return False
            if (mark := _mark_of(pid)) is not None:
                self._marks.add(mark)
                return self._is_ours(mark) or _of_match(mark) in Adoption._unending
            fields = _read(f"/proc/{pid}/stat", 4096).rpartition(b")")[2].split()
        except OSError:
            return False  # it ended, and somebody waited for it
        # Starts are kept in whole ticks. An earlier process is the caller's, such as
        # the helper of its multiprocessing.
        return int(fields[19]) >= int(self._since * os.sysconf("SC_CLK_TCK")) - 1


def _of_match(mark: str) -> str:
    """Return the mark of the match of a process: its own without the seat, if it has
    one.
    """
    return "-".join(mark.split("-")[:2])


def _seats_of(marks: Iterable[str]) -> frozenset[int]:
    seats = [seat for mark in marks for seat in mark.split("-")[2:3]]
    return frozenset(int(seat) for seat in seats if seat.isdecimal() and seat.isascii())


def _mark_of(pid: int | str) -> str | None:
    """Return the mark that a process shows in its environment, None if it shows
    none.
    """
    try:
        environment = b"\0" + _read(f"/proc/{pid}/environ", ENVIRONMENT_SEEN)
    except OSError:
        return None  # newer kernels refuse this for a dead process, older ones show nothing
    _, name, rest = environment.partition(f"\0{MARK}=".encode())
    return rest.partition(b"\0")[0].decode(errors="replace") if name else None


def _read(path: str, most: int) -> bytes:
    """Return the first bytes of a file of /proc, quicker than ``open`` would: there may
    be thousands. Raises OSError.
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, most)
    finally:
        os.close(file)


def _send(pid: int, number: signal.Signals) -> bool:
    """Send a signal to a process, and tell whether it could get there: a program may
    run as somebody else.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
        return True
    return False


def _reap(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def orphans(groups: Collection[int]) -> dict[int, list[int]]:
    """Return by group its processes that are children of this one by now, since their
    parents are gone.

    The leader of each group is a child of this process.
    """
    by_group: dict[int, list[int]] = {group: [] for group in groups}
    for pid in _children():
        if pid not in by_group and pid not in Adoption._awaited_pids:
            with suppress(ProcessLookupError):
                by_group.get(os.getpgid(pid), []).append(pid)
    return by_group


def _children() -> list[int]:
    """Return the children of two threads, among which all orphans are.

    The system gives an orphan to the first thread of this process (``find_new_reaper``
    in kernel/exit.c). Before Linux 3.19 the thread that had started the orphan's parent
    got it, which is the calling one. A look at every thread of a process that has
    hundreds, such as a notebook or a worker, would take longer than the time between
    two looks.
    """
    if not system.PROC:
        return []  # nothing shows them, and no process that another one has started becomes ours
    return [
        int(pid)
        for task in dict.fromkeys((os.getpid(), threading.get_native_id()))
        for pid in _of_task(task)
    ]


def _of_task(task: int) -> list[bytes]:
    try:
        # Not decoded: this is read at each look at a table whose bots are slow.
        with open(f"/proc/self/task/{task}/children", "rb", buffering=0) as file:
            return file.read().split()
    except OSError:
        return []  # the thread ended meanwhile


def _be_subreaper(on: int) -> None:
    if system.PROC:  # without /proc the processes to reap could not be seen
        _libc().prctl(PR_SET_CHILD_SUBREAPER, on, 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def kill_group(pid: int) -> None:
    """Send SIGKILL to a whole process group, whose leader this process has started."""
    REAPER.signal_group(pid, signal.SIGKILL)


def sweep() -> None:
    """Kill leftover bots of arbiters that were killed.

    They are processes that carry a mark, or run as a user that only a bot can be, and
    whose arbiter has ended.
    """
    for name in os.listdir("/proc") if system.PROC else ():
        with suppress(OSError):  # it ended meanwhile, or is not this user's
            arbiters = _arbiters_of(name) if name.isdigit() else []
            if arbiters and not any(system.lives(str(arbiter)) for arbiter in arbiters):
                os.kill(int(name), signal.SIGKILL)


def _arbiters_of(pid: str) -> list[int]:
    """Return the processes that may be the arbiter of the bot that this process belongs
    to; none if it belongs to no bot.
    """
    depth = depth_of(pid)
    if depth > own_depth() + 1:
        return []  # in a container: numbers mean others there
    if depth > own_depth():
        pid = first_of_namespace(
            pid
        )  # of a cell a bot; of a container, which may have an arbiter of its own, no bot
    user = os.stat(f"/proc/{pid}").st_uid
    if uids.is_ours(user):
        return uids.arbiters_of(user)
    if user != os.geteuid():
        return []
    owner = (_mark_of(pid) or "").partition("-")[0]
    return [int(owner)] if owner.isdecimal() and owner.isascii() else []


def start_helper(name: str, words: Sequence[str], **streams: Any) -> subprocess.Popen[Any]:
    """Start a helper process of a command: a module of this Python. Raises OSError.

    name: the end of its mark, which differs from that of strays that bots leave behind;
        a later run ends it if we are dead.
    words: the module and its arguments.
    streams: as for Popen.
    """
    environment = os.environ | {MARK: f"{os.getpid()}-{name}", "OPENBLAS_NUM_THREADS": "1"}
    with block(
        (signal.SIGINT,)
    ):  # for good, and in a session of its own: Ctrl-C is for the command
        return subprocess.Popen(
            [sys.executable, "-P", "-m", *words], start_new_session=True, env=environment, **streams
        )


def end_helper(process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float) -> None:
    """End a helper process of a command (a live screen, a server of pages, a hub): end
    its input and wait for it.

    A helper that takes longer than ``seconds`` is killed.
    """
    with suppress(OSError):  # it has ended, and something for it was still held here
        assert process.stdin
        process.stdin.close()
    try:
        if seconds > 0:
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
    finally:  # of an impatient interrupt, too
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
