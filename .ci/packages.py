"""Print the Debian packages that this machine lacks for the languages of
bots/languages.toml and the runtimes of tests/runtimes/runtimes.toml, one a line.
"""

import shutil
import subprocess
import tomllib
from pathlib import Path

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def succeeds(words: list[str]) -> bool:
    try:
        return subprocess.run(words, **QUIET, check=False).returncode == 0
    except OSError:
        return False


root = Path(__file__).parents[1]
files = (root / "bots" / "languages.toml", root / "tests" / "runtimes" / "runtimes.toml")
wanted: list[str] = []
rows = [row for file in files for row in tomllib.loads(file.read_text()).values()]
for row in rows:
    if row["debian"] and not succeeds(row["probe"]):
        # A compiler that is there already, newer perhaps, is left as it is.
        wanted += row["debian"][1 if shutil.which(row["tool"]) else 0 :]
for row in (row["module"] for row in rows if "module" in row):
    # Libraries for modules belong to the compiler of the same package: another one that
    # comes first on the PATH lacks them. Go alone brings its own, and Debian's may be
    # older than modules.
    if not succeeds(row["probe"]):
        wanted += row["debian"][1 if row["tool"] == "go" and shutil.which("go") else 0 :]
print(*dict.fromkeys(wanted), sep="\n")
