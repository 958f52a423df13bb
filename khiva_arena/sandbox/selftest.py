"""The real effect of each level on this machine: a program inside makes attempts, see escape_attempts.py."""

import json
import os
import sys
import tempfile
from pathlib import Path

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
Found = dict[str, list[str]]


def checkup(level: Level) -> tuple[Found, str]:
    """Return the attempts that succeed at a level, by name in KEPT_OUT, and a line with anything else to report.

    No names if nothing could be tried.
    """
    note = ""
    for python in dict.fromkeys((sys.executable, OTHER_PYTHON)):
        succeeded, why = _tried(level, python)
        if succeeded:
            return succeeded, note
        note = note or f"{python} does not run here, so bots in Python do not: {why}"
    return {}, note


def _tried(level: Level, python: str) -> tuple[Found, str]:
    with tempfile.TemporaryDirectory(prefix="khiva-arena-checkup-") as folder:
        # Open to everyone, so that only the level keeps a bot out.
        file = Path(folder, "private")
        file.write_text("secret")
        file.chmod(0o666)
        os.chmod(folder, 0o777)
        known = seccomp.supported() and not system.why_no_levels()  # elsewhere a number means another call
        clone, calls = (seccomp.number(seccomp.CLONE), seccomp.refused_here()) if known else (0, {})
        request = {"arbiter": os.getpid(), "file": str(file), "folder": folder, "calls": calls, "clone": clone}
        words = (python, "-I", "-S", ATTEMPTS, json.dumps(request))
        code, out, error = run_at(level, words, (ATTEMPTS,))
    try:
        succeeded = dict(json.loads(out)) if code == 0 else {}
        return (succeeded if known else {name: some for name, some in succeeded.items() if name != "kernel"}), error
    except ValueError:
        return {}, error
