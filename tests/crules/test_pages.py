"""The pages of the rules in C: the sizes that they give, what their Python prints, and
their bot, which plays.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from rules_in_c import GAMES
from tools import need

from khiva_arena.crules.khiva import USUAL
from khiva_arena.crules.library import function, sizes
from khiva_arena.games.base import Game
from khiva_arena.native import build

named = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
STRUCTURES = ("rules", "state", "memory", "view", "knowledge")
MOST_LINES = 60


def page(game: Game) -> str:
    return (build.RULES / f"{game.name}.md").read_text("utf-8")


def block(text: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return found


@pytest.mark.usefixtures("rules_in_c")
@named
def test_the_sizes_are_those_of_the_structures(game: Game) -> None:
    told = dict(re.findall(rf"^\| `{game.name}_(\w+)` \| ([\d,]+) \|", page(game), re.MULTILINE))
    expected = {name: getattr(sizes(game.name), name) for name in STRUCTURES}
    if game.name == "khiva":
        expected["habits"] = function("khiva", "habits_size")()
    assert told == {name: f"{size:,}" for name, size in expected.items()}


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.parametrize("name", ["README.md", "khiva.md"])
def test_its_python_prints_what_it_shows(name: str, capsys: Any) -> None:
    text = (build.RULES / name).read_text("utf-8")
    program = block(text, "python")
    exec(program, {})
    (shown, *_) = re.findall(
        r"^```text\n(.*?)^```$", text.split(program)[1], re.MULTILINE | re.DOTALL
    )
    assert capsys.readouterr().out == shown


@pytest.mark.usefixtures("rules_in_c")
def test_the_weights_of_a_judgement_are_those_of_the_page() -> None:
    text = (build.RULES / "khiva.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[a-z`, ]+`) \| ([\d., ]+) \| each ", text, re.MULTILINE)
    told = {
        name: float(value)
        for names, values in rows
        for name, value in zip(names.replace("`", "").split(", "), values.split(", "), strict=True)
    }
    assert told == USUAL._asdict()


@named
def test_every_function_that_it_names_is_there(game: Game) -> None:
    text = (build.RULES / "README.md").read_text("utf-8").replace("khiva_", f"{game.name}_") + page(
        game
    )
    names = set(re.findall(rf"`({game.name}_[a-z_]+)\b", text))
    calls = (
        (build.RULES / "calls" / "calls.h")
        .read_text("utf-8")
        .replace("CALL(", f"{game.name}_lib_")
        .replace(")", " ")
    )
    assert {
        name for name in names if not re.search(rf"\b{name}\b", build.join(game.name) + calls)
    } == set()


@pytest.mark.parametrize("words", [("khiva", "--json"), (), ("khiva", "emira")])
def test_a_header_is_of_one_game_and_no_json(words: tuple[str, ...], tmp_path: Path) -> None:
    assert "--header" in arena("games", "--header", *words, cwd=tmp_path, code=2).stderr


@pytest.mark.language
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.long if game.name != "khiva" else (), id=game.name)
        for game in GAMES
    ],
)
def test_its_bot_plays(game: Game, tmp_path: Path) -> None:
    need("cc")
    source = block(page(game), "c")
    assert len([line for line in source.splitlines() if line]) <= MOST_LINES
    arena("new", "c", "my-search", cwd=tmp_path)
    folder = tmp_path / "my-search"
    # With the playouts that the page has, a match of Emira takes minutes.
    quick, count = re.subn(r"PLAYOUTS = \d+", "PLAYOUTS = 60", source)
    assert count == 1
    (folder / "bot.c").write_text(quick)
    (folder / f"{game.name}.h").write_text(
        arena("games", game.name, "--header", cwd=tmp_path).stdout
    )
    toml = (folder / "bot.toml").read_text()
    assert toml.count(" -o bot bot.c") == 1
    toml = toml.replace('"kit.h"]', '"kit.h", "*.h"]')
    (folder / "bot.toml").write_text(
        toml.replace(" -o bot bot.c", " -Wextra -Werror -o bot bot.c -lm")
    )
    for seats in game.seats[:2]:
        others = ["--bot", "shipped:python/random"] * (seats - 1)
        words = ("match", "--game", game.name, "--bot", "my-search", *others, "--seed", "x")
        done = arena(*words, "--isolation", "trusted", cwd=tmp_path)
        assert "fault" not in done.stdout, done.stdout
