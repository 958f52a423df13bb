"""A game that raises, loops, lies or changes is blamed by name, at once, and no bot is."""

import os
from pathlib import Path

import pytest
from own_games import Made

from khiva_arena.errors import ConfigError, GameFault, RulesError
from khiva_arena.games.base import Game
from khiva_arena.outside import game as outside_game
from khiva_arena.outside import process
from khiva_arena.outside.game import OutsideGame
from khiva_arena.outside.opening import opened

SECRET = bytes(range(32))
APPLY = "        check_choices(self.pending(), choices)\n"
PENDING = '        return {seat: Decision("bid", [["card", card] for card in hand]) for seat, hand in enumerate(self.hands)}\n'
VIEW = '        return {"hand": list(self.hands[seat]),'


def begun(path: Path) -> Game:
    return opened(str(path))


def played(path: Path, seats: int = 3) -> None:
    """A match of first choices."""
    game = begun(path)
    state, _ = game.played(seats, game.rules({}), SECRET)
    while not state.is_over:
        for seat in state.pending():
            state.view(seat)
        state.apply(dict.fromkeys(state.pending(), 0))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"""A bidding',
            'raise ValueError("not today")\n"""A bidding',
            "its import raised ValueError: not today, line 1 of game.py",
        ),
        ('"""A bidding', "def (:\n", "its import raised SyntaxError"),
        ("import check_choices", "import check_choices", ""),
        ('name = "bidding"', 'name = "khiva"', "its name is that of a game of the arena, khiva"),
        ('name = "bidding"', 'name = "../x"', "its name '../x' is not of small letters"),
        ("seats = (2, 3, 4, 5)", "seats = (2, 11)", "its seats [2, 11] are not rising numbers of 2 to 10"),
        ("seats = (2, 3, 4, 5)", "seats = 3", "raised TypeError"),
        ("GAME = Bidding()", "GAME = 3", "its game is a int, not a khiva_arena.Game"),
    ],
)
def test_a_file_that_is_no_game(made: Made, old: str, new: str, said: str) -> None:
    if not said:
        assert begun(made()).name == "bidding"
        return
    with pytest.raises(GameFault) as found:
        begun(made((old, new)))
    assert "game game.py: " in str(found.value)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (APPLY, "        1 // 0\n", "apply() raised ZeroDivisionError: integer division or modulo by zero, line 40 of game.py"),
        (APPLY, "        import os; os.abort()\n", "apply() ends its process, by signal 6"),
        (APPLY, "        import os; os._exit(3)\n", "apply() ends its process, with exit code 3"),
        (APPLY, "        raise SystemExit(3)\n", "apply() raised SystemExit: 3"),
        (APPLY, "        b'' * 8 + bytes(2**36)\n", "apply() raised MemoryError"),
        (APPLY, "        from khiva_arena.errors import IllegalChoice; raise IllegalChoice('no')\n", "apply() refuses {0: 0, 1: 0, 2: 0}"),  # noqa: E501
        (APPLY, "        return [Event({'x': 1})]\n", "an event has no type"),
        (APPLY, "        return [Event({'type': 'x'}, to=(7,))]\n", "an event x goes to seats [7] of 3"),
        (APPLY, "        return [Event({'type': 'forfeit'})]\n", "one of the arena's own"),
        (APPLY, "        return [Event({'type': 'x', 'y': 1.5})]\n", "an event x: 1.5 is a float"),
        (APPLY, "        return 3\n", "apply() raised TypeError"),
        (PENDING, '        return {0: Decision("bid", [])}\n', "legal has 0 entries, and a decision has 2 to 10,000"),
        (PENDING, '        return {0: Decision("bid", [[1], [1]])}\n', "legal has an entry twice"),
        (PENDING, '        return {0: Decision("bid", [[n] for n in range(20000)])}\n', "legal has 20,000 entries"),
        (PENDING, '        return {0: Decision("bid", [["x" * 600000], [2]])}\n' , ""),
        (PENDING, '        return {0: Decision("bid", [["x" * 1200000], [2]])}\n', "view and legal have 1,200"),
        (PENDING, '        return {0: Decision("bid", [["x" * 2**25], [2]])}\n', "pending() gives 33,554,"),
        (PENDING, '        return {0: Decision("bid", [1, 2])}\n', "a list is expected, got `int`, in what pending() asks"),
        (PENDING, '        return {0: Decision("bid", [[object()], [2]])}\n', "() gives a object, which is no plain value"),
        (PENDING, '        return {0: Decision("bid", [[2**53], [2]])}\n', "legal: 9007199254740992 is too big"),
        (PENDING, '        return {1: Decision("bid", [[1], [2]]), 0: Decision("bid", [[1], [2]])}\n', "not in seat order"),
        (PENDING, '        return {7: Decision("bid", [[1], [2]])}\n', "pending() asks seats [7], of 3"),
        (PENDING, "        import itertools; self.n = getattr(self, 'n', 0) + 1; return {0: Decision('bid', [[1], [self.n + 1]])}\n",  # noqa: E501
         "pending() gives something else when it is called again"),
        (VIEW, '        return {1: 2, "hand": list(self.hands[seat]),', "view"),
        (VIEW, '        return {"id": id(self) % 2**50, "hand": list(self.hands[seat]),', "gives something else when the same match is played again"),  # noqa: E501
        (VIEW, '        return {"set": [*{"a", "b", "c", "d", "e", "f", "g", "h"}], "hand": list(self.hands[seat]),',
         "gives something else when the same match is played again"),
        ("        return list(self.points)", "        return [1]", "scores are [1], not one for each of 3 seats"),
        ("        return not self.hands[0]", "        return True", "pending() asks somebody, and is_over is True"),
    ],
)  # fmt: skip
def test_a_game_that_breaks_its_contract_in_a_match(made: Made, old: str, new: str, said: str) -> None:
    path = made((old, new))
    if not said:
        begun(path)
        return
    with pytest.raises(GameFault) as found:
        played(path)
    assert "game bidding (game.py): " in str(found.value)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_one_that_goes_on_for_ever_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside_game, "MOST_STEPS", 20)
    with pytest.raises(GameFault, match=r"game bidding \(game.py\): the match has not ended within 20 steps"):
        played(made((APPLY, "        return []\n")))


def test_one_that_loops_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "CPU_SECONDS", 1.0)
    game = begun(made((APPLY, "        while True: pass\n")))
    state, _ = game.new(2, game.rules({}), SECRET)
    with pytest.raises(GameFault, match=r"game bidding \(game.py\): apply\(\) takes more than 1 s of CPU"):
        state.apply({0: 0, 1: 0})


def test_one_that_sleeps_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "CPU_SECONDS", 1.0)
    path = made((APPLY, "        import time; time.sleep(1000)\n"))
    game = begun(path)
    monkeypatch.setattr(process, "WALL_SECONDS", 1.0)
    state, _ = game.new(2, game.rules({}), SECRET)
    with pytest.raises(GameFault, match=r"apply\(\) has not ended within 1 s"):
        state.apply({0: 0, 1: 0})


def test_a_match_begins_as_the_game_was_imported(made: Made) -> None:
    """What one match leaves in the module is not there in the next one, nor in another one at the same time."""
    path = made(("class BiddingState", "BEFORE = []\n\n\nclass BiddingState"), (VIEW, VIEW.replace("{", '{"n": len(BEFORE), ')),
                (APPLY, APPLY + "        BEFORE.append(1)\n"))  # fmt: skip
    game = begun(path)
    for _ in range(2):
        state, _ = game.new(2, game.rules({}), SECRET)
        other, _ = game.new(2, game.rules({}), SECRET)
        assert state.view(0)["n"] == 0
        state.apply({0: 0, 1: 0})
        assert state.view(0)["n"] == 1
        assert other.view(0)["n"] == 0


def test_rules_are_refused_as_by_any_game(made: Made) -> None:
    game = begun(made())
    with pytest.raises(RulesError) as found:
        game.rules({"cards": 99, "x": 1})
    assert found.value.problems == ("x: there is no such rule", "cards: 99 is not a whole number of 3 to 20")
    with pytest.raises(ConfigError, match="Bidding is for 2 to 5 seats, not 6"):
        game.new(6, game.rules({}), SECRET)


def test_a_clone_goes_its_own_way(made: Made) -> None:
    game = begun(made())
    state, _ = game.new(2, game.rules({}), SECRET)
    twin = state.clone()
    twin.apply({0: 0, 1: 1})
    assert state.view(0)["played"] == []
    assert len(twin.view(0)["played"]) == 1
    assert state.apply({0: 0, 1: 1})[0].data == twin.view(0)["played"][0] | {"type": "bids"}
    assert game.sketch(state, ["a", "b"]) == game.sketch(twin, ["a", "b"])


def test_no_process_is_left_when_nobody_holds_a_match(made: Made) -> None:
    game = begun(made())
    assert isinstance(game, OutsideGame)
    state, _ = game.new(2, game.rules({}), SECRET)
    pid = state._forks[0]._pid  # type: ignore[attr-defined]
    os.kill(pid, 0)
    del state
    game.new(2, game.rules({}), SECRET)  # at which the ends of others are collected
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        game.new(2, game.rules({}), SECRET)
    pytest.fail("the process of a match that is over still runs")


def test_words_that_fail_stop_nothing(made: Made) -> None:
    """How an event or a choice is worded is no part of a match."""
    path = made(("    def new(self", "    def narrate(self, event, names):\n        1 // 0\n\n    def new(self"))
    game = begun(path)
    _, events = game.new(2, game.rules({}), SECRET)
    assert game.narrate(events[0], ["a", "b"]).startswith("prize: points ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"winner": winner})]', '"winner": winner}, to=())]', "equal observations give equal views"),
        ("        self.points = [0] * seats", "        import random\n        self.points = [random.randrange(10**9)] * seats", "a replay ends the same"),  # noqa: E501
        ('"prizes": len(self.prizes)}', '"prizes": len(self.played)}', "no piece is lost or made"),
        ("class BiddingState(State):", "class BiddingState(State):\n    def clone(self): return self\n", "clone"),
    ],
)  # fmt: skip
def test_a_look_before_the_match_finds_what_no_match_shows(made: Made, old: str, new: str, said: str) -> None:
    game = begun(made((old, new)))
    with pytest.raises(GameFault) as found:
        game.vet(3, game.rules({}))
    assert said in str(found.value)
    assert "khiva-arena check --game" in str(found.value)
