"""The ends of children: how they are seen and reaped, and how process groups are
signalled and reaped.

One way is for a system that gives a descriptor for a process and lists all processes,
the other for a system that does not. A number that was given to a child means that
child, or the group that it leads, until it is reaped. Only Linux shows how a child
ended and leaves it unreaped, and makes this process the parent of the processes that
bots leave behind (reap.py).
"""

import math
import os
import resource
import select
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import NamedTuple, Protocol

from khiva_arena.bots.sandbox import system
from khiva_arena.errors import InternalError

MOMENT = 0.0005


class ChildEnd(NamedTuple):
    """The end of a child.

    status: its exit status, negative for a signal
    usage: the resources that it used
    """

    status: int
    usage: resource.struct_rusage


class Reaper(Protocol):
    """A reaper of the children of this process. A ``pid`` is that of a child that
    ``reap`` was not called for yet.

    look_seconds: how often to ask whether a child has ended, if no descriptor shows it
    """

    look_seconds: float

    def status(self, pid: int) -> int | None:
        """Return a child's exit status, negative for a signal, None while it runs."""

    def descriptor(self, pid: int) -> AbstractContextManager[int | None]:
        """Yield a descriptor that is readable once a child has ended; None if the
        system has none.
        """

    def ends(self, pid: int, seconds: float) -> bool:
        """Wait for a child's end. Return True if it came in time."""

    def reap(self, pid: int) -> ChildEnd:
        """Wait for a child's end and reap it."""

    def signal_group(self, group: int, number: signal.Signals) -> None:
        """Signal all processes of a group that a child leads or led."""

    def reap_group(self, group: int, seconds: float) -> list[resource.struct_rusage]:
        """Wait, once its leader is reaped, for the end of the rest of a killed group.
        Return the use of the processes reaped here.

        Raises InternalError if they are children of this process and do not die in
        time.
        """


class PidfdReaper:
    """A reaper for Linux: nothing is reaped before ``reap``, so no signal of the
    arbiter can hit a stranger who got a number.
    """

    look_seconds = math.inf

    def status(self, pid: int) -> int | None:
        try:
            # WNOWAIT leaves the child unreaped, so that its number stays its own.
            info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return 0
        if info is None:
            return None
        return int(info.si_status if info.si_code == os.CLD_EXITED else -info.si_status)

    @contextmanager
    def descriptor(self, pid: int) -> Iterator[int | None]:
        descriptor = os.pidfd_open(pid)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def ends(self, pid: int, seconds: float) -> bool:
        with self.descriptor(pid) as descriptor:
            assert descriptor is not None
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return bool(poll.poll(seconds * 1000))

    def reap(self, pid: int) -> ChildEnd:
        _pid, status, usage = os.wait4(pid, 0)
        return ChildEnd(os.waitstatus_to_exitcode(status), usage)

    def signal_group(self, group: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # the group is empty: all of it has exited
            os.killpg(group, number)

    def reap_group(self, group: int, seconds: float) -> list[resource.struct_rusage]:
        usages: list[resource.struct_rusage] = []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                # Processes that lost their parent are children of this process, which
                # adopts them (reap.py).
                pid, _status, usage = os.wait4(-group, os.WNOHANG)
            except ChildProcessError:
                return usages
            if pid:
                usages.append(usage)
            else:
                time.sleep(MOMENT)
        raise InternalError(
            f"processes of the group {group} were killed and did not die in {seconds:.0f} s"
        )


class AskingReaper:
    """A reaper for other systems, where asking whether a child has ended reaps it.

    From then on its number means its group as long as a process is left in it. A group
    that was seen empty is never signalled again: it may be a stranger's.
    """

    look_seconds = 0.002

    def __init__(self) -> None:
        self._child_ends: dict[int, ChildEnd] = {}
        self._empty: set[int] = set()

    def status(self, pid: int) -> int | None:
        if pid not in self._child_ends:
            try:
                child, status, usage = os.wait4(pid, os.WNOHANG)
            except ChildProcessError:
                return 0
            if not child:
                return None
            self._child_ends[pid] = ChildEnd(os.waitstatus_to_exitcode(status), usage)
            # Asking has reaped it. If its group is empty now, that is noted before its
            # number can mean a stranger's group.
            self._has_members(pid)
        return self._child_ends[pid].status

    @contextmanager
    def descriptor(self, pid: int) -> Iterator[int | None]:
        yield None

    def ends(self, pid: int, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while self.status(pid) is None:
            if time.monotonic() >= until:
                return False
            time.sleep(MOMENT)
        return True

    def reap(self, pid: int) -> ChildEnd:
        if pid not in self._child_ends:
            _pid, status, usage = os.wait4(pid, 0)
            return ChildEnd(os.waitstatus_to_exitcode(status), usage)
        return self._child_ends.pop(pid)

    def signal_group(self, group: int, number: signal.Signals) -> None:
        if self._has_members(group):
            with suppress(
                ProcessLookupError, PermissionError
            ):  # they have ended, or wait to be reaped
                os.killpg(group, number)

    def reap_group(self, group: int, seconds: float) -> list[resource.struct_rusage]:
        """Wait for the end of a killed group, which must be gone before its folder is
        removed; none of its processes is a child here.
        """
        until = time.monotonic() + seconds
        while self._has_members(group) and time.monotonic() < until:
            time.sleep(MOMENT)
        self._empty.discard(group)
        return []

    def _has_members(self, group: int) -> bool:
        """Tell whether a process is left in a group. macOS refuses to signal a group
        whose members all have ended and are unreaped.
        """
        if group not in self._empty:
            try:
                os.killpg(group, 0)
            except (ProcessLookupError, PermissionError):
                if group in self._child_ends:
                    self._empty.add(group)
                return False
        return group not in self._empty


def _reaper() -> Reaper:
    return PidfdReaper() if system.PIDFD and system.PROC else AskingReaper()


REAPER = _reaper()
