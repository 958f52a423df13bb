"""Nothing that another bot, or the next match, can look at can be changed: no file,
folder, link or device outside of the bot's own memory and scratch, in no way.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from levels import KEEPING, SUPPORT, python_at
from other_user import as_user, need_user

from khiva_arena.bots.sandbox import proc_mask, readable_paths
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.slow

PROBE = str(SUPPORT / "writable.py")
OWN_FOLDERS = {"/scratch", "/dev/shm"}


def tops() -> list[str]:
    """Everything, and by name what cannot be listed at every level. Never at a level
    that does not confine.
    """
    system = [path for path in readable_paths.system() if not os.path.isdir(path)]
    own = [f"/proc/self/{name}" for name in (*proc_mask.OF_ITSELF, "autogroup", "task")]
    return [
        "/",
        "/proc",
        *system,
        *own,
        *readable_paths.DEVICES,
        "/dev/ptmx",
        "/dev/pts",
        "/dev/tty",
        "/usr/bin/env",
        PROBE,
    ]


def holds(out: str) -> None:
    """Check what the probe says: all that can be changed is a folder of its own, and
    devices can be written to.
    """
    found = json.loads(out)
    assert found["tried"] >= len(readable_paths.DEVICES) + 30, (
        "it saw next to nothing: that proves nothing"
    )
    changed = {path: names for path, names in found["changed"].items() if path not in OWN_FOLDERS}
    assert changed == {path: ["open"] for path in readable_paths.DEVICES}


@KEEPING
def test_nothing_can_be_changed_that_anybody_else_sees(level: Level) -> None:
    code, out, said = run_at(level, (python_at(level), "-I", "-S", PROBE, *tops()), (PROBE,))
    assert code == 0, said
    holds(out)


@pytest.mark.parametrize("level", [Level.STANDARD, Level.BASIC], indirect=True)
def test_an_ordinary_users_bots_change_nothing_of_theirs(level: Level, user_home: Path) -> None:
    """To whom the files belong that they run from."""
    need_user(user_home)
    probe = user_home / "writable.py"
    probe.write_text(Path(PROBE).read_text())
    os.chown(probe, 1234, 1234)
    code = (
        "import sys; from khiva_arena.bots.sandbox.detect import run_at; from "
        "khiva_arena.bots.sandbox.level import Level; code, out, said = run_at(Level(sys.argv[1]), "
        "(sys.executable, '-I', '-S', *sys.argv[2:]), (sys.argv[2],)); print(out); sys.exit(said "
        "if code else 0)"
    )
    done = as_user(sys.executable, "-c", code, level, str(probe), *tops(), home=user_home)
    assert done.returncode == 0, done.stderr
    holds(done.stdout)


def test_the_probe_finds_what_can_be_changed(tmp_path: Path) -> None:
    """Or it would prove nothing."""
    (tmp_path / "file").write_text("")
    code, out, said = run_at(
        Level.TRUSTED, (sys.executable, "-I", "-S", PROBE, str(tmp_path), "/dev/null"), (PROBE,)
    )
    assert code == 0, said
    changed = json.loads(out)["changed"]
    assert {"times", "make"} <= set(changed[str(tmp_path)])
    assert {"times", "mode", "owner", "open"} <= set(changed[str(tmp_path / "file")])
    assert {"times", "open"} <= set(changed["/dev/null"])
