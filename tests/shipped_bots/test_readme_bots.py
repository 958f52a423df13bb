"""bots/README.md: its request is one that the arena may send, and its tables have every
language and every shipped bot.
"""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from khiva_arena.common import shipped

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots"
README = (BOTS / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_the_request_that_is_shown_is_one() -> None:
    (shown,) = [json.loads(text) for kind, text in BLOCKS if kind == "json"]
    schema = json.loads((ROOT / "protocol" / "schema" / "decide.json").read_text())
    jsonschema.validate(shown, schema)


def test_every_shipped_bot_and_every_language_is_in_a_table() -> None:
    table = README.split("\n## The bots here\n")[1]
    for word in shipped.bots():
        assert word.removeprefix(shipped.WORD) in table
    for language in shipped.languages().values():
        assert f"| {language.title} | [{language.name}]({language.name}/README.md) |" in README
    assert f"for {len(shipped.languages())} of them".replace("16", "sixteen") in README
