"""The launcher in C does what is done where it is not built, at every level."""

import json
import subprocess
from pathlib import Path

import pytest
from compilers import compiled_launcher
from levels import EVERY_LEVEL, python_at
from wording import sentence

from khiva_arena.bots.sandbox import launch
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.launch import SAYS
from khiva_arena.bots.sandbox.launcher import FAILED
from khiva_arena.bots.sandbox.launcher import SAYS as SAYS_IN_PYTHON
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.native import build

LOOK = """
import json, os, resource, signal
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines()
    if ":\\t" in line)
names = ("Seccomp", "Seccomp_filters", "NoNewPrivs", "SigIgn", "SigBlk", "Groups", "CapInh",
         "CapPrm",
    "CapEff", "CapBnd", "CapAmb")
print(json.dumps({
    "limits": {name: resource.getrlimit(getattr(resource, name)) for name in sorted(dir(resource))
        if name.startswith("RLIMIT_")},
    "environment": {
        name: "" if value.startswith("/tmp") else value
        for name, value in sorted(os.environ.items())},
    "status": {name: status.get(name, "").strip() for name in names},
    "folder": os.getcwd(),
    "root's": [os.getuid() == 0, os.getgid() == 0],
    "leads": os.getpgid(0) == os.getpid() == os.getsid(0),
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),
}))
"""


def look(level: Level) -> dict:
    code, out, said = run_at(level, (python_at(level), "-I", "-S", "-c", LOOK))
    assert code == 0, said
    found = json.loads(out)
    assert found["environment"].pop("KHIVA_ARENA_MATCH")  # the mark of a match is new each time
    return dict(found)


@pytest.mark.slow
@EVERY_LEVEL
def test_a_bot_begins_the_same_with_and_without_it(
    level: Level, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "program", lambda name: "")
    without = look(level)
    program = compiled_launcher(open_folder)
    monkeypatch.setattr(build, "program", lambda name: program)
    assert look(level) == without


@pytest.fixture
def launcher(tmp_path: Path) -> str:
    return compiled_launcher(tmp_path, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")


def said(launcher: str, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [launcher, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr.count("\n") <= 1
    return done.returncode, done.stderr.removesuffix("\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param([], "no program", id="nothing"),
        pytest.param(["--"], "no program", id="no program"),
        pytest.param(["-d"], "no program", id="an order without its value"),
        pytest.param(["-d", "/", "--"], "no program", id="orders alone"),
        pytest.param(["-x", "1", "--", "/bin/true"], "not an order: 1", id="an unknown letter"),
        pytest.param(["-rr", "/", "--", "/bin/true"], "not an order: /", id="two letters"),
        pytest.param(["-l", "7:64", "--", "/bin/true"], "7:64: not a limit", id="half a limit"),
        pytest.param(
            ["-l", "7:a:b", "--", "/bin/true"], "a: not a number", id="a limit of letters"
        ),
        pytest.param(["-l", "7::", "--", "/bin/true"], ": not a number", id="an empty limit"),
        pytest.param(
            ["-l", "99:1:1", "--", "/bin/true"], "limits: Invalid argument", id="no such limit"
        ),
        pytest.param(
            ["-l", "7:9:5", "--", "/bin/true"], "limits: Invalid argument", id="soft above hard"
        ),
        pytest.param(
            ["-d", "/nope", "--", "/bin/true"], "/nope: No such file or directory", id="no folder"
        ),
        pytest.param(
            ["-g", "zz", "--", "/bin/true"], "seccomp: not a program", id="a filter of no digits"
        ),
        pytest.param(
            ["-g", "00", "--", "/bin/true"], "seccomp: not a program", id="a filter of one byte"
        ),
        pytest.param(
            ["-g", "00" * 8 * 4097, "--", "/bin/true"],
            "seccomp: not a program",
            id="a filter too long",
        ),
        pytest.param(["--", "/nope"], "/nope: No such file or directory", id="no such program"),
        pytest.param(["--", "/"], "/: Permission denied", id="a folder"),
        pytest.param(["-d", "n" * 9000, "--", "/bin/true"], None, id="a path longer than a line"),
    ],
)
def test_a_mistake_is_one_line_and_no_program_runs(
    words: list[str], reason: str | None, launcher: str
) -> None:
    code, line = said(launcher, *words)
    assert code == FAILED
    assert line.startswith(SAYS) if reason is None else line == SAYS + reason


def test_without_landlock_no_program_runs(tmp_path: Path) -> None:
    launcher = compiled_launcher(tmp_path, "-DLANDLOCK_MOST=0")
    assert said(launcher, "-b", "0", "--", "/bin/echo", "ran") == (
        FAILED,
        SAYS + sentence("sandbox", "kernel-no-landlock"),
    )


def test_a_bot_whose_arbiter_is_gone_never_starts(launcher: str) -> None:
    """Process 1 is not the parent of any test."""
    assert said(launcher, "-p", "1", "--", "/bin/echo", "ran") == (FAILED, "")


def test_a_limit_is_never_raised(launcher: str) -> None:
    words = [
        "/bin/sh",
        "-c",
        'ulimit -n 50; exec "$0" "$@"',
        launcher,
        "-l",
        "7:40:90",
        "--",
        "/bin/sh",
        "-c",
        "ulimit -Sn; ulimit -Hn",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["40", "50"]


def test_a_descriptor_that_is_not_open_is_a_mistake(launcher: str) -> None:
    assert said(launcher, "-c", "77", "--", "/bin/true") == (
        FAILED,
        f"{SAYS}a descriptor: Bad file descriptor",
    )


def test_of_a_filter_that_is_too_long_no_part_is_enforced(launcher: str, tmp_path: Path) -> None:
    allows_all = bytes.fromhex("060000000000ff7f")
    filter_ = tmp_path / "filter"
    filter_.write_bytes(allows_all * 4096)
    words = [launcher, "-e", "0", "--", "/bin/echo", "ran"]
    with filter_.open("rb") as stdin:
        done = subprocess.run(
            words, stdin=stdin, capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (
        FAILED,
        "",
        f"{SAYS}seccomp: not a program\n",
    )


def test_the_words_of_a_start() -> None:
    words = launch.argv(
        ["/bin/true", "-x"], {"NOFILE": (1, 2)}, 7, before=["-d", "/"], after=["-f", "00"]
    )[1:]
    parent = words[words.index("-p") + 1]
    assert words == [
        "-d",
        "/",
        "-l",
        "7:1:2",
        "-u",
        "7",
        "-p",
        parent,
        "-f",
        "00",
        "--",
        "/bin/true",
        "-x",
    ]


def test_both_launchers_complain_in_the_same_words() -> None:
    """That of C is seen above."""
    assert SAYS_IN_PYTHON == SAYS
