"""Every limit at every level: who fails by one gets ``resource`` and its name, who
copes plays on, and runtimes live with the defaults.
"""

import os
import subprocess
from pathlib import Path

import pytest
from cases import cases
from jobs import SECRET, job
from levels import EVERY_LEVEL, ROOT, script_at
from shared_builds import libraries
from tools import need
from wording import sentence

from khiva_arena.arbiter import watch
from khiva_arena.arbiter.fairness import DUE_ASKED
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox import proc_usage
from khiva_arena.bots.sandbox.cell import CORE_COUNTS, Cell, environment, kind
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import levels, run_at
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import (
    DEFAULT,
    LEAST,
    MIB,
    WORDS,
    Resources,
    in_words,
    of_settings,
    plain,
)
from khiva_arena.bots.sandbox.trusted import Trusted
from khiva_arena.common.result import Measured, Verdict
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.verify import verify

pytestmark = pytest.mark.slow

SMALL = Resources(
    memory=256 * MIB, processes=24, file_size=8 * MIB, open_files=64, cpu=1, scratch=4 * MIB
)
HEAVY = Resources(
    memory=128 * MIB, processes=24, file_size=8 * MIB, open_files=64, cpu=30, scratch=4 * MIB
)
LONG = {"startup_ms": 60_000, "turn_ms": 60_000, "bank_ms": 0}


def run(level: Level, how: str, *more: str, resources: Resources = SMALL, **time: int) -> Outcome:
    """The taker beside an honest bot, which must not feel anything of it."""
    seats = [script_at(level, "taker.py", how, *more), script_at(level, "taker.py", "nothing")]
    outcome = play_one(
        job(seats, policy="strict", sandbox=Sandbox(level, resources), **(LONG | time))
    )
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    assert outcome.record.verdicts[1] is Verdict.OK
    assert not outcome.seats[1].faults
    return outcome


TAKES = {
    "memory": ("memory", HEAVY),
    "shared": ("memory", HEAVY),
    "children": ("memory", HEAVY),
    "orphans": ("memory", HEAVY),
    "threads": ("processes", SMALL),
    "many-orphans": ("processes", Resources(processes=24)),
    "file-size": ("file size", SMALL),
    "open-files": ("open files", SMALL),
    "cpu": ("CPU time", SMALL),
    "scratch": ("scratch space", SMALL),
    "many-files": ("scratch space", Resources()),
}


@pytest.mark.soak
@EVERY_LEVEL
@pytest.mark.parametrize("how", TAKES)
def test_who_fails_by_a_limit_is_told_which(level: Level, how: str) -> None:
    words, resources = TAKES[how]
    outcome = run(
        level, how, resources=resources, turn_ms=60_000 if how != "many-orphans" else 3_000
    )
    assert outcome.record is not None
    detail = outcome.seats[0].faults[0].detail
    assert (outcome.record.verdicts[0], detail.partition(":")[0]) == (Verdict.RESOURCE, words), (
        detail
    )


COPES = ["memory", "threads", "file-size", "open-files"]


@EVERY_LEVEL
@pytest.mark.parametrize("how", COPES)
def test_who_copes_with_a_refusal_plays_on(level: Level, how: str) -> None:
    outcome = run(level, how, "copes", resources=HEAVY)
    assert outcome.record is not None
    assert outcome.record.verdicts[0] is Verdict.OK, outcome.seats[0].faults
    assert not outcome.seats[0].faults


@EVERY_LEVEL
def test_who_copes_with_a_full_scratch_folder_plays_on_where_the_system_bounds_it(
    level: Level,
) -> None:
    outcome = run(level, "scratch", "copes")
    assert outcome.record is not None
    assert outcome.record.verdicts[0] is (Verdict.OK if kind(level).wrapping else Verdict.RESOURCE)


@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
def test_what_a_killed_bot_used_is_counted(level: Level) -> None:
    outcome = run(level, "children", resources=HEAVY)
    assert outcome.seats[0].ending.killed
    assert outcome.seats[0].ending.cpu > 0.02


# --- the looks that find it, one by one ---


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:  # type: ignore[misc]
    """A process that holds nothing much, and is past its start, when it opens and
    closes files.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        ["cat"], stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"x")
        process.stdout.read(1)
        yield process
        process.kill()


def plain_cell(scratch: Path | None = None) -> Cell:
    return Trusted([], "/", {}, scratch=str(scratch) if scratch else None)


def test_a_look_while_it_runs(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> None:
    def found(scratch_too: bool = False, **limits: int) -> str:
        resources = Resources(**limits)
        return watch.while_it_runs(
            plain_cell(scratch=tmp_path), sleeper.pid, resources, scratch_too=scratch_too
        )

    assert found() == ""
    assert found(memory=1).startswith("memory: ")
    assert found(cpu=-1).startswith("CPU time: ")
    assert found(processes=0) == "processes: 1 of 0"
    (tmp_path / "file").write_bytes(b"x" * 100_000)
    assert found(scratch=50_000) == ""
    assert found(scratch=50_000, scratch_too=True).startswith("scratch space: ")


def test_a_look_when_it_is_late(sleeper: subprocess.Popen[bytes]) -> None:
    assert watch.when_late(plain_cell(), sleeper.pid, Resources()) == ""
    assert watch.when_late(plain_cell(), sleeper.pid, Resources(processes=2)) == "processes: 2 of 2"
    opened = proc_usage.open_files(sleeper.pid)
    assert (
        watch.when_late(plain_cell(), sleeper.pid, Resources(open_files=opened))
        == f"open files: {opened} of {opened}"
    )
    assert watch.when_late(plain_cell(), sleeper.pid, Resources(open_files=opened + 1)) == ""


def test_a_look_at_one_that_is_gone_finds_nothing(sleeper: subprocess.Popen[bytes]) -> None:
    sleeper.kill()
    sleeper.wait()
    assert watch.when_late(plain_cell(), sleeper.pid, Resources()) == ""
    assert watch.while_it_runs(plain_cell(), sleeper.pid, Resources(), scratch_too=True) == ""


ENDS = [
    (-24, 0.0, 0, "", "CPU time: "),
    (-25, 0.0, 0, "", "file size: "),
    (1, 3600.5, 0, "", "CPU time: 3600.5 s of 3600 s"),
    (
        1,
        0.0,
        0,
        "MemoryError",
        sentence("sandbox", "reached-limit", words="memory") + " 1 GiB; it said 'MemoryError'",
    ),
    (1, 0.0, 0, "java.lang.OutOfMemoryError: unable to create native thread", "processes: "),
    (
        1,
        0.0,
        0,
        "OSError: [Errno 24] " + sentence("sandbox", "too-many-open-files"),
        "open files: ",
    ),
    (1, 0.0, 0, sentence("sandbox", "no-space-left-device"), "scratch space: "),
    (-6, 0.0, DEFAULT.memory, "", "memory: 1 GiB of 1 GiB"),
    (-11, 0.0, DEFAULT.memory // 2, "", ""),
    (0, 9999.0, DEFAULT.memory, "MemoryError", ""),
    (1, 0.0, 0, "MemoryError" + "x" * watch.LOOK_BACK, ""),
    (3, 0.0, 0, "no idea what to play", ""),
]


def end(status: int, notes: str, cpu: float = 0.0, peak: int = 0) -> Ending:
    return Ending(status, False, Measured(cpu_s=cpu), notes, len(notes), peak)


@pytest.mark.parametrize(("status", "cpu", "peak", "notes", "begins"), ENDS)
def test_what_an_end_tells(status: int, cpu: float, peak: int, notes: str, begins: str) -> None:
    found = watch.after_its_end(plain_cell(), end(status, notes, cpu, peak), DEFAULT, 0)
    assert found.startswith(begins)
    assert bool(found) == bool(begins)


@cases(("own", "met"), [(0, "1 GiB"), (16 << 20, "16 MiB"), (4 << 30, "1 GiB")])
def test_a_module_meets_the_end_of_its_own_memory_first(own: int, met: str) -> None:
    found = watch.after_its_end(plain_cell(), end(1, "MemoryError"), DEFAULT, own)
    assert found.startswith(f"{sentence('sandbox', 'reached-limit', words='memory')} {met}; ")


# --- the defaults ---


@pytest.mark.language
@EVERY_LEVEL
def test_node_lives_with_the_defaults(level: Level) -> None:
    need("node")
    works = (
        "const a = []; for (let i = 0; i < 40; i++) a.push(Buffer.alloc(1 << 20, 1)); "
        "console.log(a.length)"
    )
    assert run_at(level, ("node", "-e", works)) == (0, "40\n", "")


JAVA = """
public class Works {
    public static void main(String[] words) throws Exception {
        byte[][] kept = new byte[100][];
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[1 << 20];
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(() -> {})).start();
        for (Thread thread : threads) thread.join();
        System.out.println(kept.length);
    }
}
"""


@pytest.mark.language
@EVERY_LEVEL
def test_a_jvm_lives_with_the_defaults(level: Level, open_folder: Path) -> None:
    need("java")
    need("javac")
    source = open_folder / "Works.java"
    source.write_text(JAVA)
    subprocess.run(["javac", "-d", str(open_folder), str(source)], check=True)
    code, out, said = run_at(level, ("java", "-cp", str(open_folder), "Works"), (str(open_folder),))
    assert (code, out) == (0, "100\n"), said


GO = (
    "package main\n\nfunc main() {\n\tdone := make(chan int)\n\tgo func() { done <- 7 "
    "}()\n\tprintln(<-done)\n}\n"
)


@pytest.mark.language
def test_a_program_in_go_lives_with_the_defaults(
    open_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    need("go")
    (open_folder / "works.go").write_text(GO)
    program = str(open_folder / "works")
    environment = os.environ | libraries(tmp_path_factory) | {"GO111MODULE": "off"}
    subprocess.run(
        ["go", "build", "-o", program, str(open_folder / "works.go")], check=True, env=environment
    )
    for level in [level for level in Level if not levels()[level]]:
        assert run_at(level, (program,)) == (0, "", "7")


# --- how limits are said ---


def test_limits_of_settings() -> None:
    assert of_settings({}) == DEFAULT
    found = of_settings(
        {
            "memory": "512M",
            "scratch": "64KiB",
            "file_size": 1000,
            "processes": 5,
            "cpu": 60,
            "open_files": 16,
        }
    )
    assert found == Resources(512 * MIB, 5, 1000, 16, 60, 64 * 1024)
    assert set(plain(found)) == set(WORDS) == set(plain(LEAST))


def test_every_wrong_limit_is_named_at_once() -> None:
    given = {
        "memory": "lots",
        "processes": 2.5,
        "cpu": "1h",
        "open_files": True,
        "disk": "1G",
        "scratch": "1K",
        "file_size": 1 << 60,
    }
    with pytest.raises(ConfigError) as caught:
        of_settings(given)
    assert sorted(problem.partition(":")[0] for problem in caught.value.problems) == sorted(given)


@pytest.mark.parametrize(
    ("key", "number", "text"),
    [
        ("memory", 1 << 30, "1 GiB"),
        ("memory", 1_288_490_189, "1.2 GiB"),
        ("scratch", 65536, "64 KiB"),
        ("file_size", 100, "100 bytes"),
        ("cpu", 3, "3 s"),
        ("processes", 64, "64"),
    ],
)
def test_amounts_in_words(key: str, number: int, text: str) -> None:
    assert in_words(key, number) == text


def test_what_runtimes_are_told_is_the_share_of_a_seat() -> None:
    """Beyond which it may be out, see SPEC.md, section 6."""
    told = environment(Command(("/bin/true",), "/"), "/bin/true", "/", "mark", DEFAULT.memory)
    counts = {int(told[name]) for name in CORE_COUNTS} | {
        int(told["JAVA_TOOL_OPTIONS"].rpartition("ActiveProcessorCount=")[2])
    }
    assert counts == {int(DUE_ASKED)} == {1}
    assert (
        "a seat that is asked has a share of one core"
        in (ROOT / "protocol" / "SPEC.md").read_text()
    )
