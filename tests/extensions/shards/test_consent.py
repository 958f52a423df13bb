"""A plan opens nothing on this machine that its user has not said; see
tests/interface/cli/test_consent.py.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from consenting import flags_of
from stores import NAIVE, RANDOM
from wording import sentence


@pytest.mark.slow
def test_a_plan_says_what_it_opens_and_needs_a_word_where_it_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = ("--seats", "2", "--seeds", "2", "--rule", "max_turns=2", "--isolation", "trusted")
    arena("run", *bots(RANDOM, NAIVE), *short, "--plan", "cup.plan", cwd=tmp_path)
    says = "cup.plan opens --isolation trusted: " + sentence("settings", "bots-kept-less-machine")
    shard = ("run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "a")
    assert says in arena(*shard, cwd=tmp_path).stderr  # whoever made it has said so
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    line = arena(*shard[:-1], "b", cwd=tmp_path, code=2).stderr.strip().splitlines()
    assert says in line[0]
    assert flags_of(line[-1]) == ["--isolation", "trusted"]
    assert not (tmp_path / "b").exists()
    arena(*shard[:-1], "b", "--isolation", "trusted", cwd=tmp_path)
    wrong = arena(*shard[:-1], "c", "--isolation", "basic", cwd=tmp_path, code=2)
    assert sentence("shards", "plan-says-played-leave", option="--isolation") in wrong.stderr
