"""bots/README.md, followed from nothing: what it types, in order, with the files that it shows."""

import json
import re
import shlex
from pathlib import Path

import jsonschema
import pytest
from arena import arena

from khiva_arena.common import shipped

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots"
README = (BOTS / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.soak
def test_everything_that_is_typed_works(tmp_path: Path) -> None:
    """With quick checks; test_readmes.py has a bot checked in whole."""
    done = []
    for kind, text in BLOCKS:
        if kind == "python":
            (tmp_path / "my-bot" / "main.py").write_text(text)
        for line in text.splitlines() if kind == "sh" else ():
            program, *words = shlex.split(line)
            assert program == "khiva-arena"
            done.append((words[0], arena(*words, *(("--quick",) if words == ["check", "my-bot"] else ()), cwd=tmp_path)))
    assert [word for word, _ in done] == ["new", "check", "match", "check", "run", "show", "replay", "match"]
    assert "my-bot" in done[4][1].stdout
    assert "my-bot" in done[5][1].stdout


def test_the_request_that_is_shown_is_one() -> None:
    (shown,) = [json.loads(text) for kind, text in BLOCKS if kind == "json"]
    schema = json.loads((ROOT / "protocol" / "schema" / "decide.json").read_text())
    jsonschema.validate(shown, schema)
    assert {kind for kind, _ in BLOCKS} == {"sh", "python", "json"}


def test_every_shipped_bot_and_every_language_is_in_a_table() -> None:
    table = README.split("\n## The bots here\n")[1]
    for word in shipped.bots():
        assert word.removeprefix(shipped.WORD) in table
    for language in shipped.languages().values():
        assert f"| {language.title} | [{language.name}]({language.name}/README.md) |" in README
    assert f"for {len(shipped.languages())} of them".replace("16", "sixteen") in README
