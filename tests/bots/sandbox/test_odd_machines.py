"""Machines and bots that nobody thinks of: started without SIGCHLD, a home or numbers
for bots, with low limits of our own; trees and environments made to be unreadable;
strays that multiply.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio
from arena import C_GREEDY, SECONDS, C, bots, descendants, left_over, living
from other_user import as_user, need_user
from wording import pattern

from khiva_arena.arbiter import watch
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.watch import WATCH_SECONDS
from khiva_arena.bots.sandbox import detect, proc_usage, readable_paths, reap, scratch, uids
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import MIB, Resources
from khiva_arena.bots.sandbox.rlimits import at_most, system_limits
from khiva_arena.bots.sandbox.trusted import Trusted
from khiva_arena.entrants.staging import cache_folder
from khiva_arena.errors import ConfigError, InternalError

pytestmark = pytest.mark.slow

NO_HOME = 54_321
BOUND = 60.0


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a script that says a line once it is ready, as a process that is ended at
    the end.
    """
    started: list[subprocess.Popen[bytes]] = []

    def run(script: str, **more: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True, **more
        )  # type: ignore[call-overload]
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        return process  # type: ignore[no-any-return]

    yield run
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


# --- who starts us ---


@pytest.mark.soak
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_whoever_starts_us_may_ignore_the_end_of_children(jobs: str, tmp_path: Path) -> None:
    words = [
        "run",
        *bots(C_GREEDY, C),
        "--isolation",
        "trusted",
        "-j",
        jobs,
        "--out",
        str(tmp_path / "out"),
    ]
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        "os.execv(sys.executable, sys.argv[1:])"
    )
    command = [
        sys.executable,
        "-c",
        ignoring,
        sys.executable,
        "-m",
        "khiva_arena",
        *words,
        "--seats",
        "2",
        "--seeds",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("os.geteuid", lambda: NO_HOME)
    for name in ("KHIVA_ARENA_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="set KHIVA_ARENA_CACHE"):
        cache_folder()
    (tmp_path / "bin").mkdir()
    assert readable_paths.toolchain(str(tmp_path / "bin" / "program")) == (
        str(tmp_path / "bin" / "program"),
    )


def test_a_cache_that_is_named_from_where_we_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", "cache")
    assert cache_folder() == tmp_path / "cache"


def test_root_of_a_container_without_numbers_for_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    both = {"uid_map": [range(1 << 32)], "gid_map": [range(1 << 32)]}
    few = [range(1), range(1, 65536)]
    for maps, given in (
        (both, True),
        (both | {"uid_map": few}, False),
        (both | {"gid_map": few}, False),
    ):
        monkeypatch.setattr(uids, "_ids", maps.__getitem__)
        assert (uids.next_user() is not None) == given


def test_the_numbers_of_this_machine() -> None:
    assert any(os.geteuid() in numbers for numbers in uids._ids("uid_map"))
    assert any(os.getegid() in numbers for numbers in uids._ids("gid_map"))


def test_a_scratch_folder_that_cannot_be_given_away_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no such user here")

    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.chown", refuse)
    with pytest.raises(OSError, match="no such user here"):
        scratch.make(uids.FIRST)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's bots are other users")
def test_root_s_bots_must_come_to_their_scratch_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    with pytest.raises(PermissionError, match=f"get at {tmp_path}"):
        cell(Command(("/bin/true",), "/"), Sandbox(Level.BASIC), reap.new_mark())


# --- limits ---


def test_no_limit_is_above_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _which: (10, 40))
    assert (at_most("NPROC", 64), at_most("NPROC", 20)) == (40, 20)
    assert system_limits(Resources())["NOFILE"] == (40, 40)


@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD, Level.BASIC], indirect=True)
def test_a_bot_starts_where_we_may_have_few_processes(level: Level) -> None:
    script = (
        "import resource; from khiva_arena.bots.sandbox.level import Level; from "
        "khiva_arena.bots.sandbox.detect import run_at\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (50, 50))\n"
        f"print(tuple(run_at(Level({str(level)!r}), ('/bin/sh', '-c', 'ulimit -u 2> "
        "/dev/null || ulimit -p'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=BOUND, check=False
    )
    assert done.stdout == "(0, '50\\n', '')\n", (done.stdout, done.stderr)


def test_no_core_is_handed_to_a_program_either() -> None:
    assert system_limits(Resources())["CORE"] in (
        (1, 1),
        (0, 0),
    )  # core(5): 1 is what spares a pipe, 0 does not
    if resource.getrlimit(resource.RLIMIT_CORE)[1]:
        assert system_limits(Resources())["CORE"] == (1, 1)


# --- programs ---


@pytest.mark.parametrize("level", list(Level))
def test_a_program_that_may_not_be_run_is_said_so(level: Level, open_folder: Path) -> None:
    program = open_folder / "bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    with pytest.raises(
        readable_paths.NotExecutable,
        match=pattern("entrants", "may-not-executed", program=f"{program}"),
    ):
        cell(Command((str(program),), "/"), Sandbox(level), reap.new_mark())


def test_a_path_with_an_entry_from_where_we_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "tools" / "khiva-bot"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "tools")
    assert readable_paths.program_path("khiva-bot", "/") == str(program)


# --- a level that is said not to work ---


def test_a_bot_that_cries_that_its_level_fails_has_it_tried_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[Level] = []

    def works(level: Level) -> str:
        tried.append(level)
        return ""

    monkeypatch.setattr(detect, "_good_until", {})
    monkeypatch.setattr(detect, "why_not", works)
    for _ in range(3):
        assert detect.host_refusal(Level.STANDARD, "bwrap: no namespaces for you") == ""
    assert tried == [Level.STANDARD]
    monkeypatch.setattr(detect, "GOOD_SECONDS", 0.0)
    monkeypatch.setattr(detect, "_good_until", {})
    monkeypatch.setattr(detect, "why_not", lambda _level: "no namespaces left")
    assert [detect.host_refusal(Level.STANDARD, "bwrap: ") for _ in range(2)] == [
        "no namespaces left"
    ] * 2


# --- strays ---

# It goes by no mark, in a session of its own, and there is always another one before
# one ends: some twenty until it is caught. It rests when so many dead ones wait to be
# reaped that the machine would have no numbers left for other processes.
HOPS = (
    "import os, sys, time\n"
    "for _ in range(8):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    "        for hop in range(20000):\n"
    "            if hop % 200 == 199 and len(os.listdir('/proc')) > 16000: break\n"
    "            if os.fork(): os._exit(0)\n"
    "            os.setsid()\n"
    "        open(sys.argv[1], 'w').close()\n"
    "        time.sleep(60)\n"
    "        os._exit(0)\n"
)


def test_strays_that_hop_are_caught(tmp_path: Path) -> None:
    before, rests = descendants(os.getpid()), tmp_path / "rests"
    with reap.Adoption(reap.new_mark()) as adoption:
        subprocess.run(
            [sys.executable, "-c", HOPS, rests], env={}, check=True, start_new_session=True
        )
        adoption.end_strays()
        assert not left_over(before)
    assert not rests.exists()


def test_strays_that_do_not_end_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reap, "STRAYS_SECONDS", 0.05)
    monkeypatch.setattr(reap, "_send", lambda *_: None)
    with reap.Adoption(reap.new_mark()) as adoption:
        process = subprocess.Popen(["sleep", "60"], env={reap.MARK: adoption._mark})
        try:
            with pytest.raises(InternalError, match="did not end"):
                adoption.end_strays()
        finally:
            process.kill()
            process.wait()


def test_strays_that_no_signal_reaches_shield_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    send, refusing = reap._send, set[int]()
    monkeypatch.setattr(reap, "STRAYS_SECONDS", 0.5)
    monkeypatch.setattr(reap, "STRAYS_AT_ONCE", 2)
    monkeypatch.setattr(
        reap, "_send", lambda pid, number: pid not in refusing and send(pid, number)
    )
    with reap.Adoption(reap.new_mark()) as adoption:
        processes = [
            subprocess.Popen(["sleep", "60"], env={reap.MARK: adoption._mark}) for _ in range(4)
        ]
        refusing.update(process.pid for process in processes[1:])
        try:
            with pytest.raises(InternalError, match=r"^3 processes"):
                adoption.end_strays()
            assert not os.path.exists(f"/proc/{processes[0].pid}")
        finally:
            for process in processes:
                process.kill()
                process.wait()


ORPHAN = (
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    if os.fork() == 0: time.sleep(60)\n"
    "    os._exit(0)\n"
    "os.wait(); print('ready', flush=True); time.sleep(60)\n"
)


def test_who_is_in_the_group_of_a_bot_of_another_match_is_no_stray(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    """One that becomes another program shows no environment for a moment."""
    with reap.Adoption(reap.new_mark()) as adoption:
        leader = start(ORPHAN, env={})
        adoption.note_start(leader.pid)
        try:
            [orphan] = reap.orphans([leader.pid])[leader.pid]
            assert not adoption._is_stray(orphan)
            adoption.end_strays()
            assert living({leader.pid, orphan}) == {leader.pid, orphan}
        finally:
            adoption.note_reaping(leader.pid)
        assert adoption._is_stray(orphan)
        adoption.end_strays()
        assert not living({orphan})


def test_what_began_just_before_is_no_stray(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    """The caller's own: multiprocessing, for one, has a helper that lives on and
    carries no mark.
    """
    before = start("import time; print('ready', flush=True); time.sleep(60)", env={})
    time.sleep(0.05)
    with reap.Adoption(reap.new_mark()) as adoption:
        meanwhile = start("import time; print('ready', flush=True); time.sleep(60)", env={})
        assert not adoption._is_stray(before.pid)
        assert adoption._is_stray(meanwhile.pid)
        adoption.end_strays()
        assert living({before.pid, meanwhile.pid}) == {before.pid}


def test_one_that_is_gone_is_no_stray() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with reap.Adoption(reap.new_mark()) as adoption:
        assert not adoption._is_stray(process.pid)


def test_a_mark_is_found_and_a_large_environment_is_not_read_whole(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    says = "import time; print('ready', flush=True); time.sleep(60)"
    many = {f"A{number}": "x" * 100_000 for number in range(12)}
    first = start(says, env={"FIRST": "1", reap.MARK: "7-abc", "LAST": "1"})
    late = start(says, env=many | {reap.MARK: "7-abc"})
    other = start(says, env={f"NOT_{reap.MARK}": "7-abc", "B": f"x{reap.MARK}=1-b"})
    assert [reap._mark_of(process.pid) for process in (first, late, other)] == ["7-abc", None, None]
    assert reap._arbiters_of(str(first.pid)) == [7]
    assert reap._arbiters_of(str(other.pid)) == []


# --- what is used ---

SPARSE = (
    "import mmap, time\n"
    "area = mmap.mmap(-1, 16 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, "
    "mmap.PROT_READ)\n"
    "area.madvise(15)\n"  # no huge pages: a page table of 4 KiB for every 2 MiB
    "for at in range(0, 16 << 30, 2 << 20): area[at]\n"
    "print('ready', flush=True); time.sleep(60)\n"
)


def test_page_tables_are_memory(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = start(SPARSE)
    assert proc_usage.usage([process.pid], 1 << 40).memory > 32 * MIB
    assert proc_usage.usage([process.pid], 1).memory > 32 * MIB


FORKS = (
    "import os, time\n"
    "kept = b'x' * (64 << 20)\n"
    "for _ in range(3):\n"
    "    if os.fork() == 0: time.sleep(60)\n"
    "print('ready', flush=True); time.sleep(60)\n"
)


def test_what_is_shared_is_shared_out_only_where_it_matters(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    process = start(FORKS)
    pids = proc_usage.tree(process.pid, 16)
    assert len(pids) == 4
    try:
        assert proc_usage.usage(pids, 0).memory == 0
        assert proc_usage.usage(pids, 1 << 40).memory > 4 * 64 * MIB
        assert 64 * MIB < proc_usage.usage(pids, 128 * MIB).memory < 128 * MIB
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_a_tree_too_deep_for_a_name_counts_as_too_many(tmp_path: Path) -> None:
    script = "import os; [(os.mkdir('d' * 200), os.chdir('d' * 200)) for _ in range(30)]"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    assert proc_usage.scratch_use(str(tmp_path), 1000)[1] == 1000
    scratch.remove(str(tmp_path))


def test_a_folder_that_keeps_us_out_counts_as_too_many(user_home: Path) -> None:
    need_user(user_home)
    script = (
        "import os, sys; from khiva_arena.bots.sandbox.proc_usage import scratch_use\n"
        "os.makedirs('s/gone'); os.rmdir('s/gone'); print(scratch_use('s', 50)[1], "
        "scratch_use('nowhere', 50)[1])\n"
        "os.mkdir('s/shut', 0o300); print(scratch_use('s', 50)[1])"
    )
    done = as_user(sys.executable, "-c", script, home=user_home)
    assert done.stdout == "0 0\n50\n", done.stderr


def test_files_without_a_name_count_as_long_as_they_are_open(
    tmp_path: Path, start: Callable[..., subprocess.Popen[bytes]]
) -> None:
    script = (
        "import os, sys, time\n"
        f"os.chdir({str(tmp_path)!r}); file = open('file', 'wb'); file.write(bytes(1 << "
        "20)); file.flush()\n"
        "os.fsync(file.fileno()); twice = os.dup(file.fileno()); named = open('named', "
        "'wb'); os.unlink('file')\n"
        "print('ready', flush=True); time.sleep(60)\n"
    )
    process = start(script)
    assert proc_usage.scratch_use(str(tmp_path), 10) == (0, 1)
    assert MIB <= proc_usage.nameless_size([process.pid], str(tmp_path)) < 2 * MIB
    assert proc_usage.nameless_size([process.pid], "/proc") == 0
    made = Trusted([], "/", {}, scratch=str(tmp_path))
    resources = Resources(scratch=MIB // 2)
    assert watch.while_it_runs(made, process.pid, resources, scratch_too=True).startswith(
        "scratch space: "
    )


def test_the_longer_a_look_takes_the_later_is_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> str:
        time.sleep(0.05)
        return ""

    async def look() -> float:
        made = Processes([Command(("cat",), "/")])
        try:
            made._look_at_all(trio.current_time() + WATCH_SECONDS)
            return made._watch.next_at - trio.current_time()
        finally:
            await made.close(1.0)

    monkeypatch.setattr(watch, "while_it_runs", slow)
    assert trio.run(look) > 0.4
