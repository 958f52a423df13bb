"""Bots for tests that play by a simple rule and start quickly: in C where this machine
has a compiler, elsewhere in Python.

Both are the same bots: equal names, equal choices, equal words on stderr. Their folders
are made when this is imported.
"""

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from arena import ROOT

HERE = ROOT / "tests" / "support" / "quick"
IN_C = shutil.which("cc") is not None
SOURCE = HERE / ("quick.c" if IN_C else "quick.py")
COMPILE = "cc -std=c99 -D_POSIX_C_SOURCE=200809L"
HOW = {
    "random": "lots",
    "naive": "first",
    "greedy": "last",
    "strikes": "illegal 2",
    "forfeits": "raise 2",
}
"""The words by which each bot plays; the source says what they mean."""


def settings(name: str, how: str) -> str:
    """Return the bot.toml of a bot beside whose source it lies."""
    start = f'build = "{COMPILE} -Wall -Wextra -o bot quick.c"\nrun = "./bot {how}"\n'
    return f'name = "{name}"\nversion = "1"\n' + (
        start if IN_C else f'run = "{{python}} -I -S quick.py {how}"\n'
    )


def _folder(name: str) -> str:
    """Make the folder of a bot, while other workers may do so, too, and return its
    path.
    """
    folder = HERE / ("c" if IN_C else "python") / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in {
        "bot.toml": settings(name, HOW[name]).encode(),
        SOURCE.name: SOURCE.read_bytes(),
    }.items():
        place = folder / file
        if not place.exists() or place.read_bytes() != data:
            with tempfile.NamedTemporaryFile(dir=HERE, delete=False) as draft:
                draft.write(data)
            Path(draft.name).chmod(0o644)
            Path(draft.name).rename(place)
    return str(folder)


RANDOM, NAIVE, GREEDY = (_folder(name) for name in ("random", "naive", "greedy"))
"""Bots that play any choice, the first one and the last one."""
STRIKES, FORFEITS = (_folder(name) for name in ("strikes", "forfeits"))
"""Bots that play the last choice, but at their second decision one that is not there,
or end with an error.
"""


@cache
def quick_program() -> bytes:
    """Return the program of these bots, for a bot whose words are not theirs."""
    if not IN_C:
        return f"#!{sys.executable} -IS\n".encode() + SOURCE.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*COMPILE.split(), "-o", "bot", str(SOURCE)], cwd=folder, check=True)
        return Path(folder, "bot").read_bytes()
