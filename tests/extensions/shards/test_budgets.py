"""``run --budget`` beside ``--plan`` and ``--from-plan``."""

import re
from pathlib import Path

import pytest
from arena import C, arena, bots
from stores import NAIVE, RANDOM, TRUSTED
from wording import sentence

from khiva_arena.extensions.shards.plan_file import read_plan

RUN = [
    "run",
    *bots(C, NAIVE, RANDOM),
    "--seats",
    "2",
    *TRUSTED,
    "--rule",
    "max_turns=6",
    "--budget",
    "1h",
]


@pytest.mark.slow
def test_a_plan_has_the_seeds_that_fit(tmp_path: Path) -> None:
    said = arena(
        *RUN, "--plan", "cup.plan", "--yes", "--out", "out", "-j", "2", cwd=tmp_path
    ).stderr
    seeds = re.search(r"^(\d+) seeds x 3 line-ups x 2 rotations = ", said, re.MULTILINE)
    assert seeds, said
    assert read_plan(tmp_path / "cup.plan").event.definition.seeds == int(seeds[1]) > 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--plan", "p", "--skip-broken"],
            sentence(
                "shards",
                "plan-leaves-out",
                option="--skip-broken",
                names=sentence("shards", "plan-names-bots"),
            ),
        ),
        (["--from-plan", "p"], sentence("run", "plan-budget-plan-says")),
    ],
)
def test_what_does_not_go_together(words: list[str], said: str, tmp_path: Path) -> None:
    assert said in arena(*RUN, *words, "--out", "out", cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "out").exists()
