"""The pages for trainers: their examples run, in their order, and what they say of the
numbers is so.
"""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arena import ROOT, arena
from examples import differing, run_and_print, run_examples
from gymnasium.utils.env_checker import check_env

import khiva_arena
from khiva_arena import env
from khiva_arena.env.coding import coding_of
from khiva_arena.games import registry
from khiva_arena.interface.api.learning import LearningCurve

TRAINERS = (ROOT / "docs" / "trainers.md").read_text()
TRAINING = (ROOT / "docs" / "train-a-policy.md").read_text()
LEARNING = TRAINERS.partition("## A policy that learns")[2].partition("\n## ")[0]
OF_THE_ARENA = TRAINERS.partition("## A game of your own")[0]


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.slow
def test_the_examples_of_the_training_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With 2 updates in place of each training, and 2 deals to rate it by; the
    libraries' part where they are installed.
    """
    fewer = {"updates": "2", "games": "32", "deals": "2", "total_timesteps": "4"}
    names = run_examples(TRAINING, tmp_path, monkeypatch, **fewer)
    assert isinstance(names["policy"], names["Policy"] if not find_spec("torch") else object)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert re.search(r"^\d+ matches, [\d,]+ decisions a second$", said, re.MULTILINE)
    assert re.search(
        r"^ahead of [\d.]+ % of shipped:python/random: [+-]\d+ Elo \+/- \d+$", said, re.MULTILINE
    )
    commands = re.findall(r"^khiva-arena .*", TRAINING, re.MULTILINE)
    assert len(re.findall(r"^ahead of ", TRAINING, re.MULTILINE)) == 6
    assert [command.split()[1] for command in commands] == ["new", "check", "run", "standings"]


@pytest.mark.soak
def test_the_shipped_training_runs_from_a_copy(tmp_path: Path) -> None:
    """As the page has it: a copy of the bot, trained again, which then plays by its new
    weights.
    """
    arena("new", "shipped:python/trained", "my-policy", cwd=tmp_path)
    words = [sys.executable, "train.py", "--seats", "3", "--updates", "1"]
    done = subprocess.run(
        words, cwd=tmp_path / "my-policy", capture_output=True, text=True, check=True, timeout=300
    )
    assert re.fullmatch(r"1 updates, \d+ matches, entropy [\d.]+, \d+ s\n", done.stdout)
    shipped = ROOT / "bots" / "python" / "trained" / "weights-3.npz"
    assert (tmp_path / "my-policy" / "weights-3.npz").read_bytes() != shipped.read_bytes()
    said = arena("check", "--quick", "my-policy", cwd=tmp_path).stdout
    assert "0 failed" in said


@pytest.mark.soak
def test_the_seat_that_learns_on_the_page_gets_every_reward_and_a_masked_policy_learns_there(
    tmp_path: Path,
) -> None:
    """A policy of numbers in place of PPO. The wrapper of PettingZoo's tutorial, played
    the same way, misses rewards.
    """
    (example,) = (
        text
        for text in re.findall(r"^```python\n(.*?)^```$", TRAINING, re.MULTILINE | re.DOTALL)
        if "class OneSeat" in text
    )
    names: dict[str, Any] = {"khiva_arena": khiva_arena}
    exec(compile(example.split("if find_spec")[0], "OneSeat", "exec"), names)
    seat = names["OneSeat"]({1: "shipped:python/random", 2: "shipped:python/random"})
    check_env(seat, skip_render_check=True)
    likes, chance = np.zeros(seat.action_space.n), np.random.default_rng(0)
    seat.reset(seed=1)
    gained = []
    for _ in range(160):
        seen, _ = seat.reset()
        over, total, learnt = False, 0.0, np.zeros_like(likes)
        while not over:
            assert seat.observation_space.contains(seen)
            weights = np.exp(likes) * seat.action_masks()
            weights /= weights.sum()
            action = int(chance.choice(len(likes), p=weights))
            learnt[action] += 1
            learnt -= weights
            seen, reward, over, _, info = seat.step(action)
            assert not info
            total += reward
        assert total == seat.env.match.scores[0]
        likes += 0.01 * (total - np.mean(gained or [total])) * learnt
        gained.append(total)
    assert np.mean(gained[-50:]) > np.mean(gained[:50]) + 2


@pytest.mark.usefixtures("rules_in_c")
def test_a_reward_read_right_after_the_step_is_less_than_half_of_it() -> None:
    made, read = env.aec("khiva", 3, rewards="points"), 0.0
    made.reset(seed=1)
    for agent in made.agent_iter():
        observation, _, over, *_ = made.last()
        made.step(None if over else int(observation["action_mask"].argmax()))
        if not over:
            read += made._cumulative_rewards.get(agent, 0.0)  # as SB3ActionMaskWrapper does
    assert 0 < read < 0.6 * sum(made.match.scores)
    assert "sees 22 to 56 % of the points" in " ".join(TRAINING.split())


def test_each_key_of_khiva_is_described() -> None:
    game = registry.get("khiva")
    keys = [part.key for part in coding_of(game, 3, game.rules({})).parts if part.key != "seats"]
    table = TRAINERS.split("### Khiva")[1].split("### ")[0]
    assert (
        re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))) == keys
    )


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


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.soak
def test_the_examples_for_trainers_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints are rated on one deal, with the small try before; their numbers are
    no other machine's.
    """
    printed = run_and_print(OF_THE_ARENA, tmp_path, monkeypatch, seeds="1")
    of_functions = [example.shown.split()[0] for example in differing(printed)]
    assert of_functions == ["('act',", "from", "121.945"]
    small, rated, *_ = [
        example.said for example in printed if "khiva at 3 seats; turn 20000 ms" in example.said
    ]
    assert re.search(r"^12 of 12 matches, [\d.]+ s each: 0.0 min to go$", small, re.MULTILINE)
    assert re.findall(r"^ *(\d+)  step-\d+ .* (\d+) +1 +0$", rated, re.MULTILINE) == [
        (str(40 * n), "3") for n in range(10)
    ]


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.soak
def test_the_policy_of_the_page_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against two seats that choose by lot, it finishes ahead far more often than they
    do. Ten checkpoints are written.
    """
    names = run_examples(
        f"```python\nimport numpy as np\nimport khiva_arena\n```\n{LEARNING}", tmp_path, monkeypatch
    )
    assert len(list((tmp_path / "checkpoints").glob("step-*.json"))) == 10
    made, chance = env.parallel("khiva", seats=3), np.random.default_rng(5)
    made.reset(seed=2)
    total = 0.0
    for _ in range(60):
        seen, _ = made.reset()
        while made.agents:
            chosen = {
                agent: int(chance.choice(np.flatnonzero(one["action_mask"])))
                for agent, one in seen.items()
            }
            chosen["player_0"] = names["act"](seen["player_0"], chance)  # type: ignore[operator]
            seen, rewards, *_ = made.step(chosen)
        total += rewards["player_0"]
    assert total / 60 > 0.8  # of 2; by chance 0, give or take 0.2


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.long
def test_ten_checkpoints_are_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On two deals, which give errors."""
    curve = run_examples(OF_THE_ARENA, tmp_path, monkeypatch, seeds="2")["curve"]
    assert isinstance(curve, LearningCurve)
    assert [step for step, _ in curve] == list(range(0, 361, 40))
    assert all(
        row.elo is not None and row.matches == 6 and not row.fault_counts for _, row in curve
    )
    assert any(row.error for _, row in curve)
