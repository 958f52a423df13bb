"""Words for bots as users type them at first: what they most likely mean, and what is
said about them.
"""

from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.entrants.bot_words import folders_of, meant_bot
from khiva_arena.entrants.bots import GUESTS, load
from khiva_arena.entrants.guests import NOT_HERE
from khiva_arena.errors import ConfigError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two bots, a folder that is none, and a file without a bot."""
    for name in ("bots/bob", "bots/ann"):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "bot.toml").touch()
        (tmp_path / name / "src" / "main.py").touch()
    (tmp_path / "bots" / "notes").mkdir()
    (tmp_path / "alone.py").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("bots/ann", "bots/ann"),
        ("bots/ann/bot.toml", "bots/ann"),
        ("bots/ann/src/main.py", "bots/ann"),
        ("person:eve", "person:eve"),
        ("shipped:c/greedy", "shipped:c/greedy"),
        ("greedy", "shipped:python/greedy"),
        ("c/greedy", "shipped:c/greedy"),
        ("strong_khiva", "shipped:c/strong_khiva"),
        ("reedy", ""),
        ("", ""),
        ("alone.py", ""),
        ("bots/notes", ""),
    ],
)
def test_a_word_means_the_bot_that_it_is_like(word: str, meant: str) -> None:
    assert meant_bot(word) == meant


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("bots/ann/src/main.py", "this is a file of a bot; name the bot's folder, bots/ann"),
        (
            "alone.py",
            (
                "this file is no command, and no bot.toml lies beside it; name a command "
                "that runs it, as 'python3 FILE'"
            ),
        ),
        (
            "greedy",
            sentence("entrants", "no-such-folder-no") + "; did you mean shipped:python/greedy?",
        ),
        ("./greedy", sentence("entrants", "no-such-folder-command")),
        ("gredy", "; did you mean shipped:python/greedy?"),
        ("c/gredy", "; did you mean shipped:c/greedy?"),
        ("bots/an", "; did you mean bots/ann?"),
        ("bots", "; name a bot in it, as bots/ann"),
        ("shipped:greedy", "; did you mean shipped:python/greedy?"),
        ("bots/*", "only settings files may have a glob; here: --bot bots/ann --bot bots/bob"),
        ("bots/n*", "no folder with a bot.toml fits this glob"),
    ],
)
def test_an_error_says_what_to_name_instead(word: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(word)
    (problem,) = caught.value.problems
    assert problem.startswith(f"--bot {word}: ")
    assert problem.endswith(said)


def test_a_glob_is_sorted_and_a_folder_with_its_name_is_no_glob(here: Path) -> None:
    found = folders_of("bots/*")
    assert found is not None
    assert found == (["bots/ann", "bots/bob"], ["bots/notes"])
    (here / "bots" / "*").mkdir()
    assert folders_of("bots/*") is None
    assert folders_of("bots/ann") is None
    assert folders_of("bots\0/*") is None


def test_each_word_for_a_guest_says_why_there_is_none() -> None:
    assert set(GUESTS) == set(NOT_HERE)
