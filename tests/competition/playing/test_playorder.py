"""Rotations of a table are not played back to back; what is recorded where stays as the
schedule has it.
"""

import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from arena import arena, bots, wait_for_matches
from forked_command import started
from stores import GREEDY, NAIVE, RANDOM

pytestmark = pytest.mark.slow


def played(folder: Path) -> list[tuple[int, int, int]]:
    """Seed, line-up and ordinal of each match in the order in which they were
    recorded.
    """
    connection = sqlite3.connect(folder / "out" / "arena.db")
    found = connection.execute(
        "SELECT seed, lineup, ordinal FROM matches ORDER BY rowid"
    ).fetchall()
    connection.close()
    return found


BOTS = (RANDOM, NAIVE, GREEDY)
SHAPE = ["--seats", "2", "--seed", "x", "--isolation", "trusted", "--out", "out"]


def check(found: list[tuple[int, int, int]]) -> None:
    assert len(found) >= 8
    assert [seed for seed, _, _ in found] == sorted(seed for seed, _, _ in found)
    assert all(one[1] != other[1] for one, other in pairwise(found))


def test_no_table_twice_in_a_row(tmp_path: Path) -> None:
    arena("run", *bots(*BOTS), *SHAPE, "--seeds", "2", cwd=tmp_path)
    check(played(tmp_path))
    assert sorted(ordinal for _, _, ordinal in played(tmp_path)) == list(range(12))


def test_nor_in_a_sequential_test(tmp_path: Path) -> None:
    running = started("sprt", *BOTS, *SHAPE, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 8)
    running.terminate()
    running.communicate(timeout=60)
    check(played(tmp_path))
