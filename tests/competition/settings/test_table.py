"""One row makes a setting: its flag with help and TAB, its lines in a new settings
file, its check, whether a stage has it.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from cases import cases
from click.shell_completion import ShellComplete
from wording import sentence

from khiva_arena.common.setting_row import LISTS, TABLES, Kind, Setting
from khiva_arena.competition.settings.file import by_line
from khiva_arena.competition.settings.flags import flag_words, settings_by_flags
from khiva_arena.competition.settings.line_up_settings import only_for
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.competition.settings.stages import OF_A_STAGE
from khiva_arena.competition.settings.table import DEFAULTS, TABLE
from khiva_arena.competition.settings.template import settings_text
from khiva_arena.errors import ConfigError
from khiva_arena.interface.cli.help import GROUPS
from khiva_arena.interface.cli.main import cli
from khiva_arena.interface.cli.run import command
from khiva_arena.rating.schedule.names import OF_SOME

every_row = cases("row", TABLE, ids=[row.name for row in TABLE])
GOOD: dict[Kind, object] = {
    Kind.NUMBER: 4,
    Kind.SIZE: "200MB",
    Kind.TIME: "1500ms",
    Kind.TEXT: "some text",
    Kind.NAMES: ("one", "two"),
    Kind.BOTS: ("one", "./two --fast"),
    Kind.FILE: "folder/file",
    Kind.FOLDER: "folder",
    Kind.TABLE: {"a": 1, "b": "text", "c": [1, 2]},
    Kind.PATHS: {"a": "folder", "b": "3"},
}

HELP = {
    "help_option_names": ["-h", "--help"]
}  # click keeps the first help option that it makes of a command


def good(row: Setting) -> object:
    """A value that is not the default."""
    if row.kind is Kind.SWITCH:
        return not row.default
    return (
        next(word for word in row.words() if word != row.default)
        if row.kind in (Kind.NAME, Kind.CHOICE)
        else GOOD[row.kind]
    )


def option_of(row: Setting) -> click.Option:
    (found,) = [param for param in command.params if row.option in param.opts]
    assert isinstance(found, click.Option)
    return found


@every_row
def test_a_row_is_a_flag_with_its_help(row: Setting) -> None:
    option = option_of(row)
    assert option.name == row.parameter
    assert option.multiple == (row.kind in (*LISTS, *TABLES))
    assert command.make_context("run", [], **HELP).params[row.parameter] in (None, ())
    (start, *_) = row.help.split(" [default")
    assert (option.help or "").startswith(start.removesuffix("."))
    if row.kind is not Kind.SWITCH and row.default not in (None, (), {}):
        assert f"[default: {row.default}]" in (option.help or "")
    assert row.option in GROUPS[row.heading]


@every_row
def test_a_row_is_a_key_of_a_new_settings_file(row: Setting) -> None:
    text = settings_text({"bots": ("some-bot",)})
    assert " ".join(row.help.split()) in " ".join(
        line.removeprefix("# ") for line in text.splitlines()
    )
    if row.kind is Kind.BOTS:
        assert tomllib.loads(text)[row.name] == ["some-bot"]
    elif row.default in (None, ()):
        shown = tomllib.loads(
            next(line for line in text.splitlines() if line.startswith(f"#{row.name} = "))[1:]
        )
        assert not row.mistakes(shown[row.name])
    else:
        assert tomllib.loads(text)[row.name] == row.default


@every_row
def test_a_row_checks_its_value(row: Setting) -> None:
    assert not row.mistakes(row.default)
    assert not row.mistakes(good(row))
    common = {
        "bots": ("a", "b"),
        "format": only_for(row.name)[0] if row.name in OF_SOME else "round-robin",
    }
    for wrong in (3.5, object(), [["x"]]):
        (problem,) = row.mistakes(wrong)
        with pytest.raises(ConfigError) as by_flag:
            settings_from({**common, row.name: wrong})
        with pytest.raises(ConfigError) as by_file:
            settings_from({**common, row.name: wrong}, {row.name: "c.toml:7"})
        assert by_flag.value.problems == (f"{row.option}: {problem}",)
        assert by_file.value.problems == (f"c.toml:7: {row.name}: {problem}",)


@every_row
def test_a_number_is_within_its_bounds(row: Setting) -> None:
    if row.kind is not Kind.NUMBER:
        return
    assert row.mistakes(row.least - 1) == [
        sentence("settings", "not-whole-number-least", value=row.least - 1, least=row.least)
    ]
    assert not row.mistakes(row.least)
    if row.most is not None:
        assert not row.mistakes(row.most)
        assert row.mistakes(row.most + 1) == [f"{row.most:,} at most, not {row.most + 1}"]


@every_row
def test_what_a_row_is_typed_as_is_read_again(row: Setting) -> None:
    words = list(flag_words(row, good(row)))
    with command.make_context("run", list(words), **HELP) as context:
        assert settings_by_flags(context.params) == {row.name: good(row)}


@every_row
def test_a_mistake_that_names_a_flag_gets_the_line_of_its_setting(row: Setting) -> None:
    assert by_line([f"{row.option}: is wrong"], {row.name: "c.toml:3"}) == [
        f"c.toml:3: {row.option}: is wrong"
    ]


@every_row
def test_tab_offers_the_words_of_a_row(row: Setting) -> None:
    offered = ShellComplete(cli, {}, "khiva-arena", "X").get_completions(["run", row.option], "")
    assert {item.value for item in offered if item.type == "plain"} >= (
        set(row.words()) if row.kind is not Kind.BOTS else set()
    )


def test_rows_are_told_apart_by_name_and_flag() -> None:
    assert (
        len({row.name for row in TABLE})
        == len({row.option for row in TABLE})
        == len({row.parameter for row in TABLE})
        == len(TABLE)
    )
    assert set(OF_SOME) <= set(OF_A_STAGE) <= set(DEFAULTS)


ONE_ROW_MORE = """
import sys
from dataclasses import replace
from khiva_arena.competition.settings import table
from khiva_arena.common.setting_row import Kind, Setting
table.TABLE += (
    Setting("tea_breaks", Kind.NUMBER, default=2, most=9, heading="The run", of_a_league=False,
      in_a_trial=True, of_a_stage=True,
            help="How many breaks there are for tea.", words=lambda: ("many",)),
)
from khiva_arena.interface.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def with_one_row_more(*words: str, cwd: Path, code: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ONE_ROW_MORE, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.mark.soak
def test_one_row_more_is_one_setting_more(tmp_path: Path) -> None:
    shown = " ".join(with_one_row_more("run", "-h", "all", cwd=tmp_path, code=0).split())
    assert "The run:" in shown
    assert (
        "--tea-breaks N How many breaks there are for tea [default: 2]."
        in shown[shown.index("The run:") :]
    )
    with_one_row_more("init", "c.toml", cwd=tmp_path, code=0)
    text = (tmp_path / "c.toml").read_text()
    assert "# How many breaks there are for tea.\ntea_breaks = 2\n" in text
    assert "tea_breaks of its own" in " ".join(text.replace("\n# ", " ").split()).replace(
        "and tea_breaks", "tea_breaks"
    )
    line = text.splitlines().index("tea_breaks = 2") + 1
    (tmp_path / "c.toml").write_text(text.replace("tea_breaks = 2", "tea_breaks = 0"))
    said = with_one_row_more("run", "c.toml", cwd=tmp_path, code=2)
    assert (
        said
        == "khiva-arena: error: "
        + sentence("seats", "not-whole-number-least", text=f"c.toml:{line}: tea_breaks: 0")
        + "\n"
    )
    said = with_one_row_more("run", "c.toml", "--tea-breaks", "10", cwd=tmp_path, code=2)
    assert said == "khiva-arena: error: --tea-breaks: 9 at most, not 10\n"
    (tmp_path / "c.toml").write_text(text + "\n[[stage]]\ntea_breaks = true\n")
    said = with_one_row_more("run", "c.toml", cwd=tmp_path, code=2)
    assert (
        said
        == "khiva-arena: error: "
        + sentence(
            "seats",
            "not-whole-number-least",
            text=f"c.toml:{text.count(chr(10)) + 3}: tea_breaks: True",
        )
        + "\n"
    )


def test_the_default_rules_over_nothing_else() -> None:
    """What is settled with nothing given is what the rows say."""
    plain = settings_from({"bots": ("a", "b")})
    for row in TABLE:
        if hasattr(plain, row.name) and row.kind in (
            Kind.NUMBER,
            Kind.TEXT,
            Kind.SWITCH,
            Kind.CHOICE,
        ):
            assert json.dumps(getattr(plain, row.name)) == json.dumps(row.default), row.name
