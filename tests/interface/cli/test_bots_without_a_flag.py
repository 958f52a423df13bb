"""A command line whose bots stand without ``--bot`` is refused with the line that names
them by it.
"""

from pathlib import Path

import click
import pytest

from khiva_arena.interface.cli.main import cli


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my bot").mkdir()
    (tmp_path / "my bot" / "bot.toml").touch()
    (tmp_path / "class.toml").touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "my bot", "greedy"], "run --bot 'my bot' --bot shipped:python/greedy --seats 2"),
        (
            ["run", "my bot", "greedy", "random"],
            "run --bot 'my bot' --bot shipped:python/greedy --bot shipped:python/random",
        ),
        (
            ["run", "my bot", "--seats", "3", "greedy"],
            "run --bot 'my bot' --bot shipped:python/greedy",
        ),
        (
            ["run", "greedy"],
            "run --bot shipped:python/greedy --bot shipped:python/random --seats 2",
        ),
        (["run", "class.toml", "my bot"], "run class.toml --bot 'my bot'"),
        (["match", "my bot/bot.toml", "--bot", "x"], "match --bot 'my bot' --bot x"),
        (["match", "my bot"], "match --bot 'my bot' --bot shipped:python/random"),
    ],
)
def test_the_line_names_them_by_flags(words: list[str], said: str) -> None:
    assert refusal(words).message.endswith(f"as in `{words[0]} {said.partition(' ')[2]}`.")


@pytest.mark.parametrize(
    "words",
    [["run", "nosuch"], ["run", "class.toml", "other.toml"], ["match", "x"], ["bots", "greedy"]],
)
def test_words_that_name_no_bot_are_told_as_before(words: list[str]) -> None:
    assert "--bot" not in refusal(words).message


def refusal(words: list[str]) -> click.UsageError:
    command = cli.get_command(click.Context(cli), words[0])
    assert command is not None
    with pytest.raises(click.UsageError) as caught:
        command.make_context(words[0], words[1:])
    return caught.value
