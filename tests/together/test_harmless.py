"""No word that others wrote reaches into a terminal, whichever command prints it: all
commands, with escapes in every field.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from evil import EVIL, FORGED
from foreign_words import TOLD, Place, Said, told

from khiva_arena.common.text import harmless as harmless_text
from khiva_arena.display.terminal import console
from khiva_arena.interface.cli.main import cli

COMMANDS = cli.list_commands(click.Context(cli))
every_command = pytest.mark.parametrize("name", COMMANDS)


def verbs(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    """The words that call each command that has no verbs of its own."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from verbs(command, *above, name)
        else:
            yield (*above, name)


VERBS = list(verbs(cli))

# --- every command that there is, and each of its options ---


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_words_of_the_command_line(
    verb: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    """Names of files and folders, values of settings: all that can be given, evil, and
    told as wrong.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    command: click.Command | None = cli
    for name in verb:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    words = [EVIL for param in command.params if isinstance(param, click.Argument)]
    if verb == ("play",):  # with no bot it would begin
        words = ["--bot", EVIL]
    told(capsys, *verb, f"--{EVIL}")
    told(capsys, *verb, *words, EVIL, EVIL)
    if words:
        told(capsys, *verb, *words)
    for param in command.params:
        if isinstance(param, click.Option) and not param.is_flag:
            told(capsys, *verb, *words, param.opts[0], EVIL)
            told(capsys, *verb, *words, param.opts[0], f"x={EVIL}")


# --- every command that there is, with what others wrote ---


@pytest.mark.soak
@every_command
def test_what_others_wrote(
    name: str, tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    TOLD[name](
        Place(tmp_path, capsys)
    )  # a command that is missing there is one that nobody has tried


# --- the function itself ---


def test_all_that_does_not_show_is_escaped() -> None:
    text = harmless_text(EVIL)
    assert text.isprintable()
    assert text.startswith(r"\x1b]0;owned\x07\x1b[2J\x9b31m\r\u007f\x08\u202e\u2028\n" + FORGED)
    assert harmless_text("a\n\tb\r", keep="\n\t") == "a\n\tb\\r"
    assert harmless_text("né 随机 🙂") == "né 随机 🙂"
    assert harmless_text("\udc80") == r"\udc80"
    assert harmless_text("x" * 10, 4) == "xxxx..."


def test_what_is_json_stays_json() -> None:
    assert json.loads(harmless_text(json.dumps(EVIL))) == EVIL


class Terminal:
    """A stream that says it is one."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)


def test_our_colours_pass_on_a_terminal_and_nothing_else() -> None:
    terminal = Terminal()
    net = console.HarmlessStream(terminal)  # type: ignore[arg-type]
    print(
        click.style("FAILED", fg="red", bold=True),
        "\x1b[30m\x1b[2J\x1b[8m\x1b[31;8m\x1b]0;x\x07",
        file=net,
    )
    assert (
        terminal.text
        == "\x1b[31m\x1b[1mFAILED\x1b[0m \\x1b[30m\\x1b[2J\\x1b[8m\\x1b[31;8m\\x1b]0;x\\x07\n"
    )
