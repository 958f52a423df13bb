"""What a language's runtime says of its own accord is not taken for the reason of a
bot's end.
"""

import json
from pathlib import Path

import pytest
from arena import arena
from tools import need_language

pytestmark = pytest.mark.slow

DIES = 'require_relative "khiva_kit"\nKhiva.play("my-bot") { |_, _| raise "oops" }\n'


@pytest.mark.usefixtures("standard")
@pytest.mark.language
def test_a_ruby_bot_that_raises_has_crashed(tmp_path: Path) -> None:
    """Ruby complains of a timer at each start that it cannot have one, in the words of
    a process limit.
    """
    need_language("ruby")
    arena("new", "ruby", "my-bot", cwd=tmp_path)
    (tmp_path / "my-bot" / "main.rb").write_text(DIES)
    words = ["--bot", "my-bot", "--bot", "shipped:python/random", "--isolation", "standard"]
    said = arena("match", *words, "--notes", cwd=tmp_path).stdout
    assert "seat 0: crashed at step 1: exited with code 1" in said
    assert "oops" in said
    assert (
        json.loads(arena("match", *words, "--json", cwd=tmp_path).stdout)["verdicts"][0]
        == "crashed"
    )
