"""Five recorded stores, one a shape, that tests of any room read; each is made once in
a run of the tests.

A test or a conftest imports the fixture, as ``from stores import round_robin as
round_robin``. Each module of tests has a copy, and a test that changes a store copies
that.
"""

from pathlib import Path

from arena import NAIVE as PYTHON
from arena import arena, bots
from once import made_once
from quick_bots import FORFEITS as FORFEITS
from quick_bots import GREEDY as GREEDY
from quick_bots import NAIVE as NAIVE
from quick_bots import RANDOM as RANDOM
from quick_bots import STRIKES as STRIKES

TRUSTED = ("--isolation", "trusted")
SHORT = ("--rule", "max_turns=8")
"""Matches at two or three seats of at most eight turns, which are replayed by nearly
all that reads a store.
"""
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


@made_once
def round_robin(folder: Path) -> None:
    """Play in "out" 24 matches at two seats of bots in C and in Python, one of which
    strikes and one forfeits; "out.khiva" is the bundle.
    """
    arena(
        "run",
        *bots(RANDOM, PYTHON, STRIKES, FORFEITS),
        "--seats",
        "2",
        "--seeds",
        "2",
        *SHORT,
        *_into_out("demo"),
        cwd=folder,
    )
    arena("bundle", "out", "out.khiva", cwd=folder)


@made_once
def swiss(folder: Path) -> None:
    """Play in "out" three events of one pool: round-robins at three seats and at two,
    and a swiss; "out.khiva" is the bundle.
    """
    seated = bots(RANDOM, NAIVE, GREEDY)
    arena(
        "run",
        *seated,
        "--seats",
        "3",
        "--seeds",
        "2",
        *SHORT,
        *TRUSTED,
        *_into_out("a"),
        cwd=folder,
    )
    arena(
        "run",
        *seated,
        "--seats",
        "2",
        "--seeds",
        "2",
        *SHORT,
        *TRUSTED,
        *_into_out("b"),
        cwd=folder,
    )
    shape = ("--format", "swiss", "--rounds", "2", "--seats", "2", "--seeds", "1")
    arena("run", *seated, *shape, *SHORT, *TRUSTED, *_into_out("c"), cwd=folder)
    arena("bundle", "out", "out.khiva", cwd=folder)


@made_once
def stages(folder: Path) -> None:
    """Play in "out" the events of two stages, a league and the final of its two best,
    as "cup.toml" says; "out.khiva" is the bundle.
    """
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
    """Play in "out" six matches of three modules, two of which misbehave; "out.khiva"
    is the bundle.

    It is for tests marked ``language``.
    """
    # not above: it takes rows of bots/broken
    from scripted_modules import command, of_row, script, scripted

    made = {
        "honest": b"",
        "illegal": of_row("choice-beyond"),
        "late": script("t", command("h"), at=5),
    }
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
