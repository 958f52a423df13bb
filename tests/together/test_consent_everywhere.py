"""No command that reads a file with settings runs the code of a game that the file
names, before the user has agreed.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from arena import ROOT, arena, bots
from stores import NAIVE, RANDOM
from terminal import Terminal
from wording import sentence

from khiva_arena.interface.cli.main import cli

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("consent")]  # one process makes the files
GAME = ROOT / "tests" / "published" / "bidding.py"
OPENS = sentence("competition", "opens-more-machine-file", file="").strip()
FROM_SETTINGS = (
    ["run", "cup.toml"],
    ["run", "cup.toml", "--shipped"],
    ["run", "cup.toml", "--plan", "new.plan"],
)
READERS: dict[str, tuple[list[str], ...]] = {
    "run": (
        *FROM_SETTINGS,
        ["run", "cup.toml", "--budget", "1s", "--yes"],
        ["run", "--from-plan", "cup.plan"],
    ),
    "league enter": (["league", "enter", "L", RANDOM, "--author", "ann"],),
    "league play": (["league", "play", "L"], ["league", "play", "L", "--batches", "0"]),
    "league plan": (["league", "plan", "L", "batch.plan"],),
    "league final": (["league", "final", "L"],),
}
"""Each command that reads all of a file's settings, and ways to call it; it must
ask.
"""
OTHERS: dict[str, list[str]] = {
    "league status": ["L"],
    "league serve": ["L", "--listen", "127.0.0.1:0", "--user", "nobody-of-this-name"],
    "league season": ["L", "spring"],
    "league cancel": ["L", "entry-1"],
    "league receipt": ["http://127.0.0.1:1"],
    "league retire": ["L", "random"],
    "league suspend": ["L", "random"],
    "league reinstate": ["L", "random"],
    "league author add": ["L", "ann"],
    "league author rotate": ["L", "ann"],
    "league author revoke": ["L", "ann"],
    "league author list": ["L"],
    **{name: ["L"] for name in ("standings", "show", "report", "plan", "verify", "export")},
    "bundle": ["L", "b.khiva"],
    "close": ["L", "1", "--yes"],
    "merge": ["L", "--out", "out"],
}
"""Each command that is given the folder of a league, and reads of its settings those of
the league alone, or none.
"""
OF_NO_FILE = {
    "match",
    "sprt",
    "play",
    "league new",
    "new",
    "check",
    "submit",
    "replay",
    "decode",
    "bots",
    "relay",
    "games",
}
OF_NO_FILE |= {"compare", "grade", "watch", "init", "doctor", "page"}


def verbs(group: click.Group, prefix: str = "") -> Iterator[str]:
    """Yield the words of each command."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from verbs(command, f"{prefix}{name} ")
        else:
            yield prefix + name


def test_each_command_is_tried_here() -> None:
    assert {*verbs(cli)} == READERS.keys() | OTHERS.keys() | OF_NO_FILE


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league, a settings file and a plan whose game is a file
    there, which writes "ran" when it is run.
    """
    folder = tmp_path_factory.mktemp("handed")
    game = folder / "g.py"
    game.write_text(
        f"{GAME.read_text()}\nfrom pathlib import Path as "
        f"_Path\n_Path({str(folder / 'ran')!r}).touch()\n"
    )
    (folder / "cup.toml").write_text(
        f'bots = ["{RANDOM}", "{NAIVE}"]\ngame = "g.py"\nseats = 2\nseeds = 1\nout = "out"\n'
    )
    config = {"XDG_CONFIG_HOME": str(folder / "maker")}
    seated = bots(RANDOM, NAIVE)
    arena(
        "run",
        *seated,
        "--game",
        "g.py",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--plan",
        "cup.plan",
        cwd=folder,
        env=config,
    )
    arena("league", "new", "L", "--game", "g.py", "--seats", "2", cwd=folder, env=config)
    assert (folder / "ran").exists()
    return folder


@pytest.fixture
def stranger(handed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder with these files, for a user who has agreed to nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (handed / "ran").unlink(missing_ok=True)
    return handed


@pytest.mark.parametrize(
    "words", [words for calls in READERS.values() for words in calls], ids=" ".join
)
def test_a_command_asks_before_the_game_of_a_file_is_run(words: list[str], stranger: Path) -> None:
    said = arena(*words, cwd=stranger, code=2).stderr
    assert not (stranger / "ran").exists()
    assert OPENS in said
    if words[0] == "league":
        assert (
            "if you trust it, type `khiva-arena league play L --batches 0` once at a "
            "terminal, which asks and remembers"
        ) in said


@pytest.mark.parametrize("verb", OTHERS)
def test_no_other_command_runs_the_game_of_a_league(verb: str, stranger: Path) -> None:
    arena(*verb.split(), *OTHERS[verb], cwd=stranger, code=None)
    assert not (stranger / "ran").exists()


@pytest.mark.soak
def test_these_files_run_their_game_for_whoever_made_them(
    handed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a service has nobody to ask: a league is made by a command that names its
    game.
    """
    monkeypatch.setenv("XDG_CONFIG_HOME", str(handed / "maker"))
    for words in (
        ["league", "play", "L", "--batches", "1"],
        ["run", "--from-plan", "cup.plan", "--out", "planned"],
    ):
        (handed / "ran").unlink(missing_ok=True)
        arena(*words, cwd=handed)
        assert (handed / "ran").exists()


def test_the_command_that_a_refusal_names_asks_and_remembers(stranger: Path) -> None:
    words = ["league", "play", "L", "--batches", "0"]
    terminal = Terminal(words, stranger, columns=200)
    assert terminal.until(lambda text: "[y/N]" in text)
    assert not (stranger / "ran").exists()
    terminal.type(b"y\n")
    terminal.end()
    assert (stranger / "ran").exists()
    assert OPENS not in arena(*words, cwd=stranger, code=None).stderr
    shutil.copytree(stranger / "L", stranger / "moved", dirs_exist_ok=True)
    assert OPENS in arena("league", "play", "moved", cwd=stranger, code=2).stderr
