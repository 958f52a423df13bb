"""docs/trainers.md: its examples run, in their order, the last of them at a game of one's own."""

import re
import sys
from pathlib import Path

import pytest
from arena import ROOT, arena
from examples import run_examples

TRAINERS = (ROOT / "docs" / "trainers.md").read_text()


@pytest.mark.soak
def test_the_examples_for_trainers_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arena("new", "game", "my-game", cwd=tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # to which the page adds that folder
    run_examples(TRAINERS, tmp_path, monkeypatch, range="25", max_simulations="5")
    assert Path(str(sys.modules.pop("game").__file__)) == tmp_path / "my-game" / "game.py"
    said = capsys.readouterr().out
    shown = re.findall(r"^```text\n(.*?)^```$", TRAINERS, re.MULTILINE | re.DOTALL)
    assert [number for number, text in enumerate(shown) if text not in said] == [2, 3, 6], (
        "what 25 matches of training don't give"
    )
    assert re.search(r"^0 \['play_pass 0 1', ", said, re.MULTILINE)
    assert "('act', 'random', 'random')" in said
    assert "\n77 ('wait', 'bid card 1', 'bid card 2')\n" in said
    assert said.endswith("\n('highest', 'random', 'random') ('ok', 'ok', 'ok')\n")
