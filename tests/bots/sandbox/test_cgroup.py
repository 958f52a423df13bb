"""Control groups: on a tree of plain files, and on a real one where such is mounted and
may be written.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tools import lacks
from waiting import until

from khiva_arena.bots.sandbox import cgroup, remedies
from khiva_arena.bots.sandbox.cgroup import ARBITERS, BOTS, Group, home, own_group, sweep
from khiva_arena.bots.sandbox.detect import remedy
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import MIB, Resources

pytestmark = pytest.mark.slow

NOBODY = 1 << 22  # no process has a number as high as that
SECONDS = 120.0


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    home.cache_clear()
    yield
    home.cache_clear()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The group of this process, delegated, as far as plain files can be one."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (own / "cgroup.subtree_control").write_text("")
    (own / "cgroup.procs").write_text(f"{os.getpid()}\n")
    monkeypatch.setattr(cgroup, "own_group", lambda: own)
    return own


def test_the_arbiter_moves_into_a_leaf_and_hands_the_controllers_on(tree: Path) -> None:
    assert home() == tree
    assert (tree / ARBITERS / "cgroup.procs").read_text() == "0"
    assert (tree / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_a_worker_of_the_arbiter_finds_the_same_home(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "own_group", lambda: tree / ARBITERS)
    assert home() == tree
    assert not (tree / ARBITERS).exists()


@pytest.mark.parametrize(
    ("controllers", "what"),
    [
        ("cpu io", "memory and pids"),
        ("cpu memory", "pids"),
        ("pids", "memory"),
        ("", "memory and pids"),
    ],
)
def test_what_it_was_not_given_is_named(tree: Path, controllers: str, what: str) -> None:
    (tree / "cgroup.controllers").write_text(controllers)
    with pytest.raises(OSError, match=f"was not given {what}$"):
        home()


def test_a_group_with_others_in_it_cannot_hand_controllers_on(tree: Path) -> None:
    (tree / "cgroup.subtree_control").unlink()
    (tree / "cgroup.subtree_control").mkdir(
        mode=0o777
    )  # writing there fails, as it does where a process is left
    with pytest.raises(OSError, match="has other processes in it"):
        home()


def test_a_group_is_given_the_limits(tree: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Group(Resources(), tree / "nowhere")
    group = Group(Resources(memory=64 * MIB, processes=7), tree)
    assert (group.path / "memory.max").read_text() == str(64 * MIB)
    assert int((group.path / "pids.max").read_text()) >= 7
    assert not (group.path / "memory.swap.max").exists()
    other = Group(Resources(), tree)
    assert other.path != group.path


def test_counters_are_read(tree: Path) -> None:
    group = Group(Resources(), tree)
    assert group.event("memory.events", "oom_kill") == 0
    (group.path / "memory.events").write_text("low 0\nhigh 0\noom 2\noom_kill 3\n")
    assert group.event("memory.events", "oom_kill") == 3
    assert group.event("memory.events", "nothing") == 0


def test_ending_a_group_that_is_gone_is_no_error(tree: Path) -> None:
    group = Group(Resources(), tree)
    for file in group.path.iterdir():
        file.unlink()
    group.remove()
    group.remove()
    group.kill()
    group.freeze(True)
    assert not group.path.exists()


def test_a_group_that_does_not_become_empty_is_an_error(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "REMOVE_SECONDS", 0.01)
    group = Group(Resources(), tree)
    with pytest.raises(OSError):
        group.remove()


def test_sweeping_takes_what_dead_arbiters_left_alone(tmp_path: Path) -> None:
    dead, alive, foreign = (
        tmp_path / name for name in (f"{BOTS}-{NOBODY}-0", f"{BOTS}-{os.getpid()}-0", "user.slice")
    )
    for folder in (dead, alive, foreign):
        folder.mkdir()
    sweep(tmp_path)
    # Files cannot be removed with their folder, as they are in a real one: that it was
    # to be killed is what is seen.
    assert (dead / "cgroup.kill").read_text() == "1"
    assert not (alive / "cgroup.kill").exists()
    assert not (foreign / "cgroup.kill").exists()


def test_the_remedy_is_the_delegating_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("khiva_arena.bots.sandbox.detect.why_not", lambda level: "")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    exists = os.path.exists
    monkeypatch.setattr(
        "os.path.exists", lambda path: str(path) == "/run/systemd/system" or exists(path)
    )
    monkeypatch.setattr(remedies, "_reads", lambda path: "cpu memory pids")
    for user, word in ((1000, " --user"), (0, "")):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert (
            remedy(Level.STRICT, "not delegated")
            == f"systemd-run{word} --scope -p Delegate=yes -- khiva-arena run ..."
        )


# --- a real one ---


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A group of our own. Without the controllers, which few machines hand out, limits
    are plain files that cannot be made: so none is set.
    """
    try:
        place = own_group() / f"khiva-arena-test-{os.getpid()}"
        place.mkdir()
    except OSError as error:
        lacks(f"no control group of version 2 may be made here: {error}", may=True)
    if "memory" not in (place / "cgroup.controllers").read_text():
        monkeypatch.setattr(Group, "_set", _unless_missing(Group._set))
    yield place
    for path in (*place.glob("*/"), place):
        with suppress(OSError):
            (path / "cgroup.kill").write_text("1")
    until = time.monotonic() + SECONDS
    while place.exists() and time.monotonic() < until:
        with suppress(OSError):
            for path in (*place.glob("*/"), place):
                path.rmdir()
    assert not place.exists()


def _unless_missing(set_: object) -> object:
    def only_what_is_there(self: Group, name: str, value: int) -> None:
        if (self.path / name).exists():
            set_(self, name, value)  # type: ignore[operator]

    return only_what_is_there


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def entered(group: Group, *words: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(group.entering(list(words)), stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read(1) == b"+"
    return process


# Says when it is inside, and leaves a daemon that is in no group or session of its
# parent's.
BUSY = "printf +; setsid sh -c 'while :; do :; done' >&- & while :; do :; done"


def test_a_process_enters_is_frozen_and_killed_with_all_it_started(real: Path) -> None:
    group = Group(Resources(), real)
    process = entered(group, "sh", "-c", BUSY)
    assert process.stdout
    inside = [int(line) for line in (group.path / "cgroup.procs").read_text().split()]
    assert process.pid in inside
    group.freeze(True)
    assert until(lambda: "frozen 1" in (group.path / "cgroup.events").read_text())
    before = _ticks(process.pid)
    time.sleep(0.2)
    assert _ticks(process.pid) <= before + 1
    group.freeze(False)
    assert until(lambda: _ticks(process.pid) > before + 1)
    group.freeze(True)
    group.kill()  # what is frozen dies, too
    assert process.wait(timeout=SECONDS) == -9
    process.stdout.close()
    group.remove()
    assert not group.path.exists()


def test_sweeping_kills_what_a_dead_arbiter_left(real: Path) -> None:
    left = Group(Resources(), real)
    process = entered(left, "sh", "-c", BUSY)
    assert process.stdout
    named = real / f"{BOTS}-{NOBODY}-0"
    named.mkdir()
    (named / "cgroup.procs").write_text(str(process.pid))
    sweep(real)
    assert process.wait(timeout=SECONDS) == -9
    process.stdout.close()
    assert until(lambda: (sweep(real), not named.exists())[1])
    left.kill()
    left.remove()


def _ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
