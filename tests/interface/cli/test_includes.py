"""Files outside of a bot's folder, which its bot.toml names, are handed to the bot only
by a flag or by the user's word.
"""

import json
from pathlib import Path

import pytest
from arena import arena
from stores import NAIVE
from terminal import Terminal
from wording import sentence

from khiva_arena.competition.settings.one_match import settings_and_bots
from khiva_arena.errors import ConfigError

SHORT = (
    "--seats",
    "2",
    "--seeds",
    "1",
    "--rule",
    "max_turns=2",
    "--isolation",
    "trusted",
    "--bot",
    NAIVE,
    "--bot",
    "bots/ann",
)


@pytest.fixture(autouse=True)
def ann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot that includes its kit, which lies beside its folder. Nobody has agreed to
    anything yet.
    """
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "bots").mkdir()
    arena("new", "python", "bots/ann", cwd=tmp_path)
    folder = tmp_path / "bots" / "ann"
    (tmp_path / "bots" / "kit").mkdir()
    (folder / "khiva_kit.py").rename(tmp_path / "bots" / "kit" / "khiva_kit.py")
    include(folder, "../kit/khiva_kit.py")
    return folder


def include(folder: Path, *names: str) -> None:
    lines = (folder / "bot.toml").read_text().splitlines()
    lines = [line for line in lines if not line.startswith(("include", "files"))]
    (folder / "bot.toml").write_text("\n".join([*lines, f"include = {json.dumps(names)}"]) + "\n")


def asked(folder: Path, answer: str) -> tuple[int, bool, str]:
    """Run at a terminal and answer if asked. Gives the exit code, whether there was a
    question, and what was shown.
    """
    terminal = Terminal(["run", *SHORT], folder, columns=300)
    question = terminal.until(lambda text: "[y/N]" in text)
    if question:
        terminal.type(f"{answer}\n".encode())
    return terminal.end(), question, terminal.shown.text


REFUSED = {
    "run": ("run", *SHORT),
    "match": ("match", "--bot", NAIVE, "--bot", "bots/ann", "--isolation", "trusted"),
    "check": ("check", "bots/ann", "--quick", "--isolation", "trusted"),
}


@pytest.mark.parametrize("command", REFUSED)
def test_without_a_terminal_a_flag_is_needed(tmp_path: Path, command: str) -> None:
    said = arena(*REFUSED[command], cwd=tmp_path, code=2).stderr
    path = tmp_path / "bots" / "kit" / "khiva_kit.py"
    assert f"include takes {path}, outside of the bot's folder" in said
    assert "add: --allow-include (or " in said
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_with_the_flag_it_plays(tmp_path: Path) -> None:
    arena("run", *SHORT, "--allow-include", cwd=tmp_path)
    arena(
        "match",
        "--from",
        "results/latest",
        "1/0",
        "--isolation",
        "trusted",
        "--allow-include",
        cwd=tmp_path,
    )
    arena(
        "replay",
        "results/latest",
        "1/0",
        "--seat",
        "1",
        "--isolation",
        "trusted",
        "--allow-include",
        cwd=tmp_path,
        code=None,
    )


@pytest.mark.slow
def test_a_word_is_asked_for_once_by_folder_and_paths(tmp_path: Path, ann: Path) -> None:
    code, question, text = asked(tmp_path, "n")
    assert (code, question) == (2, True)
    assert str(tmp_path / "bots" / "kit" / "khiva_kit.py") in text
    assert asked(tmp_path, "y")[:2] == (0, True)
    arena("run", *SHORT, cwd=tmp_path)  # where nobody can be asked
    (ann / "more.py").write_text("x = 1")  # another bot, with the same files outside of its folder
    arena("run", *SHORT, cwd=tmp_path)
    (tmp_path / "bots" / "kit" / "other.py").write_text("x = 1")
    include(ann, "../kit/khiva_kit.py", "../kit/other.py")
    said = arena("run", *SHORT, cwd=tmp_path, code=2).stderr
    assert "bots/kit/other.py" in said


def test_a_settings_file_cannot_permit_it(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(
        f'bots = ["{NAIVE}", "bots/ann"]\nseats = 2\nseeds = 1\nallow_include = true\n'
    )
    said = arena("run", "cup.toml", cwd=tmp_path, code=2).stderr
    assert sentence("competition", "opens-more-machine-file", file="cup.toml:4: cup.toml") in said
    assert "add: --allow-include (or " in said


def test_files_of_the_folder_itself_are_no_opening(tmp_path: Path, ann: Path) -> None:
    (ann / "lib").mkdir()
    (ann / "lib" / "khiva_kit.py").write_text("x = 1")
    include(ann, "lib/khiva_kit.py")
    settings_and_bots({"bots": [str(ann), NAIVE]})


def test_a_folder_that_is_a_link_includes_nothing(tmp_path: Path, ann: Path) -> None:
    (tmp_path / "bots" / "latest").symlink_to(ann)
    with pytest.raises(
        ConfigError,
        match="include takes files outside of the folder, which is a link here; name the folder "
        "itself",
    ):
        settings_and_bots(
            {"bots": [str(tmp_path / "bots" / "latest"), NAIVE], "allow_include": True}
        )
