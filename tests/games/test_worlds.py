"""States made of views: what the seat of the view sees of them is that view, and they
can be played to the end.
"""

import json
from itertools import count
from random import Random

import pytest
from in_targets import long_but
from wording import pattern

from khiva_arena.errors import ConfigError, OtherSeat
from khiva_arena.games import registry
from khiva_arena.games.base import Game
from khiva_arena.rng import Stream

GAMES = [registry.get(name) for name in registry.GAMES]
PLACES = [(game, seats) for game in GAMES for seats in game.seats]


def random_choices(state, random):
    return {
        seat: random.randrange(len(decision.legal)) for seat, decision in state.pending().items()
    }


def pieces(state):
    """Without Emira's goal cards, of which some are left in the box and nobody knows
    which.
    """
    return {
        name: count for name, count in state.components().items() if not name.startswith("goal ")
    }


def check_world(game, rules, state, seat, stream, random):
    view = json.dumps(state.view(seat))
    world = game.determinise(json.loads(view), rules, stream)
    assert json.dumps(world.view(seat)) == view
    assert pieces(world) == pieces(state)
    for other in {*range(json.loads(view)["seats"])} - {seat}:
        told = iter(state.view(other).get("history", ()))
        for line in world.view(other).get("history", ()):
            assert any(line == whole[: len(line)] for whole in told), (
                f"seat {other} sees there what only {seat} knows: {line}"
            )
    asked, open_now = state.pending(), world.pending()
    assert open_now.get(seat) == asked.get(seat)
    if (
        json.loads(view)["ask"] or game.name == "khiva"
    ):  # who else chooses a first event card depends on what it was dealt
        assert {s: decision.kind for s, decision in open_now.items()} == {
            s: decision.kind for s, decision in asked.items()
        }
    if random.random() < 0.05:
        while not world.is_over:
            world.apply(random_choices(world, random))


def check_match(game, seats, given, seed, share):
    random, stream = Random(seed), Stream(seed.to_bytes(32, "big"), "worlds")
    rules = game.rules(given)
    state, _ = game.new(seats, rules, random.randbytes(32))
    while not state.is_over:
        if random.random() < share:
            check_world(game, rules, state, random.randrange(seats), stream, random)
        state.apply(random_choices(state, random))


@pytest.mark.parametrize(
    ("game", "seats"), PLACES, ids=[f"{game.name}-{seats}" for game, seats in PLACES]
)
def test_worlds_of_default_rules(game, seats):
    check_match(game, seats, {}, seats, 0.1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "seats"),
    long_but(PLACES, [(game, seats) for game, seats in PLACES if seats == game.seats[0]]),
    ids=[f"{game.name}-{seats}" for game, seats in PLACES],
)
def test_worlds_of_variants(game, seats):
    for seed, given in enumerate(game.samples):
        check_match(game, seats, given, 10 * seats + seed, 0.15)


@pytest.mark.parametrize(
    ("game", "seats"), PLACES, ids=[f"{game.name}-{seats}" for game, seats in PLACES]
)
def test_a_view_of_another_seat_in_a_world_makes_worlds_or_is_refused_by_name(game, seats):
    """Where what others remember is not drawn, nobody gets another error, or a world in
    which that seat sees something else.
    """
    random, stream, rules = Random(seats), Stream(bytes(32), "others"), game.rules({})
    state, _ = game.new(seats, rules, random.randbytes(32))
    made, refused = 0, set()
    for step in count():
        if state.is_over:
            break
        if step % 23 == 0:
            world = game.determinise(state.view(random.randrange(seats)), rules, stream)
            for _ in range(random.choice([0, 0, 5])):
                if not world.is_over:
                    world.apply(random_choices(world, random))
            for seat in range(0 if world.is_over else seats):
                try:
                    again = game.determinise(world.view(seat), rules, stream)
                except OtherSeat as error:
                    refused.add(str(error))
                else:
                    assert again.view(seat) == world.view(seat)
                    made += 1
        state.apply(random_choices(state, random))
    assert made > 0
    knows_all = game.name == "silk_road" or (
        game.name == "khiva" and seats == 2
    )  # two seats know each other's passes
    assert refused == (
        set()
        if knows_all
        else {
            (
                "this is the view of another seat in a world, where what that seat remembers was "
                "not drawn: hand over a view of the match itself"
            )
        }
    )


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_equal_streams_give_equal_worlds(game):
    rules = game.rules({})
    state, _ = game.new(3, rules, bytes(32))
    random = Random(1)
    for _ in range(40):
        state.apply(random_choices(state, random))
    one, other = (
        game.determinise(state.view(1), rules, Stream(bytes(32), "equal")) for _ in range(2)
    )
    assert [one.view(seat) for seat in range(3)] == [other.view(seat) for seat in range(3)]
    assert game.sketch(one, "abc") == game.sketch(other, "abc")


def test_a_game_without_worlds_says_so():
    class Plain(type(registry.get("khiva"))):
        determinise = Game.determinise
        title = "Plain"

    with pytest.raises(ConfigError, match=pattern("games", "makes-no-worlds-views", title="Plain")):
        Plain().determinise({}, {}, Stream(bytes(32), "none"))
