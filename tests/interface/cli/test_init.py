"""``khiva-arena init``: a settings file that explains every setting and plays as it
is.
"""

import re
import tomllib
from pathlib import Path

import pytest
from arena import arena
from sides import NEEDS_ALL

from khiva_arena.competition.settings.file import read_file
from khiva_arena.competition.settings.stages import OF_A_STAGE, stages_from
from khiva_arena.competition.settings.table import DEFAULTS
from khiva_arena.interface.commands.init import VALUES, text_of

BOTS = ("random", "naive", "greedy")
SETTING = re.compile(r"^#?(\w+) = |^#?\[(\w+)\]", re.MULTILINE)
NO_DEFAULT = {*VALUES, "out"}  # which the file sets to something of use


def settings_text() -> str:
    return text_of("competition")


@NEEDS_ALL
def test_it_reads_as_it_should() -> None:
    """The golden file is for people to read: `khiva-arena init
    tests/interface/cli/competition.toml` writes it, once it is removed.
    """
    assert settings_text() == Path(__file__).with_name("competition.toml").read_text()


def with_stages(text: str) -> str:
    """The file as it is when the # before its stages are taken away."""
    before, mark, stages = text.partition("#[[stage]]")
    return before + re.sub(r"^#(?=[\[\w])", "", mark + stages, flags=re.MULTILINE)


def test_every_setting_is_in_it_once_with_its_explanation() -> None:
    text = settings_text()
    common = text.partition("#[[stage]]")[0]
    named = [key or table for key, table in SETTING.findall(common)]
    assert {"overshoot", "memory", "cpu", "torch"} < set(named)
    assert sorted(set(named) - {"overshoot", "memory", "cpu", "torch"}) == sorted(DEFAULTS)
    assert len(named) == len(set(named))
    lines = common.splitlines()
    for number, line in enumerate(lines):
        if SETTING.match(line) and not line.startswith(("#overshoot", "#memory", "#cpu", "#torch")):
            assert lines[number - 1].startswith("# "), line
    for key in (*OF_A_STAGE, "name", "take"):
        assert re.search(rf"\b{key}\b", common[common.index("# Events one after another") :]), key
    assert max(len(line) for line in lines if not line.startswith("bots")) <= 130


def test_what_is_set_is_the_default() -> None:
    raw = tomllib.loads(settings_text())
    for key, value in raw.items():
        assert key in NO_DEFAULT or value == DEFAULTS[key], key


def test_it_settles_with_its_examples_too(tmp_path: Path) -> None:
    path = tmp_path / "competition.toml"
    path.write_text(settings_text())
    raw, places, *_ = read_file(path)
    [settings] = stages_from(raw, {}, places)
    assert settings.bots == tuple(f"shipped:python/{name}" for name in BOTS)
    assert settings.out == tmp_path / "results" / "competition"
    examples = re.sub(
        r"^#(?=(seed|lineups|overshoot|memory|cpu|events|engines) = )",
        "",
        settings_text(),
        flags=re.MULTILINE,
    )
    path.write_text(examples)
    raw, places, *_ = read_file(path)
    [settings] = stages_from(raw, {}, places)
    assert (
        settings.seed,
        settings.lineups,
        settings.rules["overshoot"],
        settings.resources.cpu,
    ) == ("demo", 100, "bounce", 600)
    path.write_text(with_stages(settings_text()))
    raw, places, *_ = read_file(path)
    league, final = stages_from(raw, {}, places)
    assert (league.name, str(league.format), league.seats, league.take) == (
        "league",
        "round-robin",
        3,
        None,
    )
    assert (final.name, str(final.format), final.seats, final.take, final.seeds) == (
        "final",
        "knockout",
        2,
        2,
        20,
    )


@pytest.mark.parametrize(
    ("form", "key"), [("swiss", "rounds"), ("knockout", "advance"), ("gauntlet", "candidates")]
)
def test_examples_of_one_format_settle_with_it(form: str, key: str, tmp_path: Path) -> None:
    text = settings_text().replace('format = "round-robin"', f'format = "{form}"', 1)
    (tmp_path / "c.toml").write_text(re.sub(rf"^#(?={key} = )", "", text, flags=re.MULTILINE))
    raw, places, *_ = read_file(tmp_path / "c.toml")
    [settings] = stages_from(raw, {}, places)
    assert getattr(settings, key)


@pytest.mark.slow
def test_it_plays_as_it_is(tmp_path: Path) -> None:
    done = arena("init", cwd=tmp_path)
    assert done.stdout == ""
    assert (
        done.stderr == "competition.toml is written; next: khiva-arena run" + " competition.toml\n"
    )
    played = arena("run", "competition.toml", "--seeds", "1", cwd=tmp_path)
    assert all(name in played.stdout for name in BOTS)
    assert (tmp_path / "results" / "competition" / "arena.db").is_file()


@pytest.mark.slow
def test_its_stages_play(tmp_path: Path) -> None:
    arena("init", "my file.toml", cwd=tmp_path)
    path = tmp_path / "my file.toml"
    path.write_text(with_stages(path.read_text()))
    said = arena("run", "my file.toml", "--seeds", "1", cwd=tmp_path).stderr
    assert "league" in said
    assert "final" in said


def test_a_name_that_is_a_bot_s_makes_no_settings_file(tmp_path: Path) -> None:
    said = arena("init", "my-bot", cwd=tmp_path, code=2).stderr
    assert (
        "my-bot: `init` writes a settings file for `khiva-arena run`, whose name ends with .toml; "
        "for a bot of your own, type khiva-arena new python my-bot"
    ) in said
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "competition.toml").write_text("mine")
    assert "exists already" in arena("init", cwd=tmp_path, code=2).stderr
    assert "cannot be written" in arena("init", "no/c.toml", cwd=tmp_path, code=2).stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("competition.toml", "mine")
    ]
