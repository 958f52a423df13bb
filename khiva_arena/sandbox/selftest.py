"""The real effect of each level on this machine: a program inside makes attempts, see escape_attempts.py."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from khiva_arena.sandbox import seccomp, system
from khiva_arena.sandbox.detect import run_at
from khiva_arena.sandbox.level import Level

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


class Checkup(NamedTuple):
    """The real effect of a level.

    attempts: those that succeeded, by name in KEPT_OUT; no names if nothing could be tried
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
        has_levels = seccomp.supported() and not system.why_no_levels()  # elsewhere a number means another call
        clone, calls = (seccomp.number(seccomp.CLONE), seccomp.refused_here()) if has_levels else (0, {})
        request = {"arbiter": os.getpid(), "file": str(file), "folder": folder, "calls": calls, "clone": clone}
        words = (python, "-I", "-S", ATTEMPTS, json.dumps(request))
        code, out, error = run_at(level, words, (ATTEMPTS,))
    try:
        attempts = dict(json.loads(out)) if code == 0 else {}
        return (attempts if has_levels else {name: details for name, details in attempts.items() if name != "kernel"}), error
    except ValueError:
        return {}, error
