"""The look before a match, and the check, at games that raise, loop, lie or change."""

import os
import re
from pathlib import Path

import pytest
from begun_games import APPLY, PENDING, POINTS, SECRET, VIEW, begun, played
from in_targets import in_long
from own_games import TEMPLATE, Made
from wording import pattern, sentence

from khiva_arena.errors import ConfigError, GameFault, GameSlow, RulesError
from khiva_arena.extensions.own_games import game as outside_game
from khiva_arena.extensions.own_games import game_process, outside_state
from khiva_arena.extensions.own_games.game import OutsideGame
from khiva_arena.extensions.own_games.own_game import steps_of


def test_one_that_leaves_is_told_of_in_the_look_before_a_match(made: Made) -> None:
    game = begun(made((APPLY, "        raise SystemExit(3)\n")))
    with pytest.raises(
        GameFault, match=r"game bidding \(game.py\): apply\(\) raised SystemExit: 3, line 40"
    ):
        game.vet(3, game.rules({}))


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            "        import os; os._exit(3)\n",
            "apply() " + sentence("outside", "ends-process-exit-code", code="3"),
        ),
        (
            "        return\n",
            "apply() " + sentence("outside", "returned-must-return-list", events="None"),
        ),
    ],
)
def test_the_look_before_a_match_says_what_is_wrong(made: Made, new: str, said: str) -> None:
    game = begun(made((APPLY, APPLY + new)))
    with pytest.raises(GameFault) as found:
        game.vet(3, game.rules({}))
    assert f"game bidding (game.py): {said}" in str(found.value)


def test_rules_of_a_wrong_kind_are_said_in_words(made: Made) -> None:
    with pytest.raises(GameFault, match=r"what rules\(\) returns is a list, and must be a dict"):
        begun(made(("        return rules\n", "        return [rules]\n"))).rules({})


def test_one_that_goes_on_for_ever_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside_state, "MOST_STEPS", 20)
    with pytest.raises(
        GameFault, match=r"game bidding \(game.py\): the match has not ended within 20 steps"
    ):
        played(made((APPLY, "        return []\n")))


@pytest.mark.soak
def test_one_that_loops_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_process, "CPU_SECONDS", 0.9)  # the system counts whole seconds
    game = begun(made((APPLY, "        while True: pass\n")))
    state, _ = game.new(2, game.rules({}), SECRET)
    with pytest.raises(
        GameSlow,
        match=r"game bidding \(game.py\): apply\(\) takes more than 1 s of CPU, line 40 of "
        r"game.py$",
    ):
        state.apply({0: 0, 1: 0})


def test_one_that_sleeps_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_process, "CPU_SECONDS", 1.0)
    path = made((APPLY, "        import time; time.sleep(1000)\n"))
    game = begun(path)
    monkeypatch.setattr(game_process, "WALL_SECONDS", 1.0)
    state, _ = game.new(2, game.rules({}), SECRET)
    with pytest.raises(
        GameSlow,
        match=r"apply\(\) "
        + pattern("outside", "not-ended-within-s", wall_seconds="1")
        + ", line 40 of game.py$",
    ):
        state.apply({0: 0, 1: 0})


LOOP, SLEEP = "        while True: pass\n", "        import time; time.sleep(1000)\n"


CLONE, CHECKED = "class BiddingState(State):\n", sentence("outside", "while-checked") + " "


def test_an_import_that_does_not_end_is_named_by_its_line(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_process, "WALL_SECONDS", 3.0)
    with pytest.raises(
        GameFault,
        match="game game.py: its import "
        + pattern("outside", "not-ended-within-s", wall_seconds="3")
        + ", line 1 of game.py$",
    ):
        begun(made(('"""A bidding', 'import time; time.sleep(1000)\n"""A bidding')))


@pytest.mark.soak
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (VIEW, LOOP + VIEW, "view() takes more than 1 s of CPU, line 59 of game.py"),
        (
            VIEW,
            SLEEP + VIEW,
            "view() "
            + sentence("outside", "not-ended-within-s", wall_seconds="4")
            + ", line 59 of game.py",
        ),
        (
            APPLY,
            "        sum(1 for _ in iter(int, 1))\n",
            "apply() takes more than 1 s of CPU, line 40 of game.py",
        ),
        (
            CLONE,
            CLONE + "    def clone(self):\n" + LOOP,
            CHECKED + "takes more than 1 s of CPU, at last in clone(), line ",
        ),
        (
            CLONE,
            CLONE + "    def clone(self):\n" + SLEEP,
            CHECKED
            + (
                sentence("outside", "not-ended-within-s", wall_seconds="4")
                + ", at last in clone(), line "
            ),
        ),
        *in_long(
            [
                (
                    CLONE,
                    CLONE + "    def __deepcopy__(self, memo):\n" + LOOP,
                    CHECKED + "takes more than 1 s of CPU, at last in clone(), line ",
                )
            ]
        ),
    ],
)
def test_a_check_names_the_call_that_does_not_end_and_goes_no_further(
    made: Made, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str
) -> None:
    game = begun(made((old, new)))
    wall = 4.0 if "sleep" in new else 60.0
    for where, name, seconds in (
        (game_process, "CPU", 1.0),
        (game_process, "WALL", wall),
        (outside_game, "LOOK_CPU", 1.0),
    ):
        monkeypatch.setattr(where, f"{name}_SECONDS", seconds)
    (step,) = steps_of(game)
    assert not step.passed
    assert f"game bidding (game.py): {said}" in step.said
    assert step.said.endswith(" of game.py; no further step was taken")
    assert step.do.startswith("look for a loop")


def test_a_match_begins_as_the_game_was_imported(made: Made) -> None:
    """What one match leaves in the module is not there in the next one, nor in another
    one at the same time.
    """
    path = made(
        ("class BiddingState", "BEFORE = []\n\n\nclass BiddingState"),
        (VIEW, VIEW.replace("{", '{"n": len(BEFORE), ')),
        (APPLY, APPLY + "        BEFORE.append(1)\n"),
    )
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
    assert found.value.problems == (
        sentence("outside", "no-such-rule", value="x"),
        sentence("outside", "cards-not-whole-number", rules="99"),
    )
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
    assert state.view(1) == twin.view(1)


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
    pytest.fail("the process of an ended match still runs")


def test_words_that_fail_stop_nothing(made: Made) -> None:
    """How an event or a choice is worded is no part of a match."""
    path = made(
        (
            "    def new(self",
            "    def narrate(self, event, names):\n        1 // 0\n\n    def new(self",
        )
    )
    game = begun(path)
    _, events = game.new(2, game.rules({}), SECRET)
    assert game.narrate(events[0], ["a", "b"]).startswith("prize: points ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"winner": winner})]',
            '"winner": winner}, to=())]',
            sentence("outside", "seat-sees-view-choices") + ": equal observations give",
        ),
        (
            "        self.points = [0] * seats",
            "        import random\n        self.points = [random.randrange(10**9)] * seats",
            "new" + sentence("outside", "gives-something-else-when-2"),
        ),
        (
            APPLY,
            APPLY + "        return [Event({'type': 'forfeit'})]\n",
            "an event has the type 'forfeit', which is one of the arena's own",
        ),
        (
            POINTS,
            "        return [2**60] * len(self.points)",
            "scores: 1152921504606846976 is too big",
        ),
        (
            POINTS,
            "        return [0.0] * len(self.points)",
            sentence("outside", "scores")
            + " is "
            + sentence("outside", "number-point")
            + ", and must be a whole",
        ),
        (
            VIEW,
            VIEW.replace("{", '{"x": "x" * 2_000_000, '),
            "seat 0: " + sentence("outside", "view-legal", size="2,000,"),
        ),
        (
            PENDING,
            PENDING.replace('[["card", card] for card in hand]', "[[n] for n in range(20000)]"),
            sentence("outside", "legal-entries-decision", legal="20,000")
            + " 10,000; `khiva-arena check",
        ),
        (
            '"prizes": len(self.prizes)}',
            '"prizes": len(self.played)}',
            sentence("check", "no-piece-lost-made"),
        ),
        (
            "class BiddingState(State):",
            "class BiddingState(State):\n    def clone(self): return self\n",
            "clone",
        ),
    ],
)
def test_a_look_before_the_match_finds_what_no_match_shows(
    made: Made, old: str, new: str, said: str
) -> None:
    game = begun(made((old, new)))
    with pytest.raises(GameFault) as found:
        game.vet(3, game.rules({}))
    assert said in str(found.value)
    assert "khiva-arena check --game" in str(found.value)


def test_a_check_of_a_long_game_says_how_far_it_looked(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no failure."""
    monkeypatch.setattr(outside_game, "LOOK_SECONDS", 0.3)
    slow = (VIEW, "        import time; time.sleep(0.03)\n" + VIEW)
    first = next(iter(steps_of(begun(made(slow)))))
    assert first.passed
    assert re.fullmatch(
        "a match at random keeps every point that there was time to check"
        + ": "
        + r"the first \d+ steps? as they are played"
        + r", the first \d+ steps?, \d+ changed draws?, the first \d+ steps? of first choices",
        first.said,
    )


@pytest.mark.parametrize(
    ("old", "new", "said", "do"),
    [
        (
            POINTS,
            "        return [2**60 if len(self.points) == 3 else 0] * len(self.points)",
            "scores: 1152921504606846976 is too big",
            "2**53 - 1",
        ),
        (
            VIEW,
            VIEW.replace("{", '{"x": "x" * (2000000 if len(self.hands) == 3 else 1), '),
            sentence("outside", "view-legal", size="2,000,"),
            "leave out",
        ),
        (
            VIEW,
            VIEW.replace("{", '{"x": [*{*"abcdefgh"}] if len(self.hands) == 3 else [], '),
            sentence("check", "same-match-played-again"),
            "no set",
        ),
    ],
)
def test_a_check_looks_at_each_table_as_a_match_does(
    made: Made, old: str, new: str, said: str, do: str
) -> None:
    steps = {step.title: step for step in steps_of(begun(made((old, new))))}
    failed = [step for step in steps.values() if not step.passed]
    assert [step.title for step in failed] == ["3 seats"]
    assert said in failed[0].said
    assert do in failed[0].do


def test_a_process_that_was_killed_is_started_again(made: Made) -> None:
    """As by the system when memory is short: a match that comes after it is played, and
    the same.
    """
    game = begun(made())
    assert isinstance(game, OutsideGame)
    before = game.played(2, game.rules({}), SECRET)[1]
    for one in (game._process, game._second):
        assert one is not None
        one._process.kill()
        one._process.wait()
        assert game.played(2, game.rules({}), SECRET)[1] == before
        game.vet(3, game.rules({}))
    game._process._process.kill()
    game._process._process.wait()
    game._desk = None
    assert game.rules({}) == game.rules({})


def test_a_process_is_not_started_again_from_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text(TEMPLATE.read_text())
    game = begun(tmp_path / "mine")
    assert isinstance(game, OutsideGame)
    game.played(2, game.rules({}), SECRET)
    (tmp_path / "mine" / "more.py").write_text("x = 1")
    game.played(2, game.rules({}), SECRET)
    game._process._process.kill()
    game._process._process.wait()
    with pytest.raises(GameFault, match=pattern("outside", "files-changed-since-command")):
        game.played(2, game.rules({}), SECRET)
