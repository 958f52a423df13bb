"""The hash of a game covers the code that runs: of a folder, and of a package that is installed."""

import os
from pathlib import Path

import pytest
from own_games import changed
from wording import pattern

from khiva_arena.errors import ConfigError
from khiva_arena.outside import opening
from khiva_arena.outside.source import source_of

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
        made / "__init__.py", ('"""A bidding', 'from .cards import BONUS\n"""A bidding'), ('title = "Bidding"', "title = BONUS")
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
    written(folder / "__init__.py", (folder / "__init__.py").read_text().replace("title = BONUS", 'title = "six"'))
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
    assert source_of(str(tmp_path)).code == "folder:5e6de0666560ee76e1598385a210c5809d5a4e45a094bae76d7347eece4a2cf6"


def test_a_link_to_a_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    """Python would import from it, and it is not gone through for the hash."""
    (tmp_path / "elsewhere").mkdir()
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=pattern("outside", "link-folder-nothing-hashed", path="more")):
        source_of(str(folder))
