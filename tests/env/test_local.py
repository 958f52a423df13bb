"""Matches in this process: who plays, on which deals, what is told and what is
refused.
"""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from wording import pattern

import khiva_arena
from khiva_arena import env
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.games import registry


def first(decide: Any, match: Any) -> int:
    return 0


def last(decide: Any, match: Any) -> int:
    return len(decide["legal"]) - 1


def test_each_line_up_plays_each_deal_in_all_rotations_and_equal_seeds_are_equal_deals() -> None:
    table = khiva_arena.local(
        [first, last, "shipped:python/random", first], seats=3, deals=4, seed=7
    )
    assert len(table.results) == 4 * 4 * 3
    assert Counter(bot for one in table.results for bot in one.bots) == dict.fromkeys(range(4), 36)
    for deal in range(4):
        seats = Counter(
            (bot, one.bots.index(bot))
            for one in table.results
            if one.seed == deal
            for bot in one.bots
        )
        assert set(seats.values()) == {3}
    assert {row.name for row in table} == {"first-1", "first-2", "last", "random"}
    assert table["random"].elo == 0
    again = khiva_arena.local(
        [first, last, "shipped:python/random", first], seats=3, deals=4, seed="7"
    )
    assert again == table
    assert (
        khiva_arena.local([first, last, "shipped:python/random", first], seats=3, deals=4, seed=8)
        != table
    )
    assert "4 deals, no time limits, no records" in str(table)
    assert list(table.to_pandas()["name"]) == [row.name for row in table]


@pytest.mark.slow
def test_a_match_is_the_one_that_the_arena_plays() -> None:
    """Told the same of the same deal, the shipped bots choose the same: a whole match
    of each game.
    """
    from khiva_arena.env.players import Players

    for name, bot in (
        ("khiva", "greedy"),
        ("emira", "greedy_emira"),
        ("silk_road", "greedy_silk_road"),
    ):
        bots = [f"shipped:python/{bot}", "shipped:python/random", "shipped:python/random"]
        played = khiva_arena.match(
            *bots, game=name, seed="same", turn="20s", start="60s", isolation="trusted"
        )
        game = registry.get(name)
        state, events = game.new(3, played.rules, played.secret)
        players = Players(game, 3, played.rules, dict(enumerate(bots)))
        players.begin(played.secret, played.id, events)
        while not state.is_over:
            players.saw(
                state.apply({seat: players.choose(state, seat) for seat in state.pending()})
            )
        assert tuple(state.scores) == played.scores


def test_what_a_function_is_told_is_what_a_bot_is_told() -> None:
    told: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def curious(decide: Any, match: Any) -> int:
        told.append((dict(decide), match))
        return 0

    khiva_arena.local([curious, first], deals=1, seed=1)
    decide, match = told[0]
    assert set(decide) == {"type", "req", "kind", "turn_ms", "bank_ms", "legal", "view", "events"}
    assert {
        "game",
        "rules",
        "rules_version",
        "match",
        "seat",
        "seats",
        "seed",
        "time",
        "commit",
    } < set(match)
    assert decide["view"]["seat"] == match["seat"]
    hands = [
        event["seat"]
        for one, to in told
        for event in one["events"]
        if event["type"] == "hand" and to["seat"] == 0
    ]
    assert set(hands) == {0}
    assert [event["type"] for event in decide["events"]][:2] == ["setup", "deal"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"bots": [first]}, "is not a list of two bots or more"),
        ({"bots": [first, "bots/mine"]}, "'bots/mine' does not play in this process"),
        (
            {"bots": [first, "shipped:python/nobody"]},
            "there is no shipped:python/nobody; there are shipped:python/greedy",
        ),
        ({"bots": [first, "shipped:python/greedy_emira"]}, "plays emira and not khiva"),
        (
            {"bots": [first, "shipped:python/llm"]},
            "needs more than a function of Python, so it does not play in this process",
        ),
        ({"seats": 3}, "2 for 3 seats: give one several times to seat copies of it"),
        ({"seats": 9}, "seats"),
        ({"deals": 0}, "deals: 0 is not 1 or more"),
        ({"deals": "4"}, pattern("api", "not-whole-number", name="deals", value="'4'")),
        ({"seed": 1.5}, pattern("api", "seed-neither-whole-number", seed="1.5")),
        ({"game": "chess"}, "chess"),
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        khiva_arena.local(**{"bots": [first, last], "deals": 1, **wrong})


@pytest.mark.parametrize("answer", [-1, 99, None, True, "0"])
def test_a_choice_that_is_none_is_raised_with_the_bot_s_name(answer: Any) -> None:
    def odd(decide: Any, match: Any) -> Any:
        return answer

    with pytest.raises(BotError, match=r"odd: .* is no index into the"):
        khiva_arena.local([odd, first], deals=1)


def test_bots_of_all_games_are_opponents_side_by_side() -> None:
    for game, bot in (
        ("khiva", "greedy"),
        ("emira", "greedy_emira"),
        ("silk_road", "greedy_silk_road"),
        ("khiva", "search"),
    ):
        made = env.parallel(
            game, 3, opponents={0: f"shipped:python/{bot}", 2: first}, rewards="points"
        )
        for _ in range(3 if game == "khiva" else 1):
            seen, _ = made.reset(seed=1)
            assert set(seen) == {"player_1"} == set(made.possible_agents)
            total = np.float64(made.match.scores[1])
            while made.agents:
                assert seen["player_1"]["action_mask"][0] == 0
                seen, gained, *_ = made.step(
                    {"player_1": int(seen["player_1"]["action_mask"].argmax())}
                )
                total += gained["player_1"]
            assert total == made.match.scores[1]


def test_in_aec_opponents_have_no_turn() -> None:
    made = env.aec("khiva", 3, opponents={0: "shipped:python/random"})
    made.reset(seed=2)
    total = dict.fromkeys(made.possible_agents, 0.0)
    for agent in made.agent_iter():
        observation, reward, over, *_ = made.last()
        total[agent] += reward
        made.step(None if over else int(observation["action_mask"].argmax()))
    ranks = made.match.ranks
    expected = {
        f"player_{s}": sum((other > ranks[s]) - (other < ranks[s]) for other in ranks)
        for s in (1, 2)
    }
    assert total == expected


@pytest.mark.parametrize(
    ("opponents", "why"),
    [
        ({3: first}, "opponents: there is no seat 3; seats are 0 to 2"),
        (
            {0: first, 1: first, 2: first},
            (
                r"opponents: they have all seats, so there is no agent; khiva_arena\.local plays "
                r"bots among themselves"
            ),
        ),
        ({0: "shipped:python/greedy_emira"}, "plays emira and not khiva"),
    ],
)
def test_wrong_opponents_are_refused(opponents: dict[int, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        env.parallel("khiva", 3, opponents=opponents)


@pytest.mark.parametrize("make", [env.aec, env.parallel])
@pytest.mark.parametrize("game", registry.NAMES)
def test_environments_are_pickled_in_the_middle_of_a_match(game: str, make: Any) -> None:
    made = make(game, 3, opponents={2: "shipped:python/random"})
    assert pickle.loads(pickle.dumps(made)).possible_agents == ["player_0", "player_1"]
    made.reset(seed=5)
    other = pickle.loads(pickle.dumps(made))
    for one in (made, other):
        while one.agents and not one.match.is_over:
            if make is env.aec:
                one.step(int(one.last()[0]["action_mask"].argmax()))
            else:
                one.step(
                    {
                        agent: int(seen["action_mask"].argmax())
                        for agent, seen in one._observations().items()
                    }
                )
    assert made.match.scores == other.match.scores


@pytest.mark.usefixtures("rules_in_c")
def test_keys_are_left_out_of_observations_and_of_a_policy() -> None:
    whole, short = env.parallel("khiva", 3), env.parallel("khiva", 3, without=("history", "passed"))
    short.reset(seed=1)
    seen, _ = short.reset(seed=1)
    assert len(seen["player_0"]["observation"]) == short.coding.size < whole.coding.size
    assert {part.key for part in whole.coding.parts} - {
        part.key for part in short.coding.parts
    } == {"history", "passed"}
    lengths = []

    def act(observation: Any, chance: Any) -> int:
        lengths.append(len(observation["observation"]))
        return int(observation["action_mask"].argmax())

    khiva_arena.local(
        [env.player(act, without=("history", "passed")), first, first], deals=1, seed=1
    )
    assert set(lengths) == {short.coding.size}
    with pytest.raises(
        ConfigError, match="without: there is no 'histroy'; an observation has seat"
    ):
        env.aec("khiva", 3, without=("histroy",))
    with pytest.raises(ConfigError, match="without: 'history' is not a list of keys"):
        env.aec("khiva", 3, without="history")


@pytest.mark.usefixtures("rules_in_c")
def test_agents_that_wait_are_encoded_only_if_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from khiva_arena.env.matches import EngineMatch, MatchInC

    counted: list[int] = []
    for match in (EngineMatch, MatchInC):
        observe = match.observation
        monkeypatch.setattr(
            match,
            "observation",
            lambda one, seat, observe=observe: counted.append(seat) or observe(one, seat),
        )
    for encode_all, views in ((False, 1), (True, 3)):
        made = env.parallel("silk_road", 3, encode_all=encode_all)
        seen, _ = made.reset(seed=1)
        assert len(counted) == views
        counted.clear()
        waiting = [one for one in seen.values() if one["action_mask"][0]]
        assert len(waiting) == 2
        assert all(bool(one["observation"].any()) == encode_all for one in waiting)
        assert all(made.observation_space(agent).contains(one) for agent, one in seen.items())
