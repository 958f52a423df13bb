"""The pages for trainers: their examples run, in their order, and what they say of the numbers is so."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from arena import ROOT, arena

from khiva_arena import env
from khiva_arena.api.learning import LearningCurve
from khiva_arena.env.coding import coding_of
from khiva_arena.games import registry

TRAINERS = (ROOT / "docs" / "trainers.md").read_text()
CHECKPOINTS = (ROOT / "docs" / "checkpoints.md").read_text()


def run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **fewer: str) -> dict[str, object]:
    """The names that a page's examples leave behind."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    for number, example in enumerate(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL), 1):
        for word, other in fewer.items():
            example = re.sub(rf"\b{word}\b[=(]\d+", lambda found, other=other: re.sub(r"\d+", other, found[0]), example)  # type: ignore[misc]
        exec(compile(example, f"example {number}", "exec"), names)
    return names


@pytest.mark.slow
def test_the_examples_for_trainers_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arena("new", "game", "my-game", cwd=tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # to which the page adds that folder
    run(TRAINERS, tmp_path, monkeypatch, range="25", max_simulations="5")
    assert Path(str(sys.modules.pop("game").__file__)) == tmp_path / "my-game" / "game.py"
    said = capsys.readouterr().out
    assert re.search(r"^0 \['play_pass 0 1', ", said, re.MULTILINE)
    assert "('act', 'random', 'random')" in said
    assert "\n77 ('wait', 'bid card 1', 'bid card 2')\n" in said
    assert said.endswith("\n('highest', 'random', 'random') ('ok', 'ok', 'ok')\n")


def test_each_key_of_khiva_is_described() -> None:
    game = registry.get("khiva")
    keys = [part.key for part in coding_of(game, 3, game.rules({})).parts if part.key != "seats"]
    table = TRAINERS.split("### Khiva")[1].split("### ")[0]
    assert re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))) == keys


def test_the_sizes_are_those_of_the_page() -> None:
    def coded(name: str, seats: int, **rules: int) -> tuple[int, int]:
        game = registry.get(name)
        coding = coding_of(game, seats, game.rules(rules))
        return coding.size, coding.actions

    assert (coded("emira", 3)[0], coded("silk_road", 3)[0]) == (964, 847)
    assert "At 3 seats they have 964 and 847 numbers" in " ".join(TRAINERS.split())
    assert (coded("khiva", 3)[1], coded("khiva", 2)[1], coded("emira", 4)[1]) == (32, 432, 1247)
    assert "Khiva has 32 actions, 432 with two seats" in " ".join(TRAINERS.split())
    assert "Emira has 1,247" in TRAINERS
    assert round(coded("silk_road", 3)[1], -2) == 5500
    assert round(coded("silk_road", 3, most_cards=6)[1], -2) == 2600


@pytest.mark.slow
def test_checkpoints_are_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of the twenty of the page."""
    curve = run(CHECKPOINTS, tmp_path, monkeypatch, range="41", seeds="1")["curve"]
    assert isinstance(curve, LearningCurve)
    assert [(step, row.matches) for step, row in curve] == [(0, 3), (20, 3), (40, 3)]
    assert {row.name for row in curve.ladder} == {"random", "greedy"}


@pytest.mark.slow
def test_the_policy_of_the_page_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against two seats that choose by lot, it finishes ahead far more often than they do. Twenty checkpoints are written."""
    training = re.split(r"^## Rate", CHECKPOINTS, flags=re.MULTILINE)[0]
    names = run(training, tmp_path, monkeypatch)
    assert len(list((tmp_path / "checkpoints").glob("step-*.json"))) == 20
    made, chance = env.parallel("khiva", seats=3), np.random.default_rng(5)
    made.reset(seed=2)
    total = 0.0
    for _ in range(60):
        seen, _ = made.reset()
        while made.agents:
            chosen = {agent: int(chance.choice(np.flatnonzero(one["action_mask"]))) for agent, one in seen.items()}
            chosen["player_0"] = names["act"](seen["player_0"], chance)  # type: ignore[operator]
            seen, rewards, *_ = made.step(chosen)
        total += rewards["player_0"]
    assert total / 60 > 0.8  # of 2; by chance 0, give or take 0.2


@pytest.mark.soak
def test_twenty_checkpoints_are_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page as it stands, on fewer deals."""
    curve = run(CHECKPOINTS, tmp_path, monkeypatch, seeds="2")["curve"]
    assert isinstance(curve, LearningCurve)
    assert [step for step, _ in curve] == list(range(0, 381, 20))
    assert all(row.elo is not None and row.matches == 6 and not row.fault_counts for _, row in curve)
    assert any(row.error for _, row in curve)
