"""The hash of a game covers the code that runs: of a folder, and of a package that is
installed.
"""

import os
from pathlib import Path

import pytest
from own_games import changed
from wording import sentence

from khiva_arena.errors import ConfigError, GameFault
from khiva_arena.extensions.own_games import opening
from khiva_arena.extensions.own_games.game_source import source_of

AT = 1_700_000_000


def written(path: Path, text: str) -> None:
    """A file of always the same time."""
    path.write_text(text)
    os.utime(path, (AT, AT))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game in two files, whose title is of the other one."""
    made = tmp_path / "bids"
    made.mkdir()
    changed(
        made / "__init__.py",
        ('"""A bidding', 'from .cards import BONUS\n"""A bidding'),
        ('title = "Bidding"', "title = BONUS"),
    )
    written(made / "cards.py", 'BONUS = "one"\n')
    return made


def title_of(word: str) -> str:
    """As the process of the game has it, from the beginning."""
    opening.forget()
    return opening.open_game(word).title


@pytest.mark.parametrize("installed", [False, True])
def test_bytecode_of_an_older_source_is_not_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    import py_compile

    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    dist = tmp_path / "bids-1.dist-info"
    dist.mkdir()
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: bids\nVersion: 1\n")
    (dist / "entry_points.txt").write_text("[khiva_arena.games]\nmy_bids = bids:GAME\n")
    word = "my_bids" if installed else str(folder)
    for file in ("cards.py", "__init__.py"):
        written(folder / file, (folder / file).read_text())
        py_compile.compile(str(folder / file))
    assert title_of(word) == "one"
    before = source_of(word).code
    written(folder / "cards.py", 'BONUS = "two"\n')
    assert title_of(word) == "two"
    changed_code = source_of(word).code
    assert changed_code != before
    written(
        folder / "__init__.py",
        (folder / "__init__.py").read_text().replace("title = BONUS", 'title = "six"'),
    )
    assert title_of(word) == "six"


def test_a_game_leaves_no_bytecode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert title_of(str(folder)) == "one"
    assert not (folder / "__pycache__").exists()


def test_bytecode_without_a_source_is_hashed(folder: Path) -> None:
    import py_compile

    py_compile.compile(str(folder / "cards.py"), cfile=str(folder / "cards.pyc"))
    (folder / "cards.py").unlink()
    before = source_of(str(folder)).code
    assert title_of(str(folder)) == "one"
    (folder / "cards.pyc").write_bytes((folder / "cards.pyc").read_bytes().replace(b"one", b"two"))
    assert title_of(str(folder)) == "two"
    assert source_of(str(folder)).code != before


def test_what_python_and_editors_leave_is_not_hashed(folder: Path) -> None:
    before = source_of(str(folder)).code
    for name in ("__pycache__/cards.cpython-311.pyc", ".git/HEAD", ".cards.py.swp"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    (folder / ".venv").mkdir()
    (folder / ".venv" / "lib64").symlink_to(folder)
    assert source_of(str(folder)).code == before


def test_the_hash_of_a_folder_stays(tmp_path: Path) -> None:
    """Records name it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "__init__.py").write_text("GAME = None\n")
    (tmp_path / "data" / "map.toml").write_text("size = 3\n")
    assert (
        source_of(str(tmp_path)).code
        == "folder:5e6de0666560ee76e1598385a210c5809d5a4e45a094bae76d7347eece4a2cf6"
    )


@pytest.mark.parametrize("whole", [False, True])
def test_what_was_shown_is_what_is_opened(folder: Path, tmp_path: Path, whole: bool) -> None:
    """A user agrees to the bytes that were hashed; files that change later are another
    game.
    """
    word = str(folder)
    if not whole:
        word = str(tmp_path / "game.py")
        changed(tmp_path / "game.py", ('title = "Bidding"', 'title = "one"'))
    opening.forget()
    shown = opening.show(word)
    for path in (folder / "cards.py", tmp_path / "game.py")[not whole :][:1]:
        path.write_text(path.read_text().replace('"one"', '"two"'))
    if (
        whole
    ):  # tables and libraries, which it reads by itself, may have been changed with its source
        with pytest.raises(GameFault, match=sentence("outside", "files-changed-since-command")):
            opening.open_game(word)
        written(folder / "cards.py", 'BONUS = "one"\n')
    assert opening.open_game(word).title == "one"
    assert opening.open_game(word).rules_version.endswith(shown.code)


def test_a_file_that_was_not_hashed_is_not_run(folder: Path) -> None:
    written(folder / "__init__.py", "from . import later\n" + (folder / "__init__.py").read_text())
    opening.forget()
    opening.show(str(folder))
    written(folder / "later.py", f"open({str(folder / 'ran')!r}, 'w')\n")
    with pytest.raises(GameFault, match=r"later.py is new since the game was hashed"):
        opening.open_game(str(folder))
    assert not (folder / "ran").exists()


def test_a_link_among_its_files_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("x")
    (folder / "map.toml").symlink_to(tmp_path / "secret.toml")
    with pytest.raises(ConfigError, match=sentence("sandbox", "link-not-followed-here")):
        source_of(str(folder))


def test_a_link_to_a_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    """Python would import from it, and it is not gone through for the hash."""
    (tmp_path / "elsewhere").mkdir()
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(
        ConfigError,
        match="more is a link to a folder, of which nothing is hashed: copy the folder to that "
        "place",
    ):
        source_of(str(folder))
