"""Which isolation levels this machine gives, found by starting a program at each, and the command that gets a level it lacks."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from khiva_arena.arbiter import cgroup, isolation, reap, seccomp
from khiva_arena.arbiter.isolation import Level, Sandbox
from khiva_arena.arbiter.readable import closed_to_others
from khiva_arena.arbiter.wire import Command

SECONDS = 20
GOOD_SECONDS = 10.0
INSTALL = {"debian": "apt install", "fedora": "dnf install", "arch": "pacman -S", "alpine": "apk add", "suse": "zypper install"}
SAID_KEPT = 300
_good_until: dict[Level, float] = {}
"""Until when a level that was seen to work is taken to do so."""


def why_not(level: Level) -> str:
    """Start a program at a level. Returns "" if it ran, else in a line why not."""
    if level is Level.STRICT and (why := why_not(Level.STANDARD)):
        return why  # it needs all that standard needs, and that is to be had first
    code, _, said = run_at(level, ("/bin/true",))
    return "" if code == 0 else said or f"exit code {code}"


def run_at(level: Level, words: tuple[str, ...], readable: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Run a program at a level. Returns its exit code and what it wrote on stdout and stderr; -1, "" and why it did not run."""
    if level is not Level.TRUSTED and not sys.platform.startswith("linux"):
        return -1, "", "only Linux has it"
    if level is not Level.TRUSTED and not seccomp.supported():
        return -1, "", f"the system calls of {os.uname().machine} are not known to the arena"
    try:
        cell = isolation.cell(Command(words, "/", {}, readable), Sandbox(level), reap.new_mark())
    except OSError as error:
        return -1, "", str(error) if error.strerror is None or error.filename else error.strerror
    try:
        done = subprocess.run(
            cell.argv,
            cwd=cell.folder,
            env=cell.environment,
            pass_fds=cell.descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, "", str(error)
    finally:
        cell.clean()
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()[-SAID_KEPT:]


@cache
def levels() -> dict[Level, str]:
    """For each level, best first, "" where this machine gives it, else why not."""
    return {level: why_not(level) for level in Level}


def best(known: Mapping[Level, str] | None = None) -> Level:
    """The best level that works here, for bots in Python too; those below it are not tried. ``known``: as ``levels`` gives."""
    why = why_not if known is None else known.__getitem__
    for level in (Level.STRICT, Level.STANDARD, Level.BASIC):
        if not why(level) and not (level is Level.BASIC and python_closed()):
            return level
    return Level.TRUSTED


def python_closed() -> str:
    """At level basic root's bots run as users of their own: what keeps them from the arbiter's own Python, "" if nothing."""
    return closed_to_others(sys.executable) if os.geteuid() == 0 else ""


def refused(level: Level, notes: str) -> str:
    """Whether what a bot that failed to start left on stderr is the host's own refusal. A bot can write such a line itself: so
    the level is tried again, and only if that fails, too, is it the host's; but once in a while only, since it holds everything
    up. Returns why, or ""."""
    if not notes.startswith(
        ("bwrap: ", "khiva-arena launcher: ", "setpriv: ", "prlimit: ", "/sys/fs/cgroup/", "sh: ", "/bin/sh: ")
    ):
        return ""
    if time.monotonic() < _good_until.get(level, 0.0):
        return ""
    why = why_not(level)
    if not why:
        _good_until[level] = time.monotonic() + GOOD_SECONDS
    return why


def remedy(level: Level, why: str) -> str:
    """The exact command that gets a level which ``why`` says is missing; "" where none is known."""
    if level is Level.STANDARD:
        return _remedy_of_bubblewrap(why)
    if level is not Level.STRICT:
        return ""
    if standard := why_not(Level.STANDARD):
        return _remedy_of_bubblewrap(standard)
    if shutil.which("systemd-run") and Path("/run/systemd/system").exists():
        user = "" if os.geteuid() == 0 else " --user"
        return f"systemd-run{user} --scope -p Delegate=yes -- khiva-arena run ..."
    if "memory" not in _reads("/sys/fs/cgroup/cgroup.controllers"):
        return "boot with cgroup_no_v1=all on the kernel's command line, and mount -t cgroup2 cgroup2 /sys/fs/cgroup"
    leaf = f"/sys/fs/cgroup/khiva-arena/{cgroup.ARBITERS}"
    hand_on = 'echo "+memory +pids" > /sys/fs/cgroup/cgroup.subtree_control'
    enter = f"{hand_on}; mkdir -p {leaf} && echo 0 > {leaf}/cgroup.procs && exec khiva-arena run ..."
    return f"sh -c '{enter}'" if os.geteuid() == 0 else ""


def _remedy_of_bubblewrap(why: str) -> str:
    for package in ("bubblewrap", "util-linux"):
        if why.startswith(package):
            return f"{'' if os.geteuid() == 0 else 'sudo '}{_install()} {package}"
    if _reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if _reads("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _reads("/proc/sys/user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=15000"
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined ..."
    return ""


def _install() -> str:
    words = (_reads("/etc/os-release") + "\n").replace('"', "").splitlines()
    like = " ".join(line.partition("=")[2] for line in words if line.startswith(("ID=", "ID_LIKE=")))
    return next((command for name, command in INSTALL.items() if name in like), "install the package")


def _reads(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
