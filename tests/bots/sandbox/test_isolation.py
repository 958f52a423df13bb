"""What each level promises, tried from inside: by root's arbiter where the tests run as
root, and by an ordinary user's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from compilers import WAYS, compiled_launcher, with_launcher
from in_targets import soak_but_every
from levels import EVERY_LEVEL, KEEPING, python_at
from other_user import arena_as_user, as_user, need_user

from khiva_arena.bots.sandbox import basic, readable_paths, uids
from khiva_arena.bots.sandbox.cell import cell, kind
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import (
    KEPT_OUT,
    ProgramRun,
    best,
    checkup,
    levels,
    python_closed,
    run_at,
)
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.native import build

pytestmark = pytest.mark.slow

NOTHING: dict[str, list[str]] = {name: [] for name in KEPT_OUT}
TRIES_BASIC = (
    "import json; from khiva_arena.bots.sandbox.level import Level; from "
    "khiva_arena.bots.sandbox.detect import checkup; print(json.dumps(checkup(Level.BASIC)))"
)


def nothing_gets_through(code: str, launcher: str, home: Path) -> None:
    """Code that prints a checkup finds nothing, as an ordinary user. ``launcher``: the
    path of that in C, "" for none.
    """
    done = as_user(sys.executable, "-c", with_launcher(launcher, code), home=home)
    found, note = json.loads(done.stdout)
    assert {name: found[name] for name in KEPT_OUT} == NOTHING, note
    assert found["scratch"] == ["HOME"]


@KEEPING
@WAYS
def test_nothing_that_is_tried_gets_through(
    level: Level, built: bool, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = compiled_launcher(open_folder) if built else ""
    monkeypatch.setattr(build, "program", lambda name: launcher)
    found, note = checkup(level)
    assert {name: found[name] for name in KEPT_OUT} == NOTHING, note
    assert found["scratch"] == ["HOME"]


@pytest.mark.usefixtures("basic")
@pytest.mark.parametrize("version", soak_but_every([1, 2, 3, 4, 5], 4))
def test_an_older_kernels_landlock_keeps_out_the_same(
    version: int, user_home: Path, open_folder: Path
) -> None:
    """What a kernel with less of it would do: the launcher is told so. As an ordinary
    user, to whom nearly all belongs.
    """
    need_user(user_home)
    launcher = open_folder / "launcher.py"
    text = (Path(basic.HERE) / "launcher.py").read_text()
    assert text.count("return max(0, int(syscall(") == 1
    launcher.write_text(
        text.replace("return max(0, int(syscall(", f"return min({version}, int(syscall(")
    )
    launcher.chmod(0o644)
    nothing_gets_through(
        f"from khiva_arena.bots.sandbox import basic; basic.HERE = {str(open_folder)!r}; "
        f"{TRIES_BASIC}",
        "",
        user_home,
    )


@pytest.mark.usefixtures("basic")
@pytest.mark.parametrize("version", soak_but_every([1, 2, 3, 4, 5, 1000], 5))
def test_the_launcher_in_c_keeps_out_the_same(
    version: int, user_home: Path, open_folder: Path
) -> None:
    """Also on a kernel with less Landlock, and as an ordinary user."""
    need_user(user_home)
    launcher = compiled_launcher(open_folder, f"-DLANDLOCK_MOST={version}")
    nothing_gets_through(TRIES_BASIC, launcher, user_home)


def test_each_attempt_gets_through_where_nothing_holds_it() -> None:
    """Or it would prove nothing of the other levels. As an ordinary user some are
    refused for other reasons.
    """
    found, _ = checkup(Level.TRUSTED)
    assert all(found[name] for name in KEPT_OUT)
    assert {"AF_INET", "AF_UNIX"} <= set(found["network"])
    assert {"cmdline", "task", "status"} <= set(found["spy"])
    assert {"flock", "fcntl", "description"} <= set(found["lock"])
    assert {"kill", "group", "pidfd", "owner"} <= set(found["signal"])


@WAYS
def test_an_ordinary_users_arbiter_keeps_out_the_same(
    built: bool, user_home: Path, open_folder: Path
) -> None:
    need_user(user_home)
    launcher = compiled_launcher(open_folder) if built else ""
    code = with_launcher(launcher, "from khiva_arena.interface.cli.start import main; main()")
    done = as_user(sys.executable, "-c", code, "doctor", "--json", home=user_home)
    rows = json.loads(done.stdout)
    assert rows["root"] is False
    for level in (Level.STANDARD, Level.BASIC):
        row = rows["levels"][level]
        if not levels()[level]:
            assert row["works"], row["why_not"]
        if row["works"]:
            assert (row["lets_through"], row["note"]) == ({}, "")
    assert done.returncode == (1 if rows["best"] == "trusted" else 0)


@pytest.mark.soak
@pytest.mark.parametrize("level", [Level.STANDARD, Level.BASIC], indirect=True)
def test_an_ordinary_user_plays_the_shipped_bots(level: Level, user_home: Path) -> None:
    need_user(user_home)
    run = (
        "run",
        "--shipped",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--lineups",
        "3",
        "--seed",
        "rootless",
        "--rule",
        "max_turns=2",
    )
    done = arena_as_user(*run, "--isolation", level, "--out", "results", "--json", home=user_home)
    table = json.loads(done.stdout)["standings"][0]
    assert table["isolation"] == level
    assert all(sum(row["faults"].values()) == 0 for row in table["rows"]), done.stdout
    arena_as_user("verify", "results", home=user_home)


LOOKS = """
import json, os, sys
from contextlib import suppress
found = {}
for what in sys.argv[1:]:
    try:
        found[what] = os.listdir(what) if os.path.isdir(what) else open(what).read(80)
    except OSError as error:
        found[what] = error.strerror
found["environment"] = sorted(os.environ)
found["descriptors"] = []
for number in range(256):
    with suppress(OSError):
        os.fstat(number)
        found["descriptors"].append(number)
found["user"] = [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()]
found["status"] = [line.split()[1] for line in open("/proc/self/status")
    if line.startswith(("CapEff", "CapBnd", "NoNewPrivs"))]
print(json.dumps(found))
"""


def look(level: Level, *paths: str) -> dict:
    code, out, said = run_at(level, (python_at(level), "-I", "-S", "-c", LOOKS, *paths))
    assert code == 0, said
    return dict(json.loads(out))


@EVERY_LEVEL
def test_nothing_is_inherited(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_RUN_SEED", "secret")
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    found = look(level)
    os.close(reading)
    os.close(writing)
    assert found["descriptors"] == [0, 1, 2]
    assert {"HOME", "TMPDIR", "PATH", "LANG"} <= set(found["environment"])
    assert "KHIVA_ARENA_RUN_SEED" not in found["environment"]


@KEEPING
def test_it_has_no_rights_and_cannot_get_any(level: Level) -> None:
    found = look(level)
    effective, bounding, no_new_privileges = (
        found["status"] if len(found["status"]) == 3 else (*found["status"], "")
    )
    assert int(effective, 16) == 0
    assert no_new_privileges == "1" or int(bounding, 16) == 0
    user, effective_user, group, groups = found["user"]
    assert user == effective_user
    if os.geteuid() == 0:
        assert uids.is_ours(user)
        assert (group, groups) == (user, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's arbiter can give users")
def test_under_root_every_bot_is_a_user_of_its_own() -> None:
    found = [uids.next_user() for _ in range(uids.BOTS)]
    assert len(set(found)) == uids.BOTS
    assert all(
        user is not None and uids.is_ours(user) and os.getpid() in uids.arbiters_of(user)
        for user in found
    )


@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
def test_the_file_system_inside_is_nearly_empty(level: Level) -> None:
    found = look(
        level, "/", "/dev", "/proc", "/proc/stat", "/proc/loadavg", "/tmp", "/dev/shm", "/scratch"
    )
    shown = [
        *readable_paths.interpreter(),
        *(path for path in readable_paths.ELSEWHERE if os.path.isdir(path)),
    ]
    assert not {"root", "home", "tmp", "var", "opt", "srv", "mnt", "sys", "run"} & {
        name for name in found["/"] if not any(path.startswith(f"/{name}/") for path in shown)
    }
    if os.path.isdir("/var/lib/ghc/package.conf.d"):  # and of /var nothing else
        ways = {"/var": ["lib"], "/var/lib": ["ghc"], "/var/lib/ghc": ["package.conf.d"]}
        inside = look(level, *ways)
        assert {path: inside[path] for path in ways} == ways
    assert not {"sda", "mem", "kmsg", "fuse", "net", "kvm"} & set(found["/dev"])
    assert found["/dev/shm"] == found["/scratch"] == []
    assert len([name for name in found["/proc"] if name.isdigit()]) <= 2
    assert all(
        field == "0" for line in found["/proc/stat"].splitlines()[:1] for field in line.split()[1:]
    )


@KEEPING
def test_a_staged_bot_cannot_change_itself_or_see_others(level: Level, open_folder: Path) -> None:
    own, other = open_folder / "own", open_folder / "other"
    for folder in (own, other):
        folder.mkdir(mode=0o777)
        (folder / "bot.py").write_text(LOOKS)
        (folder / "bot.py").chmod(0o666)
        folder.chmod(0o777)
    tries = (
        "import sys\nfor path in sys.argv[1:]:\n try: open(path, 'a').close(); print('wrote', "
        "path)\n except OSError: pass\n"
    )
    (own / "bot.py").write_text(tries)
    files = [str(own / "bot.py"), str(own / "new"), str(other / "bot.py"), str(other / "new")]
    made = cell(
        Command((python_at(level), "bot.py", *files), str(own), staged=True), Sandbox(level), "test"
    )
    try:
        done = subprocess.run(
            made.argv,
            cwd=made.folder,
            env=made.environment,
            pass_fds=made.descriptors,
            capture_output=True,
            check=False,
        )
    finally:
        made.clean()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sorted(path.name for path in open_folder.rglob("*")) == [
        "bot.py",
        "bot.py",
        "other",
        "own",
    ]
    assert look(level, str(other))[str(other)] in ("No such file or directory", "Permission denied")


def test_a_prefix_that_holds_the_folder_of_the_arbiter_is_no_toolchain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bin", "lib", "results"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "bot"
    program.write_text("")
    assert readable_paths.toolchain(str(program)) == (str(tmp_path),)
    monkeypatch.chdir(tmp_path)
    assert readable_paths.toolchain(str(program)) == (str(program),)
    monkeypatch.chdir(tmp_path / "results")
    assert readable_paths.toolchain(str(program)) == (str(program),)


def test_a_program_that_is_not_there_is_said_so() -> None:
    with pytest.raises(FileNotFoundError, match="no such program: /nowhere/bot"):
        cell(Command(("/nowhere/bot",), "/"), Sandbox(Level.TRUSTED), "test")


@EVERY_LEVEL
def test_nothing_stays_behind_a_cell_that_never_ran(level: Level) -> None:
    before = set(os.listdir("/proc/self/fd"))
    look(level)  # what is made once for all
    before = set(os.listdir("/proc/self/fd"))
    made = cell(Command(("/bin/true",), "/"), Sandbox(level, Resources()), "test")
    home = made.scratch
    made.clean()
    assert set(os.listdir("/proc/self/fd")) == before
    assert home is None or not os.path.exists(home)


def test_the_best_level_is_the_first_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    assert best() == next(
        level for level in Level if not levels()[level] and not python_closed(level)
    )
    monkeypatch.setattr(
        "khiva_arena.bots.sandbox.detect.why_not",
        lambda level, _known: "" if level is Level.TRUSTED else "no",
    )
    assert best() is Level.TRUSTED


def test_no_level_is_tried_twice_to_find_the_best_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Level] = []

    def only_standard(level: Level, _words: tuple[str, ...]) -> ProgramRun:
        tried.append(level)
        return ProgramRun(0 if level is Level.STANDARD else 1, "", "")

    monkeypatch.setattr("khiva_arena.bots.sandbox.detect.run_at", only_standard)
    monkeypatch.setattr("khiva_arena.bots.sandbox.detect.python_closed", lambda level: "")
    assert best() is Level.STANDARD
    assert tried == [Level.STANDARD, Level.STRICT]
    tried.clear()
    assert [level for level, why in levels.__wrapped__().items() if not why] == [Level.STANDARD]
    assert sorted(tried) == sorted(Level)


def test_every_level_has_a_cell_of_its_own() -> None:
    """A level is a line in Level and the module of its name."""
    assert [kind(level).__name__ for level in Level] == ["Strict", "Standard", "Basic", "Trusted"]
    assert [level for level in Level if not level.confines] == [Level.TRUSTED]
