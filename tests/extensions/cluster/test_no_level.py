"""A cluster on a machine where no isolation level works."""

from pathlib import Path

import pytest
from arena import arena, bots
from no_levels import COMMAND, LACK
from stores import NAIVE, RANDOM
from wording import sentence

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("only_trusted")]

RUN = ("run", *bots(RANDOM, NAIVE), "--seats", "2", "--rule", "max_turns=1", "--seed", "lone")
REFUSES = "khiva-arena: error: " + sentence("settings", "no-isolation-level", why=LACK)
MISTAKES = {
    "--dask local:many": sentence("cluster", "dask-write-local-how", asked="local:many"),
    "--skip-broken --dask local:many": sentence(
        "cluster", "dask-write-local-how", asked="local:many"
    ),
    "--budget 1s --dask local:many": sentence(
        "cluster", "dask-write-local-how", asked="local:many"
    ),
    "--dask head --dask-tls none": "--dask-tls none: no such folder",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_in_an_argument_is_told_before_what_the_machine_lacks(
    words: str, tmp_path: Path
) -> None:
    seeds = () if "--budget" in words else ("--seeds", "1")
    said = arena(*RUN, *seeds, *words.split(), cwd=tmp_path, code=2).stderr
    assert MISTAKES[words] in said
    assert REFUSES not in said


def test_a_cluster_needs_a_level_too(tmp_path: Path) -> None:
    said = arena(
        *RUN, "--seeds", "1", "--dask", "local:1", cwd=tmp_path, code=2
    ).stderr.splitlines()
    assert said[:2] == [REFUSES, f"  next: {COMMAND}"]
