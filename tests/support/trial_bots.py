"""Bots for a cup with trials, in folders of their own: some play well, and each other
one fails in its own way.
"""

import json
import re
from pathlib import Path

from arena import ROOT

from khiva_arena.records.store.files import TRIALS

KIT = ROOT / "bots" / "python" / "kit" / "khiva_kit.py"
PROGRAM = """import os, sys, time
from khiva_kit import Lottery, play

times = 0


def choose(decide, match):
    global times
    times += 1
    {doing}
    return Lottery(match["seed"], decide["view"]).below(len(decide["legal"]))


play("{name}", choose)
"""
GOOD = "pass"
ILLEGAL = "if times >= 9: print('I choose 999', file=sys.stderr); return 999"
CRASHES = "if times == 9: raise KeyError('the ninth')"
"""Each comes in the first half of a match, whatever the deal: about step 20 at three
seats.
"""


def sleeps(seconds: float) -> str:
    """Return the doing of a bot that sleeps before each decision."""
    return f"time.sleep({seconds})"


def sleeps_with(file: Path) -> str:
    """Return the doing of a bot that sleeps half a minute before each decision while a
    file is there. Isolation must be trusted.
    """
    return f"if os.path.exists({str(file)!r}): time.sleep(30)"


def waits_for(file: Path) -> str:
    """Return the doing of a bot that answers only when a file is there. Isolation must
    be trusted.
    """
    return f"while not os.path.exists({str(file)!r}): time.sleep(0.01)"


def write(entries: Path, **doings: str) -> None:
    """Write a folder for each bot, by its name and its doing."""
    for name, doing in doings.items():
        folder = entries / name
        folder.mkdir(parents=True)
        (folder / "khiva_kit.py").write_bytes(KIT.read_bytes())
        (folder / "main.py").write_text(PROGRAM.format(name=name, doing=doing))
        (folder / "bot.toml").write_text(
            f'name = "{name}"\nrun = "{{python}} main.py"\nfiles = ["*.py"]\n'
        )


def write_uncompiled(entries: Path) -> None:
    """Write the folder of a bot in C that does not compile."""
    folder = entries / "uncompiled"
    folder.mkdir(parents=True)
    (folder / "main.c").write_text("int main(void) { return x; }\n")
    (folder / "bot.toml").write_text(
        'name = "uncompiled"\nbuild = "cc -o bot main.c"\nrun = "./bot"\nfiles = ["*.c"]\n'
    )


def names_tried(out: Path) -> list[str]:
    """Return the name of each result of a trial that a folder has, in the order of the
    file.
    """
    return [json.loads(line)["name"] for line in (out / TRIALS).read_bytes().splitlines()]


def digest_of(said: str) -> str:
    """Return the run digest that a run says on stderr."""
    (digest,) = set(re.findall(r"run digest (\w{64})", said))
    return digest
