"""Games of users without their extension, whose name each refusal says, and the
commands that import no code of it.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena
from once import made_once
from stores import NAIVE, RANDOM, TRUSTED
from wording import sentence

import khiva_arena
from khiva_arena import extensions
from khiva_arena.errors import ConfigError, GameMissing

ABSENT = sentence("outside", "extension-not-installed", extension="own_games")
RUN = ("--bot", RANDOM, "--bot", NAIVE, "--seats", "2", "--seeds", "1", *TRUSTED, "--out", "new")
SEES = """
import os, sys
from khiva_arena.interface.cli import main
from khiva_arena.common.handed import VARIABLE
codes = [main.run(line.split()) for line in sys.argv[1:]]
print(codes, VARIABLE in os.environ, *sys.modules, file=sys.stderr)
"""


@made_once
def own(folder: Path) -> None:
    """A game and a bot in "mine", a store with matches of it in "out" and of the
    arena's in "ours", and a settings file.
    """
    arena("new", "game", "mine", cwd=folder)
    arena("run", "--game", "mine", *RUN[:-1], "out", cwd=folder)
    arena("run", *RUN[:-1], "ours", cwd=folder)
    (folder / "cup.toml").write_text(
        f'bots = ["{RANDOM}", "{NAIVE}"]\ngame = "mine/game.py"\nseats = 2\nseeds = 1\n'
    )


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package without the extension's row."""
    monkeypatch.setattr(
        extensions, "ROWS", tuple(row for row in extensions.ROWS if row.name != "own_games")
    )


@pytest.mark.usefixtures("absent")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--game", "mine/game.py", *RUN),
        ("run", "--game", "mine", *RUN),
        ("run", "--game", "openspiel", *RUN),
        ("run", "--game", "khivaa", *RUN),
        ("run", "cup.toml", "--out", "new"),
        ("match", "--game", "mine/game.py", *RUN[:4]),
        ("bots", "--game", "mine/game.py"),
        ("check", RANDOM, "--game", "mine/game.py"),
        ("check", "--game", "mine/game.py"),
        ("check", "--game", "khiva"),
        ("new", "game", "another"),
        ("verify", "out", "--game", "mine/game.py"),
        ("standings", "out", "--game", "mine"),
        ("standings", "out", "--game", "of_a_package"),
        ("match", "--from", "out", "1/0", "--game", "mine/game.py"),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_a_game_is_refused_by_the_name_of_the_extension(own: Path, words: tuple[str, ...]) -> None:
    before = {path.name for path in own.iterdir()}
    said = arena(*words, cwd=own, code=2).stderr
    assert said.rstrip().endswith(ABSENT)
    assert {path.name for path in own.iterdir()} == before


@pytest.mark.usefixtures("absent")
@pytest.mark.parametrize(
    "words", [("verify", "out"), ("report", "out", "--out", "page.html"), ("show", "out", "1/0")]
)
def test_a_missing_game_is_still_told_by_its_hash(own: Path, words: tuple[str, ...]) -> None:
    said = arena(*words, cwd=own, code=2).stderr
    assert "the game 'bidding' does not come with the arena" in said
    assert said.rstrip().endswith(ABSENT)


@pytest.mark.usefixtures("absent")
def test_python_is_refused_too(own: Path) -> None:
    game = own / "mine" / "game.py"
    with pytest.raises(ConfigError, match=ABSENT):
        khiva_arena.run(bots=[RANDOM, NAIVE], game=game, seats=2, seeds=1, out=own / "new")
    with pytest.raises(ConfigError, match=ABSENT):
        khiva_arena.verify(own / "out", game=game)
    (match, _) = khiva_arena.matches(own / "out")
    for call in (
        lambda: khiva_arena.verify(own / "out"),
        match.replay,
        match.story,
        match.points_by_source,
    ):
        with pytest.raises(GameMissing, match=f"{ABSENT}$"):
            call()


@pytest.mark.usefixtures("absent")
def test_games_of_the_arena_need_no_extension(own: Path) -> None:
    assert "2 of 2 matches are sound" in arena("verify", "ours", "--game", "khiva", cwd=own).stdout
    assert arena("match", "--from", "ours", "1/0", "--game", "khiva", *TRUSTED, cwd=own).stdout


@pytest.mark.slow
@pytest.mark.parametrize("handed", [False, True])
def test_code_of_games_is_imported_once_one_is_handed_over_and_ended_with_the_command(
    own: Path, handed: bool
) -> None:
    match = " ".join(["match", *RUN[:4], *TRUSTED])
    lines = [match, "verify ours --game khiva", "standings ours", "games", "bots --game khiva"]
    lines += ["verify out --game mine"] if handed else []
    done = subprocess.run(
        [sys.executable, "-c", SEES, *lines], cwd=own, capture_output=True, text=True, check=True
    )
    codes, _, rest = done.stderr.splitlines()[-1].partition("] ")
    variable, *names = rest.split()
    assert set(codes.strip("[").split(", ")) == {"0"}
    assert variable == "False"
    package = f"{extensions.__name__}.own_games"
    loaded = {name for name in names if name.startswith(f"{package}.") and name != f"{package}.row"}
    assert bool(loaded) == handed
