"""Mistakes in settings and bots that do not start are told in one round, each bot with
its folder.
"""

from pathlib import Path

import pytest
from arena import C_GREEDY, C, arena, bots

pytestmark = pytest.mark.slow


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    for name, build in (("unbuilt", 'build = "{python} fails.py"\n'), ("silent", ""), ("mute", "")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(
            f'name = "{name}"\nrun = "{{python}} main.py"\n{build}files = ["*.py"]\n'
        )
        (folder / "main.py").write_text(f"raise SystemExit('{name} gives up')\n")
        (folder / "fails.py").write_text("raise SystemExit(3)\n")
    return tmp_path


def test_a_build_that_fails_does_not_hide_a_bot_that_does_not_start(broken: Path) -> None:
    how = ["--isolation", "trusted", "--seats", "2", "--seeds", "1", "--out", "out"]
    said = arena("run", *bots(C, "unbuilt", "silent", "mute"), *how, cwd=broken, code=2).stderr
    for name, what in (
        ("unbuilt", "its build ("),
        ("silent", "start_failed"),
        ("mute", "start_failed"),
    ):
        assert f"{name}: {what}" in said
        assert f"next: khiva-arena check {name}\n" in said
    assert "--skip-broken" not in said, "one bot would be left"
    said = arena(
        "run", *bots(C, C_GREEDY, "unbuilt", "silent", "mute"), *how, cwd=broken, code=2
    ).stderr
    assert said.splitlines()[-1].endswith(
        "--skip-broken leaves out these 3 bots and plays with the others"
    )
    assert not (broken / "out").exists()


def settings(broken: Path, more: str) -> str:
    text = (
        f'bots = ["{C}", "silent", "unbuilt"]\nseats = 2\nseed = "x"\nsead = 3\nturn = '
        f'"soon"\n{more}'
    )
    (broken / "cup.toml").write_text(text)
    return arena("run", "cup.toml", cwd=broken, code=2).stderr


@pytest.mark.usefixtures("standard")
def test_mistakes_of_a_settings_file_and_of_a_trial_start_come_together(broken: Path) -> None:
    said = settings(broken, 'isolation = "standard"\n')
    assert "cup.toml:4: unknown setting 'sead'; near to it: seed, seeds, seats; " in said
    assert "cup.toml:5: turn: " in said
    assert "silent (silent): start_failed: " in said
    assert "it wrote last: silent gives up; next: khiva-arena check silent" in said
    assert "unbuilt (unbuilt): its build (" in said
    assert len(said.splitlines()) == 4, "one sound bot is too few for --skip-broken to be a way on"


@pytest.mark.usefixtures("distrusting")
@pytest.mark.parametrize(
    "more", ['isolation = "trusted"\n', "trust_bots = true\n", 'network = ["silent"]\n']
)
def test_nothing_is_started_that_would_be_opened_or_not_confined(broken: Path, more: str) -> None:
    """A file may come from a stranger, and nobody has agreed to what it asks for."""
    (broken / "silent" / "main.py").write_text(f"open({str(broken / 'was-here')!r}, 'w').close()\n")
    first, second, third = settings(broken, more).splitlines()
    assert "cup.toml:4: unknown setting 'sead'" in first
    assert "cup.toml:5: turn: " in second
    assert "opens more of this machine than a file may by itself; if you trust it, add: --" in third
    assert not (broken / "was-here").exists()
