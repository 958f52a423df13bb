"""The games as OpenSpiel's: its own tests, and its algorithms that need worlds."""

import subprocess
import sys
import unittest
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from arena import ROOT
from examples import differing, run_and_print
from in_targets import long_but, soak_but_every
from lowest import Lowest
from wording import pattern

from khiva_arena.env import openspiel
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.rng import Stream

pyspiel = pytest.importorskip("pyspiel")
CASES = [(name, seats) for name in registry.NAMES for seats in registry.get(name).seats]
FORMS = [(name, turn_based) for name in registry.NAMES for turn_based in (False, True)]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "seats"), long_but(CASES, [("khiva", 2), ("khiva", 5), ("emira", 3), ("silk_road", 2)])
)
def test_random_sim_test_passes_in_both_forms(name: str, seats: int) -> None:
    for turn_based in (False, True):
        game = openspiel.load(
            name, seats, rules={"max_rounds": 4} if name == "emira" else {}, turn_based=turn_based
        )
        assert game.num_players() == seats
        pyspiel.random_sim_test(game, num_sims=1, serialize=name == "khiva", verbose=False)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "turn_based"),
    long_but(FORMS, [("khiva", False), ("khiva", True), ("silk_road", False)]),
)
def test_the_library_s_own_api_tests_pass(name: str, turn_based: bool) -> None:
    from open_spiel.integration_tests.api_test import EnforceAPIOnPartialTreeBase

    called = openspiel.name_of(name, turn_based)
    fewer: dict[str, Any] = {
        "khiva": {"max_turns": 3},
        "emira": {"max_rounds": 2},
        "silk_road": {"max_turns": 8},
    }[name]
    game = openspiel.load(name, rules=fewer, turn_based=turn_based)
    tests = unittest.TestLoader().loadTestsFromTestCase(
        type(called, (EnforceAPIOnPartialTreeBase,), {"game_name": called, "game": game})
    )
    result = unittest.TestResult()
    tests.run(result)
    assert result.testsRun >= 5
    assert result.errors + result.failures == []


@pytest.mark.parametrize("text", ["x", "%5B1%5D"])
def test_rules_that_are_no_dict_in_json_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(
        ConfigError,
        match=pattern("env", "rules-no-dict-json", text=f"'{text}'")
        + ".*rules=%7B%22max_turns%22%3A%201%7D is",
    ):
        pyspiel.load_game(f"python_khiva(players=3,rules={text})")


def reached(game: Any, steps: int, seed: int) -> Any:
    """A state after so many decisions at random."""
    chance, state = Random(seed), game.new_initial_state()
    while steps and not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chance.randrange(1024))
            continue
        state.apply_action(chance.choice(state.legal_actions()))
        steps -= 1
    return state


@pytest.mark.parametrize("name", registry.NAMES)
@pytest.mark.parametrize("steps", soak_but_every([0, 1, 2, 7, 11], 3))
def test_a_world_looks_the_same_to_its_seat_alone(name: str, steps: int) -> None:
    game = openspiel.load(name, 3, turn_based=True)
    state = reached(game, steps, seed=steps)
    if state.is_chance_node():
        state.apply_action(1), state.apply_action(2)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for seat in range(3):
        worlds = [state.resample_from_infostate(seat, sampler) for _ in range(20)]
        for one in worlds:
            assert one.information_state_string(seat) == state.information_state_string(seat)
            assert one.observation_string(seat) == state.observation_string(seat)
            assert one.current_player() == state.current_player()
        assert len({str(one) for one in worlds}) > 1
        if steps < 3:  # later a seat may know all hands
            assert len({one.observation_string((seat + 1) % 3) for one in worlds}) > 1
        while not worlds[0].is_terminal():
            worlds[0].apply_action(worlds[0].legal_actions()[-1])


def test_an_information_state_holds_the_whole_past() -> None:
    """Perfect recall: of the same match, no two decisions of a seat have the same one,
    and it does not tell what others chose.
    """
    game = openspiel.load("khiva", 3, turn_based=True)
    state, seen = reached(game, 0, 1), set()
    state.apply_action(1), state.apply_action(2)
    first, last = (state.child(state.legal_actions()[place]) for place in (0, -1))
    for seat in (1, 2):
        assert first.information_state_string(seat) == last.information_state_string(seat)
        assert first.information_state_tensor(seat) == last.information_state_tensor(seat)
    assert first.information_state_string(0) != last.information_state_string(0)
    assert first.information_state_tensor(0) != last.information_state_tensor(0)
    while not state.is_terminal():
        player, tensor = state.current_player(), tuple(state.information_state_tensor())
        assert list(tensor[: game.table.coding.size]) == state.observation_tensor()
        for key in ((player, state.information_state_string()), (player, tensor)):
            assert key not in seen
            seen.add(key)
        state.apply_action(state.legal_actions()[0])


@pytest.mark.soak
@pytest.mark.parametrize("name", registry.NAMES)
def test_the_library_s_ismcts_plays(name: str) -> None:
    from open_spiel.python.algorithms import ismcts, mcts

    game = openspiel.load(name, rules={"max_turns": 3} if name == "khiva" else {}, turn_based=True)
    chance = np.random.RandomState(0)
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 12, random_state=chance
    )
    state = reached(game, 4, seed=1)
    for _ in range(5):
        if state.is_terminal():
            break
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(int(action))


@pytest.mark.slow
def test_the_library_s_mccfr_runs() -> None:
    from open_spiel.python.algorithms import external_sampling_mccfr, outcome_sampling_mccfr

    np.random.seed(0)
    game = openspiel.load("khiva", 3, rules={"max_turns": 1}, turn_based=True)
    for solver in (
        outcome_sampling_mccfr.OutcomeSamplingSolver(game),
        external_sampling_mccfr.ExternalSamplingSolver(
            game, external_sampling_mccfr.AverageType.SIMPLE
        ),
    ):
        for _ in range(3):
            solver.iteration()
        state = reached(game, 0, 1)
        state.apply_action(1), state.apply_action(2)
        policy = solver.average_policy().action_probabilities(state)
        assert sum(policy.values()) == pytest.approx(1.0)
        assert list(policy) == state.legal_actions()


def test_rules_are_in_the_game_s_own_string() -> None:
    game = openspiel.load("khiva", 2, rules={"max_turns": 2, "gem_slots": [1, 2, 1, 1, 0]})
    again = pyspiel.load_game(str(game))
    assert again.table.rules == game.table.rules
    assert again.table.rules["max_turns"] == 2
    assert pyspiel.load_game("python_silk_road(players=4)").num_players() == 4


def test_an_action_that_is_not_legal_is_refused() -> None:
    state = openspiel.load("khiva", 3, turn_based=True).new_initial_state()
    state.apply_action(1), state.apply_action(2)
    with pytest.raises(ValueError, match="player 0: action 0 is not legal now"):
        state.apply_action(0)


def test_a_game_without_worlds_says_so() -> None:
    with pytest.raises(
        ConfigError, match=pattern("games", "makes-no-worlds-views", title="Lowest")
    ):
        Lowest().determinise({}, {}, Stream(bytes(32)))


def test_without_the_library_a_line_says_how_to_get_it() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import khiva_arena.env.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith(
        "which is not installed: pip install 'khiva-arena[openspiel]'"
    )


def test_the_room_alone_imports_no_trainer() -> None:
    code = (
        "import sys, khiva_arena.env; print(*{'numpy', 'pettingzoo', 'gymnasium', 'pyspiel'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("game", "name"), [("kiva", "kiva"), ("my_game.py", "my_game.py"), (Lowest(), "lowest")]
)
def test_only_games_of_the_arena_are_loaded(game: object, name: str) -> None:
    """Nobody is told to hand over what ``load`` does not take."""
    with pytest.raises(
        ConfigError,
        match="^"
        + pattern("games", "no-game")
        + f" '{name}'; .* Only these are games of OpenSpiel",
    ) as raised:
        openspiel.load(game, 3)  # type: ignore[arg-type]
    assert "coding" not in str(raised.value)


@pytest.mark.soak
def test_the_examples_of_the_page_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = run_and_print(
        (ROOT / "docs" / "openspiel.md").read_text(), tmp_path, monkeypatch, max_simulations="5"
    )
    assert [bool(example.shown) for example in printed] == [True, False]
    assert differing(printed) == []
