"""A game of a user's own says where points come from, and what it says is checked like
all that comes from it.
"""

import pytest
from own_games import Made

from khiva_arena.errors import GameFault
from khiva_arena.extensions.own_games.opening import open_game

SECRET = bytes(range(32))
SCORES = "    @property\n    def scores(self)"
BY_SOURCE = "    @property\n    def points_by_source(self):\n        return "


@pytest.mark.parametrize("after", [0, 12])
def test_a_game_says_where_points_come_from(made: Made, after: int) -> None:
    """Also once a replay was played ahead."""
    said = (
        "[SeatPoints({'prizes': points}, {'cards in hand': len(hand)}) for points, hand in "
        "zip(self.points, self.hands)]"
    )
    path = made(
        (SCORES, BY_SOURCE + said + "\n\n" + SCORES),
        ("import NOBODY,", "import SeatPoints, NOBODY,"),
    )
    game = open_game(str(path))
    game.vet(2, game.rules({}))
    state, _ = game.new(2, game.rules({}), SECRET)
    steps = [{0: 0, 1: 1}] * after
    state.expect(steps)
    for step in steps:
        state.apply(step)
    by_source = state.points_by_source
    assert by_source is not None
    assert [points.counted["prizes"] for points in by_source] == state.scores
    assert by_source[0].uncounted == {"cards in hand": 0 if after else 13}


@pytest.mark.parametrize(
    "returned",
    [
        "[SeatPoints({'prizes': points + 1}, {}) for points in self.points]",
        "[SeatPoints({'prizes': float(points)}, {}) for points in self.points]",
        "[SeatPoints({'\\x1b[2J': points}, {}) for points in self.points]",
        "[SeatPoints({'': points}, {}) for points in self.points]",
        (
            "[SeatPoints({'prizes': points, **dict.fromkeys(map(str, range(16)), 0)}, {}) for "
            "points in self.points]"
        ),
        "[SeatPoints({'prizes': points}, {'prizes': 0}) for points in self.points]",
        "[SeatPoints({}, {'prizes': points}) for points in self.points]",
        "[SeatPoints({'prizes': points}, {'lost': 2**60}) for points in self.points]",
        "[SeatPoints({'prizes': self.points[0]}, {})]",
        "[{'prizes': points} for points in self.points]",
        "1 // 0",
        "set()",
    ],
)
def test_points_by_source_that_are_none_stop_nothing_and_are_found_before_a_match(
    made: Made, returned: str
) -> None:
    path = made(
        (SCORES, BY_SOURCE + returned + "\n\n" + SCORES),
        ("import NOBODY,", "import SeatPoints, NOBODY,"),
    )
    game = open_game(str(path))
    state, _ = game.new(2, game.rules({}), SECRET)
    state.apply(dict.fromkeys(state.pending(), 0))
    assert state.points_by_source is None
    assert state.apply(dict.fromkeys(state.pending(), 0))
    with pytest.raises(GameFault, match=r"points by source|ZeroDivisionError"):
        game.vet(2, game.rules({}))
