"""Both ways to see children end and to end their groups: each does the same as far as
it can. And what decides which is taken.
"""

import math
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools import lacks
from waiting import until

from khiva_arena.bots.sandbox import pid_namespaces, reap, reaper, remedies, system
from khiva_arena.bots.sandbox.detect import remedy, why_not
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.reaper import AskingReaper, PidfdReaper, Reaper
from khiva_arena.errors import InternalError

LEADER_ENDS = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n"
"""A group whose leader ends and leaves a child, which is not ours."""


@pytest.fixture(params=[AskingReaper, PidfdReaper])
def kind(request: pytest.FixtureRequest) -> Reaper:
    if request.param is PidfdReaper and not system.PIDFD:
        lacks("this system gives no descriptors for processes", may=True)
    return request.param()  # type: ignore[no-any-return]


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Groups that are ended whatever comes."""
    groups: list[int] = []
    yield groups
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def start(groups: list[int], script: str) -> int:
    process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    groups.append(process.pid)
    process.returncode = 0  # reaped here, and not by it
    return process.pid


@pytest.mark.parametrize(
    ("script", "status"),
    [("import sys; sys.exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9), ("", 0)],
)
def test_an_end_is_seen_and_told_again(
    kind: Reaper, started: list[int], script: str, status: int
) -> None:
    pid = start(started, script)
    assert kind.ends(pid, 20)
    assert [kind.status(pid), kind.status(pid)] == [status, status]
    found, used = kind.reap(pid)
    assert found == status
    assert used.ru_maxrss > 0
    assert kind.reap_group(pid, 5) == []
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_reap_waits(kind: Reaper, started: list[int]) -> None:
    pid = start(started, "import time; time.sleep(0.3)")
    assert kind.status(pid) is None
    assert not kind.ends(pid, 0.05)
    assert kind.reap(pid)[0] == 0


def test_what_somebody_else_has_reaped_has_ended(kind: Reaper, started: list[int]) -> None:
    pid = start(started, "")
    os.waitpid(pid, 0)
    assert kind.status(pid) == 0


def test_a_group_is_stopped_and_killed(kind: Reaper, started: list[int]) -> None:
    pid = start(started, "import time; time.sleep(60)")
    kind.signal_group(pid, signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    kind.signal_group(pid, signal.SIGKILL)
    assert kind.ends(pid, 20)
    kind.signal_group(pid, signal.SIGKILL)
    assert kind.reap(pid)[0] == -signal.SIGKILL


def test_a_leader_that_ends_leaves_a_group_that_can_be_killed(
    kind: Reaper, started: list[int]
) -> None:
    pid = start(started, LEADER_ENDS)
    assert kind.ends(pid, 20)
    os.killpg(pid, 0)
    kind.signal_group(pid, signal.SIGKILL)
    kind.reap(pid)
    kind.reap_group(pid, 20)

    def is_empty() -> bool:
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return True
        return False

    assert until(is_empty)


def test_a_group_that_was_seen_empty_is_never_signalled_again(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its number may be a stranger's by then."""
    asking = AskingReaper()
    pid = start(started, "")
    assert asking.ends(pid, 20)
    sent: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, number: sent.append(group))
    asking.signal_group(pid, signal.SIGKILL)
    asking.reap(pid)
    asking.signal_group(pid, signal.SIGKILL)
    asking.reap_group(pid, 1)
    assert sent == []
    asking.signal_group(pid, signal.SIGKILL)  # from here on the number is another child's
    assert sent == [pid, pid]


def test_a_group_of_the_ended_that_may_not_be_signalled_is_empty(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS, where signals to those that have ended and are not reaped are
    refused.
    """

    def refuse(group: int, number: int) -> None:
        raise PermissionError

    asking = AskingReaper()
    pid = start(started, "import time; time.sleep(60)")
    real = os.killpg
    monkeypatch.setattr(os, "killpg", refuse)
    asking.signal_group(pid, signal.SIGKILL)
    assert asking.status(pid) is None
    real(pid, signal.SIGKILL)
    assert asking.ends(pid, 20)
    assert asking.reap_group(pid, 20) == []


def test_processes_that_are_ours_have_to_die(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = start(started, "import time; time.sleep(60)")
    with pytest.raises(InternalError, match="did not die"):
        PidfdReaper().reap_group(pid, 0.05)


def test_a_descriptor_tells_of_an_end_where_there_is_one(kind: Reaper, started: list[int]) -> None:
    pid = start(started, "import time; time.sleep(0.3)")
    with kind.descriptor(pid) as descriptor:
        assert (descriptor is None) == (kind.look_seconds < math.inf)
        if descriptor is not None:
            assert select.select([descriptor], [], [], 20)[0]
    assert kind.ends(pid, 20)
    kind.reap(pid)


# --- what decides ---


@pytest.mark.parametrize(
    ("pidfd", "proc", "kind"),
    [(True, True, PidfdReaper), (False, True, AskingReaper), (True, False, AskingReaper)],
)
def test_which_one_is_taken(
    monkeypatch: pytest.MonkeyPatch, pidfd: bool, proc: bool, kind: type
) -> None:
    monkeypatch.setattr(system, "PIDFD", pidfd)
    monkeypatch.setattr(system, "PROC", proc)
    assert type(reaper._reaper()) is kind


@pytest.mark.parametrize("proc", [True, False])
def test_who_lives(monkeypatch: pytest.MonkeyPatch, proc: bool, started: list[int]) -> None:
    pid = start(started, "")
    os.waitpid(pid, 0)
    monkeypatch.setattr(system, "PROC", proc and system.PROC)
    assert system.lives(str(os.getpid()))
    assert system.lives("1")
    assert [system.lives(text) for text in (str(pid), "x", "9" * 30)] == [False, False, False]


def test_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3}, raising=False)
    assert system.cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert system.cores() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert system.cores() == 1


@pytest.mark.parametrize(
    ("platform", "proc", "why"), [("darwin", True, "only Linux"), ("linux", False, "no /proc")]
)
def test_levels_that_need_linux_say_so(
    monkeypatch: pytest.MonkeyPatch, platform: str, proc: bool, why: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(system, "PROC", proc)
    for level in (Level.STRICT, Level.STANDARD, Level.BASIC):
        assert why in why_not(level)
        assert remedy(level, why_not(level)) == remedies.elsewhere()


@pytest.mark.skipif(not system.PROC, reason="nothing shows orphans")
@pytest.mark.parametrize("in_thread", [False, True], ids=["first", "another"])
def test_an_orphan_is_found_and_ended_whichever_thread_started_its_parent(in_thread: bool) -> None:
    started: set[int] = set()
    found: set[int] = set()

    def start_and_end() -> None:
        with reap.Adoption(mark := reap.new_mark()) as adoption:
            environment = os.environ | {reap.MARK: reap.mark_of_seat(mark, 0)}
            leader = subprocess.Popen(
                ["sh", "-c", "sleep 60 & sleep 60 & kill -STOP $$"],
                env=environment,
                process_group=0,
            )
            try:
                os.waitid(os.P_PID, leader.pid, os.WSTOPPED)
                started.update(
                    map(
                        int,
                        Path(f"/proc/{leader.pid}/task/{leader.pid}/children").read_text().split(),
                    )
                )
                leader.kill()
                os.waitid(
                    os.P_PID, leader.pid, os.WEXITED | os.WNOWAIT
                )  # it stays the leader of its group
                found.update(reap.orphans([leader.pid])[leader.pid])
            finally:
                leader.kill()
                leader.wait()
            adoption.end_strays()

    if in_thread:
        thread = threading.Thread(target=start_and_end)
        thread.start()
        thread.join()
    else:
        start_and_end()
    assert len(started) == 2
    assert found == started
    assert not any(system.lives(str(pid)) for pid in started)


@pytest.mark.skipif(not system.PROC, reason="nothing shows orphans")
def test_a_look_for_orphans_costs_the_same_however_many_threads_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[object] = []
    monkeypatch.setattr(reap, "_of_task", lambda task: looks.append(task) or [])
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(20)]
    try:
        for thread in threads:
            thread.start()
        reap.orphans([os.getpid()])
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert looks == [os.getpid()]


def test_nobody_is_adopted_who_cannot_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "PROC", False)
    adopted: list[int] = []
    monkeypatch.setattr(reap, "_libc", lambda: adopted.append(1))
    with reap.Adoption(reap.new_mark()) as adoption:
        adoption.end_strays()
        assert reap.orphans([os.getpid()]) == {os.getpid(): []}
    reap.sweep()
    assert adopted == []
    assert pid_namespaces.namespace("self") == 0
