"""List the tools of the tests, or run one with the words that follow its name: ``python
-m tests.tools [NAME [WORDS]]``.

They measure, simulate, fuzz and try a machine for longer than a test may. A checkout
needs the set-up of the tests first, as of ``make check``. ``NAME --help`` prints the
options of a tool.
"""

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
MORE = "tools/more_tests.py"
"""The program of several tools, which it gets by name."""
TOOLS: dict[str, tuple[str, str]] = {
    # measures
    "bench": (
        "benchmarks/bench.py",
        "measure the figures of the project, a JSON object a line (needs cc); half an hour",
    ),
    "bench-guard": (
        "benchmarks/guard.py",
        "whether counts or CPU are worse than in another commit (needs cc, strace); an hour",
    ),
    "bench-kits": (
        "benchmarks/kits.py",
        "how soon the bot of each language greets, and how fast it decides (needs cc)",
    ),
    "bench-league": (
        "benchmarks/league_year.py",
        "what a batch of a league costs as it grows; half an hour",
    ),
    "bench-modules": (
        "benchmarks/module_bots.py",
        "modules beside the same bots as processes (needs clang, go)",
    ),
    "bench-peers": (
        "benchmarks/peers.py",
        "the arbiter beside those of others, whose programs you name (needs cc)",
    ),
    "bench-rules": (
        "benchmarks/rules_speed.py",
        "the rules in C beside the engine, and environments beside others (needs cc)",
    ),
    "bench-screen": (
        "benchmarks/screen.py",
        "what the live screen takes of a run's CPU (needs cc)",
    ),
    "khiva-worth": (
        "tools/khiva_worth.py",
        "what gems, cards and camels on their way are worth in Khiva, in points; some minutes",
    ),
    "meter": ("benchmarks/meter.py", "how long a tick of modules lasts, by class of instructions"),
    "meter-interpreted": (
        "benchmarks/interpreted.py",
        "how long a tick of bots in JavaScript and Python lasts",
    ),
    "overload": (
        "benchmarks/overload.py",
        "100,000 decisions of bots on an overloaded machine: none may forfeit (needs cc)",
    ),
    "walk": (
        "tools/walk.py",
        "how far one value goes back and forth through the calls of the package",
    ),
    "layout": (
        "support/make_layout.py",
        "the rooms of the package, and the first sentence of each module",
    ),
    # simulations
    "coverage": (
        "rating/ratings/coverage.py",
        "how often errors of ratings and sequential tests hold; 20 minutes",
    ),
    "coverage-compare": (
        "competition/playing/compare_coverage.py",
        (
            "how often comparisons err, how often their intervals hold, and how soon they "
            "tell; ten minutes"
        ),
    ),
    "coverage-swiss": (
        "rating/ratings/swiss_coverage.py",
        "how often errors and ranks of whole swiss tournaments hold; hours",
    ),
    "fresh-versions": (
        "extensions/league/support/fresh_versions.py",
        "whether a bot of a league gains by being entered anew; ten minutes",
    ),
    "league-simulation": (
        "extensions/league/simulation.py",
        "whether errors and ranks of leagues hold, for bots of known strength",
    ),
    "strength": (
        "tools/strength.py",
        "the ladder of a game's bots, each against the one below it; an hour or two",
    ),
    # soaks
    "bundle-soak": (
        "extensions/checker/bundle_soak.py",
        "check 1,058 matches in ticks in Chromium and Firefox, and what that costs",
    ),
    "cluster": (
        "extensions/cluster/soak.py",
        "kill and stop parts of real Dask clusters and compare digests",
    ),
    "crash": ("crash/run.py", "kill -9 real runs at hundreds of moments and compare digests"),
    "fairness": (MORE, "100 matches a level beside a bot that makes itself wait; 15 minutes"),
    "modules-elsewhere": (MORE, "matches of modules on emulated ARM64 and in other Pythons"),
    "modules-oldest": (
        MORE,
        "matches of modules are equal on the oldest and the newest VM (needs clang)",
    ),
    "modules-soak": (
        MORE,
        "1,000 matches of modules, forged ones, and modules that would talk; an hour",
    ),
    "oldest": (MORE, "the tests of make test on the oldest packages that are allowed"),
    "page-soak": (
        "extensions/checker/page_soak.py",
        "play about 260 matches in the page, in two browsers, and by the command",
    ),
    "stops": (
        "crash/stops.py",
        "stop real runs by signals in every way, at every level (needs cc)",
    ),
    "vm": (
        MORE,
        (
            "the tests of isolation strict in a virtual machine (needs qemu, a kernel: see "
            "tests/vm/run.sh)"
        ),
    ),
    "zoo": (
        "zoo/run.py",
        "play bots that misbehave in every way, in every seat, at every level; 20 minutes",
    ),
    # fuzzers and mutations
    "fuzz": ("fuzz/run.py", "throw mutated bytes at codec and session"),
    "fuzz-meter": ("fuzz/fuzz_meter.py", "throw mutated modules at the meter"),
    "fuzz-relay": ("extensions/seats/support/fuzz_relay.py", "throw frames at the relay"),
    "fuzz-rules": ("crules/fuzz_calls.py", "throw calls at the rules in C and the environments"),
    "mutants": (
        "mutation/run.py",
        "change rules, ratings, session, meter and runner a little and list what no test notices",
    ),
    "rules-alike": (
        "crules/alike.py",
        "play random matches in the engine and in C and compare every step",
    ),
    "rules-elsewhere": (
        "crules/other_machines.py",
        "the same on machines of 32 bits and of another order of bytes, by qemu",
    ),
    "rules-mutants": (
        "crules/mutants.py",
        "change the rules in C a little and see whether a comparison notices",
    ),
    "verifier-mutants": (
        "bots/modules/mutate_verifier.py",
        "change protocol/verifier a little and list the changes that all vectors pass",
    ),
    # files that are kept: read the diff
    "openspiel-page": (
        "extensions/own_games/support/make_openspiel_page.py",
        "try all games of OpenSpiel and write the lists of docs/openspiel.md",
    ),
    "pages": (
        "support/make_outputs.py",
        "type the commands of pages and write what they print below them, as make pages does",
    ),
    "pictures": (
        "together/pictures.py",
        "take the pictures of the README and the docs again (needs Chromium)",
    ),
    "references": (
        "rating/ratings/make_prior_reference.py",
        "compute the reference of ratings again, with statsmodels",
    ),
    "swiss-factors": (
        "rating/ratings/measure_shapes.py",
        "replay swiss tournaments of equal bots and write their factors; 30 minutes",
    ),
}
EXTRAS = {"mutants": ("cosmic_ray", "mutants")}
"""The module that a tool needs beyond the set-up of the tests, and the extra that
brings it.
"""


def listing(columns: int) -> str:
    """Return a paragraph for each tool, in lines of so many columns."""
    lead = max(map(len, TOOLS)) + 4
    rows = [f"  {name:{lead - 2}}{line}" for name, (_, line) in TOOLS.items()]
    return "\n".join(textwrap.fill(row, columns, subsequent_indent=" " * lead) for row in rows)


def main(words: Sequence[str]) -> int:
    """Print the tools, or become one, and return the exit code."""
    name, *rest = words or ("--help",)
    if name in ("-h", "--help"):
        width = os.get_terminal_size().columns if sys.stdout.isatty() else 130
        print(f"{__doc__.strip()}\n\n{listing(width)}")
        return 0
    if name not in TOOLS:
        print(f"{name} is no tool; name one of: {', '.join(TOOLS)}", file=sys.stderr)
        return 2
    module, extra = EXTRAS.get(name, ("", ""))
    if module and not find_spec(module):
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "-e", f".[{extra}]"],
            cwd=ROOT,
            check=True,
        )
    script, _ = TOOLS[name]
    first = [name] if script == MORE else []
    os.execv(sys.executable, [sys.executable, str(ROOT / "tests" / script), *first, *rest])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
