"""What several modules of this room read."""

from pathlib import Path

from arena import C, arena
from once import made_once
from stores import NAIVE
from stores import round_robin as round_robin
from stores import stages as stages
from stores import swiss as swiss
from stores import ticks as ticks

FAST = ("--isolation", "trusted", "--seed", "x", "--rule", "max_turns=4")


@made_once
def decided(folder: Path) -> None:
    """A sequential test in "out" that has come to its decision, and what it printed."""
    rates = [
        "--elo1",
        "200",
        "--alpha",
        "0.2",
        "--beta",
        "0.2",
    ]  # decides at the first seed that it may decide at
    done = arena(
        "sprt", NAIVE, C, *rates, *FAST, "--out", "out", "--accept", "better,not-better", cwd=folder
    )
    (folder / "stdout").write_text(done.stdout)
    (folder / "stderr").write_text(done.stderr)
