"""Matches that are stepped together are those of the AEC environment, number by number,
by the rules in C and by the engine.
"""

import pickle
from typing import Any

import numpy as np
import pytest
from in_targets import soak_but_every
from rules_in_c import PLACES
from wording import pattern

import khiva_arena
from khiva_arena import crules
from khiva_arena.env.vector_env import VectorEnv
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game

GAMES = 3
STEPS = {"khiva": 250, "silk_road": 280, "emira": 120}
"""By game: the steps that are compared. They see the end of a match, except of Emira,
whose matches have many hundreds.
"""


def drawn(masks: Any, rng: np.random.Generator) -> Any:
    """A legal action for each row."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def same(one: Any, other: Any) -> None:
    """Two results of a reset or a step, part by part."""
    for part, again in zip(one, other, strict=True):
        for key in part if isinstance(part, dict) else [...]:
            assert np.array_equal(part[key], again[key]), key


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize(("game", "seats"), soak_but_every(PLACES, 4))
@pytest.mark.parametrize("rewards", ["places", "points"])
def test_each_match_is_that_of_an_aec_environment(
    game: Game, seats: int, rewards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seats)
    without = tuple(
        rng.choice([*khiva_arena.env.aec(game, seats).coding.keys], 2, replace=False).tolist()
    )
    how: dict[str, Any] = {"rewards": rewards, "without": without if rewards == "points" else ()}
    vector = khiva_arena.env.vector(game, seats, 2, **how)
    monkeypatch.setattr(crules, "is_built", lambda: False)
    with pytest.warns(RuntimeWarning, match=pattern("env", "steps-take-longer", factor="8")):
        single = [khiva_arena.env.aec(game, seats, **how) for _ in range(2)]
    assert [vector.in_c, single[0].table.in_c] == [True, False]
    obs, infos = vector.reset(seed=5)
    for number, env in enumerate(single):
        env.reset(seed=5 + number)
    for _ in range(STEPS[game.name]):
        for number, env in enumerate(single):
            now = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{infos['seat'][number]}"
            assert np.array_equal(now["observation"], obs["observation"][number])
            assert np.array_equal(now["action_mask"], obs["action_mask"][number])
        actions = drawn(obs["action_mask"], rng)
        odd = int(rng.integers(2))
        actions[odd] = rng.choice(
            [-1, int(rng.integers(vector.coding.actions)), vector.coding.actions]
        )
        obs, gained, over, cut, infos = vector.step(actions)
        for number, env in enumerate(single):
            agent = env.agent_selection
            env.step(int(actions[number]))
            assert infos["illegal"][number] == env.infos[agent].get("illegal", False)
            assert [*env.rewards.values()] == gained[number].tolist()
            assert over[number] == all(env.terminations.values())
            if over[number]:
                env.reset()
        assert not cut.any()


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("rewards", ["places", "points"])
def test_the_engine_steps_alike_where_the_rules_in_c_are_not_built(
    rewards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[VectorEnv] = [
        khiva_arena.env.vector("khiva", 3, GAMES, rewards=rewards, without=("history",))
    ]
    monkeypatch.setattr(crules, "is_built", lambda: False)
    with pytest.warns(RuntimeWarning, match=pattern("env", "steps-take-longer", factor="100")):
        made.append(
            khiva_arena.env.vector("khiva", 3, GAMES, rewards=rewards, without=("history",))
        )
    assert [env.in_c for env in made] == [True, False]
    first, second = (env.reset(seed=1) for env in made)
    rng = np.random.default_rng(1)
    for _ in range(STEPS["khiva"]):
        same(first, second)
        actions = drawn(first[0]["action_mask"], rng)
        actions[0] = -1 if rng.random() < 0.1 else actions[0]
        first, second = (env.step(actions) for env in made)


@pytest.mark.usefixtures("rules_in_c")
def test_equal_seeds_are_equal_matches_and_without_one_deals_go_on() -> None:
    env, again = (khiva_arena.env.vector("khiva", 3, GAMES) for _ in range(2))
    same(env.reset(seed=3), again.reset(seed=3))
    same(env.reset(), again.reset())
    with pytest.raises(AssertionError):
        same(env.reset(), again.reset(seed=3))


@pytest.mark.usefixtures("rules_in_c")
def test_what_a_step_returned_does_not_change() -> None:
    env = khiva_arena.env.vector("khiva", 3, GAMES)
    rng, obs = np.random.default_rng(1), env.reset(seed=3)[0]
    results = [env.step(drawn(obs["action_mask"], rng))]
    kept = pickle.loads(pickle.dumps(results))
    for _ in range(5):
        results.append(env.step(drawn(results[-1][0]["action_mask"], rng)))
    assert (results[0][0]["observation"] != results[-1][0]["observation"]).any()
    same(results[0], kept[0])


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("actions", [[1], [[1, 1, 1]], [1.0, 1.0, 1.0], "abc"])
def test_actions_of_another_form_are_refused(actions: Any) -> None:
    env = khiva_arena.env.vector("khiva", 3, GAMES)
    with pytest.raises(RuntimeError, match=r"reset\(\) comes before the first step\(\)"):
        env.step([1, 1, 1])
    env.reset(seed=1)
    with pytest.raises(ValueError, match="actions are 3 whole numbers, not"):
        env.step(actions)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [({"games": 0}, "0 matches"), ({"rewards": "x"}, "none of"), ({"seats": 9}, "2 to 5")],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        khiva_arena.env.vector("khiva", **wrong)


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize(("game", "seats"), soak_but_every(PLACES, 4))
def test_an_aec_environment_in_c_is_that_of_the_engine(
    game: Game, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Observations of who acts and of who waits, rewards, ends, the match that the
    engine has, and a copy through pickle.
    """
    in_c = khiva_arena.env.aec(game, seats, rewards="points")
    with monkeypatch.context() as without:
        without.setattr(crules, "is_built", lambda: False)
        with pytest.warns(RuntimeWarning, match=pattern("env", "steps-take-longer", factor="8")):
            by_engine = khiva_arena.env.aec(game, seats, rewards="points")
    assert [in_c.table.in_c, by_engine.table.in_c] == [True, False]
    rng = np.random.default_rng(seats)
    in_c.reset(seed="a")
    by_engine.reset(seed="a")
    for step in range(STEPS[game.name]):
        assert in_c.agent_selection == by_engine.agent_selection
        for agent in (in_c.agent_selection, str(rng.choice(in_c.possible_agents))):
            same([in_c.observe(agent)], [by_engine.observe(agent)])
        if step % 100 == 25:
            in_c = pickle.loads(pickle.dumps(in_c))
            with monkeypatch.context() as without:
                without.setattr(crules, "is_built", lambda: False)
                elsewhere = pickle.loads(pickle.dumps(in_c))
            assert not elsewhere.table.in_c
            same([elsewhere.observe(in_c.agent_selection)], [in_c.observe(in_c.agent_selection)])
        if step % 50 > 40:
            assert [in_c.match.view(seat) for seat in range(seats)] == [
                by_engine.match.view(seat) for seat in range(seats)
            ]
        mask = in_c.observe(in_c.agent_selection)["action_mask"]
        action = (
            int(rng.choice(np.flatnonzero(mask)))
            if rng.random() < 0.9
            else int(rng.integers(-2, len(mask) + 2))
        )
        for env in (in_c, by_engine):
            env.step(action)
        assert (in_c.rewards, in_c.terminations, in_c.infos) == (
            by_engine.rewards,
            by_engine.terminations,
            by_engine.infos,
        )
        if all(in_c.terminations.values()):
            in_c.reset()
            by_engine.reset()


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("in_c", [True, False])
def test_a_reset_forgets_choices_and_actions_of_the_match_before(
    in_c: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_c:
        monkeypatch.setattr(crules, "is_built", lambda: False)
        monkeypatch.setattr("khiva_arena.env.vector_env.warn_of_slowness", lambda *_: None)
    env = khiva_arena.env.vector("khiva", 3, GAMES)
    assert env.in_c == in_c
    env.reset(seed=1)
    env.step([-1] * GAMES)
    _, infos = env.reset(seed=1)
    assert (infos["seat"].tolist(), infos["illegal"].tolist()) == ([0] * GAMES, [False] * GAMES)
