"""The isolation levels of this machine, found by starting a program at each and by
attempts to escape, and remedies.

The real effect of a level is tried, too: a program inside makes attempts, see
escape_attempts.py.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import cell as isolation
from khiva_arena.bots.sandbox import reap, refused_calls, seccomp, stops, system
from khiva_arena.bots.sandbox.cell import kind
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox

SECONDS = 20
WHERE_TRUE_IS = "/bin:/usr/bin"
GOOD_SECONDS = 10.0
SAID_KEPT = 300
TRIES = 3
_good_until: dict[Level, float] = {}
"""The time until which a level that has worked is assumed to work still."""

ATTEMPTS = str(Path(__file__).with_name("escape_attempts.py"))
KEPT_OUT = {
    "network": "opens a socket",
    "read": "reads the arbiter's files",
    "write": "writes outside its scratch folder",
    "spy": "looks at other processes",
    "signal": "sends signals to other processes",
    "change": "changes other processes",
    "lock": "talks to another bot through a lock",
    "leave": "leaves its process group",
    "kernel": "uses parts of the kernel that no bot needs",
}
OTHER_PYTHON = "/usr/bin/python3"
Attempts = dict[str, list[str]]


def why_not(level: Level, known: dict[Level, str] | None = None) -> str:
    """Start a program at a level. Return "" if it ran, else the reason in a
    line. ``known``: what was found by tries just now; it gets what this one finds.
    """
    known = {} if known is None else known
    if level not in known:
        below = kind(level).needs
        known[level] = (why_not(below, known) if below is not None else "") or _why_it_fails(level)
    return known[level]


def _why_it_fails(level: Level) -> str:
    run = run_at(level, (shutil.which("true", path=WHERE_TRUE_IS) or "true",))
    return (
        ""
        if run.code == 0
        else run.stderr or ("it did not run" if run.code is None else f"exit code {run.code}")
    )


class ProgramRun(NamedTuple):
    """A run of a program at a level.

    code: the exit code, None if it did not run
    stdout: the output
    stderr: the error output, or the reason why it did not run
    """

    code: int | None
    stdout: str
    stderr: str


def run_at(level: Level, words: tuple[str, ...], readable: tuple[str, ...] = ()) -> ProgramRun:
    """Run a program at a level."""
    if level.confines and (why := system.why_no_levels()):
        return ProgramRun(None, "", why)
    if level.confines and not seccomp.supported():
        return ProgramRun(
            None, "", f"the system calls of {os.uname().machine} are not known to the arena"
        )
    run = _run_once(level, words, readable)
    for _ in range(TRIES - 1):
        if not stops.by_signal(run.code):
            break
        # A stop may have hit the program first, which says nothing of the level: the
        # signal for this process comes in this time.
        time.sleep(stops.SETTLES_SECONDS)
        run = _run_once(level, words, readable)
    return run


def _run_once(level: Level, words: tuple[str, ...], readable: tuple[str, ...]) -> ProgramRun:
    try:
        cell = isolation.cell(Command(words, "/", {}, readable), Sandbox(level), reap.new_mark())
    except OSError as error:
        return ProgramRun(
            None, "", str(error) if error.strerror is None or error.filename else error.strerror
        )
    try:
        program = subprocess.run(
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
        return ProgramRun(None, "", str(error))
    finally:
        cell.clean()
    stdout, stderr = (
        program.stdout.decode(errors="replace"),
        program.stderr.decode(errors="replace"),
    )
    return ProgramRun(program.returncode, stdout, stderr.strip()[-SAID_KEPT:])


@cache
def levels() -> dict[Level, str]:
    """Return for each level, best first, "" if this machine gives it, else the
    reason.
    """
    known: dict[Level, str] = {}
    return {level: why_not(level, known) for level in Level}


def best(results: Mapping[Level, str] | None = None) -> Level:
    """Return the best level that works here, for bots in Python too; levels below it
    are not tried. ``results``: a result of ``levels``.
    """
    known = {} if results is None else dict(results)
    confining = (level for level in Level if level.confines)
    return next(
        (level for level in confining if not why_not(level, known) and not python_closed(level)),
        Level.TRUSTED,
    )


def python_closed(level: Level) -> str:
    """Return why bots at a level cannot use the arbiter's own Python, "" if they
    can.
    """
    return kind(level).out_of_reach(sys.executable)


def host_refusal(level: Level, notes: str) -> str:
    """Return why the host itself refused to start a bot, as the bot's stderr tells, ""
    if it did not.

    A bot can write such a line itself. So the level is tried again, and only if that
    fails, too, the host refused. This is done only once in a while, since everything
    waits for it.
    """
    if not notes.startswith(kind(level).complaints):
        return ""
    if time.monotonic() < _good_until.get(level, 0.0):
        return ""
    why = why_not(level)
    if not why:
        _good_until[level] = time.monotonic() + GOOD_SECONDS
    return why


def remedy(level: Level, why: str) -> str:
    """Return the exact command that gets a level which ``why`` says is missing; "" if
    none is known.
    """
    if level.confines and system.why_no_levels():
        # not above: it is for machines that lack something
        from khiva_arena.bots.sandbox import remedies

        return remedies.elsewhere()
    below = kind(level).needs
    if below is not None and (why_below := why_not(below)):
        return remedy(below, why_below)
    return kind(level).remedy(why)


class Checkup(NamedTuple):
    """The real effect of a level.

    attempts: those that succeeded, by name in KEPT_OUT; no names if nothing could be
        tried
    note: a line with anything else to report
    """

    attempts: Attempts
    note: str


def checkup(level: Level) -> Checkup:
    """Try to break out of a level."""
    note = ""
    for python in dict.fromkeys((sys.executable, OTHER_PYTHON)):
        attempts, why = _try(level, python)
        if attempts:
            return Checkup(attempts, note)
        note = note or f"{python} does not run here, so bots in Python do not: {why}"
    return Checkup({}, note)


def _try(level: Level, python: str) -> tuple[Attempts, str]:
    with tempfile.TemporaryDirectory(prefix="khiva-arena-checkup-") as folder:
        # Open to everyone, so that only the level keeps a bot out.
        file = Path(folder, "private")
        file.write_text("secret")
        file.chmod(0o666)
        os.chmod(folder, 0o777)
        has_levels = (
            seccomp.supported() and not system.why_no_levels()
        )  # elsewhere a number means another call
        clone, calls = (
            (seccomp.number(refused_calls.CLONE), seccomp.refused_here()) if has_levels else (0, {})
        )
        request = {
            "arbiter": os.getpid(),
            "file": str(file),
            "folder": folder,
            "calls": calls,
            "clone": clone,
        }
        words = (python, "-I", "-S", ATTEMPTS, json.dumps(request))
        code, out, error = run_at(level, words, (ATTEMPTS,))
    try:
        attempts = dict(json.loads(out)) if code == 0 else {}
        return (
            attempts
            if has_levels
            else {name: details for name, details in attempts.items() if name != "kernel"}
        ), error
    except ValueError:
        return {}, error
