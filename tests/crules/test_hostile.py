"""What is no view, no rules map and no choice is an error of the rules in C, and breaks
nothing: hostile.c says what is tried.
"""

import random
import subprocess
from pathlib import Path

import pytest
from rules_in_c import GAMES
from tools import need
from traced_rules import FOLDERS, SANITIZERS, records

from khiva_arena.games.base import Game
from khiva_arena.native import build

pytestmark = pytest.mark.language


# To compile with sanitizers takes twenty seconds with optimization, and three without,
# but then a match of Emira takes two. Each game's few matches bring hundreds of views
# that are sound and hundreds that are not: more of them are for make test-long.
FEW = {"khiva": 40, "emira": 4, "silk_road": 20}
MANY = dict.fromkeys(FEW, 300)


@pytest.mark.parametrize(
    ("matches_of", "optimization"),
    [(FEW, "-O0"), pytest.param(MANY, "-O2", marks=pytest.mark.long)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_hostile_views_rules_and_choices(
    game: Game, matches_of: dict[str, int], optimization: str, tmp_path: Path
) -> None:
    need("cc")
    matches = matches_of[game.name]
    program = tmp_path / "hostile"
    options = (
        "-g",
        f"-DTRIED={game.name}",
        f"-DTRIED_SEATS={game.seats[-1]}",
        *SANITIZERS,
        *FOLDERS,
    )
    source = Path(__file__).with_name("hostile.c")
    subprocess.run(
        ["cc", *build.STRICT, optimization, *options, "-o", str(program), str(source)], check=True
    )
    tried = b"".join(records(game, random.Random(game.name), matches))
    done = subprocess.run([str(program)], input=tried, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    sound, views = map(int, done.stdout.split())
    assert 0 < sound < views  # some of both, or nothing was tried
    assert views > 10 * matches
