"""Run a command as an ordinary user, where the tests run as root: root's home, in which
the interpreter or this copy may lie, is closed to others, so that user gets a mount
namespace in which the way there is open and nothing else of it is to be seen.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from levels import ROOT
from tools import lacks, need

USER = 1234
SECONDS = 120


def as_user(
    *words: str, home: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command as an ordinary user whose home is ``home``, and who has a cache of
    staged bots of his own there.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "KHIVA_ARENA_CACHE": str(home / "cache"),
    }
    prefix = _into_namespace() if os.geteuid() == 0 else []
    if prefix:
        os.chown(home, USER, USER)
        for folder in (home, *home.parents):
            if folder.stat().st_mode & 0o001 == 0 and str(folder).startswith("/tmp/"):
                folder.chmod(folder.stat().st_mode | 0o011)
    return subprocess.run(
        [*prefix, *words],
        cwd=home,
        env=environment | (env or {}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def arena_as_user(
    *words: str, home: Path, code: int = 0, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command line as an ordinary user has it."""
    done = as_user(sys.executable, "-m", "khiva_arena", *words, home=home, env=env)
    assert done.returncode == code, (
        f"exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    )
    return done


def _into_namespace() -> list[str]:
    need("bwrap")
    need("setpriv")
    words = [shutil.which("bwrap") or "", "--dev-bind", "/", "/"]
    needed = sorted({sys.base_prefix, sys.prefix, str(ROOT)})
    opened: set[str] = set()
    for path in needed:
        closed = next(
            (str(one) for one in [*Path(path).parents][::-1] if one.stat().st_mode & 0o001 == 0),
            None,
        )
        if closed is None:
            continue
        if closed not in opened:
            words += ["--perms", "0755", "--tmpfs", closed]
            opened.add(closed)
        between = [
            str(one) for one in [*Path(path).parents][::-1] if str(one).startswith(closed + "/")
        ]
        for folder in between:
            words += ["--perms", "0755", "--dir", folder]
        words += ["--ro-bind", path, path]
    user = str(USER)
    return [*words, "--", "setpriv", "--reuid", user, "--regid", user, "--clear-groups"]


def need_user(home: Path) -> None:
    """Skip, loudly, where a command cannot be run as an ordinary user."""
    done = as_user("true", home=home)
    if done.returncode:
        lacks(f"no command runs as an ordinary user here: {done.stderr.strip()}")
