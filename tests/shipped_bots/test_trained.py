"""The trained policy of Khiva: what it sees is so, it plays everything, its training is
repeatable and was worth it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from arena import ROOT
from bots_here import modules_of
from in_targets import in_long

from khiva_arena import env
from khiva_arena.games.khiva import GAME
from khiva_arena.records.replay import seeds

TRAINED = ROOT / "bots" / "python" / "trained"
PARTS = ("khiva_kit", "evaluate", "policy", "network", "table", "features", "train", "main")
RUN = seeds.run_secret("the trained bot")
VARIANTS: list[dict[str, Any]] = [
    {"decline": "yes", "carpet_top": "colour", "khiva_spaces": "own_tent", "max_turns": 12},
    {
        "overshoot": "no_move",
        "gem_supply": 30,
        "gem_slots": [2, 2, 2, 2, 2],
        "compensation": "per_player_turn",
        "max_turns": 12,
    },
    {
        "overshoot": "bounce",
        "carpets": 25,
        "end_trigger": "failed_draw",
        "compensation_time": "after_move",
        "max_turns": 12,
    },
]


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """The bot's modules and those of the greedy one, imported from where they lie."""
    folders = [TRAINED, *(ROOT / "bots" / "python" / name for name in ("kit", "shared"))]
    with modules_of(folders, ("features", "main", "policy", "train"), PARTS) as by_name:
        yield by_name


def asked(state: Any, seat: int) -> dict[str, Any]:
    """What the wire would bring."""
    decision = state.pending()[seat]
    return {
        "kind": decision.kind,
        "view": state.view(seat),
        "legal": [list(entry) for entry in decision.legal],
    }


def ranks(choosers: list[Any], deal: int, rules: dict[str, Any]) -> list[int]:
    """The places of a match; an illegal choice raises."""
    secret = seeds.seed_secret(RUN, deal)
    state, _ = GAME.new(len(choosers), rules, secret)
    match = {"seats": len(choosers), "rules": rules, "seed": 7}
    while not state.is_over:
        state.apply(
            {
                seat: choosers[seat](asked(state, seat), match | {"seat": seat})
                for seat in state.pending()
            }
        )
    return list(state.ranks)


def ahead(choose: Any, other: Any, seats: int, deals: int) -> float:
    """The share of the others that a bot finishes ahead of, over all rotations of each
    deal; ties count half.
    """
    rules, total = GAME.rules({}), 0.0
    for deal in range(deals):
        for mine in range(seats):
            places = np.array(
                ranks([choose if seat == mine else other for seat in range(seats)], deal, rules)
            )
            total += (np.sign(places - places[mine]).sum() / (seats - 1) + 1.0) / 2.0
    return total / (deals * seats)


def test_the_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in TRAINED.glob("weights-*.npz")) < 300_000
    assert len(list(TRAINED.glob("weights-*.npz"))) == 4


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_equal_requests_get_equal_choices(modules: dict[str, ModuleType], seats: int) -> None:
    choose, rules = modules["main"].choose, GAME.rules({"max_turns": 3})
    state, _ = GAME.new(seats, rules, bytes(32))
    seen = set()
    while not state.is_over:
        choices = {}
        for seat in state.pending():
            match = {"seats": seats, "rules": rules, "seed": 7, "seat": seat}
            choices[seat] = choose(asked(state, seat), match)
            modules["main"].policy.cache_clear()
            assert (
                choose(asked(state, seat) | {"req": 5, "events": [{}]}, match | {"seed": 8})
                == choices[seat]
            )
        seen |= set(choices.values())
        state.apply(choices)
    assert len(seen) > 2


@pytest.mark.soak
@pytest.mark.parametrize("rules", VARIANTS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_it_plays_every_variant_and_does_not_decline(
    modules: dict[str, ModuleType], seats: int, rules: dict[str, Any]
) -> None:
    given: list[tuple[str, Any]] = []

    def choose(decide: dict[str, Any], match: dict[str, Any]) -> int:
        choice: int = modules["main"].choose(decide, match)
        given.append((decide["kind"], decide["legal"][choice]))
        return choice

    assert min(ranks([choose] * seats, 1, GAME.rules(rules))) == 1
    kinds = {kind for kind, _ in given}
    assert {"play_pass", "boost"} <= kinds
    assert ["stay"] not in [entry for _, entry in given]
    assert [entry for kind, entry in given if kind == "play_pass" and entry[:2] != [0, 1]], (
        "more than defaults"
    )


def test_what_it_cannot_read_gets_the_default(modules: dict[str, ModuleType]) -> None:
    choose, rules = modules["main"].choose, GAME.rules({})
    state, _ = GAME.new(3, rules, bytes(32))
    good, match = asked(state, 0), {"seats": 3, "rules": rules, "seed": 7, "seat": 0}
    for view in (
        {},
        good["view"] | {"hand": [[9, 9]]},
        good["view"] | {"camels": None},
        good["view"] | {"seat": 7},
    ):
        assert choose(good | {"view": view}, match) == 0
    assert choose(good | {"legal": [["pass"], ["fly"]]}, match) == 0
    assert choose(good, match | {"seats": 9}) == 0
    assert choose(good, match | {"rules": {}}) == 0


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_its_features_reckon_as_greedy_does(modules: dict[str, ModuleType], seats: int) -> None:
    """What each card would bring each seat, for every position of some random
    matches.
    """
    games, rules, policy = 8, GAME.rules({}), modules["policy"]
    made = env.vector("khiva", seats, games)
    features, rng = (
        modules["features"].Features(made.coding, seats, rules),
        np.random.default_rng(1),
    )
    obs, infos = made.reset(seed=5)
    for step in range(90):
        if step % 15 == 14:
            table = features.reader.read(obs["observation"])
            cargo = table.loads[:, None] + table.carpets
            worth = features._worth(table, cargo, features._lands(table), features._promise(cargo))
            for row in range(games):
                board, me = (
                    policy.read(made.coding.decode(obs["observation"][row]), rules),
                    int(infos["seat"][row]),
                )
                for seat, colour, value in np.ndindex(seats, 5, 5):
                    greedy = board.card((me + seat) % seats, 10 * colour + value + 1)
                    assert worth[row, seat, colour, value] == pytest.approx(greedy, abs=1e-4)
        noise = rng.random(obs["action_mask"].shape)
        obs, *_, infos = made.step((noise * obs["action_mask"]).argmax(axis=1))


@pytest.mark.usefixtures("rules_in_c")
def test_the_gradient_is_that_of_the_network(modules: dict[str, ModuleType]) -> None:
    train, rng = modules["train"], np.random.default_rng(2)
    trainer = next(train.train(2, 1, seed=1, games=4, steps=8))
    network, actions = trainer.network, trainer.actions
    position, options = trainer.features.read(trainer.obs["observation"])
    network.weights = {
        name: array.astype(np.float64) + 0.1 for name, array in network.weights.items()
    }
    pull, lean = rng.standard_normal((4, len(trainer.env.coding.words))), rng.standard_normal(4)

    def total() -> float:
        logits = actions.logits(network.scores(position, options), options, np.ones_like(pull))
        return float((logits * pull).sum() + (network.values(position) * lean).sum())

    total()
    slopes = network.back(position, options, actions.back(pull, options), lean)
    for name, array in network.weights.items():
        at = tuple(rng.integers(size) for size in array.shape)
        array[at] += 1e-5
        up = total()
        array[at] -= 2e-5
        assert slopes[name][at] == pytest.approx((up - total()) / 2e-5, rel=1e-3, abs=1e-4), name
        array[at] += 1e-5


def test_a_gain_is_what_came_until_the_seat_was_asked_again(modules: dict[str, ModuleType]) -> None:
    """Two seats in turn, no trace: rewards in between belong to both; what follows the
    last decision is not known.
    """
    train = modules["train"]
    value = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]], np.float32)
    rewards = np.array([[[1, 10]], [[2, 20]], [[3, 30]], [[4, 40]], [[5, 50]]], np.float32)
    overs, seats = (
        np.array([[False], [False], [True], [False], [False]]),
        np.array([[0], [1], [0], [1], [0]]),
    )
    gain, counts = train.advantages(value, rewards, overs, seats)
    last = 3 - 3.0
    assert counts[:, 0].tolist() == [True, True, True, False, False]
    assert gain[:3, 0].tolist() == pytest.approx(
        [1 + 2 + 3.0 - 1 + train.TRACE * last, 20 + 30 - 2.0, last]
    )


@pytest.mark.usefixtures("rules_in_c")
def test_equal_seeds_train_to_equal_weights(modules: dict[str, ModuleType], tmp_path: Path) -> None:
    train = modules["train"]
    train.BATCH, before = 64, train.BATCH
    try:
        one, same, other = (
            list(train.train(3, 2, seed=seed, games=8, steps=30))[-1] for seed in (1, 1, 2)
        )
    finally:
        train.BATCH = before
    train.save(one, tmp_path / "weights.npz")
    with np.load(tmp_path / "weights.npz") as stored:
        for name, array in one.network.weights.items():
            assert (array == same.network.weights[name]).all()
            assert np.allclose(stored[name], array, atol=1e-2)
    assert (one.network.weights["option"] != other.network.weights["option"]).any()
    assert one.network.weights["direct"].any(), "nothing was learnt"


@pytest.mark.usefixtures("rules_in_c")
def test_numbers_that_are_none_are_named_and_not_learnt_from(
    modules: dict[str, ModuleType], capfd: Any
) -> None:
    """OpenBLAS may raise the flag of invalid numbers for finite ones: what comes out is
    looked at, the flag is not.
    """
    train, rules = modules["train"], GAME.rules({})
    trainer = next(train.train(3, 1, seed=1, games=4, steps=8))
    trainer.network.weights["option"][:] = np.inf
    position, options = trainer.features.read(trainer.obs["observation"])
    scores = trainer.network.scores(position, options)
    assert np.isnan(scores).any()
    with pytest.raises(FloatingPointError, match="the gradient is no number"):
        trainer.adam.step(
            trainer.network.back(position, options, scores, trainer.network.values(position)), 0.1
        )
    state, _ = GAME.new(3, rules, bytes(32))
    match = {"seats": 3, "rules": rules, "seed": 7, "seat": 0}
    modules["main"].policy.cache_clear()
    modules["main"].policy(3, json.dumps(rules)).network.weights["option"][:] = np.inf
    try:
        assert modules["main"].choose(asked(state, 0), match) == 0
    finally:
        modules["main"].policy.cache_clear()
    assert "scores are no numbers" in capfd.readouterr().err


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_weights_fit_the_script(modules: dict[str, ModuleType], seats: int) -> None:
    rules = GAME.rules({})
    made = modules["train"].Trainer(seats, 1, 1, seed=1).network.weights
    shipped = modules["main"].Policy(seats, rules)
    assert {name: array.shape for name, array in shipped.network.weights.items()} == {
        k: v.shape for k, v in made.items()
    }
    assert shipped.coding.size == modules["train"].Trainer(seats, 1, 1, seed=1).env.coding.size


@pytest.mark.soak
@pytest.mark.parametrize(
    ("seats", "deals"),
    [(2, 20), (3, 14), (4, 10), (5, 8), *in_long([(2, 60), (3, 40), (4, 30), (5, 24)])],
)
def test_it_finishes_ahead_of_greedy_ones_more_than_its_share(
    modules: dict[str, ModuleType], seats: int, deals: int
) -> None:
    """Deals and bots are functions of the seeds here, so the share is a constant. 60
    Elo are a share of .585.
    """
    assert ahead(modules["main"].choose, modules["policy"].choose, seats, deals) > 0.585
