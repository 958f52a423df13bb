"""The greedy bot chooses the same in every language, on the positions of
protocol/vectors/choices.
"""

import json
from pathlib import Path
from typing import Any

import languages
import pytest
from languages import WITH_GREEDY

pytestmark = pytest.mark.slow

CHOICES = Path(__file__).parents[2] / "protocol" / "vectors" / "choices" / "khiva.json"


@languages.each(WITH_GREEDY, "greedy")
def test_it_chooses_the_same(name: str, staged: Any, framed: Any, conversation: Any) -> None:
    for group in json.loads(CHOICES.read_text())["groups"]:
        asked = group["decides"]
        times = {"turn_ms": 1, "bank_ms": 1, "events": []}
        script = [
            {"type": "decide", "req": req, **times, **row} for req, row in enumerate(asked, 1)
        ]
        for decide in script:
            del decide["choice"]
        said = staged(name).run(framed(conversation[0] | group["hello"], *script))
        assert said.code == 0, said.notes
        assert [act["choice"] for act in said.messages[1:]] == [row["choice"] for row in asked], (
            group["hello"]
        )
