"""The games as PettingZoo's environments: its own tests, seeds, secrecy, and what an
illegal action does.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lowest import Lowest, coding
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from wording import pattern

from khiva_arena import env
from khiva_arena.env.deals import Deals
from khiva_arena.env.zoo import ArenaAEC
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry

pytestmark = [
    pytest.mark.usefixtures("rules_in_c"),
    # An observation with its mask is a dict, as in PettingZoo's own card games; its
    # test knows those by name.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]
CASES = [(name, seats) for name in registry.NAMES for seats in registry.get(name).seats]


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_pettingzoo_s_own_tests_pass(name: str, seats: int) -> None:
    api_test(env.aec(name, seats), num_cycles=200)
    parallel_api_test(env.parallel(name, seats), num_cycles=200)
    seed_test(lambda: env.aec(name, seats), num_cycles=60)
    parallel_seed_test(lambda: env.parallel(name, seats), num_cycles=60)


def test_the_test_that_samples_without_masks_passes_on_a_small_game() -> None:
    def made(make: Any) -> Any:
        return lambda max_cycles: make(
            Lowest(), 3, rules={"rounds": max_cycles}, coding=coding(3, max_cycles)
        )

    max_cycles_test(SimpleNamespace(env=made(env.aec), parallel_env=made(env.parallel)))
    api_test(made(env.aec)(9))


def played(made: ArenaAEC, seed: int | None) -> list[Any]:
    """All that an episode shows, of choices drawn from the seed 0."""
    made.reset(seed=seed)
    chance, seen = np.random.default_rng(0), []
    for agent in made.agent_iter():
        observation, reward, terminated, _, _ = made.last()
        seen.append((agent, observation["observation"].tobytes(), reward))
        made.step(
            None if terminated else int(chance.choice(np.flatnonzero(observation["action_mask"])))
        )
    return seen


def test_equal_seeds_give_equal_episodes_and_the_next_one_differs() -> None:
    made = env.aec("khiva", 2)
    first, second = played(made, 7), played(made, None)
    assert first != second
    assert [played(made, 7), played(made, None)] == [first, second]
    assert played(env.aec("khiva", 2), 7) == first
    assert played(made, 8) != first


def test_no_deal_is_one_of_a_run() -> None:
    from khiva_arena.records.replay import seeds

    deals = Deals()
    deals.seed(7)
    drawn = {deals.next() for _ in range(20)}
    run = seeds.run_secret("7")
    assert not drawn & {run, *(seeds.seed_secret(run, k) for k in range(1, 50))}
    assert len(drawn) == 20


def test_simultaneous_choices_stay_secret_until_all_are_made() -> None:
    made, other = env.aec("khiva", 3), env.aec("khiva", 3)
    for one, place in ((made, 0), (other, -1)):
        one.reset(seed=1)
        legal = np.flatnonzero(one.last()[0]["action_mask"])
        one.step(int(legal[place]))
        assert one.agent_selection == "player_1"
        assert one.observe("player_0")["action_mask"].nonzero()[0].tolist() == [0]
    for agent in made.agents:
        assert (made.observe(agent)["observation"] == other.observe(agent)["observation"]).all()


def test_an_illegal_action_is_answered_with_the_default() -> None:
    made = env.aec("khiva", 3)
    made.reset(seed=1)
    before = made.match.clone()
    legal = made.last()[0]["action_mask"].nonzero()[0].tolist()
    for action in (0, legal[3], legal[4]):
        made.step(action)
    before.apply({0: 0, 1: 3, 2: 4})
    assert made.match.view(0) == before.view(0)
    assert made.infos == {"player_0": {"illegal": True}, "player_1": {}, "player_2": {}}
    together = env.parallel("khiva", 3)
    together.reset(seed=1)
    *_, infos = together.step({"player_0": 0, "player_1": legal[3], "player_2": legal[4]})
    assert together.match.view(0) == before.view(0)
    assert infos == made.infos


def test_who_is_not_asked_waits() -> None:
    made = env.parallel("silk_road", 3)
    seen, _ = made.reset(seed=1)
    asked = [agent for agent, one in seen.items() if not one["action_mask"][0]]
    assert len(asked) == 1
    action = int(seen[asked[0]]["action_mask"].argmax())
    *_, infos = made.step({agent: action if agent in asked else 99 for agent in made.agents})
    assert not any(infos.values())


@pytest.mark.parametrize("rewards", ["places", "points"])
def test_rewards_are_places_at_the_end_or_points_as_they_come(rewards: str) -> None:
    made = env.parallel("khiva", 3, rewards=rewards)
    seen, _ = made.reset(seed=3)
    start, total = made.match.scores, np.zeros(3)
    match = made.match
    while made.agents:
        seen, gained, *_ = made.step(
            {agent: int(one["action_mask"].argmax()) for agent, one in seen.items()}
        )
        total += list(gained.values())
    ranks = match.ranks
    places = [sum((other > rank) - (other < rank) for other in ranks) for rank in ranks]
    points = [end - begun for end, begun in zip(match.scores, start, strict=True)]
    assert total.tolist() == (places if rewards == "places" else points)
    assert sum(places) == 0


def test_it_shows_itself_as_text() -> None:
    made = env.aec("khiva", 2, render_mode="ansi")
    made.reset(seed=1)
    assert "player_1: hand " in made.render()
    assert env.aec("khiva", 2).metadata["name"] == "khiva_v1"


def test_mistakes_in_a_step_are_said() -> None:
    made, both = env.aec("khiva", 2), env.parallel("khiva", 2)
    for step in (lambda: made.step(1), lambda: both.step({})):
        with pytest.raises(RuntimeError, match=r"there is no match before the first reset\(\)"):
            step()
    made.reset(seed=1)
    both.reset(seed=1)
    for action in (1.0, "1", None):
        with pytest.raises(
            TypeError,
            match=pattern("env", "action-no-whole-number", agent="player_0", action=f"{action!r}"),
        ):
            made.step(action)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=pattern("env", "action-no-whole-number", agent="player_1", action="1.5")
    ):
        both.step({"player_0": np.int64(1), "player_1": 1.5})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="no action for player_1, who is asked"):
        both.step({"player_0": 1})
    made.step(np.int64(1))
    assert made.agent_selection == "player_1"


def test_mistakes_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="Did you mean khiva"):
        env.aec("kiva")
    with pytest.raises(
        ConfigError, match=r"Hand over a game of your own itself, with coding=\.\.\."
    ):
        env.parallel("my_game.py")
    with pytest.raises(ConfigError, match="Khiva is for 2 to 5 seats, not 6"):
        env.parallel("khiva", 6)
    with pytest.raises(
        ConfigError, match=pattern("api", "not-whole-number", name="seats", value="'3'")
    ):
        env.parallel("khiva", "3")  # type: ignore[arg-type]
    with pytest.raises(
        ConfigError,
        match=r"game: None is neither the name of a game, such as 'khiva', nor a khiva_arena\.Game",
    ):
        env.aec(None, 3)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="render_mode: 'human' is neither None nor 'ansi'"):
        env.parallel("khiva", render_mode="human")
    with pytest.raises(ConfigError, match="rewards: 'gold' is none of places, points"):
        env.aec("khiva", rewards="gold")
    monkeypatch.setattr(env, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'khiva-arena\[pettingzoo\]'"):
        env.aec("khiva")
