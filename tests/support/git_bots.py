"""Bots in repositories of git."""

import subprocess
from pathlib import Path

import pytest
from tools import need

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.errors import ConfigError

TOML = 'name = "ann"\nrun = "{python} main.py"\n'


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The work tree of a new repository, which is the working folder. The user has no
    settings of git.
    """
    need("git")
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    run("init", "-q", "-b", "main")
    return place


def run(*words: str, at: str | Path = ".", given: bytes = b"") -> str:
    author = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(
        ["git", "-C", str(at), *author, *words], input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def committed(files: dict[str, str] | None = None, at: str | Path = ".") -> str:
    """Write files, commit all that is there and return the hash."""
    for name, text in (
        {"my-bot/bot.toml": TOML, "my-bot/main.py": "old = 1"} if files is None else files
    ).items():
        path = Path(at, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run("add", "-A", "-f", at=at)
    run("commit", "-q", "--allow-empty", "-m", "a change", at=at)
    return run("rev-parse", "HEAD", at=at)


def why(word: str, loading: Loading = AS_IT_IS) -> str:
    """Return the one line by which a word is refused."""
    with pytest.raises(ConfigError) as caught:
        load(word, loading=loading)
    assert "\n" not in str(caught.value)
    assert "khiva-arena-scratch" not in str(caught.value), "no private path is shown"
    return str(caught.value)
