"""The arena at level trusted where nothing is that only Linux has: no epoll, pidfd,
/proc, prlimit, setpriv, bubblewrap. Hidden from Python alone (support/not_linux), and
once with /proc really away. On another system than Linux nothing has to be hidden:
`make test-elsewhere` runs this there.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from arena import FAULTY, GREEDY, NAIVE, ROOT, arena_process, bots, wait_for_matches
from in_targets import in_long
from scripted_modules import command, script, scripted
from tools import lacks, need, need_module_tools
from waiting import until
from wording import pattern, sentence

from khiva_arena.entrants import module_runner

HIDING = ROOT / "tests" / "support" / "not_linux"
TOOLS = ("sh", "true", "chmod", "rm")
"""Programs that every system has; env is one of them, but not with the option that
GNU's has.
"""
CROWD = bots(GREEDY, *(f"{FAULTY} {how}" for how in ("exit 3", "daemon 2", "child 2", "late 2 60")))
"""Bots crash, hang, and start others; one ends and leaves a child that keeps its output
open.
"""
TRUSTED = ("--isolation", "trusted", "--trust-bots")
GAUNTLET = (
    "--format",
    "gauntlet",
    "--candidate",
    "greedy",
    "--seats",
    "2",
    "--seeds",
    "1",
    "--seed",
    "elsewhere",
)
RUN = (
    "run",
    *CROWD,
    *TRUSTED,
    *GAUNTLET,
    "--policy",
    "strict",
    "--turn",
    "2s",
    "--bank",
    "1ms",
    "--out",
    "out",
)
LINUX = Path("/proc/self/environ").exists()
UNSEEN = "n/a: this system does not tell what a process uses"

pytestmark = pytest.mark.soak
BESIDE_LINUX = pytest.mark.xdist_group("beside-linux")
"""In one worker, which makes ``on_linux`` once: it waits for late bots."""


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, str]:
    """The environment in which nothing of Linux is there. Temporary files go where a
    test sees what is left.
    """
    for name in ("bin", "tmp"):
        (tmp_path / name).mkdir()
    if not LINUX:
        return {"TMPDIR": str(tmp_path / "tmp")}
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    folders = (str(HIDING), os.environ.get("PYTHONPATH", ""))
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, folders)),
        "PATH": str(tmp_path / "bin"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def left(folder: Path) -> list[str]:
    """What is left in the temporary folder, and processes that have their home there;
    elsewhere than on Linux those that run the bot which misbehaves, whoever started it.
    """
    found = [path.name for path in (folder / "tmp").iterdir()]
    if not LINUX:
        listed = subprocess.run(
            ["ps", "-axww", "-o", "command="], capture_output=True, text=True, check=True
        ).stdout
        return found + [line for line in listed.splitlines() if FAULTY.split()[-1] in line]
    wanted = f"={folder / 'tmp'}/khiva-arena-".encode()
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and wanted in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it ended, or is none of ours
    return found


def digest(said: str) -> str:
    (found,) = re.findall(r"^run digest ([0-9a-f]{64})$", said, re.MULTILINE)
    return str(found)


@pytest.fixture(scope="module")
def on_linux(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the same run as it is elsewhere."""
    return digest(arena_process(*RUN, cwd=tmp_path_factory.mktemp("linux")).stderr)


@BESIDE_LINUX
@pytest.mark.parametrize("jobs", ["3", *in_long(["1"])])
def test_a_run_with_bots_that_crash_hang_and_start_others(
    jobs: str, tmp_path: Path, hidden: dict[str, str], on_linux: str
) -> None:
    done = arena_process(*RUN, "-j", jobs, cwd=tmp_path, env=hidden)
    assert digest(done.stderr) == on_linux
    assert left(tmp_path) == []
    assert (
        "8 of 8 matches are sound"
        in arena_process("verify", "out", cwd=tmp_path, env=hidden).stdout
    )
    shown = arena_process("standings", "out", cwd=tmp_path, env=hidden).stdout
    assert shown == arena_process("standings", "out", cwd=tmp_path).stdout
    assert "isolation trusted" in shown
    assert "digest" in arena_process("show", "out", "1/0", cwd=tmp_path, env=hidden).stdout


@BESIDE_LINUX
def test_a_run_where_there_is_no_proc(
    tmp_path: Path, hidden: dict[str, str], on_linux: str
) -> None:
    """Not hidden, but away: another file system covers it, for bots as well."""
    wrap = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc"]
    need("bwrap")
    if (
        tried := subprocess.run([*wrap, "true"], capture_output=True, text=True, check=False)
    ).returncode:
        lacks("bubblewrap " + sentence("doctor", "not-work-here-2") + f": {tried.stderr.strip()}")
    environment = os.environ | {"TMPDIR": hidden["TMPDIR"]}
    command = [*wrap, sys.executable, "-m", "khiva_arena"]
    done = subprocess.run(
        [*command, *RUN, "-j", "2"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert digest(done.stderr) == on_linux
    assert left(tmp_path) == []
    doctor = subprocess.run(
        [*command, "doctor"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (
        "  " + sentence("doctor", "not-work-here", level="standard") + ": there is no /proc here\n"
        in doctor.stdout
    )


def test_the_commands_of_the_page_run(tmp_path: Path, hidden: dict[str, str]) -> None:
    """On fewer deals."""
    page = (ROOT / "docs" / "install.md").read_text().split("\n## macOS\n")[1]
    lines = [shlex.split(line) for line in page.split("```sh\n")[1].split("```")[0].splitlines()]
    assert lines.pop(0) == ["pip", "install", "khiva-arena"]
    fewer = {"check": ("--quick",), "run": ("--seeds", "1", "--lineups", "1")}
    said = {
        words[1]: arena_process(
            *words[1:],
            *fewer.get(words[1], ()),
            cwd=tmp_path,
            env=hidden,
            code=1 if words[1] == "doctor" else 0,
        ).stdout
        for words in lines
    }
    assert list(said) == ["doctor", "new", "check", "match", "run", "verify"]
    assert " 0 failed" in said["check"]
    assert "use of the processor" + f": {UNSEEN}" in said["check"]
    assert f"memory: {UNSEEN}" in said["check"]
    assert "matches are sound" in said["verify"]
    assert left(tmp_path) == []


def test_a_match_is_the_same(tmp_path: Path, hidden: dict[str, str]) -> None:
    arena_process("new", "python", "mine", cwd=tmp_path, env=hidden)
    report = json.loads(
        arena_process(
            "check", "mine", "--trust-bots", "--quick", "--json", cwd=tmp_path, env=hidden
        ).stdout
    )
    assert report["memory_bytes"] is None
    match = ("match", *bots("mine", GREEDY), "--seed", "demo", "--isolation", "trusted")
    assert (
        arena_process(*match, cwd=tmp_path, env=hidden).stdout
        == arena_process(*match, cwd=tmp_path).stdout
    )
    assert left(tmp_path) == []


def test_doctor_says_what_does_not_work_and_what_to_do(
    tmp_path: Path, hidden: dict[str, str]
) -> None:
    said = arena_process("doctor", cwd=tmp_path, env=hidden, code=1).stdout
    first = sentence("doctor", "bots-play-isolation-here", best="trusted") + sentence(
        "doctor", "with-all-rights"
    )
    assert said.splitlines()[0] == first
    assert said.splitlines()[1].startswith("for isolation standard: run it in a virtual machine")
    for level in ("strict", "standard", "basic"):
        assert (
            "  " + sentence("doctor", "not-work-here", level=level) + ": only Linux has it" + "\n"
            in said
        )
    assert "  trusted: does not work" not in said
    assert re.search(r"opens a socket +yes", said)
    assert re.search("uses parts of the kernel that no bot needs" + r" +\?", said)
    assert "No bot is held to limits on memory and processes here" in said


def test_a_run_needs_the_word_of_its_user(tmp_path: Path, hidden: dict[str, str]) -> None:
    done = arena_process(
        "run",
        *bots(GREEDY, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        cwd=tmp_path,
        env=hidden,
        code=2,
    )
    assert "trust-bots" in done.stderr


def test_limits_hold(tmp_path: Path, hidden: dict[str, str]) -> None:
    """Those that a shell can set."""
    script = (
        "import resource, sys\nprint(resource.getrlimit(resource.RLIMIT_NOFILE), "
        "resource.getrlimit(resource.RLIMIT_CPU))\n"
    )
    (tmp_path / "limits.py").write_text(script)
    words = (
        "match",
        *bots(f"{{python}} {tmp_path / 'limits.py'}", GREEDY),
        "--isolation",
        "trusted",
        "--limit",
        "cpu=77",
    )
    done = arena_process(*words, cwd=tmp_path, env=hidden, code=None)
    assert "(256, 256) (77, 78)" in done.stdout + done.stderr


def test_an_interrupted_run_leaves_nothing(tmp_path: Path, hidden: dict[str, str]) -> None:
    words = (
        "run",
        *bots(GREEDY, NAIVE, f"{FAULTY} child 2"),
        *TRUSTED,
        "--seats",
        "3",
        "--seeds",
        "200",
        "--out",
        "out",
        "-j",
        "2",
    )
    command = [sys.executable, "-m", "khiva_arena", *words]
    started = subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | hidden, stderr=subprocess.PIPE, text=True
    )
    wait_for_matches(tmp_path / "out" / "arena.db", 2)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130, said
    assert until(lambda: not left(tmp_path)), left(tmp_path)


# --- modules ---

PYTHON = """#!/bin/sh
# The runner of modules, which starts without sitecustomize, has Linux hidden here.
case "$4" in *"from runner import"*)
    echo "$4" >>{log}
    code="exec(open('{hiding}/sitecustomize.py').read()); $4"
    shift 4
    exec {python} -I -S -c "$code" "$@" ;;
esac
exec {python} "$@"
"""


@pytest.fixture
def with_modules(tmp_path: Path, hidden: dict[str, str]) -> dict[str, str]:
    """The environment ``hidden`` in which the runner lacks Linux as well, and the VM's
    library lies under its name on macOS.
    """
    need_module_tools("c")
    library = Path(module_runner.library())
    place = tmp_path / "vm" / "wasmtime" / library.parent.name.replace("linux", "darwin")
    place.mkdir(parents=True)
    (place.parent / "__init__.py").touch()
    (place / "_libwasmtime.dylib").symlink_to(library)
    python = tmp_path / "bin" / "python"
    python.write_text(PYTHON.format(log=tmp_path / "runners", hiding=HIDING, python=sys.executable))
    python.chmod(0o755)
    folders = os.pathsep.join((hidden["PYTHONPATH"], str(tmp_path / "vm")))
    return hidden | {"PYTHONPATH": folders, "NOT_LINUX_PYTHON": str(python)}


@pytest.mark.language
@pytest.mark.skipif(not LINUX, reason="it hides Linux")
def test_an_event_in_ticks_is_that_of_linux_and_its_bots_are_run_again(
    tmp_path: Path, with_modules: dict[str, str]
) -> None:
    for name, text in {"honest": b"", "late": script("t", command("h"), at=5)}.items():
        (tmp_path / f"{name}.wasm").write_bytes(scripted(text))
    settings = (
        *bots("honest.wasm", "late.wasm"),
        "--clock",
        "ticks",
        "--turn",
        "50ms",
        "--bank",
        "0s",
        "--seed",
        "elsewhere",
    )
    run = ("run", *settings, "--trust-bots", "--seats", "2", "--seeds", "2", "-j", "2", "--out")
    on_linux = digest(arena_process(*run, "linux", cwd=tmp_path).stderr)
    done = arena_process(*run, "out", cwd=tmp_path, env=with_modules)
    assert digest(done.stderr) == on_linux
    assert sentence("replay", "kept-at", level="trusted") in done.stderr
    warning = "warning: " + sentence("settings", "only-vm-keeps-modules") + "\n"
    assert warning in done.stderr
    assert warning in (ROOT / "docs" / "install.md").read_text(), "the page shows what is printed"
    there, here = (
        arena_process("match", *settings, cwd=tmp_path, env=env).stdout
        for env in (with_modules, None)
    )
    assert there.splitlines()[1:] == here.splitlines()[1:], "all but the line on the cell"
    arena_process("bundle", "out", "cup.khiva", "--with-modules", cwd=tmp_path, env=with_modules)
    for place in ("out", "cup.khiva"):
        again = arena_process(
            "verify", place, "--rerun-bots", cwd=tmp_path, env=with_modules
        ).stdout
        assert re.search(pattern("verify", "bots-run-again", matches="4 matches"), again)
    works = set(re.findall(r"main\.main\((\w+\.\w+)\)", (tmp_path / "runners").read_text()))
    assert works == {".".join(work) for work in (module_runner.COMPILE, module_runner.TABLE)}
    assert left(tmp_path) == []


# --- what is used where ---

BEHIND_A_DOOR = {
    "arbiter/poller.py": {"epoll"},
    "bots/sandbox/escape_attempts.py": {
        "prlimit",
        "pidfd_send_signal",
        "pidfd_open",
        "sched_setaffinity",
        "sched_getaffinity",
    },
    "bots/sandbox/launcher.py": {"O_PATH", "setresgid", "setresuid"},
    "bots/sandbox/reap.py": {"CLOCK_BOOTTIME"},
    "bots/sandbox/reaper.py": {"waitid", "pidfd_open"},
    "bots/sandbox/standard.py": {"SIGRTMAX", "memfd_create"},
    "bots/sandbox/trusted.py": {"prlimit"},
}
"""Names that macOS lacks, and the files that use them: if system.py says that they are
there, or for levels that need Linux.
"""


def test_nothing_else_is_used_that_macos_lacks(tmp_path: Path) -> None:
    """What packages of others say of themselves is left out, which takes three times as
    long: these are modules of Python.
    """
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--platform",
        "darwin",
        "--follow-imports",
        "skip",
        "--no-error-summary",
    ]
    words += ["--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    found: dict[str, set[str]] = {}
    for file, name in re.findall(
        r'^khiva_arena/(\S+?):\d+: error: Module has no attribute "(\w+)"',
        done.stdout,
        re.MULTILINE,
    ):
        found.setdefault(file, set()).add(name)
    assert found == BEHIND_A_DOOR, done.stdout
    hidden = (HIDING / "sitecustomize.py").read_text()
    assert [name for names in found.values() for name in names if f'"{name}"' not in hidden] == []
