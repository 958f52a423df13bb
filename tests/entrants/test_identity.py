"""The identity of a bot is that of the code that plays: what is copied is hashed once
more, before it is built or kept.
"""

import json
import os
import shutil
import stat
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from arena import arena
from stores import NAIVE
from wording import pattern, sentence

from khiva_arena.arbiter import seals
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError
from khiva_arena.records.replay.record import canonical

NOBODY = 65534
TOML = 'name = "ann"\nrun = "{python} main.py"\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))


def made(folder: Path, toml: str = TOML) -> Bot:
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(toml)
    (folder / "main.py").write_text("old = 1")
    return load(str(folder))


CHANGES = {
    "a file": lambda folder: (folder / "main.py").write_text("new = 1"),
    "its right to run": lambda folder: (folder / "main.py").chmod(0o755),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("build", ["", 'build = "true"\n'])
def test_a_bot_that_was_edited_after_it_was_named_is_refused_by_name(
    tmp_path: Path, what: str, build: str
) -> None:
    bot = made(tmp_path / "ann", TOML + build)
    CHANGES[what](tmp_path / "ann")
    with pytest.raises(BotError, match=pattern("entrants", "files-changed-after-command")):
        stage(bot)
    assert not list((tmp_path / "cache").rglob("main.py")), (
        "nothing of it is kept under the old identity"
    )
    changed = load(str(tmp_path / "ann"))
    assert changed.identity != bot.identity
    assert (
        Path(stage(changed).folder, "main.py").read_text()
        == (tmp_path / "ann" / "main.py").read_text()
    )


def test_a_file_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    bot = made(tmp_path / "ann")
    (tmp_path / "secret").write_text("old = 1")  # the same bytes, so that only the link is wrong
    (tmp_path / "ann" / "main.py").unlink()
    (tmp_path / "ann" / "main.py").symlink_to(tmp_path / "secret")
    with pytest.raises(BotError, match=sentence("sandbox", "link-not-followed-here")):
        stage(bot)


def test_a_copy_that_was_never_compared_is_made_anew(tmp_path: Path) -> None:
    """Versions up to 0.3 kept the wrong copy for ever, under a seal of khiva-tree-1."""
    bot = made(tmp_path / "ann")
    place = Path(stage(bot).folder)
    place.chmod(0o755)
    (place / "main.py").chmod(0o644)
    (place / "main.py").write_text("wrong = 1")
    entries = [
        (path.name, f"file {sha256(path.read_bytes()).hexdigest()}")
        for path in sorted(place.iterdir())
    ]
    tree = sha256(b"khiva-tree-1\0" + canonical(entries)).hexdigest()
    seals.seal_of(place).write_text(json.dumps({"tree": tree}))
    assert Path(stage(bot).folder, "main.py").read_text() == "old = 1"


@pytest.mark.slow
def test_a_bot_edited_while_another_one_builds_does_not_play_under_its_name(tmp_path: Path) -> None:
    """Nor later: the next run plays what then lies there."""
    ann, ben = tmp_path / "ann", tmp_path / "ben"
    for name in ("ann", "ben"):
        arena("new", "python", name, cwd=tmp_path)
    toml = (ann / "bot.toml").read_text()
    (ann / "bot.toml").write_text(f"{toml}build = \"sh -c 'echo >> {ben}/main.py'\"\n")
    words = (
        "--bot",
        "ann",
        "--bot",
        "ben",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--rule",
        "max_turns=2",
        "--isolation",
        "trusted",
    )
    said = arena("run", *words, cwd=tmp_path, code=2).stderr
    assert sentence("entrants", "files-changed-after-command") in said
    shutil.rmtree(ann)
    arena("run", *words[2:], "--bot", NAIVE, cwd=tmp_path)


@pytest.mark.parametrize("level", list(Level))
def test_copies_are_closed_to_others_wherever_the_level_allows_it(
    tmp_path: Path, level: Level
) -> None:
    """Root's bots are users of their own at basic, and get at their copies by the
    path.
    """
    for folder in (tmp_path, *tmp_path.parents):
        if len(folder.parts) > 2:
            folder.chmod(folder.stat().st_mode | 0o011)
    place = Path(stage(made(tmp_path / "ann"), level).folder)
    is_open = level is Level.BASIC and os.geteuid() == 0
    assert place.parent.name == ("staged-open" if is_open else "staged")
    assert stat.S_IMODE(place.parent.stat().st_mode) == (0o755 if is_open else 0o700)
    if os.geteuid() == 0:
        words = ["/bin/cat", str(place / "main.py")]
        done = subprocess.run(words, user=NOBODY, capture_output=True, check=False)
        assert (done.stdout == b"old = 1") is is_open


def test_an_old_cache_is_closed_when_it_is_used_next(tmp_path: Path) -> None:
    (tmp_path / "cache" / "staged").mkdir(parents=True, mode=0o755)
    place = Path(stage(made(tmp_path / "ann")).folder)
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
