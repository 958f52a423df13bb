"""A store for all tests that only read."""

from pathlib import Path

from arena import arena, bots
from once import made_once
from stores import GREEDY, NAIVE, RANDOM, TRUSTED


@made_once
def played(folder: Path) -> None:
    """Has a store ``out`` of two events at 2 and 3 seats, and its bundle
    ``all.khiva``.
    """
    for seats in ("2", "3"):
        words = ("--seats", seats, "--seeds", "2", "--seed", "a", "--out", "out", *TRUSTED)
        arena("run", *bots(RANDOM, GREEDY, NAIVE), *words, cwd=folder)
    arena("bundle", "out", "all.khiva", cwd=folder)
