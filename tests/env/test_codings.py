"""Views and choices as numbers: nothing is lost, each choice has an action, and no
version changes unseen.
"""

import json
from hashlib import sha256
from random import Random

import pytest
from in_targets import soak_but_every
from lowest import Lowest
from wording import pattern

from khiva_arena.env.coding import WAIT, Coding, coding_of
from khiva_arena.env.fields import deck, listed, maybe, number, one_of, ranked, up_to
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import Decision

CASES = [(name, seats) for name in registry.NAMES for seats in registry.get(name).seats]
FIXED = {
    "khiva": (1, {2: (2062, 432), 3: (1573, 32), 4: (1909, 32), 5: (2245, 32)}, "e46295367c12283f"),
    "emira": (2, {3: (964, 1247), 4: (1125, 1247), 5: (1294, 1247)}, "8f2911c5e6b4c438"),
    "silk_road": (
        1,
        {2: (819, 5527), 3: (847, 5532), 4: (875, 5537), 5: (903, 5542)},
        "75840db90e585392",
    ),
}
"""By game: the version, the numbers of an observation and the actions at each seat
count, and a digest of what they are.
"""

NUMBERS = {
    ("khiva", 2): "0342200f2a08818b",
    ("khiva", 3): "83690c06d2c38b21",
    ("khiva", 4): "c11e8eec26f82921",
    ("khiva", 5): "d04970dddaf2fdab",
    ("emira", 3): "7bc36170a2a3df7c",
    ("emira", 4): "37e10b34ac046f99",
    ("emira", 5): "d7d2f98ff866a7bc",
    ("silk_road", 2): "f65a0188290227e2",
    ("silk_road", 3): "77e48ab1fb5f9ccd",
    ("silk_road", 4): "d9f57a41d497389f",
    ("silk_road", 5): "55258f2b288be003",
}
"""By game and seats: a digest of every observation and action of the matches below,
made when fields were written one by one.
"""


def digest(coding: Coding) -> str:
    """Of where each key stands, what each number can be, and what each action means."""
    held = [coding.parts, [kind.bounds for kind in coding.keys.values()], coding.words]
    return sha256(json.dumps(held).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", registry.NAMES)
def test_a_version_has_one_meaning(name: str) -> None:
    """If this fails, raise VERSION of the game's coding: policies that were trained
    with it would read something else.
    """
    version, sizes, fixed = FIXED[name]
    game = registry.get(name)
    codings = {seats: coding_of(game, seats, game.rules({})) for seats in game.seats}
    assert {seats: (coding.size, coding.actions) for seats, coding in codings.items()} == sizes
    assert {coding.version for coding in codings.values()} == {version}
    assert sha256("".join(map(digest, codings.values())).encode()).hexdigest()[:16] == fixed


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), soak_but_every(CASES, 4))
def test_an_observation_gives_back_the_view(name: str, seats: int) -> None:
    """All of it in Khiva, and elsewhere all but what grows without end; under each
    sample of rules, of every seat; also if most of it is that of the view before.
    """
    game, chance, numbers = registry.get(name), Random(f"{name} {seats}"), sha256()
    for given in ({}, *game.samples):
        rules = game.rules(given)
        coding = coding_of(game, seats, rules)
        assert name != "khiva" or not coding.left_out
        low, high = coding.bounds()
        state, _ = game.new(seats, rules, chance.randbytes(32))
        steps, past = 0, None
        while True:
            looks = range(seats) if steps % 5 == 0 or state.is_over else ()
            for view in map(state.view, looks):
                seen = coding.encode(view)
                assert ((low <= seen) & (seen <= high)).all()
                assert coding.decode(seen) == {
                    key: value for key, value in view.items() if key not in coding.left_out
                }
                past = coding.encode_after(past, view)
                assert past.numbers.tobytes() == seen.tobytes()
                numbers.update(seen.tobytes())
            if state.is_over:
                break
            choices = {}
            for seat, decision in state.pending().items():
                actions = coding.actions_of(decision)
                assert len(set(actions)) == len(decision.legal)
                assert all(WAIT < action < coding.actions for action in actions)
                numbers.update(json.dumps(actions).encode())
                choices[seat] = chance.randrange(len(actions))
            state.apply(choices)
            steps += 1
        assert 0 < steps < coding.longest
    assert numbers.hexdigest()[:16] == NUMBERS[name, seats]


def test_a_round_that_may_not_come_any_more_is_within_the_bounds() -> None:
    """Hind keeps a seat from the next round also in the last one."""
    game, chance = registry.get("emira"), Random(2)
    rules = game.rules({"max_rounds": 2})
    coding = coding_of(game, 4, rules)
    low, high = coding.bounds()
    after = 0
    for _ in range(60):
        state, _ = game.new(4, rules, chance.randbytes(32))
        while not state.is_over:
            state.apply(
                {
                    seat: chance.randrange(len(decision.legal))
                    for seat, decision in state.pending().items()
                }
            )
        seen = coding.encode(state.view(0))
        assert ((low <= seen) & (seen <= high)).all()
        after += max(state.view(0)["lost"]) > 2
    assert after


def test_an_action_means_the_same_at_every_hand_and_bid() -> None:
    khiva, emira = registry.get("khiva"), registry.get("emira")
    state, _ = khiva.new(3, khiva.rules({}), bytes(32))
    coding = coding_of(khiva, 3, khiva.rules({}))
    first = state.pending()[0]
    by_action = dict(zip(coding.actions_of(first), first.legal, strict=True))
    state.apply(dict.fromkeys(state.pending(), 0))
    while "play_pass" not in {decision.kind for decision in state.pending().values()}:
        state.apply(dict.fromkeys(state.pending(), 0))
    later = state.pending()[0]
    assert len(later.legal) < len(first.legal)
    assert [by_action[action] for action in coding.actions_of(later)] == list(later.legal)
    from khiva_arena.games.emira import questions

    coding = coding_of(emira, 3, emira.rules({}))
    low, high = (
        questions.bid(least, most, grant)[0][0]
        for least, most, grant in ((10, 60, False), (400, 430, True))
    )
    assert [coding.words[action] for action in coding.actions_of(low)] == [
        "bid pass",
        *(f"bid {n}" for n in range(6)),
    ]
    assert [coding.words[action] for action in coding.actions_of(high)] == [
        "bid pass",
        "bid grant",
        *(f"bid {n}" for n in range(4)),
    ]


@pytest.mark.parametrize(
    ("kind", "value", "numbers"),
    [
        (maybe(number(9)), None, [0, 0]),
        (maybe(number(9)), 4, [1, 4]),
        (one_of("abc"), "b", [0, 1, 0]),
        (one_of("abc"), None, [0, 0, 0]),
        (ranked("aab"), ["b", "a", "a"], [2, 3, 1]),
        (deck("aab"), [None, "a", None], [3, 2, 0, 0]),
        (listed(3, "ab"), ["b", "a"], [2, 1, 0]),
        (up_to(2, number(5)), [3], [1, 3, 0, 0]),
        (up_to(1, number(5)), [], [0, 0]),
    ],
)
def test_kinds(kind: object, value: object, numbers: list[int]) -> None:
    into = [0] * len(numbers)
    kind.put(value, into, 0)  # type: ignore[attr-defined]
    assert into == numbers
    assert kind.get(iter(numbers)) == value  # type: ignore[attr-defined]


def test_a_game_without_a_coding_says_what_to_hand_over() -> None:
    with pytest.raises(
        ConfigError,
        match=r"Lowest has no coding of its views as numbers: hand one over, as coding=\.\.\.",
    ):
        coding_of(Lowest(), 2, {"rounds": 1})


def test_a_coding_for_other_rules_is_refused_in_words() -> None:
    """As soon as a view or a choice has no number in it."""
    game = registry.get("silk_road")
    short, whole = (coding_of(game, 3, game.rules(rules)) for rules in ({"most_cards": 2}, {}))
    state, _ = game.new(3, game.rules({}), bytes(32))
    why = pattern("env", "made-another-game-seat") + "$"
    with pytest.raises(
        ConfigError, match="^" + pattern("env", "coding-no") + f" action for .*: {why}"
    ):
        short.actions_of(Decision("bid", [["card", 1], ["card", 99]]))
    with pytest.raises(
        ConfigError, match="^" + pattern("env", "coding-no") + f' numbers for {{"\\w+": .*: {why}'
    ):
        coding_of(game, 2, game.rules({})).encode(state.view(2))
    with pytest.raises(
        ConfigError,
        match="^" + pattern("env", "coding-no") + f' numbers for {{"\\w+": null}}: {why}',
    ):
        whole.encode({})
