"""Whether this version is slower than another one, before a release. Needs cc and
strace.

Counts are exact, and may not grow: the programs that a match executes, the mounts it
makes, the files of the disk it opens, and the modules that commands import. CPU is
noisy, so each figure is sampled in turn with the other version, PAIRS times at least;
it fails if the whole 95 % interval of the ratio lies above SLOWER. A figure that the
minutes do not tell says so, and fails nothing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

import bench  # noqa: E402 - found beside this file

PAIRS, SLOWER, SECONDS = 20, 1.1, 300.0
GUARDED = (
    *(
        "match_",
        "run_of_two_cpu",
        "verify_cpu",
        "standings_",
        "arbiter_2_seats",
        "arbiter_3_seats",
        "version",
        "help",
    ),
    *("games", "report_"),
    *("aec_", "parallel_", "worlds_"),
)
CALLS = "execve,mount,open,openat"
MODULES = (
    "import sys\nfrom khiva_arena.interface.cli import "
    "main\nmain.run(sys.argv[1:])\nprint(len(sys.modules), file=sys.stderr)"
)
BY_THE_CLOCK = re.compile(
    r'"/?(proc|sys|dev)/|O_DIRECTORY'
)  # /proc and scratch folders are looked at by time


class Count(NamedTuple):
    """A number that is the same each time. ``name``: of its line; ``value``: of one
    version.
    """

    name: str
    value: int


def counts(tree: Path, instant: str, store: str) -> Iterator[Count]:
    """Yield the counts of a version. ``instant``: a bot; ``store``: one that every
    version reads.
    """
    match = (
        "match",
        "--bot",
        f"{instant} rotate 0",
        "--bot",
        f"{instant} rotate 1",
        "--seed",
        "guard",
    )
    for level in (level for level in bench.Level if not bench.levels()[level]):
        words = (*match, "--isolation", level)
        run_in(tree, *words)  # what is made once for a machine is there
        with tempfile.NamedTemporaryFile() as trace:
            run_in(
                tree,
                *words,
                before=("strace", "-f", "-qq", "-e", f"trace={CALLS}", "-o", trace.name),
            )
            lines = Path(trace.name).read_text(errors="replace").splitlines()
        done = [line.split(maxsplit=1)[1] for line in lines if " = -1 " not in line and "(" in line]
        yield Count(f"execs_{level}", sum(call.startswith("execve(") for call in done))
        yield Count(f"mounts_{level}", sum(call.startswith("mount(") for call in done))
        opens = [call for call in done if call.startswith("open")]
        yield Count(f"opens_{level}", sum(not BY_THE_CLOCK.search(call) for call in opens))
    report = ("report", store, "--out", "page.html")
    for words in (
        ("--version",),
        ("run", "-h"),
        ("games",),
        report,
        (*match, "--isolation", "trusted"),
    ):
        done_run = run_in(tree, *words, code=MODULES)
        yield Count(f"modules_{words[0].strip('-')}", int(done_run.splitlines()[-1]))


def run_in(tree: Path, *words: str, before: tuple[str, ...] = (), code: str = "") -> str:
    """Run a command of a version, and return its stderr. ``before``: words of a program
    that runs it.
    """
    program = ["-c", code] if code else ["-m", "khiva_arena"]
    env = {**os.environ, "PYTHONPATH": str(tree)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        line = [*before, sys.executable, *program, *words]
        return subprocess.run(
            line, cwd=folder, env=env, capture_output=True, text=True, check=True
        ).stderr


def verdict(line: dict[str, dict[str, float]], *, lower_is_better: bool) -> str:
    """Return what the ratio of a figure to that of the other version says: "slower"
    fails.
    """
    low, high = line["ratio"]["low"], line["ratio"]["high"]
    if not lower_is_better:
        low, high = 1 / high, 1 / low
    return "slower" if low > SLOWER else "cannot be told" if high > SLOWER else "holds"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--base", required=True, help="the commit to compare with, as the last release"
    )
    asked = parser.parse_args()
    if not asked.base:
        parser.error(
            "name the version to compare with: python -m tests.tools bench-guard --base COMMIT"
        )
    if missing := [tool for tool in ("cc", "strace") if shutil.which(tool) is None]:
        parser.error(f"needs {', '.join(missing)}")
    bench.LEAST, bench.SECONDS, bench.NARROW = PAIRS, SECONDS, 0.02
    worse = 0
    with tempfile.TemporaryDirectory() as folder, bench.other_version(asked.base) as base:
        assert base is not None
        figures = [*bench.figures(Path(folder))]
        given = str(Path(folder, "instant")), str(Path(folder, "small"))
        for mine, theirs in zip(counts(bench.ROOT, *given), counts(base, *given), strict=True):
            says = "more" if mine.value > theirs.value else "holds"
            worse += says == "more"
            print(
                json.dumps(
                    {"name": mine.name, "value": mine.value, "base": theirs.value, "says": says}
                ),
                flush=True,
            )
        for figure in figures:
            if not figure.name.startswith(tuple(name.removesuffix("_cpu") for name in GUARDED)):
                continue
            for line in bench.measured(figure, base):
                if str(line["name"]).startswith(GUARDED):
                    line["says"] = verdict(line, lower_is_better=figure.lower_is_better)  # type: ignore[arg-type]
                    worse += line["says"] == "slower"
                    print(json.dumps(line), flush=True)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
