"""A league on a machine where no isolation level works."""

from pathlib import Path

import pytest
from arena import arena
from no_levels import COMMAND, LACK
from stores import RANDOM
from wording import sentence

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("only_trusted")]

REFUSES = "khiva-arena: error: " + sentence("settings", "no-isolation-level", why=LACK)


def test_a_league_is_made_and_never_trusts(tmp_path: Path) -> None:
    """Its bots are strangers'."""
    arena("league", "new", "spring", "--seats", "2", cwd=tmp_path)
    for words in (
        ("play", "spring", "--batches", "1"),
        ("enter", "spring", RANDOM, "--author", "ann"),
    ):
        said = arena("league", *words, cwd=tmp_path, code=2).stderr.splitlines()
        assert said == [REFUSES, f"  next: {COMMAND}"]
