"""Which isolation levels this machine offers, found by starting a program at each, and the command that gets a missing level."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache

from khiva_arena.sandbox import cell as isolation
from khiva_arena.sandbox import reap, seccomp, stops, system
from khiva_arena.sandbox.cell import kind
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Level, Sandbox

SECONDS = 20
WHERE_TRUE_IS = "/bin:/usr/bin"
GOOD_SECONDS = 10.0
SAID_KEPT = 300
TRIES = 3
_good_until: dict[Level, float] = {}
"""Until when a level that has worked is assumed to work still."""


def why_not(level: Level) -> str:
    """Start a program at a level. Returns "" if it ran, else in a line why not."""
    below = kind(level).needs
    if below is not None and (why := why_not(below)):
        return why
    code, _, stderr = run_at(level, (shutil.which("true", path=WHERE_TRUE_IS) or "true",))
    return "" if code == 0 else stderr or f"exit code {code}"


def run_at(level: Level, words: tuple[str, ...], readable: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Run a program at a level. Returns its exit code and what it wrote on stdout and stderr; -1, "" and why it did not run."""
    if level.confines and (why := system.why_no_levels()):
        return -1, "", why
    if level.confines and not seccomp.supported():
        return -1, "", f"the system calls of {os.uname().machine} are not known to the arena"
    code, out, said = _run_once(level, words, readable)
    for _ in range(TRIES - 1):
        if not stops.by_signal(code):
            break
        # Whoever stops us may have stopped the program first, which says nothing of the level: our own signal comes in this time.
        time.sleep(stops.SETTLES_SECONDS)
        code, out, said = _run_once(level, words, readable)
    return code, out, said


def _run_once(level: Level, words: tuple[str, ...], readable: tuple[str, ...]) -> tuple[int, str, str]:
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
    """For each level, best first, "" if this machine gives it, else why not."""
    return {level: why_not(level) for level in Level}


def best(known: Mapping[Level, str] | None = None) -> Level:
    """The best level that works here, for bots in Python too; those below it are not tried. ``known``: as ``levels`` gives."""
    why = why_not if known is None else known.__getitem__
    confining = (level for level in Level if level.confines)
    return next((level for level in confining if not why(level) and not python_closed(level)), Level.TRUSTED)


def python_closed(level: Level) -> str:
    """Why bots at a level cannot use the arbiter's own Python, "" if they can."""
    return kind(level).out_of_reach(sys.executable)


def refused(level: Level, notes: str) -> str:
    """Whether the host itself refused to start a bot, by what is on the bot's stderr. A bot can write such a line itself: so the
    level is tried again, and only if that fails, too, the host refused. This is done only once in a while, since everything waits
    for it. Returns why, or ""."""
    if not notes.startswith(kind(level).complaints):
        return ""
    if time.monotonic() < _good_until.get(level, 0.0):
        return ""
    why = why_not(level)
    if not why:
        _good_until[level] = time.monotonic() + GOOD_SECONDS
    return why


def remedy(level: Level, why: str) -> str:
    """The exact command that gets a level which ``why`` says is missing; "" if none is known."""
    if level.confines and system.why_no_levels():
        from khiva_arena.sandbox import remedies  # not above: it is for machines that lack something

        return remedies.ELSEWHERE
    below = kind(level).needs
    if below is not None and (why_below := why_not(below)):
        return remedy(below, why_below)
    return kind(level).remedy(why)
