"""Isolation, limits and pondering as settings: what is taken, what is refused with a
remedy, and where all of it is shown.
"""

import json
import os
import re
from pathlib import Path

import pytest
from arena import arena, bots
from no_levels import COMMAND, LACK
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.bots.sandbox.detect import levels
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import DEFAULT, plain
from khiva_arena.competition.settings.isolation import sandbox_of, sandbox_of_stored
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError

pytestmark = pytest.mark.slow

BOTS = bots(RANDOM, NAIVE)
SHORT = ("--seats", "2", "--seeds", "1", "--rule", "max_turns=1", "--seed", "levels")


def settings(**given: object) -> Settings:
    return settings_from({"bots": ["a"], **given})


def refusal(flag: str) -> str:
    """What is said on a machine without a level, to a user who may add a flag."""
    why = sentence("settings", "no-isolation-level", why=LACK)
    return f"{why}\n  next: {COMMAND}\n  {sentence('settings', 'if-all-yours', flag=flag)}"


@pytest.mark.usefixtures("only_trusted")
def test_a_rated_run_goes_down_to_trusted_only_where_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ConfigError) as caught:
        sandbox_of(settings(), say, rated=True)
    assert str(caught.value) == refusal("--trust-bots")
    with pytest.raises(ConfigError) as caught:
        sandbox_of(settings(), say, rated=True, may_trust=False)
    assert "trust" not in str(caught.value)
    assert sandbox_of(settings(trust_bots=True), say, rated=True).level is Level.TRUSTED
    assert sandbox_of(settings(isolation="trusted"), say, rated=True).level is Level.TRUSTED
    assert sandbox_of(settings(), say, rated=False).level is Level.TRUSTED
    assert capsys.readouterr().err.count("warning: isolation trusted") == 3


@pytest.mark.usefixtures("only_trusted")
@pytest.mark.parametrize("level", ["strict", "standard", "basic"])
def test_a_level_that_does_not_work_is_refused_with_the_remedy(level: str) -> None:
    with pytest.raises(ConfigError) as caught:
        sandbox_of(settings(isolation=level, trust_bots=True), say, rated=False)
    way = "" if level == "basic" else f"; try: {COMMAND}"  # nothing can be installed for that
    assert list(caught.value.problems) == [
        sentence("settings", "isolation-not-work-here", level=level) + f": {LACK}{way}"
    ]


@pytest.mark.usefixtures("only_trusted")
def test_a_stored_match_is_played_at_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    standard = Sandbox(Level.STANDARD, ponder=False)
    assert sandbox_of_stored(standard, None, say, trusts=True) == Sandbox(
        Level.TRUSTED, ponder=False
    )
    assert (
        sentence(
            "settings",
            "isolation-plays-lower",
            value="standard",
            why="bubblewrap is not installed",
            level="trusted",
        )
        in capsys.readouterr().err
    )
    assert sandbox_of_stored(Sandbox(Level.TRUSTED), "trusted", say).level is Level.TRUSTED
    for level, asked in ((Level.STANDARD, None), (Level.TRUSTED, None), (Level.TRUSTED, "auto")):
        with pytest.raises(ConfigError, match=re.escape(refusal("--isolation trusted"))):
            sandbox_of_stored(Sandbox(level), asked, say)
    with pytest.raises(ConfigError, match="not a level"):
        sandbox_of_stored(Sandbox(), "perfect", say)


def test_a_level_that_is_none(tmp_path: Path) -> None:
    done = arena("run", *BOTS, "--isolation", "perfect", cwd=tmp_path, code=2)
    assert done.stderr == (
        "khiva-arena: error: "
        + sentence("settings", "isolation-not-level-2", asked="'perfect'", auto="auto")
        + ", "
        + "strict, standard, basic, trusted"
        + "\n"
    )


def test_every_wrong_limit_at_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'bots = ["x"]\nponder = 1\n\n[limits]\nmemory = "much"\ncpu = 0\ndisk = 3\n'
    )
    done = arena("run", "c.toml", cwd=tmp_path, code=2)
    lines = done.stderr.splitlines()
    assert [line.split(": ")[2] for line in lines] == [
        "c.toml:1",
        "c.toml:2",
        "c.toml:5",
        "c.toml:6",
        "c.toml:7",
    ]
    done = arena(
        "run",
        *BOTS,
        "--limit",
        "memory=1",
        "--limit",
        "processes=all",
        "--limit",
        "disk=1",
        cwd=tmp_path,
        code=2,
    )
    lines = done.stderr.splitlines()
    assert all(line.startswith("khiva-arena: error: --limit: ") for line in lines)
    assert [line.split(": ")[3] for line in lines] == ["memory", "processes", "disk"]
    done = arena("run", *BOTS, "--limit", "memory", cwd=tmp_path, code=2)
    assert done.stderr == "khiva-arena: error: --limit memory: write --limit KEY=VALUE\n"


def test_flags_win_over_the_file_limit_by_limit(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        f'bots = ["{RANDOM}", "{NAIVE}"]\nponder = true\n[limits]\nmemory = '
        '"600M"\nprocesses = 40\n'
    )
    arena(
        "run", "c.toml", *SHORT, "--limit", "memory=512M", "--no-ponder", "--out", "r", cwd=tmp_path
    )
    table = json.loads(arena("standings", "r", "--json", cwd=tmp_path).stdout)["standings"][0]
    assert table["limits"] == plain(DEFAULT) | {"memory": 512 << 20, "processes": 40}
    assert table["ponder"] is False
    title = arena("standings", "r", cwd=tmp_path, env={"COLUMNS": "200"}).stdout.splitlines()[0]
    assert (
        f"isolation {table['isolation']}, memory 512 MiB, processes 40, no pondering; event 1"
        in title
    )


def test_what_was_played_under_other_conditions_is_not_pooled(tmp_path: Path) -> None:
    run = ("run", *BOTS, *SHORT, "--isolation", "trusted", "--out", "r")
    for more in ((), ("--limit", "memory=512M"), ("--no-ponder",), ("--limit", "memory=1G")):
        arena(*run, *more, cwd=tmp_path)
    found = json.loads(arena("standings", "r", "--json", cwd=tmp_path).stdout)["standings"]
    assert [(table["limits"]["memory"], table["ponder"]) for table in found] == [
        (1 << 30, True),
        (512 << 20, True),
        (1 << 30, False),
    ]
    assert (
        len(arena("standings", "r", cwd=tmp_path, env={"COLUMNS": "200"}).stdout.split("; event "))
        == 4
    )


@pytest.mark.parametrize("level", list(Level))
def test_the_level_is_in_every_record(level: Level, tmp_path: Path) -> None:
    command = (
        "match",
        *BOTS,
        "--rule",
        "max_turns=1",
        "--seed",
        "a",
        "--isolation",
        level,
        "--json",
    )
    if levels()[level]:
        done = arena(*command, cwd=tmp_path, code=2)
        assert json.loads(done.stderr)["message"].startswith(
            sentence("settings", "isolation-not-work-here", level=level) + ": "
        )
        assert done.stderr.count("\n") == 1
        return
    if level is Level.BASIC and os.geteuid() == 0:
        command = ("match", *bots("/bin/true", "/bin/false"), *command[5:])
        arena(
            *command, cwd=tmp_path, code=2
        )  # its bots start; that they are none is another matter
        return
    done = arena(*command, cwd=tmp_path)
    assert json.loads(done.stdout)["header"]["isolation"] == level
    assert ("warning: isolation trusted" in done.stderr) == (level is Level.TRUSTED)


def test_a_stored_match_played_again_at_another_level(confined: Level, tmp_path: Path) -> None:
    arena("run", *BOTS, *SHORT, "--isolation", "trusted", "--out", "r", cwd=tmp_path)
    again = arena("match", "--from", "r", "1/0", "--isolation", "auto", cwd=tmp_path)
    assert sentence("replay", "every-choice-same-digest") in again.stdout
    told = f"playing at isolation {confined}; the stored match was played at" + " trusted\n"
    assert again.stderr == told
    assert (
        arena("match", "--from", "r", "1/0", cwd=tmp_path).stderr == told
    )  # a store may be a stranger's
    assert arena("match", "--from", "r", "1/0", "--isolation", "trusted", cwd=tmp_path).stderr == ""
    arena("match", "--from", "r", "1/0", "--isolation", "perfect", cwd=tmp_path, code=2)
    arena("match", "--from", "r", "1/0", "--limit", "memory=512M", cwd=tmp_path, code=2)
