"""The bots that bots/README.md shows are made as it says and really play."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BOTS = Path(__file__).parents[2] / "bots"
README = (BOTS / "README.md").read_text()


def _block(language: str, part: str) -> str:
    """The first code block of a language in a part of the README."""
    text = README.split(f"\n## {part}\n")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("part", "language", "file", "kit"),
    [
        ("Python", "python", "main.py", "python/kit/khiva_kit.py"),
        ("C", "c", "bot.c", "c/kit/kit.h"),
        ("JavaScript", "javascript", "main.js", "javascript/kit/khiva_kit.js"),
    ],
)
def test_the_first_bot_plays(
    part: str, language: str, file: str, kit: str, tmp_path: Path, lay_out: Callable[..., Any], framed: Any, conversation: Any
) -> None:
    source = tmp_path / "my-bot"
    source.mkdir()
    shutil.copy(BOTS / kit, source)
    (source / file).write_text(_block(language, part))
    (source / "bot.toml").write_text(_block("toml", part))
    said = lay_out(source).run(framed(*conversation))
    decides = [message for message in conversation if message["type"] == "decide"]
    assert said.messages[0]["name"] == "my-bot"
    assert [act["choice"] for act in said.messages[1:]] == [len(decide["legal"]) - 1 for decide in decides]
    assert said.code == 0


def test_the_hand_that_the_c_lines_print_is_the_hand(
    tmp_path: Path, lay_out: Callable[..., Any], framed: Any, conversation: Any
) -> None:
    text = README.split("\n## C\n")[1].split("\n## ")[0]
    lines = re.findall(r"```c\n(.*?)```", text, re.DOTALL)[1]
    source = tmp_path / "my-bot"
    source.mkdir()
    shutil.copy(BOTS / "c/kit/kit.h", source)
    bot = _block("c", "C").replace("    return decide", lines + "    return decide")
    (source / "bot.c").write_text(bot)
    (source / "bot.toml").write_text(_block("toml", "C"))
    decide = {**conversation[1], "view": {"hand": [[3, 5], [0, 2]], "x": 1}}
    assert lay_out(source).run(framed(conversation[0], decide)).notes.split() == ["3", "5", "0", "2"]


def test_every_shipped_bot_is_in_the_table() -> None:
    table = README.split("\n## The bots here\n")[1]
    for toml in BOTS.glob("*/*/bot.toml"):
        name = toml.parent.relative_to(BOTS).as_posix()
        assert name in table or name.startswith("broken/")
