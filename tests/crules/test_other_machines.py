"""What traced.c prints tells matches apart, and is equal whoever compiles it; other machines are tried by other_machines.py."""

import random
from pathlib import Path

import pytest
from rules_in_c import GAMES
from tools import need
from traced_rules import HERE, records, traced

from khiva_arena.games.base import Game

pytestmark = pytest.mark.language
MATCHES = {"khiva": 20, "emira": 2, "silk_road": 20}


# To build it takes most of the time. Modules, which clang builds, play the other games as programs of cc each time.
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game.name == "khiva" else pytest.mark.long, id=game.name) for game in GAMES]
)
def test_two_compilers_play_alike(game: Game, tmp_path: Path) -> None:
    need("cc")
    need("clang")
    tried = b"".join(records(game, random.Random(f"traced {game.name}"), MATCHES[game.name]))
    found = traced(game, tried, tmp_path, HERE)
    assert len(set(found)) == len(found) > 40
    assert sum(line.startswith("0 0 ") for line in found) > 10
    assert traced(game, tried, tmp_path, ("clang", "-O1", "-Wno-unused-function")) == found
