"""One store for all tests that only read, in the worker that asks for it."""

from pathlib import Path

import pytest
from arena import GREEDY, NAIVE, RANDOM, arena


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store ``out`` of two events at 2 and 3 seats, and its bundle ``all.khiva``."""
    folder = tmp_path_factory.mktemp("played")
    for seats in ("2", "3"):
        words = ("--seats", seats, "--seeds", "2", "--seed", "a", "--out", "out", "--trust-bots", "--isolation", "trusted")
        arena("run", "--bot", RANDOM, "--bot", GREEDY, "--bot", NAIVE, *words, cwd=folder)
    arena("bundle", "out", "all.khiva", cwd=folder)
    return folder
