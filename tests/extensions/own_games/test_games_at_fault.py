"""A game that raises, loops, lies or changes is blamed by name, at once, and no bot
is.
"""

from pathlib import Path

import pytest
from begun_games import APPLY, OVER, PENDING, POINTS, SECRET, VIEW, begun, played
from own_games import Made
from wording import sentence

from khiva_arena.errors import GameFault, IllegalChoice
from khiva_arena.extensions.own_games import game_process, outside_state
from khiva_arena.games.base import Game

SEATS = "        self.check_seats(seats)\n"


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
        (
            'name = "bidding"',
            'name = "khiva"',
            sentence("outside", "name-game-arena", name="khiva"),
        ),
        (
            'name = "bidding"',
            'name = "openspiel"',
            sentence("outside", "name-openspiels-games-give", library="openspiel"),
        ),
        (
            'name = "bidding"',
            'name = "../x"',
            sentence("outside", "name-not-small-letters", name="'../x'"),
        ),
        (
            "seats = (2, 3, 4, 5)",
            "seats = (2, 11)",
            sentence("outside", "seats-not-rising-numbers", seats="[2, 11]", most_seats="10"),
        ),
        ("seats = (2, 3, 4, 5)", "seats = 3", "raised TypeError"),
        (
            "seats = (2, 3, 4, 5)",
            'seats = ("a",)',
            sentence("outside", "seats") + " is a text, and must be a whole number",
        ),
        ('title = "Bidding"', 'title = " "', sentence("outside", "no-title")),
        ('title = "Bidding"', "title = 3", "its title is a whole number, and must be a text"),
        (
            'title = "Bidding"',
            'title = "\\x1b[31mred"',
            sentence("outside", "title-sign-cannot-printed"),
        ),
        ('title = "Bidding"', 'title = "x" * 81', sentence("outside", "title-more-signs")),
        (
            '"""A bidding',
            'import helper\n"""A bidding',
            "its import raised ModuleNotFoundError: No module named 'helper', line 1 of game.py",
        ),
        ("GAME = Bidding()", "del Bidding", sentence("outside", "no-game-class-khiva")),
        ("GAME = Bidding()", "GAME = 3", "its game is an int, not a khiva_arena.Game"),
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


@pytest.mark.soak
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            APPLY,
            "        1 // 0\n",
            (
                "apply() raised ZeroDivisionError: integer division or modulo by zero, line 40 "
                "of game.py"
            ),
        ),
        (
            APPLY,
            "        import os; os.abort()\n",
            "apply() " + sentence("outside", "ends-process-signal", value="6"),
        ),
        (
            APPLY,
            "        import os; os._exit(3)\n",
            "apply() " + sentence("outside", "ends-process-exit-code", code="3"),
        ),
        (APPLY, "        raise SystemExit(3)\n", "apply() raised SystemExit: 3"),
        (APPLY, "        b'' * 8 + bytes(2**36)\n", "apply() raised MemoryError"),
        (
            APPLY,
            "        from khiva_arena.errors import IllegalChoice; raise IllegalChoice('no')\n",
            "apply() refuses {0: 0, 1: 0, 2: 0}",
        ),
        (
            APPLY,
            "        raise RulesError(['no such thing'])\n",
            "apply() raised RulesError: no such thing, line 40 of game.py",
        ),
        (
            APPLY,
            "        from khiva_arena.errors import ConfigError; raise ConfigError('no')\n",
            "apply() raised ConfigError: no, line 40",
        ),
        (
            SEATS,
            "        raise RulesError(['no such thing'])\n",
            "new() raised RulesError: no such thing, line 95 of game.py",
        ),
        (VIEW, "        raise RulesError(['no'])\n" + VIEW, "view() raised RulesError: no, line "),
        (
            VIEW,
            "        from khiva_arena.errors import IllegalChoice; raise IllegalChoice('no')\n"
            + VIEW,
            "view() raised IllegalChoice: no, line ",
        ),
        (OVER, "        raise RulesError(['no'])", "() raised RulesError: no, line "),
        (APPLY, "        return [Event({'x': 1})]\n", sentence("outside", "event-no-type")),
        (
            APPLY,
            "        return [Event({'type': 'x'}, to=(7,))]\n",
            "an event x goes to seats [7] of 3",
        ),
        (APPLY, "        return [Event({'type': 'forfeit'})]\n", sentence("check", "arenas-own")),
        (APPLY, "        return [Event({'type': 'x', 'y': 1.5})]\n", "an event x: 1.5 is a float"),
        (
            APPLY,
            "        return 3\n",
            "apply() " + sentence("outside", "returned-must-return-list", events="an int"),
        ),
        (
            APPLY,
            "        return\n",
            "apply() " + sentence("outside", "returned-must-return-list", events="None"),
        ),
        (
            APPLY,
            "        return [{}]\n",
            "apply() " + sentence("outside", "returned-among-events-event", others="a dict"),
        ),
        (
            APPLY,
            "        return [Event({1: 2})]\n",
            "an event: a key is a whole number, and must be a text",
        ),
        (
            APPLY,
            "        return [Event({'type': 'x'}, to=('a',))]\n",
            sentence("outside", "event-seat-goes") + " is a text, and must be a",
        ),
        (
            "        return state, [state.turned_up()]\n",
            "        return state\n",
            "new() " + sentence("outside", "returned-must-return-two", made="a BiddingState"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [])}\n',
            sentence("outside", "legal-entries-decision", legal="0") + " 10,000",
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [[1], [1]])}\n',
            sentence("outside", "legal-entry-twice"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [[n] for n in range(20000)])}\n',
            "legal has 20,000 entries",
        ),
        (PENDING, '        return {0: Decision("bid", [["x" * 600000], [2]])}\n', ""),
        (
            PENDING,
            '        return {0: Decision("bid", [["x" * 1200000], [2]])}\n',
            sentence("outside", "view-legal", size="1,200"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [["x" * 2**25], [2]])}\n',
            "pending() gives 33,554,",
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [1, 2])}\n',
            sentence("outside", "pending-entry-legal")
            + " is a whole number, and "
            + sentence("outside", "must-be-list"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [[object()], [2]])}\n',
            "() " + sentence("outside", "gives-no-plain-value", name="an object"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [[2**53], [2]])}\n',
            "legal: 9007199254740992 is too big",
        ),
        (
            PENDING,
            '        return {1: Decision("bid", [[1], [2]]), 0: Decision("bid", [[1], [2]])}\n',
            sentence("outside", "not-seat-order"),
        ),
        (
            PENDING,
            '        return {7: Decision("bid", [[1], [2]])}\n',
            "pending() asks seats [7], of 3",
        ),
        (
            PENDING,
            (
                "        import itertools; self.n = getattr(self, 'n', 0) + 1; return {0: "
                "Decision('bid', [[1], [self.n + 1]])}\n"
            ),
            "pending() " + sentence("outside", "gives-something-else-when"),
        ),
        (
            VIEW,
            '        return {"set": {1, 2}, "hand": list(self.hands[seat]),',
            "view() " + sentence("outside", "gives-no-plain-value-2", kind="set"),
        ),
        (
            VIEW,
            '        return {"t": [(1, 2)], "hand": list(self.hands[seat]),',
            "view() " + sentence("outside", "gives-no-plain-value-2", kind="tuple"),
        ),
        (
            PENDING,
            '        return {0: Decision("bid", [[{1}], [2]])}\n',
            "pending() " + sentence("outside", "gives-no-plain-value-2", kind="set"),
        ),
        (
            APPLY,
            "        return [Event({'type': 'x', 'y': frozenset([1])})]\n",
            "() " + sentence("outside", "gives-no-plain-value-2", kind="frozenset"),
        ),
        (
            VIEW,
            '        return {1: 2, "hand": list(self.hands[seat]),',
            "view(): a key is a whole number, and must be",
        ),
        (
            VIEW,
            '        return {"id": id(self) % 2**50, "hand": list(self.hands[seat]),',
            sentence("outside", "gives-something-else-when-2"),
        ),
        (
            VIEW,
            (
                '        return {"set": [*{"a", "b", "c", "d", "e", "f", "g", "h"}], "hand": '
                "list(self.hands[seat]),"
            ),
            sentence("outside", "gives-something-else-when-2"),
        ),
        (
            VIEW,
            "        return [1]\n" + VIEW,
            "view(): what it returns is a list, and must be a dict",
        ),
        (
            "        return list(self.points)",
            "        return [1.5] * 3",
            sentence("outside", "scores")
            + " is "
            + sentence("outside", "number-point")
            + ", and must be",
        ),
        (
            "        return not self.hands[0]",
            "        return 3",
            "is_over is a whole number, and must be True or False",
        ),
        (
            "        return list(self.points)",
            "        return [1]",
            sentence("outside", "scores-not-seats", scores="[1]", seats="3"),
        ),
        (
            "        return not self.hands[0]",
            "        return True",
            "pending() asks somebody, and is_over is True",
        ),
    ],
)
def test_a_game_that_breaks_its_contract_in_a_match(
    made: Made, old: str, new: str, said: str
) -> None:
    path = made((old, new))
    if not said:
        begun(path)
        return
    with pytest.raises(GameFault) as found:
        played(path)
    assert "game bidding (game.py): " in str(found.value)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def all_steps(game: Game, expect: bool, choice: int = 0) -> list[object]:
    """A match of one choice always, by how it stood at each step; the last is the fault
    that ended it, if one did.
    """
    state, _ = game.new(3, game.rules({}), SECRET)
    if expect:
        state.expect([dict.fromkeys(range(3), choice)] * 12)
    found: list[object] = []
    try:
        while not state.is_over:
            asked = {seat: len(decision.legal) for seat, decision in state.pending().items()}
            found.append([asked, state.scores, state.ranks])
            state.apply(dict.fromkeys(state.pending(), choice))
    except (GameFault, IllegalChoice) as fault:
        return [*found, str(fault)]
    return [*found, state.scores]


@pytest.mark.parametrize(
    ("old", "new", "choice", "steps", "said"),
    [
        (APPLY, APPLY, 0, 12, ""),
        (APPLY, APPLY, 9, 5, "9 is not an index into the 9 entries"),
        (
            APPLY,
            "        if len(self.played) == 5: 1 // 0\n",
            0,
            6,
            "apply() raised ZeroDivisionError: ",
        ),
        (
            APPLY,
            "        if len(self.played) == 5: import os; os._exit(3)\n",
            0,
            6,
            "apply() " + sentence("outside", "ends-process-exit-code", code="3"),
        ),
        (
            APPLY,
            "        if len(self.played) == 5: raise IllegalChoice('no')\n",
            0,
            6,
            "apply() refuses {0: 0, 1: 0, 2: 0}",
        ),
        (
            POINTS,
            "        return [1] * (3 if len(self.played) < 5 else 2)",
            0,
            5,
            "scores are [1, 1], not one for each of",
        ),
        (
            OVER,
            "        return len(self.hands[0]) < 9",
            0,
            5,
            "pending() asks somebody, and is_over is True",
        ),
    ],
)
def test_a_replay_ahead_finds_what_one_step_by_step_does(
    made: Made,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    choice: int,
    steps: int,
    said: str,
) -> None:
    monkeypatch.setattr(outside_state, "AHEAD", 3)
    game = begun(made((old, new), ("import RulesError", "import IllegalChoice, RulesError")))
    found = all_steps(game, True, choice)
    assert found == all_steps(game, False, choice)
    assert len(found) == steps + 1
    assert said in str(found[-1])


@pytest.mark.soak
def test_each_step_of_a_replay_has_a_limit_of_its_own(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together they may take longer."""
    monkeypatch.setattr(game_process, "CPU_SECONDS", 1.0)
    spin = (
        "        import time; at = time.process_time()\n        while time.process_time() < at "
        "+ {}: pass\n"
    )
    assert len(all_steps(begun(made((APPLY, spin.format(0.2)), name="slow.py")), True)) == 13
    assert "apply() takes more than 1 s of CPU" in str(
        all_steps(begun(made((APPLY, spin.format(9)))), True)[-1]
    )


def test_a_file_beside_a_game_is_part_of_a_folder(made: Made, tmp_path: Path) -> None:
    path = made(('"""A bidding', 'import helper\n"""A bidding'))
    (tmp_path / "helper.py").write_text("")
    with pytest.raises(
        GameFault,
        match=r"a game of several files is a folder with an __init__\.py"
        + ", .* `from . import helper`",
    ):
        begun(path)
