"""What several modules of this room read."""

from pathlib import Path

from arena import NAIVE, C, arena
from once import made_once


@made_once
def decided(folder: Path) -> None:
    """A sequential test in "out" that has come to its decision, and what it printed."""
    rates = ["--elo1", "200", "--alpha", "0.2", "--beta", "0.2"]  # decides at the first seed that it may decide at
    done = arena("sprt", NAIVE, C, *rates, "--isolation", "trusted", "--seed", "x", "-j", "2", "--out", "out", cwd=folder)
    (folder / "stdout").write_text(done.stdout)
    (folder / "stderr").write_text(done.stderr)
