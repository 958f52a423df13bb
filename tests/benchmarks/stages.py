"""How long one waits for each stage of ``make run``, in a fresh clone of the last
commit.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

TREE = Path(__file__).parent.parent.parent
STAGES = {
    "venv": " -m venv ",
    "packages": " pip -e .",
    "first_event": " run --shipped --trust-bots --seats 3 ",
    "second_event": " run --shipped --trust-bots --seats 2 ",
    "report": " report ",
}
"""What the lines of each stage hold, and no others."""
REST = "rest"

# In the place of make's shell: it notes when each line of a recipe began and ended.
SHELL = """#!/bin/sh
began=$(date +%s.%N)
/bin/sh "$@"
status=$?
echo "$began $(date +%s.%N) $(printf %s "$2" | tr '\\n' ' ')" >> "$LINES"
exit $status
"""


class Line(NamedTuple):
    """A line of a recipe.

    began, ended: seconds since 1970
    words: what the shell was told
    """

    began: float
    ended: float
    words: str


def make_run() -> dict[str, float]:
    """Seconds by the clock of each stage, of all of it, and until the first table is
    there. Packages come from pip's cache, if there is one.
    """
    # What the bench was called with is not what a newcomer types.
    ours = {"PYTHONPATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    with tempfile.TemporaryDirectory() as name:
        clone, shell, lines = Path(name, "clone"), Path(name, "shell"), Path(name, "lines")
        subprocess.run(["git", "clone", "--quiet", str(TREE), str(clone)], check=True)
        shell.write_text(SHELL)
        shell.chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if key not in ours} | {
            "LINES": str(lines)
        }
        done = subprocess.run(
            ["make", "run", f"SHELL={shell}"],
            cwd=clone,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"make run: {done.stderr}")
        return stages(
            Line(float(began), float(ended), words)
            for began, ended, words in map(_parts, lines.open())
        )


def _parts(line: str) -> list[str]:
    return line.split(maxsplit=2)


def stages(lines: Iterable[Line]) -> dict[str, float]:
    """The seconds of each stage, by the lines of the recipes in their order."""
    all_lines = list(lines)
    took = dict.fromkeys([*STAGES, REST], 0.0)
    first_table = 0.0
    for line in all_lines:
        took[stage_of(line.words)] += line.ended - line.began
        if stage_of(line.words) == "first_event":
            first_table = line.ended - all_lines[0].began
    return {
        **took,
        "first_table_after": first_table,
        "all": all_lines[-1].ended - all_lines[0].began,
    }


def stage_of(words: str) -> str:
    """The stage that a line of a recipe belongs to."""
    return next((stage for stage, hold in STAGES.items() if hold in words), REST)
