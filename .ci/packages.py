"""Print the Debian packages that this machine lacks for the languages of bots/languages.toml, one a line."""

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


rows = tomllib.loads((Path(__file__).parents[1] / "bots" / "languages.toml").read_text())
wanted: list[str] = []
for row in rows.values():
    if row["debian"] and not succeeds(row["probe"]):
        # A compiler that is there already, newer perhaps, is left as it is.
        wanted += row["debian"][1 if shutil.which(row["tool"]) else 0 :]
print(*dict.fromkeys(wanted), sep="\n")
