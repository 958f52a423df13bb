"""A cell of namespaces is the same whether the launcher in C makes a part of it or
bubblewrap, setpriv and prlimit make all.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compilers import compiled_launcher, with_launcher
from levels import SUPPORT
from other_user import as_user, need_user
from tools import lacks, need

from khiva_arena.bots.sandbox import readable_paths, standard
from khiva_arena.bots.sandbox.bubblewrap import SOURCES, Inside, command, command_that_covers
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import ProgramRun, host_refusal, run_at
from khiva_arena.bots.sandbox.launch import SAYS
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.bots.sandbox.prepared import prepare
from khiva_arena.native import build

pytestmark = pytest.mark.slow

NAMESPACED = pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
VIEWER = str(SUPPORT / "cell_view.py")
PYTHON = "/usr/bin/python3"
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
LOOKS = """
import json, sys
from khiva_arena.native import build
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.level import Level
level, viewer, *words = sys.argv[1:]
for launcher in (build.program("launch"), ""):
    build.program = lambda name, launcher=launcher: launcher
    code, out, notes = run_at(Level(level), (*words, viewer, *WORDS), (viewer,))
    print(out.strip() if code == 0 else json.dumps(notes))
"""


@NAMESPACED
@pytest.mark.parametrize("user", ["ours", "ordinary"])
def test_a_bot_sees_the_same_by_both_ways(
    level: Level, user: str, user_home: Path, open_folder: Path
) -> None:
    """All but the mount of what the launcher needs, which is under another mount."""
    launcher = compiled_launcher(open_folder)
    same_for_all = ("/usr", *readable_paths.interpreter())
    code = with_launcher(launcher, LOOKS.replace("WORDS", repr(same_for_all)))
    words = (sys.executable, "-c", code, level, VIEWER, PYTHON, "-I", "-S")
    if user == "ordinary":
        need_user(user_home)
        done = as_user(*words, home=user_home)
    else:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    by_launcher, by_tools = (json.loads(line) for line in done.stdout.splitlines())
    extra = [line for line in by_launcher["mounts"] if line not in by_tools["mounts"]]
    if not extra:
        lacks("the launcher in C cannot make a part of a cell here")
    assert [line.split()[1] for line in extra] == [SOURCES]
    by_launcher["mounts"] = [line for line in by_launcher["mounts"] if line not in extra]
    for name, seen in by_tools.items():
        assert by_launcher[name] == seen, name
    assert len(by_tools["contents"]) > 60
    assert by_tools["contents"][f"{SOURCES}"] == "Is a directory"
    assert not [path for path in by_launcher["files"] if path.startswith(f"{SOURCES}/")]
    assert {by_tools["status"][name] for name in CAPABILITIES} == {"0" * 16}


def words_of_a_start() -> list[str]:
    made = cell(Command(("/bin/true",), "/"), Sandbox(Level.STANDARD), "test")
    made.clean()
    return made.argv


@pytest.mark.usefixtures("standard")
def test_where_the_launcher_cannot_cover_bubblewrap_does(
    monkeypatch: pytest.MonkeyPatch, open_folder: Path
) -> None:
    """As before Linux 5.12, where AppArmor takes capabilities from what bubblewrap
    starts, and where no compiler was.
    """
    covers = shutil.copy(compiled_launcher(open_folder), open_folder / "covers")
    words = {}
    for launcher in (compiled_launcher(open_folder, "-DSET_ATTRIBUTES=9999"), "", str(covers)):
        monkeypatch.setattr(build, "program", lambda name, launcher=launcher: launcher)
        words[launcher] = words_of_a_start()
        assert run_at(Level.STANDARD, ("/bin/true",)).code == 0
    assert ["--seccomp" in argv for argv in words.values()] == [True, True, False]


@pytest.mark.usefixtures("standard")
def test_a_program_that_cannot_start_is_a_complaint_that_is_looked_into(
    monkeypatch: pytest.MonkeyPatch, open_folder: Path
) -> None:
    """The launcher says so as prlimit does: the host is asked whether it refuses every
    program.
    """
    launcher = compiled_launcher(open_folder)
    monkeypatch.setattr(build, "program", lambda name: launcher)
    program = open_folder / "program"
    program.write_text("no program")
    program.chmod(0o755)
    run = run_at(Level.STANDARD, (str(program),), (str(program),))
    assert run == ProgramRun(126, "", f"{SAYS}{program}: Exec format error")
    assert standard.Standard.complaints.count(SAYS) == 1
    monkeypatch.setattr("khiva_arena.bots.sandbox.detect._good_until", {})
    assert host_refusal(Level.STANDARD, run.stderr) == ""
    monkeypatch.setattr("khiva_arena.bots.sandbox.detect._good_until", {})
    monkeypatch.setattr(
        "khiva_arena.bots.sandbox.detect._why_it_fails", lambda level: "no more memory"
    )
    assert host_refusal(Level.STANDARD, run.stderr) == "no more memory"


@pytest.mark.usefixtures("standard")
@pytest.mark.parametrize("user", [None, 1879048192])
def test_without_a_user_of_its_own_it_gets_no_further_user_namespaces(user: int | None) -> None:
    """bubblewrap would see to that by a namespace in which the launcher cannot cover
    anything.
    """
    inside = Inside(("/bin/true",), "/", ("/usr",), (), Resources(), user)
    words = command_that_covers(inside, 3, 4, prepare())
    orders = words[words.index("--") + 1 :]
    assert (" -n 0 -m " in " ".join(orders)) is (user is None)
    assert ("--unshare-user" in words) is (user is None)
    assert orders[orders.index("-k") :] == ["-k", str(user or -1), "-e", "3", "--", "/bin/true"]
    assert "--disable-userns" in command(inside, 3, None, prepare()) or user is not None


OUTER = (
    "bwrap",
    "--unshare-user",
    "--unshare-pid",
    "--dev-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--cap-drop",
    "ALL",
)
HAS = ("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SYS_RESOURCE", "--cap-add", "CAP_SETPCAP")


def inside(launcher: str, *words: str) -> tuple[int, str]:
    """What the launcher and its program say in a user namespace of their own; outside
    its orders would change the machine.
    """
    need("bwrap")
    done = subprocess.run(
        [*OUTER, *HAS, "--", launcher, *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).strip()


def test_no_user_namespace_may_be_made_below(open_folder: Path) -> None:
    """The filter would refuse it, too, and is not there."""
    launcher, enters = compiled_launcher(open_folder), ("unshare", "--user", "/bin/echo", "entered")
    need("unshare")
    assert inside(launcher, "-n", "1", "--", "/usr/bin/env", *enters) == (0, "entered")
    code, text = inside(launcher, "-n", "0", "--", "/usr/bin/env", *enters)
    assert code != 0
    assert "entered" not in text
    assert "No space left on device" in text


def test_a_sealed_folder_stays_as_it_is(open_folder: Path) -> None:
    """Nothing may be written there and no device opened; without capabilities no mount
    can be changed either.
    """
    launcher = compiled_launcher(open_folder)
    orders = ("-m", "/dev/null:/proc/uptime")
    tries = (
        "echo x > /proc/self/comm && echo wrote; cat /proc/uptime && echo read; umount "
        "/proc/uptime && echo unmounted"
    )
    assert inside(launcher, *orders, "--", "/bin/sh", "-c", tries)[1].split() == [
        "wrote",
        "read",
        "unmounted",
    ]
    _, text = inside(launcher, *orders, "-o", "/proc", "--", "/bin/sh", "-c", tries)
    assert {"wrote", "read", "unmounted"} & set(text.split()) == {"unmounted"}
    _, text = inside(
        launcher,
        *orders,
        "-o",
        "/proc",
        "-k",
        "-1",
        "--",
        "/bin/sh",
        "-c",
        f"{tries}; grep Cap /proc/self/status",
    )
    assert not {"wrote", "read", "unmounted"} & set(text.split())
    assert dict(line.split() for line in text.splitlines() if line.startswith("Cap")) == {
        f"{name}:": "0" * 16 for name in CAPABILITIES
    }


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param(
            ["-m", "/proc/uptime"], "/proc/uptime: not a source and a path", id="a mount of nothing"
        ),
        pytest.param(
            ["-m", "/nope:/proc/uptime"], "/proc/uptime: No such file or directory", id="no source"
        ),
        pytest.param(
            ["-m", "/usr:/proc/uptime"], "/proc/uptime: Not a directory", id="a folder over a file"
        ),
        pytest.param(["-n", "many"], "user namespaces: Invalid argument", id="no number"),
        pytest.param(["-o", "/nope"], "/nope: No such file or directory", id="no folder"),
        pytest.param(
            ["-o", "/usr/bin"], "/usr/bin: Invalid argument", id="a folder that is no mount"
        ),
        pytest.param(["-e", "9"], "seccomp: Bad file descriptor", id="no filter"),
        pytest.param(["-e", "0"], "seccomp: not a program", id="an empty filter"),
    ],
)
def test_an_order_that_fails_starts_no_program(
    words: list[str], reason: str, open_folder: Path
) -> None:
    launcher = compiled_launcher(
        open_folder, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"
    )
    assert inside(launcher, *words, "--", "/bin/echo", "ran") == (126, SAYS + reason)
