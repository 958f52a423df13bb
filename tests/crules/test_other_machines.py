"""What traced.c prints tells matches apart, and is equal whoever compiles it; other
machines are tried by other_machines.py.
"""

import random
from pathlib import Path

import pytest
from rules_in_c import GAMES
from tools import need
from traced_rules import HERE, records, traced

from khiva_arena.games.base import Game

pytestmark = pytest.mark.language
MATCHES = {"khiva": 20, "emira": 1, "silk_road": 8}
PLAIN = (*HERE, "-O0")
"""Compiles in a tenth of the time. What this compiler makes with optimization is
compared with the engine by test_equality.py.
"""


@pytest.mark.parametrize(
    "first", [PLAIN, pytest.param(HERE, marks=pytest.mark.long)], ids=["plain", "optimized"]
)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_two_compilers_play_alike(game: Game, first: tuple[str, ...], tmp_path: Path) -> None:
    need("cc")
    need("clang")
    tried = b"".join(records(game, random.Random(f"traced {game.name}"), MATCHES[game.name]))
    found = traced(game, tried, tmp_path, first)
    assert len(set(found)) == len(found) > 40
    assert sum(line.startswith("0 0 ") for line in found) > 10
    assert traced(game, tried, tmp_path, ("clang", "-O1", "-Wno-unused-function")) == found
