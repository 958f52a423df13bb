"""OpenSpiel's games at the table: which play, what seats are shown, and that nothing but their own process knows the library."""

import sys
from pathlib import Path

import pytest
from arena import RANDOM, ROOT, arena, bots
from make_openspiel_page import PAGE, names, tried

from khiva_arena.errors import RulesError
from khiva_arena.games.base import Game, State
from khiva_arena.outside.opening import opened

pytestmark = pytest.mark.slow

SECRET = bytes(range(32))
MCTS = str(ROOT / "bots" / "python" / "mcts_openspiel")


@pytest.fixture
def game() -> Game:
    return opened("openspiel")


def begun(library: Game, **rules: object) -> State:
    made = library.rules(rules)
    return library.new(library.seats_of(made)[0], made, SECRET)[0]


def played(state: State) -> State:
    while not state.is_over:
        state.apply(dict.fromkeys(state.pending(), 0))
    return state


def test_several_seats_are_asked_at_once(game: Game) -> None:
    state = begun(game, game="goofspiel(players=3,num_cards=4,imp_info=True)")
    asked = state.pending()
    assert list(asked) == [0, 1, 2]
    assert asked[2].kind == "act"
    assert [entry[0] for entry in asked[2].legal] == [0, 1, 2, 3]
    assert asked[2].legal[0][1] == "[P2]Bid: 1"
    assert state.view(1)["shows"] == "information_state"
    events = state.apply({0: 0, 1: 1, 2: 1})
    assert {event.data["type"]: event.to for event in events if event.data.get("seat", 1) == 1}["acted"] == (1,)
    assert "history" not in state.view(0)
    assert sum(played(state).scores) == 0


def test_chance_comes_from_the_secret(game: Game) -> None:
    rules = game.rules({"game": "leduc_poker"})
    views = {game.new(2, rules, bytes([n] * 32))[0].view(0)["text"] for n in range(20)}
    assert len(views) > 1
    assert game.new(2, rules, SECRET)[0].view(0) == game.new(2, rules, SECRET)[0].view(0)


def test_where_all_is_open_so_is_the_history(game: Game) -> None:
    state = begun(game, game="tic_tac_toe")
    state.apply({0: 4})
    assert state.view(1)["history"] == [4]
    assert 4 not in [action for action, _ in state.pending()[1].legal]


def test_returns_become_whole_points(game: Game) -> None:
    assert game.rules({"game": "skat"})["scale"] == 240
    state = played(begun(game, game="skat"))
    assert all(type(score) is int for score in state.scores)


def test_a_tensor_of_whole_numbers(game: Game) -> None:
    assert begun(game, game="tic_tac_toe", shows="observation", tensor="yes").view(0)["tensor"].count(1) == 9


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"game": "blackjack"}, "blackjack cannot be played: it has one player"),
        ({"game": "negotiation"}, "its chance is sampled, so that no match could be replayed"),
        ({"game": "mfg_garnet"}, "it is a mean-field game"),
        ({"game": "crossword"}, "its actions are structures"),
        ({"game": "no such"}, "OpenSpiel does not load 'no such'"),
        ({"game": "kuhn_poker(players=99)"}, "OpenSpiel does not load"),
        ({"game": 3}, "3 is not a text"),
        ({"x": 3}, "x: there is no such rule"),
        ({"scale": 0.5}, "scale: 0.5 is not a whole number"),
        ({"tensor": "maybe"}, "tensor: 'maybe' is neither no nor yes"),
        ({"game": "dou_dizhu", "shows": "information_state"}, "shows: dou_dizhu gives seats no 'information_state'"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(game: Game, rules: dict[str, object], said: str) -> None:
    with pytest.raises(RulesError) as found:
        game.rules(rules)
    assert said in str(found.value)


@pytest.mark.parametrize("name", ["kuhn_poker", "matching_pennies_3p", "hex", "phantom_ttt", "spades"])
def test_the_contract_is_kept(game: Game, name: str) -> None:
    rules = game.rules({"game": name})
    game.vet(game.seats_of(rules)[0], rules)


def test_from_the_command_to_the_table(tmp_path: Path) -> None:
    words = ["--game", "openspiel", "--rule", "game=tic_tac_toe", *bots(RANDOM, MCTS), "--isolation", "trusted"]
    before = "pyspiel" in sys.modules
    done = arena("run", *words, "--seats", "2", "--seeds", "3", "--turn", "20s", "--start", "60s", "--out", "out", cwd=tmp_path)
    assert next(line for line in done.stdout.splitlines() if line.strip().startswith("1 ")).split()[1] == "mcts_openspiel"
    assert ("pyspiel" in sys.modules) == before
    assert "the package open_spiel 2.0.2, as --game" in arena("verify", "out", cwd=tmp_path, code=2).stderr
    assert "6 of 6 matches are sound" in arena("verify", "out", "--game", "openspiel", cwd=tmp_path).stdout
    wrong = ["--game", "openspiel", "--rule", "game=tic_tac_toe", *bots(RANDOM, MCTS), "--seats", "3", "--copies", "2"]
    assert "openspiel is played with 2 seats under these rules" in arena("run", *wrong, cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("name", ["blackjack", "kuhn_poker", "nfg_game", "skat", "tic_tac_toe"])
def test_the_page_says_what_comes_of_a_game(game: Game, name: str) -> None:
    assert tried(game, name).line in PAGE.read_text().splitlines()


def test_the_page_has_every_game() -> None:
    lines = PAGE.read_text().splitlines()
    assert [name for name in names() if sum(line.startswith(f"| `{name}` |") for line in lines) != 1] == []
