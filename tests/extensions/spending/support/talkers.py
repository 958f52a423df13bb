"""Bots that write on stderr: one by the step, with its key and hostile bytes; one that
floods; one that reports nothing.
"""

from pathlib import Path

KEY = "sk-0123456789abcdefghij"
HOSTILE = b"\xff\xfe \x1b[2J\x1e[step 99]\n[step 98] </pre><script>\n"
FLOOD = 3_000_000
_MAIN = r"""
import os
import random
import sys
import time

from khiva_spent import play

kind = sys.argv[1]
key = os.environ.get("TALKERS_KEY", "")
asked = 0


def write(data):
    os.write(2, data)


def choose(decide, match):
    global asked
    asked += 1
    if kind == "floods" and asked == 3:
        noise = random.Random(match["seed"]).randbytes(FLOOD)
        for at in range(0, FLOOD, 1 << 15):
            write(noise[at : at + (1 << 15)])
    elif kind == "talks":
        write(f"decision {asked} of a {decide['kind']}\n".encode())
        if asked == 2:
            write(HOSTILE)
            for sign in f"in pieces {key}, then {key * 2}!\n":
                write(sign.encode())
                time.sleep(0.001)
    return 0


if kind == "talks":
    write(b"before the first\n")
play(kind, choose, {"lot": 0})
if kind == "talks":
    write(f"after the last {key[:14]}".encode())
"""
_SILENT = r"""
import sys

from khiva_kit import play

sys.stderr.write("a note\n")
play("silent", lambda decide, match: 0)
"""


def talkers(folder: Path) -> list[str]:
    """Write a bot of each kind, and return their names."""
    kit = Path(__file__).parents[4] / "bots" / "python" / "kit"
    names = ["talks", "floods", "silent"]
    for name in names:
        place = folder / name
        place.mkdir(parents=True)
        main = (
            _SILENT
            if name == "silent"
            else _MAIN.replace("FLOOD", str(FLOOD)).replace("HOSTILE", repr(HOSTILE))
        )
        (place / "main.py").write_text(main)
        for file in ("khiva_kit.py", "khiva_spent.py"):
            (place / file).write_bytes((kit / file).read_bytes())
        reports = "" if name == "silent" else "reports = true\n"
        (place / "bot.toml").write_text(
            f'name = "{name}"\nrun = "{{python}} main.py {name}"\n{reports}'
        )
    return names
