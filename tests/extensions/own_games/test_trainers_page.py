"""docs/trainers.md: its examples with your own game print what it shows.
tests/env/test_pages.py runs those before.
"""

import sys
from pathlib import Path

import pytest
from arena import ROOT, arena
from examples import differing, run_and_print

OWN = (ROOT / "docs" / "trainers.md").read_text().partition("## A game of your own")[2]


@pytest.mark.soak
def test_a_coding_of_a_users_game_is_that_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("new", "game", "my-game", cwd=tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # to which the page adds that folder
    printed = run_and_print(
        f"```python\nimport numpy as np\nimport khiva_arena\n```\n{OWN}", tmp_path, monkeypatch
    )
    assert Path(str(sys.modules.pop("game").__file__)) == tmp_path / "my-game" / "game.py"
    assert len([example for example in printed if example.shown]) == 2
    assert differing(printed) == []
