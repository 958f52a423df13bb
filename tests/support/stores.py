"""Five recorded stores, one a shape, that tests of any room read; each is made once in a run of the tests.

A test or a conftest imports the fixture, as ``from stores import round_robin as round_robin``. Each module of tests has a copy,
and a test that changes a store copies that.
"""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from arena import NAIVE as PYTHON
from arena import ROOT, arena, bots
from once import made_once

_QUICK = ROOT / "tests" / "support" / "quick"
RANDOM, NAIVE, GREEDY = (str(_QUICK / name) for name in ("random", "naive", "greedy"))
"""Bots in C that play any choice, the first one and the last one."""
STRIKES, FORFEITS = (str(_QUICK / name) for name in ("strikes", "forfeits"))
"""Bots in C that play the last choice, but at their second decision one that is not there, or end with an error."""
for _folder in (RANDOM, NAIVE, GREEDY, STRIKES, FORFEITS):  # a bot has its files in its folder; git keeps one of them
    if not (_copy := Path(_folder, "quick.c")).exists() or _copy.read_bytes() != (_QUICK / "quick.c").read_bytes():
        with tempfile.NamedTemporaryFile(dir=_QUICK, delete=False) as _draft:  # other workers import this, too
            _draft.write((_QUICK / "quick.c").read_bytes())
        Path(_draft.name).chmod(0o644)
        Path(_draft.name).rename(_copy)
BUILD = ("cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L")
TRUSTED = ("--isolation", "trusted")
SHORT = ("--rule", "max_turns=8")
"""Matches at two or three seats of at most eight turns, which are replayed by nearly all that reads a store."""
SEATS = {"khiva": "2", "emira": "3", "silk_road": "4"}
"""The events of ``games``: the seats of each game, in their order."""
STAGES = """seats = 2
seeds = 1
[[stage]]
name = "league"
[[stage]]
name = "final"
format = "knockout"
take = 2
"""


@cache
def quick_program() -> bytes:
    """Return the program of these bots, for one that is given its words otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*BUILD, "-o", "bot", str(_QUICK / "quick.c")], cwd=folder, check=True)
        return Path(folder, "bot").read_bytes()


@made_once
def round_robin(folder: Path) -> None:
    """Play in "out" 24 matches at two seats of bots in C and in Python, one of which strikes and one forfeits; "out.khiva" is the
    bundle."""
    arena("run", *bots(RANDOM, PYTHON, STRIKES, FORFEITS), "--seats", "2", "--seeds", "2", *SHORT, *_into_out("demo"), cwd=folder)
    arena("bundle", "out", "out.khiva", cwd=folder)


@made_once
def swiss(folder: Path) -> None:
    """Play in "out" three events of one pool: round-robins at three seats and at two, and a swiss; "out.khiva" is the bundle."""
    seated = bots(RANDOM, NAIVE, GREEDY)
    arena("run", *seated, "--seats", "3", "--seeds", "2", *SHORT, *TRUSTED, *_into_out("a"), cwd=folder)
    arena("run", *seated, "--seats", "2", "--seeds", "2", *SHORT, *TRUSTED, *_into_out("b"), cwd=folder)
    shape = ("--format", "swiss", "--rounds", "2", "--seats", "2", "--seeds", "1")
    arena("run", *seated, *shape, *SHORT, *TRUSTED, *_into_out("c"), cwd=folder)
    arena("bundle", "out", "out.khiva", cwd=folder)


@made_once
def stages(folder: Path) -> None:
    """Play in "out" the events of two stages, a league and the final of its two best, as "cup.toml" says; "out.khiva" is the
    bundle."""
    (folder / "cup.toml").write_text(STAGES)
    arena("run", "cup.toml", *bots(RANDOM, NAIVE, GREEDY), *TRUSTED, *_into_out("cup"), cwd=folder)
    arena("bundle", "out", "out.khiva", cwd=folder)


@made_once
def games(folder: Path) -> None:
    """Play in "out" an event of each game, with bots in C that repeat themselves."""
    for game, seats in SEATS.items():
        seated = bots(RANDOM, GREEDY) if game != "silk_road" else [*bots(RANDOM), "--copies", "4"]
        copies = ("--copies", "2") if game == "emira" else ()
        shape = ("--game", game, "--seats", seats, *copies, "--seeds", "1", "--lineups", "1")
        arena("run", *seated, *shape, *TRUSTED, *_into_out("demo"), cwd=folder)


@made_once
def ticks(folder: Path) -> None:
    """Play in "out" six matches of three modules, two of which misbehave; "out.khiva" is the bundle.

    It is for tests marked ``language``.
    """
    from scripted_modules import command, of_row, script, scripted  # not above: it takes rows of bots/broken

    made = {"honest": b"", "illegal": of_row("choice-beyond"), "late": script("t", command("h"), at=5)}
    for name, text in made.items():
        (folder / f"{name}.wasm").write_bytes(scripted(text))
    shape = ("--clock", "ticks", "--seats", "2", "--seeds", "1", "--turn", "50ms", "--bank", "0s")
    arena("run", *shape, *bots(*(f"{name}.wasm" for name in made)), *_into_out("ticks"), cwd=folder)
    arena("bundle", "out", "out.khiva", cwd=folder)


def bytes_in(folder: Path) -> dict[Path, bytes]:
    """Return what every file below a folder holds."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _into_out(seed: str) -> tuple[str, ...]:
    return ("--seed", seed, "--out", "out")
