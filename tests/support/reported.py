"""Stores of which a page of results is written."""

import signal
import sqlite3
from collections import Counter
from pathlib import Path

from arena import arena, bots, wait_for_matches
from forked_command import started
from once import made_once
from quick_bots import quick_program
from wording import sentence

SHORT = ("--rule", "max_turns=3")


def whispering(folder: Path, name: str, *how: str) -> Path:
    """A bot in a folder that is named like nothing else, that says on stderr what
    nobody else does.
    """
    made = folder / f"lair-of-{name}"
    made.mkdir()
    (made / "bot").write_bytes(quick_program())
    (made / "program").write_text(
        f"#!/bin/sh\nexec \"${{0%/*}}/bot\" {' '.join(how or ('last', '0'))} 'WHISPER of {name}'\n"
    )
    for program in ("bot", "program"):
        (made / program).chmod(0o755)
    (made / "bot.toml").write_text(f'name = "{name}"\nrun = "./program"\n')
    return made


@made_once
def folder(folder: Path) -> None:
    """A store of three bots, two of one name, and its bundle."""
    one, two = whispering(folder, "ann"), whispering(folder, "bob", "illegal", "2")
    other = whispering(folder, "ann2")
    (other / "bot.toml").write_text('name = "ann"\nrun = "./program"\n')
    words = [
        "--seats",
        "2",
        "--seeds",
        "3",
        "--seed",
        "page",
        "--isolation",
        "trusted",
        *SHORT,
        "--out",
        "vault",
    ]
    arena("run", *bots(str(one), str(two), str(other)), *words, cwd=folder)
    arena("bundle", "vault", "b.khiva", cwd=folder)


@made_once
def stopped(folder: Path) -> None:
    """A store whose event was stopped in the middle of a deal, on which 12 matches are
    played.
    """
    four = bots(
        *(str(whispering(folder, name, "illegal", "2")) for name in ("ann", "bob", "cy", "dan"))
    )
    words = [
        "--seats",
        "2",
        "--seeds",
        "200",
        "--seed",
        "stopped",
        "--isolation",
        "trusted",
        *SHORT,
        "--out",
        "out",
    ]
    for many in range(16, 200, 8):
        process = started("run", *four, *words, cwd=folder)
        wait_for_matches(folder / "out" / "arena.db", many)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        if min(on_each_deal(folder / "out").values()) < 12:
            return
    raise AssertionError("it was never stopped " + sentence("decode", "middle") + " deal")


def on_each_deal(store: Path) -> Counter[int]:
    """How many matches are recorded, by seed."""
    connection = sqlite3.connect(store / "arena.db")
    seeds = Counter(seed for (seed,) in connection.execute("SELECT seed FROM matches"))
    connection.close()
    return seeds
