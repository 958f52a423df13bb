"""A plan of a cup, and its commands."""

import shutil
from pathlib import Path

import pytest
from arena import SHIPPED, arena, bots
from stores import RANDOM

SEATS = {"khiva": "2", "emira": "3", "silk_road": "2"}


def words(game: str = "khiva", seeds: int = 5) -> list[str]:
    copies = ["--copies", "2"] if SEATS[game] == "3" else []
    shape = [
        "--game",
        game,
        "--seats",
        SEATS[game],
        *copies,
        "--seeds",
        str(seeds),
        "--isolation",
        "trusted",
    ]
    short = ["--rule", "max_turns=6"] if game == "khiva" else []
    return ["run", *bots(SHIPPED, RANDOM), *shape, *short]


def digest(text: str) -> str:
    return next(line for line in text.splitlines() if "run digest" in line).rpartition(" ")[2]


def refused(folder: Path, *said: str, lines: int = 1) -> str:
    """The only lines of a command that is refused."""
    done = arena(*said, cwd=folder, code=2)
    wrong = [line for line in done.stderr.splitlines() if line.startswith("khiva-arena: error: ")]
    assert len(wrong) == lines, done.stderr
    assert "Traceback" not in done.stderr
    return "\n".join(wrong)


def play(folder: Path, *shards: str) -> list[str]:
    """Play these shards of cup.plan. Returns the folders of their stores."""
    made = []
    for shard in shards:
        made.append(f"shard-{shard.replace('/', '-')}")
        arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", made[-1], cwd=folder)
    return made


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan that this process has made: it may play what it opens."""
    folder = tmp_path_factory.mktemp("plan")
    arena(*words(), "--plan", "cup.plan", cwd=folder)
    return folder / "cup.plan"


@pytest.fixture
def cup(plan: Path, tmp_path: Path) -> Path:
    shutil.copy(plan, tmp_path)
    return tmp_path
