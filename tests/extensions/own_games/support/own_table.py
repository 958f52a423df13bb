"""A game in a file, and a store with matches of it."""

from pathlib import Path

import pytest
from arena import arena, bots
from own_games import changed
from stores import NAIVE, RANDOM

RAN = (
    '"""A bidding',
    (
        'import os\nopen(os.path.join({folder!r}, "ran"), '
        '"a").write(f"{{os.getpid()}}\\n")\n"""A bidding'
    ),
)


def two(folder: Path) -> list[str]:
    """Bots that play it, beside the template in a folder of its own, whose bot others
    play with.
    """
    if not (folder / "mine").exists():
        arena("new", "game", "mine", cwd=folder)
    return bots(RANDOM, NAIVE)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a game that notes where it runs, and a store with matches of it."""
    folder = tmp_path_factory.mktemp("own")
    changed(folder / "game.py", (RAN[0], RAN[1].format(folder=str(folder))))
    run = [
        "run",
        "--game",
        "game.py",
        *two(folder),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "--isolation",
        "trusted",
    ]
    done = arena(*run, "--out", "out", cwd=folder)
    assert "bidding with cards=13 at 2 seats" in done.stdout
    assert "khiva-arena verify out --game " in done.stderr
    return folder
