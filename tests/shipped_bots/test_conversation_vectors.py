"""Every kit answers the conversations of protocol/vectors as they say, in one piece and
byte by byte.
"""

import json
from pathlib import Path
from typing import Any

import languages
import pytest

pytestmark = pytest.mark.slow

FILE = Path(__file__).parents[2] / "protocol" / "vectors" / "conversations.json"
CONVERSATIONS: list[dict[str, Any]] = json.loads(FILE.read_text())["conversations"]


@languages.each(languages.ALL, "random")
def test_a_bot_answers_as_the_vectors_say(name: str, staged: Any) -> None:
    bot = staged(name)
    for conversation in CONVERSATIONS:
        data = b"".join(bytes.fromhex(frame["hex"]) for frame in conversation["frames"])
        # A bot that refuses what it reads need not read the rest.
        for step in (0, 1) if conversation["exit"] == 0 and len(data) < 3_000 else (0,):
            said = bot.run(data, step)
            assert [message["type"] for message in said.messages] == [
                each["type"] for each in conversation["answers"]
            ], conversation
            for message, due in zip(said.messages, conversation["answers"], strict=True):
                if due["type"] == "act":
                    assert message["req"] == due["req"]
                    assert 0 <= message["choice"] < due["choices"]
            assert conversation["exit"] in (None, said.code), conversation["name"]
