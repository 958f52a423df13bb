"""The version as people are told it: that of unreleased code comes with its commit,
where git is there, and is never compared.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena

from khiva_arena import __version__
from khiva_arena.common import version


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    version.shown.cache_clear()
    yield
    version.shown.cache_clear()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of unreleased code with one commit, whose package asks for its
    version.
    """
    if not shutil.which("git"):
        pytest.skip("there is no git")
    (tmp_path / "file").write_text("first")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "-m", "a"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setattr(version, "_CHECKOUT", tmp_path)
    monkeypatch.setattr(version, "__version__", "9.9.0.dev1")
    return tmp_path


def commit_of(folder: Path) -> str:
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(
        words, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_unreleased_code_says_its_commit_and_whether_files_differ_from_it(checkout: Path) -> None:
    assert version.shown() == f"9.9.0.dev1 (commit {commit_of(checkout)})"
    version.shown.cache_clear()
    (checkout / "file").write_text("second")
    assert version.shown() == f"9.9.0.dev1 (commit {commit_of(checkout)}-dirty)"


def test_a_repository_that_a_hook_of_git_names_or_that_lies_above_is_another_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = commit_of(checkout)
    monkeypatch.setenv("GIT_DIR", str(checkout / "none"))
    assert version.shown() == f"9.9.0.dev1 (commit {commit})"
    version.shown.cache_clear()
    (checkout / "site-packages").mkdir()
    monkeypatch.setattr(version, "_CHECKOUT", checkout / "site-packages")
    assert version.shown() == "9.9.0.dev1"


def test_a_release_says_no_commit_and_no_more_does_code_without_git(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    assert version.shown() == "9.9.0.dev1"
    version.shown.cache_clear()
    monkeypatch.undo()
    monkeypatch.setattr(version, "__version__", "9.9.0")
    assert version.shown() == "9.9.0"


def test_the_command_shows_it(tmp_path: Path) -> None:
    said = arena("--version", cwd=tmp_path).stdout
    assert said == f"khiva-arena, version {version.shown()}\n"
    assert said.startswith(f"khiva-arena, version {__version__}")
