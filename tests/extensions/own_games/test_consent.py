"""The code of a game runs only once a user has said so, by a flag or by a word; see
tests/interface/cli/test_consent.py.
"""

import json
from pathlib import Path

import pytest
from arena import arena
from consenting import BEGIN, asked, flags_of, refused
from consenting import own_words as own_words
from stores import RANDOM
from terminal import Terminal
from wording import sentence


@pytest.mark.usefixtures("distrusting")
def test_a_game_needs_its_flag(tmp_path: Path) -> None:
    (tmp_path / "g.py").write_text("GAME = 3\n")
    (tmp_path / "cup.toml").write_text(f'game = "g.py"\n{BEGIN}')
    line = refused(tmp_path, "cup.toml")
    says = sentence("competition", "opens-more-machine-file", file="cup.toml:1: cup.toml")
    assert line.startswith(f"khiva-arena: error: {says}; ")
    assert flags_of(line) == ["--game", "g.py"]
    assert not (tmp_path / "out").exists()
    done = arena("run", "cup.toml", *flags_of(line), "--seats", "99", cwd=tmp_path, code=2)
    assert "opens more" not in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("distrusting")
def test_no_byte_of_a_stranger_runs_and_all_flags_come_in_one_line(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "g.py").write_text(f"open({str(ran)!r}, 'w')\n")
    bot = json.dumps(f"sh -c 'echo > {ran}'")
    (tmp_path / "cup.toml").write_text(
        f'bots = [{bot}, "shipped:python/random"]\ngame = "g.py"\nisolation = '
        '"trusted"\nenv = ["sh=API_KEY"]\n'
    )
    line = refused(tmp_path, "cup.toml")
    assert flags_of(line) == ["--game", "g.py", "--isolation", "trusted", "--env", "sh=API_KEY"]
    assert not ran.exists()
    assert not (tmp_path / "results").exists()


def test_a_file_beside_the_settings_is_no_game_of_the_arena(tmp_path: Path) -> None:
    (tmp_path / "openspiel").mkdir()
    (tmp_path / "openspiel" / "game.py").write_text("raise SystemExit('ran')\n")
    (tmp_path / "cup.toml").write_text(f'game = "openspiel"\n{BEGIN}')
    assert flags_of(refused(tmp_path, "cup.toml")) == ["--game", "openspiel"]


@pytest.mark.soak
def test_a_word_is_asked_for_once_and_again_when_file_or_game_change(tmp_path: Path) -> None:
    arena("new", "game", "mine", cwd=tmp_path)
    file, game = tmp_path / "cup.toml", tmp_path / "mine" / "game.py"
    both = f'["mine/bot", "{RANDOM}"]'
    file.write_text(
        f'bots = {both}\nseats = 2\nseeds = 1\nout = "out"\ngame = '
        '"mine/game.py"\nisolation = "trusted"\n'
    )
    code, question, text = asked(tmp_path, "n", "cup.toml")
    assert (code, question) == (2, True)
    assert "--game mine/game.py: The code of this game runs with your rights." in text
    assert "--isolation trusted: " in text
    assert not (tmp_path / "out").exists()
    assert asked(tmp_path, "y", "cup.toml")[:2] == (0, True)
    (word,) = (tmp_path / "config" / "khiva-arena" / "agreed").iterdir()
    assert word.stat().st_mode & 0o777 == 0o600
    arena("run", "cup.toml", cwd=tmp_path)  # where nobody can be asked
    arena("run", "cup.toml", "--seeds", "2", cwd=tmp_path)
    before = game.read_text()
    game.write_text(f"{before}# changed\n")
    assert "add: --game mine/game.py --isolation trusted" in refused(tmp_path, "cup.toml")
    game.write_text(before)
    arena("run", "cup.toml", cwd=tmp_path)
    file.write_text(f"{file.read_text()}# changed\n")
    assert "add: --game mine/game.py --isolation trusted" in refused(tmp_path, "cup.toml")


@pytest.mark.slow
@pytest.mark.parametrize("folder", [False, True])
def test_a_game_that_changes_while_the_question_stands_is_not_run(
    tmp_path: Path, folder: bool
) -> None:
    """The code that was agreed to is; of a folder nothing, since a game may read its
    other files by itself.
    """
    arena("new", "game", "mine", cwd=tmp_path)
    game, ran = tmp_path / "mine" / "game.py", tmp_path / "ran"
    if folder:
        game = game.rename(tmp_path / "mine" / "__init__.py")
    file = tmp_path / "cup.toml"
    word = "mine" if folder else "mine/game.py"
    file.write_text(
        f'bots = ["mine/bot", "{RANDOM}"]\nseats = 2\nseeds = 1\nout = "out"\ngame = "{word}"\n'
    )
    terminal = Terminal(["run", "cup.toml"], tmp_path, columns=200)
    assert terminal.until(lambda text: "[y/N]" in text)
    game.write_text(f"open({str(ran)!r}, 'w')\n{game.read_text()}")
    terminal.type(b"y\n")
    assert terminal.end() == (2 if folder else 0)
    assert not ran.exists()
    assert (sentence("outside", "files-changed-since-command") in terminal.shown.text) is folder
