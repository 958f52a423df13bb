"""OpenSpiel's games at the table: which play, what seats are shown, and that nothing
but their own process knows the library.
"""

import json
import re
import sys
from pathlib import Path

import pytest
from arena import RANDOM, ROOT, arena, bots
from make_openspiel_page import PAGE, current, described, names, tried, version_of
from pages import blocks
from wording import sentence

from khiva_arena.common.manual import where
from khiva_arena.errors import RulesError
from khiva_arena.extensions.own_games.opening import open_game
from khiva_arena.games.base import Game, State

pytestmark = pytest.mark.soak

SECRET = bytes(range(32))
MCTS = str(ROOT / "bots" / "python" / "mcts_openspiel")


@pytest.fixture
def game() -> Game:
    return open_game("openspiel")


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
    assert {event.data["type"]: event.to for event in events if event.data.get("seat", 1) == 1}[
        "acted"
    ] == (1,)
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
    assert (
        begun(game, game="tic_tac_toe", shows="observation", tensor="yes")
        .view(0)["tensor"]
        .count(1)
        == 9
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            {"game": "blackjack"},
            sentence("outside", "cannot-played", name="blackjack") + " has one player",
        ),
        ({"game": "negotiation"}, "its chance is sampled, so that no match could be replayed"),
        ({"game": "mfg_garnet"}, "it is a mean-field game, of a population and not of seats"),
        ({"game": "crossword"}, "its actions are structures, not numbers"),
        (
            {"game": "no such"},
            sentence(
                "outside",
                "lists-its-games",
                value=sentence("outside", "openspiel-no-game")
                + f" 'no such'; {where('openspiel', 'Games that play')}",
            ),
        ),
        (
            {"game": "phantom_goo(board_size=5)"},
            sentence("outside", "openspiel-no-game")
            + f" 'phantom_goo' (did you mean phantom_go?); {where('openspiel')}",
        ),
        ({"game": 2048}, sentence("outside", "cannot-played", name="2048") + " has one player"),
        (
            {"game": "goofspiel(plyers=3)"},
            "Unknown parameter 'plyers'. Available parameters are: egocentric",
        ),
        ({"game": "kuhn_poker(players=99)"}, sentence("outside", "game-openspiel-not-load")),
        ({"game": [3]}, "[3] is not a text"),
        ({"x": 3}, sentence("outside", "no-such-rule", value="x")),
        ({"scale": 0}, sentence("outside", "scale-not-whole-number", scale="0") + " 1,000,000"),
        ({"shows": ""}, "shows: kuhn_poker gives seats no ''"),
        (
            {"game": "matrix_sh", "shows": "blah"},
            "gives seats no 'blah'; what it gives: information_state, observation",
        ),
        (
            {"game": "python_tic_tac_toe"},
            "python_tic_tac_toe is one of the library's games in Python, which are not imported",
        ),
        ({"scale": 0.5}, sentence("outside", "scale-not-whole-number", scale="0.5")),
        (
            {"game": "efg_game(filename=g.efg)"},
            (
                "efg_game reads a file (filename), which would be no part of the event: two games "
                "could have one name, and nobody could check a match; `khiva-arena new game DIR` "
                "begins a game of your own, whose file is hashed"
            ),
        ),
        ({"game": "nfg_game(filename=/etc/passwd)"}, "nfg_game reads a file (filename)"),
        ({"game": "misere(game=nfg_game(filename=g.nfg))"}, "misere reads a file (filename)"),
        ({"game": "bargaining(instances_file=x.txt)"}, "bargaining reads a file (instances_file)"),
        (
            {"game": "colored_trails(boards_file=x.txt)"},
            "colored_trails reads a file (boards_file)",
        ),
        ({"game": "crossword(puzzles_root=/etc)"}, "crossword reads a file (puzzles_root)"),
        ({"tensor": "maybe"}, "tensor: 'maybe' is neither no nor yes, or"),
        (
            {"game": "dou_dizhu", "shows": "information_state"},
            "shows: dou_dizhu gives seats no 'information_state'",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(
    game: Game, rules: dict[str, object], said: str
) -> None:
    with pytest.raises(RulesError) as found:
        game.rules(rules)
    assert said in str(found.value)


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "leduc_poker",
        "matching_pennies_3p",
        "hex",
        "phantom_ttt",
        "spades",
        "backgammon",
        "maedn",
        "laser_tag",
    ],
)
def test_the_contract_is_kept(game: Game, name: str) -> None:
    """Where all is open, an event tells a seat what came by chance even if its text
    does not show it.
    """
    rules = game.rules({"game": name})
    game.vet(game.seats_of(rules)[0], rules)


def test_from_the_command_to_the_table(tmp_path: Path) -> None:
    words = [
        "--game",
        "openspiel",
        "--rule",
        "game=tic_tac_toe",
        *bots(RANDOM, MCTS),
        "--isolation",
        "trusted",
    ]
    before = "pyspiel" in sys.modules
    done = arena(
        "run",
        *words,
        "--seats",
        "2",
        "--seeds",
        "3",
        "--turn",
        "20s",
        "--start",
        "60s",
        "--out",
        "out",
        cwd=tmp_path,
    )
    assert (
        next(line for line in done.stdout.splitlines() if line.strip().startswith("1 ")).split()[1]
        == "mcts_openspiel"
    )
    assert ("pyspiel" in sys.modules) == before
    assert (
        "the package open_spiel 2.0.2, as --game openspiel\n"
        in arena("verify", "out", cwd=tmp_path, code=2).stderr
    )
    assert (
        "6 of 6 matches are sound"
        in arena("verify", "out", "--game", "openspiel", cwd=tmp_path).stdout
    )
    wrong = [
        "--game",
        "openspiel",
        "--rule",
        "game=tic_tac_toe",
        *bots(RANDOM, MCTS),
        "--seats",
        "3",
        "--copies",
        "2",
    ]
    assert (
        "openspiel is played with 2 seats under these rules"
        in arena("run", *wrong, cwd=tmp_path, code=2).stderr
    )


def test_a_store_of_many_of_them_is_verified(tmp_path: Path) -> None:
    """Chance, several seats at once, what is hidden, ten seats, points that are
    scaled.
    """
    games = {
        "leduc_poker": 2,
        "goofspiel(players=3,num_cards=4,imp_info=True)": 3,
        "phantom_ttt": 2,
        "kuhn_poker(players=10)": 10,
        "skat": 3,
    }
    for name, seats in games.items():
        run = [
            "run",
            "--game",
            "openspiel",
            "--rule",
            f"game={name}",
            *bots(RANDOM),
            "--copies",
            str(seats),
            "--seeds",
            "1",
        ]
        arena(
            *run,
            "--seats",
            str(seats),
            "--isolation",
            "trusted",
            "--turn",
            "20s",
            "--start",
            "60s",
            "--out",
            "out",
            cwd=tmp_path,
        )
    said = arena("verify", "out", "--game", "openspiel", cwd=tmp_path).stdout.splitlines()
    assert [line.partition(": ")[2].split(";")[0] for line in said] == [
        f"{seats} of {seats} matches are sound" for seats in games.values()
    ]
    arena("report", "out", "--game", "openspiel", "--out", "page.html", cwd=tmp_path)


@pytest.mark.parametrize("name", ["kuhn_poker", "tic_tac_toe", "skat"])
def test_the_page_says_what_comes_of_a_game(game: Game, name: str) -> None:
    assert tried(game, name).line in PAGE.read_text().splitlines()


def test_the_page_is_what_the_command_writes(game: Game) -> None:
    """As far as that can be said without playing all of them: every game's line, and
    the counts.
    """
    text = PAGE.read_text()
    assert current(text, [described(game, name) for name in names()], version_of(game)) == text


def test_two_of_them_in_one_store_are_told_apart(tmp_path: Path) -> None:
    """By tables, lists, stories and pages, the default one, too."""
    run = [
        "run",
        "--game",
        "openspiel",
        *bots(RANDOM),
        "--copies",
        "2",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
    ]
    slowly = ["--turn", "20s", "--start", "60s", "--out", "out"]
    first = arena(*run, *slowly, cwd=tmp_path)
    assert "openspiel with game=kuhn_poker() is played\n" in first.stderr
    assert first.stdout.startswith("openspiel with game=kuhn_poker() at 2 seats; ")
    arena(*run, *slowly, "--rule", "game=tic_tac_toe", cwd=tmp_path)
    tables = arena("standings", "out", cwd=tmp_path).stdout
    assert re.findall(r"^openspiel with game=(\w+)\(\) at 2 seats;", tables, re.MULTILINE) == [
        "kuhn_poker",
        "tic_tac_toe",
    ]
    as_data = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)["standings"]
    assert [one["rules"]["game"] for one in as_data] == ["kuhn_poker()", "tic_tac_toe()"]
    assert (
        ", openspiel with game=tic_tac_toe(), 2 seats, "
        in arena("show", "out", cwd=tmp_path).stdout
    )
    story = arena("show", "out", "1/0", "--game", "openspiel", cwd=tmp_path).stdout
    assert ": OpenSpiel with game=kuhn_poker(), 2 seats: " in story.splitlines()[0]
    arena("report", "out", "--game", "openspiel", "--out", "page.html", cwd=tmp_path)
    page = blocks(tmp_path / "page.html")["data"]
    assert (
        page["title"]
        == "OpenSpiel with game=kuhn_poker() and OpenSpiel with game=tic_tac_toe(): results"
    )
    assert [event["changed"]["game"] for event in page["events"]] == [
        "kuhn_poker()",
        "tic_tac_toe()",
    ]


def test_a_match_says_which_one_is_played(tmp_path: Path) -> None:
    done = arena(
        "match",
        "--game",
        "openspiel",
        *bots(RANDOM, RANDOM),
        "--isolation",
        "trusted",
        "--turn",
        "20s",
        cwd=tmp_path,
    )
    assert "openspiel with game=kuhn_poker() is played\n" in done.stderr
    assert ": OpenSpiel with game=kuhn_poker(), 2 seats: " in done.stdout.splitlines()[0]


def test_a_game_is_checked_with_its_rules_and_a_refusal_says_the_scale(tmp_path: Path) -> None:
    check = ["check", "--game", "openspiel", "--rule"]
    assert (
        "  ok  2 seats, game = tic_tac_toe: "
        in arena(*check, "game=tic_tac_toe", cwd=tmp_path).stdout
    )
    words = ["--rule", "game=skat", "--rule", "scale=1"]
    said = arena(
        "match", "--game", "openspiel", *words, *bots(*[RANDOM] * 3), cwd=tmp_path, code=2
    ).stderr
    assert "is not whole at scale 1: give --rule scale=240, the least for this match" in said
    assert (
        "`khiva-arena check --game openspiel --rule 'game=skat()' --rule scale=1` says more" in said
    )
    failed = arena("check", "--game", "openspiel", *words, cwd=tmp_path, code=1).stdout
    assert failed.count("give --rule scale=240") == 2
    blotto = ["--rule", "game=blotto(players=2,coins=30,fields=5)", *bots(RANDOM, RANDOM)]
    many = arena("match", "--game", "openspiel", *blotto, cwd=tmp_path, code=2).stderr
    assert (
        sentence("outside", "legal-entries-decision", legal="46,376")
        + " 10,000; `khiva-arena check"
        in many
    )
    never = arena(
        "match",
        "--game",
        "openspiel",
        "--rule",
        "game=bargaining(discount=0.9)",
        *bots(RANDOM, RANDOM),
        cwd=tmp_path,
        code=2,
    )
    assert (
        "no scale up to 1,000,000 makes those of this match and of others whole, so it "
        "cannot be played" in never.stderr
    )
    assert (
        "`khiva-arena check --game openspiel --rule 'game=bargaining(discount=0.9)'` says more"
        in never.stderr
    )


def test_a_bot_is_checked_at_one_of_them(tmp_path: Path) -> None:
    check = [
        "check",
        MCTS,
        "--game",
        "openspiel",
        "--quick",
        "--isolation",
        "trusted",
        "--rule",
        "game=tic_tac_toe",
    ]
    done = arena(*check, "--turn", "20s", "--start", "60s", cwd=tmp_path)
    assert "decisions of OpenSpiel" in done.stdout
