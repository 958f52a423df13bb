"""The command line as text: help everywhere, exit codes, stdout for results, and quiet
ends of pipes.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from arena import arena
from sides import NEEDS_ALL
from stores import RANDOM

from khiva_arena.common import hooks
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.interface.cli import guesses
from khiva_arena.interface.cli.brief import first_sentence
from khiva_arena.interface.cli.command_groups import commands
from khiva_arena.interface.cli.examples import EXAMPLES, examples_of
from khiva_arena.interface.cli.help import GROUPS, MANY, OTHERS, Rare, laid_out, long_name
from khiva_arena.interface.cli.main import cli


def test_the_list_of_commands_is_the_commands_own(tmp_path: Path) -> None:
    lines = arena("--help", cwd=tmp_path).stdout.splitlines()
    for command, text in commands().items():
        assert any(line.endswith(text) and f" {command} " in line for line in lines)


def test_unknown_command_and_option(tmp_path: Path) -> None:
    assert "No such command" in arena("rnu", cwd=tmp_path, code=2).stderr
    assert "No such option" in arena("run", "--sets", "3", cwd=tmp_path, code=2).stderr
    assert arena("--version", cwd=tmp_path).stdout.startswith("khiva-arena, version ")
    assert (
        arena("-V", cwd=tmp_path).stdout
        == arena("--version", cwd=tmp_path).stdout
        == arena("version", cwd=tmp_path).stdout
    )


def test_no_words_print_the_help(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 2)
    assert re.search("Play +run ", done.stdout + done.stderr)


@pytest.mark.slow
def test_a_closed_pipe_is_no_crash(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "khiva_arena",
            "match",
            "--bot",
            RANDOM,
            "--bot",
            RANDOM,
            "--seed",
            "x",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "words",
    [
        "-v",
        "--csv",
        *(pytest.param(words, marks=NEEDS_ALL) for words in ("league --csv", "league author -v")),
    ],
)
def test_an_option_is_guessed_where_no_command_is_typed_too(words: str, tmp_path: Path) -> None:
    error = arena(*words.split(), cwd=tmp_path, code=2).stderr
    assert (
        "khiva-arena --version" if words.endswith("-v") else "khiva-arena export STORE --format csv"
    ) in error


def test_words_of_other_programs_have_a_help(tmp_path: Path) -> None:
    assert (
        arena("version", "-h", cwd=tmp_path).stdout == arena("help", "version", cwd=tmp_path).stdout
    )


@NEEDS_ALL
def test_a_guess_names_commands_and_options_that_are_there() -> None:
    """Each piece of code in the tables that begins with the program's name."""
    told = [
        *guesses.COMMANDS.values(),
        *(text for rows in guesses.OPTIONS.values() for _, text in rows),
    ]
    told += [text for row in hooks.rows() for text in row.guesses.values()]
    lines = [words for text in told for words in re.findall(r"`khiva-arena ([^`]+)`", text)]
    assert len(lines) > 30
    for line in lines:
        words = line.split()
        name = next(
            (" ".join(words[:count]) for count in (3, 2, 1) if " ".join(words[:count]) in EVERY), ""
        )
        known = {one for param in command_of(name).params for one in param.opts}
        assert name or words == ["--version"], line
        assert {word for word in words if re.match("--.", word)} <= known, line


ABOVE = click.Context(cli, info_name="khiva-arena", **cli.context_settings)
"""What every command is called within. One that is called without keeps a help option
that knows no -h, for all later calls.
"""


def context_of(command: click.Command, name: str) -> click.Context:
    return click.Context(command, info_name=name, parent=ABOVE)


def command_of(name: str) -> click.Command:
    """Return a command, or a verb of a group of them, as "league new"."""
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command
    return command


def verbs_of(group: str) -> list[str]:
    """Return the names of a group and of all verbs in it."""
    command = command_of(group)
    verbs = (
        command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
    )
    return [group, *(name for verb in verbs for name in verbs_of(f"{group} {verb}"))]


EVERY = [name for command in commands() for name in verbs_of(command)]
"""Every command and every verb of a group."""


def options_of(name: str) -> list[click.Option]:
    command = command_of(name)
    params = command.get_params(context_of(command, name))
    return [
        param for param in params if isinstance(param, click.Option) and not param.hidden
    ]  # hidden: that it refuses, and why


@NEEDS_ALL
def test_every_option_has_a_group() -> None:
    grouped = [name for members in GROUPS.values() for name in members]
    assert len(grouped) == len(set(grouped))
    used = {long_name(option) for name in EVERY for option in options_of(name)}
    lacking = sorted(used - set(grouped))
    assert not lacking, (
        f"give these a group in khiva_arena/interface/cli/help.py: {', '.join(lacking)}"
    )
    assert set(grouped) <= used | {"--version"}, "no command has these any more"


def test_an_option_without_a_group_is_shown_all_the_same() -> None:
    names = [*GROUPS["Isolation"], *GROUPS["The run"], "--later"]
    assert list(laid_out(names)) == ["Isolation", "The run", OTHERS]
    assert laid_out(names)[OTHERS] == ["--later"]
    assert laid_out(["--json", "--later"]) == {OTHERS: ["--json", "--later"]}


NO_OPTIONS = ("Example", "Examples", "Exit codes")
"""The headings of a help whose lines are no options."""


@pytest.mark.parametrize("name", EVERY)
def test_every_option_is_shown_once_below_its_heading(name: str, tmp_path: Path) -> None:
    is_group = isinstance(command_of(name), click.Group)
    text = arena(*name.split(), "--help", cwd=tmp_path).stdout
    listed = text[re.search(r"^[A-Z][a-z ]+:$", text, re.MULTILINE).start() :]  # type: ignore[union-attr]
    for option in options_of(name):
        assert (
            len(re.findall(rf"^  (?:-\w, )?{long_name(option)}\b(?!-)", listed, re.MULTILINE)) == 1
        )
    headings = [
        heading
        for heading in re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)
        if heading not in NO_OPTIONS
    ]
    wanted = (
        list(laid_out([long_name(option) for option in options_of(name)])) + ["Commands"] * is_group
    )
    assert headings == wanted


OPTION = re.compile(r"^  (?:-\w, )?(--[a-z0-9-]+)", re.MULTILINE)


def test_run_has_a_short_help_of_twenty_one_settings(tmp_path: Path) -> None:
    settings = [row.option for row in TABLE if row.common]
    assert len(settings) == 21
    assert "--clock" in settings
    assert set(OPTION.findall(arena("run", "-h", cwd=tmp_path).stdout)) == {
        *settings,
        "--shipped",
        "--budget",
        "--json",
        "--help",
    }


def test_what_is_done_with_modules_has_an_example() -> None:
    assert any("--rerun-bots" in line for line in EXAMPLES["verify"])
    assert any("--with-modules" in line for line in EXAMPLES["bundle"])


@pytest.mark.parametrize("name", ["", *EVERY])
def test_the_short_help_fits_on_a_screen(name: str, tmp_path: Path) -> None:
    """40 lines of 80 columns: the usage, two examples, an option or a verb a line, and
    at the end where more is.
    """
    path = f"khiva-arena {name}".strip()
    lines = arena(*name.split(), "-h", cwd=tmp_path).stdout.splitlines()
    assert lines[0].startswith(f"Usage: {path} ")
    assert len(lines) <= 40
    assert [line for line in lines if len(line) > 80 and not line.startswith("Manual: ")] == []
    assert [line for line in lines if line.endswith("...")] == []
    assert sum(line.startswith("  khiva-arena ") for line in lines) == min(
        2, len(examples_of(name))
    )
    assert lines[-2] == f"All options, in full: {path} --help"
    assert lines[-1].startswith("Manual: ")
    assert arena("help", *name.split(), cwd=tmp_path).stdout.splitlines() == lines


@pytest.mark.parametrize(
    "name", [name for name in EVERY if not isinstance(command_of(name), click.Group)]
)
def test_the_short_help_has_a_line_for_each_common_option(name: str, tmp_path: Path) -> None:
    options = options_of(name)
    common = {
        long_name(option)
        for option in options
        if len(options) <= MANY or not isinstance(option, Rare)
    }
    assert set(OPTION.findall(arena(*name.split(), "-h", cwd=tmp_path).stdout)) == common | {
        "--help"
    }


def test_the_long_help_has_another_name_too(tmp_path: Path) -> None:
    assert (
        arena("check", "-h", "all", cwd=tmp_path).stdout
        == arena("check", "--help", cwd=tmp_path).stdout
    )


@pytest.mark.parametrize("name", [name for name in EVERY if " " in name])
def test_the_list_of_verbs_has_the_first_sentence_of_each(name: str, tmp_path: Path) -> None:
    group, _, verb = name.rpartition(" ")
    sentence = first_sentence(command_of(name).help or "")
    assert f"  {verb} " in (text := arena(*group.split(), "-h", cwd=tmp_path).stdout)
    assert any(line.endswith(f"  {sentence}") for line in text.splitlines())


@pytest.mark.parametrize("name", ["", *commands()])
def test_the_examples_of_each_command_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "competition.toml").touch()
    text = arena(*([name] if name else []), "--help", cwd=tmp_path).stdout
    lines = [line.strip() for line in text.splitlines() if line.startswith("  khiva-arena ")]
    assert lines == list(examples_of(name))
    assert lines
    for line in lines:
        verb, *words = shlex.split(line)[1:]
        assert name in ("", verb)
        command = cli.get_command(click.Context(cli), verb)
        assert command
        command.make_context(
            verb, words, parent=ABOVE
        )  # raises on what is no option or argument of it
